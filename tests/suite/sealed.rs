//! Results that do not agree with the events that led to them: every command that reads a run names them, and none
//! scores them.

use super::support::*;

const RESULT: &str = "r/episodes/noop/kanban-drag/r0/result.json";

const PLAY: &str = "eval l3-web --agent noop --task kanban-drag --max-steps 1 --json --out r";

fn edited(dir: &Path, good: &[u8], edit: impl Fn(&mut Value)) {
    let mut result: Value = serde_json::from_slice(good).unwrap();
    edit(&mut result);
    write(dir.join(RESULT), serde_json::to_vec_pretty(&result).unwrap());
}

#[test]
fn a_forged_result_is_named_and_scored_by_no_command() {
    let dir = tempdir();
    let honest = waldo(&dir, PLAY).json();
    has(&honest["table"][0], json!({ "n": 1, "invalid": 0 }));
    let good = std::fs::read(dir.join(RESULT)).unwrap();
    let row = |line: &str| waldo(&dir, line).run().json()["table"][0].clone();
    type Edit<'a> = (&'a str, &'a dyn Fn(&mut Value));
    let edits: [Edit<'_>; 5] = [
        ("success", &|result| result["success"] = 1.0.into()),
        ("steps", &|result| result["steps"] = 0.into()),
        ("outcome", &|result| result["outcome"] = "declared_infeasible".into()),
        ("claim", &|result| result["claim"] = "42".into()),
        ("checks", &|result| result["checks"] = Value::Array(Vec::new())),
    ];
    for (what, edit) in edits {
        edited(&dir, &good, edit);
        let told = row("report r --json");
        assert!(told["invalid"] == 1 && told["sr"] != 1.0, "{what}: {told}");
        text_in(dir.join("r/results.csv")).says("does not agree with its events.jsonl").says(what);
        has(&row(&format!("merge r --out merged-{what} --json")), json!({ "invalid": 1 }));
    }
    // A run that goes on plays it again, and is whole then.
    edited(&dir, &good, |result| result["success"] = 1.0.into());
    has(&row(PLAY), json!({ "invalid": 0 }));
    has(&json_in(dir.join(RESULT)), json!({ "success": 0.0 }));
    // Without its events nothing says that it is what came of the episode.
    std::fs::remove_file(dir.join(RESULT).with_file_name("events.jsonl")).unwrap();
    has(&row("report r --json"), json!({ "invalid": 1 }));
}
