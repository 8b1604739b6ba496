//! `difflib.SequenceMatcher(a, b).ratio()`, with its rule that leaves out what is too frequent.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use waldo_office::budget;

/// How alike two sequences are, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "sequences are far shorter than 2^52")]
pub fn ratio<T: Eq + Hash>(a: &[T], b: &[T]) -> f64 {
    let all = a.len() + b.len();
    if all == 0 {
        return 1.0;
    }
    2.0 * matching(a, b) as f64 / all as f64
}

fn matching<T: Eq + Hash>(a: &[T], b: &[T]) -> usize {
    let mut places: HashMap<&T, Vec<usize>> = HashMap::new();
    for (j, item) in b.iter().enumerate() {
        places.entry(item).or_default().push(j);
    }
    if b.len() >= 200 {
        let most = b.len() / 100 + 1;
        let popular: HashSet<&T> =
            places.iter().filter(|(_, at)| at.len() > most).map(|(item, _)| *item).collect();
        places.retain(|item, _| !popular.contains(item));
    }
    let mut found = 0;
    let mut left = vec![(0, a.len(), 0, b.len())];
    while let Some((alo, ahi, blo, bhi)) = left.pop() {
        let (i, j, n) = longest(a, b, &places, (alo, ahi, blo, bhi));
        if n > 0 {
            found += n;
            left.push((alo, i, blo, j));
            left.push((i + n, ahi, j + n, bhi));
        }
    }
    found
}

/// Start in `a`, start in `b` and length of the longest block in the window; the earliest of the longest.
fn longest<T: Eq + Hash>(
    a: &[T],
    b: &[T],
    places: &HashMap<&T, Vec<usize>>,
    (alo, ahi, blo, bhi): (usize, usize, usize, usize),
) -> (usize, usize, usize) {
    let (mut i, mut j, mut n) = (alo, blo, 0);
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    for (at, item) in a.iter().enumerate().take(ahi).skip(alo).take_while(|_| budget::goes_on()) {
        let mut next = HashMap::new();
        for &bt in places.get(item).map(Vec::as_slice).unwrap_or_default() {
            if bt < blo {
                continue;
            }
            if bt >= bhi {
                break;
            }
            let k = bt.checked_sub(1).and_then(|b| lengths.get(&b)).copied().unwrap_or(0) + 1;
            next.insert(bt, k);
            if k > n {
                (i, j, n) = (at + 1 - k, bt + 1 - k, k);
            }
        }
        lengths = next;
    }
    // What was too frequent to start a block may still extend one.
    while i > alo && j > blo && a.get(i - 1) == b.get(j - 1) {
        (i, j, n) = (i - 1, j - 1, n + 1);
    }
    while i + n < ahi && j + n < bhi && a.get(i + n) == b.get(j + n) {
        n += 1;
    }
    (i, j, n)
}
