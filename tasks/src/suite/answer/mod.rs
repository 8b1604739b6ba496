//! Comparing an agent's answer with the right one, by its type.
//!
//! An answer may stand in a sentence. What is read out of the words are all values of the type; of these are left out
//! those that the words deny ("is not 12"), and those that the question states, as often as it does ("15 times 13 is
//! 195"). What is left must be one value. Where the question states all of them, all count: an answer may be one of the
//! things that were asked about. Values that are offered as a choice ("12 or 13") are no answer.
//!
//! Invariant: two different values of the type are no answer, and a value that only resembles the right one is not it.

mod list;
mod names;
mod values;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use self::values::close;

use self::names::Case;
use self::values::{Candidate, Typed, candidates};
use super::problem::Problem;

/// What kind of value an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswerType {
    /// A number, which may have a unit.
    Number,
    /// An amount of money, which may have its sign, code or name.
    Currency,
    /// A day, as `2026-03-06` or `6 March 2026`; the year may be missing.
    Date,
    /// A time of the day, as `14:00`, `2 pm` or `noon`.
    Time,
    /// A length of time, as `1 hour 35 minutes`.
    Duration,
    /// Letters and digits that are compared exactly: `0042`, `K7-204`.
    Code,
    /// A name or other text.
    Name,
    /// Yes or no.
    YesNo,
}

#[derive(Clone, Debug)]
pub(super) struct Right {
    pub kind: AnswerType,
    /// Right answers, each of which will do; all of them where the answer is a list.
    pub values: Vec<String>,
    pub is_list: bool,
    /// How far from it a number may be.
    pub tolerance: f64,
    /// The unit that a number has, or has to be in where none is said.
    pub unit: Option<String>,
    /// Values that would be other answers.
    pub among: Vec<String>,
    /// Whether the answer must be the value and nothing else.
    pub bare: bool,
    /// The question, whose own values are not the answer's.
    pub goal: String,
}

/// What was read out of an answer's words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub passed: bool,
    /// The value that was read, or why none was; then the words.
    pub found: String,
}

/// The number in a text, without its unit, where there is exactly one.
pub fn number_in(text: &str) -> Option<f64> {
    match candidates(AnswerType::Number, text).as_slice() {
        [Candidate { value: Typed::Number(number, _), .. }] => Some(*number),
        _ => None,
    }
}

impl Right {
    /// An answer that is one of these, of the type that they seem to be.
    pub fn one_of(values: Vec<String>) -> Self {
        Self {
            kind: infer(&values),
            values,
            is_list: false,
            tolerance: 0.0,
            unit: None,
            among: Vec::new(),
            bare: false,
            goal: String::new(),
        }
    }

    pub fn readable(&self) -> Result<(), Problem> {
        let words = self.is_list || matches!(self.kind, AnswerType::Name | AnswerType::Code);
        match self.values.iter().find(|value| !words && self.typed(value).is_none()) {
            Some(value) => Err(Problem::new("type", format!("'{value}' is no {}", self.kind.words()))),
            None => Ok(()),
        }
    }

    pub fn read(&self, answer: &str) -> Reading {
        let (read, passed) = match self.value(answer) {
            Ok((value, passed)) => (format!("read as {}", value.trim()), passed),
            Err(why) => (format!("no answer: {why}"), false),
        };
        let found = if passed && read.get("read as ".len()..) == Some(answer) {
            answer.to_owned()
        } else {
            format!("{read}, in: {answer}")
        };
        Reading { passed, found }
    }

