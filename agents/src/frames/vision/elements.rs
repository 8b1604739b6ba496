//! Elements of a frame: what stands out of its ground, and what stands out of that.

use image::RgbImage;

use super::colour::{Rgb8, at, far, floor, ground, median, ring};
use super::regions::{Rule, regions};
use super::{Density, PxRect};

/// The largest difference in a channel that is still ground.
const TOLERANCE: u8 = 16;
/// Two proposals that share this much are one.
const SAME: f64 = 0.8;
/// CSS pixels of a cell's side at least.
const CELL: u32 = 12;
/// CSS pixels of the sides of a thing in which others can stand, at least.
const ROOMY: u32 = 24;
/// CSS pixels from which on a thing is long.
const LONG: u32 = 60;
const HANDLES: usize = 4;
const CAP: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    pub rect: PxRect,
    pub colour: [u8; 3],
    /// The share of its bounds that stands out, 0 to 1.
    pub fill: f64,
    /// 0 for what stands on the frame's own ground, 1 for what stands on such a thing.
    pub depth: u32,
}

/// The elements of the part `frame` of a picture, in reading order, outer ones before inner ones.
pub fn elements(picture: &RgbImage, frame: &PxRect, density: Density) -> Vec<Segment> {
    let frame = frame.intersect(&PxRect::whole(picture)).inset(density.px(2));
    let mut found: Vec<Segment> = Vec::new();
    if frame.is_empty() {
        return found;
    }
    let own = floor(picture, &frame, density);
    collect(picture, &frame, own, 0, density, &mut found);
    // Cells may leave so little of their ground that one of them passes for it, and all or some for one thing.
    let depth = u32::from(found.iter().filter(|segment| segment.depth == 0).count() > 1);
    for rect in super::grid::seen(picture, &frame) {
        if rect.w >= density.px(CELL) && rect.h >= density.px(CELL) {
            let (colour, fill) = body(picture, &rect, own);
            found.push(Segment { rect, colour, fill, depth });
        }
    }
    // Two things that stand close together make a frame without a ground of its own, its edges theirs: they
    // stand on the ground around it.
    let (w, h) = picture.dimensions();
    let whole = frame.outset(density.px(4), w, h);
    if whole != PxRect::whole(picture) {
        let around = median(&ring(picture, &whole, 1));
        let mut others = Vec::new();
        collect(picture, &whole, around, 0, density, &mut others);
        others.retain(|segment| segment.depth == 0);
        // Things that stand closer than what passes for one thing are told apart by the ground between them.
        // Letters would be told apart as well, so that these have to be of some size.
        let near = Rule { tile: density.px(1), gap: 0, tolerance: TOLERANCE, least: density.px(ROOMY) };
        for part in regions(picture, &whole, around, near) {
            let (colour, fill) = body(picture, &part.rect, around);
            others.push(Segment { rect: part.rect, colour, fill, depth: 0 });
        }
        others.retain(|segment| segment.rect.iou(&frame) < SAME);
        found.extend(others);
    }
    let mut kept: Vec<Segment> = Vec::new();
    for segment in found {
        if kept.len() < CAP && kept.iter().all(|other| other.rect.iou(&segment.rect) < SAME) {
            kept.push(segment);
        }
    }
    kept
}

fn collect(
    picture: &RgbImage,
    part: &PxRect,
    around: Rgb8,
    depth: u32,
    density: Density,
    found: &mut Vec<Segment>,
) {
    let rule = Rule { tile: density.px(2), gap: 1, tolerance: TOLERANCE, least: density.px(5) };
    for region in regions(picture, part, around, rule) {
        let (colour, fill) = body(picture, &region.rect, around);
        found.push(Segment { rect: region.rect, colour, fill, depth });
        for rect in handles(picture, &region.rect, around, density) {
            let (colour, fill) = body(picture, &rect, around);
            found.push(Segment { rect, colour, fill, depth: depth + 1 });
        }
        let (own, share) = ground(picture, &region.rect.inset(density.px(3)));
        let card = share > 0.35 && far(own, around) > TOLERANCE / 2 && fill > 0.6;
        let roomy = region.rect.w >= density.px(ROOMY) && region.rect.h >= density.px(ROOMY);
        // An outline around the same ground is a card too.
        let outline = share > 0.5 && far(own, around) <= TOLERANCE / 2 && fill < 0.4;
        if depth == 0 && roomy && (card || outline) {
            collect(picture, &region.rect.inset(density.px(3)), own, 1, density, found);
        }
    }
}

