//! Connected parts of a picture that differ from its ground.
//!
//! The picture is looked at in tiles of a few pixels: what is nearer than a gap is one part, and the work
//! is a sixteenth of that on single pixels. The bounds that come out are exact to the pixel.

use image::{GrayImage, RgbImage};
use waldo_devices::connected_parts::{ConnectedPart, Reach, connected_parts, widened};

use super::PxRect;
use super::colour::{Rgb8, far, row};

/// How parts are told from the ground and from each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub tile: u32,
    /// Parts nearer than this many tiles are one.
    pub gap: u8,
    /// The largest difference in a channel that is still ground.
    pub tolerance: u8,
    /// Parts narrower or lower than this many pixels are left out.
    pub least: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub rect: PxRect,
    pub tiles: u32,
}

/// The parts of `part` that differ from `ground`, from top to bottom and left to right.
pub(super) fn regions(picture: &RgbImage, part: &PxRect, ground: Rgb8, rule: Rule) -> Vec<Region> {
    let part = part.intersect(&PxRect::whole(picture));
    if part.is_empty() {
        return Vec::new();
    }
    let tile = rule.tile.max(1);
    let mask = tiles(picture, &part, ground, rule, tile);
    let reach = Reach { right: rule.gap, down: rule.gap, ..Reach::default() };
    let mut found = Vec::new();
    for found_part in connected_parts(&widened(&mask, reach), &mask) {
        let ConnectedPart { left, top, right, bottom, cells } = found_part;
        let rect = PxRect::new(
            part.x + left * tile,
            part.y + top * tile,
            (right - left + 1) * tile,
            (bottom - top + 1) * tile,
        );
        let rect = tighten(picture, &rect.intersect(&part), ground, rule.tolerance);
        if rect.w >= rule.least && rect.h >= rule.least {
            found.push(Region { rect, tiles: cells });
        }
    }
    found.sort_by_key(|part| (part.rect.y, part.rect.x));
    found
}

/// A pixel a tile: 255 where the tile holds a pixel that differs, else 0.
fn tiles(picture: &RgbImage, part: &PxRect, ground: Rgb8, rule: Rule, tile: u32) -> GrayImage {
    let columns = part.w.div_ceil(tile);
    let mut mask = GrayImage::new(columns, part.h.div_ceil(tile));
    for y in 0..part.h {
        let line = row(picture, part.y + y, part.x, part.w);
        let cells = mask.iter_mut().skip((y / tile * columns) as usize);
        for (marked, pixels) in cells.zip(line.chunks(tile as usize * 3)) {
            let differs = || pixels.chunks_exact(3).any(|p| far([p[0], p[1], p[2]], ground) > rule.tolerance);
            if *marked == 0 && differs() {
                *marked = 255;
            }
        }
    }
    mask
}

/// The bounds without the rows and columns at its edges that are all ground.
fn tighten(picture: &RgbImage, rect: &PxRect, ground: Rgb8, tolerance: u8) -> PxRect {
    let level = |y: u32, x: u32, w: u32| {
        row(picture, y, x, w).chunks_exact(3).any(|p| far([p[0], p[1], p[2]], ground) > tolerance)
    };
    let upright = |x: u32, y: u32, h: u32| {
        (y..y + h).any(|y| far(super::colour::at(picture, x, y), ground) > tolerance)
    };
    let mut r = *rect;
    while r.h > 1 && !level(r.y, r.x, r.w) {
        r = PxRect::new(r.x, r.y + 1, r.w, r.h - 1);
    }
    while r.h > 1 && !level(r.bottom() - 1, r.x, r.w) {
        r.h -= 1;
    }
    while r.w > 1 && !upright(r.x, r.y, r.h) {
        r = PxRect::new(r.x + 1, r.y, r.w - 1, r.h);
    }
    while r.w > 1 && !upright(r.right() - 1, r.y, r.h) {
        r.w -= 1;
    }
    r
}
