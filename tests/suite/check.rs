//! `waldo check`: mistakes of a task's author are named.

use super::support::{suite, waldo};

const GOOD: &str = "<title>Page</title><button onclick=\"document.title='Done'\">Go</button>";

fn check(title: &str) -> String {
    format!("[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"{title}\"")
}

/// A task whose reference taps the button of this name.
fn taps(dir: &std::path::Path, id: &str, name: &str) {
    let file = dir.join("s/tasks").join(format!("{id}.toml"));
    let text = std::fs::read_to_string(&file).unwrap();
    let tap = format!("do = \"tap\"\nrole = \"button\"\nname = \"{name}\"");
    std::fs::write(&file, text.replace("do = \"key\"\nchord = \"Escape\"", &tap)).unwrap();
}

#[test]
fn the_first_step_that_failed_and_the_checks_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (done, never, start) = (check("Done"), check("Never"), check("Page"));
    suite(
        dir.path(),
        "s",
        &[("good", GOOD, &done), ("lost", GOOD, &done), ("wrong", GOOD, &never), ("idle", GOOD, &start)],
    );
    // Room for the reference to look for what is not there, and to say so.
    let file = dir.path().join("s/suite.toml");
    let text = std::fs::read_to_string(&file).unwrap().replace("max_steps = 3", "max_steps = 6");
    std::fs::write(file, text).unwrap();
    taps(dir.path(), "good", "Go");
    taps(dir.path(), "lost", "Gone");
    taps(dir.path(), "wrong", "Go");
    let one = waldo(dir.path(), &["check", "./s", "--task", "good"]).run().expect_code(0);
    assert!(one.stdout.contains("its task is solved by its reference"), "{}", one.stdout);
    let said = waldo(dir.path(), &["check", "./s", "--json"]).run().expect_code(1).json();
    assert_eq!((&said["sound"], &said["episodes"]), (&false.into(), &8.into()), "{said}");
    let fault = |task: &str, agent: &str| {
        let all = said["faults"].as_array().unwrap();
        all.iter().find(|one| one["task"] == task && one["agent"] == agent).cloned()
    };
    assert!(fault("good", "reference").is_none() && fault("good", "noop").is_none(), "{said}");
    let lost = fault("lost", "reference").unwrap();
    assert!(lost["step"]["report"].as_str().unwrap().contains("Gone"), "{lost}");
    let wrong = fault("wrong", "reference").unwrap();
    assert!(wrong["checks"][0]["wanted"].as_str().unwrap().contains("Never"), "{wrong}");
    assert!(wrong["checks"][0]["found"].as_str().unwrap().contains("Done"), "{wrong}");
    let idle = fault("idle", "noop").unwrap();
    assert!(idle["fault"].as_str().unwrap().contains("doing nothing"), "{idle}");
    let text = waldo(dir.path(), &["check", "./s", "--task", "lost"]).run().expect_code(1).stdout;
    assert!(text.contains("lost is not solved by its reference") && text.contains("  step "), "{text}");
    assert!(text.contains("wanted ") && text.contains("found "), "{text}");
    let unknown = waldo(dir.path(), &["check", "./s", "--task", "none"]).run().expect_code(4);
    assert!(unknown.stderr.contains("no task 'none'"), "{}", unknown.stderr);
}
