//! `general.py`: text, lists, CSV, SQLite and what several applications share.

use jiff::civil::Time;
use serde_json::{Map, Value};

use super::super::fault::{OsworldFault, Score, score};
use super::super::py::{self, text};
use super::rules::match_record;
use super::{MetricCall, Switch};

pub fn check_include_exclude(call: &MetricCall) -> Score {
    if call.result.is_null() {
        return Ok(0.0);
    }
    for (list, wanted) in [("include", true), ("exclude", false)] {
        for part in call.rule_list(list)? {
            let found = py::contains(&call.result, part)
                .ok_or_else(|| OsworldFault::raised(format!("{} holds nothing", py::repr(&call.result))))?;
            if found != wanted {
                return Ok(0.0);
            }
        }
    }
    Ok(1.0)
}

pub fn exact_match(call: &MetricCall) -> Score {
    Ok(score(py::eq(&call.result, call.rule("expected")?)))
}

/// `match_in_list`: the result is one of the expected.
pub(crate) fn match_in_list(call: &MetricCall) -> Score {
    contained(call.rule("expected")?, &call.result)
}

/// `is_in_list`: the expected is in the result.
pub(crate) fn is_in_list(call: &MetricCall) -> Score {
    contained(&call.result, call.rule("expected")?)
}

fn contained(hay: &Value, needle: &Value) -> Score {
    py::contains(hay, needle)
        .map(score)
        .ok_or_else(|| OsworldFault::raised(format!("{} in {}", py::repr(needle), py::repr(hay))))
}

pub(crate) fn literal_match(call: &MetricCall) -> Score {
    let expected = call.expected.clone().unwrap_or_default();
    let fold = |text: String| {
        if call.switch("ignore_case", Switch::Off) { text.to_lowercase() } else { text }
    };
    match call.options.get("type").and_then(Value::as_str).unwrap_or("str") {
        "str" => Ok(score(fold(py::string(&call.result)) == fold(py::string(&expected)))),
        "list" => {
            let (Value::Array(found), Value::Array(wanted)) = (&call.result, &expected) else {
                return Ok(0.0);
            };
            let same = |(a, b): (&Value, &Value)| fold(py::string(a)) == fold(py::string(b));
            Ok(score(found.len() == wanted.len() && found.iter().zip(wanted).all(same)))
        }
        other => Err(OsworldFault::raised(format!("there is no literal type '{other}'"))),
    }
}

pub fn fuzzy_match(call: &MetricCall) -> Score {
    match (&call.result, call.rule("expected")?) {
        (Value::String(found), Value::String(wanted)) => Ok(py::fuzz::ratio(found, wanted)),
        // The library scores nothing as 0.
        (Value::Null, _) | (_, Value::Null) => Ok(0.0),
        (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
            Err(OsworldFault::Unsupported("fuzzy_match of lists".into()))
        }
        (found, wanted) => {
            Err(OsworldFault::raised(format!("{} and {} are not texts", py::repr(found), py::repr(wanted))))
        }
    }
}

/// `diff_text_file`: the ratio of `difflib` over lines.
pub(crate) fn diff_text_file(call: &MetricCall) -> Score {
    if call.result.is_null() {
        return Ok(0.0);
    }
    let path = call.file()?;
    let (found, wanted) = (text::read(path)?, text::read(call.gold()?).map_err(gold)?);
    Ok(py::difflib::ratio(&text::splitlines(&found), &text::splitlines(&wanted)))
}

/// A fault of the expected file is not a fault of the agent.
pub fn gold(fault: OsworldFault) -> OsworldFault {
    match fault {
        OsworldFault::Raised(message) => OsworldFault::Expected(message),
        other => other,
    }
}

/// `check_csv`: rows with named columns that must or must not be there.
pub(crate) fn check_csv(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let content = text::read(path)?;
    let mut rows = py::csv::rows(&content).into_iter();
    let head = rows.next().unwrap_or_default();
    let records: Vec<Map<String, Value>> = rows
        .map(|row| {
            let cells = row.into_iter().map(Value::String).chain(std::iter::repeat(Value::Null));
            head.iter().cloned().zip(cells).collect()
        })
        .collect();
    records_fit(call, &records)
}

/// Whether each expected record is among `records` and no unexpected one is.
pub(crate) fn records_fit(call: &MetricCall, records: &[Map<String, Value>]) -> Score {
    let any = |pattern: &Value| records.iter().any(|record| match_record(pattern, record));
    let expected = call.rule_list("expect")?.iter().all(any);
    let unexpected = call.rule_list("unexpect")?.iter().any(any);
    Ok(score(expected && !unexpected))
}

