//! Runs, suites and demonstrations of somebody else's, made to reach what is outside of their folders.

use std::fs;
use std::os::unix::fs::symlink;

use super::support::*;

/// A whole run of one task by noop, in the folder `r`.
fn played(dir: &Path) -> PathBuf {
    let args =
        ["eval", "l3-web", "--agent", "noop", "--task", "kanban-drag", "--max-steps", "1", "--no-report"];
    waldo(dir, &[&args[..], &["--out", "r"]].concat()).run().expect_code(0);
    dir.join("r/episodes/noop/kanban-drag/r0")
}

/// The command ends soon and is refused as bad input.
fn refused(dir: &Path, args: &[&str]) -> String {
    refused_with(4, dir, args)
}

fn refused_with(code: i32, dir: &Path, args: &[&str]) -> String {
    let Ended { stderr, .. } = waldo(dir, args).within(Duration::from_secs(60)).run().expect_code(code);
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
    assert!(said.contains("is not an episode"), "{said}");
    // A result that says it is another's.
    put(&episode.join("result.json"), "\"noop\"", "\"other\"");
    let said = refused(dir.path(), &["report", "r"]);
    assert!(said.contains("is the result of other/"), "{said}");
    let mut found: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    found.sort();
    assert_eq!(found, ["r"], "nothing was written beside the run");
}

#[test]
fn no_link_pipe_or_device_in_a_run_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let episode = played(dir.path());
    let secret = dir.path().join("secret");
    fs::write(&secret, "of somebody else").unwrap();
    let picture = episode.join("step-01.webp");
    assert!(picture.exists());
    fs::remove_file(&picture).unwrap();
    symlink(&secret, &picture).unwrap();
    let said = refused(dir.path(), &["merge", "r", "--out", "m1"]);
    assert!(said.contains("step-01.webp: is a link"), "{said}");
    assert!(!dir.path().join("m1/episodes/noop/kanban-drag/r0/step-01.webp").exists());
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
fn documentation_is_exported_through_no_link() {
    let dir = tempfile::tempdir().unwrap();
    let from = dir.path().join("mail");
    fs::create_dir_all(from.join("auto_docs")).unwrap();
    fs::write(from.join("auto_docs/k.txt"), "{'tap': 'Opens it.'}").unwrap();
    waldo(dir.path(), &["docs", "import", "mail", "--docs", "d"]).run().expect_code(0);
    let outside = dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "kept").unwrap();
    for (link, target) in [("auto_docs", ""), ("auto_docs/k.txt", "kept")] {
        let to = dir.path().join("to");
        fs::create_dir_all(to.join(link).parent().unwrap()).unwrap();
        symlink(outside.join(target), to.join(link)).unwrap();
        let said = refused(dir.path(), &["docs", "export", "d/mail", "--to", "to"]);
        assert!(said.contains(link) && said.contains("is a link"), "{said}");
        fs::remove_dir_all(&to).unwrap();
    }
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    waldo(dir.path(), &["docs", "export", "d/mail", "--to", "to"]).run().expect_code(0);
    assert!(dir.path().join("to/auto_docs/k.txt").is_file());
}

#[test]
fn no_link_pipe_or_device_is_read_for_templates_or_prices() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("p/appagent")).unwrap();
    fs::write(dir.path().join("secret"), "{}").unwrap();
    let common = words(
        "eval l3-web --agent appagent --model m --task kanban-drag --base-url \
                http://127.0.0.1:9",
    );
    let refusals =
        [("--prompts", "p", "p/appagent/reask.md.j2", 4), ("--prices", "prices.json", "prices.json", 4)];
    for (flag, given, file, code) in refusals {
        let args = [&common[..], &[flag, given]].concat();
        let file = dir.path().join(file);
        for target in [dir.path().join("secret"), "/dev/zero".into()] {
            symlink(target, &file).unwrap();
            let said = refused_with(code, dir.path(), &args);
            assert!(said.contains("it is a link"), "{said}");
            fs::remove_file(&file).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        let said = refused_with(code, dir.path(), &args);
        assert!(said.contains("it is a pipe"), "{said}");
        fs::remove_file(&file).unwrap();
        fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        let said = refused_with(code, dir.path(), &args);
        assert!(said.contains("it has more than"), "{said}");
        fs::remove_file(&file).unwrap();
    }
    // Nor for waldo's own configuration, which may be a link.
    let config = dir.path().join("waldo.toml");
    symlink("/dev/zero", &config).unwrap();
    let said = waldo(dir.path(), &["config", "show"])
        .env("WALDO_CONFIG", config.to_str().unwrap())
        .within(Duration::from_secs(60))
        .run();
    assert!(said.code != 0 && said.stderr.contains("it is a device"), "{said:?}");
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
    assert!(ended.stderr.contains("1 of 2 episodes is in none of the parts"), "{}", ended.stderr);
}
