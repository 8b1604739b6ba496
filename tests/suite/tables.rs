//! What a run prints: budgets, events, and why episodes are invalid.

use super::support::{Answer, Server, waldo};

#[test]
fn one_run_is_told_within_several_budgets_and_its_events_are_printed() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "eval",
        "l3-web",
        "--agent",
        "reference",
        "--task",
        "register-form",
        "--budgets",
        "2,20",
        "--out",
        "r",
        "--json-events",
    ];
    let ended = waldo(dir.path(), &args).run().expect_code(0);
    let events: Vec<serde_json::Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|e| e["event"] == kind).count();
    assert_eq!((of("started"), of("ended")), (1, 1));
    assert!(of("observed") > 3 && of("decided") > 3);
    assert!(ended.stderr.contains("within 2 steps") && ended.stderr.contains("report: "), "{}", ended.stderr);
    // The largest budget is the run's own.
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("r/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["max_steps"], 20);
    let reference = |rows: &serde_json::Value| {
        rows.as_array().unwrap().iter().find(|r| r["contestant"]["name"] == "reference").unwrap()["sr"]
            .clone()
    };
    assert_eq!(reference(&summary["budgets"][0]["contestants"]), 0.0);
    assert_eq!(reference(&summary["budgets"][1]["contestants"]), 1.0);
    assert_eq!(summary["platforms"][0]["platforms"][0]["platform"], "web");
    let page = std::fs::read_to_string(dir.path().join("r/report.html")).unwrap();
    assert!(page.contains("Within 2 steps"));
    let again = waldo(dir.path(), &["report", "r", "--budgets", "5", "--json"]).run().expect_code(0).json();
    assert_eq!(again["budgets"][0]["max_steps"], 5);
    let ended = waldo(dir.path(), &["report", "r", "--budgets", "50"]).run().expect_code(4);
    assert!(ended.stderr.contains("20 steps an episode"), "{}", ended.stderr);
}

#[test]
fn the_reasons_of_invalid_episodes_stand_under_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|n, _| match n {
        0 => Answer::chat("Observation: o\nThought: t\nAction: wait()\nSummary: s"),
        _ => Answer::new("500 Oops", "text/plain", "out of memory"),
    });
    let base = server.url("/v1");
    let args = [
        "eval",
        "l3-web",
        "--agent",
        "appagent",
        "--model",
        "m",
        "--base-url",
        &base,
        "--task",
        "kanban-drag",
        "--attempts",
        "1",
        "--model-retries",
        "0",
        "--out",
        "r",
    ];
    let ended = waldo(dir.path(), &args).run().expect_code(3);
    let (_, below) =
        ended.stdout.split_once("invalid, not scored:").unwrap_or_else(|| panic!("{}", ended.stdout));
    assert!(below.contains("1 x the model endpoint answered with status 500: out of memory"), "{below}");
    assert!(below.contains("appagent+m/kanban-drag/r0"), "{below}");
}
