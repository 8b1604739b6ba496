//! What is wrong in a file that a person wrote, and where.
//!
//! Duty: turn errors of serde, TOML and the loader's own rules into [`TaskError::Definition`] with
//! file, line and field. A rule names its field by path (`check[2].equals`); the line is looked up in
//! the file afterwards, so no shape has to carry positions.

use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::TaskError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field's path, such as `check[2].equals`; empty for the file as a whole.
    pub path: String,
    pub message: String,
}

impl Problem {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    pub fn below(self, parent: &str) -> Self {
        Self { path: join(parent, &self.path), message: self.message }
    }

    pub fn of_file(self, file: &str, text: &str) -> TaskError {
        let line = line_of_field(text, &self.path);
        let field = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        TaskError::Definition { file: file.to_owned(), line, field, message: self.message }
    }
}

/// `parent.child`, `parent[0]`, or whichever of both is not empty.
pub fn join(parent: &str, child: &str) -> String {
    match (parent.is_empty(), child.is_empty()) {
        (true, _) => child.to_owned(),
        (_, true) => parent.to_owned(),
        _ if child.starts_with('[') => format!("{parent}{child}"),
        _ => format!("{parent}.{child}"),
    }
}

/// Reads TOML as JSON, tables in the order of the file and dates as text.
pub fn parse_toml(file: &str, text: &str) -> Result<Value, TaskError> {
    text.parse::<toml::Table>().map(|table| to_json(toml::Value::Table(table))).map_err(|error| {
        TaskError::Definition {
            file: file.to_owned(),
            line: error.span().map_or(0, |span| line_at(text, span.start)),
            field: String::new(),
            message: error.message().replace('\n', ", "),
        }
    })
}

fn to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(n) => n.into(),
        toml::Value::Float(f) => f.into(),
        toml::Value::Boolean(b) => b.into(),
        toml::Value::Datetime(when) => Value::String(when.to_string()),
        toml::Value::Array(list) => list.into_iter().map(to_json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(k, v)| (k, to_json(v))).collect(),
    }
}

/// Reads a shape from JSON that came from TOML.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        explain(path, &error.into_inner().to_string())
    })
}

/// A problem from serde's words, which list every name and suggest none.
fn explain(path: String, message: &str) -> Problem {
    for what in ["field", "variant"] {
        let Some(rest) = message.strip_prefix(&format!("unknown {what} `")) else { continue };
        let Some((name, rest)) = rest.split_once('`') else { continue };
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        let at = if what == "field" && !path.ends_with(name) { join(&path, name) } else { path };
        let what = if what == "field" { "field" } else { "name" };
        return Problem::new(at, format!("unknown {what} '{name}'; {}", suggest(name, &known)));
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|m| m.strip_suffix('`')) {
        return Problem::new(path, format!("the field '{name}' is missing"));
    }
    if let Some((given, wanted)) =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "))
    {
        let number = matches!(wanted, "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" | "f32" | "f64");
        let quoted = given.strip_prefix("string \"").and_then(|rest| rest.strip_suffix('"'));
        let hint = match quoted.is_some_and(|text| text.parse::<f64>().is_ok()) && number {
            true => ": leave the quotes out",
            false => "",
        };
        return Problem::new(path, format!("it has to be {}, and is {given}{hint}", in_words(wanted)));
    }
    Problem::new(path, message)
}

/// A type of Rust's, as people call it.
fn in_words(wanted: &str) -> &str {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        "a string" => "a text in quotes",
        other => other,
    }
}

/// `did you mean 'x'?`, or all that are known when none is near.
pub fn suggest<S: AsRef<str>>(name: &str, known: &[S]) -> String {
    let all = known.iter().map(|known| (strsim::levenshtein(name, known.as_ref()), known.as_ref()));
    let near = all.min().filter(|(distance, known)| distance * 2 <= known.chars().count());
    match near {
        Some((_, near)) => format!("did you mean '{near}'?"),
        None if known.is_empty() => "none is known here".to_owned(),
        None => {
            let all: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
            format!("known are {}", all.join(", "))
        }
    }
}

/// The line of the field, or of the nearest part of its path that the file has; from 1.
fn line_of_field(text: &str, path: &str) -> usize {
    let Ok(root) = DeTable::parse(text) else { return 0 };
    let segments = segments(path);
    let mut segments = segments.iter();
    let Some(first) = segments.next() else { return 1 };
    let Some((key, mut here)) = entry(root.get_ref(), first) else { return 1 };
    let mut at = key.start;
    for segment in segments {
        match here.get_ref() {
            DeValue::Table(table) => {
                let Some((key, value)) = entry(table, segment) else { break };
                (at, here) = (key.start, value);
            }
            DeValue::Array(list) => {
                let Some(value) = segment.parse().ok().and_then(|n: usize| list.get(n)) else { break };
                (at, here) = (value.span().start, value);
            }
            _ => break,
        }
    }
    line_at(text, at)
}

fn entry<'t, 'i>(
    table: &'t DeTable<'i>,
    name: &str,
) -> Option<(std::ops::Range<usize>, &'t Spanned<DeValue<'i>>)> {
    table.iter().find(|(key, _)| key.get_ref().as_ref() == name).map(|(key, value)| (key.span(), value))
}

fn segments(path: &str) -> Vec<String> {
    path.split(['.', '[', ']']).filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
