//! The cage's tests, which need its worker.

#![allow(clippy::disallowed_methods, reason = "tests start programs as they need them")]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod suite;
