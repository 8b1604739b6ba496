//! Connected parts of a picture that differ from its ground.
//!
//! The picture is looked at in tiles of a few pixels: what is nearer than a gap is one part, and the work
//! is a sixteenth of that on single pixels. The bounds that come out are exact to the pixel.

use image::RgbImage;

use super::PxRect;
use super::colour::{Rgb8, far, row};

/// How parts are told from the ground and from each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Pixels of a tile's edge.
    pub tile: u32,
    /// Parts nearer than this many tiles are one.
    pub gap: u32,
    /// The largest difference in a channel that is still ground.
    pub tolerance: u8,
    /// Parts narrower or lower than this many pixels are left out.
    pub least: u32,
}

/// A part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub rect: PxRect,
    /// Tiles that differ from the ground.
    pub tiles: u32,
}

/// The parts of `part` that differ from `ground`, from top to bottom and left to right.
pub(super) fn regions(picture: &RgbImage, part: &PxRect, ground: Rgb8, rule: Rule) -> Vec<Region> {
    let part = part.intersect(&PxRect::whole(picture));
    if part.is_empty() {
        return Vec::new();
    }
    let tile = rule.tile.max(1);
    let (columns, rows) = (part.w.div_ceil(tile) as usize, part.h.div_ceil(tile) as usize);
    let mask = tiles(picture, &part, ground, rule, columns, rows);
    let mut seen = spread(&mask, columns, rows, rule.gap as usize);
    let mut found = Vec::new();
    let mut stack = Vec::new();
    for start in 0..seen.len() {
        if !seen[start] {
            continue;
        }
        seen[start] = false;
        stack.push(start);
        let (mut left, mut top, mut right, mut bottom) = (columns, rows, 0, 0);
        let mut count = 0;
        while let Some(at) = stack.pop() {
            let (x, y) = (at % columns, at / columns);
            if mask[at] {
                (left, right) = (left.min(x), right.max(x));
                (top, bottom) = (top.min(y), bottom.max(y));
                count += 1;
            }
            for dy in [-1isize, 0, 1] {
                for dx in [-1isize, 0, 1] {
                    let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else {
                        continue;
                    };
                    let next = y * columns + x;
                    if x < columns && y < rows && seen[next] {
                        seen[next] = false;
                        stack.push(next);
                    }
                }
            }
        }
        if count == 0 {
            continue;
        }
        let rect = PxRect::new(
            part.x + left as u32 * tile,
            part.y + top as u32 * tile,
            (right - left + 1) as u32 * tile,
            (bottom - top + 1) as u32 * tile,
        );
        let rect = tighten(picture, &rect.intersect(&part), ground, rule.tolerance);
        if rect.w >= rule.least && rect.h >= rule.least {
            found.push(Region { rect, tiles: count });
        }
    }
    found.sort_by_key(|part| (part.rect.y, part.rect.x));
    found
}

/// Which tiles hold a pixel that differs.
fn tiles(
    picture: &RgbImage,
    part: &PxRect,
    ground: Rgb8,
    rule: Rule,
    columns: usize,
    rows: usize,
) -> Vec<bool> {
    let mut mask = vec![false; columns * rows];
    let width = rule.tile.max(1) as usize * 3;
    for y in 0..part.h {
        let line = row(picture, part.y + y, part.x, part.w);
        let from = (y / rule.tile.max(1)) as usize * columns;
        for (tile, pixels) in mask[from..from + columns].iter_mut().zip(line.chunks(width)) {
            *tile = *tile || pixels.chunks_exact(3).any(|p| far([p[0], p[1], p[2]], ground) > rule.tolerance);
        }
    }
    mask
}

/// The mask with everything wider by half a gap on each side, so that what is near touches.
fn spread(mask: &[bool], columns: usize, rows: usize, gap: usize) -> Vec<bool> {
    if gap == 0 {
        return mask.to_vec();
    }
    // One way at a time: first what is to the left of a tile by up to `gap`, then what is above it.
    let mut across = vec![false; mask.len()];
    for y in 0..rows {
        let mut left = 0;
        for x in 0..columns {
            let at = y * columns + x;
            left = if mask[at] { gap + 1 } else { left.saturating_sub(1) };
            across[at] = left > 0;
        }
    }
    let mut both = vec![false; mask.len()];
    for x in 0..columns {
        let mut left = 0;
        for y in 0..rows {
            let at = y * columns + x;
            left = if across[at] { gap + 1 } else { left.saturating_sub(1) };
            both[at] = left > 0;
        }
    }
    both
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
