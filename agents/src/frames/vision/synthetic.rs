//! Pictures with known contents, drawn from a seed, for tests.

use image::{Rgb, RgbImage};
use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{PixelPoint, PxRect};

pub(crate) type TestRng = ChaCha8Rng;

pub fn chance(seed: u64) -> TestRng {
    TestRng::seed_from_u64(seed)
}

pub fn plain(w: u32, h: u32, colour: [u8; 3]) -> RgbImage {
    RgbImage::from_pixel(w, h, Rgb(colour))
}

pub fn fill(picture: &mut RgbImage, r: PxRect, colour: [u8; 3]) {
    for y in r.y..r.bottom().min(picture.height()) {
        for x in r.x..r.right().min(picture.width()) {
            picture.put_pixel(x, y, Rgb(colour));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blob {
    Disc,
    Box,
    Triangle,
    Ring,
    Cross,
}

pub(crate) const BLOBS: [Blob; 5] = [Blob::Disc, Blob::Box, Blob::Triangle, Blob::Ring, Blob::Cross];

/// Draws a blob of radius `r`, its edge soft by a pixel.
pub fn blob(picture: &mut RgbImage, kind: Blob, at: PixelPoint, r: f64, colour: [u8; 3]) {
    let (cx, cy) = (f64::from(at.x), f64::from(at.y));
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        let (dx, dy) = (f64::from(x) - cx, f64::from(y) - cy);
        let out = match kind {
            Blob::Disc => dx.hypot(dy) - r,
            Blob::Box => dx.abs().max(dy.abs()) - r * 0.9,
            Blob::Ring => (dx.hypot(dy) - r * 0.75).abs() - r * 0.25,
            Blob::Cross => (dx.abs().max(dy.abs()) - r).max(dx.abs().min(dy.abs()) - r * 0.3),
            Blob::Triangle => (dy - r * 0.6).max(dx.abs() * 0.87 - (dy + r) * 0.5),
        };
        let share = (0.5 - out).clamp(0.0, 1.0);
        if share > 0.0 {
            for (value, new) in pixel.0.iter_mut().zip(colour) {
                *value = (f64::from(*value) * (1.0 - share) + f64::from(new) * share).round() as u8;
            }
        }
    }
}

pub fn noise(picture: &mut RgbImage, rng: &mut TestRng, by: i16) {
    if by == 0 {
        return;
    }
    for value in picture.as_flat_samples_mut().samples.iter_mut() {
        *value = (i16::from(*value) + rng.random_range(-by..=by)).clamp(0, 255) as u8;
    }
}

/// A colour whose brightness and channels are well away from `from`.
pub(crate) fn colour_away(rng: &mut TestRng, from: [u8; 3], least: u8) -> [u8; 3] {
    loop {
        let colour: [u8; 3] = [rng.random(), rng.random(), rng.random()];
        if super::colour::far(colour, from) >= least {
            return colour;
        }
    }
}

/// A page of panels with rows of things in them: the picture and the panels.
pub fn page(seed: u64) -> (RgbImage, Vec<PxRect>) {
    let rng = &mut chance(seed);
    let dark = rng.random_range(0..3) == 0;
    let ground: [u8; 3] = if dark { [20, 24, 30] } else { [243, 244, 246] };
    let panel: [u8; 3] = if dark { [34, 39, 48] } else { [255, 255, 255] };
    let mut picture = plain(1344, 768, ground);
    let mut panels = Vec::new();
    for _ in 0..40 {
        let (w, h) = (rng.random_range(140..620), rng.random_range(90..420));
        let r = PxRect::new(rng.random_range(16..1344 - w - 16), rng.random_range(16..768 - h - 16), w, h);
        let free = panels.iter().all(|other: &PxRect| other.outset(20, 1344, 768).intersect(&r).is_empty());
        if free && panels.len() < 6 {
            panels.push(r);
        }
    }
    for r in &panels {
        let line: [u8; 3] = if dark { [70, 80, 95] } else { [200, 205, 214] };
        fill(&mut picture, *r, line);
        fill(&mut picture, r.inset(1), panel);
        let mut y = r.y + 16;
        while y + 40 < r.bottom() {
            let mut x = r.x + 16;
            while x + 40 < r.right() {
                let colour = colour_away(rng, panel, 60);
                if rng.random_range(0..4) > 0 {
                    fill(
                        &mut picture,
                        PxRect::new(x, y, rng.random_range(16..34), rng.random_range(8..26)),
                        colour,
                    );
                }
                x += 48;
            }
            y += 44;
        }
    }
    noise(&mut picture, rng, 1);
    (picture, panels)
}

/// A frame with blobs: the picture and their middles. Ground, colours, sizes, kinds, numbers and noise vary.
pub fn blobs(seed: u64) -> (RgbImage, Vec<PixelPoint>) {
    let rng = &mut chance(seed);
    let (w, h) = (rng.random_range(220..520), rng.random_range(160..360));
    let ground: [u8; 3] = [rng.random(), rng.random(), rng.random()];
    let mut picture = plain(w, h, ground);
    let count = rng.random_range(1..9);
    let mut found: Vec<(PixelPoint, f64)> = Vec::new();
    for _ in 0..200 {
        if found.len() == count {
            break;
        }
        let r = f64::from(rng.random_range(5u32..26));
        let edge = r as u32 + 3;
        let at = PixelPoint::new(rng.random_range(edge..w - edge), rng.random_range(edge..h - edge));
        if found.iter().all(|(other, far)| other.distance(at) > far + r + 6.0) {
            found.push((at, r));
        }
    }
    for (at, r) in &found {
        let colour = colour_away(rng, ground, 36);
        let kind = BLOBS[rng.random_range(0..BLOBS.len())];
        blob(&mut picture, kind, *at, *r, colour);
    }
    let by = rng.random_range(0..5);
    noise(&mut picture, rng, by);
    (picture, found.into_iter().map(|(at, _)| at).collect())
}
