//! The numbered grid, for screens whose elements cannot be listed.
//!
//! Invariants: cells share the picture out without gaps or rests, so every pixel belongs to exactly one
//! cell; a cell is tapped where it is drawn, because both come from [`Grid::cell`].

use image::{Rgb, RgbImage, imageops};
use serde::{Deserialize, Serialize};

use super::draw::{BLACK, Color, fill, number};
use super::spatial::PixelBox;
use crate::geometry::{Physical, Point, Rect};

const INK: Color = Rgb([113, 116, 255]);

/// A grid over a picture; its cells are numbered from 1, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    pub rows: u32,
    pub cols: u32,
    /// Width of a cell in physical px: a fraction where the picture's width is not a multiple.
    pub cell_w: f64,
    pub cell_h: f64,
    /// Where it begins, from the picture's left edge.
    #[serde(default)]
    pub left: f64,
    /// Where it begins, from the picture's top.
    #[serde(default)]
    pub top: f64,
}

impl Grid {
    /// The grid for a picture of `w` by `h` physical px.
    ///
    /// A side of 720 px and more is cut like AppAgent cuts it: by its smallest divisor from 120 to 180,
    /// else into as many cells as 120 px fit in; but the rest is shared out evenly instead of lying
    /// outside of the grid. A shorter side gets about six cells.
    pub fn for_size(w: u32, h: u32) -> Self {
        let (cols, rows) = (count(w), count(h));
        let (cell_w, cell_h) = (f64::from(w) / f64::from(cols), f64::from(h) / f64::from(rows));
        Self { rows, cols, cell_w, cell_h, left: 0.0, top: 0.0 }
    }

    /// The grid as AppAgent draws it: cells of whole pixels, which leave a rest where no size from 120 to 180
    /// divides a side. It taps by [`Grid::tapped_by_appagent`].
    pub fn drawn_by_appagent(w: u32, h: u32) -> Self {
        let unit = |side: u32| (120..=180).find(|unit| side.is_multiple_of(*unit)).unwrap_or(120);
        let (cell_w, cell_h) = (unit(w), unit(h));
        let count = |side: u32, unit: u32| (side / unit).max(1);
        let (cols, rows) = (count(w, cell_w), count(h, cell_h));
        Self { rows, cols, cell_w: f64::from(cell_w), cell_h: f64::from(cell_h), left: 0.0, top: 0.0 }
    }

    /// The cells that AppAgent reckons with: a side shared out among as many as it draws, in whole pixels.
    #[must_use]
    pub fn tapped_by_appagent(self, w: u32, h: u32) -> Self {
        Self { cell_w: f64::from(w / self.cols), cell_h: f64::from(h / self.rows), ..self }
    }

    pub const fn areas(&self) -> u32 {
        self.rows * self.cols
    }

    pub fn cell(&self, area: u32) -> Option<Rect<Physical>> {
        let i = area.checked_sub(1).filter(|i| *i < self.areas())?;
        let (row, col) = (f64::from(i / self.cols), f64::from(i % self.cols));
        let (x, y) = (self.left + col * self.cell_w, self.top + row * self.cell_h);
        Some(Rect::new(x, y, self.cell_w, self.cell_h))
    }

    /// The point of a cell: the centre, or a quarter of the cell away from it; `None` for an unknown cell.
    pub fn point(&self, area: u32, subarea: Subarea) -> Option<Point<Physical>> {
        let (fx, fy) = subarea.shares();
        Some(self.cell(area)?.at(fx, fy))
    }

    /// The number of the cell that a point lies in; `None` outside of the grid.
    #[cfg(test)]
    fn area_of(&self, p: Point<Physical>) -> Option<u32> {
        let side = |v: f64, cell: f64, cells: u32| {
            let i = (v / cell).floor();
            (i >= 0.0 && i < f64::from(cells)).then_some(i as u32)
        };
        let (x, y) = (p.x - self.left, p.y - self.top);
        Some(side(y, self.cell_h, self.rows)? * self.cols + side(x, self.cell_w, self.cols)? + 1)
    }

