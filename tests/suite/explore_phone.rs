//! Exploring and demonstrating the tasks of a phone's suite, on real simulated phones. The stand-in model
//! `reader` is asked over real HTTP; it is not a model.

use std::collections::BTreeSet;

use super::explore::{elements, goes_on_when_killed};
use super::support::*;

const APP: &str = "com.android.settings";

fn explore(more: &str) -> String {
    let task = "--device simphone --suite l3-android --task dark-theme";
    format!("explore {task} --model reader --docs docs --out run --json {more}")
}

/// What AppAgent knows them by.
fn keys(dir: &Path) -> BTreeSet<String> {
    let uid = |e: &Value| e["uid"].as_str().or(e["key"].as_str()).unwrap().to_owned();
    elements(&dir.join("docs").join(APP)).iter().map(uid).collect()
}

fn events(dir: &Path) -> Vec<Value> {
    lines(dir.join(format!("run/episodes/appagent+reader/{APP}/r0/events.jsonl")))
}

/// Records what `commands` say on a phone that starts so; gives what was printed, and what was told.
pub(super) fn record(dir: &Path, start: &[&str], commands: &str) -> (Value, String) {
    let args = [&["--device", "simphone", "--out", "demo_1"], start].concat();
    let done = demonstrated(dir, &args, commands).expect_code(0);
    (done.json(), done.stderr)
}

/// What AppAgent would number in a dump.
fn uids(dir: &Path, xml: &str) -> BTreeSet<String> {
    let listed = waldo(dir, &["elements", "--xml", xml, "--json"]).json();
    listed.as_array().unwrap().iter().map(|e| e["uid"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_task_of_a_phone_is_explored_and_documented_by_appagents_uids() {
    let dir = &*tempdir();
    let got = waldo(dir, &explore("--steps 16")).json();
    assert_eq!(got["app"], APP, "an app has its own name, not the suite's: {got}");
    let documented = got["explored"]["documented"].as_u64().unwrap();
    assert!(documented >= 6, "{got}");
    // The same task, demonstrated: its start is the same screen, and its dumps are kept as AppAgent keeps them.
    let (demo, _) = record(dir, &["--suite", "l3-android", "--task", "dark-theme"], "tap 2\nstop\n");
    has(&demo, json!({ "app": APP, "steps": 1 }));
    let goal = text_in(dir.join("demo_1/task_desc.txt"));
    assert_eq!(goal, "Turn the dark theme on.", "the task says what is demonstrated");
    let theirs = uids(dir, "demo_1/xml/demo_1_1.xml");
    assert_ne!(theirs, uids(dir, "demo_1/xml/demo_1_2.xml"), "each step has its own");
    let first_screen: BTreeSet<String> = keys(dir).into_iter().filter(|key| theirs.contains(key)).collect();
    assert!(first_screen.len() >= 3, "{first_screen:?} of {theirs:?}");
    let tapped = text_in(dir.join("demo_1/record.txt"));
    let uid = tapped.lines().next().unwrap().split(":::").nth(1).unwrap().to_owned();
    assert!(theirs.contains(&uid), "{tapped}");
    // Only the task's app was acted in; where it was left, it was started again.
    let mut place = String::new();
    for event in events(dir) {
        match event["event"].as_str().unwrap() {
            "observed" => place = event["context"]["location"].as_str().unwrap().to_owned(),
            "decided" => assert!(place.starts_with(APP), "asked about {place}"),
            _ => {}
        }
    }
    // Another task starts elsewhere: it is another exploration.
    waldo(dir, &explore("--steps 16").replace("dark-theme", "device-name")).exits(4).warns("another run");
    let nowhere = waldo(dir, "explore --suite l3-android --task dark-theme --model reader");
    nowhere.exits(4).warns("--device simphone");
}

#[test]
fn a_killed_exploration_of_a_phone_goes_on_and_documents_nothing_twice() {
    goes_on_when_killed(&tempdir(), &explore("--steps 14"), APP, &[2, 5], 2);
}

/// The share of the suite of nameless buttons that the stand-in gets right.
fn success(dir: &Path, suite: &str, out: &str, more: &str) -> f64 {
    let agent = "--device simphone --agent appagent --model reader";
    let got = waldo(dir, &format!("eval {suite} {agent} --out {out} --json --no-report {more}")).json();
    assert_eq!(got["table"][0]["invalid"], 0, "{got}");
    got["table"][0]["sr"].as_f64().unwrap()
}

#[test]
fn exploring_a_phone_lets_an_agent_use_what_has_no_name() {
    let dir = &*tempdir();
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/phone-icons").display().to_string();
    let docs = "--model reader --docs docs --out run --steps 120 --json";
    let args = format!("explore --device simphone --suite {suite} --task favourite {docs}");
    // Some hundred steps of an unoptimised program.
    let got = waldo(dir, &args).within(Duration::from_secs(900)).json();
    has(&got, json!({ "app": "com.waldo.photos", "explored/why": "nothing is left to try" }));
    let without = success(dir, &suite, "without", "");
    let with = success(dir, &suite, "with", "--docs docs");
    assert!(with >= 0.9 && without <= 0.3, "{with} with documentation, {without} without");
}

#[test]
fn two_fingers_zoom_what_a_person_demonstrates() {
    let dir = &*tempdir();
    // The first picture; there it is the second element, after the way back.
    let commands = "tap 5\npinch(2, 300)\nback\nstop\n";
    let (demo, said) = record(dir, &["--open", "com.waldo.photos"], commands);
    assert!(said.contains("[2] pinch(2, 300)") && demo["steps"] == 3, "{said}");
    let events = text_in(dir.join("demo_1/events.jsonl"));
    let near = events.lines().filter(|line| line.contains(" %: show all of it")).count();
    assert_eq!(near, 1, "one screen shows that the picture was brought nearer: {said}");
}

#[test]
fn an_exploration_that_learnt_nothing_leaves_no_app_behind() {
    let dir = tempdir();
    let model = Server::start(|_, _| Answer::new("401 Unauthorized", "application/json", "{}"));
    let model_at = format!("--model m --base-url {}", model.url("/v1"));
    let args = format!("explore --device simphone --open {APP} {model_at} --docs docs --out run");
    waldo(&dir, &args).exits(6).warns("401").never_warns("what was learnt");
    assert!(!model.requests().is_empty());
    assert_eq!(std::fs::read_dir(dir.join("docs")).unwrap().count(), 0);
}

#[test]
fn an_app_is_explored_by_the_name_that_people_know_it_by() {
    let dir = tempdir();
    let args = "explore --device simphone --open Clock --model reader --steps 2 --docs docs --out run --json";
    let got = waldo(&dir, args).json();
    let graph = json_in(dir.join("docs/Clock/screens.json"));
    let place = graph["screens"][0]["place"].as_str().unwrap();
    assert!(place.starts_with("com.android.deskclock"), "{place}: {got}");
    assert_eq!(got["explored"]["result"]["steps"], 2, "{got}");
    // One that no app has is refused with those that are there.
    let other = args.replace("Clock", "Cloak").replace("--out run", "--out other");
    waldo(&dir, &other).fails().warns("com.android.deskclock");
}
