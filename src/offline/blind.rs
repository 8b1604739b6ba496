//! What bounds the scores of the offline levels: from above, and by answers that no picture was looked at for.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};
use waldo_offline::{PlaceItem, Question, Share};

use super::bench::Level;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blind {
    Reference,
    /// L1: the option that shares most words with the question. L2: the middle of the picture.
    Baseline,
    Random,
    Noop,
    /// L1: the longest option.
    LongestOption,
    /// L1: the letter that is right most often in this very file.
    CommonestLetter,
}

impl Blind {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "reference" => Self::Reference,
            "baseline" => Self::Baseline,
            "random" => Self::Random,
            "noop" => Self::Noop,
            "longest-option" => Self::LongestOption,
            "commonest-letter" => Self::CommonestLetter,
            _ => return None,
        })
    }

    pub fn letter(self, question: &Question, commonest: char, seed: u64, turn: usize) -> String {
        let letters: Vec<char> = question.options.keys().copied().collect();
        let chance = |n: usize| {
            let n = n.max(1) as u64;
            usize::try_from(drawn(seed, &format!("{}/{turn}", question.id))[0] % n).unwrap_or_default()
        };
        let most = |value: &dyn Fn(&str) -> usize| {
            let most = question.options.values().map(|text| value(text)).max().unwrap_or_default();
            let best = question.options.iter().filter(|(_, text)| value(text) == most);
            let best: Vec<char> = best.map(|(letter, _)| *letter).collect();
            best.get(chance(best.len())).copied()
        };
        match self {
            Self::Reference => return question.answer.clone(),
            Self::Noop => None,
            Self::Random => letters.get(chance(letters.len())).copied(),
            Self::Baseline => {
                let asked = words(&question.question);
                most(&|text| words(text).intersection(&asked).count())
            }
            Self::LongestOption => most(&|text| text.chars().count()),
            Self::CommonestLetter => Some(commonest),
        }
        .map(String::from)
        .unwrap_or_default()
    }

    pub fn point(self, item: &PlaceItem, seed: u64) -> Option<Share> {
        let share = |n: u64| (n >> 11) as f64 / (1_u64 << 53) as f64;
        match self {
            Self::Reference => Some(item.middle()),
            Self::Baseline => Some(Share { x: 0.5, y: 0.5 }),
            Self::Random => {
                let [x, y] = drawn(seed, &item.id);
                Some(Share { x: share(x), y: share(y) })
            }
            Self::Noop | Self::LongestOption | Self::CommonestLetter => None,
        }
    }
}

pub fn blind_names(level: Level) -> &'static [&'static str] {
    match level {
        Level::L1 => &["reference", "baseline", "longest-option", "commonest-letter", "random", "noop"],
        Level::L2 => &["reference", "baseline", "random", "noop"],
    }
}

/// The letter that is right most often.
pub fn commonest(questions: &[Question]) -> char {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for letter in questions.iter().filter_map(|question| question.answer.chars().next()) {
        *counts.entry(letter).or_default() += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, n)| *n).map_or('A', |(letter, _)| letter)
}

fn drawn(seed: u64, item: &str) -> [u64; 2] {
    let digest = Sha256::digest(format!("{seed}/{item}"));
    let number = |from: usize| {
        digest[from..from + 8].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    [number(0), number(8)]
}

/// The words of a text, lower case, without the commonest ones.
fn words(text: &str) -> BTreeSet<String> {
    const COMMON: [&str; 16] = [
        "the", "a", "an", "of", "to", "in", "on", "is", "are", "and", "or", "what", "which", "this", "that",
        "it",
    ];
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty() && !COMMON.contains(&word.as_str()))
        .collect()
}
