//! Virtual machines by QEMU: started once, brought back to a snapshot before each episode, replaced where they die or hang.
//!
//! Invariants: QEMU runs in a sandbox with a network of its own, out of which nothing leads, and ends with its owner; what
//! it listens at are sockets in a folder of this user's alone; the image is only read, all that is written goes to an overlay
//! in that folder. What QEMU and the guest say is bounded before it is read.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

mod command_line;
mod device;
mod image;
mod machine;
mod pool;
mod qmp;
mod ready;
mod settings;

pub use command_line::{BROWSER, SERVER};
pub use device::VmDevice;
pub use image::{VmCheck, check};
pub use machine::{Hands, Machine};
pub use pool::{Lease, VmPool};
pub use settings::{Acceleration, VmOptions, VmSettings, Wanted};
