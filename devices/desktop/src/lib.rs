//! The desktop drivers: windows of a screen, seen and touched as a person would.
//!
//! Invariants: input is real (what a mouse and a keyboard send), never forged to a window; what lies under a
//! point decides whether the guard lets an action through; every call ends by its deadline.
//!
//! Two drivers share what asks no system: the one of X11 in this crate, which alone has private displays,
//! accessibility, a clipboard and video, and the crate `waldo-portable`, made of libraries that run on Linux (X11),
//! Windows and macOS. Nothing outside of `x11` speaks to an X server, the accessibility bus or `/proc`.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

pub mod awaited;
pub mod bare;
pub mod change;
pub mod chord;
pub mod display_thread;
pub mod effect;
pub mod files;
pub mod glance;
pub mod guard;
pub mod hand;
pub mod keysyms;
pub mod launch;
pub mod settle;
pub mod silent;
pub mod visible;
pub mod window;

#[cfg(all(feature = "x11", target_os = "linux"))]
mod x11;

#[cfg(all(feature = "x11", target_os = "linux"))]
pub use x11::{
    AccessReading, DesktopDevice, DesktopOptions, DisplayChoice, PanicKey, SandboxChoice, Sandboxing,
    ScreenReader, SeenWindow,
};

pub use waldo_devices::secrets::Secrets;
