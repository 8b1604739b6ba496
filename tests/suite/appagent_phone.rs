//! AppAgent's numbers and keys on real simulated phones, and ours beside them.

use std::collections::BTreeMap;

use super::explore::elements;
use super::explore_phone::record;
use super::support::*;

const SETTINGS: &str = "com.android.settings";
const START: &str = "--device simphone --suite l3-android --task dark-theme";

/// What the first screen of a record numbers: uid and bounds, by number.
fn numbered(file: &Path) -> Vec<(String, [i64; 4])> {
    let first = lines(file).into_iter().find(|e| e["event"] == "observed").unwrap();
    let tagged = first["tagged"].as_array().unwrap().iter().enumerate();
    let told = tagged.map(|(at, t)| {
        assert_eq!(t["tag"], at + 1);
        let element = &first["elements"][t["element"].as_u64().unwrap() as usize];
        let b = |side: &str| element["bounds"][side].as_f64().unwrap() as i64;
        let (x, y) = (b("x"), b("y"));
        (element["uid"].as_str().unwrap().to_owned(), [x, y, x + b("w"), y + b("h")])
    });
    told.collect()
}

#[test]
fn under_compat_a_phones_screen_is_numbered_as_its_dump() {
    let dir = &*tempdir();
    record(dir, &["--compat", "--suite", "l3-android", "--task", "dark-theme"], "tap 2\nstop\n");
    let listed = waldo(dir, "elements --xml demo_1/xml/demo_1_1.xml --json").run().json();
    let listed = listed.as_array().unwrap().iter();
    let theirs: Vec<(String, [i64; 4])> = listed
        .map(|e| {
            (e["uid"].as_str().unwrap().to_owned(), serde_json::from_value(e["bounds"].clone()).unwrap())
        })
        .collect();
    assert!(theirs.len() >= 4, "{theirs:?}");
    assert_eq!(numbered(&dir.join("demo_1/events.jsonl")), theirs, "demonstrated");
    let tapped = text_in(dir.join("demo_1/record.txt"));
    assert_eq!(tapped.lines().next(), Some(format!("tap(2):::{}", theirs[1].0).as_str()));
    // Explored, on the same start; the model taps the second, and the run ends at its unreadable reflection.
    let model = scripted(vec![
        "Observation: o\nThought: t\nAction: tap(2)\nSummary: s",
        "Decision: BACK\nThought: t",
    ]);
    let model = format!("--model m --base-url {} --compat --request-interval 0", model.url("/v1"));
    waldo(dir, &format!("explore {model} --docs docs --out run --json {START}")).ok();
    let events = dir.join(format!("run/episodes/appagent+m/{SETTINGS}/r0/events.jsonl"));
    assert_eq!(numbered(&events), theirs, "explored");
    let tap = lines(&events).into_iter().find(|e| e["event"] == "acted").unwrap();
    let [x1, y1, x2, y2] = theirs[1].1;
    let at = json!({ "x": ((x1 + x2) / 2) as f64, "y": ((y1 + y2) / 2) as f64 });
    assert_eq!(tap["action"]["at"], at, "the middle of the second");
    // Deployed.
    let model = scripted(vec![
        "Observation: o\nThought: t\nAction: text(\"it's\")\nSummary: s",
        "Observation: o\nThought: t\nAction: FINISH\nSummary: s",
    ]);
    let contestant = format!("--agent appagent --model m --base-url {} --compat", model.url("/v1"));
    let task = "--device simphone --task dark-theme --out played --json --no-report";
    waldo(dir, &format!("eval l3-android {contestant} {task}")).ok();
    let events = dir.join("played/episodes/appagent+m/dark-theme/r0/events.jsonl");
    assert_eq!(numbered(&events), theirs, "deployed");
    let typed = lines(&events).into_iter().find(|e| e["event"] == "acted").unwrap();
    assert_eq!(typed["action"]["text"], "its", "its controller types no apostrophes");
}

#[test]
fn rows_that_share_a_uid_are_told_apart_by_their_names_or_their_rows() {
    let dir = &*tempdir();
    let args = format!("explore --model reader --docs docs --out run --json --steps 60 --patience 0 {START}");
    let got = waldo(dir, &args).json();
    let mut by_uid: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for doc in elements(&dir.join("docs").join(SETTINGS)) {
        let uid = if doc["uid"].is_string() { &doc["uid"] } else { &doc["key"] };
        by_uid.entry(uid.as_str().unwrap().to_owned()).or_default().push(doc);
    }
    let shared: Vec<&Vec<Value>> = by_uid.values().filter(|docs| docs.len() > 1).collect();
    assert!(!shared.is_empty(), "no two pages have rows of one uid: {got} {:?}", by_uid.keys());
    for docs in shared {
        // Where an element has no name, its key has the words of its row.
        let name = |doc: &Value| doc.get("name").unwrap_or(&doc["key"]).to_string();
        let names: std::collections::BTreeSet<String> = docs.iter().map(name).collect();
        assert_eq!(names.len(), docs.len(), "{docs:?}");
    }
    assert!(got["explored"]["screens"].as_u64().unwrap() >= 4, "{got}");
}

