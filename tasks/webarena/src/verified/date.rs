//! Dates and months, as dateutil reads them.

use std::sync::LazyLock;

use jiff::civil::Date as Day;
use serde_json::Value;
use waldo_agents::python::{as_number, is_space, parse_float, parse_int, truthy};
use waldo_devices::word_list;

use super::plain::{raised, text_of};
use crate::fault::{Result, WebarenaFault};

/// What a text says of a day. What is missing is that of the day on which the original runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WrittenDay {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    weekday: Option<usize>,
}

/// # Errors
/// [`WebarenaFault::Raised`] for what is no date.
pub(super) fn date(value: &Value) -> Result<WrittenDay> {
    static COMMA: LazyLock<Option<fancy_regex::Regex>> =
        LazyLock::new(|| fancy_regex::Regex::new(",(?! )").ok());
    let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { return raised("date", value) };
    let text = COMMA.as_ref().map_or(text.into(), |comma| comma.replace_all(text, ", "));
    let found = DateReader::read(&text).filter(|day| day.exists());
    found.map_or_else(|| raised("date", value), Ok)
}

/// # Errors
/// [`WebarenaFault::Refused`] where it depends on the day on which the original runs.
pub(super) fn is_same_day(one: WrittenDay, other: WrittenDay) -> Result<bool> {
    let whole = |day: &WrittenDay| day.year.is_some() && day.month.is_some() && day.day.is_some();
    let parts = |day: &WrittenDay| [day.year, day.month, day.day];
    if whole(&one) && whole(&other) {
        return Ok(parts(&one) == parts(&other));
    }
    let weekday = [one, other].iter().any(|day| day.day.is_none() && day.weekday.is_some());
    let differs = parts(&one).iter().zip(parts(&other)).any(|(a, b)| a.zip(b).is_some_and(|(a, b)| a != b));
    match (one == other, differs && !weekday) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(WebarenaFault::refused("a date without its year, month or day")),
    }
}

/// The number of a month.
pub(super) fn month(value: &Value) -> Result<i64> {
    let number = match value {
        Value::String(text) => parse_int(text),
        value => match as_number(value) {
            Some(number) if number.fract() != 0.0 => return raised("month", value),
            number => number.map(|number| number as i64),
        },
    };
    let found = match number {
        Some(number) => Some(number).filter(|number| (1..=12).contains(number)),
        None if !truthy(value) => None,
        // What is missing is that of the first day of the year 2000.
        None => DateReader::read(&text_of(value)).filter(|day| day.exists()).map(|day| day.month_of_2000()),
    };
    found.map_or_else(|| raised("month", value), Ok)
}

impl WrittenDay {
    fn day_of(self, year: i64, month: i64, day: i64) -> Option<Day> {
        Day::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
    }

    /// Whether a calendar has it, as far as it is said. Years go from 1 to 9999.
    fn exists(&self) -> bool {
        let (year, month) = (self.year.unwrap_or(2000), self.month.unwrap_or(1));
        (1..=9999).contains(&year) && self.day_of(year, month, self.day.unwrap_or(1)).is_some()
    }

    /// A weekday without a day is the next one from the first on.
    fn month_of_2000(self) -> i64 {
        self.month.unwrap_or(1)
    }
}

const MONTHS: [&str; 12] = word_list(
    "jan|january feb|february mar|march apr|april may jun|june jul|july aug|august sep|sept|september \
     oct|october nov|november dec|december",
);
const WEEKDAYS: [&str; 7] =
    word_list("mon|monday tue|tuesday wed|wednesday thu|thursday fri|friday sat|saturday sun|sunday");
const UNITS: [&str; 3] = ["h|hour|hours", "m|minute|minutes", "s|second|seconds"];
const NOON: [&str; 2] = ["am|a", "pm|p"];
/// What says nothing.
const JUMPS: &str = ". , ; - / ' at on and ad m t of st nd rd th";

