//! Numbers, amounts, distances and places on earth.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use waldo_agents::python::{as_number, parse_float, repr_float, truthy};

use super::plain::{raised, text_of};
use crate::fault::{Result, WebarenaFault};

pub(super) fn number(value: &Value) -> Result<f64> {
    if let Some(number) = as_number(value) {
        return Ok(number);
    }
    if !truthy(value) {
        return raised("number", value);
    }
    let text = text_of(value);
    let found = parse_float(&text.replace([',', ' '], "")).or_else(|| number_of_words(&text));
    found.map_or_else(|| raised("number", value), Ok)
}

const SMALL: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
                     sixteen seventeen eighteen nineteen";
const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";

/// The number that English words say, as word2number reads them: other words are passed over.
fn number_of_words(text: &str) -> Option<f64> {
    let text = text.replace('-', " ").to_lowercase();
    let small = |word: &str| SMALL.split(' ').position(|one| one == word).map(|at| at as f64);
    let value = |word: &str| {
        let tens = || TENS.split(' ').position(|one| one == word).map(|at| (at as f64 + 2.0) * 10.0);
        small(word).or_else(tens).or(match word {
            "hundred" => Some(1e2),
            "thousand" => Some(1e3),
            "million" => Some(1e6),
            "billion" => Some(1e9),
            _ => None,
        })
    };
    let words: Vec<&str> =
        text.split_whitespace().filter(|word| *word == "point" || value(word).is_some()).collect();
    let count = |of: &str| words.iter().filter(|word| **word == of).count();
    if words.is_empty() || ["thousand", "million", "billion", "point"].iter().any(|word| count(word) > 1) {
        return None;
    }
    let point = words.iter().position(|word| *word == "point");
    let (whole, decimals) = words.split_at(point.unwrap_or(words.len()));
    let at = |of: &str| whole.iter().position(|word| *word == of);
    let (thousand, million, billion) = (at("thousand"), at("million"), at("billion"));
    let before = |one: Option<usize>, other: Option<usize>| one.is_some() && one < other;
    if before(thousand, million) || before(thousand, billion) || before(million, billion) {
        return None;
    }
    // As odd as the original: of five words or more only the first counts.
    let part = |from: usize, to: usize| {
        let all: Vec<f64> = whole.get(from..to)?.iter().filter_map(|word| value(word)).collect();
        Some(match all[..] {
            [a, b, c, d] => a * b + c + d,
            [a, b, c] => a * b + c,
            [a, b] if a == 100.0 || b == 100.0 => a * b,
            [a, b] => a + b,
            [a, ..] => a,
            [] => return None,
        })
    };
    let mut sum = match whole {
        [] => 0.0,
        [one] => value(one)?,
        _ => {
            let (mut sum, mut from) = (0.0, 0);
            for (place, unit) in [(billion, 1e9), (million, 1e6), (thousand, 1e3)] {
                if let Some(at) = place {
                    sum += part(from, at)? * unit;
                    from = at + 1;
                }
            }
            if from < whole.len() { sum + part(from, whole.len())? } else { sum }
        }
    };
    let behind = decimals.iter().skip(1);
    let digits = behind.map(|word| small(word).filter(|n| *n < 10.0).map(|n| n.to_string()));
    let digits: Option<String> = digits.collect();
    if let Some(digits) = digits.filter(|digits| !digits.is_empty()) {
        sum += format!("0.{digits}").parse::<f64>().ok()?;
    }
    Some(sum)
}

/// Parts of a unit that amounts are counted in, so that a difference of exactly a tenth is one.
const PARTS: u32 = 20;

