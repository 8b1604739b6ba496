//! `rapidfuzz.fuzz.ratio`: how much of two texts is common, by insertions and deletions only.

use std::collections::HashMap;

use waldo_office::budget::{self, Cost};

/// `fuzz.ratio(a, b) / 100`, from 0 to 1.
pub fn ratio(a: &str, b: &str) -> f64 {
    // The same steps as the original, so that the last digits are the same.
    score(a, b) / 100.0
}

/// `fuzz.ratio(a, b)`, from 0 to 100.
#[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52")]
pub fn score(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let all = a.len() + b.len();
    if all == 0 {
        return 100.0;
    }
    let distance = all - 2 * common(&a, &b);
    (1.0 - distance as f64 / all as f64) * 100.0
}

/// Length of the longest common subsequence, 64 characters of `a` at a time.
fn common(a: &[char], b: &[char]) -> usize {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(start..).unwrap_or_default(), b.get(start..).unwrap_or_default());
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(..a.len() - end).unwrap_or_default(), b.get(..b.len() - end).unwrap_or_default());
    if a.is_empty() || b.is_empty() {
        return start + end;
    }
    let words = a.len().div_ceil(64);
    let mut places: HashMap<char, Vec<u64>> = HashMap::new();
    for (i, c) in a.iter().enumerate() {
        if !places.contains_key(c) && budget::spend(Cost::Bytes, words as u64 * 8).is_err() {
            return 0;
        }
        if let Some(word) = places.entry(*c).or_insert_with(|| vec![0; words]).get_mut(i / 64) {
            *word |= 1 << (i % 64);
        }
    }
    // A zero bit is a character of `a` that is part of the subsequence so far (Hyyrö 2004).
    let mut state = vec![u64::MAX; words];
    for c in b {
        let Some(place) = places.get(c) else { continue };
        if !budget::goes_on() {
            return 0;
        }
        let mut carry = false;
        for (word, place) in state.iter_mut().zip(place) {
            let hit = *word & place;
            let (sum, over) = word.overflowing_add(hit);
            let (sum, over2) = sum.overflowing_add(u64::from(carry));
            carry = over || over2;
            *word = sum | (*word - hit);
        }
    }
    let spare = words * 64 - a.len();
    if let Some(last) = state.last_mut() {
        // Bits beyond the text never count.
        *last |= u64::MAX.checked_shl(u32::try_from(64 - spare).unwrap_or(64)).unwrap_or(0);
    }
    let kept: usize = state.iter().map(|word| word.count_zeros() as usize).sum();
    start + end + kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(a: &[char], b: &[char]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (j, y) in b.iter().enumerate() {
                let up = row[j + 1];
                row[j + 1] = if x == y { corner + 1 } else { up.max(row[j]) };
                corner = up;
            }
        }
        row[b.len()]
    }

    proptest::proptest! {
        #[test]
        fn common_is_the_longest_subsequence(a in "[abcé]{0,150}", b in "[abcé]{0,150}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            proptest::prop_assert_eq!(common(&a, &b), slow(&a, &b));
        }
    }
}
