//! Tasks on desktops: what they lay out, and what is refused.

use waldo_devices::{Launch, ShellUse};

use super::*;

const DESK: &str = "format = 1\nid = \"desk\"\ntitle = \"Desk\"\nlevel = \"L3\"\nplatform = \"desktop\"\n\
                    max_steps = 9\norder = [\"note\"]\n";
const NOTE: &str = r#"id = "note"
title = "A note"
category = "editor"
goal = "Write {{ word }}."
start = "mousepad {HOME}/n.txt"

[params]
word = { choose = ["tea"] }

[[file]]
path = "n.txt"
text = "{{ word }}\n"

[[file]]
path = "run/it.sh"
from = "it.sh"
executable = true

[[program]]
run = ["sh", "run/it.sh", "{{ word }}"]
wait = "end"

[[check]]
kind = "file"
path = "n.txt"
contains = "{{ word }}"

[[check]]
kind = "window"
program = "mousepad"
name = "n.*"

[[reference]]
do = "type"
text = "{{ word }}"
"#;

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
    for (from, to, told) in [
        (
            "path = \"n.txt\"\ntext",
            "path = \"../n.txt\"\ntext",
            "file[0].path: '../n.txt' must be below HOME",
        ),
        ("path = \"n.txt\"\ntext", "path = \"/n.txt\"\ntext", "must be below HOME"),
        ("from = \"it.sh\"", "from = \"no.sh\"", "file[1].from: the suite's folder files has no 'no.sh'"),
        ("from = \"it.sh\"", "from = \"it.sh\"\ntext = \"x\"", "a file needs one of text, from"),
        ("from = \"it.sh\"", "sheet = [3]", "row 1 is not a list of cells"),
        (
            "from = \"it.sh\"",
            "picture = { width = 9, height = 9, colours = [\"red\"] }",
            "'red' is not a colour",
        ),
        ("run = [\"sh\", \"run/it.sh\", \"{{ word }}\"]", "run = []", "names no program"),
        ("wait = \"end\"", "wait = \"forever\"", "program[0].wait"),
        (
            "start = \"mousepad {HOME}/n.txt\"",
            "start = \"desktop\"",
            "those that may be touched must be named",
        ),
        ("goal =", "apps = [\"/bin/sh\"]\ngoal =", "apps[0]: '/bin/sh' is not a name of a program"),
        ("goal =", "setup = [{ run = \"x\" }]\ngoal =", "setup: is for suites whose platform is android"),
        ("kind = \"window\"", "kind = \"windows\"", "check[1].kind"),
        (
            "kind = \"window\"\nprogram = \"mousepad\"\nname = \"n.*\"",
            "kind = \"url\"\ncontains = \"x\"",
            "no such checks",
        ),
        (
            "kind = \"window\"\nprogram = \"mousepad\"\nname = \"n.*\"",
            "kind = \"setting\"\nschema = \"a;b\"\nkey = \"k\"\nequals = 1",
            "is not a name of a setting",
        ),
        ("do = \"type\"\ntext = \"{{ word }}\"", "do = \"switch_tab\"\ntab = 1", "desktop cannot do this"),
        (
            "do = \"type\"",
            "do = \"key\"\nkey = \"Tab\"",
            "reference[0].text: 'key' takes no 'text'; known are do, key",
        ),
    ] {
        assert!(NOTE.contains(from), "{from}");
        let dir = desk(&NOTE.replacen(from, to, 1));
        let error = Suite::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains(told), "{to}: {error}");
    }
    // And what belongs to desktops is refused elsewhere.
    let page = TASK.replacen("category", "shell = true\ncategory", 1);
    let error = Suite::open(folder(SUITE, &page).path()).unwrap_err().to_string();
    assert!(error.contains("shell: is for suites whose platform is desktop"), "{error}");
}
