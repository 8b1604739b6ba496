//! Exploring, documentation and what it is worth, on real pages in a real browser. The stand-in model
//! `reader` is asked over real HTTP; it is not a model.

use std::collections::BTreeSet;

use super::planner::report_steps;
use super::support::*;

fn icons() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/icons").display().to_string()
}

fn explore(more: &str) -> String {
    let task = format!("--suite '{}' --task archive", icons());
    format!("explore {task} --model reader --docs docs --out run --json {more}")
}

fn success(dir: &Path, out: &str, more: &str) -> f64 {
    let contestant = "--agent appagent --model reader";
    let args = format!("eval '{}' {contestant} --out {out} --json --no-report {more}", icons());
    let got = waldo(dir, &args).json();
    assert_eq!(got["table"][0]["invalid"], 0, "{got}");
    got["table"][0]["sr"].as_f64().unwrap()
}

/// What is documented of an app.
pub fn elements(app: &Path) -> Vec<Value> {
    let entries = std::fs::read_dir(app.join("elements")).unwrap().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "json")).map(json_in).collect()
}

/// Element, step and slot of every note that exploring wrote.
fn notes(app: &Path) -> Vec<(String, u64, String)> {
    let of = |element: Value| {
        let history = element["history"].as_array().unwrap().clone().into_iter();
        let key = element["key"].as_str().unwrap().to_owned();
        history.map(move |change| (key.clone(), change["step"].as_u64().unwrap(), change["slot"].to_string()))
    };
    elements(app).into_iter().flat_map(of).collect()
}

/// Kills an exploration of `app` at some of its steps, and lets it go on to its end.
pub fn goes_on_when_killed(dir: &Path, args: impl Args + Copy, app: &str, stops: &[u64], noted: usize) {
    let record = dir.join(format!("run/episodes/appagent+reader/{app}/r0"));
    let state = record.join("explore.json");
    let step = || -> u64 {
        let text = std::fs::read(&state).unwrap_or_default();
        serde_json::from_slice::<Value>(&text).map_or(0, |s| s["step"].as_u64().unwrap_or(0))
    };
    for stop in stops {
        let mut child = waldo(dir, args).start();
        until("steps", 120, || step() >= *stop || child.try_wait().unwrap().is_some());
        kill(&mut child);
    }
    let app = dir.join("docs").join(app);
    let before = notes(&app);
    assert!(before.len() >= noted, "{before:?}");
    let got = waldo(dir, args).json();
    let after = notes(&app);
    for note in &before {
        assert!(after.contains(note), "{note:?} is lost");
    }
    let steps: BTreeSet<u64> = after.iter().map(|n| n.1).collect();
    assert_eq!(steps.len(), after.len(), "two notes of one step: {after:?}");
    assert_eq!(got["explored"]["documented"].as_u64().unwrap(), after.len() as u64, "{got}");
    let twice: Vec<_> =
        after.iter().filter(|a| after.iter().filter(|b| a.0 == b.0 && a.2 == b.2).count() > 1).collect();
    let refined = got["explored"]["refined"].as_u64().unwrap() as usize;
    assert!(twice.len() <= 2 * refined, "documented twice: {twice:?}");
    let decided = events_of(&record, "decided");
    let decided: Vec<u64> = decided.iter().map(|event| event["step"].as_u64().unwrap()).collect();
    let all: Vec<u64> = (1..=got["explored"]["result"]["steps"].as_u64().unwrap()).collect();
    assert_eq!(decided, all, "every step is recorded once");
}

#[test]
fn exploring_lets_an_agent_use_what_has_no_name() {
    let dir = tempdir();
    let got = waldo(&dir, &explore("--steps 120")).json();
    let explored = &got["explored"];
    assert_eq!(explored["why"], "nothing is left to try", "{got}");
    // More than one tap deep: the tools of a message and the settings lie behind the inbox.
    let keys: Vec<Value> = elements(&dir.join("docs/icons")).iter().map(|e| e["key"].clone()).collect();
    let nameless = keys.iter().filter(|key| key.as_str().unwrap().contains(" no. ")).count();
    assert!(nameless >= 8, "{keys:?}");
    assert!(explored["screens"].as_u64().unwrap() >= 3, "{got}");
    let without = success(&dir, "without", "");
    let with = success(&dir, "with", "--docs docs");
    assert!(with >= 0.9 && without <= 0.3, "{with} with documentation, {without} without");
    // A run with documentation is another run.
    let other = format!("eval '{}' --agent appagent --model reader --out with", icons());
    waldo(&dir, &other).exits(4);
    // The record is like any other's.
    waldo(&dir, "report run").ok();
    let steps = report_steps(&dir.join("run"));
    assert!(steps.contains("Looking back: "), "the report shows reflections");
    // The page for people.
    waldo(&dir, "docs page docs --out page.html").ok();
    let page = text_in(dir.join("page.html"));
    assert!(page.contains("src=\"data:image") && page.contains("Undo archiving"));
    // Nothing new is learnt by exploring once more, and no model is needed to know it.
    let got = waldo(&dir, &explore("--steps 120").replace("--out run", "--out again")).json();
    has(&got["explored"], json!({ "documented": 0, "result/model_calls": 0 }));
}

