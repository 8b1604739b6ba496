//! The types of values, and when two values of a type are the same.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use waldo_agents::python::{as_number, strip, truthy};

use super::address::AddressRules;
use super::date;
use super::duration;
use super::plain::{Held, base64_bytes, is_pattern, json, matches, plain, text_of};
use super::quantity;
use super::value::{Addresses, Normalizer, Typed};
use crate::fault::{Result, WebarenaFault};

/// The kind of a `format` or `type` of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    #[serde(rename = "string")]
    Text,
    #[serde(alias = "integer")]
    Number,
    #[serde(rename = "boolean")]
    Truth,
    Currency,
    Date,
    Month,
    Duration,
    Distance,
    Coordinates,
    #[serde(rename = "location-name")]
    Name,
    #[serde(rename = "url")]
    Address,
    #[serde(rename = "string_list")]
    Words,
    Json,
    Markdown,
    Base64,
    #[serde(rename = "null")]
    Nothing,
    /// A postal address, which the original takes apart by a trained model. No task has one.
    #[serde(rename = "full_address")]
    FullAddress,
}

impl Kind {
    pub(super) fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

/// Each of the values of which any will do.
fn each<T>(value: &Value, one: impl Fn(&Value) -> Result<T>) -> Result<Vec<T>> {
    match value {
        Value::Array(all) if all.len() < 2 => Err(WebarenaFault::raised("a list of one")),
        Value::Array(all) => all.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

impl Typed {
    /// # Errors
    /// [`WebarenaFault::Raised`] for a value that is not of the kind.
    pub(super) fn new(kind: Kind, value: &Value, normalizer: Normalizer<'_>) -> Result<Self> {
        let plainly = |value: &Value| match value {
            Value::String(text) => plain(text, normalizer.places).map(Value::String),
            other => Ok(other.clone()),
        };
        Ok(match kind {
            Kind::Text => Self::Text(each(value, |value| text(&plainly(value)?))?),
            Kind::Number => Self::Number(each(value, |value| quantity::number(&plainly(value)?))?),
            Kind::Truth => Self::Truth(each(value, |value| truth(&plainly(value)?))?),
            Kind::Currency => Self::Currency(each(value, |value| quantity::currency(&plainly(value)?))?),
            Kind::Date => Self::Date(each(value, |value| date::date(&plainly(value)?))?),
            Kind::Month => Self::Month(each(value, |value| date::month(&plainly(value)?))?),
            Kind::Duration => Self::Duration(each(value, |value| match plainly(value)? {
                Value::String(text) => duration::duration(&duration::with_clock_hours(&text).into()),
                other => duration::duration(&other),
            })?),
            Kind::Distance => Self::Distance(each(value, |value| quantity::distance(&plainly(value)?))?),
            Kind::Coordinates => Self::Coordinates(coordinates(value, plainly)?),
            Kind::Name => Self::Name(each(value, |value| match plainly(value)? {
                Value::Null => Err(WebarenaFault::raised("null is no name")),
                other => text(&other),
            })?),
            Kind::Address => Self::Address(Addresses::new(value, AddressRules::default(), normalizer)?),
            Kind::Words => Self::Words(each(value, |value| words(&plainly(value)?))?),
            Kind::Json => Self::Json(each(value, |value| match plainly(value)?.as_str() {
                Some(text) => json(text)?.ok_or_else(|| WebarenaFault::raised("it is no JSON")),
                None => Err(WebarenaFault::raised(format!("{value} is no text"))),
            })?),
            Kind::Markdown => Self::Markdown(each(value, markdown)?),
            Kind::Base64 => Self::Base64(each(value, base64)?),
            Kind::Nothing => {
                each(value, nothing)?;
                Self::Nothing
            }
            Kind::FullAddress => {
                return Err(WebarenaFault::refused("how a postal address is taken apart"));
            }
        })
    }

    pub(super) fn is_same(&self, other: &Self) -> Result<bool> {
        match (self, other) {
            (Self::Text(ours), Self::Text(theirs)) => is_same_text(ours, theirs),
            (Self::Number(ours), Self::Number(theirs)) => any(ours, theirs, |a, b| Ok(a == b)),
            (Self::Truth(ours), Self::Truth(theirs)) => any(ours, theirs, |a, b| Ok(a == b)),
            // As odd as the original: only the first of several counts.
            (Self::Currency(ours), Self::Currency(theirs)) => {
                any(first(ours), first(theirs), |a, b| Ok(quantity::is_same_amount(*a, *b)))
            }
            (Self::Coordinates(ours), Self::Coordinates(theirs)) => {
                any(first(ours), first(theirs), |a, b| Ok(quantity::is_same_place(*a, *b)))
            }
            (Self::Date(ours), Self::Date(theirs)) => any(ours, theirs, |a, b| date::is_same_day(*a, *b)),
            (Self::Month(ours), Self::Month(theirs)) => any(ours, theirs, |a, b| Ok(a == b)),
            (Self::Duration(ours), Self::Duration(theirs)) => {
                any(ours, theirs, |a, b| Ok(duration::is_same_duration(*a, *b)))
            }
            (Self::Distance(ours), Self::Distance(theirs)) => {
                any(ours, theirs, |a, b| quantity::is_same_distance(*a, *b))
            }
            (Self::Name(ours), Self::Name(theirs)) => {
                any(ours, theirs, |a, b| Ok(quantity::is_same_name(a, b)))
            }
            (Self::Address(ours), Self::Address(theirs)) => ours.is_same(theirs),
            (Self::Words(ours), Self::Words(theirs)) => any(ours, theirs, |a, b| Ok(a == b)),
            (Self::Json(ours), Self::Json(theirs)) => any(ours, theirs, |a, b| Ok(a == b)),
            (Self::Markdown(ours), Self::Markdown(theirs)) => any(ours, theirs, |a, b| Ok(a == b)),
            (Self::Base64(ours), Self::Base64(theirs)) => {
                any(ours, theirs, |a, b| either_way(a, b, Held::AllDotAll))
            }
            (Self::Nothing, Self::Nothing) => Ok(true),
            _ => Ok(false),
        }
    }
}

fn first<T>(all: &[T]) -> &[T] {
    all.get(..1).unwrap_or_default()
}

/// Whether any is the same as any; what cannot be told matters where none is.
fn any<T>(ours: &[T], theirs: &[T], same: impl Fn(&T, &T) -> Result<bool>) -> Result<bool> {
    let mut fault = None;
    for (one, other) in ours.iter().flat_map(|one| theirs.iter().map(move |other| (one, other))) {
        match same(one, other) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(one) => fault = Some(one),
        }
    }
    fault.map_or(Ok(false), Err)
}

/// Whether two texts are one, or one is a pattern that the other is of.
fn either_way(one: &str, other: &str, held: Held) -> Result<bool> {
    if one == other {
        return Ok(true);
    }
    Ok((is_pattern(one) && matches(one, other, held)?) || (is_pattern(other) && matches(other, one, held)?))
}

/// Texts are also the same without quotes and stops at their ends.
pub(super) fn is_same_text(ours: &[String], theirs: &[String]) -> Result<bool> {
    let bare = |text: &String| text.trim_matches(['\'', '"', '`', '.', ',', ';', ':', '!', '?']).to_owned();
    any(ours, theirs, |a, b| Ok(bare(a) == bare(b) || either_way(a, b, Held::AllIgnoringCase)?))
}

fn coordinates(value: &Value, plainly: impl Fn(&Value) -> Result<Value>) -> Result<Vec<(f64, f64)>> {
    let pair = value.as_array().filter(|pair| {
        pair.len() == 2 && pair.iter().all(|part| part.is_string() || part.is_number() || part.is_boolean())
    });
    if pair.is_some()
        && let Ok(place) = quantity::coordinates(value)
    {
        return Ok(vec![place]);
    }
    each(value, |value| match plainly(value)? {
        value if truthy(&value) => quantity::coordinates(&value),
        _ => Err(WebarenaFault::raised("no place")),
    })
}

fn text(value: &Value) -> Result<String> {
    Ok(match value {
        value if !truthy(value) => String::new(),
        Value::String(text) if is_pattern(text) => strip(text).to_owned(),
        value => strip(&text_of(value).to_lowercase()).to_owned(),
    })
}

fn truth(value: &Value) -> Result<bool> {
    let found = match value {
        Value::String(text) => match text.trim() {
            "true" | "yes" | "y" | "1" | "t" | "on" => Some(true),
            "false" | "no" | "n" | "0" | "f" | "off" => Some(false),
            _ => None,
        },
        value => as_number(value).map(|number| number != 0.0),
    };
    found.ok_or_else(|| WebarenaFault::raised(format!("{value} is neither true nor false")))
}

fn words(value: &Value) -> Result<Vec<String>> {
    let text = if truthy(value) { text_of(value) } else { String::new() };
    let mut all: Vec<String> =
        text.split(',').map(|word| strip(word).to_owned()).filter(|word| !word.is_empty()).collect();
    all.sort();
    if all.is_empty() { Err(WebarenaFault::raised("an empty list")) } else { Ok(all) }
}

fn nothing(value: &Value) -> Result<()> {
    let is = match value {
        Value::String(text) => {
            let text = strip(text).to_lowercase();
            let text =
                text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" /", "/").replace("/ ", "/");
            ["", "n/a", "na", "nan", "null", "none"].contains(&text.as_str())
        }
        value => as_number(value).is_none() && !truthy(value),
    };
    if is { Ok(()) } else { Err(WebarenaFault::raised(format!("{value} is something"))) }
}

fn base64(value: &Value) -> Result<String> {
    let text = value.as_str().map(strip).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| WebarenaFault::raised("no text in Base64"))?;
    if is_pattern(text) {
        return Ok(text.to_owned());
    }
    let decoded = base64_bytes(text, false).and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = decoded.ok_or_else(|| WebarenaFault::raised("no text in Base64"))?;
    Ok(strip(&decoded.replace("\r\n", "\n").replace('\r', "\n")).to_owned())
}

