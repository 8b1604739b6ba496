//! Bytes that are mostly zero as a zlib stream: the lines of a screen, each told by its difference to the one
//! above.
//!
//! A well-kept compressor looks at every byte to find out which are zero. Who compared the lines knows, and
//! says so: on the screens of a phone that halves the time of a PNG. Of RFC 1951 only what such bytes need
//! is here: one block, with a table of codes that is always the same, runs of zeros, and single bytes.
//!
//! Invariant: the stream is whole and right for any bytes; how small it gets depends on how many are zero.

use simd_adler32::Adler32;

/// How many bits the code of each symbol has, in hexadecimal: the 256 bytes, the end, and the 29 lengths
/// of runs. Counted on labelled screens of phones and pages, none longer than 12 bits.
const BITS: &[u8; 286] = b"\
    24786878889989999997989977a7a9a8a77a987a98aaaaaa99a89aa9aaaaaaaa\
    aaaaaaaaaaaa9aa8aa9aa9a999aaaaaa9aa9aaa9a8aaa98999a9aaaaaa9aa98a\
    aa89aa9aaaaaa9a99989aaa9a9aaa8aaaaa99aa99999aa8aa9aa9aaaaaaaaaaa\
    aaaaaaaaa9aa98999aaaaaa89a68997698a9a9a689879999899a899998899894\
    cccccccccccccc9cccacbbaba8aa94";

/// The shortest run that each symbol for a length stands for, from symbol 257, and one past the longest.
const RUNS: [u16; 30] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258, 259,
];
/// The longest run that one symbol tells.
const LONGEST: usize = 258;
/// The symbol that ends a block.
const END: usize = 256;
/// What Adler-32 counts by.
const MODULUS: u64 = 65_521;

/// Some bits of the stream, the first in the lowest place.
#[derive(Clone, Copy)]
struct Bits {
    bits: u32,
    count: u32,
}

impl Bits {
    const NONE: Self = Self { bits: 0, count: 0 };

    const fn then(self, bits: u32, count: u32) -> Self {
        Self { bits: self.bits | bits << self.count, count: self.count + count }
    }
}

const fn length_of(symbol: usize) -> u32 {
    match BITS[symbol] {
        digit @ b'0'..=b'9' => (digit - b'0') as u32,
        letter => (letter - b'a') as u32 + 10,
    }
}

/// The codes of RFC 1951, 3.2.2: in the order of their lengths, then of their symbols.
static CODES: [Bits; 286] = {
    let mut codes = [Bits::NONE; 286];
    let (mut next, mut length) = (0_u32, 1);
    while length <= 12 {
        let mut symbol = 0;
        while symbol < codes.len() {
            if length_of(symbol) == length {
                // Codes are written from their highest bit.
                codes[symbol] = Bits { bits: next.reverse_bits() >> (32 - length), count: length };
                next += 1;
            }
            symbol += 1;
        }
        next <<= 1;
        length += 1;
    }
    codes
};

/// How a number of zeros is told that follow upon a zero: fewer than four one by one, else as a run.
static ZEROS: [Bits; LONGEST + 1] = {
    let mut zeros = [Bits::NONE; LONGEST + 1];
    let mut n = 1;
    while n <= LONGEST {
        zeros[n] = if n < 4 {
            zeros[n - 1].then(CODES[0].bits, CODES[0].count)
        } else {
            let mut symbol = 0;
            while (RUNS[symbol + 1] as usize) <= n {
                symbol += 1;
            }
            let code = CODES[END + 1 + symbol];
            // The longest run has a symbol of its own, without further bits.
            let room = if symbol == 28 {
                1
            } else {
                (if symbol == 27 { 259 } else { RUNS[symbol + 1] }) - RUNS[symbol]
            };
            let more = (n - RUNS[symbol] as usize) as u32;
            // The only distance, one byte back, takes one bit.
            code.then(more, (room as u32).ilog2()).then(0, 1)
        };
        n += 1;
    }
    zeros
};

pub(super) struct ZlibStream {
    out: Vec<u8>,
    bits: u64,
    count: u32,
    /// The two sums of Adler-32.
    sums: (u64, u64),
}

impl ZlibStream {
    /// The head of a stream, with the table of codes.
    pub fn new() -> Self {
        let mut out = Vec::with_capacity(1 << 18);
        out.extend([0x78, 0x01]);
        let mut stream = Self { out, bits: 0, count: 0, sums: (1, 0) };
        // The last block, with a table: 286 symbols, one distance, and 19 lengths of codes for what follows.
        stream.push(0b101 | (286 - 257) << 3 | 15 << 13, 17);
        // No repetitions (the first three); the 16 lengths have four bits each.
        stream.push(0, 9);
        for _ in 0..16 {
            stream.push(4, 3);
        }
        for length in (0..BITS.len()).map(length_of).chain([1]) {
            stream.push(u64::from(length.reverse_bits() >> 28), 4);
        }
        stream
    }

    /// Adds at most 64 bits.
    fn push(&mut self, bits: u64, count: u32) {
        self.bits |= bits << self.count;
        self.count += count;
        if self.count >= 64 {
            self.out.extend_from_slice(&self.bits.to_le_bytes());
            self.count -= 64;
            self.bits = bits.checked_shr(count - self.count).unwrap_or(0);
        }
    }