/// Handles on a track; with a word right beside it, which passes for a part of the thing, the track as well.
fn handles(picture: &RgbImage, rect: &PxRect, around: Rgb8, density: Density) -> Vec<PxRect> {
    let found = thick(picture, rect, around, density);
    let (long, wide) = (rect.w.max(rect.h), rect.w.min(rect.h));
    if !found.is_empty() || long < density.px(LONG) || long < 3 * wide {
        return found;
    }
    let near = Rule { tile: density.px(1), gap: 0, tolerance: TOLERANCE, least: density.px(5) };
    let pieces = regions(picture, rect, around, near).into_iter().map(|piece| piece.rect);
    let tracks = pieces.filter(|piece| piece != rect).filter_map(|piece| {
        let mut parts = thick(picture, &piece, around, density);
        (!parts.is_empty()).then(|| {
            parts.insert(0, piece);
            parts
        })
    });
    tracks.flatten().collect()
}

/// The parts of a long thing that are much thicker than most of it: handles on their tracks.
fn thick(picture: &RgbImage, rect: &PxRect, around: Rgb8, density: Density) -> Vec<PxRect> {
    let across = rect.w >= rect.h;
    let (long, wide) = if across { (rect.w, rect.h) } else { (rect.h, rect.w) };
    if long < density.px(LONG) || long < 3 * wide {
        return Vec::new();
    }
    // The outermost pixels of the thing in each slice: what is hollow counts as thick as it is wide.
    let slice = |n: u32| -> (u32, u32) {
        let hit = |m: &u32| {
            let (x, y) = if across { (rect.x + n, rect.y + m) } else { (rect.x + m, rect.y + n) };
            far(at(picture, x, y), around) > TOLERANCE
        };
        match ((0..wide).find(hit), (0..wide).rev().find(hit)) {
            (Some(first), Some(last)) => (first, last - first + 1),
            _ => (0, 0),
        }
    };
    let slices: Vec<(u32, u32)> = (0..long).map(slice).collect();
    let mut sizes: Vec<u32> = slices.iter().map(|(_, size)| *size).collect();
    sizes.sort_unstable();
    let usual = sizes[sizes.len() / 2];
    let over = |size: u32| size > usual + usual / 4 + density.px(2);
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (n, _) in (0u32..).zip(&slices).filter(|(_, (_, size))| over(*size)) {
        match runs.last_mut() {
            Some((_, end)) if n <= *end + density.px(2) => *end = n,
            _ => runs.push((n, n)),
        }
    }
    runs.retain(|(from, to)| to - from + 1 >= density.px(5));
    // More than a few is a thing of another form, such as a word.
    if runs.len() > HANDLES {
        return Vec::new();
    }
    let part = |(from, to): &(u32, u32)| {
        let own = &slices[*from as usize..=*to as usize];
        let first = own.iter().map(|(first, _)| *first).min().unwrap_or_default();
        let last = own.iter().map(|(first, size)| first + size).max().unwrap_or_default();
        let (long, wide) = (to - from + 1, last.saturating_sub(first));
        if across {
            PxRect::new(rect.x + from, rect.y + first, long, wide)
        } else {
            PxRect::new(rect.x + first, rect.y + from, wide, long)
        }
    };
    runs.iter().map(part).collect()
}

/// Mean colour and share of what is not ground.
fn body(picture: &RgbImage, rect: &PxRect, around: Rgb8) -> (Rgb8, f64) {
    let step = if rect.area() > 40_000 { 2 } else { 1 };
    let (mut sums, mut hits, mut all) = ([0u64; 3], 0u64, 0u64);
    for y in (rect.y..rect.bottom()).step_by(step) {
        for x in (rect.x..rect.right()).step_by(step) {
            let colour = at(picture, x, y);
            all += 1;
            if far(colour, around) > TOLERANCE {
                hits += 1;
                for (sum, value) in sums.iter_mut().zip(colour) {
                    *sum += u64::from(value);
                }
            }
        }
    }
    (sums.map(|sum| (sum / hits.max(1)) as u8), hits as f64 / all.max(1) as f64)
}