    /// The value that was read and whether it is right, or why there is none.
    fn value(&self, answer: &str) -> Result<(String, bool), String> {
        if self.is_list {
            return list::read(answer, &self.values).map(|items| (items, true));
        }
        let exact = self.values.iter().find(|right| is_bare(self.kind, answer, right, self.tolerance));
        if exact.is_some() && matches!(self.kind, AnswerType::Name | AnswerType::Code) {
            return Ok((answer.to_owned(), true));
        }
        if self.kind == AnswerType::Name || self.is_plain_code() {
            let case = if self.kind == AnswerType::Code { Case::Exact } else { Case::Folded };
            if self.bare {
                return Err("only the value itself was asked for".to_owned());
            }
            return names::said(answer, &self.goal, &self.values, &self.among, case).map(|name| (name, true));
        }
        let (value, span) = self.only(answer)?;
        let said = answer.get(span.clone()).unwrap_or_default().to_owned();
        if self.bare && !is_rest_empty(answer, &span) {
            return Err(format!("only the value itself was asked for, and there is more than '{said}'"));
        }
        let right = self.values.iter().filter_map(|right| self.typed(right));
        let unit = self.unit.as_deref().and_then(values::unit);
        let fits = match (&value, unit) {
            (Typed::Number(_, Some(found)), Some(unit)) => *found == unit,
            _ => true,
        };
        let passed = fits && right.into_iter().any(|right| values::same(&value, &right, self.tolerance));
        Ok((said, passed))
    }

    /// The value of a text of the author's.
    fn typed(&self, right: &str) -> Option<Typed> {
        candidates(self.kind, right).into_iter().map(|one| self.in_unit(one).value).next().or_else(|| {
            let number = candidates(AnswerType::Number, right).into_iter().next()?;
            (self.kind == AnswerType::Duration).then(|| self.in_unit(number).value)
        })
    }

    /// A number of the declared unit of time is a length of time.
    fn in_unit(&self, mut one: Candidate) -> Candidate {
        let scale = self.unit.as_deref().and_then(values::unit).and_then(values::seconds);
        if let (AnswerType::Duration, Typed::Number(number, None), Some(scale)) =
            (self.kind, &one.value, scale)
        {
            one.value = Typed::Duration(number * scale);
        }
        one
    }

    /// Whether it is a code without a digit, which no form tells from other words.
    fn is_plain_code(&self) -> bool {
        let digit = |text: &String| text.contains(|c: char| c.is_ascii_digit());
        self.kind == AnswerType::Code
            && (!self.values.iter().all(digit) || self.values.iter().any(|v| v.trim().contains(' ')))
    }

    fn only(&self, answer: &str) -> Result<(Typed, std::ops::Range<usize>), String> {
        let said = self.all(answer);
        if said.is_empty() {
            return Err(format!("there is no {} in it", self.kind.words()));
        }
        let stated = |one: &&Candidate| !words::is_denied(answer, &one.span);
        let left: Vec<&Candidate> = said.iter().filter(stated).collect();
        if left.is_empty() {
            return Err("it is denied".to_owned());
        }
        // Of what the question states as much is left out as it states.
        let mut asked = self.all(&self.goal);
        let mut own = Vec::new();
        for one in &left {
            match asked.iter().position(|stated| stated.value == one.value) {
                Some(at) => drop(asked.swap_remove(at)),
                None => own.push(*one),
            }
        }
        let own = if own.is_empty() { left } else { own };
        let own = self.with_unit(own);
        if own.iter().any(|one| words::is_offered(answer, &one.span)) {
            return Err("it offers a choice".to_owned());
        }
        for pair in said.windows(2) {
            let [a, b] = pair else { continue };
            let counts = |one: &Candidate| own.iter().any(|own| own.span == one.span);
            let between = answer.get(a.span.end..b.span.start).unwrap_or_default();
            if (counts(a) || counts(b)) && a.value != b.value && words::offers(between) {
                return Err("it offers a choice".to_owned());
            }
        }
        let Some(last) = own.last() else { return Err("it is not said".to_owned()) };
        let synonym = |one: &Candidate| self.kind == AnswerType::Code && self.is_right(&one.value);
        if own.iter().all(|one| values::same(&one.value, &last.value, 0.0) || (synonym(one) && synonym(last)))
        {
            return Ok((last.value.clone(), last.span.clone()));
        }
        let all: Vec<&str> = own.iter().filter_map(|one| answer.get(one.span.clone())).collect();
        Err(format!("it says several: {}", all.join(", ")))
    }

