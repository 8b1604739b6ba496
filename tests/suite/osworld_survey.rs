//! What of OSWorld's task files can be judged and played, on files of our own: the benchmark's are not here.

use super::support::*;

fn put(dir: &Path, domain: &str, id: &str, mut task: Value) {
    task["id"] = id.into();
    let folder = dir.join("evaluation_examples/examples").join(domain);
    write(folder.join(format!("{id}.json")), task.to_string());
}

/// Three tasks that a list names, and one that it leaves out.
fn benchmark(dir: &Path) {
    let evaluator = json!({
        "func": ["check_include_exclude", "compare_text_file"],
        "result": [
            { "type": "vm_command_line", "command": ["cat", "/home/user/a"] },
            { "type": "vm_file", "path": "/home/user/a", "dest": "a" },
        ],
        "expected": [
            { "type": "rule", "rules": { "include": ["x"] } },
            { "type": "cloud_file", "path": "https://files.invalid/gold", "dest": "gold" },
        ],
        "postconfig": [{ "type": "sleep", "parameters": { "seconds": 1 } }],
    });
    put(dir, "os", "plain", json!({ "instruction": "Write x", "config": [], "evaluator": evaluator }));
    put(dir, "os", "never", json!({ "instruction": "Fly", "evaluator": { "func": "infeasible" } }));
    let drive = json!({ "func": "compare_videos", "result": { "type": "googledrive_file" } });
    let login = json!([{ "type": "login", "parameters": { "platform": "googledrive" } }]);
    put(dir, "multi_apps", "drive", json!({ "instruction": "Upload", "config": login, "evaluator": drive }));
    put(dir, "os", "old", json!({ "instruction": "Old", "evaluator": { "func": "infeasible" } }));
    let list = json!({ "os": ["plain", "never"], "multi_apps": ["drive"] });
    write(dir.join("evaluation_examples/test_all.json"), list.to_string());
    write(dir.join("evaluation_examples/test_small.json"), json!({ "os": ["plain"] }).to_string());
}

#[test]
fn a_survey_says_what_is_missing_for_each_task() {
    let dir = tempdir();
    benchmark(&dir);
    let of = |args: &str| waldo(&dir, &format!("tasks osworld --osworld-dir . {args}")).ok();
    let survey = of("--json").json();
    assert_eq!(survey["counts"], json!({ "tasks": 3, "judgeable": 2, "runnable": 2, "infeasible": 1 }));
    let drive = &survey["tasks"][0];
    assert_eq!(drive["id"], "drive");
    let missing = json!([
        { "what": "setup", "name": "login" },
        { "what": "metric", "name": "compare_videos" },
        { "what": "getter", "name": "googledrive_file" },
    ]);
    assert_eq!(drive["missing"], missing);
    let plain = survey["tasks"].as_array().unwrap().iter().find(|task| task["id"] == "plain").unwrap();
    assert_eq!(plain["files"], json!(["https://files.invalid/gold"]));
    of("").prints("| multi_apps | drive | no ");
    assert_eq!(of("--osworld-set test_small --json").json()["counts"]["tasks"], 1);
    waldo(&dir, "tasks osworld --osworld-dir . --osworld-set none").fails();
    let all = waldo(&dir, "tasks osworld --osworld-dir evaluation_examples/examples --json").json();
    assert_eq!(all["counts"]["tasks"], 4);
}

#[test]
fn folders_without_tasks_and_broken_files_are_named() {
    let dir = tempdir();
    waldo(&dir, "tasks osworld --osworld-dir .").fails().warns("holds no task files");
    waldo(&dir, "tasks osworld").run().warns("--osworld-dir");
    write(dir.join("broken.json"), "{ \"instruction\": ");
    write(dir.join("half.json"), r#"{ "instruction": "x" }"#);
    let listed = waldo(&dir, "tasks osworld --osworld-dir . --json").ok().prints("evaluator");
    let broken = &listed.json()["tasks"][0];
    assert_eq!((&broken["id"], &broken["judgeable"]), (&json!("broken"), &json!(false)), "{broken}");
    assert!(broken["missing"][0]["name"].as_str().unwrap().contains("broken.json"), "{broken}");
}

#[test]
fn two_tasks_of_one_id_are_refused_only_where_both_would_be_played() {
    let dir = tempdir();
    benchmark(&dir);
    let drive = json!({ "func": "compare_videos", "result": { "type": "googledrive_file" } });
    let never = json!({ "instruction": "Fly", "evaluator": { "func": "infeasible" } });
    put(&dir, "vlc", "plain", json!({ "instruction": "Play", "evaluator": drive }));
    put(&dir, "vlc", "never", never);
    let list = |ids: &Value| {
        let all = json!({ "os": ["plain", "never"], "vlc": ids });
        write(dir.join("evaluation_examples/test_all.json"), all.to_string());
    };
    let plan = "eval osworld --osworld-dir . --device desktop --agent noop --dry-run";
    // One of the two cannot be played here anyway.
    list(&json!(["plain"]));
    let planned = waldo(&dir, &format!("{plan} --json")).json();
    assert_eq!(planned["tasks"], 2, "{planned}");
    let left: Vec<&Value> = planned["left_out"].as_array().unwrap().iter().map(|t| &t["domain"]).collect();
    assert_eq!(left, ["vlc"], "{planned}");
    list(&json!(["never"]));
    waldo(&dir, plan).exits(4).warns("os/never.json").warns("vlc/never.json");
}
