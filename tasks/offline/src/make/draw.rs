//! A question and its options.
//!
//! Invariant: no option shares a word with its question, and options are as long as the layout says.

use std::collections::{BTreeMap, BTreeSet};

use super::deck::{Deck, Layout};
use super::dice::Dice;
use super::scene::words;

/// A question before it has options.
pub struct Open {
    pub question: String,
    /// Each of these is a right answer; one is taken.
    pub right: Vec<String>,
    pub wrong: Vec<String>,
    pub because: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnQuestion {
    pub question: String,
    pub options: BTreeMap<char, String>,
    pub answer: char,
    pub explanation: String,
}

/// Draws options for a question; `None` where there are too few.
pub fn draw(open: Open, deck: &mut Deck, dice: &mut Dice) -> Option<DrawnQuestion> {
    let asked = words(&open.question);
    let usable = |texts: Vec<String>, dice: &mut Dice| {
        let texts: BTreeSet<String> =
            texts.into_iter().filter(|text| words(text).is_disjoint(&asked)).collect();
        let mut texts: Vec<String> = texts.into_iter().collect();
        dice.shuffle(&mut texts);
        texts
    };
    let (right, wrong) = (usable(open.right, dice), usable(open.wrong, dice));
    let (options, answer) =
        deck.deal(|layout| right.iter().find_map(|right| laid_out(right, &wrong, layout)))?;
    let explanation = format!("{}: {}", open.because, options.get(&answer)?);
    Some(DrawnQuestion { question: open.question, options, answer, explanation })
}

fn laid_out(right: &str, wrong: &[String], layout: Layout) -> Option<(BTreeMap<char, String>, char)> {
    let long = |text: &str| text.chars().count();
    let (mut longer, mut shorter) = (Vec::new(), Vec::new());
    let mut taken: BTreeSet<String> = BTreeSet::from([right.to_lowercase()]);
    for text in wrong {
        let (list, want) = match long(text).cmp(&long(right)) {
            std::cmp::Ordering::Greater => (&mut longer, layout.longer),
            std::cmp::Ordering::Less => (&mut shorter, layout.options - 1 - layout.longer),
            std::cmp::Ordering::Equal => continue,
        };
        if list.len() < want && taken.insert(text.to_lowercase()) {
            list.push(text.clone());
        }
    }
    if longer.len() + shorter.len() + 1 < layout.options {
        return None;
    }
    let mut texts: Vec<String> = longer.into_iter().chain(shorter).collect();
    // Their order must not tell their lengths.
    let mut dice = Dice::new(layout.right as u64, &texts.concat());
    dice.shuffle(&mut texts);
    texts.insert(layout.right, right.to_owned());
    let options: BTreeMap<char, String> = ('A'..='Z').zip(texts).collect();
    let answer = ('A'..='Z').nth(layout.right)?;
    Some((options, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(right: &[&str], wrong: &[&str]) -> Open {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Open {
            question: "Which of these is here?".into(),
            right: texts(right),
            wrong: texts(wrong),
            because: "Seen",
        }
    }

    #[test]
    fn options_are_as_long_as_the_layout_says_and_share_no_word_with_the_question() {
        let layout = |longer| Layout { options: 4, longer, right: 2 };
        let wrong = ["a", "bb", "ccc", "eeeee", "ffffff", "ggggggg"].map(str::to_owned);
        for longer in 0..4 {
            let (options, answer) = laid_out("dddd", &wrong, layout(longer)).unwrap();
            assert_eq!((answer, options[&'C'].as_str(), options.len()), ('C', "dddd", 4));
            assert_eq!(options.values().filter(|text| text.len() > 4).count(), longer);
        }
        assert_eq!(laid_out("z", &wrong, layout(0)), None);
        let (mut deck, mut dice) = (Deck::new(1, "t"), Dice::new(1, "t"));
        let some = open(
            &["which one", "ok then"],
            &["a", "bb", "is it", "ccc", "e e e e e", "ffffffffff", "gggggggggg"],
        );
        let drawn = draw(some, &mut deck, &mut dice).unwrap();
        assert_eq!(drawn.options[&drawn.answer], "ok then");
        assert!(drawn.options.values().all(|text| text != "is it"));
        assert!(draw(open(&["which"], &["a"]), &mut deck, &mut dice).is_none());
    }
}
