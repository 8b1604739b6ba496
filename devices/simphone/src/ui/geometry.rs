//! Rectangles in pixels of the present rotation; right and bottom edges are outside.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rect {
    pub l: i32,
    pub t: i32,
    pub r: i32,
    pub b: i32,
}

impl Rect {
    pub fn new(l: i32, t: i32, r: i32, b: i32) -> Self {
        Self { l, t, r, b }
    }

    /// Width, never negative.
    pub fn w(self) -> i32 {
        (self.r - self.l).max(0)
    }

    /// Height, never negative.
    pub fn h(self) -> i32 {
        (self.b - self.t).max(0)
    }

    pub fn is_empty(self) -> bool {
        self.r <= self.l || self.b <= self.t
    }

    pub fn and(self, o: Self) -> Self {
        Self::new(self.l.max(o.l), self.t.max(o.t), self.r.min(o.r), self.b.min(o.b))
    }

    pub fn has(self, x: i32, y: i32) -> bool {
        x >= self.l && x < self.r && y >= self.t && y < self.b
    }

    pub fn inset(self, by: i32) -> Self {
        Self::new(self.l + by, self.t + by, self.r - by, self.b - by)
    }

    pub fn shift(self, dx: i32, dy: i32) -> Self {
        Self::new(self.l + dx, self.t + dy, self.r + dx, self.b + dy)
    }

    pub(crate) fn centre(self) -> (i32, i32) {
        (i32::midpoint(self.l, self.r), i32::midpoint(self.t, self.b))
    }
}
