use std::sync::Arc;

use waldo_devices::{Action, DialogInfo, LabelStyle, Picture, Point, Tag};
use waldo_prompts::Prompts;

use super::*;
use crate::agent::{Agent, Choice, View};
use crate::appagent::testing::{ScriptedModel, brief, elements, observation, turn, view};
use crate::appagent::{AppAgent, AppAgentOptions};
use crate::model::MessagePart;
use crate::reference::ReferenceAgent;

const GOAL: &str = "Order a lamp.\nThe cheap one.";

fn steps(json: serde_json::Value) -> Vec<Step> {
    serde_json::from_value(json).unwrap()
}

fn solved(steps: &[Step]) -> Vec<Solved> {
    let other = Solved { goal: "Order a lamp.".into(), steps: vec![] };
    vec![other, Solved { goal: GOAL.into(), steps: steps.to_vec() }]
}

/// Plays both agents on the same screen; gives their choices and tags of each step.
async fn both(steps: Vec<Step>, turns: u32, view: &View) -> Vec<[(Choice, Option<Tag>); 2]> {
    let brief = brief(GOAL, steps.clone());
    let mut reference = ReferenceAgent::default();
    reference.begin(&brief).unwrap();
    let prompts = Arc::new(Prompts::builtin().unwrap());
    let mut history: Option<String> = None;
    let mut played = Vec::new();
    for step in 1..=turns {
        let turn = turn(&brief.device, step, view);
        let want = reference.decide(&turn).await.unwrap();
        // The prompt is the agent's own: asked once in vain to see it, then again with the model's reply.
        let carry = history.as_ref().map(|h| format!("Action: wait()\nSummary: {h}"));
        let probe = ScriptedModel::new(&[carry.as_deref().unwrap_or("none"), "none", "none", "none"]);
        let mut agent = AppAgent::new(probe.clone(), prompts.clone(), AppAgentOptions::default());
        agent.begin(&brief).unwrap();
        agent.decide(&turn).await.unwrap();
        agent.decide(&turn).await.unwrap();
        let asked = std::mem::take(&mut *probe.asked.lock().unwrap());
        let request = asked.iter().rev().find(|r| r.messages.len() == 1).unwrap();
        let MessagePart::Text(prompt) = &request.messages[0].parts[0] else { panic!("no text") };
        let answer = reply(prompt, &solved(&steps)).unwrap();
        assert_eq!(reply(prompt, &solved(&steps)).as_deref(), Some(answer.as_str()));
        let script = ScriptedModel::new(&[&answer]);
        let mut agent = AppAgent::new(script, prompts.clone(), AppAgentOptions::default());
        agent.begin(&brief).unwrap();
        let got = agent.decide(&turn).await.unwrap();
        assert_eq!(got.exchanges[0].repairs, Vec::<String>::new());
        history = got.summary.clone();
        played.push([(want.choice, want.tag), (got.choice, got.tag)]);
    }
    played
}

/// The points of an action, and the action without them.
fn taken_apart(choice: &Choice) -> (Vec<Point<waldo_devices::Physical>>, Choice) {
    let mut choice = choice.clone();
    let mut points = Vec::new();
    if let Choice::Act { action } = &mut choice {
        match action {
            Action::Tap { at, .. }
            | Action::LongPress { at }
            | Action::Hover { at }
            | Action::Scroll { at, .. } => {
                points.push(std::mem::take(at));
            }
            Action::Drag { path, .. } => points.append(path),
            _ => {}
        }
    }
    (points, choice)
}

