//! A planner's action, from what a model wrote.
//!
//! Invariants: [`bind`] takes what [`Act`] is written as, and other spellings, or refuses with the reason.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use waldo_devices::catalogue::{Arg, CallTarget, Param, ParamKind, bare};
use waldo_devices::{Direction, Modifiers, Tool, ToolCall};

use super::act::{Act, FinishStatus, name_of, parameter, tool_meant};
use super::keys;
use super::params::{Params, kind};

impl<'de> Deserialize<'de> for Act {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct ActFields {
            r#type: String,
            #[serde(default)]
            parameters: Map<String, Value>,
        }
        let ActFields { r#type, parameters } = ActFields::deserialize(deserializer)?;
        bind(&r#type, "", parameters).map(|(act, _)| act).map_err(serde::de::Error::custom)
    }
}

/// What is not a tool, with other names, without case, blanks and signs.
const OWN: [(&str, &[&str]); 4] = [
    ("widget", &["usewidget", "playwidget", "operatewidget", "solvewidget"]),
    ("extract_data", &["extract", "extractinfo"]),
    ("finish", &["done", "complete", "terminate", "end"]),
    ("fail", &["infeasible", "impossible"]),
];

enum Type {
    Own(&'static str),
    Tool(Tool),
}

impl Type {
    fn name(&self) -> &'static str {
        match self {
            Self::Own(name) => name,
            Self::Tool(tool) => name_of(*tool),
        }
    }
}

/// The type of an action, however it is spelt, and the direction that its name may hold.
fn type_of(written: &str) -> Option<(Type, Option<Direction>)> {
    let word = bare(written);
    let own = OWN.iter().find(|(name, others)| bare(name) == word || others.contains(&word.as_str()));
    if let Some((name, _)) = own {
        return Some((Type::Own(name), None));
    }
    match tool_meant(&word) {
        Some(tool) => Some((Type::Tool(tool), None)),
        None if word.contains("scroll") => {
            Some((Type::Tool(Tool::Scroll), Direction::parse(&word.replace("scroll", ""))))
        }
        None if word.contains("wait") => Some((Type::Tool(Tool::Wait), None)),
        None => None,
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

/// An action from its written type, description and parameters, with the mends; or what is wrong.
pub(crate) fn bind(
    written: &str,
    description: &str,
    parameters: Map<String, Value>,
) -> Result<(Act, Vec<String>), String> {
    let Some((of, towards)) = type_of(written) else {
        return Err(format!("'{}' is not a type of action", shown(written)));
    };
    let name = of.name();
    let mut p = Params::new(name, parameters);
    if name != written {
        p.repairs.push(format!("{} for {name}", shown(written)));
    }
    let act = match of {
        Type::Tool(tool) => Act::Tool(tool_call(tool, &mut p, towards, description)?),
        Type::Own("widget") => {
            let goal = p.words("goal", &["objective", "instruction", "task", "text"])?;
            Act::Widget { goal, element_description: p.text_if_any("element_description", ELEMENT)? }
        }
        Type::Own("extract_data") => Act::ExtractData {
            description: p.text_if_any("description", &[])?.unwrap_or_else(|| description.to_owned()),
            data: p.value("data", &["value", "content"]).ok_or_else(|| p.missing("data"))?,
        },
        Type::Own("fail") => {
            let answer = p.text_if_any("answer", &["reason", "message"])?;
            Act::Finish { status: FinishStatus::Failure, answer }
        }
        Type::Own(_) => finish(&mut p)?,
    };
    p.end().map(|repairs| (act, repairs))
}

const ELEMENT: &[&str] = &["element", "target", "target_description"];

fn tool_call(
    tool: Tool,
    p: &mut Params<'_>,
    towards: Option<Direction>,
    description: &str,
) -> Result<ToolCall, String> {
    let mut call = ToolCall::new(tool);
    for (place, param) in tool.spec().params.iter().enumerate() {
        let name = parameter(tool, param);
        let mut others = param.aliases.to_vec();
        if name != param.name {
            others.push(param.name);
            others.retain(|other| *other != name);
        }
        let arg = match (param.kind, name) {
            (kind, "element_description") if kind.is_target() => {
                Some(Arg::Target(CallTarget::Described(p.text_if_any(name, ELEMENT)?)))
            }
            (kind, _) if kind.is_target() => {
                Some(Arg::Target(CallTarget::Described(Some(p.words(name, &others)?))))
            }
            (ParamKind::Direction, _) if !param.seldom => {
                Some(Arg::Direction(direction(p, name, &others, towards, description)?))
            }
            (ParamKind::Keys, _) => Some(Arg::Text(keys(p, name, &others)?)),
            _ => argument(p, param, name, &others)?,
        };
        if arg.is_none() && !param.optional {
            return Err(p.missing(name));
        }
        call.set(place, arg);
    }
    Ok(call)
}

fn argument(
    p: &mut Params<'_>,
    param: &Param,
    name: &'static str,
    others: &[&str],
) -> Result<Option<Arg>, String> {
    let action = p.action();
    Ok(match param.kind {
        ParamKind::Text => {
            let text = p.text_if_any(name, others)?;
            if !param.optional && text.as_ref().is_some_and(String::is_empty) {
                return Err(format!("{name} of {action} is empty"));
            }
            text.map(Arg::Text)
        }
        ParamKind::Name | ParamKind::Address if param.optional => {
            let text = p.text_if_any(name, others)?.map(|text| text.trim().to_owned());
            text.filter(|text| !text.is_empty()).map(Arg::Text)
        }
        ParamKind::Object => p.value(name, others).map(|value| param.read(&value)).transpose()?,
        ParamKind::Words => Some(Arg::Text(p.words(name, others)?)),
        ParamKind::Name | ParamKind::Address => Some(Arg::Text(p.words(name, others)?.trim().to_owned())),
        ParamKind::Files => Some(Arg::Files(vec![p.words(name, others)?])),
        ParamKind::Whole(min, max) => p.whole(name, others, min..=max)?.map(Arg::Number),
        ParamKind::Tab | ParamKind::Window => p.whole(name, others, 1..=10_000)?.map(Arg::Number),
        ParamKind::Seconds => match p.number(name, others)? {
            Some(s) if !(0.0..=10.0).contains(&s) => {
                return Err(format!("{name} of {action} must be a number from 0 to 10"));
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10 seconds")]
            seconds => seconds.map(|s| Arg::Millis((s * 1000.0).round() as u64)),
        },
        ParamKind::Modifiers => {
            let held = |text: String| {
                Modifiers::parse(&text)
                    .map(Arg::Modifiers)
                    .ok_or_else(|| wrong(name, action, &Modifiers::NAMES, &text))
            };
            p.text_if_any(name, others)?.map(held).transpose()?
        }
        kind => match (kind.words(), p.text_if_any(name, others)?) {
            (_, None) => None,
            (Some(words), Some(word)) => {
                Some(kind.read_word(&word).ok_or_else(|| wrong(name, action, words, &word))?)
            }
            (None, Some(_)) => return Err(format!("{name} of {action} goes by places that nobody sees")),
        },
    })
}

fn wrong(name: &str, action: &str, words: &[&str], word: &str) -> String {
    let (last, others) = words.split_last().unwrap_or((&"", &[]));
    format!("{name} of {action} must be {} or {last}, not '{}'", others.join(", "), shown(word))
}

fn keys(p: &mut Params<'_>, name: &'static str, others: &[&str]) -> Result<String, String> {
    let key = match p.value(name, others) {
        Some(Value::Array(all)) if all.iter().all(Value::is_string) => {
            p.repairs.push(format!("{name} as a list"));
            all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Some(Value::String(key)) => key,
        Some(Value::Number(key)) => key.to_string(),
        Some(value) => return Err(format!("{name} of {} must be a text, not {}", p.action(), kind(&value))),
        None => return Err(p.missing(name)),
    };
    keys::chord(&key)
}

fn finish(p: &mut Params<'_>) -> Result<Act, String> {
    let status = p.words("status", &["result", "outcome"])?;
    let status = match status.trim().to_ascii_lowercase().as_str() {
        "success" | "succeeded" | "successful" | "done" | "completed" => FinishStatus::Success,
        "failure" | "fail" | "failed" | "infeasible" | "impossible" => FinishStatus::Failure,
        _ => {
            return Err(format!("status of finish must be success or failure, not '{}'", shown(&status)));
        }
    };
    Ok(Act::Finish { status, answer: p.text_if_any("answer", &["text", "message", "value", "reason"])? })
}

/// A direction; where the parameter is missing, that of the type or of the description.
fn direction(
    p: &mut Params<'_>,
    name: &'static str,
    others: &[&str],
    towards: Option<Direction>,
    description: &str,
) -> Result<Direction, String> {
    if let Some(word) = p.text_if_any(name, others)? {
        return Direction::parse(&word).ok_or_else(|| wrong(name, p.action(), Direction::WORDS, &word));
    }
    if let Some(towards) = towards {
        return Ok(towards);
    }
    let words: Vec<Direction> =
        description.split(|c: char| !c.is_alphabetic()).filter_map(Direction::parse).collect();
    match words.as_slice() {
        [one] => {
            p.repairs.push("direction from the description".to_owned());
            Ok(*one)
        }
        _ => Err(p.missing(name)),
    }
}

#[cfg(test)]
#[path = "bind_tests.rs"]
mod tests;
