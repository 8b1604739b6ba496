//! Configuration, and manners at the command line.

use super::support::*;

fn value<'a>(shown: &'a Value, key: &str) -> &'a Value {
    shown["settings"].as_array().unwrap().iter().find(|s| s["key"] == key).unwrap()
}

#[test]
fn every_value_is_shown_with_where_it_comes_from() {
    let dir = tempdir();
    let (user, deep) = (dir.join(".config/waldo"), dir.join("project/deep"));
    folder(&deep);
    write(user.join("config.toml"), "[eval]\nworkers = 3\nseed = 4\n");
    let project =
        "[model]\nbase-url = \"http://me:hunter22@127.0.0.1:1/v1\"\n[eval]\nseed = 5\nrepeats = 6\n";
    write(dir.join("project/waldo.toml"), project);
    let config = dir.join(".config");
    let run = |args: &str| {
        let waldo = waldo(&deep, args).env("XDG_CONFIG_HOME", config.to_str().unwrap());
        waldo.env("WALDO_REPEATS", "7").env("OPENAI_API_KEY", "sk-not-for-eyes").ok()
    };
    let shown = run("config show --json").json();
    for (key, want, source) in
        [("eval.workers", 3, "user"), ("eval.seed", 5, "project"), ("eval.repeats", 7, "environment")]
    {
        has(value(&shown, key), json!({ "value": want, "source": source }));
    }
    assert_eq!(value(&shown, "eval.attempts")["source"], "default");
    assert_eq!(value(&shown, "model.api-key-env")["set"], true);
    assert_eq!(shown["files"].as_array().unwrap().len(), 2);
    let shown = run("config show").prints("environment WALDO_REPEATS").prints("http://me:...@127.0.0.1:1/v1");
    shown.never_prints("hunter22").never_prints("sk-not-for-eyes");
    // What is configured reaches the command, and a flag wins.
    let plan = run("eval l3-web --agent noop --dry-run --json").json();
    assert_eq!(plan["repeats"], 7);
    assert!(plan["run"].as_str().unwrap().ends_with("-s5"), "{plan}");
    let plan = run("eval l3-web --agent noop --dry-run --json --repeats 2").json();
    assert_eq!(plan["repeats"], 2);
}

#[test]
fn the_screen_can_be_configured_and_a_flag_wins() {
    let dir = tempdir();
    write(dir.join("waldo.toml"), "[device]\ndevice = \"simphone\"\n");
    let goal = "--agent noop --max-steps 1 'look around'";
    waldo(&dir, &format!("run --open com.android.settings --out o {goal}")).ok();
    let manifest = json_in(dir.join("o/manifest.json"));
    assert_eq!(manifest["parameters"]["device"], "simphone");
    // What does not go together is told, wherever the screen was named.
    let eval = "eval l3-web --agent noop --dry-run";
    for (args, told) in [
        (
            &format!("run --url http://127.0.0.1:9 {goal}")[..],
            "on simphone --open names what to start (a page: --device web)",
        ),
        (&format!("run --device web --open a.b {goal}"), "--open is for phones and desktops"),
        (&format!("run --device web {goal}"), "a browser needs --url"),
        ("explore --model reader --device web", "a browser needs --url"),
        ("elements --device web", "a browser needs --url"),
        ("demo record --url http://127.0.0.1:9 'look around'", "on simphone --open names what to start"),
        (eval, "not on simphone: give --device web"),
    ] {
        waldo(&dir, args).exits(4).warns(told);
    }
    waldo(&dir, &format!("{eval} --device web")).ok();
    write(dir.join("waldo.toml"), "[device]\ndevice = \"phone\"\n");
    waldo(&dir, eval).exits(4).warns("waldo.toml:2").warns("write web, simphone,");
}

#[test]
fn a_mistake_stops_with_file_line_and_the_likely_name() {
    let dir = tempdir();
    write(dir.join("waldo.toml"), "[browser]\nviewport = \"1280x800\"\nhaeded = true\n");
    for args in ["config show", "tasks", "eval l3-web --agent noop --dry-run"] {
        waldo(&dir, args).exits(4).warns("waldo.toml:3").warns("did you mean 'headed'?");
    }
    for args in ["config path", "config schema", "completions fish"] {
        waldo(&dir, args).ok();
    }
    waldo(&dir, "tasks").env("WALDO_CONFIG", "").env("WALDO_SETTLE", "soon").exits(4).warns("WALDO_SETTLE");
}

#[test]
fn a_plan_counts_episodes_and_calls_and_plays_nothing() {
    let dir = tempdir();
    write(dir.join("p.json"), r#"{"m": {"prompt": 1, "completion": 2}}"#);
    let args = "eval l3-web --agent appagent --model m --with-bounds --repeats 3 --budgets 15,50 --task register-form \
        --max-cost 0.5 --prices p.json --dry-run --json";
    let plan = waldo(&dir, args).json();
    let names: Vec<&Value> = plan["contestants"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["appagent+m", "reference", "baseline", "random", "noop", "refuser"]);
    assert_eq!(plan["episodes"], 18);
    let first = &plan["contestants"][0];
    has(first, json!({ "steps_at_most": 150, "model_calls_at_most": 300, "usd_at_most": 1.5 }));
    assert!(!dir.join("runs").exists());
    waldo(&dir, "eval l3-web --agent noop --max-cost 1 --dry-run").exits(4).warns("--prices FILE");
    let args = "eval l3-web --agent noop --max-steps 15 --budgets 15,50";
    waldo(&dir, args).exits(4).warns("--max-steps 50");
    for wrong in ["15,x", "15,0", "15,-1", "15,1.5"] {
        let ended = waldo(&dir, &format!("eval l3-web --agent noop --budgets={wrong}")).fails();
        ended.warns("give whole numbers above 0, such as --budgets 15,50");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_mishap() {
    let mut child = waldo(&tempdir(), "tasks l3-web --json").start_told();
    drop(child.stdout.take());
    let ended = Ended::awaited(child).expect_code(0);
    assert_eq!(ended.stderr, "");
}

#[test]
fn what_is_denied_must_be_an_action() {
    let dir = tempdir();
    let args = "run --url http://127.0.0.1:1 --agent noop --deny naviagte go";
    waldo(&dir, args).exits(2).warns("did you mean 'navigate'?");
}