#[tokio::test]
async fn the_model_decides_as_the_reference_agent_does() {
    let steps = steps(serde_json::json!([
        {"do": "tap", "role": "button", "name": "Save \"all\""},
        {"do": "tap", "name": "Board", "at": [0.33, 0.5]},
        {"do": "double_tap", "name": "Name"},
        {"do": "triple_tap", "name": "Name"},
        {"do": "right_tap", "name": "Board", "at": [0.1, 0.2]},
        {"do": "long_press", "name": "Name"},
        {"do": "hover", "name": "Name"},
        {"do": "clear", "name": "Name"},
        {"do": "type", "text": "a \"b\" (c)\nFINISH\\"},
        {"do": "select", "name": "Size", "option": "Large | XL"},
        {"do": "upload", "name": "Photo", "files": ["a b.png", "c.png"]},
        {"do": "scroll", "name": "Log", "down": 4},
        {"do": "scroll", "down": -2},
        {"do": "scroll", "right": 3},
        {"do": "drag", "name": "Card", "to": {"name": "Log"}},
        {"do": "drag", "name": "Card", "to": {"name": "Board", "at": [0.25, 0.75]}},
        {"do": "drag", "name": "Card", "at": [0.5, 0.5], "to": {"name": "Board", "at": [0.25, 0.75]}},
        {"do": "drag", "name": "Board", "path": [[0.1, 0.1], [0.5, 0.123], [0.9, 0.9]]},
        {"do": "key", "chord": "ctrl+a"},
        {"do": "key", "chord": "Enter"},
        {"do": "navigate", "url": "http://127.0.0.1:8080/x?q=\"1\""},
        {"do": "back"},
        {"do": "forward"},
        {"do": "reload"},
        {"do": "new_tab"},
        {"do": "new_tab", "url": "http://127.0.0.1:8080/y"},
        {"do": "switch_tab", "tab": 1},
        {"do": "close_tab"},
        {"do": "dialog"},
        {"do": "dialog", "text": "Ada"},
        {"do": "dialog", "accept": false},
        {"do": "wait"},
        {"do": "answer", "text": "42"},
        {"do": "infeasible", "text": "no such thing"}
    ]));
    let turns = u32::try_from(steps.len()).unwrap() + 1;
    for (i, [want, got]) in both(steps, turns, &view()).await.into_iter().enumerate() {
        let ((want_points, want_rest), (got_points, got_rest)) = (taken_apart(&want.0), taken_apart(&got.0));
        assert_eq!(want_rest, got_rest, "step {i}");
        assert_eq!(want_points.len(), got_points.len(), "step {i}");
        let close = want_points.iter().zip(&got_points).all(|(a, b)| a.distance(*b) < 0.01);
        assert!(close, "step {i}: {want:?} {got:?}");
        assert_eq!(want.1, got.1, "step {i}");
    }
}

#[tokio::test]
async fn a_missing_element_is_waited_for_and_given_up_alike() {
    let steps = steps(serde_json::json!([{"do": "tap", "name": "Pay"}]));
    let played = both(steps, 5, &view()).await;
    assert!(matches!(played[0][1].0, Choice::Act { action: Action::Wait { ms: 300 } }), "{played:?}");
    for [want, got] in &played {
        assert_eq!(want, got);
    }
    assert_eq!(played[3][1].0, Choice::Finish { answer: None });
}

#[tokio::test]
async fn repeats_are_carried_along() {
    let steps = steps(serde_json::json!([
        {"do": "scroll", "down": 3, "until": {"name": "Zoe"}},
        {"do": "tap", "name": "Zoe"}
    ]));
    for [want, got] in both(steps, 4, &view()).await {
        assert_eq!(want, got);
    }
    let progress = ReferenceProgress { cursor: Cursor { done: 12, repeats: 3 }, looks: 2 };
    assert_eq!(read(&write(progress)), progress);
    assert_eq!(read("Did things."), ReferenceProgress::default());
}

#[tokio::test]
async fn a_dialog_without_a_picture_is_answered() {
    let mut o = observation(vec![], Picture::empty());
    o.context.dialog = Some(DialogInfo { kind: "confirm".into(), message: "Sure?".into(), default: None });
    let view = View::new(o, LabelStyle::default()).unwrap();
    for [want, got] in both(steps(serde_json::json!([{"do": "dialog"}])), 2, &view).await {
        assert_eq!(want, got);
    }
}

#[test]
fn an_unknown_goal_or_text_has_no_answer() {
    assert_eq!(reply("hello", &[]), None);
    assert_eq!(reply("x\n# Task\n\nOther\n\n# So far\n\nnothing\n", &solved(&[])), None);
    assert_eq!(elements().len(), 8);
}
