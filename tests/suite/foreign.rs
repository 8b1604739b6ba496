//! Runs, suites and demonstrations of somebody else's, made to reach what is outside of their folders.

use std::fs;
use std::os::unix::fs::symlink;

use super::support::*;

const PLAY: &str = "eval l3-web --agent noop --task kanban-drag --max-steps 1 --no-report";

/// A whole run of one task by noop, in the folder `r`.
fn played(dir: &Path) -> PathBuf {
    waldo(dir, &format!("{PLAY} --out r")).ok();
    dir.join("r/episodes/noop/kanban-drag/r0")
}

/// The command ends soon and is refused as bad input.
fn refused(dir: &Path, args: impl Args) -> String {
    unwrapped(&waldo(dir, args).within(Duration::from_secs(60)).exits(4).stderr)
}

/// What was said, without the lines and the edge that it was broken into.
pub(super) fn unwrapped(said: &str) -> String {
    said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

fn put(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap().says(from);
    fs::write(file, text.replace(from, to)).unwrap();
}

fn mkfifo(file: &Path) {
    assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
}

#[test]
fn no_name_of_a_run_leads_out_of_it() {
    let dir = tempdir();
    let episode = played(&dir);
    let manifest = dir.join("r/manifest.json");
    let whole = fs::read_to_string(&manifest).unwrap();
    for (from, to) in [
        ("\"name\": \"noop\"", "\"name\": \"s/../../../esc\""),
        ("\"name\": \"noop\"", "\"name\": \"..\""),
        ("\"id\": \"kanban-drag\"", "\"id\": \"../../../esc\""),
        ("\"id\": \"kanban-drag\"", "\"id\": \"/tmp/esc\""),
    ] {
        put(&manifest, from, to);
        for args in ["merge r --out o/m", "report r", "report r --out o/n"] {
            refused(&dir, args).says("cannot be the name of a file or folder");
        }
        fs::write(&manifest, &whole).unwrap();
    }
    refused(&dir, "replay r ../kanban-drag/r0").says("is not an episode");
    // A result that says it is another's.
    put(&episode.join("result.json"), "\"noop\"", "\"other\"");
    refused(&dir, "report r").says("is the result of other/");
    let mut found: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
    found.sort();
    assert_eq!(found, ["r"], "nothing was written beside the run");
}

#[test]
fn no_link_pipe_or_device_in_a_run_is_followed() {
    let dir = tempdir();
    let episode = played(&dir);
    let secret = dir.join("secret");
    fs::write(&secret, "of somebody else").unwrap();
    let picture = episode.join("step-01.webp");
    assert!(picture.exists());
    fs::remove_file(&picture).unwrap();
    symlink(&secret, &picture).unwrap();
    refused(&dir, "merge r --out m1").says("step-01.webp: is a link");
    assert!(!dir.join("m1/episodes/noop/kanban-drag/r0/step-01.webp").exists());
    // A report goes without it.
    waldo(&dir, "report r").ok();
    fs::remove_file(&picture).unwrap();
    for (n, name) in ["events.jsonl", "result.json"].into_iter().enumerate() {
        let (file, kept) = (episode.join(name), dir.join("kept"));
        fs::rename(&file, &kept).unwrap();
        symlink("/dev/zero", &file).unwrap();
        refused(&dir, &format!("merge r --out z{n}")).says("is a link");
        let report = waldo(&dir, "report r").within(Duration::from_secs(60)).run();
        assert!(report.code == 4 || name == "events.jsonl", "{report:?}");
        fs::remove_file(&file).unwrap();
        mkfifo(&file);
        refused(&dir, &format!("merge r --out f{n}")).says("is a pipe");
        fs::remove_file(&file).unwrap();
        // Larger than any record, and no byte of it on the disk.
        fs::File::create(&file).unwrap().set_len(1 << 42).unwrap();
        refused(&dir, &format!("merge r --out s{n}")).says("it has more than");
        fs::remove_file(&file).unwrap();
        fs::rename(&kept, &file).unwrap();
    }
    // A folder of the run that is elsewhere: neither read nor written.
    let moved = dir.join("moved");
    fs::rename(dir.join("r/episodes/noop"), &moved).unwrap();
    symlink(&moved, dir.join("r/episodes/noop")).unwrap();
    refused(&dir, "merge r --out m2").says("noop is a link");
    let manifest = dir.join("r/manifest.json");
    fs::remove_file(&manifest).unwrap();
    symlink("/dev/zero", &manifest).unwrap();
    refused(&dir, "report r").says("manifest.json").says("is a link");
}

#[test]
fn no_link_in_a_suite_is_followed() {
    let dir = tempdir();
    let check = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"T\"";
    suite(&dir, "s", &[("page", "<title>T</title>", check)]);
    let site = dir.join("s/site/page");
    symlink("/etc/passwd", site.join("passwd.txt")).unwrap();
    refused(&dir, "tasks ./s").says("passwd.txt").says("it is a link");
    fs::remove_file(site.join("passwd.txt")).unwrap();
    waldo(&dir, "tasks ./s").ok();
}

#[test]
fn documentation_goes_through_no_link() {
    let dir = tempdir();
    let from = dir.join("mail");
    write(from.join("auto_docs/k.txt"), "{'tap': 'Opens it.'}");
    write(from.join("demos/demo_1/record.txt"), "tap(3):::k\nstop\n");
    waldo(&dir, "docs import mail --docs d").ok();
    let outside = dir.join("outside");
    write(outside.join("kept"), "kept");
    for link in ["auto_docs", "auto_docs/k.txt", "demos", "demos/demo_1", "demos/demo_1/record.txt"] {
        let to = dir.join("to");
        folder(to.join(link).parent().unwrap());
        symlink(if link.ends_with(".txt") { outside.join("kept") } else { outside.clone() }, to.join(link))
            .unwrap();
        refused(&dir, "docs export d/mail --to to").says(link).says("is a link");
        fs::remove_dir_all(&to).unwrap();
    }
    waldo(&dir, "docs export d/mail --to to").ok();
    assert!(dir.join("to/auto_docs/k.txt").is_file());
    // Nor into a store whose folder for demonstrations leads elsewhere.
    fs::remove_dir_all(dir.join("d/mail/upstream")).unwrap();
    symlink(&outside, dir.join("d/mail/upstream")).unwrap();
    refused(&dir, "docs import mail --docs d").says("is a link");
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn no_link_pipe_or_device_is_read_for_templates_or_prices() {
    let dir = tempdir();
    folder(dir.join("p/appagent"));
    write(dir.join("secret"), "{}");
    let common = "eval l3-web --agent appagent --model m --task kanban-drag --base-url http://127.0.0.1:9";
    for (flag, file) in [("--prompts p", "p/appagent/reask.md.j2"), ("--prices prices.json", "prices.json")] {
        let args = format!("{common} {flag}");
        let file = dir.join(file);
        for target in [dir.join("secret"), "/dev/zero".into()] {
            symlink(target, &file).unwrap();
            refused(&dir, &args).says("it is a link");
            fs::remove_file(&file).unwrap();
        }
        mkfifo(&file);
        refused(&dir, &args).says("it is a pipe");
        fs::remove_file(&file).unwrap();
        fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        refused(&dir, &args).says("it has more than");
        fs::remove_file(&file).unwrap();
    }
    // Nor for waldo's own configuration, which may be a link.
    let config = dir.join("waldo.toml");
    symlink("/dev/zero", &config).unwrap();
    let config = waldo(&dir, "config show").env("WALDO_CONFIG", config.to_str().unwrap());
    config.within(Duration::from_secs(60)).fails().warns("it is a device");
}

#[test]
fn a_part_is_merged_once_and_what_is_missing_is_told() {
    let dir = tempdir();
    waldo(&dir, &format!("{PLAY} --repeats 2 --partition slice:1/2 --out p1")).ok();
    refused(&dir, "merge p1 ./p1 --out m").says("is named twice");
    waldo(&dir, "merge p1 --out m").exits(1).warns("1 of 2 episodes is in none of the parts");
}
