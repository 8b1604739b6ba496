//! A small grey picture to compare screens by.

use crate::picture::Raster;

/// Side of a cell, in pixels of the screen.
const CELL: u32 = 8;
/// Cells that differ by less look the same: compression and dithering.
const SAME: u8 = 10;
/// A text cursor is at most this many cells wide and high.
const CARET: (usize, usize) = (3, 20);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellMeans {
    columns: usize,
    cells: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameChange {
    /// Share of the cells, 0 to 1.
    pub share: f64,
    /// Nothing but what a blinking text cursor changes.
    pub is_still: bool,
}

impl CellMeans {
    /// The frame of a picture without its uppermost `skip` pixels: the clock there ticks by itself.
    pub fn of<'a>(picture: impl Into<Raster<'a>>, skip: u32) -> Self {
        let picture = picture.into();
        let (w, h) = picture.size();
        let columns = w.div_ceil(CELL) as usize;
        let step = picture.pixel_bytes() * 2;
        let mut cells = Vec::new();
        for top in (skip.min(h)..h).step_by(CELL as usize) {
            for left in (0..w).step_by(CELL as usize) {
                let mut sum = 0u32;
                let mut count = 0;
                // Every second pixel of the cell: text still shows, at a quarter of the price.
                for y in (top..(top + CELL).min(h)).step_by(2) {
                    for pixels in picture.span(y, left..(left + CELL).min(w)).chunks(step) {
                        if let [r, g, b, ..] = pixels {
                            sum += u32::from(*r) * 5 + u32::from(*g) * 9 + u32::from(*b) * 2;
                            count += 16;
                        }
                    }
                }
                cells.push((sum / count.max(1)) as u8);
            }
        }
        Self { columns, cells }
    }

    /// What differs; everything when the sizes do.
    pub fn change(&self, other: &Self) -> FrameChange {
        if self.columns != other.columns || self.cells.len() != other.cells.len() || self.cells.is_empty() {
            let same = self == other;
            return FrameChange { share: if same { 0.0 } else { 1.0 }, is_still: same };
        }
        let (mut count, mut box_) = (0usize, (usize::MAX, usize::MAX, 0usize, 0usize));
        for (at, _) in
            self.cells.iter().zip(&other.cells).enumerate().filter(|(_, (a, b))| a.abs_diff(**b) >= SAME)
        {
            let (x, y) = (at % self.columns, at / self.columns);
            count += 1;
            box_ = (box_.0.min(x), box_.1.min(y), box_.2.max(x), box_.3.max(y));
        }
        let caret = count == 0 || (box_.2 - box_.0 < CARET.0 && box_.3 - box_.1 < CARET.1);
        FrameChange { share: count as f64 / self.cells.len() as f64, is_still: caret }
    }

    pub fn is_black(&self) -> bool {
        !self.cells.is_empty() && self.cells.iter().all(|cell| *cell <= 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use imageproc::drawing::draw_filled_rect_mut;
    use imageproc::rect::Rect;

    fn with(rect: Option<(i32, i32, u32, u32)>) -> CellMeans {
        let mut image = RgbImage::from_pixel(200, 400, Rgb([240, 240, 240]));
        if let Some((x, y, w, h)) = rect {
            draw_filled_rect_mut(&mut image, Rect::at(x, y).of_size(w, h), Rgb([20, 20, 20]));
        }
        CellMeans::of(&image, 20)
    }

    #[test]
    fn a_cursor_is_no_change_and_sizes_and_black_are_told() {
        assert!(with(None).change(&with(None)).is_still);
        let caret = with(None).change(&with(Some((50, 100, 4, 60))));
        assert!(caret.is_still && caret.share > 0.0);
        let word = with(None).change(&with(Some((50, 100, 60, 16))));
        assert!(!word.is_still && word.share > 0.0);
        assert!(with(None).change(&with(Some((0, 0, 200, 18)))).is_still, "the status bar does not count");
        let black = CellMeans::of(&RgbImage::new(64, 64), 0);
        assert!(black.is_black() && !with(None).is_black());
        assert_eq!(black.change(&with(None)).share, 1.0);
        assert!(!CellMeans::of(&RgbImage::new(0, 0), 0).is_black());
    }
}
