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

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn another_goal_start_or_device_is_another_run() {
    let dir = tempfile::tempdir().unwrap();
    let out = ["--out", "o"];
    run(dir.path(), &SETTINGS, "goal A", &out).expect_code(0);
    let record = dir.path().join("o/episodes/noop/by-hand/r0/events.jsonl");
    let before = read(&record);
    let site = Server::start(|_, _| Answer::page("<title>Page</title>"));
    let (url, clock) = (site.url("/"), ["--device", "simphone", "--open", "com.android.deskclock"]);
    for (start, goal, told) in [
        (&SETTINGS[..], "goal B", "parameters.goal was \"goal A\", now \"goal B\""),
        (&clock, "goal A", "now \"com.android.deskclock\""),
        (&["--url", &url], "goal A", "parameters.device was \"simphone\", now \"web\""),
    ] {
        let ended = run(dir.path(), start, goal, &out).expect_code(4);
        assert!(
            ended.stderr.contains("holds another run") && ended.stderr.contains(told),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains("--out"), "{}", ended.stderr);
    }
    // A goal by hand is carried out again where it began.
    let replay = waldo(dir.path(), &["replay", "o", "noop/by-hand/r0"]).run().expect_code(0);
    assert!(replay.stdout.contains("nothing was checked"), "{}", replay.stdout);
    // The very same one has ended.
    let ended = run(dir.path(), &SETTINGS, "goal A", &out).expect_code(4);
    assert!(ended.stderr.contains("which has ended"), "{}", ended.stderr);
    assert_eq!(read(&record), before);
    // One that was cut off is played anew.
    std::fs::remove_file(record.with_file_name("result.json")).unwrap();
    run(dir.path(), &SETTINGS, "goal A", &out).expect_code(0);
    let all = events(&dir.path().join("o"));
    assert_eq!(all.iter().filter(|e| e["event"] == "ended").count(), 1);
    assert_ne!(read(&record), before);
}

#[test]
fn a_folder_refuses_before_anything_is_started() {
    let dir = tempfile::tempdir().unwrap();
    let site = Server::start(|_, _| Answer::page("<title>Page</title>"));
    let url = site.url("/");
    let page = ["--url", url.as_str()];
    let eval = ["eval", "l3-web", "--agent", "noop", "--task", "register-form", "--out", "e"];
    run(dir.path(), &page, "goal A", &["--out", "o"]).expect_code(0);
    waldo(dir.path(), &eval).run().expect_code(0);
    // From here on a browser that tells of its start, and a phone that would be heard of.
    let (browser, started) = (dir.path().join("browser"), dir.path().join("started"));
    std::fs::write(&browser, format!("#!/bin/sh\n: > '{}'\nexit 1\n", started.display())).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = ["--browser", browser.to_str().unwrap()];
    let phone = TcpListener::bind("127.0.0.1:0").unwrap();
    phone.set_nonblocking(true).unwrap();
    let device = format!("tcp:{}", phone.local_addr().unwrap());
    let device = ["--device", device.as_str(), "--open", "com.android.settings"];

    let ended = run(dir.path(), &page, "goal A", &["--out", "o", told[0], told[1]]).expect_code(4);
    assert!(ended.stderr.contains("which has ended"), "{}", ended.stderr);
    let other = run(dir.path(), &page, "goal B", &["--out", "o", told[0], told[1]]).expect_code(4);
    assert!(other.stderr.contains("holds another run"), "{}", other.stderr);
    let other = run(dir.path(), &device, "goal A", &["--out", "o"]).expect_code(4);
    assert!(other.stderr.contains("holds another run"), "{}", other.stderr);
    let seed = [&eval[..], &told, &["--seed", "2"]].concat();
    let other = waldo(dir.path(), &seed).run().expect_code(4);
    assert!(other.stderr.contains("seed was 0, now 2"), "{}", other.stderr);
    // All of it is there: the table needs no browser.
    let all = waldo(dir.path(), &[&eval[..], &told].concat()).run().expect_code(0);
    assert!(all.stdout.contains("noop") && all.stdout.contains("report: "), "{}", all.stdout);
    assert!(!started.exists(), "a browser was started");
    assert_eq!(phone.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);

    // Where something has to be started, it is; what cannot be leaves nothing behind.
    run(dir.path(), &page, "goal A", &["--out", "p", told[0], told[1]]).expect_code(5);
    assert!(started.exists() && !dir.path().join("p").exists());
}

