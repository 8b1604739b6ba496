//! Desktops through the binary: private displays with real programs.

use super::support::*;

/// What a private display is made of.
const PARTS: [&str; 3] = ["Xvfb", "openbox", "dbus-daemon"];

/// Fails when a program that the test drives is not here: a test that tests nothing would look like success.
pub(super) fn need(programs: &[&str]) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    let gone: Vec<&&str> = PARTS.iter().chain(programs).filter(|name| !there(name)).collect();
    assert!(gone.is_empty(), "missing here: {gone:?}; scripts/setup tests installs what tests need");
}

/// Processes of private desktops whose folder is in `temp`.
pub(super) fn inhabitants(temp: &Path) -> Vec<(u32, String)> {
    let mark = format!("WALDO_DESKTOP={}/", temp.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ.windows(mark.len()).any(|part| part == mark.as_bytes()) {
            let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            found.push((pid, name.trim().to_owned()));
        }
    }
    found
}

fn left(temp: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(temp).unwrap().flatten().map(|entry| entry.path()).collect()
}

/// Asserts that no process and no file is left of the desktops of `temp`.
pub(super) fn assert_clean(temp: &Path) {
    until("the desktops' processes to be gone", 10, || inhabitants(temp).is_empty());
    until("the desktops' files to be gone", 10, || left(temp).is_empty());
}

pub(super) fn desk(dir: &Path, task: &str) {
    write(dir.join("desk/suite.toml"), suite_head("desk", "desktop", 40, "\"one\""));
    write(dir.join("desk/tasks/one.toml"), task);
}

/// The only file of this name below the episodes of a run.
pub(super) fn only(run: &Path, name: &str) -> PathBuf {
    files(&run.join("episodes"), name).remove(0)
}

#[test]
fn doctor_and_devices_tell_of_desktops() {
    need(&[]);
    let dir = tempdir();
    let desktop = |found: Value| {
        found.as_array().unwrap().iter().find(|finding| finding["what"] == "desktop").unwrap().clone()
    };
    let whole = desktop(waldo(&dir, "doctor --json").run().json());
    assert_eq!(whole["ok"], true, "{whole}");
    whole["found"].as_str().unwrap().says("1280x800");
    // Where a part is missing it is said how to get it, and that is not a fault of anything else.
    let bare = desktop(waldo(&dir, "doctor --json").env("PATH", "/nowhere").run().json());
    assert_eq!(bare["ok"], false, "{bare}");
    bare["costs"].as_str().unwrap().says("desktop");
    bare["hint"].as_str().unwrap().says("apt install xvfb openbox dbus");
    let listed = waldo(&dir, "devices --json").json();
    assert!(listed.as_array().unwrap().iter().any(|device| device["device"] == "desktop"), "{listed}");
}

#[test]
fn doctor_and_runs_that_fail_leave_no_empty_folder_and_no_mount() {
    need(&[]);
    let dir = tempdir();
    let temp = dir.join("tmp");
    std::fs::create_dir(&temp).unwrap();
    let marker = temp.to_str().unwrap();
    let url = "http://127.0.0.1:9/v1";
    let device = "--device desktop";
    let fails = [
        ("doctor --json".to_owned(), 0),
        (format!("elements --open no-such-program {device}"), 5),
        (format!("eval l3-desktop --agent noop --task no-such-task --out r {device}"), 4),
        (format!("run --agent appagent --model m --base-url {url} look --allow-app * --out r {device}"), 6),
        (format!("run --agent noop --open no-such-program look --allow-app * --out r {device}"), 5),
    ];
    for (args, code) in fails {
        let ended = waldo(&dir, &args).env("TMPDIR", marker).run();
        assert!(ended.code == code || args.starts_with("doctor"), "{args}: {ended:?}");
        assert_eq!(empty_folders(&dir), std::slice::from_ref(&temp), "{args}");
        let table = text_in("/proc/self/mountinfo");
        let mounts: Vec<&str> = table.lines().filter(|line| line.contains(marker)).collect();
        assert_eq!(mounts, [""; 0], "{args}");
    }
}

/// Folders below `root` with nothing in them.
fn empty_folders(root: &Path) -> Vec<std::path::PathBuf> {
    let (mut folders, mut empty) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let all: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        if all.is_empty() {
            empty.push(folder);
        }
        folders.extend(all.into_iter().filter(|path| path.is_dir()));
    }
    empty
}

