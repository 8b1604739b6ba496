//! What the string rules do with texts, each as its version does it.

pub mod entities;
pub mod number;
pub mod python;
pub mod sentence;
pub mod tokens;

use crate::fault::Result;
use crate::rules::Rules;
use python::{lower, strip};

pub const OR: &str = " |OR| ";

/// A text as it is compared: without one pair of quotes, in lower case; upstream without blanks at its ends, too.
pub fn clean(rules: Rules, text: &str) -> String {
    let text = if rules == Rules::Upstream { strip(text) } else { text };
    let quoted = ['\'', '"'].into_iter().find(|quote| text.starts_with(*quote) && text.ends_with(*quote));
    let inner = match quoted {
        // A single quote is both its beginning and its end.
        Some(_) => text.get(1..text.len().saturating_sub(1)).unwrap_or_default(),
        None => text,
    };
    lower(inner)
}

pub(crate) fn is_same(rules: Rules, reference: &str, said: &str) -> bool {
    clean(rules, said) == clean(rules, reference)
}

/// Whether `said` includes `reference`. `alone` says whether it is the only one of its list, in an answer.
///
/// # Errors
/// `WebarenaFault::Refused` where it hangs on how the original's tokenizer cuts a text, and that cannot be told.
pub fn includes(rules: Rules, reference: &str, said: &str, alone: bool) -> Result<bool> {
    let (reference, said) = (clean(rules, reference), clean(rules, said));
    let by_token = match rules {
        Rules::Upstream | Rules::Verified => {
            alone && reference.chars().count() == 1 && tokens::is_one(&reference)?
        }
        Rules::Lite => tokens::is_one(&reference)?,
        Rules::V2 => false,
    };
    if !by_token {
        return Ok(said.contains(&reference));
    }
    tokens::has(&said, &reference, rules == Rules::Lite)
}

pub(crate) fn includes_any(rules: Rules, reference: &str, said: &str) -> Result<bool> {
    let mut any = false;
    for one in reference.split(OR) {
        // The original asks for all of them.
        any |= includes(rules, one, said, false)?;
    }
    Ok(any)
}

/// What the versions with `must_exclude` make of it. One of them has it the wrong way round.
pub(crate) fn excludes(rules: Rules, reference: &str, said: &str) -> Result<bool> {
    let (reference, said) = (clean(rules, reference), clean(rules, said));
    match rules {
        Rules::V2 => Ok(said.contains(&reference)),
        _ if tokens::is_one(&reference)? => Ok(!tokens::has(&said, &reference, false)?),
        _ => Ok(!said.contains(&reference)),
    }
}