/// An amount of money, in parts of 10^-20.
pub(super) fn currency(value: &Value) -> Result<i128> {
    static AMOUNT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"([.]?\d[\d\s.,']*)\s*?(?:[^%\d]|$)").ok());
    if !truthy(value) && as_number(value).is_none() {
        return raised("amount", value);
    }
    let mut text = text_of(value);
    let negative = text.starts_with('-');
    if negative {
        text = text.replace('-', "");
    }
    let comma = text.rfind('.') <= text.rfind(',');
    let found = AMOUNT.as_ref().and_then(|amount| amount.captures(&text)).and_then(|found| found.get(1));
    let amount = match found {
        Some(found) => {
            let amount = found.as_str().trim_end_matches([',', '.']).replace('\'', "");
            if amount.matches('.').count() == 1 {
                amount
            } else {
                amount.trim_start_matches([',', '.']).to_owned()
            }
        }
        None if text.to_lowercase().contains("free") => "0".to_owned(),
        None => return raised("amount", value),
    };
    let amount: String = amount.split_whitespace().collect();
    let amount = if comma { amount.replace('.', "").replace(',', ".") } else { amount.replace(',', "") };
    let Ok(number) = amount.parse::<f64>() else { return raised("amount", value) };
    let refused = || WebarenaFault::refused(format!("an amount like {value}"));
    let text = repr_float(number);
    let (whole, part) = text.split_once('.').filter(|_| !text.contains('e')).ok_or_else(refused)?;
    let shift = PARTS.checked_sub(u32::try_from(part.len()).unwrap_or(u32::MAX)).ok_or_else(refused)?;
    let digits: i128 = format!("{whole}{part}").parse().map_err(|_| refused())?;
    let amount = digits.checked_mul(10_i128.pow(shift)).ok_or_else(refused)?;
    Ok(if negative { -amount } else { amount })
}

pub(super) fn is_same_amount(one: i128, other: i128) -> bool {
    (one - other).abs() <= 10_i128.pow(PARTS - 1)
}

const UNITS: [(&str, f64); 9] = [
    ("m meter meters metre metres", 1.0),
    ("km kilometer kilometers kilometre kilometres", 1e3),
    ("mi mile miles", 1_609.344),
    ("ft foot feet", 0.3048),
    ("yd yard yards", 0.9144),
    ("cm centimeter centimeters centimetre centimetres", 1e-2),
    ("mm millimeter millimeters", 1e-3),
    ("in inch inches", 0.0254),
    ("nmi", 1_852.0),
];
/// Words that the original's table of units does not have, or that are no lengths.
const NO_LENGTHS: &str = "about approx approximately around away far unknown none walk walking drive driving by route \
                          the is distance total from to roughly minute minutes hour hours hr hrs kms";

