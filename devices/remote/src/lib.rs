//! A desktop elsewhere, through the HTTP server that OSWorld's virtual machines run inside: its picture, its accessibility
//! tree, and its hands, which are programs in Python that it runs (`pyautogui`).
//!
//! Invariants: whoever reaches that server may run anything on the machine, so a screen is taken only where all programs
//! may be touched; nobody vouches for what it answers: pictures are measured, trees counted, and every answer is bounded
//! before it is read; texts go into programs as literals, never as code.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start programs as they need them"))]

mod check;
mod device;
mod elements;
mod hands;
mod keys;
mod options;
mod perform;
mod role;
mod server;
mod tree;
mod typing;

pub use check::{MachineCheck, check};
pub use device::RemoteDevice;
pub use options::RemoteOptions;
pub use server::OsServer;
