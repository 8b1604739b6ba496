//! The suite of widgets, played in a real browser, and what keeps it honest.

use std::collections::BTreeSet;

use waldo_tasks::widgets::{Control, Widgets, generate};

use super::support::*;

/// Some of each kind; `scripts/widgets` and `scripts/widgets-frames` play all of them.
const SOME: [&str; 12] = waldo_devices::word_list(
    "slider-value arrows-sum select-odd point-described drag-bin swap-line transcribe draw-path \
     smooth-fade linked-sizes knob-letter map-falling",
);

fn some() -> String {
    SOME.iter().map(|task| format!(" --task {task}")).collect()
}

fn play(args: &str) -> Value {
    let args = format!("eval widgets {args} --workers 2 --no-report --json --out played");
    waldo(&tempdir(), &args).within(Duration::from_secs(900)).json()
}

fn failed(table: &Value) -> Vec<String> {
    let rows = table["tasks"].as_array().unwrap();
    let unsolved = rows.iter().filter(|row| row["solved"] != row["n"]);
    unsolved.map(|row| row["task"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_oracle_solves_every_widget() {
    let got = play("--agent reference --widgets-control oracle");
    assert_eq!(got["table"][0]["sr"], 1.0, "not solved: {:?}", failed(&got));
    assert_eq!(got["table"][0]["invalid"], 0);
    assert_eq!(got["tasks"].as_array().unwrap().len(), 43);
}

#[test]
fn doing_nothing_solves_no_widget() {
    let got = play(&format!("--agent noop --max-steps 1{}", some()));
    has(&got["table"][0], json!({ "sr": 0.0, "invalid": 0 }));
}

#[test]
fn chance_solves_few_widgets() {
    let got = play(&format!("--agent reference --widgets-control random{}", some()));
    let solved: u64 =
        got["tasks"].as_array().unwrap().iter().map(|row| row["solved"].as_u64().unwrap()).sum();
    // The stated chances add up to less than two of the twelve; seven would be a wonder.
    assert!(solved <= 6, "{solved} solved by chance");
}

#[test]
fn scripts_solve_widgets_as_frames_through_the_cage() {
    let got = play(&format!("--agent frames --model reference{}", some()));
    assert_eq!(got["table"][0]["sr"], 1.0, "not solved: {:?}", failed(&got));
    let rows = got["tasks"].as_array().unwrap();
    // One for each of the three stages at the least.
    assert!(rows.iter().all(|row| row["model_calls"].as_u64() >= Some(3)), "{rows:?}");
    assert!(rows.iter().all(|row| row["repairs"] == 0), "{rows:?}");
    assert!(rows.iter().all(|row| row["tokens"].as_u64() >= Some(1_000)), "{rows:?}");
}

const SERVE: &str = "serve-model reference --suite widgets --seed 5 --port 0 --json";

/// The stand-in, served by itself, and its address.
fn served(dir: &Path) -> (std::process::Child, String) {
    let mut server = waldo(dir, SERVE).start();
    // One line alone need not be all of it.
    let told = serde_json::Deserializer::from_reader(server.stdout.take().unwrap()).into_iter().next();
    let told: Value = told.unwrap().unwrap();
    (server, told["base_url"].as_str().unwrap().to_owned())
}

#[test]
fn a_served_stand_in_plays_widgets_as_frames() {
    let dir = tempdir();
    let (mut server, base) = served(&dir);
    let line = "eval widgets --seed 5 --task point-described --task select-odd --no-report --json --out s";
    let args = format!("{line} --agent frames --model served --base-url {base}");
    let got = waldo(&dir, &args).within(Duration::from_secs(300)).json();
    kill(&mut server);
    assert_eq!(got["table"][0]["sr"], 1.0, "{got}");
    waldo(&dir, &format!("{SERVE} --repeats 2")).exits(4).warns("share their goals");
}

/// The agent sees nothing of a page but pictures: of blank ones nothing comes, however much its model knows.
#[test]
fn blank_pictures_solve_nothing() {
    let dir = tempdir();
    let args = "eval widgets --agent frames --model reference --no-report --json --widgets-control \
        blind --task select-odd --task slider-fit --out b";
    let got = waldo(&dir, args).within(Duration::from_secs(300)).json();
    has(&got["table"][0], json!({ "sr": 0.0, "invalid": 0 }));
    let refused = waldo(&dir, "eval widgets --agent appagent --model m --widgets-control blind");
    refused.fails().warns("does not apply to appagent");
}

/// What is recorded of an episode plays it again, without a model and without being an accuracy.
#[test]
fn a_recorded_widget_is_played_again() {
    let dir = tempdir();
    let (mut server, base) = served(&dir);
    let run = |model: &str, out: &str| {
        let model = format!("--agent frames --model {model} --base-url {base}");
        let args = format!("eval widgets {model} --seed 5 --task select-odd --json --out {out}");
        waldo(&dir, &args).within(Duration::from_secs(300)).json()
    };
    let live = run("served", "live --record-model cassette");
    kill(&mut server);
    let again = run("replay:cassette", "again");
    assert_eq!(live["table"][0]["sr"], 1.0, "{live}");
    let (first, second) = (played(&dir.join("live")), played(&dir.join("again")));
    assert!(first.0.len() >= 3 && !first.1.is_empty(), "{first:?}");
    assert_eq!(first, second, "other scripts or inputs");
    text_in(dir.join("again/summary.json")).says("\"stand_in\": true");
    text_in(dir.join("again/summary.md")).says("(replay)");
    assert_eq!(again["table"][0]["sr"], 1.0);
}

/// The model's replies and the inputs of a record, in order.
fn played(record: &Path) -> (Vec<String>, Vec<Value>) {
    let (mut replies, mut inputs) = (Vec::new(), Vec::new());
    for event in events(record) {
        let exchanges = event["decision"]["exchanges"].as_array();
        let texts = exchanges.into_iter().flatten().filter_map(|e| e["reply"].as_str());
        replies.extend(texts.map(str::to_owned));
        inputs.extend(event.get("action").cloned());
    }
    (replies, inputs)
}

/// What is held out has no script: it is handed over, and that is a failure.
#[test]
fn held_out_widgets_are_not_played_by_the_stand_in() {
    let dir = tempdir();
    let args = "eval widgets --agent frames --model reference --no-report --json --task arrows-count \
        --task point-path-end --out h";
    let got = waldo(&dir, args).within(Duration::from_secs(300)).json();
    has(&got["table"][0], json!({ "sr": 0.0, "invalid": 0 }));
}

fn prompts_and_helpers() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = ["prompts", "agents/src/frames", "agents/src/planner"].map(|f| root.join(f)).to_vec();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                texts.push((path, text.to_lowercase()));
            }
        }
    }
    texts
}

