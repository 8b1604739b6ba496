//! Checks: what must hold when an episode is over.
//!
//! Invariant: a check looks at the state of the pages, their requests and the device, and, where the
//! task asks a question, at the answer; nothing else that an agent says counts. A question that the
//! device cannot answer is an error of the harness, not a failed check.

use regex::Regex;
use serde_json::Value;
use waldo_devices::Platform;

use super::answer::{AnswerType, Right};
use super::change::{Change, Rows};
use super::check_file::{
    AnswerCheck, CheckFile, Credit, DocumentCheck, DownloadCheck, ElementCheck, JsCheck, RequestCheck,
    SettingCheck, SheetCheck, ShellCheck, StateCheck, WindowCheck, With,
};
use super::condition::{Condition, glob_regex, number, whole};
use super::desktop::{OnDesktop, is_below_home};
use super::problem::Problem;

#[derive(Clone, Debug)]
pub struct Check {
    pub what: String,
    /// What it is worth of the partial credit, where it is a checkpoint.
    pub points: Option<f64>,
    /// What must hold of what the test finds.
    pub(super) conditions: Vec<Condition>,
    pub(super) test: Test,
}

impl PartialEq for Check {
    /// Two checks are equal when they say the same; the words hold all that a check has.
    fn eq(&self, other: &Self) -> bool {
        self.what == other.what
    }
}

#[derive(Clone, Debug)]
pub(super) enum Test {
    State { pointer: String },
    Js { expr: String },
    Url,
    Text,
    Request { method: Option<String>, path: String, body: Option<Value>, count: Option<u64> },
    File { name: Regex },
    Answer(Right),
    Shell { command: String, pointer: Option<String> },
    Foreground,
    Desktop(OnDesktop),
    Change(Change),
    Rows(Rows),
}

impl Check {
    pub(super) fn wants_answer(&self) -> bool {
        matches!(self.test, Test::Answer(_))
    }

    /// Whether it looks at the whole state, which has to be read for it.
    pub(super) fn wants_state(&self) -> bool {
        matches!(self.test, Test::Change(_) | Test::Rows(_))
    }

    /// Tells a check of the answer what was asked: what the question itself states is not taken for the answer.
    pub fn ask(&mut self, goal: &str) {
        if let Test::Answer(right) = &mut self.test {
            goal.clone_into(&mut right.goal);
        }
    }

    /// Whether screens of this kind can be asked for what it looks at.
    pub(super) fn suits(&self, platform: Platform) -> bool {
        match self.test {
            Test::Answer(_) => true,
            // Of which screen would not be said.
            _ if platform.has_several_screens() => false,
            Test::Text | Test::Change(_) | Test::Rows(_) => true,
            Test::Shell { .. } | Test::Foreground => !platform.has_pages(),
            Test::Desktop(_) => platform.has_programs(),
            Test::State { .. } | Test::Js { .. } | Test::Url | Test::Request { .. } | Test::File { .. } => {
                platform.has_pages()
            }
        }
    }