/// `check_list`: expressions that must, or must not, be found in some line.
pub(crate) fn check_list(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let compile = |list: &[Value]| -> Result<Vec<_>, OsworldFault> {
        list.iter().map(|p| py::pattern::compile(p.as_str().unwrap_or_default(), &[])).collect()
    };
    let expected = compile(call.rule_list("expect")?).map_err(gold)?;
    let unexpected = compile(call.rule_list("unexpect")?).map_err(gold)?;
    let content = text::read(path)?;
    let mut found = vec![false; expected.len()];
    for line in text::file_lines(&content) {
        for (found, pattern) in found.iter_mut().zip(&expected) {
            *found = *found || py::pattern::matches(pattern, line)?;
        }
        for pattern in &unexpected {
            if py::pattern::matches(pattern, line)? {
                return Ok(0.0);
            }
        }
    }
    Ok(score(found.into_iter().all(|found| found)))
}

pub(crate) fn file_contains(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let Ok(content) = text::read(path) else { return Ok(0.0) };
    let parts: Vec<&str> = match call.rule("expected")? {
        // A text is walked through character by character.
        Value::String(text) => text.split("").filter(|part| !part.is_empty()).collect(),
        list => list.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    };
    Ok(score(parts.iter().all(|part| content.contains(part))))
}

/// `check_line_number`: how many lines hold a time of day.
pub(crate) fn check_line_number(call: &MetricCall) -> Score {
    let Some(path) = call.path().filter(|path| path.is_file()) else { return Ok(0.0) };
    let Ok(content) = text::read(path) else { return Ok(0.0) };
    let time = py::pattern::compile(r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)", &[])?;
    let mut lines = 0;
    for line in text::file_lines(&content) {
        lines += i64::from(py::pattern::matches(&time, line)?);
    }
    let wanted = match call.rule("expected")? {
        Value::String(text) => py::number::parse_int(text),
        other => py::as_number(other).map(|n| {
            #[expect(clippy::cast_possible_truncation, reason = "int() of a number cuts")]
            let whole = n as i64;
            whole
        }),
    };
    Ok(score(wanted == Some(lines)))
}

/// `compare_terminal_and_txt`: the result is a file, the expected what the terminal shows.
pub(crate) fn compare_terminal_and_txt(call: &MetricCall) -> Score {
    let shown = call.expected.as_ref().and_then(Value::as_str).unwrap_or_default();
    let Some(path) = call.path().filter(|_| !shown.is_empty()) else { return Ok(0.0) };
    Ok(score(text::read(path)? == shown))
}

/// `compare_time_in_speedtest_results`: the time in the second line is about now.
pub(crate) fn compare_time_in_speedtest_results(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let Ok(content) = text::read(path) else { return Ok(0.0) };
    let limit = match call.expected.as_ref() {
        Some(Value::String(text)) => py::number::parse_int(text),
        Some(other) => other.as_i64(),
        None => None,
    };
    let date = text::file_lines(&content).get(1).and_then(|line| line.split(',').nth(1));
    let (Some(limit), Some(date)) = (limit, date) else { return Ok(0.0) };
    let start = date.char_indices().rev().nth(4).map_or(0, |(at, _)| at);
    let Some(then) = minutes(date.get(start..).unwrap_or_default()) else { return Ok(0.0) };
    let now = jiff::Zoned::now().time();
    let now = i64::from(now.hour()) * 60 + i64::from(now.minute());
    Ok(score((then - now).abs() < limit))
}

fn minutes(text: &str) -> Option<i64> {
    let time = Time::strptime("%H:%M", text).ok()?;
    Some(i64::from(time.hour()) * 60 + i64::from(time.minute()))
}

/// `run_sqlite3`: the first value that a query gives.
pub(crate) fn run_sqlite3(call: &MetricCall) -> Score {
    let path = call.file()?;
    let query = call.rule("sql")?.as_str().unwrap_or_default();
    let rows = super::super::sqlite::query(path, query)?;
    let first = rows.first().and_then(|row| row.first());
    let first = first.ok_or_else(|| OsworldFault::raised("the question has no answer"))?;
    match first {
        Value::Null => Ok(0.0),
        Value::String(text) if text.is_empty() => Ok(0.0),
        Value::String(text) => py::number::parse_float(text)
            .ok_or_else(|| OsworldFault::raised(format!("'{text}' is not a number"))),
        other => Ok(py::as_number(other).unwrap_or_default()),
    }
}
