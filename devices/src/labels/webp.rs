//! Screens as lossless WebP (the format "VP8L"), packed fast and small.
//!
//! What fills a screen repeats: letters, boxes, numbers on plates. PNG finds a repetition 32 KiB back, which is
//! eight lines of a screen; here it may lie anywhere before. [`matches`] finds repetitions of whole pixels,
//! [`codes`] writes the Huffman codes. Predictors, which photographs gain by, are left to `image-webp`: where
//! few pixels repeat, its answer is taken if it is smaller.
//!
//! Invariant: what is written reads back as the same pixels, whatever they are.

mod codes;
mod matches;

use image::RgbImage;
use image::codecs::webp::WebPEncoder;
use image::error::{EncodingError, ImageFormatHint};
use image::{ExtendedColorType, ImageError, ImageFormat};

use self::codes::{Bits, Code};
use self::matches::{CACHE, CACHE_BITS, WebpToken};
use crate::error::DeviceError;

/// The longest side that the format can tell, in px.
pub(super) const MAX_SIDE: u32 = 16_383;
/// Symbols for lengths of repetitions, and for distances.
const LENGTHS: usize = 24;
const DISTANCES: usize = 40;
/// Of so many pixels one, or more, stands for itself in a photograph.
const PHOTOGRAPH: usize = 6;
/// Distances to near pixels (to the left, above) that have short codes, in the order of the specification.
const NEAR: [(i64, i64); 24] = [
    (0, 1),
    (1, 0),
    (1, 1),
    (-1, 1),
    (0, 2),
    (2, 0),
    (1, 2),
    (-1, 2),
    (2, 1),
    (-2, 1),
    (2, 2),
    (-2, 2),
    (0, 3),
    (3, 0),
    (1, 3),
    (-1, 3),
    (3, 1),
    (-3, 1),
    (2, 3),
    (-2, 3),
    (3, 2),
    (-3, 2),
    (0, 4),
    (4, 0),
];

struct SymbolCounts {
    green: Vec<u32>,
    red: [u32; 256],
    blue: [u32; 256],
    distance: [u32; DISTANCES],
}

/// The picture as lossless WebP.
///
/// # Errors
/// [`DeviceError::Image`] for a picture without pixels or with a side above 16,383 px.
pub(super) fn encode(picture: &RgbImage) -> Result<Vec<u8>, DeviceError> {
    let (width, height) = picture.dimensions();
    if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
        let why = format!("{width}x{height} px: WebP takes sides from 1 to {MAX_SIDE} px; choose PNG");
        let hint = ImageFormatHint::Exact(ImageFormat::WebP);
        return Err(ImageError::Encoding(EncodingError::new(hint, why)).into());
    }
    // Grey text is told by green alone.
    let pixels: Vec<u32> = (picture.as_raw().as_chunks::<3>().0.iter())
        .map(|&[r, g, b]| u32::from_be_bytes([0xFF, r.wrapping_sub(g), g, b.wrapping_sub(g)]))
        .collect();
    let tokens = matches::find(&pixels, width as usize);
    let own = written((width, height), &tokens);
    let literals = tokens.iter().filter(|token| matches!(token, WebpToken::Literal(_))).count();
    if literals * PHOTOGRAPH < pixels.len() {
        return Ok(own);
    }
    let mut predicted = Vec::new();
    WebPEncoder::new_lossless(&mut predicted).encode(
        picture.as_raw(),
        width,
        height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(if predicted.len() < own.len() { predicted } else { own })
}

/// The file of a picture of this width and height in px.
fn written((width, height): (u32, u32), tokens: &[WebpToken]) -> Vec<u8> {
    let near = NEAR.map(|(x, y)| x + y * i64::from(width));
    let told = |distance: u32| {
        near.iter().position(|d| *d == i64::from(distance)).map_or(distance + 120, |at| at as u32 + 1)
    };
    let mut bits = Bits::default();
    bits.push(0x2F, 8);
    bits.push(width - 1, 14);
    bits.push(height - 1, 14);
    // No transparency, version 0; green is subtracted, and nothing else done; a cache; one group of codes.
    bits.push(0, 4);
    bits.push(0b0101, 4);
    bits.push(1 | CACHE_BITS << 1, 5);
    bits.push(0, 1);
    let counts = counted(tokens, told);
    let green = Code::write(&mut bits, &counts.green);
    let red = Code::write(&mut bits, &counts.red);
    let blue = Code::write(&mut bits, &counts.blue);
    // Every pixel is opaque.
    let mut alpha = [0; 256];
    alpha[255] = 1;
    Code::write(&mut bits, &alpha);
    let distances = Code::write(&mut bits, &counts.distance);
    for token in tokens {
        match *token {
            WebpToken::Literal(pixel) => {
                let [_, r, g, b] = pixel.to_be_bytes();
                green.push(&mut bits, g.into());
                red.push(&mut bits, r.into());
                blue.push(&mut bits, b.into());
            }
            WebpToken::Cached(slot) => green.push(&mut bits, 256 + LENGTHS + usize::from(slot)),
            WebpToken::Copy { length, distance } => {
                let (symbol, count, more) = prefix(length);
                green.push(&mut bits, 256 + symbol);
                bits.push(more, count);
                let (symbol, count, more) = prefix(told(distance));
                distances.push(&mut bits, symbol);
                bits.push(more, count);
            }
        }
    }
    boxed(&bits.finish())
}

