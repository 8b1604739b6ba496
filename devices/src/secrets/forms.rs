//! The forms in which a value shows up: as it is, and as addresses, pages, style sheets, mail, shells and programs write it.
//!
//! Every character may be written in each of its forms, whatever the others are written in, so that what is encoded in
//! parts is found as well. Nothing is decoded: places in the text are found, which is compared as `fold` has it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use data_encoding::BASE32_NOPAD;
use regex::{Regex, RegexBuilder};
use unicode_normalization::UnicodeNormalization as _;

use super::SHORTEST;
use super::fold::is_unseen;

/// Characters that are looked for in one piece; a longer value is found by its pieces.
const PIECE: usize = 64;
/// From this length on blanks between the characters do not hide a value: card numbers are shown in groups.
const GROUPED: usize = 8;
/// The fewest characters of a value that are hidden where a text was cut within it.
const CUT_LEAST: usize = SHORTEST;
/// The shortest text that may have been cut without a sign of it.
const CUT_TEXT: usize = 40;
/// The sign that escapes what follows it.
const ESCAPE: &str = r"(?:\\|%(?:25)*5c)";
/// Control characters, which are not seen, and the break of a line of mail.
const BETWEEN: &str = r"[\x00-\x08\x0e-\x1f\x7f]|=\r?\n";
/// What stands between the bytes of a list.
const SEPARATOR: &str = r"[ \t\r\n:,;|_-]";
const BLANK: &str = r"[ \t\r\n\x0b\x0c]";

#[derive(Debug)]
pub(super) struct SecretFinder {
    value: String,
    pieces: Vec<FormPattern>,
    /// Its bytes in base64 at each of the three places in a group of three, and in base32 at each of five.
    based: Option<Regex>,
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
        let chars: Vec<char> = core.nfc().collect();
        let mut all_bytes = spellings(core);
        all_bytes.insert(core.encode_utf16().flat_map(u16::to_le_bytes).collect());
        let last = chars.len().saturating_sub(PIECE);
        let mut starts: Vec<usize> = (0..chars.len()).step_by(PIECE).map(|start| start.min(last)).collect();
        starts.dedup();
        let piece = |start: &usize| FormPattern::new(&chars[*start..(start + PIECE).min(chars.len())]);
        let based = compiled(&all_bytes.iter().map(|bytes| based(bytes)).collect::<Vec<_>>().join("|"));
        Self { value: value.to_owned(), pieces: starts.iter().filter_map(piece).collect(), based }
    }

    /// Adds the places of `text`, as it is, that show the value as it is.
    pub(super) fn find_plain(&self, text: &str, out: &mut Vec<Range<usize>>) {
        out.extend(text.match_indices(self.value.as_str()).map(|(at, found)| at..at + found.len()));
    }

    /// Adds the places of `text`, which was folded, that show it in any form.
    pub(super) fn find(&self, text: &str, out: &mut Vec<Range<usize>>) {
        for piece in &self.pieces {
            all(&piece.whole, text, out);
            if let Some(found) = piece.cut.as_ref().and_then(|cut| cut.captures(text))
                && let Some(begun) = found.name("begun")
                && (found.name("sign").is_some() || text.chars().nth(CUT_TEXT - 1).is_some())
            {
                out.push(begun.range());
            }
        }
        let Some(based) = &self.based else { return };
        let from = out.len();
        all(based, text, out);
        let coded = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
        for place in &mut out[from..] {
            // The characters beside it hold some of its bits.
            let bytes = text.as_bytes();
            place.start -= usize::from(place.start > 0 && bytes.get(place.start - 1).is_some_and(coded));
            place.end += usize::from(bytes.get(place.end).is_some_and(coded));
            place.end += bytes[place.end..].iter().take(6).take_while(|byte| **byte == b'=').count();
        }
    }
}

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
        let blanks = if chars.len() >= GROUPED { format!("|=?{BLANK}") } else { String::new() };
        let gap = format!("(?:{BETWEEN}{blanks})*");
        let (mut parts, mut loose) = (Vec::new(), Vec::new());
        let mut rest = chars;
        while let Some(first) = rest.first() {
            let blanks = rest.iter().take_while(|c| c.is_whitespace()).count();
            let escapes = if parts.is_empty() { String::new() } else { format!("{ESCAPE}*") };
            // What is not seen is left out of every text, but not of its encodings; blanks may be left out as well.
            let part = match blanks {
                0 if is_unseen(*first) => format!("(?:{escapes}{})?", form(*first)),
                0 => escapes + &form(*first),
                _ => format!("{}+", blank()),
            };
            loose.push(if blanks > 0 { format!("(?:{part})?") } else { part.clone() });
            parts.push(part);
            rest = &rest[blanks.max(1)..];
        }
        let mut forms = vec![loose.join(&gap)];
        for bytes in spellings(&chars.iter().collect::<String>()) {
            forms.extend(lists(&bytes));
        }
        let whole = compiled(&format!("(?i)(?:{})", forms.join("|")))?;
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

