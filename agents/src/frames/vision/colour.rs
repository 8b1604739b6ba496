//! Colours of pixels: how far apart, and which one is the ground.

use image::RgbImage;

use super::{Density, PxRect};

/// The share of a rim that must have one colour, else there is no ground in it to tell things from.
pub(super) const RIM: f64 = 0.6;
/// The largest difference in a channel within one colour of a rim.
const LIKE: u8 = 4;

pub(super) type Rgb8 = [u8; 3];

pub(super) fn far(a: Rgb8, b: Rgb8) -> u8 {
    a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])).max(a[2].abs_diff(b[2]))
}

/// The brightness that the eye sees, 0 to 255.
pub(super) fn luma([r, g, b]: Rgb8) -> u8 {
    ((u32::from(r) * 77 + u32::from(g) * 150 + u32::from(b) * 29) >> 8) as u8
}

/// The bytes of the pixels of a row, from `x` on for `w` pixels.
pub(super) fn row(picture: &RgbImage, y: u32, x: u32, w: u32) -> &[u8] {
    let stride = picture.width() as usize * 3;
    let start = y as usize * stride + x as usize * 3;
    picture.as_raw().get(start..start + w as usize * 3).unwrap_or_default()
}

/// The colour at a place; black outside.
pub(super) fn at(picture: &RgbImage, x: u32, y: u32) -> Rgb8 {
    picture.get_pixel_checked(x, y).map_or([0; 3], |pixel| pixel.0)
}

/// The most frequent colour of a part of a picture, and the share of pixels near it (0 to 1).
///
/// Colours are counted in cells of 16 values a channel, and the mean of the fullest cell is taken: noise
/// and the edges of letters do not move it.
pub(super) fn ground(picture: &RgbImage, part: &PxRect) -> (Rgb8, f64) {
    let part = part.intersect(&PxRect::whole(picture));
    if part.is_empty() {
        return ([0; 3], 0.0);
    }
    // A sample of some ten thousand pixels tells the majority as well as all of them do.
    let step = ((part.area() as f64 / 24_000.0).sqrt() as u32).clamp(1, 8);
    let mut counts = vec![(0u32, [0u32; 3]); 4096];
    let mut all = 0u32;
    for y in (part.y..part.bottom()).step_by(step as usize) {
        for pixel in row(picture, y, part.x, part.w).chunks_exact(3).step_by(step as usize) {
            let cell = usize::from(pixel[0] >> 4) << 8
                | usize::from(pixel[1] >> 4) << 4
                | usize::from(pixel[2] >> 4);
            let (count, sums) = &mut counts[cell];
            *count += 1;
            for (sum, value) in sums.iter_mut().zip(pixel) {
                *sum += u32::from(*value);
            }
            all += 1;
        }
    }
    let Some((count, sums)) = counts.into_iter().max_by_key(|(count, _)| *count) else {
        return ([0; 3], 0.0);
    };
    let mean = sums.map(|sum| (sum / count.max(1)) as u8);
    (mean, f64::from(count) / f64::from(all.max(1)))
}

/// The median colour, channel by channel; black when there is none.
pub(super) fn median(colours: &[Rgb8]) -> Rgb8 {
    let mut out = [0; 3];
    for (channel, value) in out.iter_mut().enumerate() {
        let mut all: Vec<u8> = colours.iter().map(|colour| colour[channel]).collect();
        all.sort_unstable();
        *value = all.get(all.len() / 2).copied().unwrap_or_default();
    }
    out
}

/// The colours along the edge of a part, `wide` pixels deep.
pub(super) fn ring(picture: &RgbImage, part: &PxRect, wide: u32) -> Vec<Rgb8> {
    let part = part.intersect(&PxRect::whole(picture));
    let inner = part.inset(wide);
    let mut out = Vec::new();
    for y in part.y..part.bottom() {
        let level = y >= inner.y && y < inner.bottom();
        for x in part.x..part.right() {
            if !(level && x >= inner.x && x < inner.right()) {
                out.push(at(picture, x, y));
            }
        }
    }
    out
}

/// The colour along the inside of a frame's edge, and the share of it that has this colour.
pub(super) fn rim(picture: &RgbImage, rect: &PxRect, density: Density) -> (Rgb8, f64) {
    let line = rect.inset(density.px(5));
    let mut colours = Vec::new();
    for x in (line.x..line.right()).step_by(2) {
        colours.push(at(picture, x, line.y));
        colours.push(at(picture, x, line.bottom().saturating_sub(1)));
    }
    for y in (line.y..line.bottom()).step_by(2) {
        colours.push(at(picture, line.x, y));
        colours.push(at(picture, line.right().saturating_sub(1), y));
    }
    let own = median(&colours);
    let hits = colours.iter().filter(|colour| far(**colour, own) <= LIKE).count();
    (own, hits as f64 / colours.len().max(1) as f64)
}

/// The ground of a part: the colour along its rim where there is one, else its most frequent colour.
pub(super) fn floor(picture: &RgbImage, part: &PxRect, density: Density) -> Rgb8 {
    let (edge, share) = rim(picture, part, density);
    if share >= RIM { edge } else { ground(picture, part).0 }
}