    /// The grid over one of its cells, in cells of about 32 px; `None` where there is none, or it is too small.
    pub fn within(&self, area: u32) -> Option<Self> {
        let cell = self.cell(area).filter(|cell| cell.w >= 8.0 && cell.h >= 8.0)?;
        let parts = |side: f64| (side / 32.0).round().clamp(2.0, 8.0);
        let (cols, rows) = (parts(cell.w), parts(cell.h));
        let (cell_w, cell_h) = (cell.w / cols, cell.h / rows);
        Some(Self { rows: rows as u32, cols: cols as u32, cell_w, cell_h, left: cell.x, top: cell.y })
    }

    /// What lies under it and half as much around, enlarged, with the grid as it lies on that picture.
    pub fn enlarged(&self, picture: &RgbImage) -> (RgbImage, Self) {
        let (w, h) = (self.cell_w * f64::from(self.cols), self.cell_h * f64::from(self.rows));
        let (pw, ph) = picture.dimensions();
        let low = |at: f64, side: f64| (at - side / 2.0).floor().max(0.0);
        let high = |at: f64, side: f64, max: u32| (at + side * 1.5).ceil().min(f64::from(max));
        let (x, y) = (low(self.left, w), low(self.top, h));
        let (right, bottom) = (high(self.left, w, pw), high(self.top, h, ph));
        let (cut_w, cut_h) = ((right - x).max(1.0) as u32, (bottom - y).max(1.0) as u32);
        let times =
            (f64::from(pw) / f64::from(cut_w)).min(f64::from(ph) / f64::from(cut_h)).floor().clamp(1.0, 4.0);
        let cut = imageops::crop_imm(picture, x as u32, y as u32, cut_w, cut_h).to_image();
        let (big_w, big_h) = (cut_w * times as u32, cut_h * times as u32);
        let big = imageops::resize(&cut, big_w, big_h, imageops::FilterType::Triangle);
        let (left, top) = ((self.left - x) * times, (self.top - y) * times);
        (big, Self { cell_w: self.cell_w * times, cell_h: self.cell_h * times, left, top, ..*self })
    }
}

fn count(side: u32) -> u32 {
    let low = if side >= 720 { 120 } else { (side / 6).max(24) };
    let unit = (low..=low * 3 / 2).find(|unit| side.is_multiple_of(*unit)).unwrap_or(low);
    (side / unit).max(1)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subarea {
    #[default]
    Center,
    TopLeft,
    Top,
    TopRight,
    Left,
    Right,
    BottomLeft,
    Bottom,
    BottomRight,
}

impl Subarea {
    /// Reads `center`, `top-left`, `Bottom Right`, `upper_left`, `leftTop` and the like; `None` when the
    /// words say nothing or contradict each other.
    pub fn parse(text: &str) -> Option<Self> {
        let mut spaced = String::with_capacity(text.len() + 4);
        for c in text.trim().chars() {
            if c.is_uppercase() {
                spaced.push(' ');
            }
            spaced.extend(c.to_lowercase());
        }
        // All capitals would fall apart into letters.
        let words = if text.chars().any(char::is_lowercase) { spaced } else { text.to_lowercase() };
        let (mut x, mut y, mut any) = (0_i8, 0_i8, false);
        for word in words.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()) {
            any = true;
            match word {
                "left" if x <= 0 => x = -1,
                "right" if x >= 0 => x = 1,
                "top" | "upper" if y <= 0 => y = -1,
                "bottom" | "lower" if y >= 0 => y = 1,
                "center" | "centre" | "middle" => {}
                "topleft" if x <= 0 && y <= 0 => (x, y) = (-1, -1),
                "topright" if x >= 0 && y <= 0 => (x, y) = (1, -1),
                "bottomleft" if x <= 0 && y >= 0 => (x, y) = (-1, 1),
                "bottomright" if x >= 0 && y >= 0 => (x, y) = (1, 1),
                _ => return None,
            }
        }
        let all = [
            [Self::TopLeft, Self::Top, Self::TopRight],
            [Self::Left, Self::Center, Self::Right],
            [Self::BottomLeft, Self::Bottom, Self::BottomRight],
        ];
        let third = |v: i8| usize::from(v >= 0) + usize::from(v > 0);
        any.then(|| all[third(y)][third(x)])
    }

    pub const fn shares(self) -> (f64, f64) {
        let x = match self {
            Self::TopLeft | Self::Left | Self::BottomLeft => 0.25,
            Self::Top | Self::Center | Self::Bottom => 0.5,
            Self::TopRight | Self::Right | Self::BottomRight => 0.75,
        };
        let y = match self {
            Self::TopLeft | Self::Top | Self::TopRight => 0.25,
            Self::Left | Self::Center | Self::Right => 0.5,
            Self::BottomLeft | Self::Bottom | Self::BottomRight => 0.75,
        };
        (x, y)
    }
}

