//! The planner's earlier steps, and the messages that tell of them.

use std::fmt::Write as _;

use serde_json::{Value, json};
use waldo_devices::Action;

use super::act::Act;
use super::compact::{self, ContextWindow, HistoryForm};
use super::entry::{HistoryEntry, text};
use crate::model::{Message, Speaker};
use crate::plan_record::ContextUse;

#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    entries: Vec<HistoryEntry>,
}

impl History {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn push(&mut self, entry: HistoryEntry) {
        self.entries.push(entry);
        // Pictures further back are never shown again.
        let old = self.entries.len().saturating_sub(HistoryForm::UPSTREAM.pictures);
        for entry in &mut self.entries[..old] {
            entry.picture = None;
        }
    }

    /// What the planner says of the latest step.
    pub(crate) fn review(&mut self, review: &str) {
        if let Some(last) = self.entries.last_mut().filter(|last| last.review.is_none())
            && !review.trim().is_empty()
        {
            last.review = Some(review.trim().to_owned());
        }
    }

    /// What the runtime says of the latest step.
    pub(crate) fn problem(&mut self, problem: String) {
        if let Some(last) = self.entries.last_mut() {
            last.problem = Some(problem);
        }
    }

    /// What came of the latest step, where that took longer than a turn.
    pub(crate) fn set_outcome(&mut self, outcome: &str) {
        if let Some(Value::Object(last)) = self.entries.last_mut().and_then(|last| last.performed.last_mut())
        {
            last.insert("status".to_owned(), outcome.into());
        }
    }

    /// A whole request: `first` (system and task), the earlier steps as far as they fit, `last`.
    pub(crate) fn request(
        &self,
        first: Vec<Message>,
        last: Message,
        form: HistoryForm,
        window: ContextWindow,
    ) -> (Vec<Message>, ContextUse) {
        let fixed = compact::tokens(&first) + compact::tokens(std::slice::from_ref(&last));
        let shape = compact::shape(&self.entries, form, fixed, window.limit());
        let mut messages = first;
        let told = &self.entries[shape.left_out..];
        if shape.left_out + shape.short > 0 {
            let mut lines = String::from("Your earlier steps, in short:");
            if shape.left_out > 0 {
                let _ = write!(lines, "\n(the first {} steps are left out)", shape.left_out);
            }
            for entry in &told[..shape.short] {
                let _ = write!(lines, "\n{}", entry.line());
            }
            messages.push(text(Speaker::User, lines));
        }
        let whole = &told[shape.short..];
        for (i, entry) in whole.iter().enumerate() {
            messages.extend(entry.messages(whole.len() - i <= shape.pictures, form.spaced));
        }
        messages.push(last);
        (messages, shape.context)
    }
}

/// What a step did, as the history tells it: without handles of elements, which mean nothing to a model.
pub(crate) fn performed(act: &Act, action: Option<&Action>) -> Vec<Value> {
    if let Act::ExtractData { description, .. } = act {
        return vec![json!({
            "type": "extract_data", "description": description, "status": "data extracted",
        })];
    }
    if let Act::Widget { goal, .. } = act {
        return vec![json!({ "type": "widget", "goal": goal })];
    }
    let Some(Ok(Value::Object(mut parameters))) = action.map(serde_json::to_value) else { return Vec::new() };
    let name = parameters.shift_remove("do").unwrap_or_default();
    parameters.shift_remove("element");
    for value in parameters.values_mut() {
        round(value);
    }
    vec![json!({ "method_type": name, "parameters": parameters })]
}

fn round(value: &mut Value) {
    match value {
        Value::Number(n) if n.is_f64() => {
            #[expect(clippy::cast_possible_truncation, reason = "coordinates of a screen")]
            let whole = n.as_f64().map(|n| n.round() as i64);
            *value = whole.map_or(Value::Null, Value::from);
        }
        Value::Array(list) => list.iter_mut().for_each(round),
        Value::Object(map) => map.values_mut().for_each(round),
        _ => {}
    }
}
