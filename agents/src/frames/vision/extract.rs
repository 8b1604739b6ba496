//! Frames of a page: its panels, what stands in them, and what stands in that.
//!
//! A frame is found by the ground around it: what differs from that falls apart into frames, and each of
//! these is looked at in the same way, three levels deep. The ground of a page or frame is the
//! colour along its rim, for what stands in it may well be larger than what is left around that; a page
//! with a rim of many colours has its most frequent one.

use image::RgbImage;

use super::colour::{RIM, Rgb8, at, far, ground, median, rim};
use super::regions::{Rule, regions};
use super::{Density, PxRect};

const DEPTH: u32 = 3;
/// The largest difference in a channel that is still ground: panels differ from their page by little.
const TOLERANCE: u8 = 4;
/// CSS pixels below which nothing is taken apart.
const APART: (u32, u32) = (96, 48);
/// CSS pixels over which a shadow may fade.
const SHADOW: u32 = 48;
/// The largest difference between neighbouring pixels of a shadow.
const FADES: u8 = 3;
/// Places across a side at which the way into a frame is looked at.
const LOOKS: u32 = 9;
/// CSS pixels below which a frame is not a higher than a line of words.
const LINE: u32 = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundFrame {
    pub rect: PxRect,
    /// The place in the list of the frame that it stands in; none for a panel of the page.
    pub parent: Option<usize>,
    /// 0 for panels of the page.
    pub depth: u32,
}

/// All frames of a page, panels first, each before what stands in it; in reading order.
pub fn frames(picture: &RgbImage, density: Density) -> Vec<FoundFrame> {
    let mut found = Vec::new();
    let whole = PxRect::whole(picture);
    // Panels may cover more of a page than they leave free; its edge is the page's own.
    let (edge, share) = rim(picture, &whole, density);
    let page = if share >= RIM { edge } else { ground(picture, &whole).0 };
    let level = Level { around: page, parent: None, depth: 0 };
    inside(picture, &whole, level, density, &mut found);
    found
}

/// At most so many of the frames of a page, in their order. Words go first, then other small things in which
/// nothing stands, the deepest before others; where that is not enough, all that lies deepest.
pub(crate) fn foremost(found: &[FoundFrame], most: usize, density: Density) -> Vec<PxRect> {
    let holds = |n: usize| found.iter().any(|frame| frame.parent == Some(n));
    let mut kept: Vec<usize> = (0..found.len()).collect();
    let mut drop = |goes: &dyn Fn(usize) -> bool| {
        if kept.len() > most {
            kept.retain(|n| !goes(*n));
        }
    };
    drop(&|n| found[n].rect.h < density.px(LINE) && !holds(n));
    for depth in (1..DEPTH).rev() {
        drop(&|n| found[n].depth >= depth && !is_large(&found[n].rect, density) && !holds(n));
    }
    for depth in (0..DEPTH).rev() {
        drop(&|n| found[n].depth >= depth);
    }
    kept.into_iter().map(|n| found[n].rect).collect()
}

#[derive(Clone, Copy)]
struct Level {
    around: Rgb8,
    parent: Option<usize>,
    depth: u32,
}