#[test]
fn a_person_edits_and_nobody_else_learns_while_an_exploration_runs() {
    let dir = &*tempdir();
    let explore = |out: &str, steps: u32| {
        format!("explore --model reader --docs docs --out {out} --json --steps {steps} {START}")
    };
    let folder = dir.join("docs").join(SETTINGS).join("elements");
    let there = || {
        std::fs::read_dir(&folder)
            .is_ok_and(|mut d| d.any(|e| e.is_ok_and(|e| e.path().extension().is_some_and(|x| x == "md"))))
    };
    let mut child = waldo(dir, &explore("run", 60)).start();
    until("a note", 180, || there() || child.try_wait().unwrap().is_some());
    let key = elements(&dir.join("docs").join(SETTINGS))[0]["key"].as_str().unwrap().to_owned();
    let owner = format!("waldo explore (process {}", child.id());
    waldo(dir, &explore("other", 60)).exits(4).warns(owner);
    waldo(dir, &["docs", "edit", "docs", &key, "--slot", "tap", "--text", "In my words."]).ok();
    // Killed, it lets go of the folder.
    kill(&mut child);
    waldo(dir, &explore("run", 14)).ok();
    let all = elements(&dir.join("docs").join(SETTINGS));
    let mine = all.iter().find(|d| d["key"] == key.as_str()).unwrap();
    assert_eq!(mine["layers"]["hand"]["tap"], "In my words.", "{mine}");
    assert!(all.len() >= 3, "{all:?}");
}

/// Plays these calls on the photos app: what was done and what came of it, and the screens, the first included.
fn calls(actions: &[&str]) -> (Vec<Value>, Vec<Value>) {
    let dir = tempdir();
    let actions: Vec<String> = actions.iter().map(|action| (*action).to_owned()).collect();
    let model = Server::start(move |n, _| Answer::acts(&actions[n]));
    let contestant = format!("--agent appagent --model m --base-url {}", model.url("/v1"));
    let start = "--device simphone --open com.waldo.photos";
    waldo(&dir, &format!("run 'look at it' {start} {contestant} --out r --json")).ok();
    (events_of(&dir.join("r"), "acted"), events_of(&dir.join("r"), "observed"))
}

#[test]
fn a_picture_is_brought_nearer_by_two_taps() {
    let (acted, seen) = calls(&["tap(4)", "double_tap(2)", "FINISH"]);
    let picture = seen[1]["tagged"][1]["element"].as_u64().unwrap() as usize;
    let name = &seen[1]["elements"][picture]["name"];
    assert!(name.as_str().is_some_and(|name| name.starts_with("Picture: ")), "{name}");
    has(&acted[1], json!({ "action/clicks": "double", "report/effect": "confirmed" }));
}

#[test]
fn a_phone_is_turned_and_an_app_is_ended() {
    let (acted, seen) = calls(&["rotate(\"left\")", "stop_app(\"Photos\")", "rotate(\"upright\")", "FINISH"]);
    for act in &acted {
        assert_eq!(act["report"]["effect"], "confirmed", "{act}");
    }
    let wide = |n: usize| {
        let size = &seen[n]["geometry"]["physical"];
        size["w"].as_f64().unwrap() > size["h"].as_f64().unwrap()
    };
    assert_eq!([wide(0), wide(1), wide(2), wide(3)], [false, true, true, false]);
    let front = |n: usize| seen[n]["context"]["location"].as_str().unwrap();
    assert!(front(1).starts_with("com.waldo.photos/") && front(2).starts_with("com.android.launcher3/"));
}

#[test]
fn under_compat_a_grid_lasts_one_action_and_costs_the_summary() {
    let dir = tempdir();
    let model = scripted(vec![
        "Observation: o\nThought: t\nAction: grid()\nSummary: I asked for the grid.",
        "Observation: o\nThought: t\nAction: tap(31, \"top-left\")\nSummary: I tapped.",
        "Action: tap(1)",
    ]);
    let model = format!("--agent appagent --model m --base-url {}", model.url("/v1"));
    let args =
        format!("run 'look at it' --device simphone --open {SETTINGS} --compat {model} --out r --watch");
    waldo(&dir, &args).exits(8).warns("reply not used: AppAgent cannot read this reply");
    let acted = events_of(&dir.join("r"), "acted");
    // Nine columns of 120 pixels: the fourth of the fourth row, a quarter into it.
    assert_eq!(acted[0]["action"]["at"], json!({ "x": 390.0, "y": 390.0 }));
    assert_eq!(acted.len(), 1);
    let decided = events_of(&dir.join("r"), "decided");
    assert_eq!(decided[1]["decision"]["call"], "tap(31, \"top-left\")");
    let prompt = |n: usize| decided[n]["decision"]["exchanges"][0]["prompt"].as_str().unwrap();
    assert!(prompt(1).contains("# So far\n\ngrid\n") && prompt(1).contains("tap(area"), "{}", prompt(1));
    assert!(prompt(2).contains("I tapped.") && !prompt(2).contains("tap(area"), "{}", prompt(2));
}
