//! What is left behind where a command is stopped at once, and what is said where its memory is limited.

use std::io::{BufRead as _, BufReader};

use rustix::process::{Pid, Signal, kill_process};

use super::support::*;

const SOON: u64 = 120;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_second_signal_leaves_no_folder() {
    for suite in ["l3-web", "l3-desktop"] {
        let (dir, temp) = (tempdir(), tempdir());
        let args = format!("eval {suite} --agent noop --no-report --out r");
        let mut run = waldo(&dir, &args).env("TMPDIR", temp.to_str().unwrap()).start_heard();
        // Its first episode is being played, on a browser or a display with a folder of its own.
        until("it starts", SOON, || {
            assert!(run.try_wait().unwrap().is_none(), "{suite}: it ended before it was stopped");
            let has_folder = names(&temp).iter().any(|name| name.starts_with("waldo-"));
            has_folder && dir.join("r/episodes").exists()
        });
        let pid = Pid::from_raw(i32::try_from(run.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let mut said = BufReader::new(run.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("once more to stop at once")), "{suite}");
        // It finds the first one being obeyed, or the process gone.
        let _ = kill_process(pid, Signal::TERM);
        run.wait().unwrap();
        until("all folders go", SOON, || names(&temp).iter().all(|name| !name.starts_with("waldo-")));
    }
}

#[test]
fn a_limit_of_memory_that_is_too_low_is_told_of_and_nothing_is_begun() {
    let dir = tempdir();
    let eval = |limit: &str| {
        let line = format!(
            "ulimit -{limit}; exec {} eval l3-android --task alarm-off --agent noop --max-steps 1 --no-report --out r",
            env!("CARGO_BIN_EXE_waldo")
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &line]).current_dir(&dir).stdin(Stdio::null());
        Ended::of(&bash.output().unwrap())
    };
    for (limit, letter) in [("v 400000", 'v'), ("v 1000000", 'v'), ("d 400000", 'd')] {
        let told = format!("'ulimit -{letter} unlimited'");
        eval(limit).expect_code(5).warns(told).never_warns("backtrace");
        assert!(!dir.join("r").exists());
    }
    eval("v unlimited").expect_code(0);
}