fn inside(picture: &RgbImage, part: &PxRect, level: Level, density: Density, found: &mut Vec<FoundFrame>) {
    let Level { around, parent, depth } = level;
    let rule = Rule {
        tile: density.px(4),
        // Panels keep away from each other; what stands in a panel is closer together.
        gap: if depth == 0 { 3 } else { 1 },
        tolerance: TOLERANCE,
        least: density.px(if depth == 0 { 16 } else { 8 }),
    };
    let mut parts: Vec<PxRect> =
        regions(picture, part, around, rule).into_iter().map(|part| part.rect).collect();
    if depth == 0 {
        parts = parts.into_iter().flat_map(|rect| apart(picture, rect, around, rule, density)).collect();
    }
    for (n, rect) in parts.iter().enumerate() {
        // Where a frame has things of the colour around it, what stands on these seems to stand alone.
        let within = |(m, other): (usize, &PxRect)| {
            m != n && other.area() > rect.area() && other.intersect(rect).area() * 20 >= rect.area() * 19
        };
        if parts.iter().enumerate().any(within) {
            continue;
        }
        let large = is_large(rect, density);
        let rect = if large { without_shadow(picture, rect, around, density) } else { *rect };
        let place = found.len();
        found.push(FoundFrame { rect, parent, depth });
        if depth + 1 >= DEPTH || !large {
            continue;
        }
        let (own, share) = rim(picture, &rect, density);
        // What has no ground of its own is one thing, or letters on the ground around it.
        if share >= RIM && far(own, around) > TOLERANCE / 2 {
            let level = Level { around: own, parent: Some(place), depth: depth + 1 };
            inside(picture, &rect.inset(density.px(3)), level, density, found);
        }
    }
}

fn is_large(rect: &PxRect, density: Density) -> bool {
    rect.w >= density.px(APART.0) && rect.h >= density.px(APART.1)
}

/// Panels that stand so near to each other that they passed for one thing.
fn apart(picture: &RgbImage, rect: PxRect, around: Rgb8, rule: Rule, density: Density) -> Vec<PxRect> {
    let grounded = |rect: &PxRect| {
        let (own, share) = rim(picture, rect, density);
        share >= RIM && far(own, around) > TOLERANCE / 2
    };
    if !is_large(&rect, density) || grounded(&rect) {
        return vec![rect];
    }
    let closer: Vec<PxRect> =
        regions(picture, &rect, around, Rule { gap: 1, ..rule }).into_iter().map(|part| part.rect).collect();
    // Words on the page's own ground stay together.
    let panels = closer.iter().any(|part| is_large(part, density) && grounded(part));
    if panels { closer } else { vec![rect] }
}

#[derive(Clone, Copy)]
enum RectSide {
    Top,
    Bottom,
    Left,
    Right,
}

/// The part of a panel without the shadow that it throws: on the way into a panel a shadow deepens little
/// by little, and the first step is the panel's edge.
fn without_shadow(picture: &RgbImage, rect: &PxRect, around: Rgb8, density: Density) -> PxRect {
    let cut = |side| edge(picture, rect, around, density, side);
    let (left, right, top, bottom) =
        (cut(RectSide::Left), cut(RectSide::Right), cut(RectSide::Top), cut(RectSide::Bottom));
    PxRect::new(
        rect.x + left,
        rect.y + top,
        rect.w.saturating_sub(left + right).max(1),
        rect.h.saturating_sub(top + bottom).max(1),
    )
}

fn edge(picture: &RgbImage, rect: &PxRect, around: Rgb8, density: Density, side: RectSide) -> u32 {
    let (across, deep) = match side {
        RectSide::Top | RectSide::Bottom => (rect.w, rect.h),
        RectSide::Left | RectSide::Right => (rect.h, rect.w),
    };
    let most = density.px(SHADOW).min(deep / 3);
    let profile: Vec<Rgb8> = (0..most)
        .map(|n| {
            let looks: Vec<Rgb8> = (1..=LOOKS)
                .map(|look| {
                    let along = across * look / (LOOKS + 1);
                    match side {
                        RectSide::Top => at(picture, rect.x + along, rect.y + n),
                        RectSide::Bottom => at(picture, rect.x + along, rect.bottom() - 1 - n),
                        RectSide::Left => at(picture, rect.x + n, rect.y + along),
                        RectSide::Right => at(picture, rect.right() - 1 - n, rect.y + along),
                    }
                })
                .collect();
            median(&looks)
        })
        .collect();
    let mut last = around;
    for (n, colour) in profile.iter().enumerate() {
        // The first pixel of a shadow differs from the ground by what is no longer taken for ground.
        let least = if n == 0 { 2 * TOLERANCE } else { FADES };
        if far(*colour, last) > least {
            return n as u32;
        }
        last = *colour;
    }
    0
}
