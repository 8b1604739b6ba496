//! How the options of questions are laid out, dealt beforehand.
//!
//! Invariant: over a whole deck the right option has every letter, and every place in the order of lengths, equally often
//! for each number of options; so neither letter nor length says anything of what is right.

use super::dice::Dice;

const OPTIONS: [usize; 2] = [4, 6];
/// How many cards are looked through for one that a question can have.
const LOOK: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub options: usize,
    /// How many are longer than the right one; the others are shorter.
    pub longer: usize,
    /// The place of the right one, from 0.
    pub right: usize,
}

/// Layouts, in the order in which they are dealt.
#[derive(Clone, Debug)]
pub(crate) struct Deck {
    cards: Vec<Layout>,
    dice: Dice,
}

impl Deck {
    pub fn new(seed: u64, what: &str) -> Self {
        Self { cards: Vec::new(), dice: Dice::new(seed, what) }
    }

    /// The first of the next layouts that `fits`, with what that gives; it is dealt then.
    pub(crate) fn deal<T>(&mut self, mut fits: impl FnMut(Layout) -> Option<T>) -> Option<T> {
        if self.cards.len() < LOOK {
            self.refill();
        }
        for at in 0..LOOK.min(self.cards.len()) {
            if let Some(found) = fits(self.cards[at]) {
                self.cards.remove(at);
                return Some(found);
            }
        }
        None
    }

    /// Adds every layout; those with few options as often as those with many.
    fn refill(&mut self) {
        let [least, most] = OPTIONS;
        let mut all = Vec::new();
        for options in least..=most {
            let mut own: Vec<Layout> = (0..options)
                .flat_map(|longer| (0..options).map(move |right| Layout { options, longer, right }))
                .collect();
            self.dice.shuffle(&mut own);
            all.push(own);
        }
        let rounds = all.iter().map(Vec::len).max().unwrap_or_default();
        for round in 0..rounds {
            let mut cards: Vec<Layout> = all.iter().map(|own| own[round % own.len()]).collect();
            self.dice.shuffle(&mut cards);
            self.cards.extend(cards);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_and_no_length_is_the_right_one_more_often_than_others() {
        let mut deck = Deck::new(7, "test");
        let dealt: Vec<Layout> = (0..900).map(|_| deck.deal(Some).unwrap()).collect();
        for options in 4..=6 {
            let own: Vec<&Layout> = dealt.iter().filter(|layout| layout.options == options).collect();
            assert!((280..=320).contains(&own.len()), "{options}: {}", own.len());
            for place in 0..options {
                let share = |n: usize| n as f64 / own.len() as f64 - 1.0 / options as f64;
                let letters = own.iter().filter(|layout| layout.right == place).count();
                let lengths = own.iter().filter(|layout| layout.longer == place).count();
                assert!(share(letters).abs() < 0.04 && share(lengths).abs() < 0.04, "{options} {place}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_stays_for_the_next() {
        let mut deck = Deck::new(7, "test");
        let first = deck.deal(Some).unwrap();
        let mut again = Deck::new(7, "test");
        assert_eq!(
            again.deal(|layout| (layout != first).then_some(layout)).map(|layout| layout == first),
            Some(false)
        );
        assert_eq!(again.deal(Some).unwrap(), first);
        assert_eq!(again.deal(|_| None::<()>), None);
    }
}
