//! Marks where something was done, for records and reports.
//!
//! Invariant: a mark shows white, red and black side by side, so that it is seen on any ground, and
//! leaves the pixel it points at in view.

use image::{Rgb, RgbImage};

use super::draw::{BLACK, Color, WHITE, line, ring};
use crate::geometry::{Physical, Point};

const RED: Color = Rgb([230, 20, 60]);

/// One pixel of the marks on a common screen, more on large ones.
fn unit(picture: &RgbImage) -> f64 {
    (f64::from(picture.width()) * f64::from(picture.height())).sqrt().clamp(500.0, 3000.0) / 1000.0
}

/// Draws a ring with a crosshair around a point; what lies outside the picture is left out.
pub fn mark_point(picture: &mut RgbImage, p: Point<Physical>) {
    let u = unit(picture);
    let (inner, radius, outer) = (5.0 * u, 12.0 * u, 19.0 * u);
    let arms = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    for (width, color) in [(7.0 * u, BLACK), (5.0 * u, WHITE), (2.4 * u, RED)] {
        ring(picture, (p.x, p.y), radius, width, color);
        for (dx, dy) in arms {
            let at = |r: f64| (p.x + dx * r, p.y + dy * r);
            line(picture, at(inner + 2.0 * u), at(outer), width, color);
        }
    }
}

/// Draws the way of a drag or swipe: a dot where it starts, an arrow head where it ends.
///
/// A single point is marked like [`mark_point`] does; no point draws nothing.
pub fn mark_path(picture: &mut RgbImage, path: &[Point<Physical>]) {
    let ([first, .., last], Some(before)) = (path, path.iter().rev().find(|p| Some(*p) != path.last()))
    else {
        if let Some(p) = path.first() {
            mark_point(picture, *p);
        }
        return;
    };
    let u = unit(picture);
    let (dx, dy) = (last.x - before.x, last.y - before.y);
    let length = dx.hypot(dy).max(1e-9);
    let (dx, dy) = (dx / length, dy / length);
    let barb = |turn: f64| {
        let r = 16.0 * u;
        (last.x - r * (dx - turn * dy * 0.6), last.y - r * (dy + turn * dx * 0.6))
    };
    for (width, color) in [(9.0 * u, BLACK), (7.0 * u, WHITE), (3.6 * u, RED)] {
        for pair in path.windows(2) {
            if let [a, b] = pair {
                line(picture, (a.x, a.y), (b.x, b.y), width, color);
            }
        }
        line(picture, (first.x, first.y), (first.x, first.y), width + 8.0 * u, color);
        for turn in [-1.0, 1.0] {
            line(picture, (last.x, last.y), barb(turn), width, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_seen_on_any_ground_and_leaves_the_point() {
        for ground in [BLACK, WHITE, RED, Rgb([128, 128, 128])] {
            let mut picture = RgbImage::from_pixel(400, 300, ground);
            mark_point(&mut picture, Point::new(200.0, 150.0));
            assert_eq!(*picture.get_pixel(200, 150), ground);
            let changed = picture.pixels().filter(|p| **p != ground).count();
            assert!(changed > 100, "{changed} on {ground:?}");
        }
    }

    #[test]
    fn marks_outside_and_odd_paths_are_no_trouble() {
        let mut picture = RgbImage::new(50, 50);
        for p in [Point::new(-500.0, 9.0), Point::new(f64::NAN, 0.0), Point::new(1e300, f64::INFINITY)] {
            mark_point(&mut picture, p);
            mark_path(&mut picture, &[p, Point::new(3.0, 3.0), p]);
        }
        mark_path(&mut picture, &[]);
        let same = Point::new(25.0, 25.0);
        mark_path(&mut picture, &[same, same]);
        assert!(picture.pixels().any(|p| *p != BLACK));
        mark_point(&mut RgbImage::new(0, 0), same);
    }
}
