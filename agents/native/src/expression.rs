//! Calls written as expressions: `click(start_box='(10,20)')`, `pyautogui.hotkey('ctrl', 'c')`.
//!
//! The grammar is that part of Python's which such replies use. Where a reply breaks it, a call is read once more by its
//! brackets and the names of its arguments, for models leave quotes unescaped.

use serde_json::{Map, Number, Value};

use crate::call::Call;

/// How deep lists may lie within lists.
const DEPTH: usize = 8;

/// The calls of a text, one after the other; what stands between them is left out.
pub(crate) fn calls(text: &str) -> Result<Vec<Call>, String> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '`');
        if rest.is_empty() {
            break;
        }
        let line = rest.split('\n').next().unwrap_or_default();
        if head(rest).is_some() {
            let mut reader = Reader { text: rest, at: 0 };
            match reader.call() {
                Ok(call) if reader.ends_well() => {
                    out.push(call);
                    rest = &rest[reader.at..];
                    continue;
                }
                strict => {
                    // A call may go on over lines; the next that begins one ends it.
                    let end = next_call(rest);
                    match loose(&rest[..end]).or(strict.ok()) {
                        Some(call) => out.push(call),
                        None => return Err(format!("the call '{}' cannot be read", short(line))),
                    }
                    rest = &rest[end..];
                    continue;
                }
            }
        }
        if is_word(line.trim()) {
            out.push(Call::bare(line.trim()));
        }
        rest = &rest[line.len()..];
    }
    if out.is_empty() { Err("there is no call of an action in it".to_owned()) } else { Ok(out) }
}

pub(crate) fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

/// A name in capitals that stands alone: `DONE`.
fn is_word(line: &str) -> bool {
    line.len() > 1 && line.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// The name of a call that a text begins with, up to its bracket.
fn head(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))?;
    let name = &text[..end];
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && text[end..].starts_with('(')).then_some(name)
}

fn next_call(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && head(line.trim_start()).is_some() {
            return at;
        }
        at += line.len();
    }
    text.len()
}

