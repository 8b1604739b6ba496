//! Exploring, documentation and what it is worth, on real pages in a real browser. The stand-in model
//! `reader` is asked over real HTTP; it is not a model.

use std::collections::BTreeSet;

use super::planner::report_steps;
use super::support::*;

fn icons() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/icons").display().to_string()
}

fn explore<'a>(icons: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args =
        vec!["explore", "--suite", icons, "--task", "archive", "--model", "reader", "--docs", "docs"];
    args.extend(["--out", "run", "--json"]);
    args.extend(more);
    args
}

fn success(dir: &Path, icons: &str, out: &str, more: &[&str]) -> f64 {
    let mut args =
        filled("eval {} --agent appagent --model reader --out {} --json --no-report", &[icons, out]);
    args.extend(more);
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
pub fn goes_on_when_killed(dir: &Path, args: &[&str], app: &str, stops: &[u64], noted: usize) {
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
    let decided: Vec<u64> = events(&record)
        .iter()
        .filter(|e| e["event"] == "decided")
        .map(|e| e["step"].as_u64().unwrap())
        .collect();
    let all: Vec<u64> = (1..=got["explored"]["result"]["steps"].as_u64().unwrap()).collect();
    assert_eq!(decided, all, "every step is recorded once");
}

#[test]
fn exploring_lets_an_agent_use_what_has_no_name() {
    let dir = tempdir();
    let icons = icons();
    let got = waldo(&dir, &explore(&icons, &["--steps", "120"])).json();
    let explored = &got["explored"];
    assert_eq!(explored["why"], "nothing is left to try", "{got}");
    // More than one tap deep: the tools of a message and the settings lie behind the inbox.
    let keys: Vec<String> =
        elements(&dir.join("docs/icons")).iter().map(|e| e["key"].as_str().unwrap().to_owned()).collect();
    let nameless = keys.iter().filter(|k| k.contains(" no. ")).count();
    assert!(nameless >= 8, "{keys:?}");
    assert!(explored["screens"].as_u64().unwrap() >= 3, "{got}");
    let without = success(&dir, &icons, "without", &[]);
    let with = success(&dir, &icons, "with", &["--docs", "docs"]);
    assert!(with >= 0.9 && without <= 0.3, "{with} with documentation, {without} without");
    // A run with documentation is another run.
    waldo(&dir, &["eval", &icons, "--agent", "appagent", "--model", "reader", "--out", "with"]).exits(4);
    // The record is like any other's.
    waldo(&dir, "report run").ok();
    let steps = report_steps(&dir.join("run"));
    assert!(steps.contains("Looking back: "), "the report shows reflections");
    // The page for people.
    waldo(&dir, "docs page docs --out page.html").ok();
    let page = text_in(dir.join("page.html"));
    assert!(page.contains("src=\"data:image") && page.contains("Undo archiving"));
    // Nothing new is learnt by exploring once more, and no model is needed to know it.
    let mut again = explore(&icons, &["--steps", "120"]);
    let run = again.iter().position(|a| *a == "run").unwrap();
    again[run] = "again";
    let got = waldo(&dir, &again).json();
    has(&got["explored"], json!({ "documented": 0, "result/model_calls": 0 }));
}

#[test]
fn a_killed_exploration_goes_on_and_documents_nothing_twice() {
    let icons = icons();
    goes_on_when_killed(&tempdir(), &explore(&icons, &["--steps", "60"]), "icons", &[3, 7, 12], 5);
}

#[test]
fn a_raised_limit_is_the_reports_too() {
    let dir = tempdir();
    let icons = icons();
    for steps in ["2", "4"] {
        let got = waldo(&dir, &explore(&icons, &["--steps", steps])).json();
        assert_eq!(got["explored"]["result"]["steps"].to_string(), steps, "{got}");
        let manifest = json_in(dir.join("run/manifest.json"));
        assert_eq!(manifest["tasks"][0]["max_steps"].to_string(), steps);
        let page = text_in(dir.join("run/report.html"));
        page.split("<script")
            .next()
            .unwrap()
            .says(format!("<dt>step budget</dt><dd>{steps}</dd>"))
            .lacks("EQA")
            .lacks("Success rate");
    }
}

pub(super) fn suite(dir: &Path, body: &str) -> PathBuf {
    let suite = dir.join("page");
    for (path, text) in [
        (
            "suite.toml",
            "format = 1\nid = \"page\"\ntitle = \"Page\"\nlevel = \"L3\"\nplatform = \"web\"\nmax_steps = 5\norder = [\"look\"]\n",
        ),
        ("site/index.html", body),
        (
            "tasks/look.toml",
            "id = \"look\"\ntitle = \"Look\"\ncategory = \"page\"\ngoal = \"Look.\"\nstart = \"/\"\n[state]\nseen = \"\"\n\
             [[check]]\nkind = \"state\"\npointer = \"/seen\"\nequals = \"yes\"\n\
             [[reference]]\ndo = \"tap\"\nrole = \"button\"\nname = \"Open\"\n",
        ),
    ] {
        write(suite.join(path), text);
    }
    suite
}

const PAGE: &str = "<!doctype html><title>Page</title><button onclick=\"out.innerHTML='<button>Close the panel</button>'\">Open</button>
<button onclick=\"document.title='gone'\">Delete everything</button><button>Nothing</button><div id=out></div>";

#[test]
fn what_may_delete_is_left_alone_and_nothing_is_asked_about_what_does_nothing() {
    let dir = tempdir();
    let suite = suite(&dir, PAGE).display().to_string();
    let base =
        ["explore", "--suite", &suite, "--task", "look", "--model", "reader", "--steps", "12", "--json"];
    let run = |more: &[&str]| {
        let args: Vec<&str> = base.iter().chain(more).copied().collect();
        waldo(&dir, &args).json()
    };
    let got = run(&["--docs", "a", "--out", "ra"]);
    let barred = got["explored"]["barred"].to_string();
    assert!(barred.contains("button|Delete everything") && barred.contains("delete"), "{got}");
    let titles = text_in(dir.join("ra/episodes/appagent+reader/page/r0/events.jsonl"));
    assert!(!titles.contains("\"title\":\"gone\""));
    assert!(got["explored"]["decided_free"].as_u64().unwrap() >= 1, "{got}");
    let got = run(&["--docs", "b", "--out", "rb", "--on-sensitive", "allow"]);
    assert_eq!(got["explored"]["barred"].as_array().unwrap().len(), 0);
    waldo(&dir, "docs show b 'delete everything'").ok().prints("## Tap").prints("gone");
    let got = run(&["--docs", "c", "--out", "rc", "--sensitive", "open", "--not-sensitive", "delete"]);
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
    let base = model.url("/v1");
    let args = filled(
        "explore --suite {} --task look --model m --base-url {} --compat --request-interval \
                0 --docs docs --out run --json",
        &[&suite, &base],
    );
    let got = waldo(&dir, &args).json();
    let asked: Vec<String> = model.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(asked.len(), 8);
    assert_eq!(got["explored"]["why"], "AppAgent cannot read the reflection");
    has(&got["explored"], json!({ "documented": 1, "refined": 0 }));
    assert!(
        !asked[0].contains("Still unknown") && !asked[0].contains("screen-text"),
        "AppAgent's parts alone"
    );
    assert!(asked[2].contains("Nothing has been done yet."), "the summary is lost");
    assert!(asked[4].contains("I tapped."), "SUCCESS keeps it");
    waldo(&dir, "docs show docs open").ok().prints("Opens a panel.").never_prints("Opens it again.");
    let tagged: Vec<usize> = events(&dir.join("run/episodes/appagent+m/page/r0"))
        .iter()
        .filter(|e| e["event"] == "observed")
        .map(|e| e["tagged"].as_array().unwrap().len())
        .collect();
    assert_eq!(tagged[..2], [3, 2], "the useless one bears no number: {tagged:?}");
}

#[test]
fn documentation_is_listed_edited_compared_and_moved() {
    let dir = tempdir();
    let from = dir.join("apps/mail");
    for (path, text) in [
        (
            "auto_docs/com.app.id_send_2.txt",
            "{'tap': \"It's sent.\", 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}",
        ),
        (
            "demo_docs/com.app.id_send_2.txt",
            "{'tap': 'Sends it.', 'text': '', 'v_swipe': '', 'h_swipe': '', 'long_press': ''}",
        ),
        ("demos/demo_1/record.txt", "tap(3):::com.app.id_send_2\nstop\n"),
    ] {
        write(from.join(path), text);
    }
    let run = |args: &[&str]| waldo(&dir, args).run();
    for docs in ["docs", "docs2"] {
        let got = run(&["docs", "import", "apps/mail", "--docs", docs, "--json"]).expect_code(0).json();
        assert_eq!((&got["docs"], &got["actions"]), (&2.into(), &1.into()), "{got}");
    }
    run(&["docs", "export", "docs", "--to", "out"]).expect_code(0);
    for path in
        ["auto_docs/com.app.id_send_2.txt", "demo_docs/com.app.id_send_2.txt", "demos/demo_1/record.txt"]
    {
        assert_eq!(
            std::fs::read(from.join(path)).unwrap(),
            std::fs::read(dir.join("out").join(path)).unwrap()
        );
    }
    run(&["docs", "list", "docs"]).expect_code(0).stdout.says("com.app.id_send_2: tap demonstrated");
    let edited =
        run(&["docs", "edit", "docs", "send", "--slot", "tap", "--text", "Sends the mail."]).expect_code(0);
    assert!(edited.stdout.contains("Sends the mail."), "{}", edited.stdout);
    // By a person's own editor, too.
    let script = dir.join("ed.sh");
    write(&script, "sed -i 's/Sends the mail/Sends the letter/' \"$1\"\n");
    let editor = format!("sh {}", script.display());
    waldo(&dir, "docs edit docs send").env("VISUAL", &editor).ok().prints("Sends the letter.");
    let diff = run(&["docs", "diff", "docs2", "docs", "--json"]).expect_code(0).json();
    assert_eq!((&diff[0]["before"], &diff[0]["after"]), (&"Sends it.".into(), &"Sends the letter.".into()));
    run(&["docs", "show", "docs", "nothing"]).expect_code(4).warns("no element 'nothing'");
    run(&["docs", "list", "nowhere"]).expect_code(4);
    let edit = ["docs", "edit", "docs", "send", "--slot", "tap", "--text", "Sends.", "--json"];
    assert_eq!(run(&edit).expect_code(0).json()["layers"]["hand"]["tap"], "Sends.");
    let page = run(&["docs", "page", "docs", "--json"]).expect_code(0).json();
    assert_eq!(page, json!({ "page": "docs.html", "app": "mail" }));
    assert!(dir.join("docs.html").exists());
    // A mistyped folder leaves no app behind that would have to be told from the other.
    run(&["docs", "import", "apps/male", "--docs", "docs"])
        .expect_code(4)
        .warns("holds nothing of AppAgent's");
    run(&["docs", "import", "apps/male", "--docs", "docs3"]).expect_code(4);
    assert!(!dir.join("docs/male").exists() && !dir.join("docs3").exists());
    run(&["docs", "show", "docs", "send"]).expect_code(0);
    let other = run(&["docs", "list", "docs", "--app", "nosuch"]).expect_code(4);
    assert!(other.stderr.contains("'nosuch'; it holds mail"), "{}", other.stderr);
    assert_eq!(
        run(&["docs", "list", "docs", "--app", "mail", "--json"]).expect_code(0).json()[0]["app"],
        "mail"
    );
}
