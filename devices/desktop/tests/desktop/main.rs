//! The desktop driver on real X servers with real programs.

#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod acts;
mod faults;
mod guard;
mod hands;
#[allow(dead_code, reason = "shared with the tests of the portable driver")]
mod logger;
#[path = "../desktop_child/mount.rs"]
mod mount;
mod owners;
mod sandbox;
mod screens;
mod sheets;
mod support;
mod typing;