fn loose(text: &str) -> Option<Call> {
    let name = head(text)?;
    let inner = text.get(name.len() + 1..)?.trim_end().trim_end_matches('`').trim_end();
    let inner = inner.strip_suffix(')').unwrap_or(inner);
    let mut call = Call::bare(name);
    for part in arguments(inner) {
        let named = part.split_once('=').filter(|(name, _)| {
            !name.trim().is_empty() && name.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let (name, written) = named.map_or((None, part), |(name, value)| (Some(name.trim()), value));
        let value = loose_value(written.trim())?;
        match name {
            Some(name) => {
                call.named.insert(name.to_owned(), value);
            }
            None if part.trim().is_empty() => {}
            None => call.positional.push(value),
        }
    }
    Some(call)
}

/// Parts of an argument list, cut before each `, name=`.
fn arguments(inner: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, _) in inner.match_indices(',') {
        let after = inner[at + 1..].trim_start();
        let name = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(0);
        if name > 0 && after[name..].trim_start().starts_with('=') {
            out.push(&inner[from..at]);
            from = at + 1;
        }
    }
    out.push(&inner[from..]);
    out
}

fn loose_value(written: &str) -> Option<Value> {
    let quote = written.chars().next().filter(|c| matches!(c, '\'' | '"'));
    if let Some(quote) = quote {
        let inner = &written[1..];
        let inner = inner.strip_suffix(quote).unwrap_or(inner);
        return Some(Value::String(unescape(inner)));
    }
    let mut reader = Reader { text: written, at: 0 };
    match reader.value(0) {
        Ok(value) if reader.rest().trim().is_empty() => Some(value),
        _ => Some(Value::String(written.to_owned())),
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(c @ ('\\' | '\'' | '"')) => out.push(c),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, sign: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn ends_well(&self) -> bool {
        let rest = self.rest().trim_start_matches([' ', '\t', '\r']);
        rest.is_empty() || rest.starts_with(['\n', ';', '#', '`', '<'])
    }

    fn call(&mut self) -> Result<Call, String> {
        let name = head(self.rest()).ok_or("a name and a bracket are missing")?;
        let mut call = Call::bare(name);
        self.at += name.len() + 1;
        loop {
            self.blanks();
            if self.take(")") || self.rest().is_empty() {
                return Ok(call);
            }
            match self.name_before_sign() {
                Some(name) => {
                    let value = self.value(0)?;
                    call.named.insert(name.to_owned(), value);
                }
                None => {
                    let value = self.value(0)?;
                    call.positional.push(value);
                }
            }
            if !self.take(",")
                && !self.rest().trim_start().is_empty()
                && !self.rest().trim_start().starts_with(')')
            {
                return Err("a comma is missing".to_owned());
            }
        }
    }

    fn name_before_sign(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        let after = rest[end..].trim_start();
        if end == 0 || !after.starts_with('=') || after.starts_with("==") {
            return None;
        }
        self.at += rest.len() - after.len() + 1;
        Some(&rest[..end])
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH {
            return Err("lists lie too deep within lists".to_owned());
        }
        self.blanks();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Err("a value is missing".to_owned()) };
        match first {
            '\'' | '"' => self.string(first).map(Value::String),
            '[' | '(' => {
                self.at += 1;
                let close = if first == '[' { "]" } else { ")" };
                let mut all = Vec::new();
                while !self.take(close) {
                    all.push(self.value(depth + 1)?);
                    if !self.take(",") && !self.rest().trim_start().starts_with(close) {
                        return Err("a list has no end".to_owned());
                    }
                }
                Ok(Value::Array(all))
            }
            // A place in a model's own signs, without quotes.
            '<' => {
                let end = ["</point>", "<|box_end|>", "</bbox>"]
                    .iter()
                    .find_map(|end| rest.find(end).map(|at| at + end.len()))
                    .ok_or("a sign has no end")?;
                self.at += end;
                Ok(Value::String(rest[..end].to_owned()))
            }
            '-' | '+' | '.' | '0'..='9' => self.number(),
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
                    .unwrap_or(rest.len());
                let word = &rest[..end];
                if end == 1 && rest[1..].starts_with(['\'', '"']) {
                    self.at += 1;
                    return self.value(depth + 1);
                }
                self.at += end;
                Ok(match word {
                    "True" | "true" => Value::Bool(true),
                    "False" | "false" => Value::Bool(false),
                    "None" | "null" => Value::Null,
                    other => Value::String(other.to_owned()),
                })
            }
            other => Err(format!("'{other}' begins no value")),
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|(at, c)| {
                !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E') || *at == 0 && matches!(c, '-' | '+'))
            })
            .map_or(rest.len(), |(at, _)| at);
        let written = rest[..end].trim_start_matches('+');
        let value = match written.parse::<i64>() {
            Ok(whole) => Some(Value::from(whole)),
            Err(_) => written.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number),
        };
        self.at += end;
        value.ok_or_else(|| format!("'{}' is not a number", short(written)))
    }

    fn string(&mut self, quote: char) -> Result<String, String> {
        let rest = self.rest();
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        if let Some(inner) = rest.strip_prefix(&triple) {
            let end = inner.find(&triple).ok_or("a text has no end")?;
            self.at += end + 6;
            return Ok(unescape(&inner[..end]));
        }
        let inner = &rest[1..];
        let mut escaped = false;
        for (at, c) in inner.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.at += at + 2;
                    return Ok(unescape(&inner[..at]));
                }
                _ => {}
            }
        }
        Err("a text has no end".to_owned())
    }
}

pub(crate) fn of_json(name: &str, named: Map<String, Value>) -> Call {
    Call { name: name.to_owned(), positional: Vec::new(), named }
}

#[cfg(test)]
#[path = "expression_tests.rs"]
mod tests;
