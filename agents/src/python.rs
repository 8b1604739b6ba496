//! Strings and values as Python writes them: AppAgent's files hold them, and tasks of benchmarks compare them.

pub mod url;

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// What it says. Half a surrogate pair, which is not a character outside of Python, is U+FFFD.
    pub text: String,
    /// How many bytes it takes, prefix and quotes included.
    pub len: usize,
    /// Whether `text` is all of it: it has no half surrogate pair.
    pub is_whole: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadLiteral {
    /// Where, in bytes from the beginning.
    pub at: usize,
    pub message: String,
}

/// Reads the string literal that `text` begins with: any quotes, prefixes `r` and `u`, every escape but `\N{...}`.
pub fn string(text: &str) -> Result<Literal, BadLiteral> {
    let mut reader = Reader { text, at: 0, is_whole: true };
    let text = reader.literal()?;
    Ok(Literal { text, len: reader.at, is_whole: reader.is_whole })
}

pub fn repr(text: &str) -> String {
    // What `str.isprintable` refuses: controls, formats, unassigned and private characters, separators.
    static UNPRINTABLE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{C}\p{Z}]$").ok());
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    let mut buffer = [0; 4];
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            c if c.is_ascii()
                || UNPRINTABLE.as_ref().is_some_and(|r| r.is_match(c.encode_utf8(&mut buffer))) =>
            {
                let n = u32::from(c);
                // Writing to a String cannot fail.
                let _ = match n {
                    0..=0xff => write!(out, "\\x{n:02x}"),
                    0x100..=0xffff => write!(out, "\\u{n:04x}"),
                    _ => write!(out, "\\U{n:08x}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// Python's `repr` of a value; `float` writes numbers that are not whole.
pub fn repr_value(value: &Value, float: fn(f64) -> String) -> String {
    let of = |value: &Value| repr_value(value, float);
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => float(number),
            None => number.to_string(),
        },
        Value::String(text) => repr(text),
        Value::Array(items) => format!("[{}]", items.iter().map(of).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{}: {}", repr(name), of(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

/// `str(value)`; `float` writes numbers that are not whole.
pub fn str_of(value: &Value, float: fn(f64) -> String) -> String {
    value.as_str().map_or_else(|| repr_value(value, float), str::to_owned)
}

/// `repr(value)` of a float: the shortest digits that read back, with an exponent from 1e16 on and below
/// 1e-4.
pub fn repr_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{value:e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let power: i32 = power.parse().unwrap_or_default();
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", power.abs());
    }
    if value == value.trunc() { format!("{value:.1}") } else { format!("{value}") }
}

/// Whether `str.isspace` holds: Unicode's white space and the four separators of ASCII.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Whether Python takes a value for true.
pub fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::Object(all) => !all.is_empty(),
    }
}

/// The number that a value is to an operator: true and false are two.
pub fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(is) => Some(f64::from(u8::from(*is))),
        value => value.as_f64(),
    }
}

/// `float(text)`: blanks around it and the names of infinity and NaN are allowed.
pub fn parse_float(text: &str) -> Option<f64> {
    without_underscores(text)?.parse().ok()
}

/// `int(text)` in base 10, as far as it fits.
pub fn parse_int(text: &str) -> Option<i64> {
    without_underscores(text)?.parse().ok()
}

/// An underscore may stand between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let text = strip(text);
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let stray = bytes
        .iter()
        .enumerate()
        .any(|(at, b)| *b == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1))));
    (!stray).then(|| text.replace('_', ""))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    is_whole: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn bad(&self, message: impl Into<String>) -> BadLiteral {
        BadLiteral { at: self.at, message: message.into() }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn literal(&mut self) -> Result<String, BadLiteral> {
        let raw = self.take('r') || self.take('R');
        let _ = !raw && (self.take('u') || self.take('U'));
        let Some(quote) = self.rest().chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Err(self.bad("a string is missing"));
        };
        self.at += 1;
        let long = self.rest().starts_with(&String::from_iter([quote; 2]));
        if long {
            self.at += 2;
        }
        let end = if long { String::from_iter([quote; 3]) } else { quote.to_string() };
        let mut out = String::new();
        loop {
            if self.rest().starts_with(&end) {
                self.at += end.len();
                return Ok(out);
            }
            match self.next() {
                None => return Err(self.bad("the string does not end")),
                Some('\n' | '\r') if !long => return Err(self.bad("the string does not end on its line")),
                Some('\\') if raw => {
                    out.push('\\');
                    out.extend(self.next());
                }
                Some('\\') => self.escape(&mut out)?,
                Some(c) => out.push(c),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), BadLiteral> {
        let Some(c) = self.next() else { return Err(self.bad("the string does not end")) };
        let plain = match c {
            '\n' => return Ok(()),
            '\\' | '\'' | '"' => c,
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            'U' => self.hex(8)?,
            'N' => return Err(self.bad("\\N{...} is not read: write the character itself")),
            '0'..='7' => {
                let rest = self.rest();
                let more = rest.bytes().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let digits = format!("{c}{}", &rest[..more]);
                self.at += more;
                u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
            }
            // Python keeps what it does not know.
            other => {
                out.push('\\');
                other
            }
        };
        out.push(plain);
        Ok(())
    }

    fn hex(&mut self, digits: usize) -> Result<char, BadLiteral> {
        let code = self.rest().get(..digits).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = code.and_then(|d| u32::from_str_radix(d, 16).ok());
        let Some(code) = code.filter(|n| *n <= 0x10_ffff) else {
            return Err(self.bad(format!("an escape lacks its {digits} digits")));
        };
        self.at += digits;
        let c = char::from_u32(code);
        self.is_whole &= c.is_some();
        Ok(c.unwrap_or('\u{fffd}'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read_and_written_as_python_does() {
        for (source, text) in [
            (r"'a\'b' + 1", "a'b"),
            (r#""\x41\d\101\u00e9""#, "A\\dA\u{e9}"),
            (r"'''a'b''' ", "a'b"),
            (r"r'\n'", "\\n"),
            ("u'\u{e9}'", "\u{e9}"),
        ] {
            let read = string(source).unwrap();
            assert_eq!((read.text.as_str(), read.is_whole), (text, true), "{source}");
            assert_eq!(string(&repr(text)).unwrap().text, text);
        }
        assert_eq!(string("'ab' 'c'").unwrap().len, 4);
        assert!(!string(r"'\ud800'").unwrap().is_whole);
        for (bad, at) in [("1", 0), ("'a", 2), ("'a\n'", 3), (r"'\x4'", 3), (r"'\N{BULLET}'", 3), ("", 0)] {
            assert_eq!(string(bad).unwrap_err().at, at, "{bad}");
        }
        assert_eq!(repr("it's \u{200b}"), "\"it's \\u200b\"");
    }
}
