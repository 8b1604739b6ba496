//! Desktops through the binary: private displays with real programs, and a display that is taken.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::support::{Answer, Server, processes, until, waldo};

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
fn inhabitants(temp: &Path) -> Vec<(u32, String)> {
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

/// What is left in `temp`.
fn left(temp: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(temp).unwrap().flatten().map(|entry| entry.path()).collect()
}

/// Asserts that no process and no file is left of the desktops of `temp`.
fn assert_clean(temp: &Path) {
    until("the desktops' processes to be gone", Duration::from_secs(10), || inhabitants(temp).is_empty());
    until("the desktops' files to be gone", Duration::from_secs(10), || left(temp).is_empty());
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// A suite of one task in the folder `desk`.
pub(super) fn desk(dir: &Path, task: &str) {
    let suite = dir.join("desk");
    std::fs::create_dir_all(suite.join("tasks")).unwrap();
    let head = "format = 1\nid = \"desk\"\ntitle = \"Desk\"\nlevel = \"L3\"\nplatform = \"desktop\"\n\
                max_steps = 40\norder = [\"one\"]\n";
    std::fs::write(suite.join("suite.toml"), head).unwrap();
    std::fs::write(suite.join("tasks/one.toml"), task).unwrap();
}

/// The result of the only episode of a run.
fn result(run: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(only(run, "result.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The only file of this name below the episodes of a run.
fn only(run: &Path, name: &str) -> PathBuf {
    let mut folders = vec![run.join("episodes")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() == name {
                return entry.path();
            }
        }
    }
    panic!("no {name} in {}", run.display())
}

/// A display that stands for somebody's. Ended when it is dropped.
pub(super) struct Display {
    child: Child,
    manager: Child,
    pub(super) name: String,
}

impl Display {
    pub(super) fn start() -> Self {
        let mut child = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let name = format!(":{}", line.trim());
        let mut manager = Command::new("openbox");
        manager.env("DISPLAY", &name).stdout(Stdio::null()).stderr(Stdio::null());
        Self { child, manager: manager.spawn().unwrap(), name }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        for child in [&mut self.manager, &mut self.child] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The events of a run's only episode.
pub(super) fn events(run: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(only(run, "events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn doctor_and_devices_tell_of_desktops() {
    need(&[]);
    let dir = tempfile::tempdir().unwrap();
    let found = waldo(dir.path(), &["doctor", "--json"]).run().json();
    let desktop = found.as_array().unwrap().iter().find(|finding| finding["what"] == "desktop").unwrap();
    assert_eq!(desktop["ok"], true, "{desktop}");
    assert!(desktop["found"].as_str().unwrap().contains("1280x800"), "{desktop}");
    // Where a part is missing it is said how to get it, and that is no fault of anything else.
    let bare = waldo(dir.path(), &["doctor", "--json"]).env("PATH", "/nowhere").run().json();
    let desktop = bare.as_array().unwrap().iter().find(|finding| finding["what"] == "desktop").unwrap();
    assert!(desktop["found"].as_str().unwrap().contains("apt install xvfb openbox dbus"), "{desktop}");
    let listed = waldo(dir.path(), &["devices", "--json"]).run().expect_code(0).json();
    assert!(listed.as_array().unwrap().iter().any(|device| device["device"] == "desktop"), "{listed}");
}

#[test]
fn elements_of_a_program_are_listed_and_painted() {
    need(&["galculator"]);
    let dir = tempfile::tempdir().unwrap();
    let mut args = vec!["elements", "--device", "desktop", "--screen", "800x600", "--open", "galculator"];
    args.extend(["--picture", "tagged.png", "--json"]);
    let got = waldo(dir.path(), &args).run().expect_code(0).json();
    assert_eq!(got["context"]["location"], "galculator", "{}", got["context"]);
    let named = |name: &str| {
        got["elements"].as_array().unwrap().iter().any(|e| e["role"] == "button" && e["name"] == name)
    };
    assert!(named("7") && named("="), "{}", got["elements"]);
    let picture = std::fs::read(dir.path().join("tagged.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 2_000);
}

#[test]
fn a_browser_tells_of_its_page_without_being_asked_to() {
    need(&["chromium"]);
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("page.html");
    std::fs::write(&page, "<!doctype html><title>T</title><button>Press me</button>").unwrap();
    let quiet = "--no-sandbox --test-type --no-first-run --no-default-browser-check --disable-gpu";
    let line = format!(
        "chromium {quiet} --password-store=basic --user-data-dir={{HOME}}/.browser file://{}",
        page.display()
    );
    let got = waldo(dir.path(), &["elements", "--device", "desktop", "--open", &line, "--json"]).run();
    let got = got.expect_code(0).json();
    let there = got["elements"].as_array().unwrap().iter().any(|e| e["name"] == "Press me");
    assert!(there, "{}", got["elements"]);
}

#[test]
fn tasks_are_played_on_private_displays() {
    need(&["mousepad", "zenity", "galculator", "obconf"]);
    let dir = tempfile::tempdir().unwrap();
    let mut args =
        vec!["eval", "l3-desktop", "--device", "desktop", "--workers", "2", "--json", "--out", "r"];
    let tasks =
        ["note-append", "dialog-yes", "dialog-no", "sum-answer", "infeasible-dialog", "settings-focus"];
    for task in tasks {
        args.extend(["--task", task]);
    }
    args.extend(["--agent", "reference", "--agent", "noop", "--agent", "appagent"]);
    args.extend(["--agent", "planner", "--model", "reference"]);
    let got = waldo(dir.path(), &args).within(Duration::from_secs(600)).run().expect_code(0).json();
    let sr = |name: &str| {
        let rows = got["table"].as_array().unwrap();
        let row = rows.iter().find(|row| row["contestant"]["name"] == name).unwrap();
        assert_eq!(row["invalid"], 0, "{row}");
        row["sr"].as_f64().unwrap()
    };
    assert_eq!((sr("reference"), sr("noop")), (1.0, 0.0), "{got}");
    assert_eq!((sr("appagent+reference"), sr("planner+reference")), (1.0, 1.0), "{got}");
    let replay = ["replay", "r", "reference/note-append/r0", "--device", "desktop", "--json"];
    let replayed = waldo(dir.path(), &replay).run().expect_code(0).json();
    assert_eq!(replayed["success"], 1.0, "{replayed}");
}

#[test]
fn instances_in_the_same_words_are_solved_by_the_stand_in_each() {
    need(&["mousepad"]);
    let dir = tempfile::tempdir().unwrap();
    // The code that is asked for is in the file only, and drawn anew for each repeat.
    let mut args = vec!["eval", "l3-desktop", "--device", "desktop", "--task", "note-code-answer"];
    args.extend(["--agent", "appagent", "--agent", "planner", "--model", "reference"]);
    args.extend(["--repeats", "4", "--workers", "2", "--json", "--out", "r", "--no-report"]);
    let got = waldo(dir.path(), &args).run().expect_code(0).json();
    for row in got["table"].as_array().unwrap() {
        assert_eq!((row["sr"].as_f64(), row["invalid"].as_u64()), (Some(1.0), Some(0)), "{row}");
    }
}

#[test]
fn each_episode_is_filmed_into_a_file_of_its_own_and_nothing_else_is_left() {
    need(&["galculator", "zenity", "ffmpeg"]);
    let dir = tempfile::tempdir().unwrap();
    let temp = tempfile::tempdir().unwrap();
    let mut args = vec!["eval", "l3-desktop", "--device", "desktop", "--record", "film.mp4"];
    args.extend(["--task", "dialog-yes", "--task", "sum-answer", "--agent", "reference"]);
    args.extend(["--workers", "2", "--out", "r", "--json"]);
    let tmp = temp.path().display().to_string();
    waldo(dir.path(), &args).env("TMPDIR", &tmp).run().expect_code(0);
    for name in ["film.mp4", "film-2.mp4"] {
        let film = std::fs::read(dir.path().join(name)).unwrap();
        // The index that a player needs is only written when the video ends in good order.
        assert!(film.windows(4).any(|part| part == b"moov"), "{name}: {} bytes", film.len());
    }
    assert_clean(temp.path());
}

/// A task that takes a while: it is waited for, and then the editor's file is saved.
const SLOW: &str = r#"id = "one"
title = "Wait"
category = "editor"
goal = "Write done."
start = "mousepad {HOME}/n.txt"
[[file]]
path = "n.txt"
text = ""
[[check]]
kind = "file"
path = "n.txt"
contains = "done"
[[reference]]
do = "wait"
[[reference]]
do = "wait"
[[reference]]
do = "wait"
[[reference]]
do = "wait"
[[reference]]
do = "type"
text = "done"
[[reference]]
do = "key"
key = "ctrl+s"
"#;

const ONE: [&str; 11] = [
    "eval",
    "./desk",
    "--device",
    "desktop",
    "--agent",
    "reference",
    "--workers",
    "1",
    "--out",
    "r",
    "--json",
];

/// An episode under way in a run of its own.
struct UnderWay {
    dir: tempfile::TempDir,
    temp: tempfile::TempDir,
    child: std::process::Child,
    /// The processes of its desktop.
    all: Vec<(u32, String)>,
}

impl UnderWay {
    /// Starts it and waits until it has made its first step.
    fn start() -> Self {
        Self::of(SLOW)
    }

    fn of(task: &str) -> Self {
        need(&["mousepad"]);
        let (dir, temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        desk(dir.path(), task);
        let child = waldo(dir.path(), &ONE).env("TMPDIR", &temp.path().display().to_string()).start();
        until("the episode to be under way", Duration::from_secs(60), || {
            let log = dir.path().join("r/episodes/reference/one/r0/events.jsonl");
            std::fs::read_to_string(log).is_ok_and(|text| text.contains("\"decided\""))
        });
        let all = inhabitants(temp.path());
        Self { dir, temp, child, all }
    }

    /// Kills one of its programs and waits for the end of the run, which has to leave nothing; gives the
    /// outcome, the attempts and the success.
    fn without(self, program: &str) -> (String, u64, f64) {
        kill(self.pid(program));
        self.ended()
    }

    fn pid(&self, program: &str) -> u32 {
        self.all.iter().find(|(_, name)| name == program).unwrap_or_else(|| panic!("{:?}", self.all)).0
    }

    /// Waits for the end, as [`Self::without`] does.
    fn ended(mut self) -> (String, u64, f64) {
        until("the run to end", Duration::from_secs(120), || self.child.try_wait().unwrap().is_some());
        assert_clean(self.temp.path());
        let result = result(&self.dir.path().join("r"));
        let outcome = result["outcome"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
        (outcome, result["attempts"].as_u64().unwrap(), result["success"].as_f64().unwrap())
    }
}

#[test]
fn a_display_that_is_killed_makes_the_attempt_invalid_and_it_is_tried_again() {
    assert_eq!(UnderWay::start().without("Xvfb"), ("finished".to_owned(), 2, 1.0));
}

#[test]
fn a_program_that_is_killed_is_the_agents_to_cope_with() {
    // What is typed has no window to go to; the task is missed, and the harness is at no fault.
    assert_eq!(UnderWay::start().without("mousepad"), ("finished".to_owned(), 1, 0.0));
}

#[test]
fn a_program_that_hangs_while_it_is_typed_into_is_the_agents_to_cope_with() {
    let task = SLOW.replace("text = \"done\"", "text = \"one\\ntwo\\nthree\\ndone\"");
    let run = UnderWay::of(&task);
    let pid = run.pid("mousepad").to_string();
    assert!(Command::new("kill").args(["-STOP", &pid]).status().unwrap().success());
    let log = run.dir.path().join("r/episodes/reference/one/r0/events.jsonl");
    until("the failed step to be told", Duration::from_secs(120), || {
        std::fs::read_to_string(&log).is_ok_and(|told| told.contains("the program hangs"))
    });
    // One attempt: nothing was wrong with the harness.
    assert_eq!(run.ended(), ("finished".to_owned(), 1, 0.0));
}

#[test]
fn nothing_is_left_of_a_desktop_whose_owner_was_killed() {
    let mut run = UnderWay::start();
    assert!(run.all.len() >= 4, "{:?}", run.all);
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    assert_clean(run.temp.path());
}

#[test]
fn a_program_that_is_not_allowed_is_not_touched() {
    need(&["mousepad"]);
    let dir = tempfile::tempdir().unwrap();
    let mut args = vec!["run", "--device", "desktop", "--open", "mousepad", "--allow-app", "galculator"];
    args.extend(["--agent", "baseline", "--max-steps", "2", "--out", "r", "--json", "File File"]);
    waldo(dir.path(), &args).run().expect_code(0);
    let events = events(&dir.path().join("r"));
    let refused: Vec<String> =
        events.iter().filter_map(|e| Some(e["note"]["reason"].as_str()?.to_owned())).collect();
    assert!(refused.iter().any(|reason| reason.contains("mousepad")), "{refused:?} {events:?}");
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let dir = tempfile::tempdir().unwrap();
    for (args, told) in [
        (&["eval", "l3-desktop", "--agent", "noop"][..], "--device desktop"),
        (&["eval", "l3-desktop", "--agent", "noop", "--device", "desktop::77"], "give --device desktop"),
        (&["eval", "l3-web", "--agent", "noop", "--device", "desktop"], "leave out --device"),
        (&["run", "--device", "desktop", "--agent", "noop", "x"], "--allow-app"),
        (
            &["run", "--url", "http://a.test", "--screen", "800x600", "--agent", "noop", "x"],
            "--screen goes with",
        ),
        (
            &["run", "--device", "desktop", "--countdown", "1", "--open", "xterm", "--agent", "noop", "x"],
            "--countdown goes with",
        ),
    ] {
        let ended = waldo(dir.path(), args).run().expect_code(4);
        assert!(ended.stderr.contains(told), "{args:?}: {}", ended.stderr);
    }
    let ended = waldo(dir.path(), &["run", "--device", "desktop:0", "--agent", "noop", "x"]).run();
    assert!(ended.code == 2 && ended.stderr.contains("desktop::0"), "{}", ended.stderr);
    let args = ["run", "--device", "desktop::7999", "--open", "xterm", "--agent", "noop", "x"];
    let ended = waldo(dir.path(), &args).run();
    assert!(ended.code != 0 && ended.stderr.contains(":7999"), "{}", ended.stderr);
}

#[test]
fn a_display_is_taken_after_a_countdown_and_given_back() {
    need(&["galculator"]);
    let dir = tempfile::tempdir().unwrap();
    let display = Display::start();
    let device = format!("desktop:{}", display.name);
    let mut args = vec!["run", "--device", &device, "--countdown", "1", "--open", "galculator"];
    args.extend(["--agent", "noop", "--max-steps", "2", "--out", "r", "--json", "look"]);
    let ended = waldo(dir.path(), &args).env("HOME", &dir.path().display().to_string()).run().expect_code(0);
    assert!(ended.stderr.contains("1 ...") && ended.stderr.contains("ctrl+alt+space"), "{}", ended.stderr);
}

#[test]
fn the_panic_key_ends_a_run_on_a_taken_display() {
    need(&["galculator", "xdotool"]);
    let dir = tempfile::tempdir().unwrap();
    let display = Display::start();
    let device = format!("desktop:{}", display.name);
    let mut args = vec!["run", "--device", &device, "--countdown", "60", "--open", "galculator"];
    args.extend(["--agent", "noop", "--out", "r", "look"]);
    let mut child = waldo(dir.path(), &args).start_heard();
    let mut heard = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = heard.find(|line| line.as_ref().is_ok_and(|line| line.contains("..."))).unwrap();
    said.unwrap();
    let pressed =
        Command::new("xdotool").env("DISPLAY", &display.name).args(["key", "ctrl+alt+space"]).status();
    assert!(pressed.unwrap().success());
    until("the run to end", Duration::from_secs(10), || child.try_wait().unwrap().is_some());
    let rest: Vec<String> = heard.map_while(Result::ok).collect();
    assert!(rest.iter().any(|line| line.contains("its owner's again")), "{rest:?}");
}

/// A terminal of its owner's on a taken display, which writes what is typed to a file.
struct Terminal(Child);

impl Terminal {
    fn start(display: &Display, out: &Path) -> Self {
        let mut xterm = Command::new("xterm");
        xterm.args(["-u8", "-T", "terminal", "-e", "sh", "-c", &format!("cat > '{}'", out.display())]);
        xterm.env("DISPLAY", &display.name).env("LANG", "C.UTF-8").stdin(Stdio::null());
        let child = xterm.spawn().unwrap();
        until("the terminal to have the keyboard", Duration::from_secs(20), || {
            // One that was there before the window manager is not given it.
            xdotool(display, &["search", "--name", "^terminal$", "windowactivate"]);
            out.exists() && xdotool(display, &["getactivewindow", "getwindowname"]).trim() == "terminal"
        });
        Self(child)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn xdotool(display: &Display, args: &[&str]) -> String {
    let out = Command::new("xdotool").env("DISPLAY", &display.name).args(args).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

/// What the keys of a display make.
fn keymap(display: &Display) -> String {
    let out = Command::new("xkbcomp").args(["-xkb", &display.name, "-"]).output().unwrap();
    assert!(out.status.success(), "{out:?}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn the_panic_key_stops_typing_in_the_middle_and_leaves_the_keyboard_as_it_was() {
    need(&["xterm", "xdotool", "xkbcomp"]);
    let dir = tempfile::tempdir().unwrap();
    let (display, out) = (Display::start(), dir.path().join("out.txt"));
    let _terminal = Terminal::start(&display, &out);
    let before = keymap(&display);
    // Characters that are on no key of this keyboard: keys are lent to them.
    let text: String = (0..4000).map(|n| format!("{n} Привет 世界 ñ\n")).collect();
    let typed = text.clone();
    let server = Server::start(move |_, _| {
        let parameters = serde_json::json!({ "text": typed });
        let action =
            serde_json::json!({"type": "type_text", "description": "Type it.", "parameters": parameters});
        let plan = serde_json::json!({"previous_action_result": "Fine.", "thought": "On.",
            "action_description": "Go on.", "update_memory": [], "action": action});
        Answer::chat(&plan.to_string())
    });
    let (device, base) = (format!("desktop:{}", display.name), server.url("/v1"));
    let mut args = vec!["run", "--device", &device, "--countdown", "1", "--allow-app", "xterm"];
    args.extend(["--agent", "planner", "--model", "m", "--base-url", &base, "--out", "r", "type"]);
    let mut child = waldo(dir.path(), &args).start();
    let lines = || std::fs::read_to_string(&out).unwrap_or_default().lines().count();
    until("some lines to be typed", Duration::from_secs(60), || lines() > 5);
    xdotool(&display, &["key", "ctrl+alt+space"]);
    until("the run to end", Duration::from_secs(15), || child.try_wait().unwrap().is_some());
    // It was in the middle, its lent keys are back, and what is typed now comes right after.
    assert_eq!(keymap(&display), before);
    xdotool(&display, &["type", "--delay", "30", "END\n"]);
    let mut got = String::new();
    until("what was typed last", Duration::from_secs(20), || {
        got = std::fs::read_to_string(&out).unwrap_or_default();
        got.ends_with("END\n")
    });
    // What was on its way while the chord was held came with its modifiers.
    let typed = got.trim_end_matches("END\n");
    let whole = text.lines().zip(typed.lines()).take_while(|(text, typed)| text == typed).count();
    assert!(whole > 5 && typed.lines().count() <= whole + 1, "{got}");
    assert!(whole < 1000, "it was typed to its end");
}

#[test]
fn a_video_of_a_taken_display_ends_when_its_owner_is_killed() {
    need(&["galculator", "ffmpeg"]);
    let dir = tempfile::tempdir().unwrap();
    let display = Display::start();
    let device = format!("desktop:{}", display.name);
    let mut args = vec!["run", "--device", &device, "--countdown", "1", "--open", "galculator"];
    let film = dir.path().join("film.mp4");
    args.extend(["--record", "film.mp4", "--agent", "noop", "--max-steps", "200", "--out", "r", "look"]);
    let mut child = waldo(dir.path(), &args).start();
    let mark = film.display().to_string();
    // A picture of it is there: it films.
    until("the film", Duration::from_secs(60), || {
        std::fs::metadata(&film).is_ok_and(|film| film.len() > 0) && !processes(&mark).is_empty()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    until("the video to end", Duration::from_secs(20), || processes(&mark).is_empty());
    let film = std::fs::read(&film).unwrap();
    assert!(film.windows(4).any(|part| part == b"moov"), "{} bytes", film.len());
}
