//! The paths by which tasks name parts of what was sent: `$.a[0].b`, `$['a'][?(@.b == 1)].c`, and patterns of names.

use serde_json::{Map, Value};
use waldo_agents::python::parse_int;

use super::plain::{Held, is_pattern, json, matches};
use crate::fault::{Result, WebarenaFault};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Name(String),
    Index(usize),
    /// The parts of a list whose member is this whole number.
    Where(String, i64),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum JsonPath {
    Member(String),
    /// The members whose names are of a pattern.
    Pattern(String),
    Path(Vec<Step>),
}

impl JsonPath {
    /// # Errors
    /// For a path of a form that no task has.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(pattern) = text.strip_prefix("$.").filter(|text| text.starts_with('^')).or(Some(text))
            && is_pattern(pattern)
        {
            return Ok(Self::Pattern(pattern.to_owned()));
        }
        let Some(mut rest) = text.strip_prefix('$') else { return Ok(Self::Member(text.to_owned())) };
        let bad = || format!("the path '{text}' is of a form that is not known");
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('.') {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let (name, behind) = after.split_at(end);
                steps.push(Step::Name(Some(name).filter(|name| is_name(name)).ok_or_else(bad)?.to_owned()));
                rest = behind;
                continue;
            }
            let (inner, behind) =
                rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).ok_or_else(bad)?;
            let quoted = inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
            let condition = inner.strip_prefix("?(@.").and_then(|inner| inner.strip_suffix(')'));
            steps.push(match (quoted, condition.and_then(|condition| condition.split_once("=="))) {
                (Some(name), _) => Step::Name(name.to_owned()),
                (None, Some((name, number))) if is_name(name.trim()) => {
                    Step::Where(name.trim().to_owned(), number.trim().parse().map_err(|_| bad())?)
                }
                _ => Step::Index(inner.parse().map_err(|_| bad())?),
            });
            rest = behind;
        }
        Ok(Self::Path(steps))
    }

    pub(super) fn is_member(&self) -> bool {
        matches!(self, Self::Member(_))
    }

    /// What is there: `None` for nothing, a list for several.
    pub(super) fn find(&self, data: &Map<String, Value>) -> Result<Option<Value>> {
        let (mut found, several) = match self {
            Self::Member(name) => return Ok(data.get(name).cloned()),
            Self::Pattern(pattern) => {
                let mut found = Vec::new();
                for (name, value) in data {
                    if matches(pattern, name, Held::Start)? {
                        found.push(value.clone());
                    }
                }
                (found, false)
            }
            Self::Path(steps) => {
                let mut found = walk(steps, vec![Value::Object(data.clone())])?;
                if found.is_empty() {
                    // Texts of members are read as JSON where they are it.
                    found = walk(steps, vec![Value::Object(opened(data)?)])?;
                }
                (found, steps.iter().any(|step| matches!(step, Step::Where(..))))
            }
        };
        Ok(match found.len() {
            0 => None,
            1 if !several => found.pop(),
            _ => Some(Value::Array(found)),
        })
    }
}

fn walk(steps: &[Step], mut at: Vec<Value>) -> Result<Vec<Value>> {
    for step in steps {
        let mut next = Vec::new();
        for value in at {
            match (step, value) {
                (Step::Name(name), Value::Object(mut all)) => next.extend(all.remove(name)),
                (Step::Index(index), Value::Array(all)) => next.extend(all.into_iter().nth(*index)),
                (Step::Where(name, number), Value::Array(all)) => {
                    for one in all {
                        if let Some(value) = one.get(name)
                            && whole(value)? == Some(*number)
                        {
                            next.push(one);
                        }
                    }
                }
                (Step::Name(_), _)
                | (Step::Index(_), Value::Null)
                | (Step::Where(..), Value::String(_) | Value::Null) => {}
                (_, value) => return Err(WebarenaFault::refused(format!("what a path finds in {value}"))),
            }
        }
        at = next;
    }
    Ok(at)
}

/// `int(value)`; `None` for a text that is none.
fn whole(value: &Value) -> Result<Option<i64>> {
    match value {
        Value::Bool(is) => Ok(Some(i64::from(*is))),
        Value::Number(number) => Ok(number.as_i64().or_else(|| number.as_f64().map(|number| number as i64))),
        Value::String(text) => Ok(parse_int(text)),
        value => Err(WebarenaFault::raised(format!("{value} is no whole number"))),
    }
}

fn opened(data: &Map<String, Value>) -> Result<Map<String, Value>> {
    let member = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => json(text)?.unwrap_or_else(|| value.clone()),
            Value::Object(all) => Value::Object(opened(all)?),
            Value::Array(all) => Value::Array(
                all.iter()
                    .map(|one| match one {
                        Value::Object(all) => opened(all).map(Value::Object),
                        one => Ok(one.clone()),
                    })
                    .collect::<Result<_>>()?,
            ),
            value => value.clone(),
        };
        Ok((name.clone(), value))
    };
    data.iter().map(member).collect()
}
