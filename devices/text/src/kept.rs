//! Words that were read once, by what was read.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

use crate::part::PreparedPart;

const MOST: usize = 4_096;

/// What tells one part from another: a hash of its pixels that nobody can foresee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartKey(u64, u64);

/// Names of parts that were read; the oldest are forgotten first. Of a part the hash of its pixels is kept alone.
#[derive(Debug, Default)]
pub struct KeptWords {
    by: (RandomState, RandomState),
    names: Mutex<KeptNames>,
}

#[derive(Debug, Default)]
struct KeptNames {
    /// Each with the turn in which it was asked for last.
    all: HashMap<PartKey, (String, u64)>,
    turn: u64,
}

impl KeptWords {
    pub(crate) fn key(&self, part: &PreparedPart) -> PartKey {
        let content = part.content();
        PartKey(self.by.0.hash_one(content), self.by.1.hash_one(content))
    }

    /// The name of a part that was read; empty where it had none.
    pub(crate) fn get(&self, key: PartKey) -> Option<String> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = names.turn;
        let (name, last) = names.all.get_mut(&key)?;
        *last = turn;
        Some(name.clone())
    }

    pub(crate) fn keep(&self, read: impl IntoIterator<Item = (PartKey, String)>) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.turn += 1;
        let turn = names.turn;
        names.all.extend(read.into_iter().map(|(key, name)| (key, (name, turn))));
        if names.all.len() > MOST {
            let mut turns: Vec<u64> = names.all.values().map(|(_, turn)| *turn).collect();
            turns.sort_unstable();
            let oldest = turns[turns.len() - MOST / 2];
            names.all.retain(|_, (_, turn)| *turn >= oldest);
            // All of one look.
            if names.all.len() > MOST {
                names.all.clear();
            }
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.names.lock().unwrap().all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten_and_no_more_are_kept_than_the_bound() {
        let kept = KeptWords::default();
        let look = |from: u64, count: u64| (from..from + count).map(|n| (PartKey(n, n), n.to_string()));
        kept.keep(look(0, 2_000));
        kept.keep(look(2_000, 2_000));
        assert_eq!(kept.get(PartKey(7, 7)).as_deref(), Some("7"));
        kept.keep(look(4_000, 2_000));
        assert_eq!(kept.len(), 4_001, "the last two looks, and what was asked for since");
        assert_eq!(kept.get(PartKey(5_000, 5_000)).as_deref(), Some("5000"));
        kept.keep(look(10_000, 9_000));
        assert!(kept.len() <= MOST);
    }
}