fn words(text: &str) -> Vec<String> {
    let plain: String =
        text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    plain.split_whitespace().map(str::to_owned).collect()
}

/// Runs of five words of all that the suite asks; numbers and names are not wording.
fn wordings(suite: &Widgets) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for archetype in &suite.archetypes {
        for seed in 0..60 {
            let asked = words(&generate(&archetype.id, seed).unwrap().ask);
            found.extend(asked.windows(5).map(<[String]>::to_vec));
        }
    }
    found
}

#[test]
fn no_wording_of_the_suite_is_in_prompts_or_helpers() {
    let suite = Widgets::open(Control::Oracle).unwrap();
    let wordings = wordings(&suite);
    assert!(wordings.len() > 100);
    for (path, text) in prompts_and_helpers() {
        let shown = path.display();
        for archetype in &suite.archetypes {
            // Ids that are plain words of any language about widgets (`carousel`) say nothing.
            let telling = archetype.id.contains('-');
            assert!(!telling || !text.contains(&archetype.id), "{shown} names '{}'", archetype.id);
        }
        assert!(!text.contains("widget test"), "{shown} names a page's title");
        let text = words(&text);
        for run in text.windows(5) {
            assert!(!wordings.contains(run), "{shown} has the wording '{}'", run.join(" "));
        }
    }
}
