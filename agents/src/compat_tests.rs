//! What the prompts of the agents that waldo's follow hold, part by part and rule by rule, looked up in what is sent
//! under `--compat`. Rules are told in own words: each row names the rule, and words of ours that say it, in order.

use std::sync::Arc;

use serde_json::json;
use waldo_devices::DeviceInfo;
use waldo_prompts::Prompts;
use waldo_prompts::appagent::{Coverage, DocumentPrompt, Reflect};

use crate::agent::{Agent, Turn};
use crate::appagent::docs::{ElementKnowledge, key_of, keys};
use crate::appagent::learn::{ExploreOptions, ExploreTurn, Explorer};
use crate::appagent::testing::{ScriptedModel, brief, device, elements, phone, soon, view};
use crate::appagent::{AppAgent, AppAgentOptions, Docs, Layers, Mode, Slot};
use crate::model::MessagePart;
use crate::planner::ground::TextGrounder;
use crate::planner::{ContextWindow, Planner, PlannerOptions, ScreenText};

/// A rule or a part of the original, and words of ours that say it.
type Row = (&'static str, &'static [&'static str]);

fn holds(text: &str, rows: &[Row]) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (rule, words) in rows {
        let mut rest = text.as_str();
        for word in *words {
            let found = rest.split_once(word);
            assert!(found.is_some(), "{rule}: '{word}' is not there, or not in its place, in:\n{text}");
            rest = found.map_or("", |(_, after)| after);
        }
    }
}

/// Parts that all prompts of AppAgent's that ask for an action have.
const ACTING: [Row; 16] = [
    ("tags from 1 on the picture", &["bears a number, counted from 1"]),
    (
        "its functions, numbered",
        &["# Functions", "1. tap(element)", "2. text(", "3. long_press(element)", "4. swipe("],
    ),
    ("tap, with a case of use", &["tap(element)", "Example: tap(5)"]),
    ("text, in double quotes, with a case of use", &["text(\"words\")", "Example: text(\""]),
    ("long_press, with a case of use", &["long_press(element)", "Example: long_press("]),
    ("swipe, with its three parameters", &["swipe(element, \"direction\", \"distance\")"]),
    ("swipe's directions", &["swipe(", "up, down, left or right"]),
    ("swipe's distances", &["swipe(", "short, medium or long"]),
    ("swipe, with a case of use", &["Example: swipe("]),
    ("the fitting distance", &["take the one that the case needs"]),
    ("the task, then the summary of what was done", &["# Task", "Save it all.", "# So far"]),
    (
        "four parts, each with its name",
        &["# Your reply", "Observation: <", "Thought: <", "Action: <", "Summary: <"],
    ),
    (
        "a call or FINISH, nothing else",
        &["Action: <a single call with its arguments, or FINISH when", "nothing besides>"],
    ),
    (
        "the summary tells past actions and this one",
        &["Summary: <in a sentence or two, everything done so far and this action too"],
    ),
    ("no numbers in the summary", &["Summary: <", "leave element numbers out"]),
    ("one action at a time", &["one action at a time"]),
];

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
    let mut brief = brief("Save it all.", vec![]);
    brief.device = phone.clone();
    agent.begin(&brief).unwrap();
    agent
        .decide(&Turn {
            device: &brief.device,
            step: 1,
            view: &view,
            note: None,
            deadline: soon(),
            person: None,
        })
        .await
        .unwrap();
    let deployed = text(&script);
    holds(&deployed, &ACTING);
    holds(
        &deployed,
        &[
            (
                "text where a keyboard shows, usually",
                &["keyboard shows in the lower half of the screen: usually"],
            ),
            ("documentation before the task", &["# What is known about some elements", "Saves.", "# Task"]),
            (
                "documentation decides",
                &["what your choice should go by", "Always prefer an element that is described here"],
            ),
            (
                "FINISH also where nothing is to be done",
                &["FINISH when the task is complete or nothing is left to do"],
            ),
        ],
    );
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
    holds(&explored, &ACTING);
    holds(
        &explored,
        &[("text where a keyboard shows, only", &["text only while a keyboard shows in the lower half"])],
    );

    let reflect = Reflect {
        machine: "an Android phone".to_owned(),
        pictures: true,
        own_labels: false,
        action: "tapping".to_owned(),
        tag: 4,
        element: None,
        goal: "Save it all.".to_owned(),
        summary: Some("Opened the menu.".to_owned()),
        old_doc: None,
        before: None,
        after: None,
    };
    let reflected = prompts.appagent_reflect(&reflect).unwrap();
    holds(
        &reflected,
        &[
            (
                "before and after, the action, the number",
                &["before and after tapping the element with the number 4"],
            ),
            ("numbers stand on their elements", &["numbers of the first, each on its element"]),
            (
                "the larger task, the action in the agent's words",
                &["# Task", "Save it all.", "# The action", "Opened the menu."],
            ),
            (
                "BACK: to a page that does not serve, so go back",
                &["BACK: it led to a place that does not serve the task", "way back"],
            ),
            ("INEFFECTIVE: identical pictures", &["INEFFECTIVE: nothing changed, the two are identical"]),
            (
                "a moved cursor is a change",
                &["INEFFECTIVE", "Where the cursor stands elsewhere in the second, they are not"],
            ),
            (
                "INEFFECTIVE: go on with other elements",
                &["INEFFECTIVE", "Go on with other elements", "CONTINUE"],
            ),
            (
                "CONTINUE: a change that was not described and did not help",
                &[
                    "CONTINUE: something changed, yet it is neither what the words above say",
                    "Go on with other elements",
                ],
            ),
            (
                "SUCCESS: moved on, even if not complete",
                &["SUCCESS: it brought the task forward, even if the task is not complete"],
            ),
            (
                "the form of the reply",
                &["Decision: <BACK, INEFFECTIVE, CONTINUE or SUCCESS>", "Thought: <", "Documentation: <"],
            ),
            ("no documentation for INEFFECTIVE", &["Leave Documentation out for INEFFECTIVE"]),
            (
                "one or two sentences on the general function",
                &["Documentation: <in a sentence or two", "in general"],
            ),
            ("no numbers, but 'the element'", &["name neither numbers", "call it \"the element\""]),
        ],
    );
    let document = |action: &str, old_doc: Option<&str>| {
        let context = DocumentPrompt {
            machine: "an Android phone".to_owned(),
            own_labels: true,
            compat: true,
            action: action.to_owned(),
            tag: 4,
            detail: Some("upwards".to_owned()),
            element: None,
            goal: "Save it all.".to_owned(),
            old_doc: old_doc.map(str::to_owned),
            before: None,
            after: None,
        };
        prompts.appagent_document(&context).unwrap()
    };
    let each: Row = (
        "what all say",
        &[
            "before and after",
            "the element with the number 4",
            "one step of a larger task: Save it all.",
            "one or two sentences",
            "in general",
            "name neither numbers nor contents",
            "call it \"the element\"",
        ],
    );
    for (action, rule, words) in [
        ("tapping", "no person's name", "leads to a chat, and leave Ines out"),
        ("long pressing", "no person's name", "leads to a chat, and leave Ines out"),
        ("typing into", "not what was typed", "takes the message to be sent, not what was written"),
        ("swiping", "as general as can be, with the direction", "Be as general as you can"),
    ] {
        let text = document(action, None);
        holds(&text, &[each]);
        assert!(text.contains(words), "{action}: {rule}: {text}");
    }
    assert!(document("swiping", None).contains("(upwards)"));
    holds(
        &document("tapping", Some("Opens it.")),
        &[
            (
                "an older note is refined",
                &["noted about it before", "Opens it.", "Keep what still holds, mend"],
            ),
            ("where both disagree, both", &["where the two disagree, the new note says both"]),
        ],
    );
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
    let options = PlannerOptions {
        grounder: Arc::new(TextGrounder),
        window: ContextWindow { tokens: 128_000, reply: 1024 },
        date: "2026-03-04".into(),
        screen: ScreenText::default(),
        secrets: vec!["pin".to_owned()],
        widget: None,
        compat: true,
        memory: true,
    };
    let mut planner = Planner::new(script.clone(), Arc::new(Prompts::builtin().unwrap()), options);
    let mut brief = brief("Save it all.", vec![]);
    brief.device = device;
    planner.begin(&brief).unwrap();
    planner
        .decide(&Turn {
            device: &brief.device,
            step: 1,
            view: &view(),
            note: None,
            deadline: soon(),
            person: None,
        })
        .await
        .unwrap();
    let count = script.asked.lock().unwrap().len();
    (text(&script), count)
}

