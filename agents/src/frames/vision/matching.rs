//! Whether two small pictures show the same thing.
//!
//! What stands out of a picture's own edge colour is cut out, brought to one size, and compared cell by
//! cell: form by overlap, colour by distance. Place, size and ground do not count; the way a thing is
//! turned does. A picture on which nothing stands out is like no other, another blank one included.

use image::RgbImage;

use super::PxRect;
use super::colour::{Rgb8, at, far, median, ring};

/// Cells of a side.
const SIDE: usize = 32;
/// The smallest largest difference from the ground of a picture that is not blank.
const BLANK: u8 = 14;
/// Overlap from which on forms are the same.
const FORM: f64 = 0.80;
/// Mean difference of colour (0 to 255) up to which colours are the same.
const COLOUR: f64 = 26.0;
/// Largest ratio of widths over heights between which forms are the same.
const ASPECT: f64 = 1.3;

/// How alike two pictures are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// Overlap of their forms, 0 to 1.
    pub form: f64,
    /// Mean difference of their colours where both forms are, 0 to 255.
    pub colour: f64,
    /// Whether they show the same.
    pub same: bool,
}

impl Likeness {
    const NONE: Self = Self { form: 0.0, colour: 255.0, same: false };

    /// One number from 0 (unlike) to 1 (the same), for ranking.
    pub fn score(&self) -> f64 {
        self.form * (1.0 - self.colour / 255.0)
    }
}

/// What stands out of a picture.
struct Silhouette {
    /// The share of each cell that stands out, 0 to 255.
    mask: Vec<u8>,
    /// The mean colour of each cell's part that stands out.
    colours: Vec<Rgb8>,
    /// Width over height.
    aspect: f64,
}

/// Compares two pictures of things.
pub fn alike(a: &RgbImage, b: &RgbImage) -> Likeness {
    let (Some(a), Some(b)) = (form(a), form(b)) else { return Likeness::NONE };
    let ratio = (a.aspect / b.aspect).max(b.aspect / a.aspect);
    let (mut both, mut either, mut apart, mut cells) = (0u32, 0u32, 0.0f64, 0.0f64);
    for n in 0..SIDE * SIDE {
        // A cell's neighbours count too: an edge may fall one cell further after scaling.
        let (one, two) = (a.mask[n], b.mask[n]);
        both += u32::from(one.min(two));
        either += u32::from(one.max(two));
        if one > 160 && two > 160 {
            let (p, q) = (a.colours[n], b.colours[n]);
            apart += (f64::from(p[0]) - f64::from(q[0]))
                .abs()
                .max((f64::from(p[1]) - f64::from(q[1])).abs())
                .max((f64::from(p[2]) - f64::from(q[2])).abs());
            cells += 1.0;
        }
    }
    let form = f64::from(both) / f64::from(either.max(1));
    let colour = if cells > 0.0 { apart / cells } else { 255.0 };
    Likeness { form, colour, same: form >= FORM && colour <= COLOUR && ratio <= ASPECT }
}

fn form(picture: &RgbImage) -> Option<Silhouette> {
    let whole = PxRect::whole(picture);
    if picture.width() < 3 || picture.height() < 3 {
        return None;
    }
    let around = median(&ring(picture, &whole, 1));
    let distance: Vec<u8> = picture.pixels().map(|pixel| far(pixel.0, around)).collect();
    if distance.iter().copied().max().unwrap_or_default() < BLANK {
        return None;
    }
    let threshold = otsu(&distance).clamp(BLANK / 2, 96);
    let bounds = bounds(&distance, picture.width(), threshold)?;
    let mut mask = vec![0; SIDE * SIDE];
    let mut colours = vec![[0; 3]; SIDE * SIDE];
    for row in 0..SIDE {
        for column in 0..SIDE {
            let (mut hits, mut all, mut sums) = (0u32, 0u32, [0u32; 3]);
            // Nine samples a cell, wherever they fall: the same number for small and large pictures.
            for sub in 0..9u32 {
                let fx = (column as f64 + (f64::from(sub % 3) + 0.5) / 3.0) / SIDE as f64;
                let fy = (row as f64 + (f64::from(sub / 3) + 0.5) / 3.0) / SIDE as f64;
                let x = bounds.x + ((f64::from(bounds.w) * fx) as u32).min(bounds.w - 1);
                let y = bounds.y + ((f64::from(bounds.h) * fy) as u32).min(bounds.h - 1);
                all += 1;
                if distance[(y * picture.width() + x) as usize] > threshold {
                    hits += 1;
                    for (sum, value) in sums.iter_mut().zip(at(picture, x, y)) {
                        *sum += u32::from(value);
                    }
                }
            }
            let n = row * SIDE + column;
            mask[n] = (hits * 255 / all) as u8;
            colours[n] = sums.map(|sum| (sum / hits.max(1)) as u8);
        }
    }
    Some(Silhouette { mask, colours, aspect: f64::from(bounds.w) / f64::from(bounds.h) })
}

/// The bounds of what stands out; single specks do not count.
fn bounds(distance: &[u8], width: u32, threshold: u8) -> Option<PxRect> {
    let w = width as usize;
    let h = distance.len() / w;
    let least = 1 + distance.len() / 4000;
    let row_hits = |y: usize| distance[y * w..(y + 1) * w].iter().filter(|d| **d > threshold).count();
    let column_hits = |x: usize| (0..h).filter(|y| distance[y * w + x] > threshold).count();
    let solid = |hits: usize| hits >= least.min(3);
    let top = (0..h).find(|y| solid(row_hits(*y)))?;
    let bottom = (0..h).rev().find(|y| solid(row_hits(*y)))?;
    let left = (0..w).find(|x| solid(column_hits(*x)))?;
    let right = (0..w).rev().find(|x| solid(column_hits(*x)))?;
    Some(PxRect::new(left as u32, top as u32, (right - left + 1) as u32, (bottom - top + 1) as u32))
}

/// The threshold that parts values best into two classes.
fn otsu(values: &[u8]) -> u8 {
    let mut counts = [0f64; 256];
    for value in values {
        counts[usize::from(*value)] += 1.0;
    }
    let total = values.len() as f64;
    let sum: f64 = counts.iter().enumerate().map(|(value, count)| value as f64 * count).sum();
    let (mut below, mut sum_below, mut best, mut at) = (0.0, 0.0, -1.0, 0u8);
    for (value, count) in counts.iter().enumerate() {
        below += count;
        sum_below += value as f64 * count;
        let above = total - below;
        if below == 0.0 || above == 0.0 {
            continue;
        }
        let spread = below * above * (sum_below / below - (sum - sum_below) / above).powi(2);
        if spread > best {
            best = spread;
            at = value as u8;
        }
    }
    at
}
