//! Values by the schema of a task, and the comparison of what they come to.

use serde_json::{Map, Value};
use waldo_agents::python::as_number;

use super::plain::json;
use super::typed::{Kind, is_same_text};
use super::value::{Node, Normalizer, Typed};
use crate::fault::{Result, WebarenaFault};

/// What a schema says of a value: whether it is a list, and what it or each of its parts is.
enum Shape<'a> {
    One(Option<Kind>),
    Object(&'a Value),
}

fn shape(schema: &Value) -> (Shape<'_>, bool) {
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    match text("type") {
        Some("array") => match schema.get("items") {
            Some(items) => (shape(items).0, true),
            None => (Shape::One(Some(Kind::Text)), true),
        },
        Some("object") => (Shape::Object(schema), false),
        kind => (Shape::One(Kind::named(text("format").or(kind).unwrap_or("string"))), false),
    }
}

/// The names in a schema, at any depth, that are no type.
pub(super) fn unknown_types(schema: &Value) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(items) = schema.get("items") {
        all.extend(unknown_types(items));
    }
    for property in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values) {
        all.extend(unknown_types(property));
    }
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    let own = text("format").or(text("type")).unwrap_or("string");
    if !matches!(own, "array" | "object") && Kind::named(own).is_none() {
        all.push(own.to_owned());
    }
    all
}

impl Normalizer<'_> {
    /// One value, or several of which any will do.
    pub(super) fn one(self, value: &Value, kind: Option<Kind>) -> Result<Node> {
        let kind = kind.ok_or_else(|| WebarenaFault::raised("a type that is not known"))?;
        match Typed::new(kind, value, self) {
            Ok(typed) => Ok(Node::Typed(typed)),
            Err(fault) if self.strict => Err(fault),
            Err(WebarenaFault::Raised(_)) => Ok(Node::Raw(value.clone())),
            Err(fault) => Ok(Node::Unknown(fault)),
        }
    }

    /// The parts of a list whose schema is `schema`.
    pub(super) fn list(self, values: &[Value], schema: &Value) -> Result<Node> {
        if schema.get("type").and_then(Value::as_str).unwrap_or("array") != "array" {
            return Err(WebarenaFault::raised("a list where the schema has none"));
        }
        let empty = Value::Object(Map::new());
        let items = schema.get("items").unwrap_or(&empty);
        let of = |value: &Value| match shape(items) {
            (Shape::Object(schema), false) => self.object(value, schema),
            (Shape::One(kind), false) => self.one(value, kind),
            // A list of lists is no type of the original's.
            (_, true) => Err(WebarenaFault::raised("a list of lists")),
        };
        values.iter().map(of).collect::<Result<_>>().map(Node::List)
    }

    /// An object, or a list of them.
    pub(super) fn object(self, value: &Value, schema: &Value) -> Result<Node> {
        let parsed;
        let all = match value {
            Value::Array(all) => {
                let all = all.iter().map(|one| self.single_object(one, schema));
                return all.collect::<Result<_>>().map(Node::List);
            }
            Value::String(text) => {
                parsed = json(text)?.unwrap_or(Value::Null);
                parsed.as_object()
            }
            value => value.as_object(),
        };
        match all {
            Some(all) => self.members(all, schema),
            None if self.strict => Err(WebarenaFault::raised(format!("{value} is no object"))),
            None => Ok(Node::Raw(value.clone())),
        }
    }

    fn single_object(self, value: &Value, schema: &Value) -> Result<Node> {
        match value {
            Value::Array(_) if self.strict => Err(WebarenaFault::raised("a list is no object")),
            Value::Array(_) => Ok(Node::Raw(value.clone())),
            value => self.object(value, schema),
        }
    }

    fn members(self, all: &Map<String, Value>, schema: &Value) -> Result<Node> {
        let member = |(name, value): (&String, &Value)| {
            let property = schema.get("properties").and_then(|properties| properties.get(name));
            let node = match property.map(shape) {
                _ if value.is_null() => Ok(Node::Raw(Value::Null)),
                None => self.one(value, Some(Kind::Text)),
                Some((Shape::One(kind), false)) => self.one(value, Some(kind.unwrap_or(Kind::Text))),
                Some((Shape::Object(schema), false)) => self.single_object(value, schema),
                Some((inner, true)) => self.array_member(value, &inner),
            };
            let node = match node {
                Err(WebarenaFault::Raised(_)) if !self.strict => Ok(Node::Raw(value.clone())),
                other => other,
            };
            Ok((name.clone(), node?))
        };
        all.iter().map(member).collect::<Result<_>>().map(Node::Object)
    }

    fn array_member(self, value: &Value, inner: &Shape<'_>) -> Result<Node> {
        let parsed;
        let all = match value {
            Value::String(text) => {
                parsed = json(text)?.unwrap_or(Value::Null);
                parsed.as_array()
            }
            value => value.as_array(),
        };
        let one = |value: &Value| match inner {
            Shape::Object(schema) => self.single_object(value, schema),
            Shape::One(kind) => self.one(value, *kind),
        };
        match all {
            Some(all) => all.iter().map(one).collect::<Result<_>>().map(Node::List),
            None if self.strict => Err(WebarenaFault::raised(format!("{value} is no list"))),
            None => Ok(Node::Raw(value.clone())),
        }
    }
}

