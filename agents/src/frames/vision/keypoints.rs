//! Points that can be named by number: middles of things, corners, and a coarse lattice.
//!
//! Invariants: a point is kept for its own contrast, never for its rank among others, so a plain picture
//! loses none; a number is given once for a frame and never again; the same place keeps its number.

use image::{GrayImage, Luma, RgbImage};
use imageproc::corners::corners_fast9;
use imageproc::suppress::suppress_non_maximum;

use super::colour::{at, floor, luma};
use super::regions::{Rule, regions};
use super::{Density, PixelPoint, PxRect};

/// Points of a frame at most.
const CAP: usize = 60;
/// The least difference of brightness or of a channel within a point's neighbourhood, 0 to 255.
const CONTRAST: u8 = 18;
/// The largest difference in a channel that is still ground.
const TOLERANCE: u8 = 12;
/// The least difference on FAST's circle.
const CORNER: u8 = 24;
/// Pixels across and down within which only the strongest corner counts.
const NEAR: u32 = 4;
/// CSS pixels that points keep apart.
const APART: u32 = 10;
/// CSS pixels between points of the lattice.
const LATTICE: u32 = 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keypoint {
    pub id: u32,
    pub at: PixelPoint,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Keypoints {
    points: Vec<PixelPoint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no point has the number {id}: there are {count}, numbered from 0")]
pub(crate) struct UnknownPoint {
    pub id: u32,
    pub count: u32,
}

impl Keypoints {
    /// Numbers places: those that have a number already (of a place within 6 CSS pixels) keep it.
    pub fn add(&mut self, places: &[PixelPoint], density: Density) -> Vec<Keypoint> {
        let near = f64::from(density.px(6));
        places
            .iter()
            .map(|place| {
                let known = self
                    .points
                    .iter()
                    .enumerate()
                    .map(|(id, at)| (id, at.distance(*place)))
                    .min_by(|a, b| a.1.total_cmp(&b.1))
                    .filter(|(_, far)| *far <= near)
                    .map(|(id, _)| id);
                let id = known.unwrap_or_else(|| {
                    self.points.push(*place);
                    self.points.len() - 1
                });
                Keypoint { id: id as u32, at: self.points[id] }
            })
            .collect()
    }

    pub fn get(&self, id: u32) -> Result<PixelPoint, UnknownPoint> {
        self.points.get(id as usize).copied().ok_or(UnknownPoint { id, count: self.count() })
    }

    pub fn count(&self) -> u32 {
        self.points.len() as u32
    }

    /// New and known points within 100 CSS pixels across and down from a point: a finer look around it.
    pub fn around(
        &mut self,
        picture: &RgbImage,
        id: u32,
        density: Density,
    ) -> Result<Vec<Keypoint>, UnknownPoint> {
        let at = self.get(id)?;
        let reach = density.px(100);
        let part = PxRect::new(at.x.saturating_sub(reach), at.y.saturating_sub(reach), 2 * reach, 2 * reach)
            .intersect(&PxRect::whole(picture));
        let mut places = propose(picture, &part, density);
        // A ring of plain offsets besides: the place that is meant may have nothing on it.
        for (dx, dy) in [(-1i64, 0i64), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)] {
            let far = i64::from(density.px(16));
            let (x, y) = (i64::from(at.x) + dx * far, i64::from(at.y) + dy * far);
            if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) {
                places.push(PixelPoint::new(x, y));
            }
        }
        places.retain(|place| part.contains(*place));
        places.sort_by(|a, b| a.distance(at).total_cmp(&b.distance(at)));
        places.truncate(24);
        Ok(self.add(&places, density))
    }
}

/// Places worth a number in a part of a picture: first middles of things, then corners, then a lattice,
/// each of contrast enough, apart from each other, and no more than can be told apart on a picture.
pub fn propose(picture: &RgbImage, part: &PxRect, density: Density) -> Vec<PixelPoint> {
    let part = part.intersect(&PxRect::whole(picture));
    if part.is_empty() {
        return Vec::new();
    }
    let mut kept = Vec::new();
    let apart = f64::from(density.px(APART));
    let mut offer = |places: Vec<PixelPoint>, apart: f64| {
        for place in places {
            if kept.len() < CAP && kept.iter().all(|other: &PixelPoint| other.distance(place) >= apart) {
                kept.push(place);
            }
        }
    };
    offer(middles(picture, &part, density), apart);
    offer(corners(picture, &part), 2.0 * apart);
    offer(lattice(picture, &part, density), 2.0 * apart);
    kept
}

