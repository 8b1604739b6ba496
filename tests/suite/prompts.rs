//! Prompt templates of a user's own.

use super::support::*;

#[test]
fn templates_are_copied_edited_and_told_apart() {
    let dir = tempdir();
    let run = |args: &[&str]| waldo(&dir, args).run();
    let builtin = run(&["prompts", "list", "--json"]).expect_code(0).json();
    assert!(builtin.as_array().unwrap().iter().all(|p| p["replaced"] == false));
    run(&["prompts", "eject", "mine"]).expect_code(0);
    let file = dir.join("mine/appagent/deploy.md.j2");
    let text = text_in(&file);
    assert_eq!(run(&["prompts", "show", "appagent/deploy"]).expect_code(0).stdout, text);
    // A second copy does not undo what was edited.
    write(&file, format!("{text}\nBe brief.\n"));
    run(&["prompts", "eject", "mine"]).expect_code(0);
    let shown = run(&["prompts", "show", "appagent/deploy", "--prompts", "mine"]).expect_code(0).stdout;
    assert!(shown.ends_with("Be brief.\n"), "{shown}");
    write(dir.join("waldo.toml"), "[prompts]\ndir = \"mine\"\n");
    // A file that was found and changes what a model is told needs trust, and new words need it anew.
    run(&["prompts", "list"]).expect_code(4).stderr.says("prompts.dir = mine").says("config trust");
    run(&["config", "trust"]).expect_code(0);
    run(&["prompts", "list"]).expect_code(0);
    write(&file, format!("{text}\nBe very brief.\n"));
    run(&["prompts", "list"]).expect_code(4);
    run(&["config", "trust"]).expect_code(0);
    let mine = run(&["prompts", "list", "--json"]).expect_code(0).json();
    let hash = |all: &Value| {
        all.as_array().unwrap().iter().find(|p| p["name"] == "appagent/deploy").unwrap()["sha256"].clone()
    };
    assert_ne!(hash(&mine), hash(&builtin));
    run(&["prompts", "show", "appagent/deplay"]).expect_code(4).warns("did you mean 'appagent/deploy'?");
}

#[test]
fn a_bad_template_stops_a_run_before_it_begins() {
    let dir = tempdir();
    write(dir.join("mine/appagent/reask.md.j2"), "Wrong:\n{{ eror }}\n");
    waldo(&dir, "eval l3-web --agent appagent --model m --prompts mine")
        .exits(4)
        .warns("mine/appagent/reask.md.j2:2")
        .warns("it can use error, signatures[], endings");
}