    fn code(&mut self, code: Bits) {
        self.push(code.bits.into(), code.count);
    }

    pub fn byte(&mut self, byte: u8) {
        self.sums.0 = (self.sums.0 + u64::from(byte)) % MODULUS;
        self.sums.1 = (self.sums.1 + self.sums.0) % MODULUS;
        self.code(CODES[usize::from(byte)]);
    }

    pub fn zeros(&mut self, count: usize) {
        self.sums.1 = (self.sums.1 + count as u64 % MODULUS * self.sums.0) % MODULUS;
        self.run(count);
    }

    /// Adds bytes of which many are zero.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let mut sum = Adler32::from_checksum((self.sums.1 << 16 | self.sums.0) as u32);
        sum.write(bytes);
        let sum = u64::from(sum.finish());
        self.sums = (sum & 0xFFFF, sum >> 16);
        let (parts, rest) = bytes.as_chunks::<24>();
        let mut run = 0;
        for part in parts {
            if *part == [0; 24] {
                run += part.len();
            } else {
                self.run(std::mem::take(&mut run));
                self.part(part);
            }
        }
        self.run(run);
        rest.iter().for_each(|byte| self.code(CODES[usize::from(*byte)]));
    }

    /// Adds the codes of bytes. Nothing here depends on a guess: how long each code is cannot be foreseen.
    fn part(&mut self, bytes: &[u8; 24]) {
        let (mut bits, mut count) = (u128::from(self.bits), self.count);
        let mut words = [0_u64; 5];
        let mut full = 0;
        for six in bytes.as_chunks::<6>().0 {
            let [a, b, c, d, e, f] =
                six.map(|byte| CODES[usize::from(byte)]).map(|code| (u64::from(code.bits), code.count));
            let join = |a: (u64, u32), b: (u64, u32)| (a.0 | b.0 << a.1, a.1 + b.1);
            // Six codes of single bytes have at most 60 bits.
            let all = join(join(join(a, b), join(c, d)), join(e, f));
            bits |= u128::from(all.0) << count;
            count += all.1;
            words[full] = bits as u64;
            full += (count / 64) as usize;
            bits >>= count & 64;
            count &= 63;
        }
        self.out.extend_from_slice(words.map(u64::to_le_bytes)[..full].as_flattened());
        (self.bits, self.count) = (bits as u64, count);
    }

    fn run(&mut self, zeros: usize) {
        let Some(mut more) = zeros.checked_sub(1) else { return };
        self.code(CODES[0]);
        while more > 0 {
            self.code(ZEROS[more.min(LONGEST)]);
            more = more.saturating_sub(LONGEST);
        }
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.code(CODES[END]);
        let rest = self.bits.to_le_bytes();
        self.out.extend(&rest[..self.count.div_ceil(8) as usize]);
        self.out.extend((self.sums.1 << 16 | self.sums.0).to_be_bytes().into_iter().skip(4));
        self.out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Part {
        Zeros(usize),
        Byte(u8),
        Bytes(Vec<u8>),
    }

    fn part() -> impl Strategy<Value = Part> {
        let sparse = prop_oneof![20 => Just(0_u8), 1 => any::<u8>()];
        prop_oneof![
            (0..3000_usize).prop_map(Part::Zeros),
            any::<u8>().prop_map(Part::Byte),
            prop::collection::vec(sparse, 0..600).prop_map(Part::Bytes),
            prop::collection::vec(any::<u8>(), 0..100).prop_map(Part::Bytes),
        ]
    }

    fn check(parts: &[Part]) {
        let mut stream = ZlibStream::new();
        let mut all = Vec::new();
        for part in parts {
            match part {
                Part::Zeros(count) => {
                    stream.zeros(*count);
                    all.resize(all.len() + count, 0);
                }
                Part::Byte(byte) => {
                    stream.byte(*byte);
                    all.push(*byte);
                }
                Part::Bytes(bytes) => {
                    stream.bytes(bytes);
                    all.extend(bytes);
                }
            }
        }
        // It also checks the sum.
        assert_eq!(fdeflate::decompress_to_vec(&stream.finish()).unwrap(), all);
    }

    #[test]
    fn the_codes_fill_their_space() {
        let filled: u32 = CODES.iter().map(|code| 1 << (12 - code.count)).sum();
        assert_eq!(filled, 1 << 12);
        let longest = CODES[..256].iter().map(|code| code.count).max();
        assert!(longest <= Some(10), "six of them must fit into 64 bits: {longest:?}");
    }

    #[test]
    fn runs_of_all_lengths_read_back() {
        (0..1200).for_each(|n| check(&[Part::Zeros(n), Part::Byte(7), Part::Zeros(n)]));
        check(&[Part::Zeros(30_000_000)]);
        (0..=255).for_each(|byte| check(&[Part::Bytes(vec![byte; 31]), Part::Byte(byte)]));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(parts in prop::collection::vec(part(), 0..30)) {
            check(&parts);
        }
    }
}
