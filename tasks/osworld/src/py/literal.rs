//! Literals of Python's source: what `eval` makes of a printed list.

use serde_json::Value;
use waldo_agents::python;

/// A literal that stands alone; nothing where `text` is anything else. A tuple is read as a list.
///
/// Inside of lists only plain values are read, since a tuple inside is not what a list inside is.
pub fn parse(text: &str) -> Option<Value> {
    let mut at = Reader { rest: text.trim_start_matches([' ', '\t']).trim_end() };
    let first = at.value(true)?;
    if at.rest.is_empty() {
        return Some(first);
    }
    // A list without brackets is a tuple.
    let items = at.items(vec![first], None)?;
    at.rest.is_empty().then_some(Value::Array(items))
}

pub(crate) fn leading(text: &str) -> Option<(Value, &str)> {
    let mut at = Reader { rest: text };
    let value = at.value(true)?;
    Some((value, at.rest))
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, mark: char) -> bool {
        self.blanks();
        self.rest.strip_prefix(mark).inspect(|rest| self.rest = rest).is_some()
    }

    fn value(&mut self, outer: bool) -> Option<Value> {
        self.blanks();
        let first = self.rest.chars().next()?;
        match first {
            '[' if outer => {
                self.take('[');
                if self.take(']') {
                    return Some(Value::Array(Vec::new()));
                }
                let first = self.value(false)?;
                self.items(vec![first], Some(']')).map(Value::Array)
            }
            '(' if outer => {
                self.take('(');
                if self.take(')') {
                    return Some(Value::Array(Vec::new()));
                }
                let first = self.value(false)?;
                // Without a comma these are mere parentheses.
                if self.take(')') {
                    return Some(first);
                }
                self.items(vec![first], Some(')')).map(Value::Array)
            }
            '\'' | '"' => {
                let mut all = String::new();
                while self.rest.starts_with(['\'', '"']) {
                    let read = python::string(self.rest).ok().filter(|read| read.is_whole)?;
                    all.push_str(&read.text);
                    self.rest = self.rest.get(read.len..)?;
                    self.blanks();
                }
                Some(Value::String(all))
            }
            _ => self.word(),
        }
    }

    /// More values behind commas, up to `end`, or to the end of the text.
    fn items(&mut self, mut found: Vec<Value>, end: Option<char>) -> Option<Vec<Value>> {
        loop {
            if end.is_some_and(|end| self.take(end)) || end.is_none() && self.rest.trim().is_empty() {
                return Some(found);
            }
            if !self.take(',') {
                return None;
            }
            self.blanks();
            if end.map_or(self.rest.is_empty(), |end| self.rest.starts_with(end)) {
                continue;
            }
            found.push(self.value(false)?);
        }
    }

    fn word(&mut self) -> Option<Value> {
        let end = self.rest.find(|c: char| c.is_whitespace() || ",])".contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let digits = word.strip_prefix('-').unwrap_or(word);
        let value = match word {
            "None" => Value::Null,
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            _ if !digits.starts_with(|c: char| c.is_ascii_digit()) => return None,
            // A leading zero is a mistake in Python; JSON knows no other number either.
            _ => serde_json::from_str(word).ok()?,
        };
        self.rest = rest;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_are_read_as_python_reads_them() {
        for (text, value) in [
            ("['a', \"b\"]\n", json!(["a", "b"])),
            ("('a','b')", json!(["a", "b"])),
            ("('a')", json!("a")),
            ("('a',)", json!(["a"])),
            ("'a', 'b'", json!(["a", "b"])),
            (r"['a\'b', '\x41\d']", json!(["a'b", "A\\d"])),
            ("[1, 'a' 'b', None, True, -2.5,]", json!([1, "ab", null, true, -2.5])),
            ("[]", json!([])),
            ("['''a''']", json!(["a"])),
            (r"['\101\a']", json!(["A\u{7}"])),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for text in [
            "@as []",
            "",
            "['a'",
            "['a';]",
            "[['a']]",
            "[01]",
            "['a']+['b']",
            "['a'],,",
            "[,]",
            r"['\ud800']",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