/// Middles of what stands out, the largest first, and of what is not compact also its quarters.
fn middles(picture: &RgbImage, part: &PxRect, density: Density) -> Vec<PixelPoint> {
    let own = floor(picture, part, density);
    let rule = Rule { tile: density.px(2), gap: 1, tolerance: TOLERANCE, least: density.px(4) };
    let mut found = regions(picture, part, own, rule);
    found.retain(|region| {
        contrast(picture, &region.rect.outset(2, picture.width(), picture.height())) >= CONTRAST
    });
    found.sort_by_key(|region| std::cmp::Reverse(region.tiles));
    let mut places: Vec<PixelPoint> =
        found.iter().map(|region| centroid(picture, &region.rect, own)).collect();
    let wide = density.px(48);
    for region in &found {
        let r = region.rect;
        if r.w > wide || r.h > wide {
            let (w, h) = (r.w / 4, r.h / 4);
            for (x, y) in [(w, h), (3 * w, h), (w, 3 * h), (3 * w, 3 * h)] {
                let place = PixelPoint::new(r.x + x, r.y + y);
                if local(picture, place, density) >= CONTRAST {
                    places.push(place);
                }
            }
        }
    }
    places
}

/// The middle of the pixels in a part that are not ground.
fn centroid(picture: &RgbImage, rect: &PxRect, own: [u8; 3]) -> PixelPoint {
    let step = if rect.area() > 20_000 { 3 } else { 1 };
    let (mut x_sum, mut y_sum, mut count) = (0u64, 0u64, 0u64);
    for y in (rect.y..rect.bottom()).step_by(step) {
        for x in (rect.x..rect.right()).step_by(step) {
            if super::colour::far(at(picture, x, y), own) > TOLERANCE {
                x_sum += u64::from(x);
                y_sum += u64::from(y);
                count += 1;
            }
        }
    }
    if count == 0 {
        return rect.center();
    }
    PixelPoint::new((x_sum / count) as u32, (y_sum / count) as u32)
}

/// The largest range of any channel in a part.
fn contrast(picture: &RgbImage, rect: &PxRect) -> u8 {
    let rect = rect.intersect(&PxRect::whole(picture));
    let (mut low, mut high) = ([255u8; 3], [0u8; 3]);
    let step = if rect.area() > 4_000 { 2 } else { 1 };
    for y in (rect.y..rect.bottom()).step_by(step) {
        for x in (rect.x..rect.right()).step_by(step) {
            for (channel, value) in at(picture, x, y).into_iter().enumerate() {
                low[channel] = low[channel].min(value);
                high[channel] = high[channel].max(value);
            }
        }
    }
    (0..3).map(|n| high[n].saturating_sub(low[n])).max().unwrap_or_default()
}

fn local(picture: &RgbImage, place: PixelPoint, density: Density) -> u8 {
    let reach = density.px(LATTICE / 2);
    contrast(
        picture,
        &PxRect::new(place.x.saturating_sub(reach), place.y.saturating_sub(reach), 2 * reach, 2 * reach),
    )
}

/// Corners by the segment test of nine (FAST-9), the strongest first; each is the strongest of its neighbourhood.
fn corners(picture: &RgbImage, part: &PxRect) -> Vec<PixelPoint> {
    let mut plane = GrayImage::new(part.w, part.h);
    for (y, to) in (part.y..).zip(plane.chunks_exact_mut(part.w as usize)) {
        let line = super::colour::row(picture, y, part.x, part.w);
        to.iter_mut().zip(line.chunks_exact(3)).for_each(|(to, p)| *to = luma([p[0], p[1], p[2]]));
    }
    let mut strengths = GrayImage::new(part.w, part.h);
    for corner in corners_fast9(&plane, CORNER) {
        strengths.put_pixel(corner.x, corner.y, Luma([corner.score as u8]));
    }
    let strongest = suppress_non_maximum(&strengths, NEAR);
    let mut found: Vec<(u8, PixelPoint)> = strongest
        .enumerate_pixels()
        .filter(|(_, _, strength)| strength.0[0] > 0)
        .map(|(x, y, strength)| (strength.0[0], PixelPoint::new(part.x + x, part.y + y)))
        .collect();
    found.sort_by_key(|(strength, _)| std::cmp::Reverse(*strength));
    found.into_iter().map(|(_, at)| at).collect()
}

/// A grid of places of contrast enough.
fn lattice(picture: &RgbImage, part: &PxRect, density: Density) -> Vec<PixelPoint> {
    let step = density.px(LATTICE);
    let mut places = Vec::new();
    let mut y = part.y + (step / 2).min(part.h / 2);
    while y < part.bottom() {
        let mut x = part.x + (step / 2).min(part.w / 2);
        while x < part.right() {
            let place = PixelPoint::new(x, y);
            if local(picture, place, density) >= CONTRAST {
                places.push(place);
            }
            x += step;
        }
        y += step;
    }
    places
}
