//! Prompt templates of a user's own.

use super::support::*;

#[test]
fn templates_are_copied_edited_and_told_apart() {
    let dir = tempdir();
    let ok = |line: &str| waldo(&dir, line).ok();
    let builtin = ok("prompts list --json").json();
    assert!(builtin.as_array().unwrap().iter().all(|p| p["replaced"] == false));
    ok("prompts eject mine");
    let file = dir.join("mine/appagent/deploy.md.j2");
    let text = text_in(&file);
    assert_eq!(ok("prompts show appagent/deploy").stdout, text);
    // A second copy does not undo what was edited.
    write(&file, format!("{text}\nBe brief.\n"));
    ok("prompts eject mine");
    let shown = ok("prompts show appagent/deploy --prompts mine").stdout;
    assert!(shown.ends_with("Be brief.\n"), "{shown}");
    write(dir.join("waldo.toml"), "[prompts]\ndir = \"mine\"\n");
    // A file that was found and changes what a model is told needs trust, and new words need it anew.
    waldo(&dir, "prompts list").exits(4).warns("prompts.dir = mine").warns("config trust");
    ok("config trust");
    ok("prompts list");
    write(&file, format!("{text}\nBe very brief.\n"));
    waldo(&dir, "prompts list").exits(4);
    ok("config trust");
    let mine = ok("prompts list --json").json();
    let hash = |all: &Value| {
        all.as_array().unwrap().iter().find(|p| p["name"] == "appagent/deploy").unwrap()["sha256"].clone()
    };
    assert_ne!(hash(&mine), hash(&builtin));
    waldo(&dir, "prompts show appagent/deplay").exits(4).warns("did you mean 'appagent/deploy'?");
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
