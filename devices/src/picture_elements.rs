//! Elements found in a picture, for screens and windows without a tree: video, games, terminals.
//!
//! Edges are joined to blobs; a blob's shape says whether it looks like text, an icon or an area. The
//! guesses are marked as such; nothing is read.

use image::{GrayImage, RgbImage};

use crate::connected_parts::{Reach, connected_parts, widened};
use crate::element::{Affordance, Element, Source};
use crate::geometry::{Physical, Rect};

/// The least difference of neighbouring greys that counts as an edge.
const EDGE: u8 = 24;
/// The least side of an element, in logical pixels.
const LEAST: f64 = 10.0;
/// Elements whose middles are no further apart are one row, in logical pixels: half of what a finger covers.
const ROW: f64 = 12.0;
/// The least number of cells that a blob fills.
const FILLED: u32 = 12;

#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Pixels of the picture per cell that is looked at.
    pub step: u32,
    /// How far an edge reaches sideways, in cells.
    pub across: u8,
    /// How far it reaches up and down, in cells.
    pub down: u8,
    /// The least height of something wide, in logical pixels.
    pub line: f64,
    /// Physical pixels per logical one.
    pub scale: f64,
    pub most: usize,
}

/// What looks as if it could be touched, in reading order, with the role that its shape suggests. The
/// rectangles are in pixels of `picture`.
pub fn blobs(picture: &RgbImage, search: Search) -> Vec<(Rect<Physical>, &'static str)> {
    let (w, h) = picture.dimensions();
    let step = search.step.max(1);
    if w < 8 * step || h < 8 * step {
        return Vec::new();
    }
    let scale = if search.scale > 0.0 { search.scale } else { 1.0 };
    let (across, down) = (search.across, search.down);
    let edges = widened(&edges(picture, step), Reach { left: across, right: across, up: down, down });
    let mut parts = connected_parts(&edges, &edges);
    let screen: Rect<Physical> = Rect::new(0.0, 0.0, f64::from(w), f64::from(h));
    parts.retain(|part| part.cells >= FILLED);
    // The blobs were thickened on each side.
    let side = f64::from(step);
    let (grown_x, grown_y) = (f64::from(across) * side, f64::from(down) * side);
    let mut found: Vec<(Rect<Physical>, &'static str)> = parts
        .iter()
        .filter_map(|part| {
            let [x, y, r, t] =
                [part.left, part.top, part.right + 1, part.bottom + 1].map(|v| f64::from(v) * side);
            let rect = Rect::new(x + grown_x, y + grown_y, r - x - 2.0 * grown_x, t - y - 2.0 * grown_y)
                .intersect(&screen)?;
            let (lw, lh) = (rect.w / scale, rect.h / scale);
            let least = if lw > 2.0 * LEAST { search.line } else { LEAST };
            let fits = lw >= LEAST && lh >= least && rect.area() < screen.area() * 0.5;
            fits.then(|| (rect, kind(lw, lh)))
        })
        .collect();
    drop_echoes(&mut found, search.most);
    in_reading_order(&mut found, ROW * scale);
    found.truncate(search.most);
    found
}

/// Sorts by rows from the top, and by place in the row from the left. A row begins at its highest middle and
/// takes in what lies within `row` below it: rows follow the elements and not a fixed grid, so that
/// something that moves a little between two pictures keeps its number.
fn in_reading_order<T>(found: &mut [(Rect<Physical>, T)], row: f64) {
    let middle = |(rect, _): &(Rect<Physical>, T)| rect.center().y;
    found.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let mut rest = found;
    while let Some(top) = rest.first().map(middle) {
        let (this, below) = rest.split_at_mut(rest.partition_point(|item| middle(item) <= top + row));
        this.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x));
        rest = below;
    }
}

pub fn guess(handle: String, role: &str, bounds: Rect<Physical>) -> Element {
    Element {
        affordances: vec![Affordance::Click],
        source: Source::Picture,
        ..Element::at(handle, role, bounds)
    }
}

pub fn crop(picture: &RgbImage, part: &Rect<Physical>) -> Option<RgbImage> {
    let [x, y, w, h] = [part.x, part.y, part.w, part.h].map(|v| v.max(0.0) as u32);
    let fits = x + w <= picture.width() && y + h <= picture.height() && w > 0 && h > 0;
    fits.then(|| image::imageops::crop_imm(picture, x, y, w, h).to_image())
}

