//! Drafting a task of a suite from what somebody did on a device: a demonstration, or an episode of a run.
//!
//! Duty: read what was done ([`Done`]), write it as the steps of a reference solution ([`Solution`]), tell two states of
//! a device apart and propose checks of the difference ([`Snapshot`]), and write the suite's folder ([`Folder`]).
//!
//! Invariants: nothing is invented: a step that a solution cannot have is named, not left out in silence; a proposed
//! check is one that did not hold at the start and held at the end; what was on a screen is text in the task's file,
//! never a template.

mod done;
mod folder;
mod snapshot;
mod solution;

use serde_json::{Map, Value};

pub use done::{Deed, Done};
pub use folder::{Folder, StartPage, id_of};
pub use snapshot::Snapshot;
pub use solution::Solution;

/// A `[[check]]` or `[[reference]]` as it is written.
pub type DraftEntry = Map<String, Value>;

pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('{', Some('{' | '%' | '#')) => out.push_str("{{ '{' }}"),
            _ => out.push(letter),
        }
    }
    out
}

pub(crate) fn plain_value(value: &Value) -> Value {
    match value {
        Value::String(text) => plain(text).into(),
        Value::Array(items) => items.iter().map(plain_value).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), plain_value(value))).collect::<DraftEntry>().into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
