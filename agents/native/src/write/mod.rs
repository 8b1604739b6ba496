//! A reply in a profile's own form, for a stand-in that knows what is to be done and where.
//!
//! Invariant: what is written uses the actions, arguments and coordinates of the profile alone, as the device offers
//! them; what they do not cover is refused with its name and never written in another way.

mod frame;
mod writer;

use serde_json::Value;
use waldo_devices::{Button, Clicks, DeviceInfo, Direction, Modifiers, Tool};

use self::frame::CallFrame;
use self::writer::CallWriter;
use crate::picture::SizeError;
use crate::profile::Profile;

/// A place as shares of the picture's width and height.
pub type PlaceShares = [f64; 2];

#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    Press {
        at: PlaceShares,
        clicks: Clicks,
        button: Button,
        modifiers: Modifiers,
    },
    /// A press at the first place, which is let go at the last.
    Drag {
        path: Vec<PlaceShares>,
    },
    Scroll {
        at: PlaceShares,
        direction: Direction,
        notches: u32,
        /// A notch's share of the picture's width and height, for a finger.
        notch: PlaceShares,
    },
    Type {
        text: String,
    },
    Keys {
        chord: String,
    },
    Wait {
        seconds: f64,
    },
    Do {
        tool: Tool,
        at: Option<(&'static str, PlaceShares)>,
        with: Vec<(&'static str, Value)>,
    },
    Finish {
        answer: Option<String>,
    },
    /// The end of a task that cannot be done.
    Fail {
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("the profile '{profile}' has no action on {platform} for: {what}")]
    NotCovered { profile: String, platform: &'static str, what: String },
    #[error(transparent)]
    Picture(#[from] SizeError),
}

impl Profile {
    /// A reply that does all of this, in the coordinates that belong to a picture of the size `sent`, as the model gets
    /// it.
    pub fn write(
        &self,
        wishes: &[Wish],
        device: &DeviceInfo,
        sent: (u32, u32),
    ) -> Result<String, WriteError> {
        let writer = CallWriter::new(self, device, self.extent(sent)?);
        let mut calls = Vec::new();
        for wish in wishes {
            calls.extend(writer.calls(wish).map_err(|what| WriteError::NotCovered {
                profile: self.name().to_owned(),
                platform: device.platform.as_str(),
                what,
            })?);
        }
        Ok(CallFrame::new(self, device).around(&calls))
    }
}

#[cfg(test)]
mod tests;
