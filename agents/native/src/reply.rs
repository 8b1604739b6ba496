//! From a model's reply to calls, by the form of its profile.
//!
//! Invariant: what a model thinks in a `<think>` block is kept apart and never read for actions.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::call::Call;
use crate::expression::{self, short};
use crate::json::{self, CallKeys};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplyForm {
    /// Expressions after a marker: `Action: click(start_box='(10,20)')`.
    Calls,
    ToolCall,
    /// `<think>`, `<operation>` and `<action>` with expressions in the last.
    Tags,
    /// Lines of `pyautogui` and its like, in a code block or without one.
    Code,
    Json,
    /// A place alone: two numbers, or a box of four. For grounders.
    Place,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ReplyRule {
    pub(crate) form: ReplyForm,
    #[serde(default = "action_marker")]
    pub(crate) marker: String,
    #[serde(default = "thought_marker")]
    pub(crate) thought: String,
    /// Of JSON: the key of the action's name.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// Of JSON: the key of the object that holds the arguments.
    #[serde(default)]
    pub(crate) inside: Option<String>,
    /// Of code: what the names of calls begin with.
    #[serde(default)]
    pub(crate) prefixes: Vec<String>,
    #[serde(default)]
    pub(crate) rename: BTreeMap<String, String>,
}

fn action_marker() -> String {
    "Action:".to_owned()
}

fn thought_marker() -> String {
    "Thought:".to_owned()
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What stood in a `<think>` block.
    pub thinking: Option<String>,
    pub thought: Option<String>,
    /// The next step in the model's words.
    pub operation: Option<String>,
    /// What it wants done, in order.
    pub calls: Vec<Call>,
}

impl ReplyRule {
    pub(crate) fn read(&self, reply: &str) -> Result<Reply, String> {
        let (thinking, rest) = thinking(reply);
        if rest.trim().is_empty() {
            return Err("the reply is empty".to_owned());
        }
        let mut read = match self.form {
            ReplyForm::Calls => self.expressions(rest)?,
            ReplyForm::ToolCall => self.tool_calls(rest)?,
            ReplyForm::Tags => tags(rest)?,
            ReplyForm::Code => self.code(rest)?,
            ReplyForm::Json => self.json(rest)?,
            ReplyForm::Place => return Err("a place alone is not an action".to_owned()),
        };
        read.thinking = thinking;
        for call in &mut read.calls {
            call.named = std::mem::take(&mut call.named)
                .into_iter()
                .map(|(name, value)| (self.rename.get(&name).cloned().unwrap_or(name), value))
                .collect();
        }
        Ok(read)
    }

    fn expressions(&self, text: &str) -> Result<Reply, String> {
        let Some(at) = last_marker(text, &self.marker) else {
            return match expression::calls(text.trim()) {
                Ok(calls) if text.trim_start().starts_with(&calls[0].name) => {
                    Ok(Reply { calls, ..Reply::default() })
                }
                _ => Err(format!("'{}' is missing before the action", self.marker)),
            };
        };
        let before = &text[..at];
        let calls = expression::calls(&text[at + self.marker.len()..])?;
        Ok(Reply { thought: self.thought_of(before), calls, ..Reply::default() })
    }

    fn thought_of(&self, before: &str) -> Option<String> {
        let thought = match before.find(&self.thought) {
            Some(at) if !self.thought.is_empty() => &before[at + self.thought.len()..],
            _ => before,
        };
        non_empty(thought)
    }

    pub(crate) fn keys<'a>(&'a self, name: &'a str, inside: Option<&'a str>) -> CallKeys<'a> {
        CallKeys { name: self.name.as_deref().unwrap_or(name), inside: self.inside.as_deref().or(inside) }
    }

    fn tool_calls(&self, text: &str) -> Result<Reply, String> {
        const OPEN: &str = "<tool_call>";
        let (mut before, mut blocks) = (text, Vec::new());
        if let Some(start) = text.find(OPEN) {
            before = &text[..start];
            blocks = text[start..]
                .split(OPEN)
                .filter(|block| !block.trim().is_empty())
                .map(|block| block.split("</tool_call>").next().unwrap_or(block))
                .collect();
        } else if let Some(start) = text.find('{') {
            before = &text[..start];
            blocks.push(&text[start..]);
        }
        if blocks.is_empty() {
            return Err("there is no <tool_call> block in it".to_owned());
        }
        let keys = self.keys("action", Some("arguments"));
        let calls = blocks.into_iter().map(|block| json::call(json::object(block)?, keys));
        let calls = calls.collect::<Result<Vec<_>, _>>()?;
        let operation = last_marker(before, &self.marker);
        let thought = &before[..operation.unwrap_or(before.len())];
        Ok(Reply {
            thought: self.thought_of(thought),
            operation: operation.and_then(|at| non_empty(&before[at + self.marker.len()..])),
            calls,
            ..Reply::default()
        })
    }

    fn json(&self, text: &str) -> Result<Reply, String> {
        let keys = self.keys("action", None);
        let found =
            json::first(text).ok_or_else(|| format!("'{}' holds no JSON object", short(text.trim())))?;
        let objects = match found {
            Value::Array(all) => all,
            one => vec![one],
        };
        let maps = objects.into_iter().filter_map(|value| match value {
            Value::Object(map) => Some(map),
            _ => None,
        });
        let calls = maps.map(|map| json::call(map, keys)).collect::<Result<Vec<_>, _>>()?;
        let before = &text[..text.find(['{', '[']).unwrap_or(0)];
        let thought = self.thought_of(before.trim_end_matches("json").trim_end_matches('`'));
        Ok(Reply { thought, calls, ..Reply::default() })
    }

    fn code(&self, text: &str) -> Result<Reply, String> {
        let block = last_block(text);
        let code = block.map_or(text, |(_, code)| code);
        let known = |call: &Call| match call.name.split_once('.') {
            Some((prefix, _)) => self.prefixes.iter().any(|known| known == prefix),
            None => {
                call.positional.is_empty() && call.named.is_empty()
                    || self.prefixes.iter().any(String::is_empty)
            }
        };
        let lines: String = code
            .lines()
            .filter(|line| {
                let line = line.trim_start();
                let prefixed = self.prefixes.iter().any(|prefix| line.starts_with(&format!("{prefix}.")));
                block.is_some()
                    || prefixed
                    || self.prefixes.iter().any(String::is_empty)
                    || is_word(line.trim())
            })
            .fold(String::new(), |all, line| all + line + "\n");
        let mut calls = expression::calls(&lines)?;
        calls.retain(known);
        if calls.is_empty() {
            return Err(format!("there is no call of {} in it", self.prefixes.join(" or ")));
        }
        let start = block.map_or_else(|| first_call(text, &self.prefixes), |(start, _)| start);
        let before = &text[..start];
        let section = |name: &str| section(before, name);
        // A model that tells whom it speaks to says in words what it does, before it speaks to the system.
        let words = before.split("assistantos").next().unwrap_or_default();
        let operation = section("Action").or_else(|| match last_marker(words, &self.marker) {
            Some(at) => non_empty(&words[at + self.marker.len()..]),
            None if words.len() < before.len() => non_empty(words),
            None => None,
        });
        let thought = section("Thought").or_else(|| operation.is_none().then(|| non_empty(before)).flatten());
        Ok(Reply { thought, operation, calls, ..Reply::default() })
    }

    /// The place that a grounder's answer names, in its own coordinates; `None` where it says that there is none.
    pub(crate) fn place(&self, answer: &str) -> Result<Option<[f64; 2]>, String> {
        let (_, rest) = thinking(answer);
        let none = ["none", "not found", "no such", "not visible"];
        let words = rest.to_lowercase();
        // The last pair or box counts: what stands before it may tell of others.
        let groups = groups(rest);
        match groups.last() {
            Some([x, y]) if *x < 0.0 && *y < 0.0 => Ok(None),
            Some(at) => Ok(Some(*at)),
            None if none.iter().any(|word| words.contains(word)) => Ok(None),
            None => Err("the answer names no place".to_owned()),
        }
    }
}

