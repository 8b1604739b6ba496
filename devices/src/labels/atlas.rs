//! Digits, rasterised once per height and kept.
//!
//! Invariant: there are always digits. Should the built-in face not load, coarse built-in shapes take
//! its place: a picture with ugly numbers is of use, one without is not.

use std::sync::OnceLock;

use ab_glyph::{Font as _, FontRef, PxScale, point};

pub(super) static FACE: &[u8] = include_bytes!("../../assets/dejavu-sans-mono-bold-ascii.ttf");

/// The heights that are kept; others are brought into this range.
const HEIGHTS: std::ops::RangeInclusive<i32> = 5..=40;

/// A digit's coverage: 0 is background, 255 is ink.
#[derive(Clone, Debug, Default)]
pub(super) struct Glyph {
    pub w: i32,
    pub h: i32,
    pub coverage: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Digits([Glyph; 10]);

impl Digits {
    /// The digits of about `cap` pixels height.
    pub fn of(cap: i32) -> &'static Self {
        static KEPT: [OnceLock<Digits>; 41] = [const { OnceLock::new() }; 41];
        let cap = cap.clamp(*HEIGHTS.start(), *HEIGHTS.end());
        KEPT[usize::try_from(cap).unwrap_or(0)].get_or_init(|| Self::rasterise(cap))
    }

    /// The shape of a digit (0 to 9).
    pub(crate) fn glyph(&self, digit: u32) -> &Glyph {
        &self.0[digit as usize % 10]
    }

    fn rasterise(cap: i32) -> Self {
        let face = FontRef::try_from_slice(FACE).ok();
        Self(std::array::from_fn(|digit| {
            face.as_ref().and_then(|f| outlined(f, digit, cap)).unwrap_or_else(|| coarse(digit, cap))
        }))
    }
}

/// The digit drawn from the face, cropped to its ink, `cap` pixels high (round ones may be 1 more).
fn outlined(face: &FontRef<'_>, digit: usize, cap: i32) -> Option<Glyph> {
    let c = char::from_digit(u32::try_from(digit).ok()?, 10)?;
    // The flat digit 7 gives the height without the overshoot of round ones.
    let reference = face.glyph_id('7').with_scale(PxScale::from(100.0));
    let height = face.outline_glyph(reference)?.px_bounds().height();
    let scale = PxScale::from(100.0 * cap as f32 / height.max(1.0));
    let glyph = face.glyph_id(c).with_scale_and_position(scale, point(0.0, 0.0));
    let outline = face.outline_glyph(glyph)?;
    let bounds = outline.px_bounds();
    let (w, h) = (bounds.width().ceil() as i32, bounds.height().ceil() as i32);
    let mut coverage = vec![0; usize::try_from(w * h).ok()?];
    outline.draw(|x, y, ink| {
        if let Some(cell) = usize::try_from(y * w as u32 + x).ok().and_then(|i| coverage.get_mut(i)) {
            *cell = (ink.clamp(0.0, 1.0) * 255.0).round() as u8;
        }
    });
    Some(Glyph { w, h, coverage })
}

/// The digit as five rows of three blocks.
fn coarse(digit: usize, cap: i32) -> Glyph {
    const ROWS: [u16; 10] = [
        0b111_101_101_101_111,
        0b010_110_010_010_111,
        0b111_001_111_100_111,
        0b111_001_111_001_111,
        0b101_101_111_001_001,
        0b111_100_111_001_111,
        0b111_100_111_101_111,
        0b111_001_010_010_010,
        0b111_101_111_101_111,
        0b111_101_111_001_111,
    ];
    let (w, h) = ((cap * 3 / 5).max(3), cap.max(5));
    let ink = |x: i32, y: i32| {
        let bit = 14 - (y * 5 / h * 3 + x * 3 / w);
        if ROWS[digit % 10] >> bit & 1 == 1 { 255 } else { 0 }
    };
    let coverage = (0..h).flat_map(|y| (0..w).map(move |x| ink(x, y))).collect();
    Glyph { w, h, coverage }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_the_height_asked_for_and_differ() {
        for cap in [8, 12, 22] {
            let digits = Digits::of(cap);
            for d in 0..10 {
                let g = digits.glyph(d);
                assert!((g.h - cap).abs() <= 2 && g.w < cap, "{d} at {cap}: {}x{}", g.w, g.h);
                assert!(g.coverage.iter().filter(|c| **c > 200).count() as i32 > cap);
                for other in 0..d {
                    assert_ne!(g.coverage, digits.glyph(other).coverage);
                }
            }
        }
    }
}
