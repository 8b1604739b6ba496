//! The frame-abstraction policy, for widgets on pages of one's own.
//!
//! Duty: sees a page as frames, says what can be acted on, and writes a script that explores, compares and
//! acts, in three stages. Scripts run in the cage, suspended between turns (`bridge`).
//!
//! Invariants: web devices only; pages of exact allowed origins only, of this machine by default; a page that
//! asks for proof of a person ends the solving (`gate`). No tool looks at the wording of a task.

mod agent;
mod bridge;
mod gate;
mod numbers;
mod objective;
mod solve;
mod structure;
mod talk;
mod tools;
pub mod vision;
mod world;

pub use agent::{FramesAgent, FramesOptions};
pub(crate) use gate::{Stop, view as may_act};
pub use tools::offered::ToolDoc;
use tools::offered::documented;

/// All tools that scripts have, the second stage's first.
pub fn tools() -> Vec<ToolDoc> {
    structure::DOCS.iter().copied().chain(documented()).collect()
}

#[cfg(test)]
mod agent_tests;
