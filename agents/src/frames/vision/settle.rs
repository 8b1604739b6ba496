//! How much of a picture has changed, and when a row of pictures has come round or ended.

use image::RgbImage;

use super::colour::{luma, row};

/// The difference in a channel from which on a pixel has changed.
const CHANGED: u8 = 8;

/// The share of pixels (0 to 1) that makes another picture of a row: a single spot may tell two apart.
pub(crate) const TURNED: f64 = 0.0002;

/// The share of pixels (0 to 1) that changed between two pictures; 1 when they differ in size.
pub fn changed_share(a: &RgbImage, b: &RgbImage) -> f64 {
    if a.dimensions() != b.dimensions() {
        return 1.0;
    }
    let (left, right) = (a.as_raw(), b.as_raw());
    if left == right || left.is_empty() {
        return 0.0;
    }
    let pixels = left.chunks_exact(3).zip(right.chunks_exact(3));
    let changed = pixels.filter(|(p, q)| p.iter().zip(*q).any(|(a, b)| a.abs_diff(*b) > CHANGED)).count();
    changed as f64 / (left.len() / 3) as f64
}

/// Whether a picture shows anything else than another one: a pixel that differs by more than the one step of a
/// channel that drawing the same again may differ by. Slow changes of blur, opacity or colour stay below what
/// [`changed_share`] counts from one picture to the next.
pub fn differs(a: &RgbImage, b: &RgbImage) -> bool {
    a.dimensions() != b.dimensions() || a.as_raw().iter().zip(b.as_raw()).any(|(p, q)| p.abs_diff(*q) > 1)
}

/// 256 bits of a picture's course of brightness: pictures that differ a lot differ in many of them. Equal
/// fingerprints alone do not make two pictures the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u64; 4]);

impl Fingerprint {
    pub fn of(picture: &RgbImage) -> Self {
        const W: u32 = 17;
        const H: u32 = 16;
        let (w, h) = picture.dimensions();
        let mut cells = [0u64; (W * H) as usize];
        let mut bits = [0u64; 4];
        if w == 0 || h == 0 {
            return Self(bits);
        }
        for cy in 0..H {
            let (top, bottom) = (h * cy / H, (h * (cy + 1) / H).max(h * cy / H + 1));
            for cx in 0..W {
                let (left, right) = (w * cx / W, (w * (cx + 1) / W).max(w * cx / W + 1));
                let step = (((right - left) * (bottom - top)) as f64 / 64.0).sqrt().max(1.0) as usize;
                let (mut sum, mut count) = (0u64, 0u64);
                for y in (top..bottom.min(h)).step_by(step) {
                    let line = row(picture, y, left, right.min(w) - left);
                    for p in line.chunks_exact(3).step_by(step) {
                        sum += u64::from(luma([p[0], p[1], p[2]]));
                        count += 1;
                    }
                }
                cells[(cy * W + cx) as usize] = sum * 16 / count.max(1);
            }
        }
        for cy in 0..H {
            for cx in 0..W - 1 {
                let at = (cy * W + cx) as usize;
                let bit = cy * (W - 1) + cx;
                if cells[at] > cells[at + 1] {
                    bits[(bit / 64) as usize] |= 1 << (bit % 64);
                }
            }
        }
        Self(bits)
    }

    /// In how many bits two differ, 0 to 256.
    pub fn distance(&self, other: &Self) -> u32 {
        self.0.iter().zip(other.0).map(|(a, b)| (a ^ b).count_ones()).sum()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPicture {
    New(usize),
    /// The first one again: the row goes round, and has this length.
    Round(usize),
    /// The one before: the row ends here.
    End,
    /// An earlier one that is neither the first nor the one before.
    Again(usize),
    /// A new one, but there are more than are kept.
    Full,
}

/// Watches pictures that are turned through one after the other.
#[derive(Clone, Debug)]
pub struct CycleWatch {
    /// All different pictures so far, in the order in which they came.
    pub pictures: Vec<RgbImage>,
    cap: usize,
    share: f64,
}

impl CycleWatch {
    /// A watch that has seen the first picture, and keeps up to `cap`.
    pub fn new(first: RgbImage, cap: usize) -> Self {
        Self { pictures: vec![first], cap: cap.max(1), share: TURNED }
    }

    pub fn saw(&mut self, picture: &RgbImage) -> RowPicture {
        let last = self.pictures.len() - 1;
        let same = |other: &RgbImage| changed_share(other, picture) < self.share;
        // With one picture seen, the same again is the end: nothing says that the row goes round.
        if same(&self.pictures[last]) {
            return RowPicture::End;
        }
        match self.pictures.iter().position(same) {
            Some(0) => RowPicture::Round(self.pictures.len()),
            Some(n) => RowPicture::Again(n),
            None if self.pictures.len() >= self.cap => RowPicture::Full,
            None => {
                self.pictures.push(picture.clone());
                RowPicture::New(last + 1)
            }
        }
    }
}
