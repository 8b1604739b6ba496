//! Desktops of which a part is killed or hangs: whose fault it is, and that nothing is left of them.

use super::desktop::{assert_clean, desk, inhabitants, need, only};
use super::support::*;

fn result(run: &Path) -> Value {
    json_in(only(run, "result.json"))
}

/// A task that takes a while: it is waited for, and then the editor's file is saved.
const SLOW: &str = include_str!("desktop_faults.toml");

const ONE: &str = "eval ./desk --device desktop --agent reference --workers 1 --out r --json";

struct UnderWay {
    dir: Dir,
    temp: Dir,
    child: Child,
    all: Vec<(u32, String)>,
}

impl UnderWay {
    /// Starts it and waits until it has made its first step.
    fn start() -> Self {
        Self::of(SLOW)
    }

    fn of(task: &str) -> Self {
        need(&["mousepad"]);
        let (dir, temp) = (tempdir(), tempdir());
        desk(&dir, task);
        let child = waldo(&dir, &words(ONE)).env("TMPDIR", &temp.display().to_string()).start();
        until("the episode to be under way", 60, || {
            let log = dir.join("r/episodes/reference/one/r0/events.jsonl");
            std::fs::read_to_string(log).is_ok_and(|text| text.contains("\"decided\""))
        });
        let all = inhabitants(&temp);
        Self { dir, temp, child, all }
    }

    /// Kills one of its programs and waits for the end of the run, which has to leave nothing; gives the
    /// outcome, the attempts and the success.
    fn without(self, program: &str) -> (String, u64, f64) {
        signal(self.pid(program), "-9");
        self.ended()
    }

    fn pid(&self, program: &str) -> u32 {
        self.all.iter().find(|(_, name)| name == program).unwrap_or_else(|| panic!("{:?}", self.all)).0
    }

    /// Waits for the end, as [`Self::without`] does.
    fn ended(mut self) -> (String, u64, f64) {
        until("the run to end", 120, || self.child.try_wait().unwrap().is_some());
        assert_clean(&self.temp);
        let result = result(&self.dir.join("r"));
        let outcome = result["outcome"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
        (outcome, result["attempts"].as_u64().unwrap(), result["success"].as_f64().unwrap())
    }
}

/// The display, its window manager, its session bus and accessibility.
#[test]
fn a_part_of_the_desktop_that_is_killed_makes_the_attempt_invalid_and_it_is_tried_again() {
    for part in ["Xvfb", "openbox", "dbus-daemon", "at-spi2-registr"] {
        assert_eq!(UnderWay::start().without(part), ("finished".to_owned(), 2, 1.0), "{part}");
    }
}

#[test]
fn a_server_that_fails_to_start_is_one_invalid_attempt() {
    need(&["mousepad"]);
    let (dir, temp) = (tempdir(), tempdir());
    desk(&dir, SLOW);
    // The first time it ends at once.
    let bin = dir.join("bin");
    folder(&bin);
    let script = format!(
        "#!/bin/sh\nPATH=${{PATH#*:}}\nmkdir '{}/failed' 2>/dev/null && exit 1\nexec Xvfb \"$@\"\n",
        bin.display()
    );
    write(bin.join("Xvfb"), script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("Xvfb"), mode).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let run = waldo(&dir, &words(ONE)).env("TMPDIR", &temp.display().to_string()).env("PATH", &path);
    run.ok();
    assert_clean(&temp);
    has(&result(&dir.join("r")), json!({ "attempts": 2, "success": 1.0 }));
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
    signal(run.pid("mousepad"), "-STOP");
    let log = run.dir.join("r/episodes/reference/one/r0/events.jsonl");
    until("the failed step to be told", 120, || {
        std::fs::read_to_string(&log).is_ok_and(|told| told.contains("the program hangs"))
    });
    // One attempt: nothing was wrong with the harness.
    assert_eq!(run.ended(), ("finished".to_owned(), 1, 0.0));
}

#[test]
fn nothing_is_left_of_a_desktop_whose_owner_was_killed() {
    let mut run = UnderWay::start();
    assert!(run.all.len() >= 4, "{:?}", run.all);
    kill(&mut run.child);
    assert_clean(&run.temp);
}
