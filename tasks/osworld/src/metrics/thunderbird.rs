//! `thunderbird.py`: preferences, filters and folders of mail.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::fault::{OsworldFault, Score, score};
use super::super::py::{pattern, text};
use super::general::records_fit;
use super::rules::match_value;
use super::{MetricCall, Switch};

/// `check_thunderbird_prefs`: lines `user_pref("key", value);`, the last of a key counts.
pub(crate) fn check_thunderbird_prefs(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let content = text::read(path)?;
    let line = pattern::compile(r#"^user_pref\("(?P<key>(?:[^"]|\\")+)\", (?P<val>.+)\);$"#, &[])?;
    let empty = Map::new();
    let rules = |name: &str| call.members().map(|r| r.get(name).and_then(Value::as_object).unwrap_or(&empty));
    let (expected, unexpected) = (rules("expect")?, rules("unexpect")?);
    let mut found: BTreeMap<&str, bool> = expected.keys().map(|key| (key.as_str(), false)).collect();
    let mut clean = true;
    for row in text::file_lines(&content) {
        let row = text::strip(row);
        let Ok(Some(parts)) = line.captures(row) else { continue };
        let part = |name: &str| parts.name(name).map(|m| m.as_str()).unwrap_or_default();
        let value: Value = serde_json::from_str(part("val"))
            .map_err(|e| OsworldFault::raised(format!("preference {}: {e}", part("key"))))?;
        if let (Some(rule), Some(fits)) = (expected.get(part("key")), found.get_mut(part("key"))) {
            *fits = match_value(&value, rule)?;
        } else if let Some(rule) = unexpected.get(part("key")) {
            clean = clean && !match_value(&value, rule)?;
        }
    }
    Ok(score(found.values().all(|fits| *fits) && clean))
}

/// `check_thunderbird_filter`: the filters of a rules file as records.
pub(crate) fn check_thunderbird_filter(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let content = text::read(path)?;
    let condition = pattern::compile(
        r#"\b(?:AND|OR) \((?:[\w ]+),(?:[\w ']+),(?:"(?:(?:[^"]|\")+)"|(?:[^)]+))\)|\bALL\b"#,
        &[],
    )?;
    let mut filters: Vec<Map<String, Value>> = Vec::new();
    let mut filter = Map::new();
    let mut named = false;
    for row in text::file_lines(&content) {
        let Some((key, _)) = row.split_once('=') else { continue };
        if !matches!(key, "name" | "enabled" | "type" | "action" | "actionValue" | "condition") {
            continue;
        }
        // Between the opening quote and the closing one with the line break.
        let chars: Vec<char> = row.chars().collect();
        let end = chars.len().saturating_sub(2);
        let value: String = chars.get(key.len() + 2..end).unwrap_or_default().iter().collect();
        let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
        if key == "name" {
            filter = Map::new();
        }
        if key != "name" && !named {
            return Err(OsworldFault::raised("a filter has no name yet"));
        }
        named = true;
        if key == "condition" {
            let all = condition.find_iter(&value).filter_map(Result::ok);
            let all: Vec<Value> = all.map(|found| Value::String(found.as_str().to_owned())).collect();
            filter.insert(key.to_owned(), Value::Array(all));
            filters.push(filter.clone());
        } else {
            filter.insert(key.to_owned(), Value::String(value));
        }
    }
    records_fit(call, &filters)
}

/// `check_thunderbird_folder`.
///
/// The original keeps only what is blank between two marks of a message, so that any two folders with a
/// message each are alike; the port keeps the outcome, not the intention.
pub(crate) fn check_thunderbird_folder(call: &MetricCall) -> Score {
    let list = |value: &Value| match value {
        Value::Array(items) => items.clone(),
        one => vec![one.clone()],
    };
    let expected = call.expected.clone().unwrap_or_default();
    let (found, wanted) = if expected.is_array() {
        (list(&call.result), list(&expected))
    } else {
        (vec![call.result.clone()], vec![expected])
    };
    for (found, wanted) in found.iter().zip(&wanted) {
        let Some(found) = found.as_str() else { return Ok(0.0) };
        let wanted =
            wanted.as_str().ok_or_else(|| OsworldFault::Expected("a folder is not a file".into()))?;
        if folder(call, found)? != folder(call, wanted)? {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

fn folder(call: &MetricCall, path: &str) -> Result<Vec<String>, OsworldFault> {
    let content = text::read(path.as_ref())?;
    let blank = text::strip(&content).split("FROM - ").filter(|mail| text::strip(mail).is_empty());
    let marks: Vec<String> = blank.map(|_| "FROM - ".to_owned()).collect();
    if call.switch("remove_duplicate", Switch::On) {
        return Ok(marks.into_iter().collect::<BTreeSet<_>>().into_iter().collect());
    }
    Ok(marks)
}
