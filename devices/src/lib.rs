//! The device contract, the drivers behind it, and the numeric tags.
//!
//! Invariant: nothing here knows of models, prompts or tasks. A [`Device`] is observed and acted on;
//! an [`Observation`] lists what can be touched; [`labels`] draws the numbers on its picture.

pub mod action;
pub mod aim;
#[cfg(feature = "android")]
pub mod android;
#[cfg(feature = "desktop")]
pub mod desktop;
pub mod device;
pub mod element;
pub mod error;
pub mod foreign;
pub mod gate;
pub mod geometry;
pub mod guard;
pub mod labels;
pub mod observation;
pub mod person;
pub mod picture;
#[cfg(any(feature = "android", feature = "desktop"))]
mod picture_elements;
#[cfg(any(feature = "android", feature = "desktop"))]
mod screen_text;
#[cfg(any(feature = "android", feature = "desktop", feature = "web"))]
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
pub use element::{Affordance, Element, ElementRef, Role, Source, States};
pub use error::{DeviceError, ErrorClass, rounded};
pub use gate::{Gated, OriginGate, Shut};
pub use geometry::{Geometry, Logical, ModelPx, Normalized, Physical, Point, Rect, Size, Space};
pub use guard::{
    AppRule, Approver, BadOriginRule, Budget, GuardPolicy, Guarded, Origin, OriginRule, ShellUse,
};
pub use labels::{LabelStyle, Tag, Tagged};
pub use observation::{
    Context, DialogInfo, DownloadInfo, Observation, Settled, TabInfo, Timings, Want, WindowInfo,
};
pub use picture::{Picture, Raster};
