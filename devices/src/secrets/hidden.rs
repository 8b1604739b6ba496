//! Values without a name: tokens, of which there may be hundreds.
//!
//! To look for each in all of its forms costs too much for every text of a screen. So a text is looked through once for
//! short parts of them, in the encodings in which tokens show up, and only what a part of is there is looked for as a
//! whole. Invariant: what has no part to go by is looked for always.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use data_encoding::BASE32_NOPAD;
use regex::{Regex, RegexBuilder};

use super::forms::SecretFinder;

/// Characters of a value that one part stands for; its finder looks in pieces of the same length.
const PIECE: usize = 64;
/// The least length of a run of letters and digits that is a part.
const RUN_LEAST: usize = 5;
const PART: usize = 12;
/// Characters of a beginning, and of what is looked for in an encoding.
const BEGINNING: usize = 4;

#[derive(Debug)]
pub(super) struct Hidden {
    value: String,
    parts: Vec<String>,
    finder: OnceLock<SecretFinder>,
}

impl Hidden {
    /// A value with its parts; `None` for one that has none to go by.
    pub(super) fn new(value: &str) -> Option<Self> {
        let parts = parts(value)?;
        Some(Self { value: value.to_owned(), parts, finder: OnceLock::new() })
    }

    /// What finds it, where `small`, a text in small letters, has a part of it.
    pub(super) fn finder(&self, small: &str) -> Option<&SecretFinder> {
        let is_there = self.parts.iter().any(|part| small.contains(part.as_str()));
        is_there.then(|| self.finder.get_or_init(|| SecretFinder::new(&self.value)))
    }
}

/// What tells whether a text in small letters has a part of any of them; none where there are none.
pub(super) fn gate<'a>(all: impl Iterator<Item = &'a Arc<Hidden>>) -> Option<Regex> {
    let parts: Vec<String> = all.flat_map(|hidden| &hidden.parts).map(|part| regex::escape(part)).collect();
    if parts.is_empty() {
        return None;
    }
    let built = RegexBuilder::new(&parts.join("|")).size_limit(256 << 20).build();
    // Without it every one would have to be looked for: that, too, is only slow.
    built.inspect_err(|_| tracing::warn!("hidden values are too many to be looked for at once")).ok()
}

fn parts(value: &str) -> Option<Vec<String>> {
    let chars: Vec<char> = value.chars().collect();
    let mut parts = Vec::new();
    for (at, piece) in chars.chunks(PIECE).enumerate() {
        let piece: String = piece.iter().collect();
        let runs = || piece.split(|c: char| !c.is_ascii_alphanumeric());
        match runs().max_by_key(|run| run.len()).filter(|run| run.len() >= RUN_LEAST) {
            Some(run) => {
                parts.push(run[..run.len().min(PART)].to_owned());
                parts.extend(encoded(&run.as_bytes()[..BEGINNING]));
            }
            // The rest of a value may be short; the whole of one may not.
            None if at > 0 => {}
            None => return None,
        }
        // Where a text was cut within the value.
        if at == 0
            && let Some(run) = runs().find(|run| run.len() >= BEGINNING)
        {
            parts.push(run[..BEGINNING].to_owned());
        }
    }
    parts.extend((0..3).filter_map(|before| within_base64(value.as_bytes(), before)));
    parts.extend((0..5).filter_map(|before| within_base32(value.as_bytes(), before)));
    for part in &mut parts {
        part.make_ascii_lowercase();
    }
    parts.sort_unstable();
    parts.dedup();
    Some(parts)
}

/// A few bytes as addresses, pages, programs and dumps write them where they escape everything.
fn encoded(bytes: &[u8]) -> Vec<String> {
    let all = |one: &dyn Fn(u8) -> String, between: &str| {
        bytes.iter().map(|byte| one(*byte)).collect::<Vec<_>>().join(between)
    };
    let hex = |byte: u8| format!("{byte:02x}");
    let mut percent = String::new();
    for byte in bytes {
        let _ = write!(percent, "%{byte:02x}");
    }
    vec![
        percent.clone(),
        percent.replace('%', "%25"),
        all(&hex, ""),
        all(&hex, " "),
        all(&hex, ":"),
        all(&|byte| format!("\\x{byte:02x}"), ""),
        all(&|byte| format!("\\u{byte:04x}"), ""),
        all(&|byte| format!("&#{byte};"), ""),
        all(&|byte| format!("&#x{byte:02x};"), ""),
        all(&|byte| byte.to_string(), ","),
        all(&|byte| byte.to_string(), ", "),
        all(&|byte| byte.to_string(), " "),
        all(&hex, "-"),
        all(&hex, ", "),
        all(&|byte| format!("0x{byte:02x}"), ","),
        all(&|byte| format!("0x{byte:02x}"), ", "),
        all(&|byte| format!("0x{byte:02x}"), " "),
        all(&|byte| format!("{byte:03o}"), " "),
        all(&|byte| format!("{byte:08b}"), " "),
        all(&|byte| format!("{byte:08b}"), ""),
        all(&|byte| format!("u+{byte:04x}"), " "),
        all(&|byte| format!("00{byte:02x}"), ""),
        all(&|byte| format!("={byte:02x}"), ""),
        all(&|byte| format!("%u{byte:04x}"), ""),
        all(&|byte| format!("\\u{{{byte:x}}}"), ""),
        all(&|byte| format!("\\u{{{byte:04x}}}"), ""),
        all(&|byte| format!("\\{byte:03o}"), ""),
        all(&|byte| format!("\\{byte:x}"), " "),
        all(&|byte| format!("\\{byte:06x}"), ""),
    ]
}

/// A part of the value in base32, where `before` bytes stand before it in a group of five.
fn within_base32(bytes: &[u8], before: usize) -> Option<String> {
    let whole = BASE32_NOPAD.encode(&[&vec![0; before], bytes].concat());
    let known = whole.get((before * 8).div_ceil(5)..(before + bytes.len()) * 8 / 5)?;
    (known.len() >= RUN_LEAST).then(|| known[..known.len().min(PART)].to_owned())
}

/// A part of the value in base64, where `before` bytes stand before it in a group of three.
fn within_base64(bytes: &[u8], before: usize) -> Option<String> {
    let whole = STANDARD_NO_PAD.encode([&vec![0; before], bytes].concat());
    // What shares its bits with the bytes around it may be anything, and two signs are others in addresses.
    let known = whole.get([0, 2, 3][before]..(before + bytes.len()) * 8 / 6)?;
    let run = known.split(['+', '/']).max_by_key(|run| run.len())?;
    (run.len() >= RUN_LEAST).then(|| run[..run.len().min(PART)].to_owned())
}
