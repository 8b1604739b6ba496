//! Conditions on a value, and when two values count as equal.
//!
//! Invariant: rendered templates are text; where the value that was found is a number or a truth value,
//! the text is read as one. Nothing else is converted: a page that stores `"5"` has not stored `5`.

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer::close;
use super::problem::Problem;

/// How far a number may be off when a task does not say.
const TOLERANCE: f64 = 1e-6;

/// A number, or a template that renders to one.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "for the schema alone")]
pub(super) enum Number {
    Plain(f64),
    Template(String),
}

/// Conditions on text. All that are given must hold.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnText {
    /// It is the same; objects key by key.
    pub equals: Option<Value>,
    /// The text holds it, the list has it, the object has the key.
    pub contains: Option<Value>,
    /// The text matches this regular expression.
    pub matches: Option<String>,
}

/// Conditions on any value. All that are given must hold.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OnValue {
    /// It is the same; objects key by key.
    pub equals: Option<Value>,
    /// The text holds it, the list has it, the object has the key.
    pub contains: Option<Value>,
    /// The text matches this regular expression.
    pub matches: Option<String>,
    /// Characters, items or keys.
    #[schemars(with = "Option<Number>")]
    pub length: Option<Value>,
    /// There is nothing; `false`: there is something.
    pub absent: Option<bool>,
    /// The list holds exactly these, in any order.
    pub set_equals: Option<Vec<Value>>,
    /// The number is near this one.
    #[schemars(with = "Option<Number>")]
    pub approx: Option<Value>,
    /// How far from it the number may be; 1e-6 when absent.
    #[schemars(with = "Option<Number>")]
    pub tolerance: Option<Value>,
}

/// No conditions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unconditional {}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    Equals(Value),
    Contains(Value),
    Matches(Regex),
    Length(u64),
    Absent,
    Present,
    SetEquals(Vec<Value>),
    Approx { near: f64, tolerance: f64 },
}

impl OnValue {
    /// All conditions on a value, in the order in which they are told.
    pub fn conditions(&self) -> Result<Vec<Condition>, Problem> {
        let Self { equals, contains, matches, length, absent, set_equals, approx, tolerance } = self.clone();
        let mut all = OnText { equals, contains, matches }.conditions()?;
        all.extend(Condition::of_size(length.as_ref(), absent)?);
        all.extend(set_equals.map(Condition::SetEquals));
        match (&approx, &tolerance) {
            (Some(value), tolerance) => {
                let near = number("approx", value)?;
                let tolerance = tolerance.as_ref().map_or(Ok(TOLERANCE), |t| number("tolerance", t))?;
                all.push(Condition::Approx { near, tolerance });
            }
            (None, Some(_)) => {
                return Err(Problem::new("tolerance", "has no effect without 'approx' or 'number'"));
            }
            (None, None) => {}
        }
        Ok(all)
    }
}

impl OnText {
    pub fn conditions(&self) -> Result<Vec<Condition>, Problem> {
        let mut all: Vec<_> = self.equals.clone().map(Condition::Equals).into_iter().collect();
        all.extend(self.contains.clone().map(Condition::Contains));
        if let Some(pattern) = &self.matches {
            all.push(Condition::Matches(regex("matches", pattern)?));
        }
        Ok(all)
    }
}

impl Unconditional {
    pub fn conditions(&self) -> Result<Vec<Condition>, Problem> {
        Ok(Vec::new())
    }
}

impl Condition {
    /// Those on a length, and on whether it is there.
    pub(crate) fn of_size(length: Option<&Value>, absent: Option<bool>) -> Result<Vec<Self>, Problem> {
        let length = length.map(|value| whole("length", value).map(Self::Length)).transpose()?;
        let absent = absent.map(|absent| if absent { Self::Absent } else { Self::Present });
        Ok(length.into_iter().chain(absent).collect())
    }

    /// Has it compare text, which is all that a command prints: what is written `equals = 5` is `"5"`.
    pub(crate) fn compare_text(&mut self) {
        if let Self::Equals(value @ (Value::Number(_) | Value::Bool(_))) = self {
            *value = Value::String(value.to_string());
        }
    }

    /// Whether it holds of what was found; `None` is that there is nothing.
    pub fn holds(&self, found: Option<&Value>) -> bool {
        let Some(found) = found else { return matches!(self, Self::Absent) };
        match self {
            Self::Absent => false,
            Self::Present => true,
            Self::Equals(wanted) => equal(found, wanted),
            Self::Contains(wanted) => contains(found, wanted),
            Self::Matches(pattern) => found.as_str().is_some_and(|text| pattern.is_match(text)),
            Self::Length(wanted) => length(found) == Some(*wanted),
            Self::SetEquals(wanted) => found.as_array().is_some_and(|found| equal_sets(found, wanted)),
            Self::Approx { near, tolerance } => {
                read_number(found).is_some_and(|found| close(found, *near, *tolerance))
            }
        }
    }

