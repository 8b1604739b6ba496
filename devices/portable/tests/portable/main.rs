//! The portable driver on X servers with real programs.

#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod acts;
mod driver;
#[allow(dead_code, reason = "shared with the tests of the X11 driver")]
#[path = "../../../desktop/tests/desktop/logger.rs"]
mod logger;
#[path = "../child/protocol.rs"]
mod protocol;
mod seam;
#[path = "../../../desktop/tests/desktop/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the X11 driver")]
mod support;
