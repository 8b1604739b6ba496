//! Values of a type in a text: numbers with their units, currencies, dates, times, durations, codes, yes and no.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use waldo_devices::word_list;

use super::AnswerType;
use super::words::{ENDS, words};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Typed {
    /// With its unit, in the form of [`UNITS`].
    Number(f64, Option<&'static str>),
    /// Year, month, day. No month has the number 0: a date that can be read in two ways.
    Date(Option<u32>, u32, u32),
    /// Seconds since midnight.
    Time(u32),
    Duration(f64),
    /// Exactly as it is written.
    Code(String),
    YesNo(bool),
}

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub value: Typed,
    pub span: Range<usize>,
}

/// Units by their names, with `_` for a blank. The first name of each is the form that is compared.
const UNITS: [&str; 24] = word_list(
    "$|usd|dollar|dollars|us$ €|eur|euro|euros £|gbp ¥|jpy|yen cent|cents %|percent|per_cent \
     s|sec|secs|second|seconds min|mins|minute|minutes h|hr|hrs|hour|hours d|day|days week|weeks \
     kg|kilogram|kilograms|kilo|kilos g|gram|grams km|kilometre|kilometres|kilometer|kilometers \
     m|metre|metres|meter|meters cm mm l|litre|litres|liter|liters ml kb mb gb °c °f",
);

/// How many of [`UNITS`] are currencies.
const CURRENCIES: usize = 4;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const SMALL: [&str; 21] = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
     seventeen eighteen nineteen twenty",
);

/// The form in which a unit is compared; `None` for one that is not known.
pub(super) fn unit(name: &str) -> Option<&'static str> {
    let folded = name.trim().to_lowercase();
    let is = |known: &str| known.replace('_', " ") == folded;
    UNITS.iter().find(|names| names.split('|').any(is))?.split('|').next()
}

pub(super) fn is_currency(unit: &str) -> bool {
    UNITS.iter().take(CURRENCIES).any(|names| names.split('|').next() == Some(unit))
}

pub(super) fn seconds(unit: &str) -> Option<f64> {
    [("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86400.0), ("week", 604_800.0)]
        .into_iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, seconds)| seconds)
}

/// Whether two values of a type are the same, give or take `tolerance`. A unit that only one of them has does not count.
pub(super) fn same(a: &Typed, b: &Typed, tolerance: f64) -> bool {
    match (a, b) {
        (Typed::Number(a, one), Typed::Number(b, other)) => {
            close(*a, *b, tolerance) && (one.is_none() || other.is_none() || one == other)
        }
        (Typed::Duration(a), Typed::Duration(b)) => close(*a, *b, tolerance),
        (Typed::Date(year, month, day), Typed::Date(other, m, d)) => {
            *month != 0 && (month, day) == (m, d) && (year.is_none() || other.is_none() || year == other)
        }
        (a, b) => a == b,
    }
}

pub(super) fn candidates(kind: AnswerType, text: &str) -> Vec<Candidate> {
    match kind {
        AnswerType::Number | AnswerType::Currency => numbers(text),
        AnswerType::Date => dates(text),
        AnswerType::Time => times(text),
        AnswerType::Duration => durations(text),
        AnswerType::Code => codes(text),
        AnswerType::YesNo => yes_or_no(text),
        AnswerType::Name => Vec::new(),
    }
}

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

fn find(
    patterns: &[&LazyLock<Option<Regex>>],
    text: &str,
    read: &dyn Fn(&regex::Captures<'_>) -> Option<Typed>,
) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    for captures in
        patterns.iter().filter_map(|pattern| (***pattern).as_ref()).flat_map(|one| one.captures_iter(text))
    {
        let Some(whole) = captures.get(0) else { continue };
        let taken = all.iter().any(|one| one.span.start < whole.end() && whole.start() < one.span.end);
        if let Some(value) = read(&captures).filter(|_| !taken) {
            all.push(Candidate { value, span: whole.range() });
        }
    }
    all.sort_by_key(|one| one.span.start);
    all
}

