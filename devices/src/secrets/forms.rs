//! The forms in which a value shows up: as it is, and as addresses, pages, shells and programs write it.
//!
//! Every character may be written in each of its forms, whatever the others are written in, so that what is
//! encoded in parts is found as well. Nothing is decoded: what is found are places in the text as it is.

use std::fmt::Write as _;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use regex::{Regex, RegexBuilder};

/// Characters that are looked for in one piece; a longer value is found by its pieces.
const PIECE: usize = 64;
/// From this length on blanks between the characters do not hide a value: card numbers are shown in groups.
const GROUPED: usize = 8;
/// The fewest characters of a value that are hidden where a text was cut within it.
const CUT_LEAST: usize = 4;
/// The shortest text that may have been cut without a sign of it.
const CUT_TEXT: usize = 40;
/// The sign that escapes what follows it.
const ESCAPE: &str = r"(?:\\|%(?:25)*5c)";
/// Characters that are not seen.
const HIDDEN: &str = r"\u{ad}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}";

/// Finds one value.
#[derive(Debug)]
pub(super) struct SecretFinder {
    value: String,
    pieces: Vec<FormPattern>,
    /// Its bytes in base64 at each of the three places in a group of three.
    base64: Option<Regex>,
}

#[derive(Debug)]
struct FormPattern {
    whole: Regex,
    /// Its beginning, at the end of a text.
    cut: Option<Regex>,
}

impl SecretFinder {
    pub(super) fn new(value: &str) -> Self {
        // A screen's text loses the blanks around it.
        let core = match value.trim() {
            trimmed if trimmed.chars().count() >= CUT_LEAST => trimmed,
            _ => value,
        };
        let chars: Vec<char> = core.chars().collect();
        let last = chars.len().saturating_sub(PIECE);
        let mut starts: Vec<usize> = (0..chars.len()).step_by(PIECE).map(|start| start.min(last)).collect();
        starts.dedup();
        let piece = |start: &usize| FormPattern::new(&chars[*start..(start + PIECE).min(chars.len())]);
        Self {
            value: value.to_owned(),
            pieces: starts.iter().filter_map(piece).collect(),
            base64: compiled(&coded(core.as_bytes())),
        }
    }

    /// Adds the places of `text` that show it.
    pub(super) fn find(&self, text: &str, out: &mut Vec<Range<usize>>) {
        out.extend(text.match_indices(self.value.as_str()).map(|(at, found)| at..at + found.len()));
        for piece in &self.pieces {
            all(&piece.whole, text, out);
            if let Some(found) = piece.cut.as_ref().and_then(|cut| cut.captures(text))
                && let Some(begun) = found.name("begun")
                && (found.name("sign").is_some() || text.chars().nth(CUT_TEXT - 1).is_some())
            {
                out.push(begun.range());
            }
        }
        let Some(base64) = &self.base64 else { return };
        let from = out.len();
        all(base64, text, out);
        let coded = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
        for place in &mut out[from..] {
            // The characters beside it hold some of its bits.
            let bytes = text.as_bytes();
            place.start -= usize::from(place.start > 0 && bytes.get(place.start - 1).is_some_and(coded));
            place.end += usize::from(bytes.get(place.end).is_some_and(coded));
            place.end += bytes[place.end..].iter().take(2).take_while(|byte| **byte == b'=').count();
        }
    }
}

/// Every place, those that overlap too.
fn all(form: &Regex, text: &str, out: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(found) = form.find_at(text, from) {
        out.push(found.range());
        let next = text[found.start()..].chars().next().map_or(1, char::len_utf8);
        from = found.start() + next;
        if from > text.len() {
            break;
        }
    }
}

