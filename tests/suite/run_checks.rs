//! `run --check`, what `waldo` alone says, and the report of a single run.

use super::support::*;

fn shop() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/" => Answer::page(
            "<!doctype html><title>Lamps</title><button onclick=\"out.textContent='Saved'\">Save</button><p id=out></p>\
             <input value='Ann Lee'><select><option>No<option selected>Express</select><input type=password value=pw77>",
        ),
        path if path.ends_with("/chat/completions") => {
            Answer::chat("Observation: o\nThought: t\nAction: FINISH\nSummary: s")
        }
        _ => Answer::new("404 Not Found", "text/plain", ""),
    })
}

#[test]
fn a_run_by_hand_has_the_outcome_of_its_checks() {
    let dir = tempdir();
    let (at, shop) = (&dir, shop());
    let url = shop.url("/");
    let run = |more: &[&str]| {
        let args = ["run", "press Save", "--url", &url, "--agent", "baseline", "--max-steps", "4"];
        waldo(at, &[&args[..], more].concat()).run()
    };
    let checks = [
        "text contains \"Saved\"",
        "text contains \"Ann Lee\"",
        "js document.title equals Lamps",
        "url contains /",
    ];
    let good = run(&filled("--check {} --check {} --check {} --check {} --json --out good", &checks));
    let told = good.json();
    assert_eq!((&told["judged"], &told["result"]["success"]), (&json!(true), &json!(1.0)), "{told}");
    assert_eq!(told["result"]["checks"].as_array().unwrap().len(), 4);
    good.expect_code(0);
    run(&["--check", "text contains 'pw77'", "--out", "secret"]).expect_code(1);
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
        waldo(at, &args).exits(4).warns(why).never_warns("without a key");
        assert!(!at.join("none").exists(), "nothing was started");
    }
    // Its goal leads the report, and the scores of a table of one row are not there.
    let page = text_in(at.join("bad/report.html"));
    assert!(page.contains("<h1>press Save</h1>") && page.contains("Play it back"), "goal and player");
    assert!(!page.contains("class=\"scores\"") && page.contains("of it the device"), "effort");
    let result: Value = serde_json::from_slice(
        &std::fs::read(at.join("bad/episodes/baseline/by-hand/r0/result.json")).unwrap(),
    )
    .unwrap();
    assert!(result["on_device"]["nanos"].as_u64().unwrap() > 0, "{result}");

    // Without arguments it is told what can be done here.
    std::fs::rename(at.join("good"), at.join("a-run")).unwrap();
    let home = waldo(at, &[""; 0]).said();
    for part in "Devices here|simphone|Suites|l3-web|Last runs|a-run|\"press Save\": finished|Next|\
        waldo doctor"
        .split('|')
    {
        assert!(home.contains(part), "{part}: {home}");
    }
}

#[test]
fn a_file_of_this_computer_is_offered_to_file_fields_by_its_name_alone() {
    let dir = tempdir();
    write(dir.join("note.txt"), "seven");
    let server = Server::start(|n, request| match request.path.as_str() {
        "/" => Answer::page(
            "<!doctype html><title>Box</title><label>Note<input type=file \
             onchange=\"out.textContent = files[0].name + ' of ' + files[0].size\"></label><p id=out></p>",
        ),
        path if path.ends_with("/chat/completions") => {
            let action =
                if request.body.contains("note.txt of 5") { "FINISH" } else { "upload(1, \"note.txt\")" };
            Answer::chat(&format!("Observation: {n}\nThought: t\nAction: {action}\nSummary: s"))
        }
        _ => Answer::new("404 Not Found", "text/plain", ""),
    });
    let (url, base) = (server.url("/"), server.url("/v1"));
    let mut args =
        filled("run {} --url {} --agent appagent --model m --max-steps 3", &["hand in the note", &url]);
    args.extend(["--base-url", &base, "--upload", "note.txt", "--check", "text contains \"note.txt of 5\""]);
    waldo(&dir, &[&args[..], &["--out", "a"]].concat()).ok();
    let asked = server.requests();
    let first = asked.iter().find(|request| request.path.ends_with("/chat/completions")).unwrap();
    assert!(first.body.contains("Files that can be given to file fields: note.txt."), "{}", first.body);
    assert!(!first.body.contains(dir.to_str().unwrap()), "the path is told: {}", first.body);
    let missing = [&args[..], &["--upload", "gone.txt", "--out", "b"]].concat();
    waldo(&dir, &missing).exits(4).warns("--upload gone.txt");
}

