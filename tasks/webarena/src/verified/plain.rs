//! Texts, numbers and patterns as the package's Python takes them.

use std::sync::LazyLock;

use fancy_regex::Regex;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use waldo_agents::python::{repr_float, str_of};

use super::places::Places;
use crate::fault::{Result, WebarenaFault};

/// What becomes a blank beside a letter: "on-line" is "on line", "123-4567" stays.
const HYPHENS: &str = "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{ad}";
/// Marks that say nothing about a name.
const MARKS: [char; 4] = ['™', '®', '℠', '©'];
/// How the original's transliteration writes characters that are no letter with a mark. Others are refused.
const AS_ASCII: &str = "‐‒–−←→↔ - —― -- ‘’‛′ ' “”‟ \" ‚ , „ ,, † + ‡ ++ •·●○ * ⁄÷ / ‹◀ < ›▶ > « << » >> € EUR £ PS ¥ Y= ¢ C/ ₹ Rs × x \
                        ± +- ≤ <= ≥ >= ⇒ = ■□ # ° deg ¿ ? ¡¬ ! ¦↑↓ | §ẞ SS ¶ P ß ss Æ AE æ ae Œ OE œ oe Ø O ø o ĐÐ D đð d Þ Th þ th Ł L \
                        ł l Ħ H ħ h ı i";
/// Characters that it drops.
const DROPPED: &str = "≈≠✓✔✗★☆☎∞√\u{fe0f}";

/// Whether a text stands for all that a pattern matches.
pub(super) fn is_pattern(text: &str) -> bool {
    text.starts_with('^') && text.ends_with('$')
}

/// A text as most types compare it: without addresses, marks, accents and capital letters.
///
/// # Errors
/// [`WebarenaFault::Refused`] for characters whose transliteration is not known here.
pub(super) fn plain(text: &str, places: Option<&Places>) -> Result<String> {
    static CONTROL: LazyLock<Option<regex::Regex>> = LazyLock::new(|| regex::Regex::new(r"^\p{C}$").ok());
    if text.is_empty() || is_pattern(text) {
        return Ok(text.to_owned());
    }
    let derendered = places.filter(|_| text.contains("http")).and_then(|places| places.derender(text));
    let text = derendered.as_deref().unwrap_or(text);
    let chars: Vec<char> = text.chars().filter(|c| !MARKS.contains(c)).nfkc().collect();
    let mut out = String::with_capacity(text.len());
    for (at, &c) in chars.iter().enumerate() {
        let letter =
            |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_alphabetic);
        match c {
            c if HYPHENS.contains(c) && (letter(at.checked_sub(1)) || letter(Some(at + 1))) => out.push(' '),
            '\t' | '\n' | '\r' | '\u{2028}' => out.push(' '),
            ' '..='~' => out.push(c),
            c if CONTROL.as_ref().is_some_and(|control| control.is_match(c.encode_utf8(&mut [0; 4]))) => {}
            c => push_ascii(c, &mut out)?,
        }
    }
    Ok(out.split_ascii_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase())
}

fn push_ascii(c: char, out: &mut String) -> Result<()> {
    let known = |c: char| AS_ASCII.split(' ').skip_while(|from| !from.contains(c)).nth(1);
    match c {
        c if DROPPED.contains(c)
            || ('\u{1f300}'..='\u{1f64f}').contains(&c)
            || ('\u{1f680}'..='\u{1faff}').contains(&c) => {}
        c if known(c).is_some() => out.push_str(known(c).unwrap_or_default()),
        '\u{a0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{362}' => {
            for part in std::iter::once(c).nfd().filter(|part| !('\u{300}'..='\u{362}').contains(part)) {
                match known(part) {
                    _ if part.is_ascii() => out.push(part),
                    Some(to) => out.push_str(to),
                    None => return Err(WebarenaFault::refused(format!("how '{c}' is written in ASCII"))),
                }
            }
        }
        c => return Err(WebarenaFault::refused(format!("how '{c}' is written in ASCII"))),
    }
    Ok(())
}

/// That a value is none of these.
pub(super) fn raised<T>(what: &str, value: &Value) -> Result<T> {
    Err(WebarenaFault::raised(format!("{value} is no {what}")))
}