/// Pairs and boxes in brackets; where there are none, the numbers of the whole text.
fn groups(text: &str) -> Vec<[f64; 2]> {
    let clean = text.replace("),(", ",").replace("], [", ",").replace("),  (", ",").replace("), (", ",");
    let inside = |open: char, close: char| -> Vec<[f64; 2]> {
        let parts = clean.split(open).skip(1).filter_map(|part| part.split_once(close));
        parts.filter_map(|(inner, _)| crate::call::place(&Value::String(inner.to_owned()))).collect()
    };
    let mut all = inside('(', ')');
    all.extend(inside('[', ']'));
    if all.is_empty() {
        all.extend(crate::call::place(&Value::String(clean)));
    }
    all
}

/// A `<think>` block at the beginning, and what follows it.
fn thinking(reply: &str) -> (Option<String>, &str) {
    let text = reply.trim();
    match text.split_once("</think>") {
        Some((block, rest)) => (non_empty(block.trim_start().trim_start_matches("<think>")), rest),
        None => (None, text),
    }
}

/// A text that says something, without blanks around it.
pub(crate) fn non_empty(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn is_word(line: &str) -> bool {
    line.len() > 1 && line.chars().all(|c| c.is_ascii_uppercase())
}

/// Where a marker stands for the last time: at the beginning of a line, else anywhere.
fn last_marker(text: &str, marker: &str) -> Option<usize> {
    if marker.is_empty() {
        return None;
    }
    let at_line = |(at, _): &(usize, &str)| {
        text[..*at]
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.trim_matches(['*', '#', ' ', '\t']).is_empty())
    };
    let by_line = text.match_indices(marker).filter(at_line).last();
    by_line.or_else(|| text.match_indices(marker).last()).map(|(at, _)| at)
}

