//! The contract between devices and agents, and the numeric tags. Drivers are crates in the folders beside.
//!
//! Invariant: nothing here knows of models, prompts or tasks. A [`Device`] is observed and acted on;
//! an [`Observation`] lists what can be touched; [`labels`] draws the numbers on its picture.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

pub mod action;
mod action_parts;
pub mod catalogue;
pub mod cell_means;
pub mod child;
pub mod chords;
pub mod connected_parts;
pub mod connections;
pub mod count;
pub mod device;
#[cfg(unix)]
pub mod door;
mod effect_set;
pub mod effects;
pub mod element;
pub mod error;
pub mod foreign;
pub mod frames;
pub mod gate;
pub mod geometry;
pub mod grid_lines;
pub mod guard;
pub mod held_pointer;
pub mod hit_test;
mod json_members;
pub mod labels;
pub mod layer;
pub mod locked_file;
mod named;
pub mod observation;
pub mod own_hands;
#[cfg(unix)]
pub mod peer;
pub mod person;
pub mod picture;
pub mod picture_elements;
mod placing;
mod platform;
mod policy;
#[cfg(unix)]
pub mod private_dir;
pub mod proposal;
pub mod random;
pub mod screen_text;
pub mod screens;
pub mod secrets;
pub mod system_view;
mod tag;
mod word_list;

pub use action::{
    Action, ActionReport, Button, Clicks, DialogReply, Effect, Modifiers, Orientation, RefusalKind,
    ScrollNotches, TabIndex,
};
pub use catalogue::{ActionPlace, Arg, CallTarget, Direction, Distance, GroundContext, Tool, ToolCall};
pub use device::{
    Capability, Deadline, DesktopSetup, Device, DeviceInfo, Glance, HomeFile, Launch, Platform, ResetTo,
    StateProbe, StateValue, Traffic,
};
pub use effects::{ActionEffect, ActionKind, BadGuardName, Effects, GuardName, Placed};
pub use element::{Affordance, Element, ElementRef, Role, Source, States};
pub use error::{DeviceError, Fault, Result, rounded};
pub use frames::{Filming, Frame, FrameWatcher, Frames};
pub use gate::{GateClosed, Gated, OriginGate};
pub use geometry::{
    Geometry, Logical, Native, Normalized, Physical, Point, Rect, ScaledPicture, Size, Space,
};
pub use guard::{AppRule, BadOriginRule, Budget, GuardPolicy, Guarded, Origin, OriginRule, ShellUse};
pub use held_pointer::HeldPointer;
pub use hit_test::{Focus, HitTest, InputTarget};
pub use json_members::JsonMembers;
pub use labels::{LabelStyle, Tag, Tagged};
pub use layer::DeviceLayer;
pub use observation::{
    Capture, Context, DialogInfo, DownloadInfo, Dump, Observation, ScreenDifference, ScreenInfo, Settled,
    StaticText, TabInfo, Timings, WindowInfo,
};
pub use own_hands::{OwnHands, OwnInput};
pub use picture::{Picture, Raster};
pub use proposal::{Approver, Intent, Proposal};
pub use screens::Screens;
pub use secrets::{OneTimeCodes, SHORTEST as SECRET_SHORTEST, Secrets};
pub use word_list::word_list;
