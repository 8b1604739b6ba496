//! Instructions in a model's words: which are taken.
//!
//! Invariant: words that are taken name what the original names and nothing else of the screen, tell the same sides and
//! parts of it, and hold no number of their own. So the box stays true, and the instruction gives away no more than before.

use std::collections::BTreeSet;

use super::places::FoundPlace;
use super::scene::{line, words};
use crate::places::Grounding;

/// The most characters of an instruction in a model's words.
pub const LONGEST: usize = 240;
/// Letters from which on a word of an element's own name gives it away.
const TELLING: usize = 4;

/// Why a model's words are not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    Empty,
    Lines,
    /// More than [`LONGEST`] characters.
    Long,
    /// Characters that are not seen, or drive a terminal.
    Unseen,
    Same,
    /// A name of the original is not there, letter for letter.
    Lost,
    /// The element's own name, or a word of it, which the original does not say.
    Own,
    /// The name of another element, or a text in quotes, which the original does not say.
    Other,
    Numbers,
    /// Other sides or parts of the screen than the original has.
    Sides,
}

impl Flaw {
    /// In words, after a number of instructions.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Empty => "without a word",
            Self::Lines => "of several lines",
            Self::Long => "too long",
            Self::Unseen => "with control characters",
            Self::Same => "as it was",
            Self::Lost => "without a name that it had",
            Self::Own => "with words of the element's own name",
            Self::Other => "with the name of something else",
            Self::Numbers => "with numbers or coordinates",
            Self::Sides => "with other sides or parts of the screen",
        }
    }
}

/// A side or a part of a screen, by the words for it.
const SIDES: [&[&str]; 5] = [
    &["left", "lefthand", "leftmost"],
    &["right", "righthand", "rightmost"],
    &["top", "upper", "above", "topmost", "uppermost"],
    &["bottom", "lower", "below", "under", "underneath", "beneath", "lowest"],
    &["middle", "centre", "center", "central"],
];
/// Words of places on a picture.
const UNITS: [&str; 8] = ["px", "pixel", "pixels", "percent", "coordinate", "coordinates", "bbox", "xy"];
/// Double quotes as people and models write them.
const QUOTES: [char; 3] = ['"', '\u{201c}', '\u{201d}'];

/// The words that a model's reply has for one of the instructions of `found`; `is_barred` tells characters that are not
/// to stand in an instruction.
pub fn judged(
    found: &FoundPlace<'_>,
    grounding: Grounding,
    reply: &str,
    is_barred: impl Fn(char) -> bool,
) -> Result<String, Flaw> {
    let original = found.instructions[grounding.place()].as_str();
    let text = reply.trim();
    if text.is_empty() {
        return Err(Flaw::Empty);
    }
    if text.contains(['\n', '\r']) {
        return Err(Flaw::Lines);
    }
    if text.chars().count() > LONGEST {
        return Err(Flaw::Long);
    }
    if text.contains(|c: char| c.is_control() || is_barred(c)) {
        return Err(Flaw::Unseen);
    }
    let text = line(text);
    if text.to_lowercase() == original.to_lowercase() {
        return Err(Flaw::Same);
    }
    let names = quoted(original);
    if names.iter().any(|name| !holds(&text, name)) {
        return Err(Flaw::Lost);
    }
    if quoted(&text).iter().any(|name| !names.contains(name)) {
        return Err(Flaw::Other);
    }
    // What both say of their own, beside the names.
    let (own, before) = (without(&text, &names), without(original, &names));
    let (said, had) = (words(&own), words(&before));
    let named: BTreeSet<String> = names.iter().flat_map(|name| words(name)).collect();
    let new = |word: &String| !had.contains(word) && !named.contains(word);
    let tells = |word: &String| word.chars().count() >= TELLING && said.contains(word) && new(word);
    let (lower, lower_before) = (own.to_lowercase(), original.to_lowercase());
    let names_anew = |name: &str| {
        let name = line(name).to_lowercase();
        name.chars().filter(|c| c.is_alphanumeric()).count() > 1
            && holds(&lower, &name)
            && !holds(&lower_before, &name)
    };
    if names_anew(&found.name) || words(&found.name).iter().any(tells) {
        return Err(Flaw::Own);
    }
    if found.screen.elements.iter().any(|element| names_anew(&element.name)) {
        return Err(Flaw::Other);
    }
    if own.contains(|c: char| c.is_numeric() || c == '%') || words(&own).iter().any(|word| is_unit(word)) {
        return Err(Flaw::Numbers);
    }
    let sides = |all: &std::collections::HashSet<String>| {
        SIDES.map(|side| side.iter().any(|word| all.contains(*word)))
    };
    if sides(&said) != sides(&had) {
        return Err(Flaw::Sides);
    }
    Ok(text)
}

fn is_unit(word: &str) -> bool {
    UNITS.contains(&word)
}

fn quoted(text: &str) -> Vec<&str> {
    text.split(QUOTES).skip(1).step_by(2).map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// Where `name` stands in `text` by itself, not within a longer word.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (first, last) = (inner(name.chars().next()), inner(name.chars().next_back()));
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (text[..*at].chars().next_back(), text[at + name.len()..].chars().next());
        !(first && inner(before) || last && inner(after))
    })
}

fn holds(text: &str, name: &str) -> bool {
    places(text, name).next().is_some()
}

