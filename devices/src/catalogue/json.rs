//! Calls as JSON: for examples, schemas, and players that speak it.

use serde_json::{Map, Number, Value, json};

use super::words::HasWords;
use super::{Arg, CallTarget, Direction, Distance, Param, ParamKind, Percent, Reply, Spot, Tool, ToolCall};
use crate::action_parts::{Button, Clicks, Modifiers, Orientation};
use crate::geometry::Point;
use crate::labels::Subarea;
use crate::tag::Tag;

impl ParamKind {
    /// The words that it has, where it has a few fixed ones.
    pub fn words(self) -> Option<&'static [&'static str]> {
        Some(match self {
            Self::Direction => Direction::WORDS,
            Self::Distance => Distance::WORDS,
            Self::Side => Orientation::WORDS,
            Self::Reply => Reply::WORDS,
            Self::Clicks => Clicks::WORDS,
            Self::Button => Button::WORDS,
            _ => return None,
        })
    }

    /// The argument that a word of it, or another that is read for it, stands for.
    pub fn read_word(self, word: &str) -> Option<Arg> {
        match self {
            Self::Direction => Direction::parse(word).map(Arg::Direction),
            Self::Distance => Distance::parse(word).map(Arg::Distance),
            Self::Side => Orientation::read(word).map(Arg::Side),
            Self::Reply => Reply::parse(word).map(Arg::Reply),
            Self::Clicks => Clicks::read(word).map(Arg::Clicks),
            Self::Button => Button::read(word).map(Arg::Button),
            _ => None,
        }
    }
}

impl Arg {
    /// Its word, where it is one of a few fixed ones.
    pub fn word(&self) -> Option<&'static str> {
        Some(match self {
            Self::Direction(direction) => direction.name(),
            Self::Distance(distance) => distance.name(),
            Self::Side(side) => side.word(),
            Self::Reply(reply) => reply.name(),
            Self::Clicks(clicks) => clicks.word(),
            Self::Button(button) => button.word(),
            _ => return None,
        })
    }

    pub fn json(&self) -> Value {
        match self {
            Self::Target(CallTarget::Element { tag, at: None }) => json!(tag.0),
            Self::Target(CallTarget::Element { tag, at: Some([x, y]) }) => {
                json!({ "element": tag.0, "x": x, "y": y })
            }
            Self::Target(CallTarget::Area(Spot { area, part })) => json!({ "area": area, "part": part }),
            Self::Target(CallTarget::Place(at)) => json!({ "x": at.x, "y": at.y }),
            Self::Target(CallTarget::Described(what)) => json!(what),
            Self::Path(path) => json!(path),
            Self::Text(text) => json!(text),
            Self::Files(files) => match files.as_slice() {
                [file] => json!(file),
                files => json!(files),
            },
            Self::Number(number) => json!(number),
            Self::Modifiers(held) => json!(held),
            Self::Millis(ms) if ms.is_multiple_of(1000) => json!(ms / 1000),
            Self::Millis(ms) => json!(std::time::Duration::from_millis(*ms).as_secs_f64()),
            Self::Direction(_)
            | Self::Distance(_)
            | Self::Side(_)
            | Self::Reply(_)
            | Self::Clicks(_)
            | Self::Button(_) => json!(self.word()),
        }
    }
}

impl Param {
    /// Its JSON schema; of a target any of the forms that [`Param::read`] takes.
    pub fn schema(&self) -> Value {
        let mut schema = match self.kind {
            kind if kind.is_target() => json!({ "type": ["integer", "object", "string"] }),
            ParamKind::Path => json!({ "type": "array", "minItems": 2, "items": {
                "type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" } } }),
            ParamKind::Files => json!({ "type": "array", "minItems": 1, "items": { "type": "string" } }),
            ParamKind::Whole(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
            ParamKind::Tab | ParamKind::Window => json!({ "type": "integer", "minimum": 1 }),
            ParamKind::Seconds => json!({ "type": "number", "minimum": 0, "maximum": 10 }),
            ParamKind::Object => json!({ "type": "object" }),
            kind => match kind.words() {
                Some(words) => json!({ "type": "string", "enum": words }),
                None => json!({ "type": "string" }),
            },
        };
        schema["description"] = json!(self.what);
        schema
    }

    fn written(&self, arg: &Arg) -> Value {
        match (self.kind, arg) {
            // One that is no object is written as it came.
            (ParamKind::Object, Arg::Text(text)) => serde_json::from_str(text).unwrap_or_else(|_| arg.json()),
            _ => arg.json(),
        }
    }