pub(super) fn distance(value: &Value) -> Result<f64> {
    static FORM: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^([+-]? ?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?) ?([a-z]+)\.?$").ok());
    static THOUSANDS: LazyLock<Option<fancy_regex::Regex>> =
        LazyLock::new(|| fancy_regex::Regex::new(r"(?i)(\d+(?:\.\d+)?)\s*k(?=\s|$)").ok());
    if !value.is_string() || !truthy(value) {
        return raised("distance", value);
    }
    let text = text_of(value);
    let text =
        THOUSANDS.as_ref().map_or_else(|| text.clone(), |k| k.replace_all(&text, "$1 km").into_owned());
    if parse_float(&text).is_some() {
        return raised("distance", value);
    }
    let text = text.replace(',', "");
    let metres = |unit: &str| {
        UNITS.iter().find(|(names, _)| names.split(' ').any(|name| name == unit)).map(|(_, m)| *m)
    };
    let found = FORM.as_ref().and_then(|form| form.captures(&text)).and_then(|found| {
        let number = found.get(1)?.as_str().replace(' ', "").parse::<f64>().ok()?;
        Some(number * metres(found.get(2)?.as_str())?)
    });
    if let Some(found) = found {
        return Ok(found);
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
    let simple = text.chars().all(|c| c.is_ascii_alphanumeric() || " .()".contains(c));
    let lengths = words.iter().filter(|word| metres(word).is_some()).count();
    let none = words.iter().any(|word| NO_LENGTHS.split_whitespace().any(|one| one == *word));
    match simple && (none || (lengths > 1 && lengths == words.len())) {
        true => raised("distance", value),
        false => Err(WebarenaFault::refused(format!("what a table of units makes of {value}"))),
    }
}

/// Within ten metres, or two of a hundred.
pub(super) fn is_same_distance(one: f64, other: f64) -> Result<bool> {
    let (off, most) = ((one - other).abs(), (one.max(other) * 0.02).max(10.0));
    match (off - most).abs() <= most * 1e-9 {
        true => Err(WebarenaFault::refused("a distance at the edge of what is near enough")),
        false => Ok(off <= most),
    }
}

/// Degrees of latitude and longitude.
pub(super) fn coordinates(value: &Value) -> Result<(f64, f64)> {
    let none = || WebarenaFault::raised(format!("{value} is no place"));
    let degrees = |value: &Value| match value {
        Value::Null => Some(0.0),
        Value::String(text) if text.is_empty() => Some(0.0),
        Value::String(text) => parse_float(text),
        value => as_number(value),
    };
    let (north, east) = match value {
        Value::Object(all) => {
            let key = |whole: &str, also: &str| {
                all.iter().find(|(key, _)| {
                    let key = key.to_lowercase();
                    (whole.starts_with(&key) && key.chars().count() >= 2) || key == also
                })
            };
            let (north, east) = (key("latitude", "latitude"), key("longitude", "lng"));
            (north.and_then(|(_, value)| degrees(value)), east.and_then(|(_, value)| degrees(value)))
        }
        Value::Array(pair) => match &pair[..] {
            [north, east] => (degrees(north), degrees(east)),
            _ => (None, None),
        },
        Value::String(text) => written_degrees(text).unzip(),
        _ => (None, None),
    };
    let (north, mut east) = north.zip(east).ok_or_else(none)?;
    if !north.is_finite() || !east.is_finite() || north.abs() > 90.0 {
        return Err(none());
    }
    if east.abs() > 180.0 {
        east %= 360.0;
        east = if east < -180.0 { east + 360.0 } else { east };
        east = if east >= 180.0 { east - 360.0 } else { east };
    }
    Ok((north, east))
}

/// Degrees as a text has them, which is in lower case by now: directions are not read, as in the original.
fn written_degrees(text: &str) -> Option<(f64, f64)> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let angle = r#"([+-]?F)(?:[*\s] *(?:(F)['m] *)?(?:(F)["s] *)?)?"#;
        let form = format!(r"^.*?{angle}S{angle}(?:S[+-]?F *(?:km|m|mi|ft|nm|nmi))?\s*$");
        Regex::new(&form.replace('S', r"\s*[,;/\s]\s*").replace('F', r"\d+(?:\.\d+)?")).ok()
    });
    let text = text.replace("''", "\"");
    let found = FORM.as_ref()?.captures(&text)?;
    let part = |at: usize| found.get(at).map_or(Some(0.0), |part| part.as_str().parse::<f64>().ok());
    let angle = |at: usize| {
        let (degrees, more) = (part(at)?, part(at + 1)? / 60.0 + part(at + 2)? / 3600.0);
        Some(if degrees < 0.0 { degrees - more } else { degrees + more })
    };
    Some((angle(1)?, angle(4)?))
}

pub(super) fn is_same_place(one: (f64, f64), other: (f64, f64)) -> bool {
    (one.0 - other.0).abs() <= 1e-5 && (one.1 - other.1).abs() <= 1e-5
}

/// Whether two names are alike: four fifths of their letters and digits, in one order, words sorted.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    if one.is_empty() || other.is_empty() {
        return one == other;
    }
    let sorted = |text: &str| {
        let text = text.replace(|c: char| !c.is_ascii_alphanumeric(), " ").to_ascii_lowercase();
        let mut words: Vec<&str> = text.split_ascii_whitespace().collect();
        words.sort_unstable();
        words.join(" ").into_bytes()
    };
    let (one, other) = (sorted(one), sorted(other));
    let all = one.len() + other.len();
    // The longest common subsequence, row by row.
    let mut row = vec![0_usize; other.len() + 1];
    for a in &one {
        let mut corner = 0;
        for (at, b) in other.iter().enumerate() {
            let left = row.get(at).copied().unwrap_or_default();
            if let Some(cell) = row.get_mut(at + 1) {
                let above = std::mem::replace(cell, if a == b { corner + 1 } else { left.max(*cell) });
                corner = above;
            }
        }
    }
    let common = row.last().copied().unwrap_or_default();
    all == 0 || 200.0 * common as f64 / all as f64 >= 79.5
}
