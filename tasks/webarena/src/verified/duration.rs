//! Durations, as pytimeparse2 reads them.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use waldo_agents::python::{parse_float, truthy};

use super::plain::{raised, text_of};
use crate::fault::Result;

/// A duration in microseconds. `text` is a plain text where the value was one.
pub(super) fn duration(value: &Value) -> Result<i64> {
    if !truthy(value) {
        return raised("duration", value);
    }
    let text = text_of(value);
    match parse_float(&text).is_none().then(|| written_duration(&text)).flatten() {
        Some(seconds) => Ok((seconds * 1e6).round_ties_even() as i64),
        None => raised("duration", value),
    }
}

/// "1:35 hours" are hours and minutes.
pub(super) fn with_clock_hours(text: &str) -> String {
    static CLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(\d+):(\d+)\s*hours?").ok());
    CLOCK.as_ref().map_or_else(|| text.to_owned(), |clock| clock.replace_all(text, "${1}h${2}m").into_owned())
}

const NAMES: [(&str, f64); 8] = [
    ("years", 31_536_000.0),
    ("months", 2_592_000.0),
    ("weeks", 604_800.0),
    ("days", 86_400.0),
    ("hours", 3_600.0),
    ("minutes", 60.0),
    ("seconds", 1.0),
    ("milliseconds", 1e-3),
];

/// The forms of a duration, in the order in which they are tried.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let unit = |name: &str, words: &str| format!(r"(?P<{name}>[\d.]+)\s*(?:{words})");
    let then = |unit: String| format!(r"(?:{unit}\s*(?:[,/]\s*)?)?\s*");
    let (years, months) = (unit("years", "ys?|yrs?.?|years?"), unit("months", "mos?.?|mths?.?|months?"));
    let (weeks, days) = (then(unit("weeks", "w|wks?|weeks?")), then(unit("days", "d|dys?|days?")));
    let rest = format!(
        r"{}{}(?:{})?\s*(?:{})?",
        then(unit("hours", "h|hrs?|hours?")),
        then(unit("minutes", "m|(mins?)|(minutes?)")),
        unit("seconds", "s|secs?|seconds?"),
        unit("milliseconds", "ms|msecs?|millis|milliseconds?"),
    );
    let seconds = r"(?P<seconds>\d{2}(?:\.\d+)?)";
    [
        format!("{}{}{weeks}{days}{rest}", then(years.clone()), then(months.clone())),
        format!("{weeks}{days}{rest}"),
        format!(r"(?P<minutes>\d{{1,2}}):{seconds}"),
        format!(r"{weeks}{days}(?P<hours>\d+):(?P<minutes>\d{{2}}):{seconds}"),
        format!(r"(?P<days>\d+):(?P<hours>\d{{2}}):(?P<minutes>\d{{2}}):{seconds}"),
        format!(":{seconds}"),
        years,
        months,
    ]
    .iter()
    .filter_map(|form| Regex::new(&format!(r"(?i)^\s*{form}\s*$")).ok())
    .collect()
});

fn written_duration(text: &str) -> Option<f64> {
    let bare = |text: &str| ['.', '-', '+'].iter().fold(text.to_owned(), |text, c| text.replacen(*c, "", 1));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits(&bare(text)) {
        return parse_float(text);
    }
    let text = text.trim_start();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix(['+', '|']).unwrap_or(text)),
    };
    let text = text.trim_start();
    let form = FORMS.iter().find_map(|form| form.captures(text).filter(|_| !text.trim().is_empty()));
    let Some(found) = form else { return parse_float(text).map(|seconds| sign * seconds) };
    let mut sum = 0.0;
    for (name, seconds) in NAMES {
        let Some(said) = found.name(name).map(|said| said.as_str()) else { continue };
        match name {
            "hours" | "minutes" | "days" | "milliseconds" => sum += parse_float(said)? * seconds,
            // What is no number there is passed over.
            _ if digits(&said.replacen('.', "", 1)) => sum += parse_float(said)? * seconds,
            _ => {}
        }
    }
    Some(sign * sum)
}

/// Within three minutes, or a tenth.
pub(super) fn is_same_duration(one: i64, other: i64) -> bool {
    let (one, other) = (one as f64 / 1e6, other as f64 / 1e6);
    (one - other).abs() <= (one.max(other) * 0.1).max(180.0)
}