fn counted(tokens: &[WebpToken], told: impl Fn(u32) -> u32) -> SymbolCounts {
    let green = vec![0; 256 + LENGTHS + CACHE];
    let mut counts = SymbolCounts { green, red: [0; 256], blue: [0; 256], distance: [0; DISTANCES] };
    for token in tokens {
        match *token {
            WebpToken::Literal(pixel) => {
                let [_, r, g, b] = pixel.to_be_bytes();
                counts.green[usize::from(g)] += 1;
                counts.red[usize::from(r)] += 1;
                counts.blue[usize::from(b)] += 1;
            }
            WebpToken::Cached(slot) => counts.green[256 + LENGTHS + usize::from(slot)] += 1,
            WebpToken::Copy { length, distance } => {
                counts.green[256 + prefix(length).0] += 1;
                counts.distance[prefix(told(distance)).0] += 1;
            }
        }
    }
    counts
}

/// How a value from 1 is told: its symbol, and how many further bits, and which.
fn prefix(value: u32) -> (usize, u32, u32) {
    let value = value - 1;
    if value < 2 {
        return (value as usize, 0, 0);
    }
    let high = value.ilog2();
    let extra = high - 1;
    ((2 * high + (value >> extra & 1)) as usize, extra, value & ((1 << extra) - 1))
}

fn boxed(data: &[u8]) -> Vec<u8> {
    let padded = data.len().next_multiple_of(2);
    let mut out = Vec::with_capacity(padded + 20);
    out.extend_from_slice(b"RIFF");
    out.extend_from_slice(&(padded as u32 + 12).to_le_bytes());
    out.extend_from_slice(b"WEBPVP8L");
    out.extend_from_slice(&(data.len() as u32).to_le_bytes());
    out.extend_from_slice(data);
    out.resize(padded + 20, 0);
    out
}

#[cfg(test)]
mod tests {
    use image::Rgb;
    use proptest::prelude::*;

    use super::super::decode;
    use super::*;

    fn check(picture: &RgbImage) -> usize {
        let webp = encode(picture).unwrap();
        assert!(decode(&webp).unwrap() == *picture, "{:?} reads back as another", picture.dimensions());
        webp.len()
    }

    fn noise(x: u32, y: u32) -> u32 {
        let v = x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519);
        (v ^ v >> 15).wrapping_mul(0x2C1B_3C6D) >> 11
    }

    #[test]
    fn pictures_of_all_kinds_and_sizes_read_back_exactly() {
        for (w, h) in [(1, 1), (1, 300), (300, 1), (2, 2), (7, 300), (640, 480)] {
            check(&RgbImage::from_pixel(w, h, Rgb([7, 250, 3])));
            check(&RgbImage::from_fn(w, h, |x, y| Rgb([0, 99, 199].map(|n| noise(x + n, y) as u8))));
            check(&RgbImage::from_fn(w, h, |x, y| Rgb([x as u8, y as u8, (x + y) as u8])));
            check(&RgbImage::from_fn(w, h, |x, y| Rgb([(noise(x / 3, y / 9) % 2 * 255) as u8; 3])));
        }
    }

    #[test]
    fn what_repeats_far_above_takes_next_to_nothing() {
        let rows =
            |repeat: u32| RgbImage::from_fn(600, 400, |x, y| Rgb([(noise(x, y % repeat) & 7) as u8 * 30; 3]));
        // The same lines again after 40, which is more than twice as far as a PNG can look back.
        let (once, again) = (check(&rows(400)), check(&rows(40)));
        assert!(again * 8 < once, "{again} {once}");
    }

    #[test]
    fn what_lies_too_far_back_is_not_referred_to() {
        // The last line is like the first, more than 2^20 pixels before.
        let ends = RgbImage::from_fn(1030, 1030, |x, y| {
            Rgb(if y.is_multiple_of(1029) {
                noise(x, 7).to_le_bytes()[..3].try_into().unwrap()
            } else {
                [9; 3]
            })
        });
        check(&ends);
    }

    #[test]
    fn a_photograph_is_no_larger_than_by_prediction() {
        let smooth = RgbImage::from_fn(200, 200, |x, y| {
            Rgb([(x + noise(x, y) % 3) as u8, (y + noise(y, x) % 3) as u8, ((x + y) / 2) as u8])
        });
        let mut predicted = Vec::new();
        WebPEncoder::new_lossless(&mut predicted)
            .encode(smooth.as_raw(), 200, 200, ExtendedColorType::Rgb8)
            .unwrap();
        assert!(check(&smooth) <= predicted.len());
    }

    #[test]
    fn a_picture_that_the_format_cannot_tell_is_an_error() {
        for (w, h) in [(0, 0), (0, 9), (16_384, 1)] {
            assert!(matches!(encode(&RgbImage::new(w, h)), Err(DeviceError::Image(_))), "{w}x{h}");
        }
        check(&RgbImage::new(16_383, 1));
    }

    proptest! {
        #[test]
        fn any_pixels_read_back(w in 1..40_u32, colours in 1..300_u32, cells in prop::collection::vec(any::<u32>(), 1..900)) {
            let h = (cells.len() as u32).div_ceil(w);
            let cell = |x: u32, y: u32| cells[(y * w + x) as usize % cells.len()] % colours;
            check(&RgbImage::from_fn(w, h, |x, y| { let c = noise(cell(x, y), 1).to_le_bytes(); Rgb([c[0], c[1], c[2]]) }));
        }
    }
}
