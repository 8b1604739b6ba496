//! The Android driver against an adb server of our own, whose phone does what a test wants.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "helpers of tests fail as tests do"
)]

#[path = "android/fake.rs"]
mod fake;
#[path = "android/faults.rs"]
mod faults;
#[path = "android/hands.rs"]
mod hands;