static DATES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?P<y1>\d{4})-(?P<m1>\d{1,2})-(?P<d1>\d{1,2})|(?P<d2>\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m2>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s+(?P<y2>\d{4}))?|(?P<m3>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?P<d3>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<y3>\d{4}))?|(?P<d4>\d{1,2})\.(?P<m4>\d{1,2})\.(?P<y4>\d{4})|(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y5>\d{4}))\b",
    )
});
static TIMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<s>\d{2}))?(?:\s*(?P<half>[ap])\.?m\b\.?)?|(?P<h2>\d{1,2})\s*(?P<half2>[ap])\.?m\b\.?|(?P<h3>\d{1,2})\s+o['’]clock|(?P<word>noon|midnight)\b)",
    )
});
static DURATIONS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:\d+(?:\.\d+)?\s*(?:weeks?|days?|hours?|hrs?|h|minutes?|mins?|seconds?|secs?|s)\b(?:\s*,)?(?:\s*and)?\s*)+",
    )
});
static PIECES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)(\d+(?:\.\d+)?)\s*([a-z]+)"));
static TOKENS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern("[^\\s=*×+;|()\\[\\]\"“”«»`]+"));
static PLAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?P<s1>[-−])?(?P<c1>[$€£¥]|US\$)?(?P<s2>[-−])?#?(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?P<u>%|[$€£¥]|°?[a-zA-Z]+)?$",
    )
});

fn dates(text: &str) -> Vec<Candidate> {
    find(&[&DATES], text, &|found| {
        let number =
            |names: &[&str]| names.iter().find_map(|name| found.name(name)?.as_str().parse::<u32>().ok());
        let named = |names: &[&str]| {
            let name = names.iter().find_map(|name| found.name(name))?.as_str().to_lowercase();
            MONTHS.iter().zip(1..).find(|(month, _)| **month == name).map(|(_, at)| at)
        };
        let year = number(&["y1", "y2", "y3", "y4", "y5"]);
        if let (Some(a), Some(b)) = (number(&["a"]), number(&["b"])) {
            return Some(match (a, b) {
                (a, b) if a > 12 || a == b => Typed::Date(year, b, a),
                (a, b) if b > 12 => Typed::Date(year, a, b),
                (a, _) => Typed::Date(year, 0, a),
            });
        }
        let month = number(&["m1", "m4"]).or_else(|| named(&["m2", "m3"]))?;
        Some(Typed::Date(year, month, number(&["d1", "d2", "d3", "d4"])?))
    })
}

fn times(text: &str) -> Vec<Candidate> {
    find(&[&TIMES], text, &|found| {
        let number = |name: &str| found.name(name).and_then(|one| one.as_str().parse::<u32>().ok());
        if let Some(word) = found.name("word") {
            return Some(Typed::Time(if word.as_str().eq_ignore_ascii_case("noon") { 43200 } else { 0 }));
        }
        let hour = number("h").or_else(|| number("h2")).or_else(|| number("h3"))?;
        let half = found.name("half").or_else(|| found.name("half2")).map(|one| one.as_str().to_lowercase());
        let hour = match half.as_deref() {
            Some("a") => hour % 12,
            Some(_) => hour % 12 + 12,
            None => hour,
        };
        let (minute, second) = (number("m").unwrap_or(0), number("s").unwrap_or(0));
        (hour < 24 && minute < 60).then_some(Typed::Time(hour * 3600 + minute * 60 + second))
    })
}

fn durations(text: &str) -> Vec<Candidate> {
    let mut all = find(&[&DURATIONS], text, &|found| {
        let mut sum = 0.0;
        for piece in PIECES.as_ref()?.captures_iter(found.get(0)?.as_str()) {
            let number: f64 = piece.get(1)?.as_str().parse().ok()?;
            sum += number * seconds(unit(piece.get(2)?.as_str())?)?;
        }
        Some(Typed::Duration(sum))
    });
    for one in &mut all {
        let found = text.get(one.span.clone()).unwrap_or_default().trim_end();
        let found = found.strip_suffix("and").unwrap_or(found).trim_end_matches([' ', ',']);
        one.span.end = one.span.start + found.len();
    }
    all
}

