//! The second display: two plain buttons that answer to taps, and no tree.
//!
//! It is as much as a driver needs to prove that it looks at one display and touches that one only.

use image::RgbaImage;

use super::{World, intent::Component};
use crate::{options::SecondScreen, ui::canvas::Canvas, ui::geometry::Rect};

/// Its number for `input -d`, `wm -d` and `am start --display`.
pub(crate) const SECOND: u32 = 1;
/// Its id outside the system server.
pub(crate) const SECOND_PHYSICAL: &str = "4619827551948147201";

#[derive(Debug, Clone)]
pub struct Second {
    pub screen: SecondScreen,
    pub app: Option<Component>,
    pub taps: [u32; 2],
}

impl Second {
    pub(super) fn of(screen: SecondScreen) -> Self {
        Self { screen, app: None, taps: [0; 2] }
    }

    fn buttons(&self) -> [Rect; 2] {
        let side = |side: u32| i32::try_from(side).unwrap_or(0);
        let (w, h) = (side(self.screen.width), side(self.screen.height));
        [0, 1].map(|n| {
            let top = h / 4 + n * h / 3;
            Rect::new(w / 4, top, w / 4 + w / 3, top + h / 8)
        })
    }

    fn tap(&mut self, x: i32, y: i32) {
        for (button, taps) in self.buttons().iter().zip(&mut self.taps) {
            *taps += u32::from(button.has(x, y));
        }
    }

    pub fn picture(&self) -> RgbaImage {
        let mut canvas = Canvas::new(self.screen.width, self.screen.height, [236, 238, 244, 255]);
        for (button, taps) in self.buttons().iter().zip(self.taps) {
            let colour = if taps % 2 == 0 { [20, 60, 150, 255] } else { [200, 120, 0, 255] };
            canvas.fill(*button, colour);
        }
        canvas.done()
    }
}

impl World {
    pub fn second(&self) -> Option<&Second> {
        self.second.as_ref()
    }

    pub(crate) fn tap_second(&mut self, x: i32, y: i32) -> bool {
        self.second.as_mut().map(|second| second.tap(x, y)).is_some()
    }

    /// Brings an app to the front of the second display, or with none its empty home.
    pub(crate) fn show_on_second(&mut self, app: Option<Component>) -> bool {
        self.second.as_mut().map(|second| second.app = app).is_some()
    }
}
