//! From a model's coordinates to the screen, and back.

use serde::Deserialize;
use waldo_devices::{Physical, Point};

use crate::picture::{PictureRule, SizeError, SmartResize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "space", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) enum Space {
    Pixels,
    /// Pixels of the picture that the model's server makes of the one that was sent.
    Smart(SmartResize),
    /// 0 to 1 in both directions.
    Unit,
    /// 0 to 999 in both directions.
    #[serde(rename = "0-999")]
    To999,
    /// 0 to 1000 in both directions.
    #[serde(rename = "0-1000")]
    To1000,
}

impl Space {
    /// The coordinates of the lower right corner of a picture of the size `sent`.
    pub(crate) fn extent(self, sent: (u32, u32)) -> Result<[f64; 2], SizeError> {
        let both = |extent: f64| [extent, extent];
        Ok(match self {
            Self::Pixels => pair(sent),
            Self::Smart(rule) => pair(rule.size(sent)?),
            Self::Unit => both(1.0),
            Self::To999 => both(999.0),
            Self::To1000 => both(1000.0),
        })
    }
}

/// How a model's coordinates relate to one screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The screen in physical pixels.
    screen: [f64; 2],
    /// The coordinates of its lower right corner.
    pub extent: [f64; 2],
    pub sent: (u32, u32),
}

impl Scale {
    pub(crate) fn new(space: Space, rule: PictureRule, screen: (u32, u32)) -> Result<Self, SizeError> {
        let sent = rule.size(screen)?;
        let extent = space.extent(sent)?;
        Ok(Self { screen: pair(screen), extent, sent })
    }

    /// Where a model's coordinates are on the screen. Those of the right and lower edge are its last pixels.
    pub fn on_screen(&self, at: [f64; 2]) -> Result<Point<Physical>, String> {
        let inside = |n: f64, extent: f64| n.is_finite() && (0.0..=extent).contains(&n);
        let [x, y] = at;
        let [right, bottom] = self.extent;
        if !inside(x, right) || !inside(y, bottom) {
            return Err(format!("({x}, {y}) lies outside of the picture, which ends at ({right}, {bottom})"));
        }
        let place = |n: f64, extent: f64, screen: f64| (n / extent * screen).min(screen - 1.0).max(0.0);
        Ok(Point::new(place(x, right, self.screen[0]), place(y, bottom, self.screen[1])))
    }

    /// How a model writes a place of the screen: whole numbers, but for coordinates of 0 to 1.
    pub fn written(&self, at: Point<Physical>) -> [f64; 2] {
        let write = |n: f64, screen: f64, extent: f64| {
            let n = n / screen.max(1.0) * extent;
            if extent <= 1.0 { (n * 10_000.0).round() / 10_000.0 } else { n.round() }
        };
        [write(at.x, self.screen[0], self.extent[0]), write(at.y, self.screen[1], self.extent[1])]
    }
}

fn pair((w, h): (u32, u32)) -> [f64; 2] {
    [f64::from(w), f64::from(h)]
}

#[cfg(test)]
#[path = "scale_tests.rs"]
mod tests;
