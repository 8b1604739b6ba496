//! Checks: what must hold when an episode is over.
//!
//! Invariant: a check looks at the state of the pages, their requests and the device, and, where the
//! task asks a question, at the answer; nothing else that an agent says counts. A question that the
//! device cannot answer is an error of the harness, not a failed check.

use regex::Regex;
use serde_json::Value;
use waldo_devices::Platform;

use super::condition::{Condition, number, regex, whole};
use super::desktop::OnDesktop;
use super::file::{CheckFile, KindFile};
use super::problem::{Problem, suggest};

pub use super::judge::{Evidence, judge};

/// One thing that must hold.
#[derive(Clone, Debug)]
pub struct Check {
    /// The check in words.
    pub what: String,
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
    State { pointer: String, conditions: Vec<Condition> },
    Js { expr: String, conditions: Vec<Condition> },
    Url(Vec<Condition>),
    Text(Vec<Condition>),
    Request { method: Option<String>, path: String, body: Option<Value>, count: Option<u64> },
    File { name: Regex, conditions: Vec<Condition> },
    Answer(Right),
    Shell { command: String, pointer: Option<String>, conditions: Vec<Condition> },
    Foreground(Vec<Condition>),
    Desktop(OnDesktop),
}

/// The right answer.
#[derive(Clone, Debug)]
pub(super) enum Right {
    OneOf(Vec<String>),
    Number { right: f64, tolerance: f64 },
    List(Vec<String>),
}

/// Conditions on any value.
const VALUE: [&str; 8] =
    ["equals", "contains", "matches", "length", "absent", "set_equals", "approx", "tolerance"];
/// Conditions on text.
const TEXT: [&str; 3] = ["equals", "contains", "matches"];

impl Check {
    /// Whether it looks at the agent's answer.
    pub(super) fn wants_answer(&self) -> bool {
        matches!(self.test, Test::Answer(_))
    }

    /// Whether screens of this kind can be asked for what it looks at.
    pub(super) fn suits(&self, platform: Platform) -> bool {
        match self.test {
            Test::Answer(_) | Test::Text(_) => true,
            Test::Shell { .. } | Test::Foreground(_) => !platform.has_pages(),
            Test::Desktop(_) => platform.has_programs(),
            Test::State { .. }
            | Test::Js { .. }
            | Test::Url(_)
            | Test::Request { .. }
            | Test::File { .. } => platform.has_pages(),
        }
    }

