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
        waldo(at, &[&args[..], more].concat())
    };
    let checks = [
        "text contains \"Saved\"",
        "text contains \"Ann Lee\"",
        "js document.title equals Lamps",
        "url contains /",
    ];
    let good = run(&filled("--check {} --check {} --check {} --check {} --json --out good", &checks)).json();
    has(&good, json!({ "judged": true, "result/success": 1.0 }));
    assert_eq!(good["result"]["checks"].as_array().unwrap().len(), 4);
    run(&["--check", "text contains 'pw77'", "--out", "secret"]).exits(1);
    run(&["--check", "text contains 'Deleted'", "--out", "bad"])
        .exits(1)
        .prints("FAIL text of the page contains \"Deleted\"; found: ")
        .prints("no success");
    for (line, why) in [
        ("text contain Saved", "did you mean 'contains'?"),
        ("state /a equals 1", "a suite's own pages"),
        ("foreground is x", "no checks of the kind 'foreground' on web"),
        ("text contains \"Saved", "has no end"),
    ] {
        run(&["--check", line, "--out", "none"]).exits(4).warns(why).warns("--check '");
        assert!(!at.join("none").exists(), "nothing was started");
    }
    // What knows solutions has none here, and is asked for at no vendor's.
    for (agent, why) in
        [("reference", "a single goal has none"), ("appagent --model reference", "'reference' is a stand-in")]
    {
        let args = format!("run 'press Save' --url {url} --out none --agent {agent}");
        waldo(at, &args).exits(4).warns(why).never_warns("without a key");
        assert!(!at.join("none").exists(), "nothing was started");
    }
    // Its goal leads the report, and the scores of a table of one row are not there.
    text_in(at.join("bad/report.html"))
        .says("<h1>press Save</h1>")
        .says("Play it back")
        .lacks("class=\"scores\"")
        .says("of it the device");
    let result = json_in(at.join("bad/episodes/baseline/by-hand/r0/result.json"));
    assert!(result["on_device"]["nanos"].as_u64().unwrap() > 0, "{result}");

    // Without arguments it is told what can be done here.
    std::fs::rename(at.join("good"), at.join("a-run")).unwrap();
    let home = waldo(at, "").said();
    for part in
        "Devices here|simphone|Suites|l3-web|Last runs|a-run|\"press Save\": finished|Next|waldo doctor"
            .split('|')
    {
        home.as_str().says(part);
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
    let args = format!(
        "run 'hand in the note' --url {url} --base-url {base} --agent appagent --model m --max-steps 3 \
         --upload note.txt --check 'text contains \"note.txt of 5\"'"
    );
    waldo(&dir, &format!("{args} --out a")).ok();
    let asked = server.requests();
    let first = asked.iter().find(|request| request.path.ends_with("/chat/completions")).unwrap();
    let said = first.body.as_str().says("Files that can be given to file fields: note.txt.");
    said.lacks(dir.to_str().unwrap());
    waldo(&dir, &format!("{args} --upload gone.txt --out b")).exits(4).warns("--upload gone.txt");
}

#[test]
fn a_check_that_finds_nothing_fails_and_takes_nothing_from_the_result() {
    let dir = tempdir();
    let shop = shop();
    let (url, base) = (shop.url("/"), shop.url("/v1"));
    let check = ["--check", "js document.getElementById('out').textContent equals Saved"];
    for checks in 0..3 {
        for more in [&[][..], &["--json"]] {
            let line = "run {} --url {} --base-url {} --agent appagent --model m --max-steps 3 --out {}";
            let out = format!("run-{checks}-{}", more.len());
            let args = filled(line, &["press Save", &url, &base, &out]);
            let args = [&args[..], &check.repeat(checks), more].concat();
            let ended = waldo(&dir, &args).exits(i32::from(checks > 0)).never_warns("template");
            assert!(dir.join(&out).join("report.html").is_file());
            if more.is_empty() {
                ended.prints("finished after 1 step");
                continue;
            }
            let success = if checks == 0 { json!(null) } else { json!(0.0) };
            has(&ended.json(), json!({ "result/success": success, "judged": checks > 0 }));
            let kept = dir.join(&out).join("episodes/appagent+m/by-hand/r0/result.json");
            has(&json_in(kept), json!({ "success": success }));
        }
    }
}

#[test]
fn a_report_that_cannot_be_made_is_a_warning_behind_the_result() {
    let dir = tempdir();
    let shop = shop();
    // Nothing can be written where a folder stands in the report's way.
    write(dir.join("run/report.html/x"), "");
    let args = format!("run 'press Save' --url {} --agent baseline --max-steps 4 --out run", shop.url("/"));
    let ended = waldo(&dir, &format!("{args} --check 'text contains Saved' --json")).ok();
    has(&ended.json(), json!({ "result/success": 1.0, "report": null }));
    ended.warns("warning: no report could be made").warns("report.html");
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
    let run = |more: &str| {
        let line = "run 'buy a lamp' --agent planner --model m";
        waldo(&dir, &format!("{line} --url {url} --base-url {base} {more}"))
    };
    let told = run("--json --out a").exits(11).json();
    has(&told["result"], json!({ "outcome": "declared_infeasible", "success": null }));
    run("--check 'text contains left' --out b").exits(1);
    waldo(&dir, "--help").ok().prints("11 the agent of run says that");
}
