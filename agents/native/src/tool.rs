//! A vendor's own tool: offered in place of actions that are asked for in words.
//!
//! Such a model answers with calls; it ends with an answer that has none, and says in a line of its own how.

use serde_json::{Value, json};

use crate::call::Call;
use crate::json;
use crate::profile::Profile;
use crate::reply::{Reply, non_empty};
use crate::tool_rule::ENDINGS;

impl Profile {
    /// Takes a reply apart that has calls of the tool, or ends with words; `last` takes any words for its end.
    pub fn read_tool(&self, text: &str, calls: &[Value], last: bool) -> Result<Reply, String> {
        let read = |value: &Value| match value {
            Value::Object(map) => json::call(map.clone(), self.keys()),
            other => Err(format!("'{other}' is not a call")),
        };
        let mut calls = calls.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let thought = non_empty(text);
        if calls.is_empty() {
            if thought.is_none() {
                return Err("the reply is empty".to_owned());
            }
            let end = ending(text).or_else(|| last.then(|| Call::bare(ENDINGS[0].1)));
            calls.push(
                end.ok_or("it has no action, and no line DONE, FAIL or PERSON that says how the task ended")?,
            );
        }
        Ok(Reply { thought, calls, ..Reply::default() })
    }
}

fn ending(text: &str) -> Option<Call> {
    text.lines().rev().find_map(|line| {
        let line = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | '`' | '>' | '-'));
        ENDINGS.iter().find_map(|(word, name)| {
            let rest = line.strip_prefix(word)?.trim_start_matches('*');
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix([':', '.'])? };
            let mut call = Call::bare(name);
            let rest = rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`'));
            if !rest.is_empty() {
                // Whichever of them the profile's own action takes.
                for argument in ["text", "answer", "reason"] {
                    call.named.insert(argument.to_owned(), json!(rest));
                }
            }
            Some(call)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn calls_and_endings_are_read_in_each_vendors_form() {
        for (profile, call, name) in [
            ("claude", json!({"input": {"action": "left_click", "coordinate": [1, 2]}}), "left_click"),
            (
                "openai",
                json!({"type": "computer_call", "action": {"type": "click", "x": 1, "y": 2}}),
                "click",
            ),
            ("gemini", json!({"name": "click", "args": {"x": 1, "y": 2, "intent": "save"}}), "click"),
        ] {
            let profile = builtin(profile).unwrap();
            let reply = profile.read_tool("I save it.", &[call], false).unwrap();
            assert_eq!((reply.calls[0].name.as_str(), reply.thought.as_deref()), (name, Some("I save it.")));
            for (text, name, argument) in [
                ("It is saved.\nDONE", "done", None),
                ("**DONE:** 42", "done", Some("42")),
                ("I looked.\nFAIL: there is no button", "fail", Some("there is no button")),
                ("PERSON: a password", "call_user", Some("a password")),
            ] {
                let reply = profile.read_tool(text, &[], false).unwrap();
                let given = reply.calls[0].named.get("answer").and_then(Value::as_str);
                assert_eq!((reply.calls[0].name.as_str(), given), (name, argument), "{text}");
            }
            assert!(profile.read_tool("Shall I? DONE is what I would say.", &[], false).is_err());
            assert_eq!(profile.read_tool("It is saved.", &[], true).unwrap().calls[0].name, "done");
            assert!(profile.read_tool(" ", &[], true).is_err());
        }
    }
}