    /// The check that a rendered `[[check]]` describes.
    pub(super) fn from_file(file: CheckFile) -> Result<Self, Problem> {
        let conditions = Condition::of(&file)?;
        let words = conditions.iter().map(Condition::describe).collect::<Vec<_>>().join(" and ");
        let one = || match conditions.is_empty() {
            true => Err(Problem::new("", "a check of this kind needs a condition, such as 'equals'")),
            false => Ok(conditions.clone()),
        };
        let (what, test) = match file.kind {
            KindFile::State => {
                allow(&file, &["pointer"], &VALUE)?;
                let pointer = need("pointer", file.pointer)?;
                if !pointer.is_empty() && !pointer.starts_with('/') {
                    return Err(Problem::new("pointer", format!("'{pointer}' must begin with '/'")));
                }
                (format!("state {pointer} {words}"), Test::State { pointer, conditions: one()? })
            }
            KindFile::Js => {
                allow(&file, &["expr"], &VALUE)?;
                let expr = need("expr", file.expr)?;
                (format!("js `{expr}` {words}"), Test::Js { expr, conditions: one()? })
            }
            KindFile::Url => {
                allow(&file, &[], &TEXT)?;
                (format!("url {words}"), Test::Url(one()?))
            }
            KindFile::Text => {
                allow(&file, &[], &TEXT)?;
                (format!("text of the page {words}"), Test::Text(one()?))
            }
            KindFile::File if file.path.is_some() => {
                allow(&file, &["path"], &[&TEXT[..], &["length", "absent"]].concat())?;
                let path = home_path(file.path)?;
                let is = if words.is_empty() { "is there" } else { &words };
                (format!("file ~/{path} {is}"), Test::Desktop(OnDesktop::File { path, conditions }))
            }
            KindFile::File => {
                allow(&file, &["name"], &TEXT)?;
                let glob = need("name", file.name)?;
                let is = if words.is_empty() { "was downloaded" } else { &words };
                (format!("file {glob} {is}"), Test::File { name: glob_regex(&glob)?, conditions })
            }
            KindFile::Request => request(file)?,
            KindFile::Answer => answer(&file)?,
            KindFile::Shell => {
                allow(&file, &["command", "pointer"], &VALUE)?;
                let command = need("command", file.command)?;
                let mut conditions = one()?;
                let at = match &file.pointer {
                    Some(pointer) => format!(" {pointer}"),
                    None => {
                        conditions.iter_mut().for_each(Condition::on_text);
                        String::new()
                    }
                };
                (
                    format!("`{command}`{at} {words}"),
                    Test::Shell { command, pointer: file.pointer, conditions },
                )
            }
            KindFile::Foreground => {
                allow(&file, &[], &TEXT)?;
                (format!("app in front {words}"), Test::Foreground(one()?))
            }
            KindFile::Sheet => {
                allow(&file, &["path", "sheet", "cell", "pointer"], &VALUE)?;
                let path = home_path(file.path)?;
                let cell = file.cell.map(|cell| cell.to_ascii_uppercase());
                let pointer = pointer(file.pointer)?;
                let at = [file.sheet.as_deref(), cell.as_deref(), pointer.as_deref()];
                let at = at.into_iter().flatten().collect::<Vec<_>>().join(" ");
                let what = format!("sheet ~/{path} {at} {words}");
                let test = OnDesktop::Sheet { path, sheet: file.sheet, cell, pointer, conditions: one()? };
                (what, Test::Desktop(test))
            }
            KindFile::Document => {
                allow(&file, &["path", "pointer"], &VALUE)?;
                let path = home_path(file.path)?;
                let pointer = pointer(file.pointer)?;
                let what = format!("document ~/{path} {} {words}", pointer.as_deref().unwrap_or("texts"));
                (what, Test::Desktop(OnDesktop::Document { path, pointer, conditions: one()? }))
            }
            KindFile::Setting => {
                allow(&file, &["schema", "key"], &VALUE)?;
                let (schema, key) = (need("schema", file.schema)?, need("key", file.key)?);
                let name =
                    |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-./:_".contains(c));
                if let Some(bad) = [&schema, &key].into_iter().find(|text| !name(text)) {
                    return Err(Problem::new("", format!("'{bad}' is no name of a setting")));
                }
                let what = format!("setting {schema} {key} {words}");
                (what, Test::Desktop(OnDesktop::Setting { schema, key, conditions: one()? }))
            }
            KindFile::Window => {
                allow(&file, &["program", "name", "count"], &[&TEXT[..], &["absent"]].concat())?;
                let count = file.count.as_ref().map(|count| whole("count", count)).transpose()?;
                let title = file.name.as_deref().map(glob_regex).transpose()?;
                let of = [file.program.as_deref(), file.name.as_deref()];
                let of = of.into_iter().flatten().collect::<Vec<_>>().join(" ");
                let mut what = format!("window {of} {words}").trim_end().to_owned();
                match count {
                    Some(count) => what.push_str(&format!(", exactly {count}")),
                    None if conditions.is_empty() => what.push_str(" is open"),
                    None => {}
                }
                let test = OnDesktop::Window { program: file.program, title, count, conditions };
                (what, Test::Desktop(test))
            }
            KindFile::Element => {
                allow(&file, &["role", "name", "pointer"], &VALUE)?;
                let name = file.name.as_deref().map(glob_regex).transpose()?;
                if name.is_none() && file.role.is_none() {
                    return Err(Problem::new("", "an element needs 'role' or 'name'"));
                }
                let pointer = pointer(file.pointer)?;
                let of = [file.role.as_deref(), file.name.as_deref(), pointer.as_deref()];
                let of = of.into_iter().flatten().collect::<Vec<_>>().join(" ");
                let what = format!("element {of} {}", if words.is_empty() { "is there" } else { &words });
                let test = OnDesktop::Element { role: file.role, name, pointer, conditions };
                (what, Test::Desktop(test))
            }
        };
        Ok(Self { what, test })
    }
}