fn numbers(text: &str) -> Vec<Candidate> {
    let others: Vec<Range<usize>> = dates(text).into_iter().chain(times(text)).map(|one| one.span).collect();
    let mut all: Vec<Candidate> = Vec::new();
    for token in TOKENS.iter().flat_map(|tokens| tokens.find_iter(text)) {
        let within = |at: usize| others.iter().any(|span| span.contains(&at));
        let lead = token.as_str().len()
            - token.as_str().trim_start_matches(|c| ENDS.contains(&c) && !"$€£¥.".contains(c)).len();
        let body = token.as_str().get(lead..).unwrap_or_default();
        let body = body.trim_end_matches(|c| ENDS.contains(&c) && !"$€£¥".contains(c));
        let start = token.start() + lead;
        if body.is_empty() || within(start) {
            continue;
        }
        // "12/13", "12-13" and "12,13" are several numbers.
        let digits = |c: char| c.is_ascii_digit() || ",.".contains(c);
        let several =
            body.contains(['/', '-', '–', ',']) && body.chars().all(|c| digits(c) || "/-–".contains(c));
        if let Some(value) = plain_number(body) {
            all.push(Candidate { value, span: start..start + body.len() });
        } else if several {
            let mut at = start;
            for part in body.split(['/', '-', '–', ',']) {
                if let Some(value) = plain_number(part) {
                    all.push(Candidate { value, span: at..at + part.len() });
                }
                at += part.len()
                    + text
                        .get(at + part.len()..)
                        .and_then(|rest| rest.chars().next())
                        .map_or(1, char::len_utf8);
            }
        }
    }
    units_beside(text, &mut all);
    if all.is_empty() { in_words(text) } else { all }
}

/// A number that is one token: `$1,234.50`, `-5`, `12kg`, `#14`. Digits with a zero before them are a code.
fn plain_number(token: &str) -> Option<Typed> {
    let found = PLAIN.as_ref()?.captures(token)?;
    let digits = found.name("n")?.as_str().replace(',', "");
    if digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.") {
        return None;
    }
    let beside = match (found.name("c1"), found.name("u")) {
        (Some(sign), None) => Some(unit(sign.as_str())?),
        // Letters behind digits that are no unit make a code of them: `7B`.
        (None, Some(name)) => Some(unit(name.as_str())?),
        (None, None) => None,
        (Some(_), Some(_)) => return None,
    };
    let sign = if found.name("s1").is_some() || found.name("s2").is_some() { -1.0 } else { 1.0 };
    Some(Typed::Number(sign * digits.parse::<f64>().ok()?, beside))
}

/// Gives each number without a unit the one that stands before or after it as a word of its own.
fn units_beside(text: &str, all: &mut [Candidate]) {
    let words: Vec<_> = words(text);
    for one in all {
        let Typed::Number(_, beside @ None) = &mut one.value else { continue };
        let next = words.iter().find(|word| word.span.start >= one.span.end && !word.cut);
        let before = words.iter().rfind(|word| word.span.end <= one.span.start);
        let touches = |a: usize, b: usize| text.get(a..b).is_some_and(|gap| gap.trim().is_empty());
        if let Some(word) = next.filter(|word| touches(one.span.end, word.span.start))
            && let Some(found) = unit(word.text)
        {
            *beside = Some(found);
            one.span.end = word.span.end;
        } else if let Some(word) = before.filter(|word| touches(word.span.end, one.span.start))
            && let Some(found) = unit(word.text).filter(|unit| is_currency(unit))
        {
            *beside = Some(found);
            one.span.start = word.span.start;
        }
    }
}

/// Small numbers in words, where no figure is given. "One" often stands for a thing, and counts only alone.
fn in_words(text: &str) -> Vec<Candidate> {
    let words = words(text);
    let alone = words.len() == 1;
    let number = |word: &super::words::Word<'_>| {
        let folded = word.folded();
        let at = SMALL.iter().position(|name| *name == folded).filter(|at| *at != 1 || alone)?;
        Some(Candidate {
            value: Typed::Number(f64::from(u32::try_from(at).ok()?), None),
            span: word.span.clone(),
        })
    };
    words.iter().filter_map(number).collect()
}

fn codes(text: &str) -> Vec<Candidate> {
    let code = |word: &super::words::Word<'_>| {
        word.has_digit().then(|| Candidate {
            value: Typed::Code(word.text.trim_start_matches('#').to_owned()),
            span: word.span.clone(),
        })
    };
    words(text).iter().filter_map(code).collect()
}

/// Yes or no, at the beginning or the end of a clause: "There is no conflict" says neither.
fn yes_or_no(text: &str) -> Vec<Candidate> {
    let all = words(text);
    let mut found = Vec::new();
    for (at, word) in all.iter().enumerate() {
        let value = match word.folded().as_str() {
            "yes" | "true" => true,
            "no" | "false" => false,
            _ => continue,
        };
        let ends = all.get(at + 1).is_none_or(|next| next.cut || next.folded() == "or");
        if word.cut || ends {
            found.push(Candidate { value: Typed::YesNo(value), span: word.span.clone() });
        }
    }
    found
}

/// Whether two numbers are the same, give or take `tolerance` and the last bits.
pub(in crate::suite) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance.max(1e-9 * a.abs().max(b.abs()).max(1.0))
}
