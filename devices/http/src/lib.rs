//! Machines elsewhere, asked over HTTP.
//!
//! Invariants: a call ends by its deadline; no more of an answer is read than it may have, whatever its head says; no
//! redirect is followed, so nobody but the named server is told anything; off this machine nothing is sent in the clear
//! unless that was asked for by name; a picture is measured before it is decoded.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests make the client that the binary hands in otherwise")
)]

mod operating_system;
mod picture;
mod server;

pub use operating_system::OperatingSystem;
pub use picture::{PICTURE_BYTES, PIXELS_MAX, decode};
pub use server::{Address, BadAddress, FormFile, PlainHttp, RemoteServer, StatusFault};
