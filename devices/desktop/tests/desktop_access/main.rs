//! Reading the elements of real programs on private displays.
//!
//! A program that is not installed fails its test: `scripts/setup tests` installs them all.

#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "helpers of tests fail as tests do"
)]

mod browser;
mod faults;
mod gtk;
mod office;
mod qt;
mod support;
