//! Text as Python reads, splits and strips it.

use std::path::Path;

pub use waldo_agents::python::{is_space, strip};
use waldo_devices::foreign;

use crate::fault::{OsworldFault, Result};
use waldo_office::budget;

/// `text.split()`.
pub fn words(text: &str) -> Vec<&str> {
    text.split(is_space).filter(|word| !word.is_empty()).collect()
}

/// `text.strip(chars)`.
pub(crate) fn strip_chars<'a>(text: &'a str, chars: &str) -> &'a str {
    text.trim_matches(|c| chars.contains(c))
}

/// `re.sub(r"\s+", " ", text).strip()`.
pub(crate) fn one_spaced(text: &str) -> String {
    words(text).join(" ")
}

/// `text.splitlines()`.
pub(crate) fn splitlines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let breaks = matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        );
        if !breaks {
            continue;
        }
        lines.push(text.get(start..at).unwrap_or_default());
        start = at + c.len_utf8();
        if c == '\r' && matches!(chars.peek(), Some((_, '\n'))) {
            chars.next();
            start += 1;
        }
    }
    if start < text.len() {
        lines.push(text.get(start..).unwrap_or_default());
    }
    lines
}

/// The lines that iterating over a file gives: each with its line break, the last perhaps without.
pub(crate) fn file_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What text mode makes of line breaks.
pub(crate) fn universal(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// `open(path).read()`: UTF-8, line breaks made one kind.
pub fn read(path: &Path) -> Result<String> {
    let bytes = read_bytes(path)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(universal(&text)),
        Err(e) => Err(OsworldFault::Raised(format!("{} is not UTF-8: {e}", name(path)))),
    }
}

/// The bytes of a file.
///
/// # Errors
/// [`OsworldFault::Raised`] when it cannot be read. An archive may have held a link to anything, or a pipe.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    foreign::read_in_its_folder(path, foreign::LARGE_BYTES)
        .map_err(|e| OsworldFault::Raised(format!("{}: {e}", name(path))))
}

/// A file's name without its folder, for messages: episode folders differ from run to run.
pub fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `text.expandtabs(size)`.
pub(crate) fn expand_tabs(text: &str, size: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let fill = size - column % size;
                out.extend(std::iter::repeat_n(' ', fill));
                column += fill;
            }
            '\n' | '\r' => {
                out.push(c);
                column = 0;
            }
            c => {
                out.push(c);
                column += 1;
            }
        }
    }
    out
}

/// Characters that a pattern of file names may have.
const LONGEST_PATTERN: usize = 1_000;

/// `fnmatch.fnmatchcase(text, pattern)`.
pub(crate) fn fnmatch(text: &str, pattern: &str) -> bool {
    fn at(text: &[char], pattern: &[char]) -> bool {
        let Some((head, rest)) = pattern.split_first() else { return text.is_empty() };
        if !budget::goes_on() {
            return false;
        }
        match head {
            '*' => (0..=text.len()).any(|n| at(text.get(n..).unwrap_or_default(), rest)),
            '?' => text.split_first().is_some_and(|(_, text)| at(text, rest)),
            '[' => {
                let skip = usize::from(rest.first() == Some(&'!'));
                let from = skip + usize::from(rest.get(skip) == Some(&']'));
                let Some(len) = rest.iter().skip(from).position(|c| *c == ']') else {
                    return text.first() == Some(&'[') && at(text.get(1..).unwrap_or_default(), rest);
                };
                let end = from + len;
                let set = rest.get(skip..end).unwrap_or_default();
                text.split_first().is_some_and(|(c, text)| {
                    in_set(*c, set) != (skip == 1) && at(text, rest.get(end + 1..).unwrap_or_default())
                })
            }
            c => text.split_first().is_some_and(|(t, text)| t == c && at(text, rest)),
        }
    }
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    if pattern.len() > LONGEST_PATTERN {
        return budget::refuse("a pattern of file names of more than a thousand characters").unwrap_or(false);
    }
    at(&text, &pattern)
}

fn in_set(c: char, set: &[char]) -> bool {
    let mut i = 0;
    while let Some(&from) = set.get(i) {
        if set.get(i + 1) == Some(&'-')
            && let Some(&to) = set.get(i + 2)
        {
            if (from..=to).contains(&c) {
                return true;
            }
            i += 3;
            continue;
        }
        if from == c {
            return true;
        }
        i += 1;
    }
    false
}

/// `str.isdigit` of one character: decimal digits of all scripts, raised, lowered and encircled ones; no fractions
/// and no numbers of Rome.
pub(crate) fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    let other = matches!(c,
        '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{1369}'..='\u{1371}' | '\u{19da}' | '\u{2070}' | '\u{2074}'..='\u{2079}'
        | '\u{2080}'..='\u{2089}' | '\u{2460}'..='\u{2468}' | '\u{2474}'..='\u{247c}' | '\u{2488}'..='\u{2490}'
        | '\u{24ea}' | '\u{24f5}'..='\u{24fd}' | '\u{24ff}' | '\u{2776}'..='\u{277e}' | '\u{2780}'..='\u{2788}'
        | '\u{278a}'..='\u{2792}' | '\u{10a40}'..='\u{10a43}' | '\u{10e60}'..='\u{10e68}'
        | '\u{11052}'..='\u{1105a}' | '\u{1f100}'..='\u{1f10a}');
    let decimal = || {
        let mut buffer = [0; 4];
        regex::Regex::new(r"^\p{Nd}$").is_ok_and(|digit| digit.is_match(c.encode_utf8(&mut buffer)))
    };
    other || (c.is_numeric() && decimal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_blanks_digits_and_file_names_are_pythons() {
        assert_eq!(splitlines("a\r\nb\rc\nd\u{2028}e\u{b}f"), ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(splitlines("a\n\n"), ["a", ""]);
        assert!(splitlines("").is_empty());
        assert_eq!(file_lines("a\nb"), ["a\n", "b"]);
        assert_eq!(strip("\u{1c} a \u{a0}\n"), "a");
        assert_eq!(one_spaced(" a\t\n b "), "a b");
        assert_eq!(expand_tabs("a\tb\n\tc", 4), "a   b\n    c");
        assert!(fnmatch("en-US", "en-*"));
        assert!(fnmatch("en-US", "e[m-o]-??"));
        assert!(!fnmatch("en-US", "[!e]*"));
        assert!(fnmatch("", "*"));
        assert!(!fnmatch("En", "en"));
        let digits: String =
            "a7\u{b2}\u{663}\u{bd}\u{2167}\u{2461}\u{4e09}".chars().filter(|c| is_digit(*c)).collect();
        assert_eq!(digits, "7\u{b2}\u{663}\u{2461}");
    }
}
