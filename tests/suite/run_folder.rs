//! What a run folder holds is one run's, and one process writes into it.

use std::collections::HashMap;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::support::*;

const SETTINGS: [&str; 4] = ["--device", "simphone", "--open", "com.android.settings"];

fn run(dir: &Path, start: &[&str], goal: &str, more: &[&str]) -> Ended {
    let own = ["--agent", "noop", "--max-steps", "2", goal];
    waldo(dir, &[&["run"], start, &own[..], more].concat()).run()
}

#[test]
fn another_goal_start_or_device_is_another_run() {
    let dir = tempdir();
    let out = ["--out", "o"];
    run(&dir, &SETTINGS, "goal A", &out).expect_code(0);
    let record = dir.join("o/episodes/noop/by-hand/r0/events.jsonl");
    let before = text_in(&record);
    let site = Server::start(|_, _| Answer::page("<title>Page</title>"));
    let (url, clock) = (site.url("/"), ["--device", "simphone", "--open", "com.android.deskclock"]);
    for (start, goal, told) in [
        (&SETTINGS[..], "goal B", "parameters.goal was \"goal A\", now \"goal B\""),
        (&clock, "goal A", "now \"com.android.deskclock\""),
        (&["--url", &url], "goal A", "parameters.device was \"simphone\", now \"web\""),
    ] {
        let ended = run(&dir, start, goal, &out).expect_code(4);
        assert!(
            ended.stderr.contains("holds another run") && ended.stderr.contains(told),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains("--out"), "{}", ended.stderr);
    }
    // A goal by hand is carried out again where it began.
    waldo(&dir, "replay o noop/by-hand/r0").ok().prints("nothing was checked");
    // The very same one has ended.
    let ended = run(&dir, &SETTINGS, "goal A", &out).expect_code(4);
    assert!(ended.stderr.contains("which has ended"), "{}", ended.stderr);
    assert_eq!(text_in(&record), before);
    // One that was cut off is played anew.
    std::fs::remove_file(record.with_file_name("result.json")).unwrap();
    run(&dir, &SETTINGS, "goal A", &out).expect_code(0);
    let all = events(&dir.join("o"));
    assert_eq!(all.iter().filter(|e| e["event"] == "ended").count(), 1);
    assert_ne!(text_in(&record), before);
}

#[test]
fn a_folder_refuses_before_anything_is_started() {
    let dir = tempdir();
    let site = Server::start(|_, _| Answer::page("<title>Page</title>"));
    let url = site.url("/");
    let page = ["--url", url.as_str()];
    let eval = "eval l3-web --agent noop --task register-form --out e";
    run(&dir, &page, "goal A", &["--out", "o"]).expect_code(0);
    waldo(&dir, eval).ok();
    // From here on a browser that tells of its start, and a phone that would be heard of.
    let (browser, started) = (dir.join("browser"), dir.join("started"));
    write(&browser, format!("#!/bin/sh\n: > '{}'\nexit 1\n", started.display()));
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = ["--browser", browser.to_str().unwrap()];
    let phone = TcpListener::bind("127.0.0.1:0").unwrap();
    phone.set_nonblocking(true).unwrap();
    let device = format!("tcp:{}", phone.local_addr().unwrap());
    let device = ["--device", device.as_str(), "--open", "com.android.settings"];

    run(&dir, &page, "goal A", &["--out", "o", told[0], told[1]]).expect_code(4).warns("which has ended");
    run(&dir, &page, "goal B", &["--out", "o", told[0], told[1]]).expect_code(4).warns("holds another run");
    run(&dir, &device, "goal A", &["--out", "o"]).expect_code(4).warns("holds another run");
    let seed = [&words(eval)[..], &told, &["--seed", "2"]].concat();
    waldo(&dir, &seed).exits(4).warns("seed was 0, now 2");
    // All of it is there: the table needs no browser.
    waldo(&dir, &[&words(eval)[..], &told].concat()).ok().prints("noop").prints("report: ");
    assert!(!started.exists(), "a browser was started");
    assert_eq!(phone.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);

    // Where something has to be started, it is; what cannot be leaves nothing behind.
    run(&dir, &page, "goal A", &["--out", "p", told[0], told[1]]).expect_code(5);
    assert!(started.exists() && !dir.join("p").exists());
}

#[test]
fn runs_of_the_same_moment_get_a_folder_each() {
    let dir = tempdir();
    let goals = ["goal 0", "goal 1", "goal 2"];
    std::thread::scope(|scope| {
        for goal in goals {
            scope.spawn(|| run(&dir, &SETTINGS, goal, &[]).expect_code(0));
        }
    });
    let folders = std::fs::read_dir(dir.join("runs")).unwrap();
    let mut kept: Vec<String> = folders
        .map(|folder| {
            let manifest = text_in(folder.unwrap().path().join("manifest.json"));
            let manifest: Value = serde_json::from_str(&manifest).unwrap();
            manifest["parameters"]["goal"].as_str().unwrap().to_owned()
        })
        .collect();
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
        false => Answer::chat("Observation: o\nThought: t\nAction: FINISH\nSummary: s"),
    });
    let base = model.url("/v1");
    let mut args = vec!["eval", "l3-android", "--device", "simphone", "--task", "dark-theme", "--out", "x"];
    args.extend(["--agent", "appagent", "--model", "m", "--base-url", &base]);
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
    let got = waldo(&dir, &[&args[..], &["--json"]].concat()).json();
    assert_eq!((&got["table"][0]["n"], &got["table"][0]["missing"]), (&1.into(), &0.into()), "{got}");
}

#[test]
fn what_nothing_checked_has_no_score() {
    let dir = tempdir();
    run(&dir, &SETTINGS, "goal A", &["--out", "o"]).expect_code(0).prints("nothing was checked");
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
    let summary: Value = serde_json::from_str(&text_in(dir.join("o/summary.json"))).unwrap();
    let table = waldo(&dir, "report o --json").json();
    for (said, rows) in [(&summary, "contestants"), (&table, "table")] {
        assert_eq!(said["judged"], false);
        let row = said[rows][0].as_object().unwrap();
        assert!(row["sr"].is_null() && row["eqa"].is_null() && row["sr_ci"].is_null(), "{said}");
        assert_eq!((&row["n"], &row["mean_steps"]), (&1.into(), &2.0.into()), "{said}");
    }
    assert!(
        table["tasks"][0]["solved"].is_null() && table["platforms"][0]["suite"]["sr"].is_null(),
        "{table}"
    );
    let csv = text_in(dir.join("o/results.csv"));
    let (head, line) = csv.trim_end().split_once("\r\n").unwrap();
    let fields: HashMap<&str, &str> = head.split(',').zip(line.split(',')).collect();
    assert_eq!((fields["outcome"], fields["success"], fields["steps"]), ("finished", "", "2"), "{csv}");
}