    pub(super) fn from_file(file: CheckFile) -> Result<Self, Problem> {
        let Credit { checkpoint, points } = file.credit().clone();
        let points = match (&checkpoint, &points) {
            (_, Some(points)) => Some(number("points", points)?),
            (Some(_), None) => Some(1.0),
            (None, None) => None,
        };
        if points.is_some_and(|points| points <= 0.0) {
            return Err(Problem::new("points", "is a number above 0"));
        }
        let mut conditions = file.conditions()?;
        let (what, test) = match file {
            CheckFile::State(With { own: StateCheck { pointer }, .. }) => {
                if !pointer.is_empty() && !pointer.starts_with('/') {
                    return Err(Problem::new("pointer", format!("'{pointer}' must begin with '/'")));
                }
                (format!("state {pointer} {}", some(&conditions)?), Test::State { pointer })
            }
            CheckFile::Js(With { own: JsCheck { expr }, .. }) => {
                (format!("js `{expr}` {}", some(&conditions)?), Test::Js { expr })
            }
            CheckFile::Url(_) => (format!("url {}", some(&conditions)?), Test::Url),
            CheckFile::Text(_) => (format!("text of the page {}", some(&conditions)?), Test::Text),
            CheckFile::HomeFile(With { own, .. }) => {
                conditions.extend(Condition::of_size(own.length.as_ref(), own.absent)?);
                let path = home_path(own.path)?;
                let what = format!("file ~/{path} {}", words_or(&conditions, "is there"));
                (what, Test::Desktop(OnDesktop::File { path }))
            }
            CheckFile::Download(With { own: DownloadCheck { name }, .. }) => {
                let what = format!("file {name} {}", words_or(&conditions, "was downloaded"));
                (what, Test::File { name: glob_regex(&name)? })
            }
            CheckFile::Request(With { own, .. }) => request(own)?,
            CheckFile::Answer(With { own, .. }) => answer(own)?,
            CheckFile::Shell(With { own: ShellCheck { command, pointer }, .. }) => {
                let words = some(&conditions)?;
                let at = match &pointer {
                    Some(pointer) => format!(" {pointer}"),
                    None => {
                        conditions.iter_mut().for_each(Condition::compare_text);
                        String::new()
                    }
                };
                (format!("`{command}`{at} {words}"), Test::Shell { command, pointer })
            }
            CheckFile::Foreground(_) => (format!("app in front {}", some(&conditions)?), Test::Foreground),
            CheckFile::Sheet(With { own: SheetCheck { path, sheet, cell, pointer }, .. }) => {
                let path = home_path(path)?;
                let cell = cell.map(|cell| cell.to_ascii_uppercase());
                let pointer = checked_pointer(pointer)?;
                let at = joined(&[sheet.as_deref(), cell.as_deref(), pointer.as_deref()]);
                let what = format!("sheet ~/{path} {at} {}", some(&conditions)?);
                (what, Test::Desktop(OnDesktop::Sheet { path, sheet, cell, pointer }))
            }
            CheckFile::Document(With { own: DocumentCheck { path, pointer }, .. }) => {
                let path = home_path(path)?;
                let pointer = checked_pointer(pointer)?;
                let at = pointer.as_deref().unwrap_or("texts");
                let what = format!("document ~/{path} {at} {}", some(&conditions)?);
                (what, Test::Desktop(OnDesktop::Document { path, pointer }))
            }
            CheckFile::Setting(With { own: SettingCheck { schema, key }, .. }) => {
                let name =
                    |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-./:_".contains(c));
                if let Some(bad) = [&schema, &key].into_iter().find(|text| !name(text)) {
                    return Err(Problem::new("", format!("'{bad}' is not a name of a setting")));
                }
                let what = format!("setting {schema} {key} {}", some(&conditions)?);
                (what, Test::Desktop(OnDesktop::Setting { schema, key }))
            }
            CheckFile::Window(With { own: WindowCheck { program, name, count, absent }, .. }) => {
                conditions.extend(Condition::of_size(None, absent)?);
                let count = count.as_ref().map(|count| whole("count", count)).transpose()?;
                let title = name.as_deref().map(glob_regex).transpose()?;
                let of = joined(&[program.as_deref(), name.as_deref()]);
                let mut what = format!("window {of} {}", words(&conditions)).trim_end().to_owned();
                match count {
                    Some(count) => what.push_str(&format!(", exactly {count}")),
                    None if conditions.is_empty() => what.push_str(" is open"),
                    None => {}
                }
                (what, Test::Desktop(OnDesktop::Window { program, title, count }))
            }
            CheckFile::Element(With { own: ElementCheck { role, name: title, pointer }, .. }) => {
                let name = title.as_deref().map(glob_regex).transpose()?;
                if name.is_none() && role.is_none() {
                    return Err(Problem::new("", "an element needs 'role' or 'name'"));
                }
                let pointer = checked_pointer(pointer)?;
                let of = joined(&[role.as_deref(), title.as_deref(), pointer.as_deref()]);
                let what = format!("element {of} {}", words_or(&conditions, "is there"));
                (what, Test::Desktop(OnDesktop::Element { role, name, pointer }))
            }
            CheckFile::Change(With { own, .. }) => {
                let (what, change) = Change::read(own, std::mem::take(&mut conditions))?;
                (what, Test::Change(change))
            }
            CheckFile::Rows(With { own, .. }) => {
                let (what, rows) = Rows::read(own)?;
                (what, Test::Rows(rows))
            }
        };
        let what = checkpoint.map_or(what.clone(), |name| format!("{name}: {what}"));
        Ok(Self { what, points, conditions, test })
    }
}

fn words(conditions: &[Condition]) -> String {
    conditions.iter().map(Condition::describe).collect::<Vec<_>>().join(" and ")
}

