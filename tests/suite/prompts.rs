//! Prompt templates of a user's own.

use super::support::*;

#[test]
fn templates_are_copied_edited_and_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| waldo(dir.path(), args).run();
    let builtin = run(&["prompts", "list", "--json"]).expect_code(0).json();
    assert!(builtin.as_array().unwrap().iter().all(|p| p["replaced"] == false));
    run(&["prompts", "eject", "mine"]).expect_code(0);
    let file = dir.path().join("mine/appagent/deploy.md.j2");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(run(&["prompts", "show", "appagent/deploy"]).expect_code(0).stdout, text);
    // A second copy does not undo what was edited.
    std::fs::write(&file, format!("{text}\nBe brief.\n")).unwrap();
    run(&["prompts", "eject", "mine"]).expect_code(0);
    let shown = run(&["prompts", "show", "appagent/deploy", "--prompts", "mine"]).expect_code(0).stdout;
    assert!(shown.ends_with("Be brief.\n"), "{shown}");
    std::fs::write(dir.path().join("waldo.toml"), "[prompts]\ndir = \"mine\"\n").unwrap();
    // A file that was found and changes what a model is told needs trust, and new words need it anew.
    let untrusted = run(&["prompts", "list"]).expect_code(4).stderr;
    assert!(untrusted.contains("prompts.dir = mine") && untrusted.contains("config trust"), "{untrusted}");
    run(&["config", "trust"]).expect_code(0);
    run(&["prompts", "list"]).expect_code(0);
    std::fs::write(&file, format!("{text}\nBe very brief.\n")).unwrap();
    run(&["prompts", "list"]).expect_code(4);
    run(&["config", "trust"]).expect_code(0);
    let mine = run(&["prompts", "list", "--json"]).expect_code(0).json();
    let hash = |all: &Value| {
        all.as_array().unwrap().iter().find(|p| p["name"] == "appagent/deploy").unwrap()["sha256"].clone()
    };
    assert_ne!(hash(&mine), hash(&builtin));
    let ended = run(&["prompts", "show", "appagent/deplay"]).expect_code(4);
    assert!(ended.stderr.contains("did you mean 'appagent/deploy'?"), "{}", ended.stderr);
}

#[test]
fn a_bad_template_stops_a_run_before_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("mine/appagent")).unwrap();
    std::fs::write(dir.path().join("mine/appagent/reask.md.j2"), "Wrong:\n{{ eror }}\n").unwrap();
    let args = ["eval", "l3-web", "--agent", "appagent", "--model", "m", "--prompts", "mine"];
    let ended = waldo(dir.path(), &args).run().expect_code(4);
    assert!(ended.stderr.contains("mine/appagent/reask.md.j2:2"), "{}", ended.stderr);
    assert!(ended.stderr.contains("it can use error, signatures[], endings"), "{}", ended.stderr);
}