fn among(all: &[&str], word: &str) -> Option<usize> {
    all.iter().position(|names| names.split('|').any(|name| name == word))
}

fn is_jump(word: &str) -> bool {
    word == " " || JUMPS.split(' ').any(|jump| jump == word)
}

fn month_named(word: &str) -> Option<i64> {
    among(&MONTHS, word).map(|at| at as i64 + 1)
}

/// The numbers of a date as they come, and which of them is what.
#[derive(Default)]
struct Numbers {
    all: Vec<i64>,
    year: Option<usize>,
    month: Option<usize>,
    day: Option<usize>,
    century: bool,
}

impl Numbers {
    fn add_text(&mut self, text: &str, is: Option<char>) -> Option<()> {
        let century = text.len() > 2 && text.bytes().all(|b| b.is_ascii_digit());
        self.add(parse_int(text)?, is, century)
    }

    fn add_number(&mut self, number: f64, is: Option<char>) -> Option<()> {
        self.add(number as i64, is, number > 100.0)
    }

    fn add(&mut self, number: i64, is: Option<char>, century: bool) -> Option<()> {
        let mut is = is;
        if century {
            self.century = true;
            if is.is_some_and(|is| is != 'Y') {
                return None;
            }
            is = Some('Y');
        }
        self.all.push(number);
        let place = match is {
            Some('Y') => &mut self.year,
            Some('M') => &mut self.month,
            Some(_) => &mut self.day,
            None => return Some(()),
        };
        place.is_none().then(|| *place = Some(self.all.len() - 1))
    }

    fn could_be_day(&self, number: f64) -> bool {
        let at = |place: Option<usize>| place.and_then(|at| self.all.get(at)).copied();
        let most = match (at(self.month), at(self.year)) {
            _ if self.day.is_some() => return false,
            (None, _) => 31,
            (Some(month), year) => {
                let first = WrittenDay::default().day_of(year.unwrap_or(2000), month, 1);
                first.map_or(0, |first| i64::from(first.days_in_month()))
            }
        };
        1.0 <= number && number <= most as f64
    }

    /// Year, month and day, which of two days and a month is which being told by their size.
    fn resolve(&self) -> Option<[Option<i64>; 3]> {
        let named = [self.year, self.month, self.day];
        let (len, known) = (self.all.len(), named.iter().flatten().count());
        let at = |place: usize| self.all.get(place).copied();
        if (len == known && known > 0) || (len == 3 && known == 2) {
            let free = (0..3).find(|place| !named.contains(&Some(*place)));
            return Some(named.map(|place| place.or(free.filter(|_| len == 3)).and_then(at)));
        }
        let (a, b, c) = (at(0).unwrap_or_default(), at(1).unwrap_or_default(), at(2).unwrap_or_default());
        let [y, m, d] = match (len, self.month) {
            (0, _) => return Some([None; 3]),
            (4.., _) => return None,
            (1, Some(_)) => [None, Some(a), None],
            (1, None) if a > 31 => [Some(a), None, None],
            (1, None) => [None, None, Some(a)],
            (2, Some(month)) => {
                let (month, other) = if month == 0 { (a, b) } else { (b, a) };
                if other > 31 { [Some(other), Some(month), None] } else { [None, Some(month), Some(other)] }
            }
            (2, None) if a > 31 => [Some(a), Some(b), None],
            (2, None) if b > 31 => [Some(b), Some(a), None],
            (2, None) => [None, Some(a), Some(b)],
            (_, Some(0)) if b > 31 => [Some(b), Some(a), Some(c)],
            (_, Some(0)) => [Some(c), Some(a), Some(b)],
            (_, Some(1)) if a > 31 => [Some(a), Some(b), Some(c)],
            (_, Some(1)) => [Some(c), Some(b), Some(a)],
            (_, Some(_)) if b > 31 => [Some(b), Some(c), Some(a)],
            (_, Some(_)) => [Some(a), Some(c), Some(b)],
            _ if a > 31 || self.year == Some(0) => [Some(a), Some(b), Some(c)],
            _ if a > 12 => [Some(c), Some(b), Some(a)],
            _ => [Some(c), Some(a), Some(b)],
        };
        Some([y, m, d])
    }
}

