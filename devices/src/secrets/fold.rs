//! Text in the form in which it is compared: decomposed by compatibility (NFKD), without characters that are not seen.
//!
//! Two texts have the same NFKC exactly when they have the same NFKD, and of that each character comes from one of the
//! text as it was, so that a place that is found leads back to it.

use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};

pub(super) struct Folded {
    pub text: String,
    /// Where each of its characters begins, and what it comes from.
    from: Vec<(usize, Range<usize>)>,
}

impl Folded {
    /// The form of `text`; `None` where it is `text` itself.
    pub fn of(text: &str) -> Option<Self> {
        if text.is_ascii() {
            return None;
        }
        let mut folded = Self { text: String::with_capacity(text.len()), from: Vec::new() };
        // Marks of one letter, which have an order of their own.
        let mut marks: Vec<(u8, char, Range<usize>)> = Vec::new();
        for (at, c) in text.char_indices() {
            let from = at..at + c.len_utf8();
            decompose_compatible(c, |part| match canonical_combining_class(part) {
                _ if is_unseen(part) => {}
                0 => {
                    folded.put(&mut marks);
                    folded.push(part, from.clone());
                }
                class => marks.push((class, part, from.clone())),
            });
        }
        folded.put(&mut marks);
        Some(folded)
    }

    fn put(&mut self, marks: &mut Vec<(u8, char, Range<usize>)>) {
        marks.sort_by_key(|(class, ..)| *class);
        marks.drain(..).for_each(|(_, mark, from)| self.push(mark, from));
    }

    fn push(&mut self, c: char, from: Range<usize>) {
        self.from.push((self.text.len(), from));
        self.text.push(c);
    }

    pub fn before(&self, place: &Range<usize>) -> Range<usize> {
        let first = self.from.partition_point(|(at, _)| *at < place.start);
        let last = self.from.partition_point(|(at, _)| *at < place.end);
        // Marks may stand in another order than they stood in.
        let within = self.from.get(first..last).unwrap_or_default();
        let start = within.iter().map(|(_, from)| from.start).min().unwrap_or(0);
        start..within.iter().map(|(_, from)| from.end).max().unwrap_or(start)
    }
}

/// Unicode's default-ignorable code points, and what else shows nothing: the blank of Braille, anchors of annotations.
pub(super) fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    proptest! {
        #[test]
        fn what_is_the_same_by_nfkc_is_the_same(text in "\\PC{0,12}") {
            let folded = |text: &str| Folded::of(text).map_or_else(|| text.to_owned(), |folded| folded.text);
            let is = folded(&text);
            let seen = |text: &str| text.nfkd().filter(|c| !is_unseen(*c)).collect::<String>();
            prop_assert_eq!(seen(&is), seen(&text));
            for other in [text.nfc().collect::<String>(), text.nfd().collect(), text.nfkc().collect()] {
                prop_assert_eq!(&folded(&other), &is);
            }
            if let Some(folded) = Folded::of(&text) {
                let whole = folded.before(&(0..folded.text.len()));
                prop_assert!(text.get(whole).is_some());
            }
        }
    }

    #[test]
    fn a_place_leads_back() {
        let text = "a\u{200b}ｂ№e\u{301}\u{327}z";
        let folded = Folded::of(text).unwrap();
        assert_eq!(folded.text, "abNoe\u{327}\u{301}z");
        for (part, was) in [("ab", "a\u{200b}ｂ"), ("o", "№"), ("e\u{327}", "e\u{301}\u{327}"), ("z", "z")]
        {
            let at = folded.text.find(part).unwrap();
            assert_eq!(&text[folded.before(&(at..at + part.len()))], was);
        }
    }
}
