//! What a run folder holds is one run's, and one process writes into it.

use std::collections::HashMap;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::support::*;

const SETTINGS: &str = "--device simphone --open com.android.settings";

fn run(dir: &Path, start: &str, goal: &str, more: &str) -> Ended {
    waldo(dir, &format!("run {start} --agent noop --max-steps 2 '{goal}' {more}")).run()
}

#[test]
fn another_goal_start_or_device_is_another_run() {
    let dir = tempdir();
    let out = "--out o";
    run(&dir, SETTINGS, "goal A", out).expect_code(0);
    let record = dir.join("o/episodes/noop/by-hand/r0/events.jsonl");
    let before = text_in(&record);
    let site = Server::start(|_, _| Answer::page("<title>Page</title>"));
    let url = format!("--url {}", site.url("/"));
    for (start, goal, told) in [
        (SETTINGS, "goal B", "parameters.goal was \"goal A\", now \"goal B\""),
        ("--device simphone --open com.android.deskclock", "goal A", "now \"com.android.deskclock\""),
        (&url, "goal A", "parameters.device was \"simphone\", now \"web\""),
    ] {
        let ended = run(&dir, start, goal, out).expect_code(4);
        ended.warns("holds another run").warns(told).warns("--out");
    }
    // A goal by hand is carried out again where it began.
    waldo(&dir, "replay o noop/by-hand/r0").ok().prints("nothing was checked");
    // The very same one has ended.
    run(&dir, SETTINGS, "goal A", out).expect_code(4).warns("which has ended");
    assert_eq!(text_in(&record), before);
    // One that was cut off is played anew.
    std::fs::remove_file(record.with_file_name("result.json")).unwrap();
    run(&dir, SETTINGS, "goal A", out).expect_code(0);
    assert_eq!(events_of(&dir.join("o"), "ended").len(), 1);
    assert_ne!(text_in(&record), before);
}

#[test]
fn a_folder_refuses_before_anything_is_started() {
    let dir = tempdir();
    let site = Server::start(|_, _| Answer::page("<title>Page</title>"));
    let page = format!("--url {}", site.url("/"));
    let eval = "eval l3-web --agent noop --task register-form --out e";
    run(&dir, &page, "goal A", "--out o").expect_code(0);
    waldo(&dir, eval).ok();
    // From here on a browser that tells of its start, and a phone that would be heard of.
    let (browser, started) = (dir.join("browser"), dir.join("started"));
    write(&browser, format!("#!/bin/sh\n: > '{}'\nexit 1\n", started.display()));
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = format!("--browser {}", browser.display());
    let phone = TcpListener::bind("127.0.0.1:0").unwrap();
    phone.set_nonblocking(true).unwrap();
    let device = format!("--device tcp:{} --open com.android.settings", phone.local_addr().unwrap());
    let other = format!("--out o {told}");
    run(&dir, &page, "goal A", &other).expect_code(4).warns("which has ended");
    run(&dir, &page, "goal B", &other).expect_code(4).warns("holds another run");
    run(&dir, &device, "goal A", "--out o").expect_code(4).warns("holds another run");
    waldo(&dir, &format!("{eval} {told} --seed 2")).exits(4).warns("seed was 0, now 2");
    // All of it is there: the table needs no browser.
    waldo(&dir, &format!("{eval} {told}")).ok().prints("noop").prints("report: ");
    assert!(!started.exists(), "a browser was started");
    assert_eq!(phone.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);

    // Where something has to be started, it is; what cannot be leaves nothing behind.
    run(&dir, &page, "goal A", &format!("--out p {told}")).expect_code(5);
    assert!(started.exists() && !dir.join("p").exists());
}

#[test]
fn runs_of_the_same_moment_get_a_folder_each() {
    let dir = tempdir();
    let goals = ["goal 0", "goal 1", "goal 2"];
    std::thread::scope(|scope| {
        for goal in goals {
            scope.spawn(|| run(&dir, SETTINGS, goal, "").expect_code(0));
        }
    });
    let folders = std::fs::read_dir(dir.join("runs")).unwrap();
    let goal = |folder: std::io::Result<std::fs::DirEntry>| {
        let manifest = json_in(folder.unwrap().path().join("manifest.json"));
        manifest["parameters"]["goal"].as_str().unwrap().to_owned()
    };
    let mut kept: Vec<String> = folders.map(goal).collect();
    kept.sort();
    assert_eq!(kept, goals);
}

#[test]
fn one_process_plays_into_a_folder_and_others_read_it() {
    let dir = tempdir();
    let silent = Arc::new(AtomicBool::new(true));
    let says_nothing = silent.clone();
    let model = Server::start(move |_, _| match says_nothing.load(Ordering::SeqCst) {
        true => Answer::Silence,
        false => Answer::acts("FINISH"),
    });
    let model_at = format!("--agent appagent --model m --base-url {}", model.url("/v1"));
    let args = format!("eval l3-android --device simphone --task dark-theme --out x {model_at}");
    let mut first = waldo(&dir, &args).start();
    until("a question to the model", 120, || !model.requests().is_empty());
    waldo(&dir, &args)
        .exits(4)
        .warns(format!("process {}", first.id()))
        .warns("wait for that to end, or give another --out");
    waldo(&dir, "merge x --out x").exits(4).warns("is writing into it");
    // Whoever only reads it need not wait.
    waldo(&dir, "report x --out y").ok();
    waldo(&dir, "merge x --out z").exits(1).warns("1 of 1 episode is in none of the parts");
    // A process loses the lock with its life.
    kill(&mut first);
    silent.store(false, Ordering::SeqCst);
    let got = waldo(&dir, &format!("{args} --json")).json();
    has(&got["table"][0], json!({ "n": 1, "missing": 0 }));
}

#[test]
fn what_nothing_checked_has_no_score() {
    let dir = tempdir();
    run(&dir, SETTINGS, "goal A", "--out o").expect_code(0).prints("nothing was checked");
    let again = waldo(&dir, "report o").said().says("nothing was checked").says("noop/by-hand/r0: ");
    let page = text_in(dir.join("o/report.html"));
    let shown = page.split("<script").next().unwrap();
    assert!(shown.contains("Nothing was checked here") && shown.contains("chip unchecked"));
    for table in [&again, shown, &text_in(dir.join("o/summary.md"))] {
        for score in ["SR", "EQA", "Success", "suite hash", "✓", "solved by"] {
            assert!(!table.contains(score), "{score}: {table}");
        }
    }
    let junit = text_in(dir.join("o/junit.xml"));
    assert!(junit.contains("skipped=\"1\"") && junit.contains("<skipped message=\"nothing was checked\"/>"));
    let summary = json_in(dir.join("o/summary.json"));
    let table = waldo(&dir, "report o --json").json();
    for (said, rows) in [(&summary, "contestants"), (&table, "table")] {
        assert_eq!(said["judged"], false);
        has(&said[rows][0], json!({ "sr": null, "eqa": null, "sr_ci": null, "n": 1, "mean_steps": 2.0 }));
    }
    has(&table, json!({ "tasks/0/solved": null, "platforms/0/suite/sr": null }));
    let csv = text_in(dir.join("o/results.csv"));
    let (head, line) = csv.trim_end().split_once("\r\n").unwrap();
    let fields: HashMap<&str, &str> = head.split(',').zip(line.split(',')).collect();
    assert_eq!((fields["outcome"], fields["success"], fields["steps"]), ("finished", "", "2"), "{csv}");
}