/// The bytes of a text in each way that Unicode writes it, and in Latin-1.
fn spellings(text: &str) -> BTreeSet<Vec<u8>> {
    let composed: String = text.nfc().collect();
    let others = [text.nfd().collect(), text.nfkc().collect(), text.nfkd().collect(), text.to_owned()];
    let latin: Option<Vec<u8>> = composed.chars().map(|c| u8::try_from(c).ok()).collect();
    let all = others.into_iter().chain([composed]).map(String::into_bytes);
    // Fewer bytes would stand in common text.
    all.chain(latin).filter(|bytes| bytes.len() >= SHORTEST).collect()
}

/// Bytes as lists of numbers: hexadecimal, decimal, octal and binary ones.
fn lists(bytes: &[u8]) -> [String; 4] {
    let list = |one: &dyn Fn(u8) -> String, between: &str| {
        bytes.iter().map(|byte| one(*byte)).collect::<Vec<_>>().join(between)
    };
    let (beside, apart) = (format!("{SEPARATOR}{{0,3}}"), format!("{SEPARATOR}{{1,3}}"));
    let signed = |byte: u8| match byte {
        0..=127 => format!("0{{0,2}}{byte}"),
        _ => format!("(?:{byte}|-{})", 256 - u16::from(byte)),
    };
    [
        list(&|byte| format!(r"(?:0x|u\+)?(?:00)*{byte:02x}"), &beside),
        list(&signed, &apart),
        list(&|byte| format!("(?:0?o)?0{{0,2}}{byte:o}"), &apart),
        list(&|byte| format!("(?:0b)?{byte:08b}"), &beside),
    ]
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

fn blank() -> String {
    const AMP: &str = "(?:&(?:amp;)*|%26)";
    const HEX: &str = "(?:20|a0|09|0a|0d|9|a|d)";
    format!(
        r"(?:{BLANK}|\+|=(?:20|09|0a|0d|c2=a0)|%(?:25)*(?:(?:u00)?(?:20|09|0a|0d|a0)|c2%(?:25)*a0)|%s|{ESCAPE}{{1,8}}(?:(?:[ntr]|{BLANK})|[xu]?0*{HEX}{BLANK}?|u\{{0*{HEX}\}}|0*(?:40|11|12|15|240))|{AMP}(?:nbsp|tab|newline|#0*(?:9|10|13|32|160)|#x0*(?:9|a|d|20|a0));?)"
    )
}

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

/// One character in all forms of one character; one that is made of others in theirs, too.
fn encoded(c: char) -> String {
    let made_of: Vec<char> = c.nfkd().collect();
    if made_of == [c] {
        return format!("(?:{})", codes(c));
    }
    let parts: Vec<String> = made_of.into_iter().map(|part| format!("(?:{})", codes(part))).collect();
    format!("(?:{}|{})", parts.join(&format!("(?:{BETWEEN})*{ESCAPE}*")), codes(c))
}

fn codes(c: char) -> String {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).bytes();
    let code = u32::from(c);
    let mut forms = vec![regex::escape(&c.to_string())];
    let (mut percent, mut mail, mut hex, mut octal) =
        (String::new(), String::new(), String::new(), String::new());
    for byte in bytes {
        let _ = write!(percent, "%(?:25)*{byte:02x}");
        let broken = if mail.is_empty() { "" } else { r"(?:=[\r\n ]+)?" };
        let _ = write!(mail, "{broken}={byte:02x}");
        let _ = write!(hex, r"{ESCAPE}{{1,8}}x{byte:02x}");
        let _ = write!(octal, r"{ESCAPE}{{1,8}}0?{byte:03o}");
    }
    forms.extend([percent, mail]);
    if !c.is_ascii() {
        forms.extend([hex, octal]);
    }
    // `\x53`, `\u0053`, `\u{53}`, `\U00000053`, `\53 ` of style sheets, `\123`.
    forms.push(format!(r"{ESCAPE}{{1,8}}(?:[xu]?0*{code:x}{BLANK}?|u\{{0*{code:x}\}}|0*{code:o})"));
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
        let _ = write!(old, "%(?:25)*u{unit:04x}");
    }
    forms.push(old);
    if c.len_utf16() > 1 {
        // A phone's tree has a dot for each half of it.
        forms.extend([short, r"\.\.".to_owned()]);
    }
    forms.join("|")
}

/// Bytes in base64 and base32, wherever they begin in a group.
fn based(bytes: &[u8]) -> String {
    format!("{}|(?i:{})", coded(bytes), in_base32(bytes))
}

fn in_base32(bytes: &[u8]) -> String {
    let at = |before: usize| {
        let whole = BASE32_NOPAD.encode(&[&vec![0; before], bytes].concat());
        let (first, end) = ((before * 8).div_ceil(5), (before + bytes.len()) * 8 / 5);
        whole.get(first..end).unwrap_or_default().to_owned()
    };
    (0..5).map(at).collect::<Vec<_>>().join("|")
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
