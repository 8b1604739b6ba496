//! Repetitions in a picture.
//!
//! A repetition starts where a pixel differs from the one before it: at the edge of a letter or a box. Only such
//! places are kept and looked up, so that plain ground costs nothing.

/// The colours that can be told by their place in a cache, and the bits of such a place.
pub(super) const CACHE_BITS: u32 = 10;
pub(super) const CACHE: usize = 1 << CACHE_BITS;
/// The longest repetition that one token tells, in pixels.
const LONGEST: usize = 4096;
/// The farthest that a repetition may lie back, in pixels: distances go up to 2^20, and the first 120 mean near places.
const FARTHEST: usize = (1 << 20) - 120;
/// A repetition of so many pixels is taken without looking for a longer one.
const ENOUGH: usize = 64;
/// Earlier places that are compared with one.
const TRIED: usize = 8;
/// About how many bits a pixel takes that is not a repetition.
const PIXEL_BITS: i32 = 5;
/// By how many bits a repetition from the next pixel has to be better.
const BETTER: i32 = 2;
const HASH_BITS: u32 = 16;

#[derive(Clone, Copy, Debug)]
pub(super) enum WebpToken {
    Literal(u32),
    Cached(u16),
    /// As many pixels, again, from so far back.
    Copy {
        length: u32,
        distance: u32,
    },
}

/// A repetition, and how many bits it saves.
#[derive(Clone, Copy, Default)]
struct Match {
    length: usize,
    distance: usize,
    saves: i32,
}

struct MatchFinder<'a> {
    pixels: &'a [u32],
    width: usize,
    /// The latest place of each hash, and for each place the one before; from 1, as 0 is none.
    latest: Vec<u32>,
    before: Vec<u32>,
}

pub(super) fn find(pixels: &[u32], width: usize) -> Vec<WebpToken> {
    let mut out = Vec::with_capacity(pixels.len() / 8);
    let mut finder =
        MatchFinder { pixels, width, latest: vec![0; 1 << HASH_BITS], before: vec![0; pixels.len()] };
    // No pixel is 0: all are opaque.
    let mut cache = [0_u32; CACHE];
    let slot = |pixel: u32| (pixel.wrapping_mul(0x1E35_A7BD) >> (32 - CACHE_BITS)) as usize;
    let mut at = 0;
    let mut ahead: Option<Match> = None;
    while let Some(&pixel) = pixels.get(at) {
        let mut here = ahead.take().unwrap_or_else(|| finder.best(at));
        finder.keep(at);
        if here.saves > 0 && here.length < ENOUGH {
            let next = finder.best(at + 1);
            if next.saves > here.saves + BETTER {
                here.saves = 0;
                ahead = Some(next);
            }
        }
        if here.saves <= 0 {
            let slot = slot(pixel);
            let known = std::mem::replace(&mut cache[slot], pixel) == pixel;
            out.push(if known { WebpToken::Cached(slot as u16) } else { WebpToken::Literal(pixel) });
            at += 1;
            continue;
        }
        let Match { length, distance, .. } = here;
        out.push(WebpToken::Copy { length: length as u32, distance: distance as u32 });
        if distance > 1 {
            // Long repetitions of the line above are found there again.
            let kept = length < ENOUGH || distance != width;
            for (place, pair) in (at..).zip(pixels[at - 1..at + length].windows(2)) {
                if pair[0] != pair[1] {
                    cache[slot(pair[1])] = pair[1];
                    if kept && place > at {
                        finder.keep(place);
                    }
                }
            }
        }
        at += length;
    }
    out
}

impl MatchFinder<'_> {
    fn is_edge(&self, at: usize) -> bool {
        at == 0 || self.pixels.get(at) != self.pixels.get(at - 1)
    }

    fn hash(&self, at: usize) -> Option<usize> {
        let [a, b, c, d] = *self.pixels.get(at..)?.first_chunk()?;
        let mixed = a.wrapping_mul(0x9E37_79B1)
            ^ b.wrapping_mul(0x85EB_CA77).rotate_left(9)
            ^ c.wrapping_mul(0xC2B2_AE3D).rotate_left(17)
            ^ d.wrapping_mul(0x27D4_EB2F).rotate_left(24);
        Some((mixed.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize)
    }

    /// Keeps a place, so that it is found as the start of a repetition.
    fn keep(&mut self, at: usize) {
        if self.is_edge(at)
            && let Some(hash) = self.hash(at)
        {
            self.before[at] = std::mem::replace(&mut self.latest[hash], at as u32 + 1);
        }
    }

    /// Takes the repetition from an earlier place where it saves more than the best so far.
    fn consider(&self, from: usize, at: usize, best: &mut Match) {
        // One that ends no later saves no more, as it lies farther back.
        if best.length > 0 && self.pixels.get(at + best.length) != self.pixels.get(from + best.length) {
            return;
        }
        let (length, distance) = (self.equal(from, at), at - from);
        let cost = match distance {
            1 => 10,
            near if near == self.width => 10,
            far => 12 + far.ilog2() as i32,
        };
        let saves = length as i32 * PIXEL_BITS - cost;
        if saves > best.saves {
            *best = Match { length, distance, saves };
        }
    }

    fn best(&self, at: usize) -> Match {
        let mut best = Match::default();
        if at == 0 || at >= self.pixels.len() {
            return best;
        }
        self.consider(at - 1, at, &mut best);
        if let Some(above) = at.checked_sub(self.width).filter(|_| self.width <= FARTHEST) {
            self.consider(above, at, &mut best);
        }
        if best.length >= ENOUGH || !self.is_edge(at) {
            return best;
        }
        let mut place = self.hash(at).map_or(0, |hash| self.latest[hash]);
        for _ in 0..TRIED {
            // The places before are farther still.
            let Some(from) = place.checked_sub(1).filter(|from| at - *from as usize <= FARTHEST) else {
                break;
            };
            self.consider(from as usize, at, &mut best);
            if best.length >= ENOUGH {
                break;
            }
            place = self.before[from as usize];
        }
        best
    }

    /// How many pixels are the same from two places on.
    fn equal(&self, from: usize, at: usize) -> usize {
        let most = (self.pixels.len() - at).min(LONGEST);
        let (a, b) = (&self.pixels[from..from + most], &self.pixels[at..at + most]);
        let eights =
            a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0).take_while(|(a, b)| a == b).count() * 8;
        eights + a[eights..].iter().zip(&b[eights..]).take_while(|(a, b)| a == b).count()
    }
}
