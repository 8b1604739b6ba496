//! What the prompts of the agents that waldo's follow hold, part by part and rule by rule, looked up in what is sent
//! under `--compat`. Rules are told in own words, in `compat_rules.txt`.

use std::sync::Arc;

use serde_json::json;
use waldo_devices::DeviceInfo;
use waldo_prompts::Prompts;
use waldo_prompts::appagent::{Coverage, DocumentPrompt, Reflect};

use crate::agent::{Agent, Brief};
use crate::appagent::docs::{ElementKnowledge, key_of, keys};
use crate::appagent::learn::{ExploreOptions, ExploreTurn, Explorer};
use crate::appagent::testing::{ScriptedModel, brief, device, elements, phone, soon, turn, view};
use crate::appagent::{AppAgent, AppAgentOptions, Docs, Layers, Mode, Slot};
use crate::model::MessagePart;
use crate::planner::testing::options;
use crate::planner::{Planner, PlannerOptions, ScreenText};

/// The rules by their part. A part's name stands in brackets, a rule at the start of a line, and words of ours that say
/// it below it.
const RULES: &str = include_str!("compat_rules.txt");

fn holds(prompt: &str, part: &str) {
    let prompt = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = RULES.lines().skip_while(|line| *line != format!("[{part}]")).skip(1);
    let (mut rule, mut rest, mut count) = ("", prompt.as_str(), 0);
    for line in lines.take_while(|line| !line.starts_with('[')) {
        let Some(words) = line.strip_prefix("    ") else {
            (rule, rest) = (line, prompt.as_str());
            continue;
        };
        let found = rest.split_once(words);
        assert!(found.is_some(), "{rule}: '{words}' is not there, or not in its place, in:\n{prompt}");
        (rest, count) = (found.map_or("", |(_, after)| after), count + 1);
    }
    assert!(count > 0, "no part {part}");
}

#[tokio::test]
async fn appagents_prompts_keep_its_parts_and_rules() {
    let prompts = Arc::new(Prompts::builtin().unwrap());
    let (view, phone) = (view(), phone());
    let mut layers = Layers::default();
    layers.auto.set(Slot::Tap, "Saves.");
    let key = key_of(&elements()[0], Mode::Compat).unwrap();
    let docs = Docs::new([(key, ElementKnowledge { layers, ..ElementKnowledge::default() })]);
    let options =
        AppAgentOptions { mode: Mode::Compat, docs: Arc::new(docs.into()), ..AppAgentOptions::default() };
    let script = ScriptedModel::new(&["Observation: o\nThought: t\nAction: FINISH\nSummary: s"]);
    let mut agent = AppAgent::new(script.clone(), prompts.clone(), options);
    agent.begin(&Brief { device: phone.clone(), ..brief("Save it all.", vec![]) }).unwrap();
    agent.decide(&turn(&phone, 1, &view)).await.unwrap();
    let deployed = text(&script);
    holds(&deployed, "acting");
    holds(&deployed, "deploying");
    assert!(!deployed.contains("<screen-text"), "{deployed}");

    let script = ScriptedModel::new(&["Observation: o\nThought: t\nAction: FINISH\nSummary: s"]);
    let explore = ExploreOptions { mode: Mode::Compat, ..ExploreOptions::default() };
    let explorer = Explorer::new(script.clone(), prompts.clone(), explore);
    let turn = ExploreTurn {
        device: &phone,
        goal: "Save it all.",
        view: &view,
        keys: &keys(&view, Mode::Compat),
        history: None,
        note: None,
        quoted: None,
        coverage: &Coverage::default(),
        typing: None,
        steps_left: 5,
        deadline: soon(),
    };
    explorer.propose(&turn).await.unwrap();
    let explored = text(&script);
    holds(&explored, "acting");
    holds(&explored, "exploring");

    let reflect = Reflect {
        machine: "an Android phone".to_owned(),
        pictures: true,
        action: "tapping".to_owned(),
        tag: 4,
        goal: "Save it all.".to_owned(),
        summary: Some("Opened the menu.".to_owned()),
        ..Reflect::default()
    };
    let reflected = prompts.appagent_reflect(&reflect).unwrap();
    holds(&reflected, "reflecting");
    let document = |action: &str, old_doc: Option<&str>| {
        let context = DocumentPrompt {
            machine: "an Android phone".to_owned(),
            own_labels: true,
            compat: true,
            action: action.to_owned(),
            tag: 4,
            detail: Some("upwards".to_owned()),
            goal: "Save it all.".to_owned(),
            old_doc: old_doc.map(str::to_owned),
            ..DocumentPrompt::default()
        };
        prompts.appagent_document(&context).unwrap()
    };
    for (action, rule, words) in [
        ("tapping", "no person's name", "leads to a chat, and leave Ines out"),
        ("long pressing", "no person's name", "leads to a chat, and leave Ines out"),
        ("typing into", "not what was typed", "takes the message to be sent, not what was written"),
        ("swiping", "as general as can be, with the direction", "Be as general as you can"),
    ] {
        let text = document(action, None);
        holds(&text, "documenting");
        assert!(text.contains(words), "{action}: {rule}: {text}");
    }
    assert!(document("swiping", None).contains("(upwards)"));
    holds(&document("tapping", Some("Opens it.")), "refining");
}

