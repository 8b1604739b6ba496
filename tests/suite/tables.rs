//! What a run prints: budgets, events, and why episodes are invalid.

use super::guard::at_terminal;
use super::support::*;

#[test]
fn one_run_is_told_within_several_budgets_and_its_events_are_printed() {
    let dir = tempdir();
    let args = "eval l3-web --agent reference --task register-form --budgets 2,20 --out r --json-events";
    let ended = waldo(&dir, args).ok();
    let events: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|e| e["event"] == kind).count();
    assert_eq!((of("started"), of("ended")), (1, 1));
    assert!(of("observed") > 3 && of("decided") > 3);
    assert!(ended.stderr.contains("within 2 steps") && ended.stderr.contains("report: "), "{}", ended.stderr);
    // The largest budget is the run's own.
    let summary = json_in(dir.join("r/summary.json"));
    assert_eq!(summary["max_steps"], 20);
    for (at, sr) in [(0, 0.0), (1, 1.0)] {
        let rows = summary["budgets"][at]["contestants"].as_array().unwrap();
        let reference = rows.iter().find(|row| row["contestant"]["name"] == "reference").unwrap();
        assert_eq!(reference["sr"], sr, "{summary}");
    }
    assert_eq!(summary["platforms"][0]["platforms"][0]["platform"], "web");
    let page = text_in(dir.join("r/report.html"));
    assert!(page.contains("Within 2 steps"));
    let again = waldo(&dir, "report r --budgets 5 --json").json();
    assert_eq!(again["budgets"][0]["max_steps"], 5);
    waldo(&dir, "report r --budgets 50").exits(4).warns("20 steps per episode");
}

#[test]
fn the_reasons_of_invalid_episodes_stand_under_the_table() {
    let dir = tempdir();
    let server = Server::start(|n, _| match n {
        0 => Answer::acts("wait()"),
        _ => Answer::new("500 Oops", "text/plain", "out of memory"),
    });
    let model = format!("--agent appagent --model m --base-url {}", server.url("/v1"));
    let args = format!("eval l3-web {model} --task kanban-drag --attempts 1 --model-retries 0 --out r");
    let ended = waldo(&dir, &args).exits(3).prints("invalid, not scored:");
    let (_, below) = ended.stdout.split_once("invalid, not scored:").unwrap();
    assert!(below.contains("1 x the model endpoint answered with status 500: out of memory"), "{below}");
    assert!(below.contains("appagent+m/kanban-drag/r0"), "{below}");
}

#[test]
fn a_suite_that_declares_budgets_has_their_tables_and_says_what_t_max_is() {
    let dir = tempdir();
    let holds = "[[check]]\nkind = \"js\"\nexpr = \"document.title\"\nequals = \"Page\"";
    // The reference presses a key, which is one step, and says so, which is the second.
    let own = format!("max_steps = 5\n{holds}");
    suite(&dir, "s", &[("short", "<title>Page</title>", holds), ("long", "<title>Page</title>", &own)]);
    let file = dir.join("s/suite.toml");
    let text = text_in(&file).replace("max_steps = 3", "max_steps = 3\nbudgets = [1, 2, 50]");
    write(file, text);
    let eval = |more: &str| waldo(&dir, &format!("eval ./s --agent reference --agent noop {more}")).ok();
    // What a table holds of the reference and of noop, which waits to its last step.
    let within = |got: &Value| -> Vec<(u64, f64, f64)> {
        let budgets = got["budgets"].as_array().unwrap();
        let sr = |table: &Value, at: usize| table["table"][at]["sr"].as_f64().unwrap();
        budgets.iter().map(|one| (one["max_steps"].as_u64().unwrap(), sr(one, 0), sr(one, 1))).collect()
    };
    let wanted = [(1, 0.0, 0.0), (2, 1.0, 0.0)];
    let got = eval("--out r --json").json();
    assert_eq!((within(&got), &got["t_max"]), (wanted.to_vec(), &5.into()), "{got}");
    has(&got, json!({ "table/0/sr": 1.0, "table/1/sr": 1.0 }));
    let text = eval("--out r").stdout;
    assert!(text.starts_with("t_max 5, the largest of the tasks' own budgets (3 to 5 steps)"), "{text}");
    text.says("within 1 step\n").says("within 2 steps").lacks("within 50");
    let page = text_in(dir.join("r/report.html"));
    assert!(page.contains("Within 2 steps") && page.contains("3 to 5 (t_max 5)"));
    text_in(dir.join("r/summary.md")).says("budgets of 3 to 5 steps (EQA with t_max 5)");
    // Whoever makes the tables again makes the same, and other ones on demand.
    let again = |args: &str| within(&waldo(&dir, args).json());
    assert_eq!(again("report r --json"), wanted);
    assert_eq!(again("merge r --out m --json"), wanted);
    assert_eq!(again("report r --budgets 4 --json"), [(4, 1.0, 0.5)]);
    // With one budget for all there is no mixture, and what is not below it has no table.
    let one = eval("--max-steps 2 --out two --json").json();
    assert_eq!((within(&one), &one["t_max"]), (vec![(1, 0.0, 0.0)], &2.into()), "{one}");
    eval("--max-steps 2 --out two").never_prints("t_max");
}

#[test]
fn how_long_a_run_takes_is_not_guessed_before_an_episode_has_ended() {
    let dir = tempdir();
    let args = "eval l3-web --agent noop --task kanban-drag --repeats 2 --workers 1 --max-steps 3 --no-report --out r";
    let shown = at_terminal(&dir, &words(args), "").expect_code(0).stdout;
    let (before, after) = shown.split_once("1/2 ").unwrap_or_else(|| panic!("{shown:?}"));
    assert!(before.contains("0/2 ") && !before.contains("eta"), "{before:?}");
    assert!(after.starts_with("eta "), "{after:?}");
}
