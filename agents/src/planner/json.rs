//! Finds the JSON object in a reply, and reads it although it is not quite JSON.
//!
//! Accepted beside JSON: text and code fences around it, comments, commas too many or too few, single
//! quotes, bare keys, Python's words, raw line breaks and bare quotation marks in texts. Each mend is noted.
//! Refused with the reason: no object, two that differ, one that is cut off.

use serde_json::{Map, Value};

/// How deep an object may nest.
const DEPTH: usize = 64;
/// At how many places an object is looked for.
const PLACES: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParsedObject {
    pub(crate) value: Map<String, Value>,
    pub(crate) repairs: Vec<String>,
}

/// The one object of a reply that has `key`; where none has it, the one object that there is.
pub(crate) fn object(reply: &str, key: &str) -> Result<ParsedObject, String> {
    let text = without_thinking(reply);
    let (all, trouble) = objects(text);
    let around = all.iter().map(|(_, end)| *end).max().is_some_and(|_| !is_bare(text));
    let mut with: Vec<ParsedObject> = Vec::new();
    let mut without: Vec<ParsedObject> = Vec::new();
    for (mut found, _) in all {
        if !found.value.contains_key(key)
            && let Some(Value::Object(inner)) = found.value.values().find(|v| v.get(key).is_some()).cloned()
        {
            note(&mut found.repairs, "wrapped in another object");
            found.value = inner;
        }
        let list = if found.value.contains_key(key) { &mut with } else { &mut without };
        if !list.iter().any(|known| known.value == found.value) {
            list.push(found);
        }
    }
    let mut chosen = if with.is_empty() { without } else { with };
    match chosen.len() {
        0 => Err(match trouble {
            Some(trouble) => format!("the answer holds no JSON object that can be read ({trouble})"),
            None => "the answer holds no JSON object".to_owned(),
        }),
        1 => {
            let mut found = chosen.remove(0);
            if around {
                note(&mut found.repairs, "text around the JSON");
            }
            Ok(found)
        }
        n => Err(format!("the answer holds {n} different JSON objects where one is wanted")),
    }
}

fn is_bare(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('{') && text.ends_with('}')
}

/// Leaves out what a reasoning model says before its answer.
fn without_thinking(reply: &str) -> &str {
    match reply.rsplit_once("</think>") {
        Some((_, answer)) if !answer.trim().is_empty() => answer,
        _ => reply,
    }
}

/// All objects of a text that stand in no other, with their ends; and what first could not be read.
fn objects(text: &str) -> (Vec<(ParsedObject, usize)>, Option<String>) {
    let mut found = Vec::new();
    let mut trouble = None;
    let mut at = 0;
    for _ in 0..PLACES {
        let Some(start) = text.get(at..).and_then(|rest| rest.find('{')).map(|i| at + i) else { break };
        match object_at(&text[start..]) {
            Ok((object, len)) => {
                at = start + len;
                found.push((object, at));
            }
            Err(error) => {
                trouble.get_or_insert(error);
                at = start + 1;
            }
        }
    }
    (found, trouble)
}

fn object_at(text: &str) -> Result<(ParsedObject, usize), String> {
    let mut strict = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if let Some(Ok(Value::Object(value))) = strict.next() {
        return Ok((ParsedObject { value, repairs: Vec::new() }, strict.byte_offset()));
    }
    let mut reader = Reader { text, at: 0, repairs: Vec::new() };
    match reader.value(0)? {
        Value::Object(value) => Ok((ParsedObject { value, repairs: reader.repairs }, reader.at)),
        _ => Err("it is not an object".to_owned()),
    }
}