fn text(script: &ScriptedModel) -> String {
    let asked = script.asked.lock().unwrap();
    let parts = asked[0].messages.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| match part {
        MessagePart::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

async fn planned(device: DeviceInfo) -> (String, usize) {
    let reply = |action| {
        json!({ "previous_action_result": "", "thought": "", "action_description": "", "update_memory": [], "action": action })
            .to_string()
    };
    let unknown = reply(json!({ "type": "clear", "description": "Empty the field." }));
    let good = reply(json!({ "type": "wait", "description": "Wait." }));
    let script = ScriptedModel::new(&[&unknown, &good]);
    let options =
        PlannerOptions { secrets: vec!["pin".to_owned()], compat: true, ..options(ScreenText::default()) };
    let mut planner = Planner::new(script.clone(), Arc::new(Prompts::builtin().unwrap()), options);
    planner.begin(&Brief { device: device.clone(), ..brief("Save it all.", vec![]) }).unwrap();
    planner.decide(&turn(&device, 1, &view())).await.unwrap();
    let count = script.asked.lock().unwrap().len();
    (text(&script), count)
}

#[tokio::test]
async fn the_planners_prompts_keep_upstreams_parts_and_rules() {
    let (asked, count) = planned(device()).await;
    assert_eq!(count, 2, "what upstream does not have is asked for again");
    holds(&asked, "planning");
    // Nothing that is ours.
    for ours in
        "<screen-text|Turns left|- clear|- fill|- open_url|- type_secret|- widget|answer: text".split('|')
    {
        assert!(!asked.contains(ours), "{ours}: {asked}");
    }
    // As many examples as upstream has, of every action.
    let examples = asked.split("# Examples of actions").nth(1).unwrap().split("# A sequence").next().unwrap();
    let types: Vec<String> = examples
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .map(|example| example["type"].as_str().unwrap().to_owned())
        .collect();
    let count = |name: &str| types.iter().filter(|kind| *kind == name).count();
    let counts = "click 3 right_click 1 double_click 1 triple_click 1 type 3 scroll 2 drag 2 mouse_move 2 key_press 2 \
                  extract_data 1 wait 1 finish 2";
    let names = counts.split(' ').step_by(2);
    assert_eq!(names.map(|name| format!("{name} {}", count(name))).collect::<Vec<_>>().join(" "), counts);
    assert_eq!(types.len(), 21);
    // A phone has no pointer to rest somewhere.
    let (asked, _) = planned(phone()).await;
    assert!(!asked.contains("- mouse_move:") && asked.contains("Tap the 'Street' field"), "{asked}");
}