/// How objects and lists are compared.
#[derive(Clone, Copy, Default)]
pub(super) struct Comparing {
    /// Whether the order of lists matters.
    pub(super) ordered: bool,
    /// Whether what was found may have more names.
    pub(super) more_names: bool,
}

/// All of them: one that does not hold decides it, and otherwise one that cannot be told.
pub(super) fn all(parts: impl IntoIterator<Item = Result<bool>>) -> Result<bool> {
    let mut fault = None;
    for part in parts {
        match part {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(one) => fault = Some(one),
        }
    }
    fault.map_or(Ok(true), Err)
}

impl Node {
    pub(super) const NONE: Self = Self::Raw(Value::Null);

    fn is_none(&self) -> bool {
        matches!(self, Self::Raw(Value::Null))
    }

    /// Whether it is this text, as Python compares an object with a text.
    pub(super) fn is_text(&self, text: &str) -> Result<bool> {
        match self {
            Self::Raw(Value::String(own)) => Ok(own == text),
            Self::Typed(Typed::Text(all)) => is_same_text(all, &[text.to_owned()]),
            _ => Ok(false),
        }
    }

    /// Whether `found` is what this asks for.
    pub(super) fn is_met_by(&self, found: &Self, how: Comparing) -> Result<bool> {
        if self.is_none() || found.is_none() {
            return Ok(self.is_none() && found.is_none());
        }
        match (self, found) {
            (Self::Object(wanted), Self::Object(found)) => {
                let of = |name: &String| found.iter().find(|(one, _)| one == name).map(|(_, node)| node);
                if wanted.is_empty() {
                    return Err(WebarenaFault::raised("nothing is asked of an object"));
                }
                let more = found.iter().any(|(name, _)| !wanted.iter().any(|(one, _)| one == name));
                if (more && !how.more_names) || wanted.iter().any(|(name, _)| of(name).is_none()) {
                    return Ok(false);
                }
                all(wanted.iter().map(|(name, node)| node.is_met_by(of(name).unwrap_or(&Self::NONE), how)))
            }
            (Self::List(wanted), Self::List(found)) if wanted.len() != found.len() => Ok(false),
            (Self::List(wanted), Self::List(found)) if how.ordered => {
                all(wanted.iter().zip(found).map(|(wanted, found)| wanted.is_met_by(found, how)))
            }
            (Self::List(wanted), Self::List(found)) => in_any_order(wanted, found, how),
            (_, Self::Unknown(fault)) | (Self::Unknown(fault), _) => Err(fault.clone()),
            (wanted, found) => wanted.is_same_value(found),
        }
    }

    /// Whether two values that are neither lists nor objects are the same.
    pub(super) fn is_same_value(&self, other: &Self) -> Result<bool> {
        match (self, other) {
            (Self::Unknown(fault), _) | (_, Self::Unknown(fault)) => Err(fault.clone()),
            (Self::Typed(one), Self::Typed(other)) => one.is_same(other),
            (Self::Typed(Typed::Text(all)), Self::Raw(Value::String(text)))
            | (Self::Raw(Value::String(text)), Self::Typed(Typed::Text(all))) => {
                let other =
                    Typed::new(Kind::Text, &text.as_str().into(), Normalizer { places: None, strict: true })?;
                Typed::Text(all.clone()).is_same(&other)
            }
            (Self::Raw(one), Self::Raw(other)) => Ok(is_same_raw(one, other)),
            _ => Ok(false),
        }
    }

    /// As it is of JSON, without a type.
    pub(super) fn raw(value: Value) -> Self {
        match value {
            Value::Array(all) => Self::List(all.into_iter().map(Self::raw).collect()),
            Value::Object(all) => {
                Self::Object(all.into_iter().map(|(name, value)| (name, Self::raw(value))).collect())
            }
            value => Self::Raw(value),
        }
    }
}

/// Each is met by the first that is left, as the original has it.
fn in_any_order(wanted: &[Node], found: &[Node], how: Comparing) -> Result<bool> {
    let (mut taken, mut fault, mut whole) = (vec![false; found.len()], None, true);
    for wanted in wanted {
        let mut met = false;
        for (found, taken) in found.iter().zip(&mut taken).filter(|(_, taken)| !**taken) {
            match wanted.is_met_by(found, how) {
                Ok(true) => {
                    (*taken, met) = (true, true);
                    break;
                }
                Ok(false) => {}
                Err(one @ WebarenaFault::Raised(_)) => return Err(one),
                Err(one) => fault = Some(one),
            }
        }
        whole &= met;
    }
    fault.map_or(Ok(whole), Err)
}

/// `==` of Python: 1, 1.0 and true are the same.
fn is_same_raw(one: &Value, other: &Value) -> bool {
    match (as_number(one), as_number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}