/// Reads a date word by word. `None` stands for what the original takes for no date.
struct DateReader {
    words: Vec<String>,
    numbers: Numbers,
    weekday: Option<usize>,
    hour: Option<i64>,
    minute: i64,
    second: i64,
    offset: bool,
    zone: bool,
    said: bool,
}

impl DateReader {
    fn read(text: &str) -> Option<WrittenDay> {
        let mut reader = Self {
            words: words_of(text),
            numbers: Numbers::default(),
            weekday: None,
            hour: None,
            minute: 0,
            second: 0,
            offset: false,
            zone: false,
            said: false,
        };
        let mut at = 0;
        while at < reader.words.len() {
            at = reader.step(at)? + 1;
        }
        let [year, month, day] = reader.numbers.resolve()?;
        let said = [year, month, day].iter().any(Option::is_some)
            || reader.weekday.is_some()
            || reader.hour.is_some()
            || reader.said;
        let hour = (0..24).contains(&reader.hour.unwrap_or_default());
        if !said || !hour || !(0..60).contains(&reader.minute) || !(0..60).contains(&reader.second) {
            return None;
        }
        let year = year.map(|year| full_year(year, reader.numbers.century));
        Some(WrittenDay { year, month, day, weekday: reader.weekday })
    }

    fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(String::as_str)
    }

    fn is(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    /// Reads the word at `at`, and gives the last one that was read.
    fn step(&mut self, at: usize) -> Option<usize> {
        let word = self.word(at)?.to_owned();
        if parse_float(&word).is_some() {
            return self.number(at, &word);
        }
        if let Some(weekday) = among(&WEEKDAYS, &word) {
            self.weekday = Some(weekday);
            return Some(at);
        }
        if let Some(month) = month_named(&word) {
            self.numbers.add_number(month as f64, Some('M'))?;
            return self.behind_month(at);
        }
        if let Some(half) = among(&NOON, &word) {
            let hour = self.hour.filter(|hour| (0..=12).contains(hour))?;
            self.hour = Some(by_noon(hour, half));
            return Some(at);
        }
        if word == "z" && self.hour.is_some() && !self.zone && !self.offset {
            self.zone = true;
            self.offset = !matches!(self.word(at + 1), Some("+" | "-"));
            return Some(at);
        }
        if matches!(word.as_str(), "+" | "-") && self.hour.is_some() {
            return self.zone_offset(at);
        }
        is_jump(&word).then_some(at)
    }

    fn behind_month(&mut self, at: usize) -> Option<usize> {
        let sign = self.word(at + 1).filter(|sign| matches!(*sign, "-" | "/")).map(str::to_owned);
        if let Some(sign) = sign {
            let day = self.word(at + 2)?.to_owned();
            self.numbers.add_text(&day, None)?;
            if self.is(at + 3, &sign) {
                let year = self.word(at + 4)?.to_owned();
                self.numbers.add_text(&year, None)?;
                return Some(at + 4);
            }
            return Some(at + 2);
        }
        if self.is(at + 1, " ")
            && self.is(at + 3, " ")
            && self.is(at + 2, "of")
            && self.word(at + 4).is_some()
        {
            let year = self.word(at + 4)?.to_owned();
            if year.bytes().all(|b| b.is_ascii_digit()) {
                let year = full_year(parse_int(&year)?, false).to_string();
                self.numbers.add_text(&year, Some('Y'))?;
            }
            return Some(at + 4);
        }
        Some(at)
    }

    fn zone_offset(&mut self, at: usize) -> Option<usize> {
        self.offset = true;
        let digits = self.word(at + 1)?;
        let len = digits.len();
        if len == 4 {
            parse_int(digits)?;
            return Some(at + 1);
        }
        if self.is(at + 2, ":") {
            parse_int(digits)?;
            parse_int(self.word(at + 3)?)?;
            return Some(at + 3);
        }
        if len > 2 {
            return None;
        }
        parse_int(digits)?;
        Some(at + 1)
    }

    fn number(&mut self, at: usize, word: &str) -> Option<usize> {
        let value = parse_float(word).filter(|value| value.is_finite())?;
        let (len, words) = (word.len(), self.words.len());
        let unit = |at: usize| self.word(at).and_then(|word| among(&UNITS, word));
        let part = |from: usize, to: usize| word.get(from..to).and_then(parse_int);
        let next = self.word(at + 1).map(str::to_owned);
        let clock = next.as_deref() == Some(":") || unit(at + 1).is_some();
        if self.numbers.all.len() == 3 && matches!(len, 2 | 4) && self.hour.is_none() && !clock {
            self.hour = Some(part(0, 2)?);
            self.minute = if len == 4 { part(2, 4)? } else { self.minute };
            return Some(at);
        }
        if len == 6 || (len > 6 && word.find('.') == Some(6)) {
            if self.numbers.all.is_empty() && !word.contains('.') {
                for (from, to) in [(0, 2), (2, 4), (4, 6)] {
                    self.numbers.add_text(word.get(from..to)?, None)?;
                }
                return Some(at);
            }
            (self.hour, self.minute) = (Some(part(0, 2)?), part(2, 4)?);
            self.second = seconds_of(word.get(4..)?)?;
            return Some(at);
        }
        if matches!(len, 8 | 12 | 14) {
            self.numbers.add_text(word.get(..4)?, Some('Y'))?;
            self.numbers.add_text(word.get(4..6)?, None)?;
            self.numbers.add_text(word.get(6..8)?, None)?;
            if len > 8 {
                (self.hour, self.minute) = (Some(part(8, 10)?), part(10, 12)?);
            }
            self.second = if len > 12 { part(12, 14)? } else { self.second };
            return Some(at);
        }
        let before = |back: usize| at.checked_sub(back).and_then(unit);
        let blank = |at: usize| self.is(at, " ");
        let near = if unit(at + 1).is_some() {
            unit(at + 1).map(|unit| (unit, at + 1))
        } else if blank(at + 1) && unit(at + 2).is_some() {
            unit(at + 2).map(|unit| (unit, at + 2))
        } else if before(1).is_some() {
            before(1).map(|unit| (unit + 1, at))
        } else if at > 1 && at + 1 == words && blank(at - 1) {
            before(2).map(|unit| (unit + 1, at))
        } else {
            None
        };
        if let Some((unit, last)) = near {
            self.said = true;
            match unit {
                0 => (self.hour, self.minute) = (Some(value as i64), (value.fract() * 60.0) as i64),
                1 => (self.minute, self.second) = (value as i64, (value.fract() * 60.0) as i64),
                2 => self.second = seconds_of(word)?,
                _ => {}
            }
            return Some(last);
        }
        if next.as_deref() == Some(":") && at + 2 < words {
            self.hour = Some(value as i64);
            let minutes = parse_float(self.word(at + 2)?).filter(|minutes| minutes.is_finite())?;
            (self.minute, self.second) = (minutes as i64, (minutes.fract() * 60.0) as i64);
            if at + 4 < words && self.is(at + 3, ":") {
                self.second = seconds_of(self.word(at + 4)?)?;
                return Some(at + 4);
            }
            return Some(at + 2);
        }
        match next.as_deref() {
            Some(sign @ ("-" | "/" | ".")) => self.behind_sign(at, word, sign),
            Some(next) if !is_jump(next) => {
                match among(&NOON, next) {
                    Some(half) if (0.0..24.0).contains(&value) => {
                        self.hour = Some(by_noon(value as i64, half));
                        return Some(at + 1);
                    }
                    _ if self.numbers.could_be_day(value) => self.numbers.add_number(value, None)?,
                    _ => return None,
                }
                Some(at)
            }
            _ => {
                if let Some(half) = self.word(at + 2).and_then(|word| among(&NOON, word)) {
                    self.hour = Some(by_noon(value as i64, half));
                    return Some(at + 2);
                }
                self.numbers.add_number(value, None)?;
                Some(at + 1)
            }
        }
    }

    /// `01/02/2023`, `2023-jan-02`.
    fn behind_sign(&mut self, at: usize, word: &str, sign: &str) -> Option<usize> {
        self.numbers.add_text(word, None)?;
        let Some(second) = self.word(at + 2).filter(|word| !is_jump(word)).map(str::to_owned) else {
            return Some(at + 1);
        };
        let add = |numbers: &mut Numbers, word: &str| match month_named(word) {
            Some(month) => numbers.add_number(month as f64, Some('M')),
            None => numbers.add_text(word, None),
        };
        if !second.bytes().all(|b| b.is_ascii_digit()) && month_named(&second).is_none() {
            return None;
        }
        add(&mut self.numbers, &second)?;
        if !self.is(at + 3, sign) {
            return Some(at + 2);
        }
        let third = self.word(at + 4)?.to_owned();
        add(&mut self.numbers, &third)?;
        Some(at + 4)
    }
}

