//! The device contract, the drivers behind it, and the numeric tags.
//!
//! Invariant: nothing here knows of models, prompts or tasks. A [`Device`] is observed and acted on;
//! an [`Observation`] lists what can be touched; [`labels`] draws the numbers on its picture.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

pub mod action;
pub mod aim;
#[cfg(feature = "android")]
pub mod android;
pub mod child;
mod chords;
#[cfg(feature = "desktop")]
pub mod desktop;
pub mod device;
pub mod effects;
pub mod element;
pub mod error;
pub mod foreign;
pub mod gate;
pub mod geometry;
#[cfg_attr(not(all(feature = "desktop", target_os = "linux")), allow(dead_code))]
mod grid_lines;
pub mod guard;
pub mod labels;
pub mod observation;
pub mod person;
pub mod picture;
#[cfg(any(feature = "android", feature = "desktop", feature = "web"))]
mod picture_elements;
#[cfg(any(feature = "desktop", feature = "web"))]
#[cfg_attr(not(all(feature = "desktop", target_os = "linux")), allow(dead_code))]
mod private_dir;
pub mod proposal;
#[cfg(any(feature = "android", feature = "desktop", feature = "web"))]
mod screen_text;
mod secrets;
#[cfg(feature = "web")]
pub mod web;

pub use action::{
    Action, ActionReport, Button, Clicks, DialogReply, Effect, Orientation, RefusalKind, ScrollNotches,
    TabIndex,
};
pub use aim::{Aimed, Focus, Target};
pub use device::{
    Capability, Deadline, DesktopSetup, Device, DeviceInfo, HomeFile, Launch, Platform, ResetTo, StateProbe,
    StateValue,
};
pub use effects::{ActionEffect, ActionKind, BadGuardName, Effects, GuardName, Placed};
pub use element::{Affordance, Element, ElementRef, Role, Source, States};
pub use error::{DeviceError, ErrorClass, rounded};
pub use gate::{Gated, OriginGate, Shut};
pub use geometry::{Geometry, Logical, ModelPx, Normalized, Physical, Point, Rect, Size, Space};
pub use guard::{AppRule, BadOriginRule, Budget, GuardPolicy, Guarded, Origin, OriginRule, ShellUse};
pub use labels::{LabelStyle, Tag, Tagged};
pub use observation::{
    Context, DialogInfo, DownloadInfo, Observation, Settled, StaticText, TabInfo, Timings, Want, WindowInfo,
};
pub use picture::{Picture, Raster};
pub use proposal::{Approver, Intent, Proposal};
pub use secrets::{SHORTEST as SECRET_SHORTEST, Secrets};