#[test]
fn a_check_that_finds_nothing_fails_and_takes_nothing_from_the_result() {
    let dir = tempdir();
    let shop = shop();
    let (url, base) = (shop.url("/"), shop.url("/v1"));
    let check = "js document.getElementById('out').textContent equals Saved";
    for checks in [&[][..], &["--check", check], &["--check", check, "--check", check]] {
        for more in [&[][..], &["--json"]] {
            let args =
                filled("run {} --url {} --agent appagent --model m --max-steps 3", &["press Save", &url]);
            let out = format!("run-{}-{}", checks.len(), more.len());
            let args = [&args[..], &["--base-url", &base, "--out", &out], checks, more].concat();
            let ended = waldo(&dir, &args).run().expect_code(u8::from(!checks.is_empty()).into());
            assert!(!ended.stderr.contains("template"), "{}", ended.stderr);
            assert!(dir.join(&out).join("report.html").is_file());
            if more.is_empty() {
                assert!(ended.stdout.contains("finished after 1 step"), "{}", ended.stdout);
                continue;
            }
            let told = ended.json();
            let success = if checks.is_empty() { json!(null) } else { json!(0.0) };
            assert_eq!(
                (&told["result"]["success"], &told["judged"]),
                (&success, &json!(!checks.is_empty())),
                "{told}"
            );
            let kept =
                std::fs::read(dir.join(&out).join("episodes/appagent+m/by-hand/r0/result.json")).unwrap();
            let kept: Value = serde_json::from_slice(&kept).unwrap();
            assert_eq!(kept["success"], success, "{kept}");
        }
    }
}

#[test]
fn a_report_that_cannot_be_made_is_a_warning_behind_the_result() {
    let dir = tempdir();
    let shop = shop();
    let (url, out) = (shop.url("/"), dir.join("run"));
    // Nothing can be written where a folder stands in the report's way.
    write(out.join("report.html/x"), "");
    let args =
        ["run", "press Save", "--url", &url, "--agent", "baseline", "--max-steps", "4", "--out", "run"];
    let ended = waldo(&dir, &[&args[..], &["--check", "text contains Saved", "--json"]].concat()).run();
    let told = ended.json();
    assert_eq!((&told["result"]["success"], &told["report"]), (&json!(1.0), &json!(null)), "{told}");
    assert!(
        ended.stderr.contains("warning: no report could be made") && ended.stderr.contains("report.html"),
        "{}",
        ended.stderr
    );
    ended.expect_code(0);
}

#[test]
fn an_agent_that_says_it_cannot_be_done_ends_otherwise_than_one_that_is_done() {
    let dir = tempdir();
    let server = Server::start(|_, request| match request.path.as_str() {
        path if path.ends_with("/chat/completions") => {
            let action = json!({"type": "finish", "description": "None are left.", "parameters": {"status": "failure"}});
            let plan = json!({"previous_action_result": "Fine.", "thought": "On.", "action_description": "Stop.",
                "update_memory": [], "action": action});
            Answer::chat(&plan.to_string())
        }
        _ => Answer::page("<!doctype html><title>Lamps</title><p>None are left."),
    });
    let (url, base) = (server.url("/"), server.url("/v1"));
    let run = |more: &[&str]| {
        let args =
            ["run", "buy a lamp", "--url", &url, "--agent", "planner", "--model", "m", "--base-url", &base];
        waldo(&dir, &[&args[..], more].concat()).run()
    };
    let told = run(&["--json", "--out", "a"]).expect_code(11).json();
    has(&told["result"], json!({ "outcome": "declared_infeasible", "success": null }));
    run(&["--check", "text contains left", "--out", "b"]).expect_code(1);
    waldo(&dir, "--help").ok().prints("11 the agent of run says that");
}