fn note(repairs: &mut Vec<String>, mend: &str) {
    if !repairs.iter().any(|known| known == mend) {
        repairs.push(mend.to_owned());
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    repairs: Vec<String>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn note(&mut self, mend: &str) {
        note(&mut self.repairs, mend);
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            let comment = if rest.starts_with("//") || rest.starts_with("# ") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |i| i + 2)
            } else {
                return;
            };
            self.at += comment;
            self.note("comments");
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH {
            return Err("it nests too deeply".to_owned());
        }
        self.skip();
        match self.peek() {
            None => Err("it is cut off".to_owned()),
            Some('{') => self.map(depth).map(Value::Object),
            Some('[') => self.list(depth).map(Value::Array),
            Some('"' | '\'' | '\u{201c}') => self.string().map(Value::String),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.word(),
            Some(c) => Err(format!("a value cannot begin with '{c}'")),
        }
    }

    fn map(&mut self, depth: usize) -> Result<Map<String, Value>, String> {
        self.next();
        let mut map = Map::new();
        while self.has_another('}')? {
            let key = self.key()?;
            self.skip();
            if self.next() != Some(':') {
                return Err(format!("the key '{key}' has no colon after it"));
            }
            let value = self.value(depth + 1)?;
            if map.insert(key, value).is_some() {
                self.note("a key that comes twice");
            }
            self.between('}')?;
        }
        Ok(map)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value>, String> {
        self.next();
        let mut list = Vec::new();
        while self.has_another(']')? {
            list.push(self.value(depth + 1)?);
            self.between(']')?;
        }
        Ok(list)
    }

    /// Goes on to the next member, or over the end; commas before it are too many.
    fn has_another(&mut self, end: char) -> Result<bool, String> {
        loop {
            self.skip();
            match self.peek() {
                None => return Err("it is cut off".to_owned()),
                Some(c) if c == end => {
                    self.next();
                    return Ok(false);
                }
                Some(',') => {
                    self.next();
                    self.note("commas");
                }
                Some(_) => return Ok(true),
            }
        }
    }

    /// What stands between two members: a comma, or none before the end.
    fn between(&mut self, end: char) -> Result<(), String> {
        self.skip();
        match self.peek() {
            None => Err("it is cut off".to_owned()),
            Some(',') => {
                self.next();
                self.skip();
                if self.peek() == Some(end) {
                    self.note("commas");
                }
                Ok(())
            }
            Some(c) if c == end => Ok(()),
            Some('"' | '\'' | '{' | '[' | '\u{201c}') => {
                self.note("commas");
                Ok(())
            }
            Some(c) => Err(format!("'{c}' stands where a comma or '{end}' should")),
        }
    }

    fn key(&mut self) -> Result<String, String> {
        if matches!(self.peek(), Some('"' | '\'' | '\u{201c}')) {
            return self.string();
        }
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(rest.len());
        if len == 0 {
            return Err(format!("a key cannot begin with '{}'", self.peek().unwrap_or(' ')));
        }
        let key = rest[..len].to_owned();
        self.at += len;
        self.note("keys without quotation marks");
        Ok(key)
    }

    fn string(&mut self) -> Result<String, String> {
        let close = match self.next() {
            Some('\u{201c}') => '\u{201d}',
            Some(c) => c,
            None => return Err("it is cut off".to_owned()),
        };
        if close != '"' {
            self.note("other quotation marks");
        }
        let mut out = String::new();
        loop {
            match self.next() {
                None => return Err("it is cut off within a text".to_owned()),
                Some('\\') => self.escape(&mut out)?,
                Some(c) if c == close => {
                    if self.ends_here() {
                        return Ok(out);
                    }
                    self.note("quotation marks within a text");
                    out.push(c);
                }
                Some(c) => {
                    if c.is_control() {
                        self.note("line breaks within a text");
                    }
                    out.push(c);
                }
            }
        }
    }

    /// Whether a quotation mark just read is the last of its text, by what follows it.
    fn ends_here(&self) -> bool {
        let rest = self.rest();
        let after = rest.trim_start();
        let blank = &rest[..rest.len() - after.len()];
        match after.chars().next() {
            None | Some(',' | ':' | '}' | ']' | '/' | '#') => true,
            Some(_) => blank.contains('\n'),
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), String> {
        match self.next() {
            None => return Err("it is cut off within a text".to_owned()),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some(c @ ('"' | '\\' | '/')) => out.push(c),
            Some('u') => {
                let unit = self.unit();
                let c = match unit {
                    Some(high @ 0xd800..=0xdbff) if self.rest().starts_with("\\u") => {
                        self.at += 2;
                        let low = self.unit().filter(|low| (0xdc00..=0xdfff).contains(low));
                        low.and_then(|low| char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)))
                    }
                    other => other.and_then(char::from_u32),
                };
                if c.is_none() {
                    self.note("escapes");
                }
                out.push(c.unwrap_or('\u{fffd}'));
            }
            Some(c) => {
                // `\'` and the like mean the character; anything else was a backslash meant as such.
                self.note("escapes");
                if c.is_alphanumeric() {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        Ok(())
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        let unit = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }

    fn number(&mut self) -> Result<Value, String> {
        let rest = self.rest();
        let of_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let len = rest.find(|c| !of_number(c)).unwrap_or(rest.len());
        let text = rest[..len].to_owned();
        self.at += len;
        if let Ok(whole) = text.trim_start_matches('+').parse::<i64>() {
            return Ok(whole.into());
        }
        let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
        number.map(Value::from).ok_or_else(|| format!("'{text}' is not a number"))
    }

    fn word(&mut self) -> Result<Value, String> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let word = rest[..len].to_owned();
        self.at += len;
        let value = match word.to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "none" | "undefined" => Value::Null,
            _ => {
                let shown: String = word.chars().take(40).collect();
                return Err(format!("the word '{shown}' is neither a text in quotation marks nor a value"));
            }
        };
        if !matches!(word.as_str(), "true" | "false" | "null") {
            self.note("words of another language");
        }
        Ok(value)
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