    pub fn read(&self, value: &Value) -> Result<Arg, String> {
        let bad = |wants: &str| format!("{} must be {wants}, not {value}", self.name);
        Ok(match (self.kind, value) {
            (kind, value) if kind.is_target() => Arg::Target(
                target(value).ok_or_else(|| bad("a number, a place within an element, or a description"))?,
            ),
            (ParamKind::Path, value) => {
                let path: Vec<Percent> = serde_json::from_value(value.clone()).unwrap_or_default();
                if path.len() < 2 {
                    return Err(bad("two places or more"));
                }
                Arg::Path(path)
            }
            (ParamKind::Files, Value::String(file)) => Arg::Files(vec![file.clone()]),
            (ParamKind::Files, value) => {
                let files: Vec<String> = serde_json::from_value(value.clone()).unwrap_or_default();
                if files.is_empty() {
                    return Err(bad("the names of files"));
                }
                Arg::Files(files)
            }
            (ParamKind::Whole(min, max), value) => whole(value)
                .filter(|n| (min..=max).contains(n))
                .map(Arg::Number)
                .ok_or_else(|| bad(&format!("a whole number from {min} to {max}")))?,
            (ParamKind::Tab | ParamKind::Window, value) => whole(value)
                .filter(|n| *n > 0)
                .map(Arg::Number)
                .ok_or_else(|| bad("a whole number from 1"))?,
            (ParamKind::Seconds, value) => value
                .as_f64()
                .and_then(millis)
                .map(Arg::Millis)
                .ok_or_else(|| bad("a number from 0 to 10"))?,
            (ParamKind::Modifiers, Value::String(text)) => {
                Modifiers::parse(text).map(Arg::Modifiers).ok_or_else(|| bad("ctrl, alt, shift or meta"))?
            }
            (ParamKind::Object, Value::Object(_)) => Arg::Text(value.to_string()),
            (ParamKind::Name | ParamKind::Address, Value::String(text)) => Arg::Text(text.trim().to_owned()),
            (kind, Value::String(text)) => match kind.words() {
                Some(words) => kind.read_word(text).ok_or_else(|| bad(&words.join(", ")))?,
                None => Arg::Text(text.clone()),
            },
            _ => return Err(bad("a text")),
        })
    }
}

pub fn unknown_parameter(tool: &str, unknown: &str, known: &[&str]) -> String {
    match known {
        [] => format!("{tool} has no parameters, and '{unknown}' is given"),
        known => format!("{tool} has no parameter '{unknown}'; it has {}", known.join(", ")),
    }
}

/// Whole milliseconds of 0 to 10 seconds.
pub(super) fn millis(seconds: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10 seconds")]
    (0.0..=10.0).contains(&seconds).then_some((seconds * 1000.0).round() as u64)
}

fn whole(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|n| u32::try_from(n).ok())
}

fn target(value: &Value) -> Option<CallTarget> {
    let map = match value {
        Value::String(what) => return Some(CallTarget::Described(Some(what.clone()))),
        Value::Number(_) => return Some(CallTarget::Element { tag: Tag(whole(value)?), at: None }),
        Value::Object(map) => map,
        _ => return None,
    };
    let number = |name: &str| map.get(name).and_then(Value::as_f64);
    let at = number("x").zip(number("y"));
    if let Some(element) = map.get("element") {
        return Some(CallTarget::Element { tag: Tag(whole(element)?), at: at.map(|(x, y)| [x, y]) });
    }
    if let Some(area) = map.get("area") {
        let part = map.get("part").map_or(Some(Subarea::Center), |part| Subarea::parse(part.as_str()?))?;
        return Some(CallTarget::Area(Spot { area: whole(area)?, part }));
    }
    at.map(|(x, y)| CallTarget::Place(Point::new(x, y)))
}

impl Tool {
    pub fn call(self, parameters: &Map<String, Value>) -> Result<ToolCall, String> {
        self.call_as(self.spec().name, parameters)
    }

    /// The same for players who know the tool as `name`.
    pub fn call_as(self, name: &str, parameters: &Map<String, Value>) -> Result<ToolCall, String> {
        let spec = self.spec();
        if let Some((unknown, _)) = parameters.iter().find(|(name, _)| spec.position(name).is_none()) {
            let known: Vec<&str> = spec.params.iter().map(|param| param.name).collect();
            return Err(unknown_parameter(name, unknown, &known));
        }
        let mut call = ToolCall::new(self);
        for (place, param) in spec.params.iter().enumerate() {
            if let Some(value) = parameters.get(param.name).filter(|value| !value.is_null()) {
                call.set(place, Some(param.read(value)?));
            }
        }
        match call.missing() {
            Some(param) => Err(format!("{name} needs the parameter {}", param.name)),
            None => Ok(call),
        }
    }

    pub fn schema(self) -> Value {
        let spec = self.spec();
        let properties: Map<String, Value> =
            spec.params.iter().map(|param| (param.name.to_owned(), param.schema())).collect();
        let required: Vec<&str> = spec.params.iter().filter(|p| !p.optional).map(|p| p.name).collect();
        json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        })
    }

    /// The call of its example; `None` where it has none.
    pub fn example(self) -> Option<ToolCall> {
        let parameters = self.spec().example.parameters;
        let parameters: Map<String, Value> = serde_json::from_str(parameters).ok()?;
        self.call(&parameters).ok()
    }
}

impl ToolCall {
    pub fn parameters(&self) -> Map<String, Value> {
        self.args()
            .filter_map(|(param, arg)| Some((param.name.to_owned(), param.written(arg?))))
            .map(|(name, value)| (name, plain(value)))
            .collect()
    }
}

/// Whole numbers without a fraction.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(n) => match n.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small")]
            Some(f) if n.is_f64() && f.fract() == 0.0 && f.abs() < 1e9 => {
                Value::Number(Number::from(f as i64))
            }
            _ => Value::Number(n),
        },
        Value::Array(all) => Value::Array(all.into_iter().map(plain).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(name, v)| (name, plain(v))).collect()),
        other => other,
    }
}
