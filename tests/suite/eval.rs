//! Evaluations on the built-in suite in a real browser.

use super::foreign::unwrapped;
use super::support::*;

/// Task, success and steps of every result, in order of path.
fn results(run: &Path) -> Vec<(String, f64, u64)> {
    let of = |path| {
        let result = json_in(path);
        let key = format!("{}/{}/r{}", result["contestant"], result["task"], result["repeat"]);
        (key, result["success"].as_f64().unwrap(), result["steps"].as_u64().unwrap())
    };
    let mut found: Vec<_> = files(&run.join("episodes"), "result.json").into_iter().map(of).collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn the_reference_solves_every_task_and_noop_none() {
    let dir = tempdir();
    let played = |agent: &str| {
        let args = format!("eval l3-web {agent} --workers 4 --json");
        waldo(&dir, &args).within(Duration::from_secs(900)).json()
    };
    let got = played("--agent reference --out r");
    let top = row(&got, "reference");
    let failed: Vec<_> =
        results(&dir.join("r")).into_iter().filter(|(_, success, _)| *success < 1.0).collect();
    assert_eq!(top["sr"], 1.0, "not solved: {failed:?}");
    assert!(top["eqa"].as_f64().unwrap() < 1.0 && top["eqa"].as_f64().unwrap() > 0.5);
    has(top, json!({ "invalid": 0, "missing": 0 }));
    // Doing nothing more often changes nothing.
    let nothing = played("--agent noop --max-steps 1 --no-report --out n");
    has(row(&nothing, "noop"), json!({ "sr": 0.0, "invalid": 0 }));
    for file in ["report.html", "results.csv", "junit.xml", "summary.md", "summary.json"] {
        assert!(dir.join("r").join(file).metadata().unwrap().len() > 200, "{file}");
    }
}

#[test]
fn appagent_is_driven_over_http_by_the_reference_model() {
    let dir = tempdir();
    let tasks = "--task register-form --task kanban-drag --task cheapest-answer --task iframe-form --task new-tab \
        --task infeasible-delete";
    let agent = "--agent appagent --model reference --workers 3";
    let got = waldo(&dir, &format!("eval l3-web {agent} {tasks} --out r --json")).json();
    let row = row(&got, "appagent+reference");
    assert_eq!(row["sr"], 1.0, "{:?}", results(&dir.join("r")));
    assert!(row["model_calls"].as_u64().unwrap() >= 6);
}

#[test]
fn a_killed_run_goes_on_and_ends_as_if_it_had_not_been() {
    let dir = tempdir();
    let temp = dir.join("tmp");
    std::fs::create_dir(&temp).unwrap();
    let marker = temp.to_str().unwrap().to_owned();
    let tasks = "--task kanban-drag --task paged-table-edit --task canvas-draw --task modal-confirm \
        --task infeasible-delete --task download-report";
    let args = |out: &str| {
        let agents = "--agent reference --agent random --max-steps 12 --workers 4";
        format!("eval l3-web {agents} {tasks} --no-report --json --out {out}")
    };
    let whole = waldo(&dir, &args("whole")).json();

    let mut child = waldo(&dir, &args("cut")).env("TMPDIR", &marker).start();
    let cut = dir.join("cut");
    until("two episodes are complete", 120, || cut.join("episodes").exists() && results(&cut).len() >= 2);
    kill(&mut child);
    let done = results(&cut).len();
    assert!(done < 12, "all {done} episodes were complete before the kill");
    until("the browser dies with its owner", 20, || processes(&marker).is_empty());

    let again = waldo(&dir, &args("cut")).env("TMPDIR", &marker).json();
    assert_eq!(profiles(&temp), Vec::<std::ffi::OsString>::new(), "the killed one's profile is swept");
    assert_eq!(results(&cut), results(&dir.join("whole")));
    for name in ["reference", "random"] {
        for figure in ["n", "sr", "eqa", "mean_steps"] {
            assert_eq!(row(&whole, name)[figure], row(&again, name)[figure], "{name} {figure}");
        }
    }
}

#[test]
fn parts_merge_to_the_whole() {
    let dir = tempdir();
    let args = |out: &str| {
        let tasks = "--task kanban-drag --task canvas-draw --task cheapest-answer";
        format!("eval l3-web --agent reference {tasks} --repeats 2 --no-report --json --out {out}")
    };
    let whole = waldo(&dir, &args("whole")).json();
    for (part, out) in [("slice:1/2", "p1"), ("slice:2/2", "p2")] {
        waldo(&dir, &format!("{} --partition {part}", args(out))).ok();
    }
    let merged = waldo(&dir, "merge p1 p2 --out m --json").json();
    assert_eq!(merged["episodes"], 6);
    for figure in ["n", "sr", "eqa", "eqa_ci", "mean_steps", "missing"] {
        assert_eq!(row(&whole, "reference")[figure], row(&merged, "reference")[figure], "{figure}");
    }
    assert_eq!(results(&dir.join("m")), results(&dir.join("whole")));
}

/// Of a task that cannot be done, too: that the recording does not fit is not a word of its agent's.
#[test]
fn a_replay_that_drifts_has_no_score() {
    let dir = tempdir();
    let task = |button: &str| {
        support_suite(&dir, &format!("<!doctype html><title>T</title><button>{button}</button>"));
    };
    task("Save");
    let got = waldo(&dir, "eval ./s --agent reference --no-report --json --out r").json();
    assert_eq!(got["table"][0]["sr"], 1.0, "{got}");
    let replay = "replay r reference/none/r0 --suite ./s";
    let again = waldo(&dir, &format!("{replay} --json")).json();
    has(&again, json!({ "success": 1.0, "drifted": null }));
    task("Other");
    let got = waldo(&dir, &format!("{replay} --json")).exits(8).json();
    assert!(got["success"].is_null() && got["drifted"].as_str().unwrap().contains("Save"), "{got}");
    waldo(&dir, replay).exits(8).prints("no score").never_prints("success");
}

/// A suite of one task that cannot be done, whose reference taps a button first.
fn support_suite(dir: &Path, page: &str) {
    let checks = "infeasible = true\n[[reference]]\ndo = \"tap\"\nrole = \"button\"\n\
                  [[reference]]\ndo = \"infeasible\"\ntext = \"no such thing\"\n";
    suite(dir, "s", &[("none", page, "")]);
    let file = dir.join("s/tasks/none.toml");
    let start = "id = \"none\"\ntitle = \"T\"\ncategory = \"c\"\ngoal = \"Do it.\"\nstart = \"/none/\"\n";
    write(file, format!("{start}{checks}"));
}

#[test]
fn a_run_is_recorded_and_played_again_without_its_model() {
    use std::io::BufRead as _;
    let dir = tempdir();
    let mut server = waldo(&dir, "serve-model reference --port 0 --json --seed 5").start();
    // The address comes as JSON over several lines, and then nothing: it goes on serving.
    let mut told = String::new();
    let mut out = std::io::BufReader::new(server.stdout.take().unwrap());
    let told: Value = loop {
        assert!(out.read_line(&mut told).unwrap() > 0, "it ended: {told}");
        if let Ok(value) = serde_json::from_str(&told) {
            break value;
        }
    };
    let base = told["base_url"].as_str().unwrap().to_owned();
    let run = |model: &str, out: &str, more: &str| {
        let tasks = "--task kanban-drag --task register-form --task modal-confirm --workers 2";
        let model = format!("--agent appagent --model {model} --base-url {base}");
        waldo(&dir, &format!("eval l3-web {model} {tasks} --no-report --json --out {out} {more}")).run()
    };
    let live = run("stand-in", "live", "--seed 5 --record-model cassette").expect_code(0).json();
    assert_eq!(live["table"][0]["sr"], 1.0, "{live}");
    kill(&mut server);

    // Nothing listens there any more.
    let again = run("replay:cassette", "again", "--seed 5").expect_code(0).json();
    for figure in ["n", "sr", "eqa", "mean_steps", "model_calls", "invalid"] {
        assert_eq!(live["table"][0][figure], again["table"][0][figure], "{figure}");
    }
    let missed = run("replay:cassette", "other", "--seed 6").expect_code(6);
    unwrapped(&missed.stderr).says("recorded").says("asked");
}

fn pictures(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("step-")).collect()
}

#[test]
fn pictures_are_left_out_for_those_who_look_at_none() {
    let dir = tempdir();
    let args = "eval l3-web --task wizard --agent reference --agent appagent --model reference \
        --only-needed-pictures --out r --json";
    waldo(&dir, args).within(Duration::from_secs(300)).json();
    let run = dir.join("r");
    let played = results(&run);
    assert!(played.len() == 2 && played.iter().all(|(_, success, _)| *success >= 1.0), "{played:?}");
    let contestants = std::fs::read_dir(run.join("episodes")).unwrap().flatten();
    let counts: Vec<(bool, usize)> = contestants
        .map(|of| (of.file_name() == "reference", pictures(&of.path().join("wizard/r0")).len()))
        .collect();
    assert_eq!(counts.len(), 2);
    assert!(counts.iter().all(|(looks_at_none, n)| *looks_at_none == (*n == 0)), "{counts:?}");
    text_in(run.join("manifest.json")).says("\"only_needed_pictures\": true");
    assert!(run.join("report.html").exists());
}
