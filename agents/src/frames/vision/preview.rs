//! What a drag would look like, without dragging.
//!
//! The thing is cut out of its ground by its difference from the colours around it, the hole is filled
//! with these, and the thing is laid on at the place where it would be dropped.

use image::{Rgb, RgbImage};

use super::colour::{at, far, median, ring};
use super::{PixelPoint, PxRect};

/// Differences from the ground up to which a pixel is ground, and from which on it is all thing.
const SOFT: (f64, f64) = (8.0, 40.0);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PreviewError {
    #[error("the element at {x}, {y} lies outside the picture of {w} x {h} px")]
    Outside { x: u32, y: u32, w: u32, h: u32 },
}

/// The picture as it would be with the thing in `thing` dropped so that its middle is at `to`.
pub fn preview(picture: &RgbImage, thing: &PxRect, to: PixelPoint) -> Result<RgbImage, PreviewError> {
    let (w, h) = picture.dimensions();
    let thing = thing.intersect(&PxRect::whole(picture));
    if thing.is_empty() {
        return Err(PreviewError::Outside { x: thing.x, y: thing.y, w, h });
    }
    let around = median(&ring(picture, &thing.outset(3, w, h), 3));
    let mut out = picture.clone();
    let alpha = |x: u32, y: u32| {
        let distance = f64::from(far(at(picture, x, y), around));
        ((distance - SOFT.0) / (SOFT.1 - SOFT.0)).clamp(0.0, 1.0)
    };
    for y in thing.y..thing.bottom() {
        for x in thing.x..thing.right() {
            // All that belongs to the thing goes, its soft edge too.
            if alpha(x, y) > 0.0 {
                out.put_pixel(x, y, Rgb(around));
            }
        }
    }
    let middle = thing.center();
    for y in thing.y..thing.bottom() {
        for x in thing.x..thing.right() {
            let share = alpha(x, y);
            let there = (
                i64::from(x) + i64::from(to.x) - i64::from(middle.x),
                i64::from(y) + i64::from(to.y) - i64::from(middle.y),
            );
            let (Ok(tx), Ok(ty)) = (u32::try_from(there.0), u32::try_from(there.1)) else { continue };
            if share == 0.0 || tx >= w || ty >= h {
                continue;
            }
            let (over, under) = (at(picture, x, y), at(&out, tx, ty));
            let mut mixed = [0; 3];
            for (channel, value) in mixed.iter_mut().enumerate() {
                *value = (f64::from(over[channel]) * share + f64::from(under[channel]) * (1.0 - share))
                    .round() as u8;
            }
            out.put_pixel(tx, ty, Rgb(mixed));
        }
    }
    Ok(out)
}

/// Nine places to drop at: a place, and those one step to each side of it, as far as the picture goes.
pub fn candidates(picture: &RgbImage, to: PixelPoint, step: u32) -> Vec<PixelPoint> {
    let whole = PxRect::whole(picture);
    let mut found = Vec::with_capacity(9);
    // The place itself comes first: it is the best guess.
    let offsets = [(0i64, 0i64), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1)];
    for (dx, dy) in offsets {
        let (x, y) = (i64::from(to.x) + dx * i64::from(step), i64::from(to.y) + dy * i64::from(step));
        if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
            && whole.contains(PixelPoint::new(x, y))
        {
            found.push(PixelPoint::new(x, y));
        }
    }
    found
}