#[test]
fn a_killed_exploration_goes_on_and_documents_nothing_twice() {
    goes_on_when_killed(&tempdir(), &explore("--steps 60"), "icons", &[3, 7, 12], 5);
}

#[test]
fn a_raised_limit_is_the_reports_too() {
    let dir = tempdir();
    for steps in ["2", "4"] {
        let got = waldo(&dir, &explore(&format!("--steps {steps}"))).json();
        assert_eq!(got["explored"]["result"]["steps"].to_string(), steps, "{got}");
        let manifest = json_in(dir.join("run/manifest.json"));
        assert_eq!(manifest["tasks"][0]["max_steps"].to_string(), steps);
        let page = text_in(dir.join("run/report.html"));
        let body = page.split("<script").next().unwrap();
        body.says(format!("<dt>step budget</dt><dd>{steps}</dd>")).lacks("EQA").lacks("Success rate");
    }
}

pub(super) fn suite(dir: &Path, body: &str) -> PathBuf {
    let suite = dir.join("page");
    write(suite.join("suite.toml"), suite_head("page", "web", 5, "\"look\""));
    write(suite.join("site/index.html"), body);
    let task = "id = \"look\"\ntitle = \"Look\"\ncategory = \"page\"\ngoal = \"Look.\"\nstart = \"/\"\n[state]\nseen = \"\"\n\
        [[check]]\nkind = \"state\"\npointer = \"/seen\"\nequals = \"yes\"\n\
        [[reference]]\ndo = \"tap\"\nrole = \"button\"\nname = \"Open\"\n";
    write(suite.join("tasks/look.toml"), task);
    suite
}

const PAGE: &str = "<!doctype html><title>Page</title><button onclick=\"out.innerHTML='<button>Close the panel</button>'\">Open</button>
<button onclick=\"document.title='gone'\">Delete everything</button><button>Nothing</button><div id=out></div>";

#[test]
fn what_may_delete_is_left_alone_and_nothing_is_asked_about_what_does_nothing() {
    let dir = tempdir();
    let suite = suite(&dir, PAGE).display().to_string();
    let base = format!("explore --suite '{suite}' --task look --model reader --steps 12 --json");
    let run = |more: &str| waldo(&dir, &format!("{base} {more}")).json();
    let got = run("--docs a --out ra");
    let barred = got["explored"]["barred"].to_string();
    assert!(barred.contains("button|Delete everything") && barred.contains("delete"), "{got}");
    let titles = text_in(dir.join("ra/episodes/appagent+reader/page/r0/events.jsonl"));
    assert!(!titles.contains("\"title\":\"gone\""));
    assert!(got["explored"]["decided_free"].as_u64().unwrap() >= 1, "{got}");
    let got = run("--docs b --out rb --on-sensitive allow");
    assert_eq!(got["explored"]["barred"].as_array().unwrap().len(), 0);
    waldo(&dir, "docs show b 'delete everything'").ok().prints("## Tap").prints("gone");
    let got = run("--docs c --out rc --sensitive open --not-sensitive delete");
    let barred = got["explored"]["barred"].to_string();
    assert!(barred.contains("button|Open") && !barred.contains("Delete"), "{got}");
}

