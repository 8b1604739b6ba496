//! Tasks on desktops: what they lay out, and what is refused.

use waldo_devices::{Launch, ShellUse};

use super::*;

const DESK: &str = "format = 1\nid = \"desk\"\ntitle = \"Desk\"\nlevel = \"L3\"\nplatform = \"desktop\"\n\
                    max_steps = 9\norder = [\"note\"]\n";
const NOTE: &str = include_str!("note.toml");

fn desk(task: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "suite.toml", DESK);
    write(dir.path(), "tasks/note.toml", task);
    write(dir.path(), "files/it.sh", "exit 0\n");
    dir
}

#[test]
fn files_programs_and_checks_are_drawn() {
    let suite = Suite::open(desk(NOTE).path()).unwrap();
    let drawn = suite.tasks[0].instance(1, &InstanceContext::default()).unwrap();
    let files = &drawn.desktop.files;
    assert_eq!((files[0].content.as_slice(), files[0].mode), (&b"tea\n"[..], 0o644));
    assert_eq!((files[1].content.as_slice(), files[1].mode), (&b"exit 0\n"[..], 0o755));
    let run = ["sh", "run/it.sh", "tea"].map(str::to_owned).to_vec();
    assert_eq!(drawn.desktop.programs, [Launch::Finish(run)]);
    assert_eq!(drawn.shell, ShellUse::Refused);
    let words: Vec<&str> = drawn.checks.iter().map(|check| check.what.as_str()).collect();
    assert_eq!(words, ["file ~/n.txt contains \"tea\"", "window mousepad n.* is open"]);
}

#[test]
fn what_makes_no_sense_is_refused_with_its_field() {
    for [from, to, told] in rows(include_str!("malformed_desktop.txt")) {
        assert!(NOTE.contains(&from), "{from}");
        let dir = desk(&NOTE.replacen(&from, &to, 1));
        let error = Suite::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains(&told), "{to}: {error}");
    }
    // And what belongs to desktops is refused elsewhere.
    let page = TASK.replacen("category", "shell = true\ncategory", 1);
    let error = Suite::open(folder(SUITE, &page).path()).unwrap_err().to_string();
    assert!(error.contains("shell: is for suites whose platform is desktop"), "{error}");
}
