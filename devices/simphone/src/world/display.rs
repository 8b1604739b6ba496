//! The display: its physical size, what overrides it, and how it is turned.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rotation {
    #[default]
    R0,
    /// On its left side: landscape.
    R90,
    R180,
    /// On its right side: landscape.
    R270,
}

impl Rotation {
    /// From `user_rotation`'s number; other numbers are upright.
    pub fn of(n: i64) -> Self {
        [Self::R0, Self::R90, Self::R180, Self::R270]
            .into_iter()
            .find(|r| i64::from(r.index()) == n)
            .unwrap_or_default()
    }

    pub fn index(self) -> u8 {
        self as u8
    }

    /// Whether width and height change places.
    pub fn sideways(self) -> bool {
        matches!(self, Self::R90 | Self::R270)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Display {
    pub physical: (u32, u32),
    /// `wm size WxH`, upright.
    pub size_override: Option<(u32, u32)>,
    pub density: u32,
    /// `wm density N`.
    pub density_override: Option<u32>,
    pub rotation: Rotation,
}

impl Display {
    /// Width and height in pixels as they are now: override and rotation applied.
    pub fn logical(&self) -> (u32, u32) {
        let (w, h) = self.size_override.unwrap_or(self.physical);
        if self.rotation.sideways() { (h, w) } else { (w, h) }
    }

    pub fn dpi(&self) -> u32 {
        self.density_override.unwrap_or(self.density)
    }

    pub fn scale(&self) -> f32 {
        self.dpi() as f32 / 160.0
    }
}
