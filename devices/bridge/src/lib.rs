//! Environments that are written in another language: a server that says what its screen shows, carries out actions, and
//! judges by its own code, over a small JSON protocol (`docs/bridge.md`).
//!
//! Invariants: nobody vouches for the server: every answer is bounded before it is read, and what does not keep the protocol
//! is an error of the environment, never of the agent; what a secret's name stands for is sent, and comes back masked;
//! the guard of origins and apps cannot be enforced there, so a screen is started only where all of them are allowed.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests make the client that the binary hands in otherwise")
)]

mod check;
mod client;
mod device;
mod seen;
mod wire;

pub use check::{ProtocolCheck, check};
pub use client::{BridgeSession, Client, SESSION};
pub use device::{BridgeDevice, BridgeOptions};
pub use wire::{EpisodeJudgement, Hello, JudgeCheck, JudgeCheckpoint, TaskSpec, ToolSpec};
