//! The desktop driver on real X servers with real programs.

#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "helpers of tests fail as tests do"
)]

mod acts;
mod faults;
mod guard;
mod hands;
mod logger;
#[path = "../desktop_child/mount.rs"]
mod mount;
mod owners;
mod portable;
mod portable_driver;
#[path = "../desktop_child/protocol.rs"]
mod protocol;
mod screens;
mod seam;
mod sheets;
mod support;
mod typing;
