//! The planner's answer with its types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::act::Act;
use super::bind::bind;
use super::json;
use super::memory;
use super::params::kind;
use crate::plan_record::MemoryOp;

/// An action with the sentence that a grounder finds its place by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedAction {
    /// What is done, and to which thing on the screen.
    #[serde(default)]
    pub description: String,
    /// The action.
    #[serde(flatten)]
    pub act: Act,
}

impl PlannedAction {
    /// As JSON: type, description, and the parameters where it has any.
    pub fn json(&self) -> Value {
        let mut map = Map::new();
        map.insert("type".to_owned(), self.act.name().into());
        map.insert("description".to_owned(), self.description.clone().into());
        let parameters = self.act.parameters();
        if !parameters.is_empty() {
            map.insert("parameters".to_owned(), Value::Object(parameters));
        }
        Value::Object(map)
    }
}

/// The planner's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "PlannerReply")]
pub struct PlannerReply {
    /// What the last action did.
    pub previous_action_result: String,
    /// What has to happen next, and why.
    pub thought: String,
    /// The action in a sentence that holds without knowing the screen.
    pub action_description: String,
    /// Changes of the memory.
    pub update_memory: Vec<MemoryOp>,
    /// The action.
    pub action: PlannedAction,
}

pub fn read(text: &str) -> Result<(PlannerReply, Vec<String>), String> {
    let json::ParsedObject { value: mut map, mut repairs } = json::object(text, "action")?;
    let previous_action_result = section(&mut map, "previous_action_result", &["review"], &mut repairs)?;
    let thought = section(&mut map, "thought", &[], &mut repairs)?;
    let action_description = section(&mut map, "action_description", &[], &mut repairs)?;
    let memory = take(&mut map, "update_memory", &["memory"], &mut repairs)
        .ok_or_else(|| "the key update_memory is missing".to_owned())?;
    let update_memory = memory::ops(&memory, &mut repairs)?;
    let action = map.shift_remove("action").ok_or_else(|| "the key action is missing".to_owned())?;
    let action = planned(action, &mut repairs)?;
    let reply = PlannerReply { previous_action_result, thought, action_description, update_memory, action };
    Ok((reply, repairs))
}

fn take(
    map: &mut Map<String, Value>,
    name: &str,
    others: &[&str],
    repairs: &mut Vec<String>,
) -> Option<Value> {
    if let Some(value) = map.shift_remove(name) {
        return Some(value);
    }
    let other = others.iter().find(|other| map.contains_key(**other))?;
    repairs.push(format!("{other} for {name}"));
    map.shift_remove(*other)
}

fn section(
    map: &mut Map<String, Value>,
    name: &str,
    others: &[&str],
    repairs: &mut Vec<String>,
) -> Result<String, String> {
    match take(map, name, others, repairs) {
        Some(Value::String(text)) => Ok(text),
        Some(Value::Null) => {
            repairs.push(format!("{name} is null"));
            Ok(String::new())
        }
        Some(other) => Err(format!("{name} must be a text, not {}", kind(&other))),
        None => Err(format!("the key {name} is missing")),
    }
}

fn planned(value: Value, repairs: &mut Vec<String>) -> Result<PlannedAction, String> {
    let value = match value {
        // An object that was written into a text.
        Value::String(text) => {
            let inner: Option<Value> = serde_json::from_str(&text).ok().filter(Value::is_object);
            repairs.push("action as a text".to_owned());
            inner.ok_or_else(|| format!("action must be an object, not {}", kind(&Value::String(text))))?
        }
        Value::Array(mut all) if all.len() == 1 => {
            repairs.push("action as a list".to_owned());
            all.remove(0)
        }
        Value::Array(all) if all.len() > 1 => {
            return Err(format!("action holds {} actions: choose one", all.len()));
        }
        value => value,
    };
    let Value::Object(mut map) = value else {
        return Err(format!("action must be an object, not {}", kind(&value)));
    };
    let written = match take(&mut map, "type", &["action_type", "name", "action"], repairs) {
        Some(Value::String(text)) if !text.trim().is_empty() => text,
        Some(other) => return Err(format!("type of action must be a text, not {}", kind(&other))),
        None => return Err("action has no type".to_owned()),
    };
    let description = match map.shift_remove("description") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(other) => return Err(format!("description of action must be a text, not {}", kind(&other))),
    };
    let mut parameters = match take(&mut map, "parameters", &["params", "arguments", "args"], repairs) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(parameters)) => parameters,
        Some(Value::Array(none)) if none.is_empty() => Map::new(),
        Some(Value::String(text)) if text.trim().is_empty() => Map::new(),
        Some(other) => return Err(format!("parameters of action must be an object, not {}", kind(&other))),
    };
    if !map.is_empty() {
        repairs.push("parameters beside the action".to_owned());
        for (name, value) in map {
            parameters.entry(name).or_insert(value);
        }
    }
    let (act, mended) = bind(written.trim(), &description, parameters)?;
    repairs.extend(mended);
    Ok(PlannedAction { description, act })
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