#[test]
fn elements_of_a_program_are_listed_and_painted() {
    need(&["galculator"]);
    let dir = tempdir();
    let args = "elements --device desktop --screen 800x600 --open galculator --picture tagged.png --json";
    let got = waldo(&dir, args).json();
    assert_eq!(got["context"]["location"], "galculator", "{}", got["context"]);
    let named = |name: &str| {
        got["elements"].as_array().unwrap().iter().any(|e| e["role"] == "button" && e["name"] == name)
    };
    assert!(named("7") && named("="), "{}", got["elements"]);
    let picture = std::fs::read(dir.join("tagged.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 2_000);
}

#[test]
fn a_browser_tells_of_its_page_without_being_asked_to() {
    need(&["chromium"]);
    let dir = tempdir();
    let page = dir.join("page.html");
    write(&page, "<!doctype html><title>T</title><button>Press me</button>");
    let quiet = "--no-sandbox --test-type --no-first-run --no-default-browser-check --disable-gpu";
    let line = format!(
        "chromium {quiet} --password-store=basic --user-data-dir={{HOME}}/.browser file://{}",
        page.display()
    );
    // The page lies outside of the display's sandbox.
    let args = format!("elements --device desktop --open '{line}' --sandbox off --json");
    // On a busy machine the browser's window may come to rest before its page has begun to show.
    until("the page's button", 240, || {
        let got = waldo(&dir, &args).json();
        got["elements"].as_array().unwrap().iter().any(|e| e["name"] == "Press me")
    });
}

#[test]
fn tasks_are_played_on_private_displays() {
    need(&["mousepad", "zenity", "galculator", "obconf"]);
    let dir = tempdir();
    let tasks = "--task note-append --task dialog-yes --task dialog-no --task sum-answer --task infeasible-dialog \
        --task settings-focus";
    let agents = "--agent reference --agent noop --agent appagent --agent planner --model reference";
    let args = format!("eval l3-desktop --device desktop --workers 2 --json --out r {tasks} {agents}");
    let got = waldo(&dir, &args).within(Duration::from_secs(600)).json();
    let sr = |name: &str| {
        has(row(&got, name), json!({ "invalid": 0 }));
        row(&got, name)["sr"].as_f64().unwrap()
    };
    assert_eq!((sr("reference"), sr("noop")), (1.0, 0.0), "{got}");
    assert_eq!((sr("appagent+reference"), sr("planner+reference")), (1.0, 1.0), "{got}");
    let replayed = waldo(&dir, "replay r reference/note-append/r0 --json").json();
    assert_eq!(replayed["success"], 1.0, "{replayed}");
}

#[test]
fn instances_in_the_same_words_are_solved_by_the_stand_in_each() {
    need(&["mousepad"]);
    let dir = tempdir();
    // The code that is asked for is in the file only, and drawn anew for each repeat.
    let args = "eval l3-desktop --device desktop --task note-code-answer --agent appagent --agent \
        planner --model reference --repeats 4 --workers 2 --json --out r --no-report";
    all_solved(&waldo(&dir, args).json());
}

#[test]
fn each_episode_is_filmed_into_a_file_of_its_own_and_nothing_else_is_left() {
    need(&["galculator", "zenity", "ffmpeg"]);
    let dir = tempdir();
    let temp = tempdir();
    let args = "eval l3-desktop --device desktop --record film.mp4 --task dialog-yes --task sum-answer \
        --agent reference --workers 2 --out r --json";
    let tmp = temp.display().to_string();
    waldo(&dir, args).env("TMPDIR", &tmp).ok();
    for name in ["film.mp4", "film-2.mp4"] {
        let film = std::fs::read(dir.join(name)).unwrap();
        // The index that a player needs is only written when the video ends in good order.
        assert!(film.windows(4).any(|part| part == b"moov"), "{name}: {} bytes", film.len());
    }
    assert_clean(&temp);
}

#[test]
fn a_program_that_is_not_allowed_is_not_touched() {
    need(&["mousepad"]);
    let dir = tempdir();
    let args = "run --device desktop --open mousepad --allow-app galculator --agent baseline \
        --max-steps 2 --out r --json 'File File'";
    waldo(&dir, args).ok();
    let events = events(&dir.join("r"));
    let refused: Vec<&str> = events.iter().filter_map(|event| event["note"]["reason"].as_str()).collect();
    assert!(refused.iter().any(|reason| reason.contains("mousepad")), "{refused:?} {events:?}");
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let dir = tempdir();
    for (args, told) in [
        ("eval l3-desktop --agent noop --device web", "--device desktop"),
        ("eval l3-desktop --agent noop --device desktop::77", "give --device desktop"),
        ("eval l3-web --agent noop --device desktop", "give --device web"),
        ("run --device desktop --agent noop x", "--allow-app"),
        ("run --url http://a.test --screen 800x600 --agent noop x", "--screen goes with"),
        ("run --device desktop --countdown 1 --open xterm --agent noop x", "--countdown goes with"),
    ] {
        waldo(&dir, args).exits(4).warns(told);
    }
    waldo(&dir, "run --device desktop:0 --agent noop x").exits(2).warns("desktop::0");
    let ended = waldo(&dir, "run --device desktop::7999 --open xterm --agent noop x").run();
    assert!(ended.code != 0 && ended.stderr.contains(":7999"), "{}", ended.stderr);
}

#[test]
fn a_task_whose_program_is_missing_is_left_out_and_named() {
    need(&["galculator"]);
    let dir = tempdir();
    // The path of this machine, but for one program.
    let bin = dir.join("bin");
    std::fs::create_dir(&bin).unwrap();
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap()) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name() != "soffice" {
                let _ = std::os::unix::fs::symlink(entry.path(), bin.join(entry.file_name()));
            }
        }
    }
    let bin = bin.display().to_string();
    let tasks = "--task sum-answer --task calc-sum";
    let args = format!("eval l3-desktop --device desktop {tasks} --agent reference --no-report --out r");
    let plan = waldo(&dir, &format!("{args} --dry-run")).env("PATH", &bin);
    plan.ok().prints("l3-desktop/calc-sum: needs soffice");
    let got = waldo(&dir, &format!("{args} --json")).env("PATH", &bin).exits(7).json();
    has(&got, json!({ "table/0/n": 1, "table/0/sr": 1.0, "left_out/0/task": "calc-sum" }));
    waldo(&dir, "doctor").env("PATH", &bin).run().stdout.says("missing desktop suites").says("soffice (");
}
