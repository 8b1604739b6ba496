//! Agents that are programs: asked in JSON over their standard streams, or over HTTP.
//!
//! The protocol (`docs/agents-protocol.md`) mirrors the one that environments speak (`docs/bridge.md`).
//!
//! Invariants: what a screen says stands in fields called `untrusted` alone; a call that means nothing on the screen (an
//! unknown number, a place outside of it) is told to the agent, counts as a step, and becomes no action; an agent that does
//! not keep the protocol has failed, and its reason is a decision like any other.

mod agent;
mod calls;
mod check;
mod link;
mod pictures;
mod schema;
mod turn;
mod wire;

pub use agent::{ExecAgent, ExecOptions, greet};
pub use check::{AgentCheck, check};
pub use link::{AgentLink, LinkMaker, ProgramLink};
pub use schema::schema;
pub use wire::PROTOCOL;

#[cfg(test)]
mod tests;