fn kind(w: f64, h: f64) -> &'static str {
    match (w, h) {
        (w, h) if h <= 40.0 && w >= h * 2.2 => "text",
        (w, h) if w <= 96.0 && h <= 96.0 => "button",
        _ => "img",
    }
}

/// Where neighbouring cells differ, one pixel for `step` of the picture.
fn edges(picture: &RgbImage, step: u32) -> GrayImage {
    let (w, h) = (picture.width() / step, picture.height() / step);
    let bytes = picture.as_raw();
    let stride = picture.width() as usize * 3;
    let mut grey = Vec::with_capacity((w * h) as usize);
    for y in 0..h {
        let row = &bytes[(y * step) as usize * stride..][..stride];
        for x in 0..w {
            let at = (x * step) as usize * 3;
            let (r, g, b) = (u32::from(row[at]), u32::from(row[at + 1]), u32::from(row[at + 2]));
            grey.push(((r * 5 + g * 9 + b * 2) / 16) as u8);
        }
    }
    let wide = w as usize;
    let mut marked = vec![0; grey.len()];
    for y in 0..(h as usize).saturating_sub(1) {
        for x in 0..wide.saturating_sub(1) {
            let at = y * wide + x;
            let here = grey[at];
            if here.abs_diff(grey[at + 1]) >= EDGE || here.abs_diff(grey[at + wide]) >= EDGE {
                marked[at] = 255;
            }
        }
    }
    GrayImage::from_raw(w, h, marked).unwrap_or_default()
}

/// Leaves out boxes that lie in a box of nearly their own size.
fn drop_echoes(found: &mut Vec<(Rect<Physical>, &'static str)>, most: usize) {
    found.sort_by(|(a, _), (b, _)| b.area().total_cmp(&a.area()));
    found.truncate(most * 4);
    let mut kept: Vec<(Rect<Physical>, &'static str)> = Vec::new();
    for (rect, role) in found.drain(..) {
        let echo = kept.iter().any(|(outer, _)| {
            outer
                .intersect(&rect)
                .is_some_and(|both| both.area() > rect.area() * 0.9 && rect.area() > outer.area() * 0.6)
        });
        if !echo {
            kept.push((rect, role));
        }
    }
    *found = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    const FINE: Search = Search { step: 1, across: 4, down: 1, line: 6.0, scale: 1.0, most: 80 };

    #[test]
    fn lines_of_small_print_stay_apart() {
        let mut page = RgbImage::from_pixel(400, 200, Rgb([255; 3]));
        for line in 0..3u32 {
            for letter in 0..30u32 {
                for (x, y) in (0..4).flat_map(|x| (0..8).map(move |y| (x, y))) {
                    page.put_pixel(20 + letter * 6 + x, 20 + line * 13 + y, Rgb([0; 3]));
                }
            }
        }
        let found = blobs(&page, FINE);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|(rect, role)| *role == "text" && rect.w > 150.0 && rect.h < 14.0));
    }

    #[test]
    fn what_dances_in_a_row_keeps_its_number() {
        // A cover, bars that grow and shrink on their foot, and two buttons, over a line of their own.
        for foot in 60..140 {
            for high in 8..64 {
                let (foot, high) = (f64::from(foot), f64::from(high));
                let mut row = vec![
                    (Rect::new(60.0, foot - 30.0, 16.0, 16.0), "button"),
                    (Rect::new(40.0, foot - high / 2.0 - 10.0, 20.0, high / 2.0), "bars"),
                    (Rect::new(0.0, foot - 36.0, 30.0, 30.0), "cover"),
                    (Rect::new(5.0, foot + 20.0, 8.0, 8.0), "below"),
                    (Rect::new(90.0, foot - 60.0, 8.0, 8.0), "above"),
                ];
                in_reading_order(&mut row, ROW);
                let names: Vec<&str> = row.iter().map(|(_, name)| *name).collect();
                assert_eq!(names, ["above", "cover", "bars", "button", "below"], "{foot} {high}");
            }
        }
    }

    #[test]
    fn small_pictures_have_nothing() {
        for (w, h) in [(0, 0), (1, 1), (7, 500)] {
            assert!(blobs(&RgbImage::new(w, h), FINE).is_empty());
        }
    }
}
