//! A cheap look at a display, while another screen is observed: its windows and a picture, no elements.

use image::RgbImage;
use waldo_devices::device::Glance;

use super::effect::{ChangeScope, evidence};
use super::window::Window;

pub struct DisplayGlance {
    pub windows: Vec<Window>,
    pub frame: RgbImage,
}

impl DisplayGlance {
    /// What it shows, and whether it is another than `before`, whose place it takes. A caret that blinks is not a change.
    pub fn after(self, before: &mut Option<Self>) -> Glance {
        let seen = (self.windows.as_slice(), &self.frame);
        let news =
            |then: &Self| evidence((&then.windows, &then.frame), seen, ChangeScope::All, |title| title);
        let changed = before.as_ref().and_then(news).is_some();
        let named = |window: &&Window| !window.override_redirect && !window.title.is_empty();
        let front = self.windows.iter().rev().find(named);
        let showing = front.map(|window| window.title.clone()).unwrap_or_default();
        *before = Some(self);
        Glance { showing, changed }
    }
}
