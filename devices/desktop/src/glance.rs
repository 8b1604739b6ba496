//! A cheap look at a display, while another screen is observed: its windows and a picture, no elements.

use image::RgbImage;
use waldo_devices::device::Glance;

use super::effect::{ChangeScope, evidence};
use super::window::Window;

/// A display as a glance saw it.
pub struct DisplayGlance {
    pub windows: Vec<Window>,
    pub frame: RgbImage,
}

impl DisplayGlance {
    /// What it shows, and what of it is another than `before`. A caret that blinks is not a change.
    pub fn since(&self, before: Option<&Self>) -> Glance {
        let news = |then: &Self| {
            evidence((&then.windows, &then.frame), (&self.windows, &self.frame), ChangeScope::All, |title| {
                title
            })
        };
        let named = |window: &&Window| !window.override_redirect && !window.title.is_empty();
        let front = self.windows.iter().rev().find(named);
        Glance {
            showing: front.map(|window| window.title.clone()).unwrap_or_default(),
            changed: before.and_then(news).is_some(),
        }
    }
}
