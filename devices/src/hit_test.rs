//! What an input would reach, as the driver knows it and not as the page tells it.

use crate::error::DeviceError;
use crate::geometry::{Physical, Point};
use crate::platform::Platform;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputTarget {
    pub points: Vec<Point<Physical>>,
    /// Whether the pointer is pressed on its way from each to the next, and to the first from where it is held.
    pub pressed: bool,
    pub focus: Focus,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    #[default]
    Unused,
    Used,
}

/// What such an input would reach. Asking changes nothing: dialogs stay open, and what was blocked is still
/// there to be observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitTest {
    pub location: String,
    pub tabs: Vec<String>,
    /// Origins that were blocked since the last observation.
    pub blocked: Vec<String>,
    /// Whether a dialog holds the page up; then nothing was asked of the page.
    pub dialog: bool,
    /// What the page has drawn as text, frames and closed shadow trees included, piece by piece: untrusted.
    pub text: Vec<String>,
    /// The origin of the document that gets it: of each place, then of the focus where that is used. `None`
    /// where it cannot be told, such as below a frame of another process.
    pub origins: Vec<Option<String>>,
    /// The same of every other place that a pressed pointer passes; never empty where one does.
    pub way: Vec<Option<String>>,
}

impl DeviceError {
    /// What a driver answers to [`Device::hit_test`](crate::Device::hit_test) where its screens cannot tell.
    pub fn cannot_aim(platform: Platform) -> Self {
        Self::Unsupported { platform: platform.as_str(), action: "tell what an input would reach".to_owned() }
    }
}