    fn is_right(&self, value: &Typed) -> bool {
        self.values.iter().filter_map(|right| self.typed(right)).any(|right| values::same(value, &right, 0.0))
    }

    /// All values of the type; where the question wants a length of time and the words have none, its numbers.
    fn all(&self, text: &str) -> Vec<Candidate> {
        let all = candidates(self.kind, text);
        if all.is_empty() && self.kind == AnswerType::Duration {
            return candidates(AnswerType::Number, text).into_iter().map(|one| self.in_unit(one)).collect();
        }
        all
    }

    /// Those in the unit that was asked for, or in a currency, where there are any: "2 lamps cost $35".
    fn with_unit<'a>(&self, all: Vec<&'a Candidate>) -> Vec<&'a Candidate> {
        let wanted = self.unit.as_deref().and_then(values::unit);
        let fits = |one: &&&Candidate| match (&one.value, wanted) {
            (Typed::Number(_, Some(unit)), Some(wanted)) => *unit == wanted,
            (Typed::Number(_, Some(unit)), None) => {
                self.kind == AnswerType::Currency && values::is_currency(unit)
            }
            _ => false,
        };
        let fitting: Vec<&Candidate> = all.iter().filter(fits).copied().collect();
        if fitting.is_empty() { all } else { fitting }
    }
}

impl AnswerType {
    fn words(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Currency => "amount of money",
            Self::Date => "date",
            Self::Time => "time of the day",
            Self::Duration => "length of time",
            Self::Code => "code",
            Self::Name => "name",
            Self::YesNo => "yes or no",
        }
    }
}

pub(super) fn is_unit(name: &str) -> bool {
    values::unit(name).is_some()
}

/// Whether an answer is the right value and nothing else.
fn is_bare(kind: AnswerType, answer: &str, right: &str, tolerance: f64) -> bool {
    match kind {
        AnswerType::Name => names::is_same(answer, right, Case::Folded),
        AnswerType::Code => names::is_same(answer, right, Case::Exact),
        _ => match (whole(kind, answer), whole(kind, right)) {
            (Some(a), Some(b)) => values::same(&a, &b, tolerance),
            _ => false,
        },
    }
}

/// The value that a text is, but for what may stand at its ends.
fn whole(kind: AnswerType, text: &str) -> Option<Typed> {
    let all = candidates(kind, text);
    let [one] = all.as_slice() else { return None };
    is_rest_empty(text, &one.span).then(|| one.value.clone())
}

fn is_rest_empty(text: &str, span: &std::ops::Range<usize>) -> bool {
    let empty = |part: Option<&str>| {
        part.unwrap_or_default().chars().all(|c| c.is_whitespace() || words::ENDS.contains(&c))
    };
    empty(text.get(..span.start)) && empty(text.get(span.end..))
}

fn infer(values: &[String]) -> AnswerType {
    let of = |text: &String| {
        let typed =
            [AnswerType::YesNo, AnswerType::Date, AnswerType::Time, AnswerType::Duration, AnswerType::Number];
        match typed.into_iter().find(|kind| whole(*kind, text).is_some()) {
            Some(AnswerType::Number) => match whole(AnswerType::Number, text) {
                Some(Typed::Number(_, Some(unit))) if values::is_currency(unit) => AnswerType::Currency,
                // "three" is a word like any other, unless a number is asked for.
                _ if !text.contains(|c: char| c.is_ascii_digit()) => AnswerType::Name,
                _ => AnswerType::Number,
            },
            Some(kind) => kind,
            None if !text.trim().contains(' ') && text.contains(|c: char| c.is_ascii_digit()) => {
                AnswerType::Code
            }
            None => AnswerType::Name,
        }
    };
    let kinds: Vec<AnswerType> = values.iter().map(of).collect();
    match kinds.split_first() {
        Some((first, rest)) if rest.iter().all(|kind| kind == first) => *first,
        Some(_) if kinds.iter().all(|kind| matches!(kind, AnswerType::Code | AnswerType::Number)) => {
            AnswerType::Code
        }
        _ => AnswerType::Name,
    }
}

#[cfg(test)]
mod tests;