/// A path below HOME.
fn home_path(path: Option<String>) -> Result<String, Problem> {
    let path = need("path", path)?;
    if is_below_home(&path) {
        return Ok(path);
    }
    Err(Problem::new("path", format!("'{path}' must be below HOME, without a slash at its start and '..'")))
}

/// Whether a path stays below HOME.
pub(super) fn is_below_home(path: &str) -> bool {
    use std::path::Component;
    !path.is_empty() && std::path::Path::new(path).components().all(|c| matches!(c, Component::Normal(_)))
}

fn pointer(pointer: Option<String>) -> Result<Option<String>, Problem> {
    match pointer.filter(|pointer| !pointer.is_empty()) {
        Some(pointer) if !pointer.starts_with('/') => {
            Err(Problem::new("pointer", format!("'{pointer}' must begin with '/'")))
        }
        pointer => Ok(pointer),
    }
}

fn request(file: CheckFile) -> Result<(String, Test), Problem> {
    allow(&file, &["method", "path", "count", "body"], &[])?;
    let path = need("path", file.path)?;
    if !path.starts_with('/') {
        return Err(Problem::new("path", format!("'{path}' must begin with '/'")));
    }
    let count = file.count.as_ref().map(|count| whole("count", count)).transpose()?;
    let mut what = format!("request {} {path}", file.method.as_deref().unwrap_or("of any method"));
    if let Some(body) = &file.body {
        what.push_str(&format!(" with {body}"));
    }
    match count {
        Some(count) => what.push_str(&format!(", exactly {count}")),
        None => what.push_str(", at least 1"),
    }
    let method = file.method.map(|method| method.to_ascii_uppercase());
    Ok((what, Test::Request { method, path, body: file.body, count }))
}

fn answer(file: &CheckFile) -> Result<(String, Test), Problem> {
    allow(file, &["equals", "one_of", "number", "list", "tolerance"], &[])?;
    let texts = |list: &[Value]| list.iter().map(plain).collect::<Vec<String>>();
    let right = match (&file.equals, &file.one_of, &file.number, &file.list) {
        (Some(one), None, None, None) => Right::OneOf(vec![plain(one)]),
        (None, Some(some), None, None) if !some.is_empty() => Right::OneOf(texts(some)),
        (None, None, Some(n), None) => {
            let tolerance = file.tolerance.as_ref().map_or(Ok(0.0), |t| number("tolerance", t))?;
            Right::Number { right: number("number", n)?, tolerance }
        }
        (None, None, None, Some(list)) => Right::List(texts(list)),
        _ => return Err(Problem::new("", "an answer check needs one of equals, one_of, number, list")),
    };
    let what = match &right {
        Right::OneOf(some) => format!("answer is {}", some.join(" or ")),
        Right::Number { right, tolerance } => format!("answer is {right} within {tolerance}"),
        Right::List(list) => format!("answer lists {}", list.join(", ")),
    };
    Ok((what, Test::Answer(right)))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn need(field: &str, value: Option<String>) -> Result<String, Problem> {
    value.ok_or_else(|| Problem::new("", format!("the field '{field}' is missing")))
}

fn allow(file: &CheckFile, own: &[&str], conditions: &[&str]) -> Result<(), Problem> {
    let known: Vec<&str> = own.iter().chain(conditions).copied().collect();
    match file.given().into_iter().find(|field| !known.contains(field)) {
        None => Ok(()),
        Some(field) => {
            let message = format!("a check of this kind has no '{field}'; {}", suggest(field, &known));
            Err(Problem::new(field, message))
        }
    }
}

/// `*` is any run of characters, `?` any one; all else is itself.
pub(super) fn glob_regex(glob: &str) -> Result<Regex, Problem> {
    let pattern: String = glob
        .chars()
        .map(|c| match c {
            '*' => ".*".to_owned(),
            '?' => ".".to_owned(),
            c => regex::escape(&c.to_string()),
        })
        .collect();
    regex("name", &format!("^(?s:{pattern})$"))
}
