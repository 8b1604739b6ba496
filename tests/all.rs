//! One integration binary: drives the built `waldo` and a real browser.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
#![allow(clippy::disallowed_methods, reason = "tests start programs as they need them")]

mod suite;
