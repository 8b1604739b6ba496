//! `run --check`, what `waldo` alone says, and the report of a single run.

use serde_json::json;

use super::support::{Answer, Server, waldo};

fn shop() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/" => Answer::page(
            "<!doctype html><title>Lamps</title><button onclick=\"out.textContent='Saved'\">Save</button><p id=out></p>",
        ),
        path if path.ends_with("/chat/completions") => {
            Answer::chat("Observation: o\nThought: t\nAction: FINISH\nSummary: s")
        }
        _ => Answer::new("404 Not Found", "text/plain", ""),
    })
}

#[test]
fn a_run_by_hand_has_the_outcome_of_its_checks() {
    let dir = tempfile::tempdir().unwrap();
    let (at, shop) = (dir.path(), shop());
    let url = shop.url("/");
    let run = |more: &[&str]| {
        let args = ["run", "press Save", "--url", &url, "--agent", "baseline", "--max-steps", "4"];
        waldo(at, &[&args[..], more].concat()).run()
    };
    let checks = [
        "--check",
        "text contains \"Saved\"",
        "--check",
        "js document.title equals Lamps",
        "--check",
        "url contains /",
    ];
    let good = run(&[&checks[..], &["--json", "--out", "good"]].concat());
    let told = good.json();
    assert_eq!((&told["judged"], &told["result"]["success"]), (&json!(true), &json!(1.0)), "{told}");
    assert_eq!(told["result"]["checks"].as_array().unwrap().len(), 3);
    good.expect_code(0);
    let bad = run(&["--check", "text contains 'Deleted'", "--out", "bad"]).expect_code(1);
    assert!(bad.stdout.contains("FAIL text of the page contains \"Deleted\"; found: "), "{}", bad.stdout);
    assert!(bad.stdout.contains("no success"), "{}", bad.stdout);
    for (line, why) in [
        ("text contain Saved", "did you mean 'contains'?"),
        ("state /a equals 1", "a suite's own pages"),
        ("foreground is x", "no checks of the kind 'foreground' on web"),
        ("text contains \"Saved", "has no end"),
    ] {
        let wrong = run(&["--check", line, "--out", "none"]).expect_code(4);
        assert!(wrong.stderr.contains(why) && wrong.stderr.contains("--check '"), "{line}: {}", wrong.stderr);
        assert!(!at.join("none").exists(), "nothing was started");
    }
    // What knows solutions has none here, and is asked for at no vendor's.
    for (agent, why) in [
        (&["--agent", "reference"][..], "a goal by hand has none"),
        (&["--agent", "appagent", "--model", "reference"], "'reference' is a stand-in"),
    ] {
        let args = [&["run", "press Save", "--url", &url, "--out", "none"], agent].concat();
        let refused = waldo(at, &args).run().expect_code(4).stderr;
        assert!(refused.contains(why) && !refused.contains("without a key"), "{refused}");
        assert!(!at.join("none").exists(), "nothing was started");
    }
    // Its goal leads the report, and the scores of a table of one row are not there.
    let page = std::fs::read_to_string(at.join("bad/report.html")).unwrap();
    assert!(page.contains("<h1>press Save</h1>") && page.contains("Play it back"), "goal and player");
    assert!(!page.contains("class=\"scores\"") && page.contains("of it the device"), "effort");
    let result: serde_json::Value = serde_json::from_slice(
        &std::fs::read(at.join("bad/episodes/baseline/by-hand/r0/result.json")).unwrap(),
    )
    .unwrap();
    assert!(result["on_device"]["nanos"].as_u64().unwrap() > 0, "{result}");

    // Without arguments it is told what can be done here.
    std::fs::rename(at.join("good"), at.join("a-run")).unwrap();
    let home = waldo(at, &[]).run().expect_code(0).stdout;
    for part in [
        "Devices here",
        "simphone",
        "Suites",
        "l3-web",
        "Last runs",
        "a-run",
        "\"press Save\": finished",
        "Next",
        "waldo doctor",
    ] {
        assert!(home.contains(part), "{part}: {home}");
    }
}
