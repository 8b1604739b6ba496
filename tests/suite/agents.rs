//! Agents that are programs: they play, fail and are resumed like any other.

use super::support::*;

/// Plays tasks of three suites by what their goals and screens say.
pub(super) const SCRIPTED: &str = include_str!("agents.py");

#[test]
fn a_program_and_a_server_play_tasks_of_three_kinds_of_screens() {
    let dir = tempdir();
    write(dir.join("scripted.py"), SCRIPTED);
    let kept = waldo(&dir, "agents check --json -- python3 scripted.py").run().json();
    // Its script knows no goal of the check's.
    has(&kept, json!({ "name": "scripted", "kept": false }));
    let mut python = Command::new("python3");
    python.args(["scripted.py", "serve"]).current_dir(&dir);
    let mut child = python.stdout(Stdio::piped()).spawn().unwrap();
    let port = first_line(&mut child);
    let _served = Ends(child);
    let address = format!("http://127.0.0.1:{}", port.trim());
    for (suite, more) in [
        ("l3-web", format!("--task confirm-dialog --task prompt-dialog --agent {address}")),
        ("l3-android", "--task dark-theme --device simphone".to_owned()),
        ("l3-desktop", "--task note-code-answer --device desktop".to_owned()),
    ] {
        let program = "--agent exec --command 'python3 scripted.py' --json --workers 2";
        let said = waldo(&dir, &format!("eval {suite} --out {suite} {program} {more}")).json();
        for row in said["table"].as_array().unwrap() {
            has(row, json!({ "sr": 1.0, "model_calls": 0 }));
        }
    }
    let run = dir.join("l3-web");
    let manifest = json_in(run.join("manifest.json"));
    let kept = &manifest["parameters"]["exec"];
    assert_eq!(kept["command"], json!(["python3", "scripted.py"]), "{manifest}");
    assert!(kept["files"]["scripted.py"].as_str().unwrap().starts_with("sha256:"), "{manifest}");
    let decided = events_of(&run.join("episodes/exec/confirm-dialog/r0"), "decided");
    assert_eq!(decided[0]["decision"]["thought"], "by script", "{}", decided[0]);
}

const PAGE_OF_PROTOCOL: &str = include_str!("../../docs/agents-protocol.md");

pub(super) fn documented(page: &str, first: &str) -> String {
    let from = page.find(&format!("    {first}\n")).unwrap();
    let lines = page[from..].lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    lines.map(|line| format!("{}\n", line.get(4..).unwrap_or_default())).collect()
}