fn tags(text: &str) -> Result<Reply, String> {
    let block = |name: &str| -> Option<&str> {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split(&format!("</{name}>")).next().unwrap_or(rest))
    };
    let action = block("action").ok_or("there is no <action> block in it")?;
    Ok(Reply {
        operation: block("operation").and_then(non_empty),
        calls: expression::calls(action)?,
        ..Reply::default()
    })
}

/// The last fenced block, and where it begins.
fn last_block(text: &str) -> Option<(usize, &str)> {
    let fences: Vec<usize> = text.match_indices("```").map(|(at, _)| at).collect();
    let (start, end) = match fences.as_slice() {
        [] => return None,
        [one] => (*one, text.len()),
        [.., start, end] if fences.len().is_multiple_of(2) => (*start, *end),
        [.., start] => (*start, text.len()),
    };
    let inner = &text[start + 3..end];
    // The language of the block.
    let language = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(0);
    let inner = if inner[language..].starts_with(['\n', ' ', '\r']) { &inner[language..] } else { inner };
    Some((start, inner))
}

fn first_call(text: &str, prefixes: &[String]) -> usize {
    let named = prefixes.iter().filter(|prefix| !prefix.is_empty());
    named.filter_map(|prefix| text.find(&format!("{prefix}."))).min().unwrap_or(text.len())
}

/// What stands below a heading `## Name`, up to the next.
fn section(text: &str, name: &str) -> Option<String> {
    let mut lines = text.lines();
    let heading = |line: &str| {
        let title = line.trim().trim_start_matches('#').trim().trim_end_matches(':').to_owned();
        line.trim_start().starts_with("##").then_some(title)
    };
    lines.find(|line| heading(line).is_some_and(|title| title == name))?;
    let inside: Vec<&str> = lines.take_while(|line| heading(line).is_none()).collect();
    non_empty(&inside.join("\n"))
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
