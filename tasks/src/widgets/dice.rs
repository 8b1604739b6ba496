//! The only source of chance of the suite.
//!
//! Invariant: the same archetype and seed give the same numbers on every machine and in every later
//! version; the drawing leans on no library's idea of a random range.

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of `seed` for the purpose `what`, such as an archetype's id.
    pub fn new(what: &str, seed: u64) -> Self {
        let digest = Sha256::digest(format!("waldo/widget/{what}/{seed}").as_bytes());
        Self(ChaCha8Rng::from_seed(digest.into()))
    }

    /// A number below `end`, each equally likely; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = end as u64;
        if end < 2 {
            return 0;
        }
        // What lies behind the last full multiple is drawn again, else small numbers come up more often.
        let full = u64::MAX - u64::MAX % end;
        loop {
            let drawn = self.0.next_u64();
            if drawn < full {
                return usize::try_from(drawn % end).unwrap_or_default();
            }
        }
    }

    /// A whole number from `low` to `high`, both included.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        let span = usize::try_from((high - low).max(0) + 1).unwrap_or(1);
        low + i64::try_from(self.below(span)).unwrap_or_default()
    }

    /// A real number from `low` to `high`, in steps of a 4,096th of the way.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(4097) as f64 / 4096.0
    }

    /// True in `percent` of all throws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `from`, which is not empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// `n` of `from`, all different, as drawn; all of them when there are fewer.
    pub fn sample<T: Copy>(&mut self, from: &[T], n: usize) -> Vec<T> {
        let mut all = from.to_vec();
        self.shuffle(&mut all);
        all.truncate(n);
        all
    }

    /// The numbers below `n` in a random order.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        self.shuffle(&mut all);
        all
    }

    /// Puts `list` into a random order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = self.below(last + 1);
            list.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_a_function_of_purpose_and_seed_within_its_ranges() {
        let draw = |what: &str, seed| {
            let mut dice = Dice::new(what, seed);
            (0..8).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw("a", 1), draw("a", 1));
        assert_ne!(draw("a", 1), draw("a", 2));
        assert_ne!(draw("a", 1), draw("b", 1));
        let mut dice = Dice::new("t", 0);
        let drawn: Vec<i64> = (0..400).map(|_| dice.int(-2, 3)).collect();
        assert!((-2..=3).all(|n| drawn.contains(&n)) && drawn.iter().all(|n| (-2..=3).contains(n)));
        let mut order = dice.order(9);
        order.sort_unstable();
        assert_eq!(order, (0..9).collect::<Vec<_>>());
        assert_eq!(dice.below(0), 0);
    }
}