impl FormPattern {
    fn new(chars: &[char]) -> Option<Self> {
        let gap = if chars.len() >= GROUPED { format!(r"[{HIDDEN}\s]*") } else { format!(r"[{HIDDEN}]*") };
        let mut parts = Vec::new();
        let mut rest = chars;
        while let Some(first) = rest.first() {
            let blanks = rest.iter().take_while(|c| c.is_whitespace()).count();
            if blanks > 0 {
                parts.push(blank());
                rest = &rest[blanks..];
            } else {
                parts.push(if parts.is_empty() {
                    form(*first)
                } else {
                    format!("{ESCAPE}*{}", form(*first))
                });
                rest = &rest[1..];
            }
        }
        let bytes = chars.iter().collect::<String>().into_bytes();
        let hex: String = bytes.iter().fold(String::new(), |mut all, byte| {
            let _ = write!(all, "{byte:02x}[\\s:]?");
            all
        });
        let numbers = bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(r",\s?");
        let whole = compiled(&format!(r"(?i)(?:{})|(?:{hex})|{numbers}", parts.join(&gap)))?;
        // From the end: each further character may or may not be there.
        let (least, more) = parts.split_at_checked(CUT_LEAST).unwrap_or((&[], &[]));
        let tail = more.iter().rev().fold(String::new(), |after, part| format!("(?:{gap}{part}{after})?"));
        let cut = (!least.is_empty()).then(|| {
            let least = least.join(&gap);
            compiled(&format!(r#"(?i)(?<begun>{least}{tail})["'”»)\]]*\s*(?:(?<sign>…|\.\.\.).{{0,40}})?$"#))
        });
        Some(Self { whole, cut: cut.flatten() })
    }
}

fn compiled(source: &str) -> Option<Regex> {
    let built = RegexBuilder::new(source).size_limit(64 << 20).nest_limit(1000).build();
    // A piece is bounded, and so is its form; the value itself is found without one.
    built
        .inspect_err(|error| tracing::warn!(kind = %kind(error), "a secret is masked in its plain form only"))
        .ok()
}

/// What is wrong with a form, without the form.
fn kind(error: &regex::Error) -> &'static str {
    match error {
        regex::Error::CompiledTooBig(_) => "too big",
        _ => "not understood",
    }
}

/// One or more blanks.
fn blank() -> String {
    const AMP: &str = "(?:&(?:amp;)*|%26)";
    format!(
        r"(?:\s|\+|%(?:25)*(?:20|09|0a|0d|a0|c2%(?:25)*a0)|%s|{ESCAPE}{{1,8}}[ntr\s]|{ESCAPE}{{1,8}}(?:u00|x)(?:20|a0|09|0a|0d)|{AMP}(?:nbsp|tab|newline|#0*(?:9|10|13|32|160)|#x0*(?:9|a|d|20|a0));?|[{HIDDEN}])+"
    )
}

/// One character in all its forms.
fn form(c: char) -> String {
    let single = encoded(c);
    if c != '\'' {
        return single;
    }
    // Within single quotes a shell knows no escape: they end before it and begin anew behind it.
    let double = encoded('"');
    let e = format!("{ESCAPE}*");
    format!("(?:{single}|{single}{e}(?:{single}|{double}{e}{single}{e}{double}){e}{single})")
}

/// One character as encodings of characters write it.
fn encoded(c: char) -> String {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).bytes();
    let code = u32::from(c);
    let mut forms = vec![regex::escape(&c.to_string())];
    let (mut percent, mut escaped) = (String::new(), String::new());
    for byte in bytes {
        let _ = write!(percent, "%(?:25)*{byte:02x}");
        let _ = write!(escaped, r"{ESCAPE}{{1,8}}x{byte:02x}");
    }
    forms.extend([percent, escaped]);
    // Entities, themselves percent-encoded where a form cannot write the character.
    let (amp, hash, end) = ("(?:&(?:amp;)*|%26)", "(?:#|%23)", "(?:;|%3b)");
    forms.push(format!("{amp}{hash}(?:0*{code}|x0*{code:x})(?:{end}|\\b)"));
    if !c.is_ascii_alphanumeric() {
        forms.push(format!("{amp}[a-z][a-z0-9]{{1,31}}{end}"));
    }
    if (0x80..0x100).contains(&code) {
        forms.push(format!("%(?:25)*{code:02x}"));
    }
    let mut units = [0; 2];
    let (mut short, mut old) = (String::new(), String::new());
    for unit in c.encode_utf16(&mut units) {
        let _ = write!(short, r"{ESCAPE}{{1,8}}u{unit:04x}");
        let _ = write!(old, "%u{unit:04x}");
    }
    forms.extend([short, old, format!(r"{ESCAPE}{{1,8}}u\{{0*{code:x}\}}")]);
    if c.len_utf16() > 1 {
        // A phone's tree has a dot for each half of it.
        forms.push(r"\.\.".to_owned());
    }
    format!("(?:{})", forms.join("|"))
}

/// Bytes in base64, in both of its alphabets, wherever they begin in a group of three.
fn coded(bytes: &[u8]) -> String {
    let at = |before: usize| {
        let whole = STANDARD_NO_PAD.encode([&vec![0; before], bytes].concat());
        // What shares its bits with the bytes around it may be anything.
        let end = (before + bytes.len()) * 8 / 6;
        let known = whole.get([0, 2, 3][before]..end).unwrap_or_default();
        known
            .chars()
            .map(|c| match c {
                '+' => r"(?:\+|-|%2[Bb])".to_owned(),
                '/' => r"(?:\\?/|_|%2[Ff])".to_owned(),
                c => c.to_string(),
            })
            .collect::<String>()
    };
    (0..3).map(at).collect::<Vec<_>>().join("|")
}