/// `str(value)` of a value of JSON.
pub(super) fn text_of(value: &Value) -> String {
    str_of(value, repr_float)
}

/// `json.loads`: `None` for what is no JSON.
///
/// # Errors
/// [`WebarenaFault::Refused`] for what only Python takes for JSON, such as `NaN`.
pub(super) fn json(text: &str) -> Result<Option<Value>> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            let message = error.to_string();
            let other = ["out of range", "recursion", "surrogate", "hex escape"];
            let only_python = ["NaN", "Infinity"].iter().any(|word| text.contains(word))
                || other.iter().any(|word| message.contains(word));
            match only_python {
                true => Err(WebarenaFault::refused(format!("what Python reads here: {message}"))),
                false => Ok(None),
            }
        }
    }
}

/// How a pattern is held against a text.
#[derive(Clone, Copy)]
pub(super) enum Held {
    /// At the beginning.
    Start,
    /// All of it; capital letters do not matter.
    AllIgnoringCase,
    /// All of it; a point is also the end of a line.
    AllDotAll,
    Anywhere,
    AnywhereIgnoringCase,
}

/// Whether a pattern of Python's `re` matches.
///
/// # Errors
/// [`WebarenaFault::Refused`] for syntax that may mean something else here, and for what takes too long.
pub(super) fn matches(pattern: &str, text: &str, held: Held) -> Result<bool> {
    let refused = |why: &str| WebarenaFault::refused(format!("what the pattern '{pattern}' matches ({why})"));
    check_syntax(pattern).map_err(refused)?;
    if text.ends_with('\n') {
        return Err(refused("the text ends with a line's end"));
    }
    let pattern = match held {
        Held::Start => format!(r"\A(?:{pattern})"),
        Held::AllIgnoringCase => format!(r"(?i)\A(?:{pattern})\z"),
        Held::AllDotAll => format!(r"(?s)\A(?:{pattern})\z"),
        Held::Anywhere => pattern.to_owned(),
        Held::AnywhereIgnoringCase => format!("(?i){pattern}"),
    };
    let regex = Regex::new(&pattern).map_err(|error| refused(&error.to_string()))?;
    regex.is_match(text).map_err(|error| refused(&error.to_string()))
}

fn check_syntax(pattern: &str) -> Result<(), &'static str> {
    let mut rest = pattern.chars().peekable();
    let (mut in_class, mut after_repeat) = (false, false);
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let repeated = std::mem::take(&mut after_repeat);
        match c {
            '\\' => match rest.next() {
                Some('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 't' | 'r') => {}
                Some('b' | 'B') if !in_class => {}
                Some(c) if c.is_ascii_alphanumeric() => return Err("an escape"),
                None => return Err("it ends in an escape"),
                Some(_) => {}
            },
            ']' => in_class = false,
            '[' if in_class => return Err("a bracket in a class"),
            '[' => in_class = true,
            '&' | '~' | '-' if in_class && next == Some(c) => return Err("a doubled sign in a class"),
            '(' if !in_class && next == Some('?') => {
                rest.next();
                match rest.next() {
                    Some(':' | '=' | '!') => {}
                    Some('<') if matches!(rest.peek(), Some('=' | '!')) => {}
                    _ => return Err("a group"),
                }
            }
            '+' if repeated => return Err("a possessive quantifier"),
            '*' | '+' | '?' | '}' if !in_class => after_repeat = true,
            _ => {}
        }
    }
    Ok(())
}

/// What Base64 holds; bits that are left over do not matter.
pub(super) fn base64_bytes(text: &str, for_addresses: bool) -> Option<Vec<u8>> {
    let mut spec = match for_addresses {
        true => data_encoding::BASE64URL_NOPAD.specification(),
        false => data_encoding::BASE64_NOPAD.specification(),
    };
    spec.check_trailing_bits = false;
    let bare = text.trim_end_matches('=');
    let padding = text.len() - bare.len();
    // In an address what is missing of the padding is put there.
    let fits = for_addresses || (text.len().is_multiple_of(4) && padding <= 2);
    spec.encoding().ok()?.decode(bare.as_bytes()).ok().filter(|_| fits)
}
