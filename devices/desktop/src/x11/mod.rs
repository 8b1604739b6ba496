//! The driver of X servers: private displays, and ones that are there already.
//!
//! Invariants: a private display has its own server, bus, HOME and programs, and all of it ends with its
//! owner; input is real (the XTEST extension).

mod access;
mod authority;
mod capture;
mod device;
mod display;
mod display_state;
mod effect;
mod film;
mod input;
mod keeper;
mod leftovers;
mod live;
mod mounts;
mod observe;
mod options;
mod panic;
mod perform;
mod process;
mod process_home;
mod program;
mod reaction;
mod sandbox;
mod sandboxing;
mod session_bus;
mod settle;
mod shell;
mod video;
mod watch;
mod windows;
mod x;

pub use access::{AccessReading, ScreenReader, SeenWindow};
pub use device::DesktopDevice;
pub use options::{DesktopOptions, DisplayChoice, SandboxChoice};
pub use panic::PanicKey;
pub use sandboxing::Sandboxing;
