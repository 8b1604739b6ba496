//! Regular expressions as Python's `re` reads them.

use fancy_regex::{Regex, RegexBuilder};

use crate::fault::{OsworldFault, Result};

/// Steps of backtracking that a search may take: a pattern of a task file must not hang a run.
const BACKTRACKS: usize = 5_000_000;

/// Compiles a pattern of Python's, with the letters of its flags (`"IM"` for `re.I | re.M`; long names
/// are one flag each).
pub(crate) fn compile(pattern: &str, flags: &[&str]) -> Result<Regex> {
    let mut letters = String::new();
    let mut multi_line = false;
    for flag in flags {
        match *flag {
            "I" | "IGNORECASE" => letters.push('i'),
            "M" | "MULTILINE" => {
                letters.push('m');
                multi_line = true;
            }
            "S" | "DOTALL" => letters.push('s'),
            "X" | "VERBOSE" => letters.push('x'),
            // Unicode classes are the default in both.
            "U" | "UNICODE" => {}
            other => return Err(OsworldFault::Raised(format!("re has no flag '{other}'"))),
        }
    }
    let head = if letters.is_empty() { String::new() } else { format!("(?{letters})") };
    let translated = format!("{head}{}", translate(pattern, multi_line));
    RegexBuilder::new(&translated)
        .backtrack_limit(BACKTRACKS)
        .build()
        .map_err(|e| OsworldFault::Raised(format!("pattern '{pattern}': {e}")))
}

/// `re.search(pattern, text) is not None`.
pub fn search(pattern: &str, text: &str) -> Result<bool> {
    matches(&compile(pattern, &[])?, text)
}

pub fn matches(pattern: &Regex, text: &str) -> Result<bool> {
    pattern.is_match(text).map_err(|e| OsworldFault::Raised(format!("pattern '{pattern}': {e}")))
}

/// Rewrites what Rust's expressions read otherwise: `$` also holds before a last line break, `\Z` is the
/// very end, and a bracket in a class is itself.
fn translate(pattern: &str, multi_line: bool) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars().peekable();
    let mut class = 0_usize;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('Z') if class == 0 => out.push_str("\\z"),
                Some(c) if needs_no_escape(c) => out.push(c),
                Some(c) => {
                    out.push('\\');
                    out.push(c);
                }
                None => out.push('\\'),
            },
            '[' if class == 0 => {
                class = 1;
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.extend(chars.next());
                }
                if chars.peek() == Some(&']') {
                    chars.next();
                    out.push_str("\\]");
                }
            }
            '[' => out.push_str("\\["),
            ']' if class > 0 => {
                class = 0;
                out.push(']');
            }
            '&' | '~' if class > 0 && chars.peek() == Some(&c) => {
                out.push('\\');
                out.push(c);
            }
            '$' if class == 0 && !multi_line => out.push_str("(?=\\n?\\z)"),
            c => out.push(c),
        }
    }
    out
}

/// Characters that Python lets one escape for no reason, and that Rust refuses.
fn needs_no_escape(c: char) -> bool {
    matches!(c, '"' | '\'' | ',' | ';' | '=' | ':' | '!' | '@' | '%' | '`' | '/' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pythons_patterns_are_understood() {
        assert!(search(r"(?P<year>\d{4})-(?P=year)", "2024-2024").unwrap());
        assert!(search(r"a(?!b)", "ac").unwrap());
        assert!(search("\\\"x\\'", "\"x'").unwrap());
        assert!(search(r"https://\w+\.com\/a", "https://site.com/a").unwrap());
        assert!(search("[[]", "[").unwrap());
        assert!(search("[]a]+", "]").unwrap());
        assert!(matches(&compile("ABC", &["I"]).unwrap(), "xabc").unwrap());
        assert!(matches(&compile("^b$", &["M", "I"]).unwrap(), "a\nB\nc").unwrap());
        assert!(matches!(search("(", "x"), Err(OsworldFault::Raised(_))));
        assert!(search("b$", "ab\n").unwrap());
        assert!(search("b$", "ab").unwrap());
        assert!(!search("b$", "b\nc").unwrap());
        assert!(!search(r"b\Z", "ab\n").unwrap());
        assert!(search("[$]", "a$").unwrap());
    }
}
