//! Runs, suites and demonstrations of somebody else's, made to reach what is outside of their folders.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::support::{Ended, suite, waldo};

/// A whole run of one task by noop, in the folder `r`.
fn played(dir: &Path) -> PathBuf {
    let args =
        ["eval", "l3-web", "--agent", "noop", "--task", "kanban-drag", "--max-steps", "1", "--no-report"];
    waldo(dir, &[&args[..], &["--out", "r"]].concat()).run().expect_code(0);
    dir.join("r/episodes/noop/kanban-drag/r0")
}

/// The command ends soon and is refused as bad input.
fn refused(dir: &Path, args: &[&str]) -> String {
    let Ended { stderr, .. } = waldo(dir, args).within(Duration::from_secs(60)).run().expect_code(4);
    stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

fn put(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn no_name_of_a_run_leads_out_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let episode = played(dir.path());
    let manifest = dir.path().join("r/manifest.json");
    let whole = fs::read_to_string(&manifest).unwrap();
    for (from, to) in [
        ("\"name\": \"noop\"", "\"name\": \"s/../../../esc\""),
        ("\"name\": \"noop\"", "\"name\": \"..\""),
        ("\"id\": \"kanban-drag\"", "\"id\": \"../../../esc\""),
        ("\"id\": \"kanban-drag\"", "\"id\": \"/tmp/esc\""),
    ] {
        put(&manifest, from, to);
        for args in [&["merge", "r", "--out", "o/m"][..], &["report", "r"], &["report", "r", "--out", "o/n"]]
        {
            let said = refused(dir.path(), args);
            assert!(said.contains("cannot be the name of a file or folder"), "{said}");
        }
        fs::write(&manifest, &whole).unwrap();
    }
    let said = refused(dir.path(), &["replay", "r", "../kanban-drag/r0"]);
    assert!(said.contains("is no episode"), "{said}");
    // A result that says it is another's.
    put(&episode.join("result.json"), "\"noop\"", "\"other\"");
    let said = refused(dir.path(), &["report", "r"]);
    assert!(said.contains("is the result of other/"), "{said}");
    let mut found: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    found.sort();
    // The tests' own empty configuration lies beside it.
    assert_eq!(found, ["no-config", "r"], "nothing was written beside the run");
}

#[test]
fn no_link_pipe_or_device_in_a_run_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let episode = played(dir.path());
    let secret = dir.path().join("secret");
    fs::write(&secret, "of somebody else").unwrap();
    let picture = episode.join("step-01.png");
    assert!(picture.exists());
    fs::remove_file(&picture).unwrap();
    symlink(&secret, &picture).unwrap();
    let said = refused(dir.path(), &["merge", "r", "--out", "m1"]);
    assert!(said.contains("step-01.png: is a link"), "{said}");
    assert!(!dir.path().join("m1/episodes/noop/kanban-drag/r0/step-01.png").exists());
    // A report goes without it.
    waldo(dir.path(), &["report", "r"]).run().expect_code(0);
    fs::remove_file(&picture).unwrap();
    for (n, name) in ["events.jsonl", "result.json"].into_iter().enumerate() {
        let (file, kept) = (episode.join(name), dir.path().join("kept"));
        fs::rename(&file, &kept).unwrap();
        symlink("/dev/zero", &file).unwrap();
        let out = format!("z{n}");
        let said = refused(dir.path(), &["merge", "r", "--out", &out]);
        assert!(said.contains("is a link"), "{said}");
        let report = waldo(dir.path(), &["report", "r"]).within(Duration::from_secs(60)).run();
        assert!(report.code == 4 || name == "events.jsonl", "{report:?}");
        fs::remove_file(&file).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
        let said = refused(dir.path(), &["merge", "r", "--out", &format!("f{n}")]);
        assert!(said.contains("is a pipe"), "{said}");
        fs::remove_file(&file).unwrap();
        // Larger than any record, and no byte of it on the disk.
        fs::File::create(&file).unwrap().set_len(1 << 42).unwrap();
        let said = refused(dir.path(), &["merge", "r", "--out", &format!("s{n}")]);
        assert!(said.contains("it has more than"), "{said}");
        fs::remove_file(&file).unwrap();
        fs::rename(&kept, &file).unwrap();
    }
    // A folder of the run that is elsewhere: neither read nor written.
    let moved = dir.path().join("moved");
    fs::rename(dir.path().join("r/episodes/noop"), &moved).unwrap();
    symlink(&moved, dir.path().join("r/episodes/noop")).unwrap();
    let said = refused(dir.path(), &["merge", "r", "--out", "m2"]);
    assert!(said.contains("noop is a link"), "{said}");
    let manifest = dir.path().join("r/manifest.json");
    fs::remove_file(&manifest).unwrap();
    symlink("/dev/zero", &manifest).unwrap();
    let said = refused(dir.path(), &["report", "r"]);
    assert!(said.contains("manifest.json") && said.contains("is a link"), "{said}");
}

#[test]
fn no_link_in_a_suite_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let check = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"T\"";
    suite(dir.path(), "s", &[("page", "<title>T</title>", check)]);
    let site = dir.path().join("s/site/page");
    symlink("/etc/passwd", site.join("passwd.txt")).unwrap();
    let said = refused(dir.path(), &["tasks", "./s"]);
    assert!(said.contains("passwd.txt") && said.contains("it is a link"), "{said}");
    fs::remove_file(site.join("passwd.txt")).unwrap();
    waldo(dir.path(), &["tasks", "./s"]).run().expect_code(0);
}

#[test]
fn a_part_is_merged_once_and_what_is_missing_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let args =
        ["eval", "l3-web", "--agent", "noop", "--task", "kanban-drag", "--max-steps", "1", "--no-report"];
    let part = ["--repeats", "2", "--partition", "slice:1/2", "--out", "p1"];
    waldo(dir.path(), &[&args[..], &part].concat()).run().expect_code(0);
    let said = refused(dir.path(), &["merge", "p1", "./p1", "--out", "m"]);
    assert!(said.contains("is named twice"), "{said}");
    let ended = waldo(dir.path(), &["merge", "p1", "--out", "m"]).run().expect_code(1);
    assert!(ended.stderr.contains("1 of 2 episodes are in none of the parts"), "{}", ended.stderr);
}
