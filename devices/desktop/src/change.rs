//! What differs between two pictures of a screen.

use image::RgbImage;

use waldo_devices::geometry::{Physical, Rect};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureChange {
    /// The part of the screen's pixels, 0 to 1.
    pub share: f64,
    pub bounds: Rect<Physical>,
}

impl PictureChange {
    pub fn is_caret(&self) -> bool {
        self.bounds.w <= 3.0 && self.bounds.h <= 40.0
    }
}

/// What differs between two pictures; `None` when they are equal.
pub fn change(a: &RgbImage, b: &RgbImage) -> Option<PictureChange> {
    let (width, height) = b.dimensions();
    if a.dimensions() != b.dimensions() {
        return Some(PictureChange {
            share: 1.0,
            bounds: Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
        });
    }
    let stride = width as usize * 3;
    let (mut count, mut left, mut right, mut top, mut bottom) = (0_u64, usize::MAX, 0, usize::MAX, 0);
    for (y, (one, two)) in a.as_raw().chunks(stride.max(1)).zip(b.as_raw().chunks(stride.max(1))).enumerate()
    {
        if one == two {
            continue;
        }
        (top, bottom) = (top.min(y), y + 1);
        for (x, (p, q)) in one.chunks(3).zip(two.chunks(3)).enumerate() {
            if p != q {
                count += 1;
                (left, right) = (left.min(x), right.max(x + 1));
            }
        }
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "screens have fewer pixels than a float has whole numbers"
    )]
    (count > 0).then(|| PictureChange {
        share: count as f64 / f64::from(width) / f64::from(height),
        bounds: Rect::new(left as f64, top as f64, (right - left) as f64, (bottom - top) as f64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_found_with_its_bounds() {
        let a = RgbImage::new(100, 50);
        assert_eq!(change(&a, &a), None);
        let mut b = a.clone();
        b.put_pixel(10, 5, image::Rgb([1, 2, 3]));
        b.put_pixel(12, 30, image::Rgb([1, 2, 3]));
        let found = change(&a, &b).unwrap();
        assert_eq!(found.bounds, Rect::new(10.0, 5.0, 3.0, 26.0));
        assert!((found.share - 2.0 / 5000.0).abs() < 1e-9);
        assert!(found.is_caret());
        b.put_pixel(40, 30, image::Rgb([1, 2, 3]));
        assert!(!change(&a, &b).unwrap().is_caret());
    }
}
