//! The rule language that several metrics share (`utils.py`: `_match_value_to_rule`, `_match_record`).

use serde_json::{Map, Value};

use super::super::fault::{OsworldFault, Result};
use super::super::ooxml::range::{Range, parse_ranges};
use super::super::py;

/// Whether every member of `pattern` is in `item` with the same value.
pub(crate) fn match_record(pattern: &Value, item: &Map<String, Value>) -> bool {
    pattern
        .as_object()
        .is_some_and(|pattern| pattern.iter().all(|(k, v)| item.get(k).is_some_and(|found| py::eq(found, v))))
}

/// Whether `value` fits `{method, ref}`.
pub(crate) fn match_value(value: &Value, rule: &Value) -> Result<bool> {
    let method = rule.get("method").and_then(Value::as_str).unwrap_or_default();
    let reference = rule.get("ref").unwrap_or(&Value::Null);
    if let Some(flags) = method.strip_prefix("re").filter(|rest| rest.is_empty() || rest.starts_with('.')) {
        let flags: Vec<&str> = flags.split('.').filter(|flag| !flag.is_empty()).collect();
        let (Some(pattern), Some(text)) = (reference.as_str(), value.as_str()) else {
            return Err(OsworldFault::raised(format!("re on {}", py::repr(value))));
        };
        return py::pattern::matches(&py::pattern::compile(pattern, &flags)?, text);
    }
    if let Some(threshold) = method.strip_prefix("approx:") {
        let threshold = py::number::parse_float(threshold)
            .ok_or_else(|| OsworldFault::raised(format!("approx with '{threshold}'")))?;
        let found = match value {
            Value::String(text) => py::number::parse_float(text),
            other => py::as_number(other),
        };
        let reference =
            py::as_number(reference).ok_or_else(|| OsworldFault::raised("approx without a number"))?;
        return Ok(found.is_some_and(|found| (found - reference).abs() <= threshold));
    }
    if let Some(ends) = method.strip_prefix("range.") {
        let mut ends = ends.chars();
        let (left, right) = (ends.next().unwrap_or_default(), ends.next().unwrap_or_default());
        let bound = |at: usize| reference.get(at).unwrap_or(&Value::Null);
        return Ok(less(bound(0), value, left)? && less(value, bound(1), right)?);
    }
    match method {
        "eq" => Ok(py::eq(value, reference)),
        "ne" => Ok(!py::eq(value, reference)),
        "lt" => less(value, reference, 't'),
        "le" => less(value, reference, 'e'),
        "gt" => less(reference, value, 't'),
        "ge" => less(reference, value, 'e'),
        "spreadsheet_range" => {
            let ranges = |value: &Value| value.as_str().map(parse_ranges).unwrap_or_default();
            let inside = |inner: &[Range], outer: &[Range]| {
                inner.iter().all(|r| outer.iter().any(|o| o.holds_range(*r)))
            };
            let found = ranges(value);
            let least = ranges(reference.get(0).unwrap_or(&Value::Null));
            let most = ranges(reference.get(1).unwrap_or(&Value::Null));
            Ok(inside(&least, &found) && inside(&found, &most))
        }
        "str_list_eq" | "str_set_eq" => {
            let raised = || OsworldFault::raised(format!("{method} on {}", py::repr(value)));
            let text = value.as_str().ok_or_else(raised)?;
            let mut found: Vec<&str> = py::text::strip_chars(text, "\"'").split(',').collect();
            let mut wanted: Vec<&str> =
                reference.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if method == "str_set_eq" {
                for set in [&mut found, &mut wanted] {
                    set.sort_unstable();
                    set.dedup();
                }
            }
            Ok(found == wanted)
        }
        other => Err(OsworldFault::raised(format!("there is no method '{other}'"))),
    }
}

/// `a < b` or, with `e`, `a <= b`.
fn less(a: &Value, b: &Value, end: char) -> Result<bool> {
    let order = match (py::as_number(a), py::as_number(b), a, b) {
        (Some(a), Some(b), ..) => a.partial_cmp(&b),
        (_, _, Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => return Err(OsworldFault::raised(format!("{} and {} have no order", py::repr(a), py::repr(b)))),
    };
    Ok(match end {
        'e' => order.is_some_and(std::cmp::Ordering::is_le),
        't' => order.is_some_and(std::cmp::Ordering::is_lt),
        other => return Err(OsworldFault::raised(format!("a range has no end '{other}'"))),
    })
}
