//! Where a picture shows something: text, icons and edges, in contrast to plain ground.
//!
//! Invariant: a question about a box costs the same whatever its size.

use super::spatial::PixelBox;
use crate::picture::Raster;

/// Side of a block in px; the sums below are written for this one.
const BLOCK: i32 = 4;
/// A block whose brightness varies by more than this (0 to 255) shows something.
const CONTRAST: u8 = 40;

/// How many busy blocks lie left and above of every block corner.
#[derive(Debug)]
pub(super) struct Ink {
    cols: i32,
    rows: i32,
    sums: Vec<u32>,
    /// 1 where most of the picture is plain, down to 0.
    trust: f32,
}

impl Ink {
    /// Looks at every other line's green: it carries most of the brightness, and no letter is one line high.
    pub fn of(picture: Raster<'_>) -> Self {
        match picture.pixel_bytes() {
            4 => Self::of_pixels::<4>(picture),
            _ => Self::of_pixels::<3>(picture),
        }
    }

    /// The same for a picture with so many bytes a pixel.
    fn of_pixels<const PIXEL: usize>(picture: Raster<'_>) -> Self {
        let block = BLOCK as usize;
        let (w, h) = picture.size();
        let (cols, rows) = (w as usize / block, h as usize / block);
        let mut sums = vec![0; (cols + 1) * (rows + 1)];
        let mut range = vec![(u8::MAX, u8::MIN); cols];
        let mut lines = picture.lines().step_by(2);
        for row in 0..rows {
            range.fill((u8::MAX, u8::MIN));
            for line in lines.by_ref().take(block / 2) {
                for (cell, (low, high)) in line.chunks_exact(PIXEL * block).zip(&mut range) {
                    let [a, b, c, d] = [cell[1], cell[PIXEL + 1], cell[2 * PIXEL + 1], cell[3 * PIXEL + 1]];
                    *low = a.min(b).min(c.min(d)).min(*low);
                    *high = a.max(b).max(c.max(d)).max(*high);
                }
            }
            let (above, below) = sums.split_at_mut((row + 1) * (cols + 1));
            let above = &above[row * (cols + 1)..];
            let mut run = 0;
            for (col, (low, high)) in range.iter().enumerate() {
                run += u32::from(high.saturating_sub(*low) > CONTRAST);
                below[col + 1] = above[col + 1] + run;
            }
        }
        let busy = sums.last().copied().unwrap_or(0) as f32 / (cols * rows).max(1) as f32;
        let trust = (1.25 - 2.5 * busy).clamp(0.0, 1.0);
        Self { cols: cols as i32, rows: rows as i32, sums, trust }
    }

    /// How much a box hides, 0 to 1: its share that shows something, held against plain ground elsewhere.
    ///
    /// On a photo or a game everything shows something; there it says nothing, and chasing the few calm
    /// spots would only scatter the numbers. So the answer fades as the whole picture gets busy.
    pub fn hidden(&self, b: &PixelBox) -> f32 {
        self.trust * self.share(b)
    }

    /// The share of a box that shows something, 0 to 1. Its rim is left out: plates may touch edges.
    pub fn share(&self, b: &PixelBox) -> f32 {
        let up = |v: i32, max: i32| ((v + BLOCK) / BLOCK).clamp(0, max);
        let (x0, x1) = (up(b.x, self.cols), ((b.right() - 1) / BLOCK).clamp(0, self.cols));
        let (y0, y1) = (up(b.y, self.rows), ((b.bottom() - 1) / BLOCK).clamp(0, self.rows));
        if x1 <= x0 || y1 <= y0 {
            return 0.0;
        }
        let at = |x: i32, y: i32| self.sums.get((y * (self.cols + 1) + x) as usize).copied().unwrap_or(0);
        let busy = (at(x1, y1) + at(x0, y0)).saturating_sub(at(x0, y1) + at(x1, y0));
        busy as f32 / ((x1 - x0) * (y1 - y0)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    #[test]
    fn text_is_busy_and_a_busy_picture_says_nothing() {
        let picture = RgbImage::from_fn(83, 61, |x, y| {
            let stripe = (20..40).contains(&x) && (20..40).contains(&y) && x % 3 == 0;
            Rgb([if stripe { 0 } else { 250 }; 3])
        });
        let ink = Ink::of((&picture).into());
        assert!(ink.share(&PixelBox::new(20, 20, 20, 20)) > 0.99);
        assert!(ink.share(&PixelBox::new(44, 20, 30, 30)) == 0.0);
        let half = ink.share(&PixelBox::new(20, 20, 40, 20));
        assert!((0.3..0.7).contains(&half), "{half}");
        let stripes = RgbImage::from_fn(80, 60, |x, _| Rgb([if x % 2 == 0 { 0 } else { 250 }; 3]));
        let ink = Ink::of((&stripes).into());
        assert_eq!(ink.hidden(&PixelBox::new(0, 0, 40, 40)), 0.0);
        for (w, h) in [(0, 0), (1, 1), (3, 50), (50, 3), (4, 4), (5, 9)] {
            let ink = Ink::of((&RgbImage::new(w, h)).into());
            assert_eq!(ink.share(&PixelBox::new(-9, -9, 100, 100)), 0.0);
        }
    }
}
