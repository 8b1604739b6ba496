//! The desktop drivers: windows of a screen, seen and touched as a person would.
//!
//! Invariants: input is real (what a mouse and a keyboard send), never a message forged to a window; what
//! lies under a point, not what is meant to, decides whether the guard lets an action through; every call
//! ends by its deadline.
//!
//! Two drivers share what asks no system: [`portable`], made of libraries that run on Linux (X11), Windows
//! and macOS, and the one of X11, which alone has private displays, accessibility, a clipboard and video.
//! The lines below that name `target_os` are all that lies between them: nothing outside of `x11` speaks to an
//! X server, the accessibility bus or `/proc`.

// What only private displays and the driver of X11 use of the shared parts.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

mod awaited;
mod bare;
mod change;
pub(crate) mod chord;
mod effect;
mod files;
mod guard;
mod hand;
mod keysyms;
mod launch;
pub mod portable;
mod seat;
mod silent;
mod visible;
mod window;

#[cfg(target_os = "linux")]
mod x11;

#[cfg(target_os = "linux")]
pub use x11::{
    CaptureWay, DesktopDevice, DesktopOptions, InputWay, PanicKey, Reading, Screen, ScreenReader, SeenWindow,
};

pub use crate::secrets::Secrets;