fn words_or(conditions: &[Condition], none: &str) -> String {
    if conditions.is_empty() { none.to_owned() } else { words(conditions) }
}

/// The words for the conditions of a kind that says nothing without one.
fn some(conditions: &[Condition]) -> Result<String, Problem> {
    if conditions.is_empty() {
        return Err(Problem::new("", "a check of this kind needs a condition, such as 'equals'"));
    }
    Ok(words(conditions))
}

fn joined(parts: &[Option<&str>]) -> String {
    parts.iter().copied().flatten().collect::<Vec<_>>().join(" ")
}

fn home_path(path: String) -> Result<String, Problem> {
    if is_below_home(&path) {
        return Ok(path);
    }
    Err(Problem::new("path", format!("'{path}' must be below HOME, without a slash at its start and '..'")))
}

fn checked_pointer(pointer: Option<String>) -> Result<Option<String>, Problem> {
    match pointer.filter(|pointer| !pointer.is_empty()) {
        Some(pointer) if !pointer.starts_with('/') => {
            Err(Problem::new("pointer", format!("'{pointer}' must begin with '/'")))
        }
        pointer => Ok(pointer),
    }
}

fn request(file: RequestCheck) -> Result<(String, Test), Problem> {
    let RequestCheck { method, path, count, body } = file;
    if !path.starts_with('/') {
        return Err(Problem::new("path", format!("'{path}' must begin with '/'")));
    }
    let count = count.as_ref().map(|count| whole("count", count)).transpose()?;
    let mut what = format!("request {} {path}", method.as_deref().unwrap_or("of any method"));
    if let Some(body) = &body {
        what.push_str(&format!(" with {body}"));
    }
    match count {
        Some(count) => what.push_str(&format!(", exactly {count}")),
        None => what.push_str(", at least 1"),
    }
    let method = method.map(|method| method.to_ascii_uppercase());
    Ok((what, Test::Request { method, path, body, count }))
}

fn answer(file: AnswerCheck) -> Result<(String, Test), Problem> {
    let AnswerCheck { equals, one_of, number: one_number, tolerance, list, kind, unit, among, bare } = file;
    let texts = |list: &[Value]| list.iter().map(plain).collect::<Vec<String>>();
    let mut right = match (&equals, &one_of, &one_number, &list) {
        (Some(one), None, None, None) => Right::one_of(vec![plain(one)]),
        (None, Some(some), None, None) if !some.is_empty() => Right::one_of(texts(some)),
        (None, None, Some(n), None) => {
            let right = number("number", n)?;
            Right { kind: AnswerType::Number, ..Right::one_of(vec![right.to_string()]) }
        }
        (None, None, None, Some(list)) => Right { is_list: true, ..Right::one_of(texts(list)) },
        _ => return Err(Problem::new("", "an answer check needs one of equals, one_of, number, list")),
    };
    if let (Some(_), true) = (kind, right.is_list) {
        return Err(Problem::new("type", "a list has no type: each of its items is compared by its own"));
    }
    right.kind = kind.unwrap_or(right.kind);
    let counted = matches!(right.kind, AnswerType::Number | AnswerType::Currency | AnswerType::Duration);
    if let (Some(_), false) = (&tolerance, counted && !right.is_list) {
        return Err(Problem::new("tolerance", "has no effect without 'approx' or 'number'"));
    }
    right.tolerance = tolerance.as_ref().map_or(Ok(0.0), |t| number("tolerance", t))?;
    if let Some(name) = &unit {
        let known = super::answer::is_unit(name);
        if !known || !counted {
            let message =
                if known { "goes with numbers alone".to_owned() } else { format!("unknown unit '{name}'") };
            return Err(Problem::new("unit", message));
        }
    }
    right.unit = unit;
    right.among = texts(&among.unwrap_or_default());
    right.bare = bare.unwrap_or(false);
    right.readable()?;
    let mut what = match &right {
        Right { is_list: true, values, .. } => format!("answer lists {}", values.join(", ")),
        Right { values, tolerance, kind: AnswerType::Number, .. } if one_number.is_some() => {
            format!("answer is {} within {tolerance}", values.join(" or "))
        }
        Right { values, .. } => format!("answer is {}", values.join(" or ")),
    };
    if let Some(unit) = &right.unit {
        what.push_str(&format!(" in {unit}"));
    }
    if right.bare {
        what.push_str(", and nothing else");
    }
    Ok((what, Test::Answer(right)))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
