//! Elements of a screen that tells of none: what looks as if it could be touched.

use image::RgbImage;

use waldo_devices::element::Element;
use waldo_devices::picture_elements::{Search, blobs, guess};

/// Pixels of a picture that is looked at pixel by pixel; a larger one is looked at in coarser cells.
const FINE: u32 = 4_500_000;

/// What looks as if it could be touched, `cap` at most; and how many were left out, as far as they were counted.
pub(crate) fn found(picture: &RgbImage, cap: usize) -> (Vec<Element>, usize) {
    let mut step = 1;
    while picture.width() / step * (picture.height() / step) > FINE {
        step += 1;
    }
    let across = if step == 1 { 5 } else { 2 };
    let search = Search { step, across, down: 1, line: 6.0, scale: 1.0, most: cap + 1 };
    let mut found = blobs(picture, search);
    let left_out = found.len().saturating_sub(cap);
    found.truncate(cap);
    let element = |(n, (rect, role))| guess(format!("p{n}"), role, rect);
    (found.into_iter().enumerate().map(element).collect(), left_out)
}