pub fn paint_grid(picture: &RgbImage, grid: &Grid) -> RgbImage {
    let mut out = picture.clone();
    let (w, h) = (picture.width() as i32, picture.height() as i32);
    let (left, top) = (grid.left.round() as i32, grid.top.round() as i32);
    // A grid over a part of the picture ends with it; AppAgent's lines cross what is left over.
    let part = grid.left > 0.0 || grid.top > 0.0 || f64::from(w) > grid.cell_w * f64::from(grid.cols) * 1.5;
    let wide = if part { (grid.cell_w * f64::from(grid.cols)).round() as i32 } else { w };
    let high = if part { (grid.cell_h * f64::from(grid.rows)).round() as i32 } else { h };
    for col in 0..=grid.cols {
        let x = ((grid.left + f64::from(col) * grid.cell_w).round() as i32).min(w - 1);
        fill(&mut out, &PixelBox::new(x - 1, top, 3, high), BLACK, 90);
        fill(&mut out, &PixelBox::new(x, top, 1, high), INK, 255);
    }
    for row in 0..=grid.rows {
        let y = ((grid.top + f64::from(row) * grid.cell_h).round() as i32).min(h - 1);
        fill(&mut out, &PixelBox::new(left, y - 1, wide, 3), BLACK, 90);
        fill(&mut out, &PixelBox::new(left, y, wide, 1), INK, 255);
    }
    let digits = f64::from(grid.areas().checked_ilog10().unwrap_or(0) + 1);
    let cap = (grid.cell_h * 0.2).min(grid.cell_w * 0.8 / (digits * 0.83)).round().clamp(7.0, 21.0) as i32;
    let advance = (f64::from(cap) * 0.826).round() as i32;
    for area in 1..=grid.areas() {
        let Some(cell) = grid.cell(area) else { continue };
        let at = ((cell.x + 0.05 * cell.w).round() as i32 + 2, (cell.y + 0.05 * cell.h).round() as i32 + 2);
        let wide = (area.checked_ilog10().unwrap_or(0) as i32 + 1) * advance;
        fill(&mut out, &PixelBox::new(at.0 - 2, at.1 - 2, wide + 4, cap + 4), BLACK, 150);
        number(&mut out, area, at, (cap, advance), Rgb([255, 255, 255]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn phones_are_cut_like_appagent_cuts_them() {
        for (w, h, cols, rows) in [
            (1080, 2400, 9, 20),
            (1080, 2340, 9, 18),
            (1440, 3120, 12, 26),
            (720, 1600, 6, 10),
            (1344, 2992, 8, 22),
        ] {
            let g = Grid::for_size(w, h);
            assert_eq!((g.cols, g.rows), (cols, rows), "{w}x{h}");
        }
        let odd = Grid::for_size(1228, 2700);
        assert_eq!(odd.cols, 10);
        assert!((odd.cell_w - 122.8).abs() < 1e-9);
    }

    #[test]
    fn appagent_taps_beside_what_it_draws_where_no_size_divides_a_side() {
        let drawn = Grid::drawn_by_appagent(1228, 2700);
        assert_eq!((drawn.cols, drawn.rows, drawn.cell_w, drawn.cell_h), (10, 20, 120.0, 135.0));
        let tapped = drawn.tapped_by_appagent(1228, 2700);
        assert_eq!(tapped.point(10, Subarea::Center), Some(Point::new(9.0 * 122.0 + 61.0, 67.5)));
        for (w, h) in [(1080, 2400), (1080, 2340), (1440, 3120), (720, 1600), (1344, 2992)] {
            let drawn = Grid::drawn_by_appagent(w, h);
            assert_eq!((drawn, drawn.tapped_by_appagent(w, h)), (Grid::for_size(w, h), drawn), "{w}x{h}");
        }
        assert_eq!(Grid::drawn_by_appagent(50, 9).areas(), 1);
    }

    #[test]
    fn subareas_are_read_tolerantly() {
        for (text, want) in [
            ("center", Subarea::Center),
            ("\"top-left\"", Subarea::TopLeft),
            ("Top Right", Subarea::TopRight),
            ("upper_left", Subarea::TopLeft),
            ("leftTop", Subarea::TopLeft),
            ("BOTTOM-RIGHT", Subarea::BottomRight),
            ("bottomleft", Subarea::BottomLeft),
            ("middle left", Subarea::Left),
            ("right", Subarea::Right),
            ("bottom", Subarea::Bottom),
            ("top", Subarea::Top),
        ] {
            assert_eq!(Subarea::parse(text), Some(want), "{text}");
        }
        for bad in ["", "left-right", "nowhere", "topp", "top bottom", "--"] {
            assert_eq!(Subarea::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_cell_has_nine_points() {
        let g = Grid::for_size(1080, 2400);
        assert_eq!(g.point(1, Subarea::TopLeft), Some(Point::new(30.0, 30.0)));
        assert_eq!(g.point(11, Subarea::BottomRight), Some(Point::new(210.0, 210.0)));
        assert_eq!(g.point(0, Subarea::Center), None);
        assert_eq!(g.point(181, Subarea::Center), None);
    }

    #[test]
    fn a_cell_is_cut_and_enlarged_where_it_lies() {
        let whole = Grid::for_size(1280, 800);
        let fine = whole.within(12).unwrap();
        let cell = whole.cell(12).unwrap();
        assert!(fine.cell_w <= 48.0 && fine.cell_h <= 48.0, "{fine:?}");
        let (first, last) = (fine.cell(1).unwrap(), fine.cell(fine.areas()).unwrap());
        assert!((first.x - cell.x).abs() < 1e-9 && (last.bottom() - cell.bottom()).abs() < 1e-9);
        assert_eq!(whole.area_of(fine.point(7, Subarea::BottomLeft).unwrap()), Some(12));
        assert_eq!(whole.within(0), None);
        // A mark on the screen lies in the same area of the enlarged picture.
        let mark = fine.point(6, Subarea::Center).unwrap();
        let mut picture = RgbImage::new(1280, 800);
        for (dx, dy) in (-3..=3).flat_map(|dx| (-3..=3).map(move |dy| (dx, dy))) {
            picture.put_pixel((mark.x as i32 + dx) as u32, (mark.y as i32 + dy) as u32, Rgb([255, 255, 255]));
        }
        let (big, on_it) = fine.enlarged(&picture);
        assert!(big.width() <= 1280 && big.height() <= 800 && big.width() > cell.w as u32);
        let at = on_it.point(6, Subarea::Center).unwrap();
        assert_eq!(big.get_pixel(at.x as u32, at.y as u32), &Rgb([255, 255, 255]));
        assert_eq!(paint_grid(&big, &on_it).dimensions(), big.dimensions());
    }

    #[test]
    fn the_grid_is_painted_on_any_size() {
        for (w, h) in [(0, 0), (1, 1), (50, 9), (333, 777)] {
            let out = paint_grid(&RgbImage::new(w, h), &Grid::for_size(w, h));
            assert_eq!(out.dimensions(), (w, h));
        }
    }

    proptest! {
        #[test]
        fn every_pixel_belongs_to_the_cell_that_is_drawn_over_it(w in 1..4000u32, h in 1..4000u32, fx in 0.0..1.0f64, fy in 0.0..1.0f64) {
            let g = Grid::for_size(w, h);
            let p = Point::new((fx * f64::from(w)).floor() + 0.5, (fy * f64::from(h)).floor() + 0.5);
            let area = g.area_of(p);
            prop_assert!(area.is_some());
            let cell = g.cell(area.unwrap()).unwrap();
            prop_assert!(p.x >= cell.x - 1e-6 && p.x <= cell.right() + 1e-6 && p.y >= cell.y - 1e-6 && p.y <= cell.bottom() + 1e-6);
            let last = g.cell(g.areas()).unwrap();
            prop_assert!((last.right() - f64::from(w)).abs() < 1e-6 && (last.bottom() - f64::from(h)).abs() < 1e-6);
            for sub in [Subarea::TopLeft, Subarea::Center, Subarea::BottomRight] {
                prop_assert_eq!(g.area_of(g.point(g.areas(), sub).unwrap()), Some(g.areas()));
            }
        }
    }
}