#[test]
fn the_python_package_plays_with_an_agent_of_its_own_process_and_with_a_model() {
    let dir = tempdir();
    let program = documented(PAGE_OF_PROTOCOL, "import base64, json, os, urllib.request");
    assert!(program.lines().count() <= 50, "{program}");
    write(dir.join("my_model.py"), program);
    // A model that takes the numbers of what is to be deleted from the list.
    let model = Server::start(|_, request| {
        let asked: Value = serde_json::from_str(&request.body).unwrap();
        let text = asked["messages"][0]["content"][0]["text"].as_str().unwrap();
        let goal = text.lines().next().unwrap();
        let wanted = |line: &&str| {
            let name = line.split('"').nth(1).and_then(|name| name.strip_prefix("Delete "));
            name.is_some_and(|who| goal.contains(who))
        };
        let tag =
            text.lines().filter(wanted).find_map(|line| line.split_whitespace().next()?.parse::<u32>().ok());
        let call = match tag {
            Some(tag) => json!({ "do": "tap", "element": tag }),
            None => json!({ "do": "finish" }),
        };
        Answer::counted(&format!("I say {call}."), json!({ "prompt_tokens": 5, "completion_tokens": 1 }))
    });
    let script = "import json, my_model, waldo\n\
        class Accepts(my_model.MyAgent):\n    \
            def decide(self, turn):\n        \
                if 'dialog' in turn.untrusted: return {'do': 'dialog', 'reply': 'accept'}\n        \
                return super().decide(turn)\n\
        rows = waldo.play(Accepts, 'l3-web', tasks=['confirm-dialog'], repeats=2)\n\
        print(json.dumps([rows[0]['sr'], rows[0]['model_calls'] > 3, waldo.check('python3', 'none.py')]))\n";
    let mut python = Command::new("python3");
    python.args(["-B", "-c", script]).current_dir(&dir);
    python.env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/python"));
    python.env("WALDO_PROGRAM", env!("CARGO_BIN_EXE_waldo"));
    let out = python.env("MODEL", "m").env("BASE_URL", model.url("/v1")).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(said.ends_with("[1.0, true, false]\n"), "{said}{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn the_agent_of_the_documentation_keeps_the_protocol_and_solves_what_it_says() {
    let program = documented(PAGE_OF_PROTOCOL, "import json, sys");
    assert!(program.lines().count() <= 34, "{program}");
    let dir = tempdir();
    write(dir.join("my_agent.py"), program);
    let said = waldo(&dir, "agents check -- python3 my_agent.py").said();
    assert!(said.starts_with("presses-names 1\n") && !said.contains("FAULT"), "{said}");
    let line =
        "eval l3-web --task confirm-dialog --agent exec --command 'python3 my_agent.py' --json --out run";
    all_solved(&waldo(&dir, line).json());
}

const PAGE: &str = "<!doctype html><title>t</title><button>Save</button>";
const HOLDS: &str = "[[check]]\nkind = \"text\"\ncontains = \"Save\"\n";

#[test]
fn an_agent_that_fails_scores_nothing_is_told_apart_and_is_never_invalid() {
    let dir = tempdir();
    suite(&dir, "s", &[("one", PAGE, HOLDS), ("two", PAGE, HOLDS)]);
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/agents/tests/misbehaves.py");
    write(dir.join("agent.py"), text_in(program));
    let modes = ["crashes", "hangs", "leaves-a-child"];
    let agent = "agent = \"exec\"\nagent-timeout = 3\ncommand = [\"python3\", \"agent.py\", ";
    let defined: String =
        modes.iter().map(|mode| format!("[contestant.{mode}]\n{agent}\"{mode}\"]\n")).collect();
    write(dir.join("waldo.toml"), defined + "agent-env = [\"A_KEY\"]\n");
    let rows: String = modes.iter().map(|mode| format!(" --contestant {mode}")).collect();
    let line = format!("eval ./s --out run --workers 3{rows}");
    let play = || waldo(&dir, &format!("{line} --json")).env("A_KEY", "sk-agents-test").run();
    // What a file that was found starts needs trust, by the bytes of what it starts.
    play().expect_code(4).stderr.says("contestant.crashes.command").says("A_KEY");
    waldo(&dir, "config trust").ok();
    let said = play().expect_code(0).json();
    for (mode, failed, rate) in [("crashes", 2, 0.0), ("hangs", 2, 0.0), ("leaves-a-child", 0, 1.0)] {
        let row = row(&said, mode);
        let got = (row["agent_failed"].as_u64().unwrap_or(0), row["sr"].as_f64(), &row["invalid"], &row["n"]);
        assert_eq!(got, (failed, Some(rate), &json!(0), &json!(2)), "{mode}: {said}");
    }
    assert_eq!(said["agent_failed"].as_array().unwrap().len(), 2, "{said}");
    let run = dir.join("run");
    let result = |of: &str| json_in(run.join("episodes").join(of).join("r0/result.json"));
    let crashed = result("crashes/one");
    assert_eq!(crashed["outcome"], "agent_failed", "{crashed}");
    assert!(crashed["claim"].as_str().unwrap().contains("ValueError: no weights"), "{crashed}");
    assert!(result("hangs/two")["claim"].as_str().unwrap().contains("no answer within 3 s"));
    assert!(text_in(run.join("report.html")).contains("the agent itself failed"));
    // The same command keeps what there is; with other bytes the file needs trust anew.
    let again = waldo(&dir, &line).env("A_KEY", "sk-agents-test").ok();
    again.prints("the agent itself failed, scored 0:").prints("2 x turn: no answer within 3 s");
    let changed = text_in(dir.join("agent.py")) + "# another\n";
    write(dir.join("agent.py"), changed);
    play().expect_code(4);
    // One that does not start is told of before anything is played.
    std::fs::remove_file(dir.join("waldo.toml")).unwrap();
    let other = "eval ./s --agent exec --command 'python3 no-such.py' --out other";
    waldo(&dir, other).exits(6).warns("no-such.py");
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let dir = tempdir();
    write(dir.join("scripted.py"), SCRIPTED);
    let program = "--agent exec --command 'python3 scripted.py play 0.2'";
    let line = format!(
        "eval l3-web --task confirm-dialog --repeats 3 --workers 1 --out run {program} --json --no-report"
    );
    let mut first = waldo(&dir, &line).start();
    let done =
        |repeat: u32| dir.join(format!("run/episodes/exec/confirm-dialog/r{repeat}/result.json")).exists();
    until("the first episode", 120, || done(0));
    kill(&mut first);
    assert!(!done(2));
    let said = waldo(&dir, &line).json();
    has(&said["table"][0], json!({ "sr": 1.0, "n": 3 }));
}
