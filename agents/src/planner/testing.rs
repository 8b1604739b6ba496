use std::sync::Arc;

use serde_json::{Value, json};

use waldo_devices::{CallTarget, Tool, ToolCall};

use super::act::Act;
use super::agent::PlannerOptions;
use super::compact::ContextWindow;
use super::entry::HistoryEntry;
use super::ground::TextGrounder;
use super::reply::{PlannedAction, PlannerReply};
use super::screen::ScreenText;

/// Options of a planner without secrets that finds elements by their names.
pub fn options(screen: ScreenText) -> PlannerOptions {
    PlannerOptions {
        grounder: Arc::new(TextGrounder),
        window: ContextWindow { tokens: 128_000, reply: 1024 },
        date: "2026-03-04".into(),
        screen,
        secrets: Vec::new(),
        widget: None,
        compat: false,
        memory: true,
    }
}

pub fn answer(action: Value) -> String {
    json!({
        "previous_action_result": "It worked.",
        "thought": "On.",
        "action_description": "Go on.",
        "update_memory": [],
        "action": action,
    })
    .to_string()
}

pub fn entry(step: u32) -> HistoryEntry {
    let png = waldo_devices::labels::encode_png(&image::RgbImage::new(640, 480)).unwrap();
    HistoryEntry {
        step,
        reply: PlannerReply {
            previous_action_result: "Fine.".into(),
            thought: format!("Step {step} is needed because of the one before it."),
            action_description: format!("Do the thing number {step}."),
            update_memory: Vec::new(),
            action: PlannedAction {
                description: "Click the 'Next' button.".into(),
                act: Act::Tool(ToolCall::aimed(Tool::Tap, CallTarget::Described(None))),
            },
        },
        performed: vec![json!({"method_type": "tap", "parameters": {"at": {"x": 1, "y": 2}}})],
        review: Some("The next page has opened.".into()),
        problem: None,
        picture: Some(Arc::from(png)),
    }
}
