//! One integration binary: drives the built `waldo` and a real browser.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod suite;