    pub fn describe(&self) -> String {
        match self {
            Self::Absent => "is absent".to_owned(),
            Self::Present => "is there".to_owned(),
            Self::Equals(value) => format!("equals {value}"),
            Self::Contains(value) => format!("contains {value}"),
            Self::Matches(pattern) => format!("matches /{pattern}/"),
            Self::Length(n) => format!("has the length {n}"),
            Self::SetEquals(list) => {
                let list: Vec<String> = list.iter().map(Value::to_string).collect();
                format!("holds exactly {} in any order", list.join(", "))
            }
            Self::Approx { near, tolerance } => format!("is {near} within {tolerance}"),
        }
    }
}

/// Whether what was found equals what is wanted, which may be rendered text.
pub(super) fn equal(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Number(_), Value::Number(_) | Value::String(_)) => {
            match (read_number(found), read_number(wanted)) {
                (Some(a), Some(b)) => close(a, b, 0.0),
                _ => false,
            }
        }
        (Value::Bool(found), Value::String(wanted)) => wanted.eq_ignore_ascii_case(&found.to_string()),
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(f, w)| equal(f, w))
        }
        (Value::Object(found), Value::Object(wanted)) => found.len() == wanted.len() && subset(found, wanted),
        _ => found == wanted,
    }
}

/// Whether every key that is wanted is there with its value; objects within are subsets in turn.
pub(super) fn includes(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| found.get(key).is_some_and(|found| includes(found, wanted)))
        }
        _ => equal(found, wanted),
    }
}

fn subset(found: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(key, wanted)| found.get(key).is_some_and(|found| equal(found, wanted)))
}

fn contains(found: &Value, wanted: &Value) -> bool {
    match found {
        Value::String(text) => match wanted {
            Value::String(wanted) => text.contains(wanted),
            other => text.contains(&other.to_string()),
        },
        Value::Array(list) => list.iter().any(|item| equal(item, wanted)),
        Value::Object(map) => wanted.as_str().is_some_and(|key| map.contains_key(key)),
        _ => false,
    }
}

fn length(found: &Value) -> Option<u64> {
    let length = match found {
        Value::String(text) => text.chars().count(),
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => return None,
    };
    u64::try_from(length).ok()
}

/// Whether both hold the same, each as often; pairs are sought, since equality converts.
fn equal_sets(found: &[Value], wanted: &[Value]) -> bool {
    let mut left: Vec<&Value> = found.iter().collect();
    found.len() == wanted.len()
        && wanted.iter().all(|wanted| {
            left.iter().position(|found| equal(found, wanted)).map(|at| left.remove(at)).is_some()
        })
}

fn read_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        _ => None,
    }
}

/// A number in a task file, plain or rendered from a template.
pub(super) fn number(field: &str, value: &Value) -> Result<f64, Problem> {
    read_number(value).ok_or_else(|| Problem::new(field, format!("{value} is not a number")))
}

/// A whole number from 0 in a task file, plain or rendered from a template.
pub(super) fn whole(field: &str, value: &Value) -> Result<u64, Problem> {
    match value {
        Value::Number(n) => n.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .ok_or_else(|| Problem::new(field, format!("{value} is not a whole number from 0")))
}

/// A regular expression in a task file.
pub(super) fn regex(field: &str, pattern: &str) -> Result<Regex, Problem> {
    Regex::new(pattern).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Problem::new(field, format!("'{pattern}' is not a regular expression: {reason}"))
    })
}

/// `*` is any run of characters, `?` any one; all else is itself.
pub(crate) fn glob_regex(glob: &str) -> Result<Regex, Problem> {
    let pattern: String = glob
        .chars()
        .map(|c| match c {
            '*' => ".*".to_owned(),
            '?' => ".".to_owned(),
            c => regex::escape(&c.to_string()),
        })
        .collect();
    regex("name", &format!("^(?s:{pattern})$"))
}

/// Whether all conditions hold of what was found, and what that is in words.
pub(super) fn judged(conditions: &[Condition], found: Option<&Value>) -> (bool, String) {
    let passed = conditions.iter().all(|condition| condition.holds(found));
    let found = match found {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    (passed, found)
}