#[test]
fn runs_of_the_same_moment_get_a_folder_each() {
    let dir = tempfile::tempdir().unwrap();
    let goals = ["goal 0", "goal 1", "goal 2"];
    std::thread::scope(|scope| {
        for goal in goals {
            scope.spawn(|| run(dir.path(), &SETTINGS, goal, &[]).expect_code(0));
        }
    });
    let folders = std::fs::read_dir(dir.path().join("runs")).unwrap();
    let mut kept: Vec<String> = folders
        .map(|folder| {
            let manifest = read(&folder.unwrap().path().join("manifest.json"));
            let manifest: Value = serde_json::from_str(&manifest).unwrap();
            manifest["parameters"]["goal"].as_str().unwrap().to_owned()
        })
        .collect();
    kept.sort();
    assert_eq!(kept, goals);
}

#[test]
fn one_process_plays_into_a_folder_and_others_read_it() {
    let dir = tempfile::tempdir().unwrap();
    let silent = Arc::new(AtomicBool::new(true));
    let says_nothing = silent.clone();
    let model = Server::start(move |_, _| match says_nothing.load(Ordering::SeqCst) {
        true => Answer::Silence,
        false => Answer::chat("Observation: o\nThought: t\nAction: FINISH\nSummary: s"),
    });
    let base = model.url("/v1");
    let mut args = vec!["eval", "l3-android", "--device", "simphone", "--task", "dark-theme", "--out", "x"];
    args.extend(["--agent", "appagent", "--model", "m", "--base-url", &base]);
    let mut first = waldo(dir.path(), &args).start();
    until("a question to the model", Duration::from_secs(120), || !model.requests().is_empty());
    let second = waldo(dir.path(), &args).run().expect_code(4);
    assert!(second.stderr.contains(&format!("process {}", first.id())), "{}", second.stderr);
    assert!(second.stderr.contains("wait for that to end, or give another --out"), "{}", second.stderr);
    let merge = waldo(dir.path(), &["merge", "x", "--out", "x"]).run().expect_code(4);
    assert!(merge.stderr.contains("is writing into it"), "{}", merge.stderr);
    // Whoever only reads it need not wait.
    waldo(dir.path(), &["report", "x", "--out", "y"]).run().expect_code(0);
    let merge = waldo(dir.path(), &["merge", "x", "--out", "z"]).run().expect_code(1);
    assert!(merge.stderr.contains("1 of 1 episode is in none of the parts"), "{}", merge.stderr);
    // A process loses the lock with its life.
    first.kill().unwrap();
    first.wait().unwrap();
    silent.store(false, Ordering::SeqCst);
    let got = waldo(dir.path(), &[&args[..], &["--json"]].concat()).run().expect_code(0).json();
    assert_eq!((&got["table"][0]["n"], &got["table"][0]["missing"]), (&1.into(), &0.into()), "{got}");
}

#[test]
fn what_nothing_checked_has_no_score() {
    let dir = tempfile::tempdir().unwrap();
    let ended = run(dir.path(), &SETTINGS, "goal A", &["--out", "o"]).expect_code(0);
    assert!(ended.stdout.contains("nothing was checked"), "{}", ended.stdout);
    let again = waldo(dir.path(), &["report", "o"]).run().expect_code(0).stdout;
    assert!(again.contains("nothing was checked") && again.contains("noop/by-hand/r0: "), "{again}");
    let page = read(&dir.path().join("o/report.html"));
    let shown = page.split("<script").next().unwrap();
    assert!(shown.contains("Nothing was checked here") && shown.contains("chip unchecked"));
    for table in [&again, shown, &read(&dir.path().join("o/summary.md"))] {
        for score in ["SR", "EQA", "Success", "suite hash", "✓", "solved by"] {
            assert!(!table.contains(score), "{score}: {table}");
        }
    }
    let junit = read(&dir.path().join("o/junit.xml"));
    assert!(junit.contains("skipped=\"1\"") && junit.contains("<skipped message=\"nothing was checked\"/>"));
    let summary: Value = serde_json::from_str(&read(&dir.path().join("o/summary.json"))).unwrap();
    let table = waldo(dir.path(), &["report", "o", "--json"]).run().expect_code(0).json();
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
    let csv = read(&dir.path().join("o/results.csv"));
    let (head, line) = csv.trim_end().split_once("\r\n").unwrap();
    let fields: HashMap<&str, &str> = head.split(',').zip(line.split(',')).collect();
    assert_eq!((fields["outcome"], fields["success"], fields["steps"]), ("finished", "", "2"), "{csv}");
}
