//! Agent policies, the model wire, and the reply parsers.
//!
//! Invariant: an agent sees a [`View`] and returns a [`Decision`]; it never names a concrete driver,
//! never writes a file, and cannot extend its own budget.

pub mod agent;
pub mod appagent;
mod asked;
pub mod baselines;
pub(crate) mod chat;
#[cfg(test)]
mod compat_tests;
pub mod error;
pub mod exec;
pub mod frames;
pub mod http;
pub mod items;
pub mod levels;
pub mod model;
pub mod native;
pub mod plan_record;
pub mod planner;
pub mod program;
pub mod python;
pub mod reference;
pub mod replay;
pub mod steps;
#[cfg(test)]
mod words_tests;

pub use agent::{
    Agent, Brief, Choice, Decision, Exchange, Fence, Note, PersonPart, TagScheme, Turn, View, Words,
};
pub use asked::AskedLog;
pub use error::{AgentError, ModelError, Result};
