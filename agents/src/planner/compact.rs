//! Keeps a request within the model's window.
//!
//! The estimate of tokens: a text's ASCII characters by four, rounded up, and one for each other character;
//! four for each message; for a picture 85, and 170 for each started square of 512 pixels, the rule of
//! OpenAI's high detail without its down-scaling. It errs on the high side, and a reserve is kept beside it.
//!
//! What gives way, in this order: the pictures of earlier steps; then earlier steps, oldest first, told in
//! one line each instead of in full; then those lines, oldest first. The two latest steps are told in full
//! as long as anything else can give way; the system prompt and the last message always go whole.

use super::entry::HistoryEntry;
use crate::model::{Message, text_tokens};
use crate::plan_record::ContextUse;

/// How earlier steps are told, where all of that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HistoryForm {
    pub(crate) pictures: usize,
    /// How many of the latest steps are told in full, the others in a line each.
    pub(crate) whole: usize,
    /// Whether JSON is written over many lines.
    pub(crate) spaced: bool,
}

/// [`HistoryForm::OURS`]' `whole` in words.
pub(crate) const WHOLE_IN_WORDS: &str = "the last one";

impl HistoryForm {
    /// As upstream tells them.
    pub(crate) const UPSTREAM: Self = Self { pictures: 2, whole: usize::MAX, spaced: true };
    pub(crate) const OURS: Self = Self { pictures: 1, whole: 1, spaced: false };
}

/// The window in tokens where none is given.
pub const DEFAULT_WINDOW: u64 = 128_000;
/// Steps that are told in full as long as possible.
const KEPT: usize = 2;
/// Tokens of a message beside its parts.
const MESSAGE: u64 = 4;
/// Percent of the window kept in reserve.
const RESERVE: u64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextWindow {
    pub tokens: u64,
    pub reply: u32,
}

impl ContextWindow {
    /// Tokens that a request may have: the window without reply and reserve.
    pub fn limit(&self) -> u64 {
        self.tokens.saturating_sub(u64::from(self.reply)).saturating_sub(self.tokens * RESERVE / 100)
    }
}

pub(crate) fn tokens(messages: &[Message]) -> u64 {
    messages.iter().map(|m| MESSAGE + m.tokens()).sum()
}

/// How the earlier steps are told: the first ones not at all, then some in a line each, the rest in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HistoryShape {
    pub(crate) left_out: usize,
    pub(crate) short: usize,
    pub(crate) pictures: usize,
    pub(crate) context: ContextUse,
}

/// The fullest shape in which the request stays within `limit`, where `fixed` tokens are taken already.
pub(crate) fn shape(entries: &[HistoryEntry], form: HistoryForm, fixed: u64, limit: u64) -> HistoryShape {
    let whole: Vec<u64> = entries.iter().map(|e| tokens(&e.messages(false, form.spaced))).collect();
    let short: Vec<u64> = entries.iter().map(|e| text_tokens(&e.line()) + 1).collect();
    let picture: Vec<u64> = entries
        .iter()
        .map(|e| tokens(&e.messages(true, form.spaced)) - tokens(&e.messages(false, form.spaced)))
        .collect();
    let n = entries.len();
    let mut shape = HistoryShape {
        left_out: 0,
        short: n.saturating_sub(form.whole),
        pictures: form.pictures.min(n),
        context: ContextUse::default(),
    };
    let cost = |s: &HistoryShape| {
        let in_full = n - s.left_out - s.short;
        let lines: u64 = short[s.left_out..s.left_out + s.short].iter().sum();
        let pictures: u64 = picture[n - s.pictures.min(in_full)..].iter().sum();
        fixed + lines + whole[n - in_full..].iter().sum::<u64>() + pictures
    };
    while cost(&shape) > limit {
        if shape.pictures > 0 {
            shape.pictures -= 1;
        } else if n - shape.left_out - shape.short > KEPT {
            shape.short += 1;
        } else if shape.short > 0 && n - shape.left_out > KEPT {
            shape.left_out += 1;
            shape.short -= 1;
        } else if shape.left_out + shape.short < n {
            shape.short += 1;
        } else if shape.short > 0 {
            shape.left_out += 1;
            shape.short -= 1;
        } else {
            break;
        }
    }
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let in_full = n - shape.left_out - shape.short;
    shape.pictures = shape.pictures.min(in_full);
    shape.context = ContextUse {
        tokens: cost(&shape),
        limit,
        whole: count(in_full),
        short: count(shape.short),
        left_out: count(shape.left_out),
        pictures: count(shape.pictures),
    };
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing::entry;

    #[test]
    fn pictures_give_way_first_then_old_steps_and_the_latest_two_last() {
        let entries: Vec<HistoryEntry> = (1..=40).map(entry).collect();
        let shape_of = |limit| shape(&entries, HistoryForm::UPSTREAM, 1_000, limit);
        let all = shape_of(u64::MAX);
        assert_eq!((all.left_out, all.short, all.pictures), (0, 0, 2));
        let no_pictures = shape_of(all.context.tokens - 1);
        assert_eq!((no_pictures.short, no_pictures.pictures), (0, 1));
        let mut limit = all.context.tokens;
        let mut before = all;
        while limit > 900 {
            let now = shape_of(limit);
            assert!(now.context.tokens <= limit || now.left_out == entries.len(), "{limit}: {now:?}");
            assert!(now.left_out + now.short >= before.left_out + before.short, "{limit}: {now:?}");
            if now.left_out + now.short > entries.len() - KEPT {
                assert!(now.left_out >= entries.len() - KEPT, "{limit}: {now:?}");
            }
            before = now;
            limit = limit.saturating_sub(200);
        }
        assert_eq!(before.left_out, 40);
    }

    #[test]
    fn in_few_words_old_steps_take_a_line_from_the_start() {
        let entries: Vec<HistoryEntry> = (1..=9).map(entry).collect();
        let ours = shape(&entries, HistoryForm::OURS, 1_000, u64::MAX);
        assert_eq!((ours.left_out, ours.short, ours.pictures), (0, 8, 1));
        let upstream = shape(&entries, HistoryForm::UPSTREAM, 1_000, u64::MAX);
        assert!(ours.context.tokens * 3 < upstream.context.tokens * 2, "{ours:?} {upstream:?}");
    }
}
