//! `general.py` and `vscode.py`: JSON files and objects.

use serde_json::Value;

use super::super::fault::{OsworldFault, Score, score};
use super::super::py::{self, json::loads as parse, text};
use super::rules::match_value;
use super::{MetricCall, Switch};

/// The mark of an expected value that could not be obtained.
const FAILED: &str = "__EVALUATION_FAILED__";

/// What a file holds; nothing where it cannot be read as JSON.
fn load(path: &std::path::Path) -> Result<Option<Value>, OsworldFault> {
    text::read(path).map_or(Ok(None), |content| parse(&content))
}

/// `check_json`: values at paths of keys.
pub(crate) fn check_json(call: &MetricCall) -> Score {
    if call.switch("is_yaml", Switch::Off) {
        return Err(OsworldFault::Unsupported("check_json: is_yaml".into()));
    }
    let Some(data) = call.path().map_or(Ok(None), load)? else { return Ok(0.0) };
    let mut passed = true;
    for rule in call.rule_list("expect")? {
        let Ok(value) = at(&data, rule) else { return Ok(0.0) };
        // Once one has failed the others are not looked at, so they cannot raise either.
        match passed.then(|| match_value(&value, rule)) {
            Some(Ok(holds)) => passed = holds,
            Some(Err(OsworldFault::Raised(_))) => return Ok(0.0),
            Some(Err(other)) => return Err(other),
            None => {}
        }
    }
    for rule in call.rule_list("unexpect")? {
        let value = match at(&data, rule) {
            Ok(value) => value,
            Err(PathError::Absent) => Value::Null,
            Err(PathError::Raised) => return Ok(0.0),
        };
        match passed.then(|| match_value(&value, rule)) {
            Some(Ok(holds)) => passed = !holds,
            Some(Err(OsworldFault::Raised(_))) => return Ok(0.0),
            Some(Err(other)) => return Err(other),
            None => {}
        }
    }
    Ok(score(passed))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathError {
    /// There is no such key (`KeyError`, `TypeError`), which the original takes for no value.
    Absent,
    /// Anything else, such as a place behind the end of a list.
    Raised,
}

/// The value at a path of keys, each as Python's `value[key]`: places count from the end when negative, and a
/// text has places, too.
fn at(data: &Value, rule: &Value) -> Result<Value, PathError> {
    let keys: Vec<Value> = match rule.get("key") {
        Some(Value::Array(keys)) => keys.clone(),
        // What is not a list is walked through as well.
        Some(Value::String(keys)) => keys.chars().map(|c| Value::from(c.to_string())).collect(),
        Some(Value::Object(keys)) => keys.keys().map(|key| Value::from(key.as_str())).collect(),
        _ => return Err(PathError::Raised),
    };
    let mut value = data.clone();
    for key in &keys {
        let place = |len: usize| -> Result<usize, PathError> {
            let at = match key {
                Value::Bool(b) => i64::from(*b),
                Value::Number(n) if n.is_u64() || n.is_i64() => n.as_i64().ok_or(PathError::Raised)?,
                _ => return Err(PathError::Absent),
            };
            let len = i64::try_from(len).map_err(|_| PathError::Raised)?;
            let at = if at < 0 { at + len } else { at };
            usize::try_from(at).map_err(|_| PathError::Raised)
        };
        value = match &value {
            Value::Object(map) => key.as_str().and_then(|key| map.get(key)).ok_or(PathError::Absent)?.clone(),
            Value::Array(items) => items.get(place(items.len())?).ok_or(PathError::Raised)?.clone(),
            Value::String(text) => {
                let at = place(text.chars().count())?;
                Value::from(text.chars().nth(at).ok_or(PathError::Raised)?.to_string())
            }
            _ => return Err(PathError::Absent),
        };
    }
    Ok(value)
}

/// `check_direct_json_object`: an object against an object, key by key.
pub(crate) fn check_direct_json_object(call: &MetricCall) -> Score {
    let result = match &call.result {
        // A text may be an object as Python prints it, with single quotes.
        Value::String(said) => {
            let said = text::strip(said).replace('\'', "\"");
            parse(&said)?.ok_or_else(|| OsworldFault::raised("the result is not JSON"))?
        }
        other => other.clone(),
    };
    if result.is_null() {
        return Ok(0.0);
    }
    let rules = call.rules()?;
    let Some(expected) = rules.get("expected").and_then(Value::as_object) else { return Ok(0.0) };
    if expected.values().any(|value| value == FAILED) {
        return Err(OsworldFault::Expected(
            "the page that the expected value is read from did not answer".into(),
        ));
    }
    if expected.is_empty() {
        return Ok(1.0);
    }
    let Some(result) = result.as_object() else { return Ok(0.0) };
    let of = |key: &str| result.get(key).unwrap_or(&Value::Null);
    if !rules.get("expect_in_result").is_some_and(py::truthy) {
        let any_order = expected.get("ignore_list_order").is_some_and(py::truthy);
        return Ok(score(expected.iter().all(|(key, wanted)| {
            if any_order { same_sorted(wanted, of(key)) } else { py::eq(wanted, of(key)) }
        })));
    }
    Ok(score(expected.iter().all(|(key, wanted)| match (wanted, of(key)) {
        (Value::Array(some), Value::Array(found)) => {
            some.iter().any(|one| found.iter().any(|f| py::eq(f, one)))
        }
        (Value::Array(some), Value::String(_)) => some.iter().any(|one| py::eq(one, of(key))),
        (Value::String(part), found) => py::contains(found, &Value::String(part.clone())) == Some(true),
        _ => false,
    })))
}

/// `sorted(a) == sorted(b)`. What cannot be sorted raises, which the metric answers with 0; so it does for
/// the switch itself, which is a key as well.
fn same_sorted(a: &Value, b: &Value) -> bool {
    let sorted = |value: &Value| -> Option<Vec<String>> {
        let mut all: Vec<String> = match value {
            Value::Array(items) if items.iter().all(Value::is_string) => {
                items.iter().map(py::string).collect()
            }
            Value::Array(items) if items.iter().all(Value::is_number) => {
                let mut numbers: Vec<f64> = items.iter().filter_map(Value::as_f64).collect();
                numbers.sort_by(f64::total_cmp);
                return Some(numbers.into_iter().map(py::repr_float).collect());
            }
            Value::String(text) => text.chars().map(String::from).collect(),
            _ => return None,
        };
        all.sort();
        Some(all)
    };
    sorted(a).is_some_and(|a| sorted(b) == Some(a))
}

/// `is_included_all_json_objects`: the first file's members are in the second.
pub(crate) fn is_included_all_json_objects(call: &MetricCall) -> Score {
    let (Some(first), Some(second)) = (call.path(), call.expected.as_ref().and_then(Value::as_str)) else {
        return Ok(0.0);
    };
    let read = |path: &std::path::Path| load(path)?.ok_or_else(|| OsworldFault::raised("a file is not JSON"));
    let (first, second) = (read(first)?, read(second.as_ref())?);
    let object = |value: &Value| {
        value.as_object().cloned().ok_or_else(|| OsworldFault::raised("a file is not an object"))
    };
    let first = object(&first)?;
    if first.is_empty() {
        return Ok(1.0);
    }
    let second = object(&second)?;
    let mut all = first.iter().map(|(key, value)| second.get(key).is_some_and(|found| py::eq(found, value)));
    Ok(score(all.all(|same| same)))
}

/// `check_json_settings`: members of a JSON file.
pub(crate) fn check_json_settings(call: &MetricCall) -> Score {
    let Some(data) = call.path().map_or(Ok(None), load)? else { return Ok(0.0) };
    for (key, value) in call.rule("expected")?.as_object().into_iter().flatten() {
        let same = match &data {
            Value::Object(map) => map.get(key).is_some_and(|found| py::eq(found, value)),
            // A list or a text may hold the key, but has nothing under it.
            other => match py::contains(other, &Value::from(key.as_str())) {
                Some(false) => false,
                _ => return Err(OsworldFault::raised("the settings are not an object")),
            },
        };
        if !same {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

/// `check_json_keybindings`: an entry of a list, which may follow a comment in the first line.
pub(crate) fn check_json_keybindings(call: &MetricCall) -> Score {
    let path = call.file()?;
    let Ok(content) = text::read(path) else { return Ok(0.0) };
    let rest = content.split_once('\n').map_or("", |(_, rest)| rest);
    let (whole, behind) = (parse(&content)?, parse(rest)?);
    let Some(list) = [whole, behind].into_iter().flatten().find(Value::is_array) else { return Ok(0.0) };
    Ok(score(py::contains(&list, call.rule("expected")?) == Some(true)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests_support::call;
    use super::*;

    #[test]
    fn what_the_page_did_not_tell_is_not_held_against_the_agent() {
        let failed = json!({ "expected": { "error": FAILED } });
        assert!(matches!(check_direct_json_object(&call(json!({}), failed)), Err(OsworldFault::Expected(_))));
    }
}
