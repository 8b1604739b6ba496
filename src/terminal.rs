//! What may reach a terminal.
//!
//! Goals, claims, names, pages, endpoints and other people's files are text of others: it could move the cursor, set the
//! window's title, turn a line around, or hide. Invariant: everything that is printed passes [`clean`], on standard
//! output and standard error, logs and errors too; only the colours that waldo itself adds to these pass beside it.
//!
//! What must not pass is shown as JSON would write it (`\u202e`), so that it is seen, and JSON stays JSON.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a character could drive a terminal, or deceive who reads there: control characters but the end of a line and
/// the tabulator; what turns the direction of text; what is not seen.
pub fn is_barred(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        _ if c.is_control() => true,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// The text with everything made visible that could drive or deceive.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_barred) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_barred(c) { show(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// As [`clean`], for text to which waldo itself added colours: these pass, nothing else does.
pub fn clean_but_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, from) = rest.split_at(at);
        out.push_str(&clean(before));
        let length = colour(from).unwrap_or(0);
        if length == 0 {
            show('\u{1b}', &mut out);
            rest = from.get(1..).unwrap_or_default();
        } else {
            let (sequence, after) = from.split_at(length);
            out.push_str(sequence);
            rest = after;
        }
    }
    out.push_str(&clean(rest));
    out
}

/// How long a sequence is that sets one of the colours and weights that are in use here. Black is none of them, and
/// neither is a background: no text can be hidden.
fn colour(text: &str) -> Option<usize> {
    let codes = text.strip_prefix("\u{1b}[")?;
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let (codes, rest) = codes.split_at(end);
    let known = codes.split(';').all(|code| {
        code.is_empty() || matches!(code.parse(), Ok(0_u8..=4 | 22..=24 | 31..=37 | 39 | 91..=97))
    });
    (rest.starts_with('m') && known).then_some("\u{1b}[".len() + end + 1)
}

fn show(c: char, out: &mut String) {
    let mut units = [0; 2];
    for unit in c.encode_utf16(&mut units) {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// A writer that lets only masked and clean text through. What is written at once is taken as a whole.
pub struct Cleaner<W> {
    to: W,
    colours: Colours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// They are waldo's own, and pass.
    Own,
    None,
}

impl<W: Write> Cleaner<W> {
    pub fn new(to: W, colours: Colours) -> Self {
        Self { to, colours }
    }
}

impl<W: Write> Write for Cleaner<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = crate::masking::mask(String::from_utf8_lossy(bytes).into_owned());
        match self.colours {
            Colours::Own => self.to.write_all(clean_but_colours(&text).as_bytes())?,
            Colours::None => self.to.write_all(clean(&text).as_bytes())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Standard output, for what is written piece by piece.
pub fn stdout() -> Cleaner<io::StdoutLock<'static>> {
    Cleaner::new(io::stdout().lock(), Colours::None)
}

pub fn stderr() -> Cleaner<io::StderrLock<'static>> {
    Cleaner::new(io::stderr().lock(), Colours::None)
}

/// Standard error, for text to which waldo added colours.
pub fn coloured_stderr() -> Cleaner<io::StderrLock<'static>> {
    Cleaner::new(io::stderr().lock(), Colours::Own)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_drives_or_deceives_is_shown() {
        let evil = "a\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{85}\r\u{8}\u{7f}\u{202e}x\u{2066}\u{200b}\u{feff}\u{e0041}z";
        let shown = clean(evil);
        assert_eq!(
            shown,
            "a\\u001b]0;title\\u0007\\u001b[2J\\u009b31m\\u0085\\u000d\\u0008\\u007f\\u202ex\\u2066\\u200b\\ufeff\
             \\udb40\\udc41z"
        );
        assert!(matches!(clean("Grüße, 日本\t☃ é\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_the_same_json() {
        let value =
            serde_json::json!({ "a\u{202e}": ["\u{1b}[2J", "\u{e0041}", "\u{85}\u{7f}", "line\nline"] });
        let text = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&clean(&text)).unwrap(), value);
    }

    #[test]
    fn only_own_colours_pass() {
        let own = "\u{1b}[2m12:00\u{1b}[0m \u{1b}[1;31mERROR\u{1b}[0m text\n";
        assert_eq!(clean_but_colours(own), own);
        for evil in
            ["\u{1b}[2J", "\u{1b}[8m", "\u{1b}[30m", "\u{1b}[41m", "\u{1b}]0;x\u{7}", "\u{1b}", "\u{1b}[1"]
        {
            assert!(!clean_but_colours(evil).contains('\u{1b}'), "{evil:?}");
        }
        let mut out = Vec::new();
        write!(Cleaner::new(&mut out, Colours::None), "\u{202e}-{own}").unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with("\\u202e-") && !out.contains(is_barred), "{out:?}");
    }

    proptest! {
        #[test]
        fn nothing_barred_is_left_of_any_text(text in "\\PC*|(?s).*|[\u{0}-\u{1f}\u{80}-\u{9f}\u{200b}-\u{206f}a\\[;0-9mJ]*") {
            let shown = clean(&text);
            prop_assert!(!shown.contains(is_barred));
            prop_assert_eq!(clean(&shown), shown.as_ref());
            let left = clean_but_colours(&text).chars().any(|c| c != '\x1b' && is_barred(c));
            prop_assert!(!left, "barred characters are left");
        }
    }

    /// What is printed in another way than through this module and `out`.
    #[test]
    fn nothing_is_printed_beside_it() {
        fn sources(folder: &std::path::Path, into: &mut Vec<std::path::PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    sources(&path, into);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    into.push(path);
                }
            }
        }
        let mut files = Vec::new();
        sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
        assert!(files.len() > 50);
        for file in files {
            if ["terminal.rs", "out.rs", "progress_bar.rs"]
                .iter()
                .any(|own| file.ends_with(format!("src/{own}")))
            {
                continue;
            }
            let text = std::fs::read_to_string(&file).unwrap();
            for (at, line) in text.lines().enumerate() {
                let line = line.split("//").next().unwrap_or_default();
                let own = line.contains("is_terminal()") || line.contains("terminal::std");
                let beside =
                    ["io::stdout()", "io::stderr()", "std::println!", "std::eprintln!", "std::print!"];
                let found = beside.iter().find(|name| line.contains(**name));
                assert!(own || found.is_none(), "{}:{}: {line}", file.display(), at + 1);
            }
        }
    }
}
