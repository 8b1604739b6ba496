//! One earlier step of the planner, and what is told of it.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::act::Act;
use super::memory::MAX_VALUE_CHARS;
use super::reply::PlannerReply;
use crate::model::{Message, MessagePart, Speaker};
use waldo_devices::JsonMembers as _;

#[derive(Clone, Debug)]
pub(crate) struct HistoryEntry {
    pub(crate) step: u32,
    pub(crate) reply: PlannerReply,
    /// What was done, in the form of the record; empty for a step that did nothing.
    pub(crate) performed: Vec<Value>,
    /// What the planner said of it one step later.
    pub(crate) review: Option<String>,
    pub(crate) problem: Option<String>,
    pub(crate) picture: Option<Arc<[u8]>>,
}

impl HistoryEntry {
    pub(crate) fn messages(&self, picture: bool, spaced: bool) -> Vec<Message> {
        let mut out = Vec::with_capacity(3);
        if let Some(png) = self.picture.as_ref().filter(|_| picture) {
            out.push(Message { speaker: Speaker::User, parts: vec![MessagePart::Png(png.clone())] });
        }
        let (about, action) = (&self.reply.action_description, self.reply.action.json());
        let said = json!({ "thought": self.reply.thought, "action_description": about, "action": action });
        out.push(text(Speaker::Assistant, written(&said, spaced)));
        let mut told = Map::new();
        told.insert("Performed actions".to_owned(), Value::Array(self.performed.clone()));
        told.put_some("Problem", &self.problem);
        told.put_some("Observation", &self.review);
        out.push(text(Speaker::User, written(&Value::Object(told), spaced)));
        out
    }

    pub(crate) fn line(&self) -> String {
        let one = |text: &str, max: usize| {
            let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
            folded.chars().take(max).collect::<String>()
        };
        // The action's own description says to what it was done.
        let what = match one(&self.reply.action.description, 200) {
            empty if empty.is_empty() => one(&self.reply.action_description, 200),
            what => what,
        };
        let mut line = format!("{}. {what}", self.step);
        match &self.reply.action.act {
            // These data are nowhere else.
            Act::ExtractData { description, data } => {
                let _ =
                    write!(line, " [{}: {}]", one(description, 80), one(&data.to_string(), MAX_VALUE_CHARS));
            }
            act => {
                let mut with = act.parameters();
                with.retain(|name, value| {
                    !name.ends_with("description") && !value.as_str().is_some_and(|text| line.contains(text))
                });
                if !with.is_empty() {
                    let _ = write!(line, " {}", one(&Value::Object(with).to_string(), 200));
                }
            }
        }
        if let Some(problem) = &self.problem {
            let _ = write!(line, " [{}]", one(problem, 160));
        }
        if let Some(review) = &self.review {
            let _ = write!(line, " -> {}", one(review, 200));
        }
        line
    }
}

pub(super) fn text(speaker: Speaker, text: String) -> Message {
    Message { speaker, parts: vec![MessagePart::Text(text)] }
}

fn written(value: &Value, spaced: bool) -> String {
    if spaced { serde_json::to_string_pretty(value).unwrap_or_default() } else { value.to_string() }
}
