//! Pictures as scripts handle them: size, crop, resize, mean colour, differences.
//!
//! Invariants: a picture is never changed; sizes are bounded, so that no script fills the memory.

use std::sync::Arc;

use image::RgbImage;
use image::imageops::{self, FilterType};

use super::colour::{luma, row};
use super::settle::{Fingerprint, changed_share};
use super::{PxRect, alike};

/// The longest side that a picture may be brought to.
pub const LONGEST: u32 = 2048;
/// Bits in which fingerprints of the same picture may differ.
const NEAR_BITS: u32 = 10;
/// Structural similarity from which on two pictures look the same.
const NEAR: f64 = 0.985;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    #[error("the part {x}, {y}, {w} x {h} px has nothing of the picture of {width} x {height} px")]
    Outside { x: u32, y: u32, w: u32, h: u32, width: u32, height: u32 },
    #[error("{w} x {h} px is not a size for a picture: each side is 1 to {LONGEST}")]
    Size { w: u32, h: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compared {
    Same,
    /// The same to the eye, with this structural similarity.
    Near(f64),
    Different(f64),
}

#[derive(Clone, Debug)]
pub struct VisionPicture(Arc<RgbImage>);

impl From<RgbImage> for VisionPicture {
    fn from(picture: RgbImage) -> Self {
        Self(Arc::new(picture))
    }
}

impl From<Arc<RgbImage>> for VisionPicture {
    fn from(picture: Arc<RgbImage>) -> Self {
        Self(picture)
    }
}

impl VisionPicture {
    pub fn pixels(&self) -> &RgbImage {
        &self.0
    }

    /// Whether it is the same picture, pixel for pixel.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }

    pub fn size(&self) -> (u32, u32) {
        self.0.dimensions()
    }

    pub fn crop(&self, part: &PxRect) -> Result<Self, PictureError> {
        let (width, height) = self.size();
        let on = part.intersect(&PxRect::whole(&self.0));
        if on.is_empty() {
            let PxRect { x, y, w, h } = *part;
            return Err(PictureError::Outside { x, y, w, h, width, height });
        }
        if on == PxRect::whole(&self.0) {
            return Ok(self.clone());
        }
        Ok(imageops::crop_imm(&*self.0, on.x, on.y, on.w, on.h).to_image().into())
    }

    /// Brought to a size, whatever its form.
    pub fn resize(&self, w: u32, h: u32) -> Result<Self, PictureError> {
        if !(1..=LONGEST).contains(&w) || !(1..=LONGEST).contains(&h) || self.0.is_empty() {
            return Err(PictureError::Size { w, h });
        }
        Ok(self.brought_to(w, h))
    }

    /// The same without a limit, for what is as large as another picture.
    fn brought_to(&self, w: u32, h: u32) -> Self {
        imageops::resize(&*self.0, w, h, FilterType::Triangle).into()
    }

    /// The mean of each channel; black for an empty picture.
    pub(crate) fn mean_color(&self) -> [u8; 3] {
        let mut sums = [0u64; 3];
        for pixel in self.0.pixels() {
            for (sum, value) in sums.iter_mut().zip(pixel.0) {
                *sum += u64::from(value);
            }
        }
        let count = (u64::from(self.0.width()) * u64::from(self.0.height())).max(1);
        sums.map(|sum| ((sum + count / 2) / count) as u8)
    }

    /// The share of pixels that differ, 0 to 1; another one of another size is brought to this one's.
    pub fn diff(&self, other: &Self) -> f64 {
        let (w, h) = self.size();
        if self.size() == other.size() {
            changed_share(&self.0, &other.0)
        } else if self.0.is_empty() || other.0.is_empty() {
            1.0
        } else {
            changed_share(&self.0, &other.brought_to(w, h).0)
        }
    }

    /// Whether two pictures look the same: exactly, or by fingerprint and structural similarity.
    pub fn compare(&self, other: &Self) -> Compared {
        if self.0 == other.0 {
            return Compared::Same;
        }
        let (w, h) = self.size();
        if self.0.is_empty() || other.0.is_empty() {
            return Compared::Different(0.0);
        }
        let scaled = if self.size() == other.size() { other.clone() } else { other.brought_to(w, h) };
        let likeness = structure(&self.0, &scaled.0);
        let bits = Fingerprint::of(&self.0).distance(&Fingerprint::of(&scaled.0));
        if likeness >= NEAR && bits <= NEAR_BITS {
            Compared::Near(likeness)
        } else {
            Compared::Different(likeness)
        }
    }

    /// Whether the things on both are the same, wherever they stand on their pictures.
    pub fn matches(&self, other: &Self) -> bool {
        alike(&self.0, &other.0).same
    }
}

/// The mean structural similarity of brightness over blocks of 8 by 8, -1 to 1.
fn structure(a: &RgbImage, b: &RgbImage) -> f64 {
    const SIDE: u32 = 8;
    const C1: f64 = 6.5025;
    const C2: f64 = 58.5225;
    let (w, h) = a.dimensions();
    let (mut sum, mut blocks) = (0.0, 0.0);
    for y in (0..h).step_by(SIDE as usize) {
        for x in (0..w).step_by(SIDE as usize) {
            let (bw, bh) = (SIDE.min(w - x), SIDE.min(h - y));
            let (mut ma, mut mb, mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for line in y..y + bh {
                let pairs = row(a, line, x, bw).chunks_exact(3).zip(row(b, line, x, bw).chunks_exact(3));
                for (p, q) in pairs {
                    let (p, q) = (f64::from(luma([p[0], p[1], p[2]])), f64::from(luma([q[0], q[1], q[2]])));
                    ma += p;
                    mb += q;
                    aa += p * p;
                    bb += q * q;
                    ab += p * q;
                }
            }
            let n = f64::from(bw * bh);
            let (ma, mb) = (ma / n, mb / n);
            let (va, vb, cov) = (aa / n - ma * ma, bb / n - mb * mb, ab / n - ma * mb);
            sum += (2.0 * ma * mb + C1) * (2.0 * cov + C2) / ((ma * ma + mb * mb + C1) * (va + vb + C2));
            blocks += 1.0;
        }
    }
    if blocks > 0.0 { sum / blocks } else { 0.0 }
}
