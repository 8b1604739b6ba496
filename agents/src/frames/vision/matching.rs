//! Whether two small pictures show the same thing.
//!
//! What stands out of a picture's own edge colour is cut out, brought to one size, and compared cell by
//! cell: form by overlap, colour by distance. Place, size and ground do not count; the way a thing is
//! turned does. A picture on which nothing stands out is like no other, another blank one included.

use image::{GrayImage, RgbImage};
use imageproc::contrast::otsu_level;

use super::PxRect;
use super::colour::{Rgb8, at, far, median, ring};

const SIDE: usize = 32;
/// The smallest largest difference from the ground of a picture that is not blank.
const BLANK: u8 = 14;
const FORM: f64 = 0.80;
/// Mean difference of colour (0 to 255) up to which colours are the same.
const COLOUR: f64 = 26.0;
/// Largest ratio of widths over heights between which forms are the same.
const ASPECT: f64 = 1.3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// Overlap of their forms, 0 to 1.
    pub form: f64,
    /// Mean difference of their colours where both forms are, 0 to 255.
    pub colour: f64,
    pub same: bool,
}

impl Likeness {
    const NONE: Self = Self { form: 0.0, colour: 255.0, same: false };

    /// One number from 0 (unlike) to 1 (the same), for ranking.
    pub fn score(&self) -> f64 {
        self.form * (1.0 - self.colour / 255.0)
    }
}

struct Silhouette {
    /// The share of each cell that stands out, 0 to 255.
    mask: Vec<u8>,
    colours: Vec<Rgb8>,
    aspect: f64,
}

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
    let mut distance = GrayImage::new(picture.width(), picture.height());
    distance.iter_mut().zip(picture.pixels()).for_each(|(to, pixel)| *to = far(pixel.0, around));
    if distance.iter().all(|far| *far < BLANK) {
        return None;
    }
    let threshold = otsu_level(&distance).clamp(BLANK / 2, 96);
    let bounds = bounds(&distance, threshold)?;
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
                if distance.get_pixel(x, y).0[0] > threshold {
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
fn bounds(distance: &GrayImage, threshold: u8) -> Option<PxRect> {
    let (w, h) = distance.dimensions();
    let least = (1 + distance.len() / 4000).min(3);
    let out = |x: u32, y: u32| distance.get_pixel(x, y).0[0] > threshold;
    let row = |y: &u32| (0..w).filter(|x| out(*x, *y)).count() >= least;
    let column = |x: &u32| (0..h).filter(|y| out(*x, *y)).count() >= least;
    let (top, bottom) = ((0..h).find(row)?, (0..h).rev().find(row)?);
    let (left, right) = ((0..w).find(column)?, (0..w).rev().find(column)?);
    Some(PxRect::new(left, top, right - left + 1, bottom - top + 1))
}
