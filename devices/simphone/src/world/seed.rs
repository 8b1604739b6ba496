//! Where an app's first contents come from.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// The source of an app's first contents: the same for a seed and a package, whatever other apps do.
#[derive(Debug)]
pub(crate) struct Seed {
    rng: ChaCha8Rng,
    /// The phone's seed, for an app whose contents go with another's.
    pub phone: u64,
    /// Wall clock at the phone's start, seconds since 1970.
    pub start: i64,
}

impl Seed {
    /// Of a phone's seed and a package.
    pub fn of(seed: u64, package: &str, start: i64) -> Self {
        let mixed =
            package.bytes().fold(seed, |a, b| a.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(b)));
        Self { rng: ChaCha8Rng::seed_from_u64(mixed), phone: seed, start }
    }

    /// A number from `low` to `high`, both included.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        self.rng.random_range(low..=high.max(low))
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> Option<&'a T> {
        if from.is_empty() {
            return None;
        }
        let at = self.rng.random_range(0..from.len());
        from.get(at).copied()
    }

    /// So many different ones of several, in a drawn order.
    pub fn sample<T: Clone>(&mut self, from: &[T], count: usize) -> Vec<T> {
        let mut all = from.to_vec();
        for i in (1..all.len()).rev() {
            let j = self.rng.random_range(0..=i);
            all.swap(i, j);
        }
        all.truncate(count);
        all
    }
}
