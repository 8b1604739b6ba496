//! `--partition slice:M/N`: a part of a run's episodes, the same on every machine.

use std::fmt;
use std::str::FromStr;

/// Every N-th episode in the declared order, beginning with the M-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    part: usize,
    of: usize,
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong =
            || format!("'{text}' is not a part: write it like slice:1/3, from slice:1/N to slice:N/N");
        let (part, of) = text.strip_prefix("slice:").and_then(|s| s.split_once('/')).ok_or_else(wrong)?;
        let (part, of) = (part.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if part >= 1 && part <= of { Ok(Self { part, of }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "slice:{}/{}", self.part, self.of)
    }
}

impl Partition {
    /// The part's share of `all`.
    pub fn of<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.part - 1).step_by(self.of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_complete_and_wrong_ones_refused() {
        for of in 1..6 {
            let mut all: Vec<usize> =
                (1..=of).flat_map(|part| Partition { part, of }.of((0..17).collect())).collect();
            all.sort_unstable();
            assert_eq!(all, (0..17).collect::<Vec<_>>());
        }
        for bad in ["", "1/3", "slice:0/3", "slice:4/3", "slice:a/b", "slice:1", "hash:1/2"] {
            assert!(bad.parse::<Partition>().is_err(), "{bad}");
        }
        assert_eq!("slice:2/3".parse::<Partition>().unwrap().to_string(), "slice:2/3");
    }
}