/// A text without names that stand in it; the longest go first, for one may lie within another.
fn without(text: &str, names: &[&str]) -> String {
    let mut names = names.to_vec();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let mut left = text.to_owned();
    for name in names {
        loop {
            let at = places(&left, name).next();
            let Some(at) = at else { break };
            left.replace_range(at..at + name.len(), " ");
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::screens::Screen;
    use super::super::testing::{element, screen};
    use super::*;
    use crate::places::ItemKind;
    use crate::platform::OfflinePlatform;

    fn shop() -> Screen {
        let all =
            [("button", "Delete account"), ("link", "Tax 2024"), ("button", "Go"), ("textbox", "Search")];
        let place = |at: usize| [20.0, 20.0 + 60.0 * at as f64, 180.0, 30.0];
        let elements = all.iter().enumerate().map(|(at, (role, name))| element(role, name, place(at)));
        screen("s", OfflinePlatform::Web, elements.collect())
    }

    fn found<'s>(screen: &'s Screen, basic: &str, advanced: &str) -> FoundPlace<'s> {
        FoundPlace {
            screen,
            share: [0.0, 0.0, 0.1, 0.1],
            kind: ItemKind::Text,
            instructions: [basic.to_owned(), advanced.to_owned()],
            rewritten: [None, None],
            element: 0,
            name: "Delete account".into(),
        }
    }

    const BASIC: &str = "The button \"Delete account\".";
    const ADVANCED: &str = "What is pressed to do something, directly above \"Tax 2024\", in the upper left.";

    fn judge(grounding: Grounding, reply: &str) -> Result<String, Flaw> {
        judged(&found(&shop(), BASIC, ADVANCED), grounding, reply, |c| c == '\u{202e}')
    }

    #[test]
    fn other_words_for_the_same_are_taken() {
        let basic = |reply| judge(Grounding::Basic, reply);
        assert_eq!(
            basic(" Press the \"Delete account\" button.\n").unwrap(),
            "Press the \"Delete account\" button."
        );
        // Names need not stand in quotes, and may be in curly ones.
        assert!(basic("Press Delete account.").is_ok());
        assert!(basic("Press \u{201c}Delete account\u{201d}.").is_ok());
        let advanced = |reply| judge(Grounding::Advanced, reply);
        assert!(advanced("The thing to press just above \"Tax 2024\", near the upper left corner.").is_ok());
        assert!(advanced("At the top left, what one presses above the link \"Tax 2024\".").is_ok());
    }

    #[test]
    fn what_would_change_an_item_is_not() {
        let long = format!("The \"Delete account\" button {}", "x".repeat(LONGEST));
        for (reply, flaw) in [
            ("", Flaw::Empty),
            (" \n ", Flaw::Empty),
            ("Here it is:\nThe \"Delete account\" button", Flaw::Lines),
            (long.as_str(), Flaw::Long),
            ("The\t\"Delete account\" button", Flaw::Unseen),
            ("\u{1b}[31mThe \"Delete account\" button", Flaw::Unseen),
            ("The \u{202e}\"Delete account\" button", Flaw::Unseen),
            ("the BUTTON \"Delete account\".", Flaw::Same),
            ("The button that deletes the account", Flaw::Lost),
            ("The button \"delete account\" here", Flaw::Lost),
            ("The button \"Delete accounts\" here", Flaw::Lost),
            ("The \"Delete account\" button at (110, 35)", Flaw::Numbers),
            ("The \"Delete account\" button, 12 px wide", Flaw::Numbers),
            ("The \"Delete account\" button, forty percent across", Flaw::Numbers),
            ("The \"Delete account\" button \u{ff11}", Flaw::Numbers),
            ("The \"Delete account\" button and \"Tax 2024\"", Flaw::Other),
            ("The \"Delete account\" button, not go", Flaw::Other),
            ("The \"Delete account\" button \"now\"", Flaw::Other),
            ("The \"Delete account\" button on the left", Flaw::Sides),
        ] {
            assert_eq!(judge(Grounding::Basic, reply), Err(flaw), "{reply}");
        }
        for (reply, flaw) in [
            ("Delete account, directly above \"Tax 2024\", in the upper left.", Flaw::Own),
            ("What deletes an account, above \"Tax 2024\", in the upper left.", Flaw::Own),
            ("What is pressed below \"Tax 2024\", in the upper left.", Flaw::Sides),
            ("What is pressed above \"Tax 2024\", on the right.", Flaw::Sides),
            ("What is pressed above \"Tax 2024\".", Flaw::Sides),
            ("What is pressed above the search, on the upper left.", Flaw::Lost),
            ("What is pressed near search, above \"Tax 2024\", upper left.", Flaw::Other),
        ] {
            assert_eq!(judge(Grounding::Advanced, reply), Err(flaw), "{reply}");
        }
    }

    proptest! {
        #[test]
        fn no_reply_breaks_it(reply in "\\PC{0,80}", own in "[ a-zA-Z\"é0-9]{0,12}") {
            for grounding in Grounding::ALL {
                let _ = judge(grounding, &reply);
                if let Ok(text) = judge(grounding, &format!("{own}\"Delete account\" {reply} \"Tax 2024\"")) {
                    prop_assert!(text.chars().count() <= LONGEST && !text.contains('\n'));
                }
            }
        }
    }
}
