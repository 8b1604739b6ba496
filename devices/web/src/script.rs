//! The scripts that run in every frame, and how a call of one may fail.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use super::cdp::CdpError;
use waldo_devices::error::DeviceError;

pub(crate) const WORLD: &str = "waldo";

/// What runs in every frame's world from its start.
pub(crate) static LIBRARY: LazyLock<String> = LazyLock::new(|| {
    [
        include_str!("activity.js"),
        include_str!("names.js"),
        include_str!("hover.js"),
        include_str!("kinds.js"),
        include_str!("texts.js"),
        include_str!("outside.js"),
        include_str!("spots.js"),
        include_str!("order.js"),
        include_str!("report.js"),
        include_str!("elements.js"),
        include_str!("fields.js"),
    ]
    .join("\n")
    .replace("__LISTENS__", &LISTENS)
});

/// What runs in the page's own world of every frame, before its scripts and with the console's helpers: it
/// tells [`LIBRARY`] which elements listen.
pub(crate) static LISTENERS: LazyLock<String> =
    LazyLock::new(|| include_str!("listeners.js").replace("__LISTENS__", &LISTENS));

/// The name of the event by which the two talk: one that no page can guess.
static LISTENS: LazyLock<String> = LazyLock::new(|| {
    let random = || RandomState::new().hash_one(std::process::id());
    format!("e{:016x}{:016x}", random(), random())
});

pub(crate) enum CallError {
    /// Its world or frame is gone: a navigation came between.
    Lost,
    Device(DeviceError),
}

impl CallError {
    pub(crate) fn from_raw(error: RawError) -> Self {
        match error {
            RawError::Crashed(what) => Self::Device(DeviceError::Crashed { what }),
            RawError::Cdp(CdpError::Remote(message))
                if ["context", "navigated", "No frame", "Frame", "frame", "Promise was collected"]
                    .iter()
                    .any(|word| message.contains(word)) =>
            {
                Self::Lost
            }
            RawError::Cdp(CdpError::Detached) => Self::Lost,
            RawError::Cdp(error) => Self::Device(error.on("script")),
        }
    }
}

impl From<CallError> for DeviceError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Lost => {
                Self::Call { call: "script".to_owned(), message: "the page navigated away".to_owned() }
            }
            CallError::Device(error) => error,
        }
    }
}

pub(crate) enum RawError {
    Crashed(String),
    Cdp(CdpError),
}