/// A year of two digits is one of the fifty before or after this one.
fn full_year(year: i64, century: bool) -> i64 {
    let now = i64::from(jiff::Zoned::now().year());
    match year {
        100.. => year,
        _ if century => year,
        _ => {
            let full = year + now / 100 * 100;
            if full >= now + 50 {
                full - 100
            } else if full < now - 50 {
                full + 100
            } else {
                full
            }
        }
    }
}

fn by_noon(hour: i64, half: usize) -> i64 {
    match (hour, half) {
        (..12, 1) => hour + 12,
        (12, 0) => 0,
        _ => hour,
    }
}

fn seconds_of(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    parse_int(&format!("{part:0<6}"))?;
    parse_int(whole)
}

/// A text cut into words, numbers, signs and blanks. A point within letters, and a second one in a number, stands alone.
fn words_of(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(&first) = chars.get(at) {
        at += 1;
        if is_space(first) {
            words.push(" ".to_owned());
            continue;
        }
        let mut token = first.to_string();
        let (mut letters, mut points) = (first.is_alphabetic(), false);
        let mut seen = false;
        if !letters && !first.is_ascii_digit() {
            words.push(token);
            continue;
        }
        while let Some(&c) = chars.get(at) {
            seen |= letters;
            let after_point = token.ends_with('.');
            let takes = match (letters, points) {
                _ if c == '.' => true,
                (true, false) => c.is_alphabetic(),
                (false, false) => c.is_ascii_digit() || (c == ',' && token.len() >= 2),
                (true, true) => c.is_alphabetic() || (c.is_ascii_digit() && after_point),
                (false, true) => c.is_ascii_digit() || (c.is_alphabetic() && after_point),
            };
            if !takes {
                break;
            }
            if c == '.' || c == ',' {
                points = true;
            } else if points {
                letters = c.is_alphabetic();
            }
            token.push(c);
            at += 1;
        }
        let dots = token.matches('.').count();
        if points && (seen || dots > 1 || token.ends_with(['.', ','])) {
            let mut rest = token.as_str();
            while let Some(end) = rest.find(['.', ',']) {
                let (word, after) = rest.split_at(end);
                words.extend((!word.is_empty()).then(|| word.to_owned()));
                words.extend(after.get(..1).map(str::to_owned));
                rest = after.get(1..).unwrap_or_default();
            }
            words.extend((!rest.is_empty()).then(|| rest.to_owned()));
        } else if points && !letters && dots == 0 {
            words.push(token.replace(',', "."));
        } else {
            words.push(token);
        }
    }
    words
}
