//! Huffman codes as VP8L writes them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The longest code of a symbol, and of a length of codes, in bits.
const LONGEST: u32 = 15;
const LONGEST_OF_LENGTHS: u32 = 7;
/// The order in which the lengths of the codes for lengths are told.
const ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// Symbols among lengths: the last one again, a few zeros, many zeros.
const AGAIN: usize = 16;
const ZEROS: usize = 17;
const MANY_ZEROS: usize = 18;

/// Bits in the making, the first in the lowest place.
#[derive(Default)]
pub(super) struct Bits {
    out: Vec<u8>,
    bits: u64,
    count: u32,
}

impl Bits {
    /// Adds at most 32 bits.
    pub fn push(&mut self, bits: u32, count: u32) {
        self.bits |= u64::from(bits) << self.count;
        self.count += count;
        if self.count >= 32 {
            self.out.extend_from_slice(&(self.bits as u32).to_le_bytes());
            self.bits >>= 32;
            self.count -= 32;
        }
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(&self.bits.to_le_bytes()[..self.count.div_ceil(8) as usize]);
        self.out
    }
}

pub(super) struct Code(Vec<(u32, u32)>);

impl Code {
    /// Writes the code for symbols that are used this often; it is the one to use for them.
    pub fn write(bits: &mut Bits, counts: &[u32]) -> Self {
        let used: Vec<usize> = (0..counts.len()).filter(|symbol| counts[*symbol] > 0).take(3).collect();
        if used.len() < 3 && used.iter().all(|symbol| *symbol < 256) {
            return Self::write_one_or_two(bits, counts.len(), &used);
        }
        let lengths = code_lengths(counts, LONGEST);
        let runs = runs(&lengths);
        let mut run_counts = [0; 19];
        runs.iter().for_each(|(symbol, ..)| run_counts[*symbol] += 1);
        let run_lengths = code_lengths(&run_counts, LONGEST_OF_LENGTHS);
        let told =
            ORDER.iter().rposition(|symbol| run_lengths[*symbol] > 0).map_or(4, |last| (last + 1).max(4));
        bits.push(0, 1);
        bits.push(told as u32 - 4, 4);
        ORDER[..told].iter().for_each(|symbol| bits.push(run_lengths[*symbol].into(), 3));
        // All symbols are told.
        bits.push(0, 1);
        let run_code = Self::of(&run_lengths);
        for (symbol, more, count) in runs {
            run_code.push(bits, symbol);
            bits.push(more, count);
        }
        Self::of(&lengths)
    }

    fn write_one_or_two(bits: &mut Bits, symbols: usize, used: &[usize]) -> Self {
        let mut codes = vec![(0, 0); symbols];
        let first = used.first().copied().unwrap_or_default();
        bits.push(0b101 | u32::from(used.len() == 2) << 1, 3);
        bits.push(first as u32, 8);
        if let Some(second) = used.get(1) {
            bits.push(*second as u32, 8);
            codes[first] = (0, 1);
            codes[*second] = (1, 1);
        }
        Self(codes)
    }

    /// The codes of RFC 1951, 3.2.2: in the order of their lengths, then of their symbols.
    fn of(lengths: &[u8]) -> Self {
        let mut codes = vec![(0, 0); lengths.len()];
        let mut next = 0_u32;
        for length in 1..=LONGEST {
            for (code, _) in codes.iter_mut().zip(lengths).filter(|(_, l)| u32::from(**l) == length) {
                // Codes are written from their highest bit.
                *code = (next.reverse_bits() >> (32 - length), length);
                next += 1;
            }
            next <<= 1;
        }
        Self(codes)
    }

    pub fn push(&self, bits: &mut Bits, symbol: usize) {
        let (code, count) = self.0[symbol];
        bits.push(code, count);
    }
}

/// How long the code of each symbol is, none longer than `limit`: by Huffman, where the rare are taken for more
/// frequent until all fit.
fn code_lengths(counts: &[u32], limit: u32) -> Vec<u8> {
    let used: Vec<usize> = (0..counts.len()).filter(|symbol| counts[*symbol] > 0).collect();
    let mut floor = 1;
    loop {
        let mut lengths = vec![0; counts.len()];
        if let [only] = *used {
            lengths[only] = 1;
            return lengths;
        }
        let mut nodes: BinaryHeap<Reverse<(u32, usize)>> =
            used.iter().enumerate().map(|(n, symbol)| Reverse((counts[*symbol].max(floor), n))).collect();
        let mut parents = vec![usize::MAX; used.len()];
        while let (Some(Reverse(a)), Some(Reverse(b))) = (nodes.pop(), nodes.pop()) {
            let node = parents.len();
            parents.push(usize::MAX);
            (parents[a.1], parents[b.1]) = (node, node);
            if nodes.is_empty() {
                break;
            }
            nodes.push(Reverse((a.0 + b.0, node)));
        }
        let mut depths = vec![0_u32; parents.len()];
        for node in (0..parents.len()).rev() {
            depths[node] = depths.get(parents[node]).map_or(0, |parent| parent + 1);
        }
        if depths[..used.len()].iter().all(|depth| *depth <= limit) {
            used.iter().zip(depths).for_each(|(symbol, depth)| lengths[*symbol] = depth as u8);
            return lengths;
        }
        floor *= 2;
    }
}

/// Lengths of codes with their repetitions: symbol, further bits and how many.
fn runs(lengths: &[u8]) -> Vec<(usize, u32, u32)> {
    let mut out = Vec::new();
    for run in lengths.chunk_by(|a, b| a == b) {
        let value = usize::from(run[0]);
        let mut left = run.len();
        if value != 0 {
            out.push((value, 0, 0));
            left -= 1;
        }
        while left > 0 {
            let (taken, told) = match (value, left) {
                (_, 1 | 2) => (1, (value, 0, 0)),
                (0, 3..=10) => (left, (ZEROS, left as u32 - 3, 3)),
                (0, _) => (left.min(138), (MANY_ZEROS, left.min(138) as u32 - 11, 7)),
                _ => (left.min(6), (AGAIN, left.min(6) as u32 - 3, 2)),
            };
            out.push(told);
            left -= taken;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_to_their_limit_and_fill_their_space() {
        // Counts like these make the longest codes that there are.
        let fibonacci: Vec<u32> = std::iter::successors(Some((1, 1)), |(a, b)| Some((*b, a + b)))
            .map(|(a, _)| a)
            .take(40)
            .collect();
        for limit in [7, 15] {
            let lengths = code_lengths(&fibonacci, limit);
            let space: u32 = lengths.iter().map(|length| 1 << (limit - u32::from(*length))).sum();
            assert_eq!(space, 1 << limit);
        }
        assert_eq!(code_lengths(&[0, 5, 0], 15), [0, 1, 0]);
    }

    #[test]
    fn repetitions_stand_for_all_lengths() {
        let lengths: Vec<u8> = [(3, 1), (0, 2), (0, 11), (5, 2), (5, 9), (0, 300), (2, 4), (0, 10)]
            .map(|(v, n)| vec![v; n])
            .concat();
        let mut back: Vec<u8> = Vec::new();
        for (symbol, more, _) in runs(&lengths) {
            match symbol {
                AGAIN => back.extend(vec![*back.last().unwrap(); more as usize + 3]),
                ZEROS => back.extend(vec![0; more as usize + 3]),
                MANY_ZEROS => back.extend(vec![0; more as usize + 11]),
                length => back.push(length as u8),
            }
        }
        assert_eq!(back, lengths);
    }
}
