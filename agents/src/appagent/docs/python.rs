//! AppAgent's documentation files: the `repr` of a Python dict with five keys.
//!
//! The reader takes what Python's `ast.literal_eval` takes of that shape: both kinds of quotes, tripled
//! ones, every string escape but `\N{...}`, neighbouring strings, blanks, comments, a comma at the end.
//! The writer gives what Python's `str(dict)` gives, byte for byte.

use super::{Slot, Slots};
use crate::python::{self, repr};

/// A file that is not a documentation of AppAgent's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no AppAgent documentation, at byte {at}: {message}")]
pub struct BadDoc {
    /// Where, in bytes from the beginning.
    pub at: usize,
    pub message: String,
}

/// Reads a file. Keys that are missing are empty; `None` for a text counts as empty.
pub fn read(text: &str) -> Result<Slots, BadDoc> {
    let mut reader = Reader { text: text.strip_prefix('\u{feff}').unwrap_or(text), at: 0 };
    let mut slots = Slots::default();
    reader.expect('{')?;
    loop {
        reader.blanks();
        if reader.take('}') {
            break;
        }
        let key = reader.string()?;
        let Some(slot) = Slot::ALL.into_iter().find(|s| s.name() == key) else {
            return Err(reader.bad(format!("'{key}' is none of tap, text, v_swipe, h_swipe, long_press")));
        };
        reader.expect(':')?;
        reader.blanks();
        if reader.rest().starts_with("None") {
            reader.at += 4;
        } else {
            let value = reader.string()?;
            slots.set(slot, value);
        }
        reader.blanks();
        if !reader.take(',') {
            reader.expect('}')?;
            break;
        }
    }
    reader.blanks();
    if reader.rest().is_empty() { Ok(slots) } else { Err(reader.bad("something follows the dict".into())) }
}

pub fn write(slots: &Slots) -> String {
    let pairs: Vec<String> = Slot::ALL
        .into_iter()
        .map(|slot| format!("{}: {}", repr(slot.name()), repr(slots.get(slot))))
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn bad(&self, message: String) -> BadDoc {
        BadDoc { at: self.at, message }
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn expect(&mut self, c: char) -> Result<(), BadDoc> {
        self.blanks();
        if self.take(c) { Ok(()) } else { Err(self.bad(format!("'{c}' is missing"))) }
    }

    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
            let skipped = rest.len() - trimmed.len();
            let comment =
                if trimmed.starts_with('#') { trimmed.find('\n').unwrap_or(trimmed.len()) } else { 0 };
            if skipped + comment == 0 {
                return;
            }
            self.at += skipped + comment;
        }
    }

    /// A string, and those that stand right behind it.
    fn string(&mut self) -> Result<String, BadDoc> {
        self.blanks();
        let mut out = String::new();
        self.one(&mut out)?;
        loop {
            self.blanks();
            let rest = self.rest();
            let quoted = rest.trim_start_matches(['u', 'U', 'r', 'R']);
            if rest.len() - quoted.len() <= 1 && quoted.starts_with(['\'', '"']) {
                self.one(&mut out)?;
            } else {
                return Ok(out);
            }
        }
    }

    fn one(&mut self, out: &mut String) -> Result<(), BadDoc> {
        let read = python::string(self.rest())
            .map_err(|bad| BadDoc { at: self.at + bad.at, message: bad.message })?;
        self.at += read.len;
        out.push_str(&read.text);
        Ok(())
    }
}

#[cfg(test)]
#[path = "python_tests.rs"]
mod tests;