/// What makes no difference in Markdown, in the order in which it is put away.
static MARKDOWN: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"(?m)[ \t]+$", ""),
        (r"\n{3,}", "\n\n"),
        (r"(?m)^(\s*)(#{1,6})[ \t]+", "$1$2 "),
        (r"(?m)^(\s*)[\*\+][ \t]+", "$1- "),
        (r"(?m)^[ \t]+(-)", "  $1"),
        (r"\[([^\]]*?)\n\s*([^\]]*?)\](\([^\)]+\))", "[$1 $2]$3"),
    ]
    .into_iter()
    .filter_map(|(pattern, with)| Some((Regex::new(pattern).ok()?, with)))
    .collect()
});

fn markdown(value: &Value) -> Result<String> {
    static LINK: LazyLock<Option<(Regex, Regex)>> =
        LazyLock::new(|| Some((Regex::new(r"\[([^\]]+)\]").ok()?, Regex::new(r"\(\s*([^\)]+?)\s*\)").ok()?)));
    let text = value.as_str().map(strip).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| WebarenaFault::raised(format!("{value} is no Markdown")))?;
    let mut text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (pattern, with) in MARKDOWN.iter() {
        text = pattern.replace_all(&text, *with).into_owned();
    }
    if let Some((words, address)) = LINK.as_ref() {
        let joined = |found: &regex::Captures<'_>| {
            let words = found.get(1).map_or("", |found| found.as_str());
            format!("[{}]", words.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        text = words.replace_all(&text, joined).into_owned();
        text = address.replace_all(&text, "($1)").into_owned();
    }
    Ok(strip(&text).to_owned())
}
