//! What the documentation shows is taken as it stands.

use std::fmt::Write as _;

use super::support::*;

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn blocks(text: &str) -> Vec<String> {
    text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_configuration_that_is_shown_is_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let [shown] = &blocks(&document("config.md"))[..] else { panic!("one block is expected") };
    std::fs::write(dir.path().join("waldo.toml"), shown).unwrap();
    // It names addresses and programs: found in a folder it wants a person's trust first.
    waldo(dir.path(), &["config", "show", "--json"]).run().expect_code(4);
    waldo(dir.path(), &["config", "trust"]).run().expect_code(0);
    let got = waldo(dir.path(), &["config", "show", "--json"]).run().expect_code(0).json();
    // The document names every field.
    let unset: Vec<_> =
        got["settings"].as_array().unwrap().iter().filter(|s| s["source"] == "default").collect();
    assert!(unset.is_empty(), "{unset:?}");
}

#[test]
fn the_parts_of_a_task_that_are_shown_make_a_task() {
    let dir = tempfile::tempdir().unwrap();
    let suite = dir.path().join("s");
    std::fs::create_dir_all(suite.join("tasks")).unwrap();
    std::fs::create_dir_all(suite.join("site/hello")).unwrap();
    std::fs::write(suite.join("site/hello/index.html"), "<!doctype html>").unwrap();
    let text = document("tasks.md");
    let (pages, rest) = text.split_once("## Tasks on a phone").unwrap();
    let (phones, desktops) = rest.split_once("## Tasks on a desktop").unwrap();
    let shown = blocks(pages);
    assert!(shown[0].starts_with("format = 2"));
    std::fs::write(suite.join("suite.toml"), &shown[0]).unwrap();
    let mut task = String::from(
        "id = \"say-hello\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"{{ label }} on {{ day }} for {{ guests[0] }}\"\n\
         start = \"/hello/\"\n",
    );
    for block in &shown[1..] {
        let _ = writeln!(task, "{block}");
    }
    task.push_str("[[reference]]\ndo = \"answer\"\ntext = \"12.5\"\n");
    std::fs::write(suite.join("tasks/say-hello.toml"), &task).unwrap();
    let got = waldo(dir.path(), &["tasks", "./s", "--json"]).run().expect_code(0).json();
    assert_eq!(got[0]["id"], "say-hello");
    let twice = task.replace("down = 4", "down = 4\nright = 2");
    std::fs::write(suite.join("tasks/say-hello.toml"), twice).unwrap();
    let ended = waldo(dir.path(), &["tasks", "./s"]).run().expect_code(4);
    assert!(ended.stderr.contains("a step scrolls one way"), "{}", ended.stderr);
    // A task of a phone in a suite of phones, one of a desktop in a suite of desktops.
    std::fs::remove_dir_all(suite.join("site")).unwrap();
    for (platform, section) in [("android", phones), ("desktop", desktops)] {
        let [shown_task] = &blocks(section)[..] else { panic!("one block is expected of {platform}") };
        let task = format!("id = \"say-hello\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"G\"\n{shown_task}");
        std::fs::write(suite.join("tasks/say-hello.toml"), task).unwrap();
        let of = shown[0].replace("platform = \"web\"", &format!("platform = \"{platform}\""));
        assert_ne!(of, shown[0]);
        std::fs::write(suite.join("suite.toml"), of).unwrap();
        let got = waldo(dir.path(), &["tasks", "./s", "--json"]).run().expect_code(0).json();
        assert_eq!(got[0]["platform"], platform);
    }
}
