//! Chance that a seed decides (SplitMix64).

#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub fn new(seed: u64, what: &str) -> Self {
        // FNV-1a.
        let hash = what.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let n = n.max(1) as u64;
        usize::try_from(self.next() % n).unwrap_or_default()
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_the_seeds() {
        let throw = |seed, what: &str| {
            let mut dice = Dice::new(seed, what);
            let mut list: Vec<usize> = (0..20).collect();
            dice.shuffle(&mut list);
            list
        };
        assert_eq!(throw(1, "a"), throw(1, "a"));
        assert_ne!(throw(1, "a"), throw(2, "a"));
        assert_ne!(throw(1, "a"), throw(1, "b"));
        let mut all = throw(3, "c");
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<_>>());
        assert_eq!(Dice::new(0, "").below(0), 0);
    }
}
