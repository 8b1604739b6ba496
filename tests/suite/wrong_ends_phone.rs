//! Ends that look right and are not, on simulated phones: a built-in task's reference with something beside it, or
//! something else instead, must fail the check that it belongs to; a mistake that was mended must not.

use super::support::*;

enum Change {
    /// Steps at its end, each an action with its fields.
    Then(&'static [&'static str]),
    Twice,
    Instead(&'static [&'static str]),
    Text(&'static str, &'static str),
    /// Steps before the one that taps the button of this name.
    Before(&'static str, &'static [&'static str]),
}

use Change::{Before, Instead, Text, Then, Twice};

const ADD_ALARM: &[&str] = &["button Add alarm", "button 5", "button 10", "button OK"];
const PLUS_TWICE: &[&str] = &["nth button 1", "nth button 1"];
const RENAMED: &[&str] = &[
    "first {{ title }}",
    "clear {{ title }}",
    "nth textbox 0",
    "type Other",
    "button Navigate up",
    "first {{ title }}",
    "clear {{ title }}",
    "nth textbox 0",
    "type Another",
    "button Navigate up",
];

/// Suite, task, what is done otherwise, and the words of the check that fails for it; none where all is as it should be.
const ENDS: &[(&str, &str, Change, Option<&str>)] = &[
    ("l3-android", "alarm-weekdays", Then(ADD_ALARM), Some("nothing else changed")),
    ("l3-android", "contact-create", Text("{{ phone }}", "{{ phone }}99"), Some("phone_v2")),
    ("l3-android", "contact-number", Text("text = \"{{ new }}\"", "text = \"1{{ new }}\""), Some("data1")),
    ("l3-android", "drawer-search", Instead(&["open com.android.settings"]), Some("searches")),
    ("l3-android", "app-info", Text("name = \"Settings\"", "name = \"Clock\""), Some("extras/package")),
    ("l3-android", "event-create", Twice, Some("calendar/events")),
    ("l3-android", "note-duplicates", Instead(RENAMED), Some("removed")),
    ("l3-android", "shop-order", Before("Checkout", PLUS_TWICE), Some("order_items")),
    ("l3-android", "travel-data", Then(&["button Airplane mode"]), Some("nothing else changed")),
    ("l4-android", "two-events", Then(&["nth switch 0"]), Some("deskclock/alarms")),
    ("l3-android", "travel-data", Then(&["button Airplane mode", "button Airplane mode"]), None),
    ("l3-android", "alarm-off", Then(&["nth switch 1", "nth switch 1"]), None),
    ("l3-android", "contact-favourite", Then(&["nth button 0", "nth button 0"]), None),
];

fn step(words: &str) -> String {
    let (what, name) = words.split_once(' ').unwrap();
    let fields = match what {
        "button" => format!("do = \"tap\"\nrole = \"button\"\ncontains = \"{name}\""),
        "first" => format!("do = \"tap\"\nrole = \"button\"\ncontains = \"{name}\"\nnth = 0"),
        "nth" => {
            let (role, nth) = name.split_once(' ').unwrap();
            let name = if role == "button" { "name = \"\"\n" } else { "" };
            format!("do = \"tap\"\nrole = \"{role}\"\n{name}nth = {nth}")
        }
        "clear" => format!("do = \"clear\"\nrole = \"textbox\"\nvalue = \"{name}\""),
        "type" => format!("do = \"type\"\ntext = \"{name}\""),
        "open" => format!("do = \"open_app\"\napp = \"{name}\""),
        other => panic!("no step {other}"),
    };
    format!("[[reference]]\n{fields}\n\n")
}

fn steps(all: &[&str]) -> String {
    all.iter().map(|words| step(words)).collect()
}

/// The built-in task's file under another id, with another reference.
fn file(suite: &str, task: &str, id: &str, change: &Change) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tasks/suites/{suite}/tasks/{task}.toml"));
    let text = text_in(path);
    let (head, reference) = text.split_at(text.find("[[reference]]").unwrap());
    let lines = head.lines().filter(|line| !line.starts_with("id = ") && !line.starts_with("max_steps = "));
    let head = format!("id = \"{id}\"\nmax_steps = 60\n{}", lines.collect::<Vec<_>>().join("\n"));
    let reference = match change {
        Then(more) => format!("{reference}\n\n{}", steps(more)),
        Twice => format!("{reference}\n\n{reference}"),
        Instead(other) => steps(other),
        Text(old, new) => {
            assert!(reference.contains(old), "{task} has no {old}");
            reference.replace(old, new)
        }
        Before(name, more) => {
            let at = reference.find(&format!("name = \"{name}\"")).unwrap();
            let at = reference[..at].rfind("[[reference]]").unwrap();
            format!("{}{}{}", &reference[..at], steps(more), &reference[at..])
        }
    };
    format!("{head}\n\n{reference}")
}

#[test]
fn ends_that_look_right_score_nothing_and_mended_mistakes_score_whole() {
    let dir = tempdir();
    let tasks = dir.join("s/tasks");
    let id = |at: usize| format!("end-{at}");
    let order: Vec<String> = (0..ENDS.len()).map(|at| format!("\"{}\"", id(at))).collect();
    let suite = suite_head("s", "android", 60, &order.join(", ")).replace("format = 1", "format = 2");
    write(dir.join("s/suite.toml"), suite);
    for (at, (suite, task, change, _)) in ENDS.iter().enumerate() {
        write(tasks.join(format!("{}.toml", id(at))), file(suite, task, &id(at), change));
    }
    waldo(&dir, "eval ./s --agent reference -o run").ok();
    for (at, (_, task, _, wanted)) in ENDS.iter().enumerate() {
        let result = json_in(dir.join("run/episodes/reference").join(id(at)).join("r0/result.json"));
        let success = if wanted.is_some() { 0.0 } else { 1.0 };
        has(&result, json!({ "outcome": "finished", "success": success }));
        let checks = result["checks"].as_array().unwrap();
        let failed = |check: &&Value| check["passed"] == false;
        let told: Vec<&str> =
            checks.iter().filter(failed).filter_map(|check| check["what"].as_str()).collect();
        assert!(
            wanted.is_none_or(|wanted| told.iter().any(|what| what.contains(wanted))),
            "{task}: {told:?}"
        );
    }
}