#[tokio::test]
async fn the_planners_prompts_keep_upstreams_parts_and_rules() {
    let (asked, count) = planned(device()).await;
    assert_eq!(count, 2, "what upstream does not have is asked for again");
    holds(
        &asked,
        &[
            ("role, actions, special actions", &["You plan the work", "# Actions", "# Special actions"]),
            (
                "its actions in order",
                &[
                    "- click:",
                    "- right_click:",
                    "- double_click:",
                    "- triple_click:",
                    "- type:",
                    "- scroll:",
                    "- drag:",
                    "- mouse_move:",
                    "- key_press:",
                    "# Special actions",
                    "- extract_data:",
                    "- wait:",
                    "- finish:",
                ],
            ),
            ("type: its text, and the focus", &["- type:", "has to have the focus", "text:", "- scroll:"]),
            (
                "scroll: element, direction, distance",
                &["- scroll:", "element_description:", "direction:", "distance:", "- drag:"],
            ),
            ("drag: start and end", &["- drag:", "start_description:", "end_description:"]),
            (
                "key_press: keys with blanks, the names, no clicks",
                &[
                    "- key_press:",
                    "A key with a click is not such a combination",
                    "key:",
                    "Ctrl",
                    "Shift",
                    "Tab",
                    "Escape",
                    "Arrowleft",
                    "Pageup",
                    "Pagedown",
                ],
            ),
            ("extract_data: description and data", &["- extract_data:", "description:", "data:"]),
            (
                "finish: commit first, nothing running, failure",
                &[
                    "- finish:",
                    "saved or sent",
                    "still running",
                    "Failure is for a task that cannot be done",
                    "status:",
                ],
            ),
            (
                "the shape of an action",
                &["\"type\": the name of one action", "\"description\":", "\"parameters\":"],
            ),
            (
                "descriptions are for whoever finds the place",
                &[
                    "# How to describe what is meant",
                    "the words on it",
                    "where it stands",
                    "its colour",
                    "what is next to it",
                ],
            ),
            (
                "three examples of descriptions",
                &["- \"Click the 'Send' button", "- \"Click the gear icon", "- \"Click the 'Street' field"],
            ),
            (
                "examples of actions, after that the sequence",
                &["# Examples of actions", "# A sequence of actions"],
            ),
            (
                "scroll, press, type: three steps",
                &[
                    "# A sequence of actions",
                    "{\"type\": \"scroll\"",
                    "{\"type\": \"click\"",
                    "{\"type\": \"type\"",
                    "# Rules",
                ],
            ),
            (
                "always focus before typing, the turn before",
                &[
                    "# Rules",
                    "Before you type, always click the field",
                    "one turn for that, and the next for typing",
                ],
            ),
            (
                "close what is in the way",
                &["# Rules", "Close banners, advertisements, offers to sign in and questions about cookies"],
            ),
            (
                "commit what was entered",
                &["# Rules", "everything entered has been taken: press Enter or Tab"],
            ),
            (
                "only what was asked, exact colours",
                &["Do what the task asks and nothing beside it", "a colour"],
            ),
            ("save, with what is suggested", &["Save changed files and settings", "keep what is suggested"]),
            ("authentication is cancelled", &["system password with its cancel button"]),
            ("windows stay open", &["Leave windows, tabs and apps open"]),
            (
                "finish when all is met and nothing runs",
                &["every part of the task is done, and nothing that you started is still running"],
            ),
            ("failure where it is impossible", &["Finish with failure when the task cannot be done here"]),
            (
                "never log out or switch off",
                &["Never log out, lock, restart or switch off", "ends in failure"],
            ),
            (
                "memory: its operations and types",
                &["# Memory", "\"store_info\"", "\"data_update\" or \"queue_elements\"", "\"delete_info\""],
            ),
            ("memory: data of the task alone", &["Keep only data of the task"]),
            ("date, then task", &["# About the task", "Today is 2026-03-04", "Task:"]),
            ("the memory as it is", &["# Current memory", "(nothing is stored)"]),
            ("finished, or what next", &["Is the task done?", "what is the next action?"]),
            (
                "reminder: the given sites, no address bar",
                &["Keep in mind:", "The address bar of a browser is not to be used"],
            ),
            ("reminder: pop-ups", &["Keep in mind:", "Close banners"]),
            ("reminder: one action", &["Keep in mind:", "One action a turn: never press and type"]),
            ("reminder: combo boxes", &["Keep in mind:", "choose one of them, or press Enter"]),
            ("reminder: the caret", &["Keep in mind:", "does not always show a cursor"]),
            (
                "reminder: scroll until all of it shows",
                &["Keep in mind:", "seen in full", "scrolled into view before it is pressed"],
            ),
            ("reminder: focus before typing", &["Keep in mind:", "give the field the focus by pressing it"]),
            (
                "reminder: values that are there",
                &[
                    "Keep in mind:",
                    "not a hint, which is grey",
                    "by its X icon, by Ctrl A and then Backspace, or by Backspace alone",
                ],
            ),
            ("reminder: searching", &["Keep in mind:", "neither a button nor suggestions", "press Enter"]),
            ("reminder: sliders", &["Keep in mind:", "slider", "drag it again"]),
            (
                "reminder: pages of content, tables",
                &["Keep in mind:", "Pageup and Pagedown", "rows or columns out of sight"],
            ),
            (
                "reminder: direction and status",
                &["Keep in mind:", "scroll needs a direction, finish needs a status"],
            ),
            (
                "reminder: nothing that is not seen",
                &["Most of all: never type into or press what cannot be seen"],
            ),
            (
                "the form of the answer, in order",
                &[
                    "# Form of the answer",
                    "\"previous_action_result\":",
                    "\"thought\":",
                    "\"action_description\":",
                    "\"update_memory\":",
                    "\"action\":",
                ],
            ),
        ],
    );
    // Nothing that is ours.
    for ours in [
        "<screen-text",
        "Turns left",
        "- clear",
        "- fill",
        "- open_url",
        "- type_secret",
        "- widget",
        "answer: text",
    ] {
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
    let counts = [
        ("click", 3),
        ("right_click", 1),
        ("double_click", 1),
        ("triple_click", 1),
        ("type", 3),
        ("scroll", 2),
        ("drag", 2),
        ("mouse_move", 2),
        ("key_press", 2),
        ("extract_data", 1),
        ("wait", 1),
        ("finish", 2),
    ];
    assert_eq!(counts.map(|(name, _)| (name, count(name))), counts);
    assert_eq!(types.len(), 21);
    // A phone has no pointer to rest somewhere.
    let (asked, _) = planned(phone()).await;
    assert!(!asked.contains("- mouse_move:") && asked.contains("Tap the 'Street' field"), "{asked}");
}
