//! The portable desktop: a screen seen through `xcap` and touched through `enigo`, with elements from its
//! picture. It runs wherever both libraries do: Linux (X11), Windows, macOS.
//!
//! Invariants: it uses nothing of any one system, and what those libraries cannot do is refused with the
//! reason; what they do not tell is taken for the worst, so that a window whose program is unknown is
//! touched by nothing; their calls block, so they are made on one thread of its own, each with a deadline.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

mod carry;
mod device;
mod display;
mod display_state;
mod elements;
mod hands;
mod keys;
mod options;
mod perform;
mod programs;
mod reclaim;
mod settle;
mod system;
mod windows;

pub use device::PortableDevice;
pub use display::monitors;
pub use options::PortableOptions;
pub use reclaim::ReclaimWatcher;
