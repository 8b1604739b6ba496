//! What the documentation shows is taken as it stands.

use std::fmt::Write as _;

use super::support::*;

fn document(name: &str) -> String {
    text_in(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name))
}

fn blocks(text: &str) -> Vec<String> {
    text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_configuration_that_is_shown_is_accepted() {
    let dir = tempdir();
    let [shown] = &blocks(&document("config.md"))[..] else { panic!("one block is expected") };
    write(dir.join("waldo.toml"), shown);
    // It names addresses and programs: found in a folder it wants a person's trust first.
    waldo(&dir, "config show --json").exits(4);
    waldo(&dir, "config trust").ok();
    let got = waldo(&dir, "config show --json").json();
    // The document names every field.
    let unset: Vec<_> =
        got["settings"].as_array().unwrap().iter().filter(|s| s["source"] == "default").collect();
    assert!(unset.is_empty(), "{unset:?}");
}

#[test]
fn the_parts_of_a_task_that_are_shown_make_a_task() {
    let dir = tempdir();
    let suite = dir.join("s");
    folder(suite.join("tasks"));
    write(suite.join("site/hello/index.html"), "<!doctype html>");
    let text = document("tasks.md");
    let (pages, rest) = text.split_once("## Tasks on a phone").unwrap();
    let (phones, desktops) = rest.split_once("## Tasks on a desktop").unwrap();
    let shown = blocks(pages);
    assert!(shown[0].starts_with("format = 2"));
    write(suite.join("suite.toml"), &shown[0]);
    let mut task = String::from(
        "id = \"say-hello\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"{{ label }} on {{ day }} for {{ guests[0] }}\"\n\
         start = \"/hello/\"\n",
    );
    for block in &shown[1..] {
        let _ = writeln!(task, "{block}");
    }
    task.push_str("[[reference]]\ndo = \"answer\"\ntext = \"12.5\"\n");
    write(suite.join("tasks/say-hello.toml"), &task);
    let got = waldo(&dir, "tasks ./s --json").json();
    assert_eq!(got[0]["id"], "say-hello");
    let twice = task.replace("down = 4", "down = 4\nright = 2");
    write(suite.join("tasks/say-hello.toml"), twice);
    waldo(&dir, "tasks ./s").exits(4).warns("a step scrolls one way");
    // A task of a phone in a suite of phones, one of a desktop in a suite of desktops.
    std::fs::remove_dir_all(suite.join("site")).unwrap();
    for (platform, section) in [("android", phones), ("desktop", desktops)] {
        let [shown_task] = &blocks(section)[..] else { panic!("one block is expected of {platform}") };
        let task = format!("id = \"say-hello\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"G\"\n{shown_task}");
        write(suite.join("tasks/say-hello.toml"), task);
        let of = shown[0].replace("platform = \"web\"", &format!("platform = \"{platform}\""));
        assert_ne!(of, shown[0]);
        write(suite.join("suite.toml"), of);
        let got = waldo(&dir, "tasks ./s --json").json();
        assert_eq!(got[0]["platform"], platform);
    }
}
