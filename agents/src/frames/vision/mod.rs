//! Local vision: what can be seen of a widget without asking a model.
//!
//! Duty: find frames and elements in a screenshot, tell whether two pictures show the same, propose points,
//! preview drags, and know when a row of pictures has come round. What a picture means is not known here.
//!
//! Invariants: every function is pure, a function of the pictures that it is given; none knows any task or
//! its wording, and none returns a constant in place of a finding; pictures that are given are never
//! changed. Rectangles and points are whole pixels of the picture that was given ([`PxRect`], [`PixelPoint`]);
//! `PxRect::to_physical` is the one way to the screen's space.

mod again;
mod colour;
mod elements;
mod extract;
mod facade;
mod grid;
mod keypoints;
mod matching;
mod preview;
mod regions;
mod settle;

use serde::{Deserialize, Serialize};
use waldo_devices::{Physical, Point, Rect};

pub(crate) use again::{Look, Search};
pub use elements::{Segment, elements};
pub(crate) use extract::foremost;
pub use extract::{FoundFrame, frames};
pub use facade::{Compared, LONGEST, PictureError, VisionPicture};
pub use grid::{GridError, cells_of, split};
pub use keypoints::propose;
pub(crate) use keypoints::{Keypoint, Keypoints, UnknownPoint};
pub use matching::{Likeness, alike};
pub use preview::{PreviewError, candidates, preview};
pub use settle::{CycleWatch, Fingerprint, RowPicture, changed_share, differs};

/// A place in a picture, in its pixels; origin at its top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PixelPoint {
    pub x: u32,
    pub y: u32,
}

impl PixelPoint {
    pub const fn new(x: u32, y: u32) -> Self {
        Self { x, y }
    }

    pub fn distance(self, other: Self) -> f64 {
        (f64::from(self.x) - f64::from(other.x)).hypot(f64::from(self.y) - f64::from(other.y))
    }

    /// The place on the screen, of a pixel of a picture whose top left corner is there at `origin`.
    pub(crate) fn to_physical(self, origin: Point<Physical>) -> Point<Physical> {
        Point::new(origin.x + f64::from(self.x) + 0.5, origin.y + f64::from(self.y) + 0.5)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PxRect {
    pub x: u32,
    pub y: u32,
    pub w: u32,
    pub h: u32,
}

impl PxRect {
    /// A rectangle from its top left corner and its extent.
    pub const fn new(x: u32, y: u32, w: u32, h: u32) -> Self {
        Self { x, y, w, h }
    }

    pub fn whole(picture: &image::RgbImage) -> Self {
        Self::new(0, 0, picture.width(), picture.height())
    }

    pub const fn right(&self) -> u32 {
        self.x.saturating_add(self.w)
    }

    pub const fn bottom(&self) -> u32 {
        self.y.saturating_add(self.h)
    }

    pub const fn center(&self) -> PixelPoint {
        PixelPoint::new(self.x.saturating_add(self.w / 2), self.y.saturating_add(self.h / 2))
    }

    pub const fn area(&self) -> u64 {
        self.w as u64 * self.h as u64
    }

    pub const fn is_empty(&self) -> bool {
        self.w == 0 || self.h == 0
    }

    pub const fn contains(&self, p: PixelPoint) -> bool {
        p.x >= self.x && p.x < self.right() && p.y >= self.y && p.y < self.bottom()
    }

    /// What both share; empty where they share nothing.
    pub fn intersect(&self, other: &Self) -> Self {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        Self::new(x, y, right.saturating_sub(x), bottom.saturating_sub(y))
    }

    pub fn union(&self, other: &Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self::new(x, y, self.right().max(other.right()) - x, self.bottom().max(other.bottom()) - y)
    }

    /// Shared area over the area of both.
    pub fn iou(&self, other: &Self) -> f64 {
        let shared = self.intersect(other).area();
        let both = self.area() + other.area() - shared;
        if both == 0 { 0.0 } else { shared as f64 / both as f64 }
    }

    /// Smaller by `by` on every side; at least one pixel is left.
    pub fn inset(&self, by: u32) -> Self {
        let by_x = by.min(self.w.saturating_sub(1) / 2);
        let by_y = by.min(self.h.saturating_sub(1) / 2);
        Self::new(self.x + by_x, self.y + by_y, self.w - 2 * by_x, self.h - 2 * by_y)
    }

    /// Larger by `by` on every side, as far as a picture of `w` by `h` goes.
    pub(crate) fn outset(&self, by: u32, w: u32, h: u32) -> Self {
        let (x, y) = (self.x.saturating_sub(by), self.y.saturating_sub(by));
        let (right, bottom) =
            (self.right().saturating_add(by).min(w), self.bottom().saturating_add(by).min(h));
        Self::new(x, y, right.saturating_sub(x), bottom.saturating_sub(y))
    }

    pub const fn shifted(&self, within: &Self) -> Self {
        Self::new(self.x.saturating_add(within.x), self.y.saturating_add(within.y), self.w, self.h)
    }

    /// The place on the screen, of a rectangle in a picture whose top left corner is there at `origin`.
    pub(crate) fn to_physical(self, origin: Point<Physical>) -> Rect<Physical> {
        Rect::new(
            origin.x + f64::from(self.x),
            origin.y + f64::from(self.y),
            f64::from(self.w),
            f64::from(self.h),
        )
    }
}

/// Physical pixels for each CSS pixel, rounded: sizes in pixels are given for 1 and grow with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Density(u32);

impl Density {
    /// Of a screen with so many physical pixels for each logical one; at least 1.
    pub fn of(scale: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        Self(scale.round().clamp(1.0, 8.0) as u32)
    }

    /// `css` CSS pixels in physical ones.
    pub const fn px(self, css: u32) -> u32 {
        css.saturating_mul(self.0)
    }
}

impl Default for Density {
    fn default() -> Self {
        Self(1)
    }
}

#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tests;