#[test]
fn under_compat_it_is_appagent_with_its_defects() {
    let dir = tempdir();
    let suite = suite(&dir, PAGE).display().to_string();
    let tap = |n: &str| format!("Observation: o\nThought: t\nAction: tap({n})\nSummary: I tapped.");
    let (first, last) = (tap("3").leak() as &'static str, tap("1").leak() as &'static str);
    let model = scripted(vec![
        // The button that does nothing: AppAgent asks all the same.
        first,
        "Decision: INEFFECTIVE\nThought: same",
        // It is left out now, and the summary is forgotten.
        last,
        "Decision: SUCCESS\nThought: more\nDocumentation: Opens a panel.",
        // Documented already: nothing is refined.
        last,
        "Decision: SUCCESS\nThought: more\nDocumentation: Opens it again.",
        // No Documentation: its run ends.
        last,
        "Decision: BACK\nThought: more",
    ]);
    let flags = "--compat --request-interval 0 --docs docs --out run --json";
    let model_at = format!("--model m --base-url {}", model.url("/v1"));
    let args = format!("explore --suite '{suite}' --task look {model_at} {flags}");
    let got = waldo(&dir, &args).json();
    let asked: Vec<String> = model.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(asked.len(), 8);
    assert_eq!(got["explored"]["why"], "AppAgent cannot read the reflection");
    has(&got["explored"], json!({ "documented": 1, "refined": 0 }));
    let is_bare = !asked[0].contains("Still unknown") && !asked[0].contains("screen-text");
    assert!(is_bare, "AppAgent's parts alone");
    assert!(asked[2].contains("Nothing has been done yet."), "the summary is lost");
    assert!(asked[4].contains("I tapped."), "SUCCESS keeps it");
    waldo(&dir, "docs show docs open").ok().prints("Opens a panel.").never_prints("Opens it again.");
    let seen = events_of(&dir.join("run/episodes/appagent+m/page/r0"), "observed");
    let tagged: Vec<usize> = seen.iter().map(|event| event["tagged"].as_array().unwrap().len()).collect();
    assert_eq!(tagged[..2], [3, 2], "the useless one bears no number: {tagged:?}");
}

#[test]
fn documentation_is_listed_edited_compared_and_moved() {
    let dir = tempdir();
    let from = dir.join("apps/mail");
    let slots =
        |tap: &str| format!("{{'tap': {tap}, 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}}");
    write(from.join("auto_docs/com.app.id_send_2.txt"), slots("\"It's sent.\""));
    write(from.join("demo_docs/com.app.id_send_2.txt"), slots("'Sends it.'"));
    write(from.join("demos/demo_1/record.txt"), "tap(3):::com.app.id_send_2\nstop\n");
    for docs in ["docs", "docs2"] {
        let got = waldo(&dir, &format!("docs import apps/mail --docs {docs} --json")).json();
        has(&got, json!({ "docs": 2, "actions": 1 }));
    }
    waldo(&dir, "docs export docs --to out").ok();
    for path in
        ["auto_docs/com.app.id_send_2.txt", "demo_docs/com.app.id_send_2.txt", "demos/demo_1/record.txt"]
    {
        assert_eq!(text_in(from.join(path)), text_in(dir.join("out").join(path)), "{path}");
    }
    waldo(&dir, "docs list docs").ok().prints("com.app.id_send_2: tap demonstrated");
    waldo(&dir, "docs edit docs send --slot tap --text 'Sends the mail.'").ok().prints("Sends the mail.");
    // By a person's own editor, too.
    let script = dir.join("ed.sh");
    write(&script, "sed -i 's/Sends the mail/Sends the letter/' \"$1\"\n");
    let editor = format!("sh {}", script.display());
    waldo(&dir, "docs edit docs send").env("VISUAL", &editor).ok().prints("Sends the letter.");
    let diff = waldo(&dir, "docs diff docs2 docs --json").json();
    has(&diff[0], json!({ "before": "Sends it.", "after": "Sends the letter." }));
    waldo(&dir, "docs show docs nothing").exits(4).warns("no element 'nothing'");
    waldo(&dir, "docs list nowhere").exits(4);
    let edited = waldo(&dir, "docs edit docs send --slot tap --text Sends. --json").json();
    assert_eq!(edited["layers"]["hand"]["tap"], "Sends.");
    let page = waldo(&dir, "docs page docs --json").json();
    assert_eq!(page, json!({ "page": "docs.html", "app": "mail" }));
    assert!(dir.join("docs.html").exists());
    // A mistyped folder leaves no app behind that would have to be told from the other.
    waldo(&dir, "docs import apps/male --docs docs").exits(4).warns("holds nothing of AppAgent's");
    waldo(&dir, "docs import apps/male --docs docs3").exits(4);
    assert!(!dir.join("docs/male").exists() && !dir.join("docs3").exists());
    waldo(&dir, "docs show docs send").ok();
    waldo(&dir, "docs list docs --app nosuch").exits(4).warns("'nosuch'; it holds mail");
    assert_eq!(waldo(&dir, "docs list docs --app mail --json").json()[0]["app"], "mail");
}
