//! From names on the command line to agents and their models.
//!
//! Invariant: what differs from agent to agent is said by its [`AgentKind`]; each is registered once, in `registry`.

mod appagent;
mod baselines;
mod cdp;
mod exec;
mod exec_args;
mod frames;
mod frames_args;
mod kind;
#[cfg(feature = "mcp")]
mod mcp;
mod model_args;
mod names;
mod native;
mod native_args;
mod picture_args;
mod planner;
mod planner_args;
mod player;
mod registry;
mod sole;
mod stand_in;

pub use exec::program_options;
pub use exec_args::{CommandLine, ExecArgs, is_address};
pub use kind::{AgentKind, AgentSettings, AgentSetup, PlaceFinder};
pub use model_args::{ModelArgs, is_stand_in};
pub use picture_args::PictureArgs;
#[cfg(feature = "mcp")]
pub use picture_args::PictureChoice;
pub use player::{Agents, Player, RunShared};
pub use registry::{asks_a_model, bounds, kind, kinds, names};
pub use sole::SoleContestant;
pub use stand_in::StandIn;

/// Refuses an agent that plays by a solution, where a goal has none.
pub fn plays_without_solution(agent: &str) -> Result<(), waldo_agents::AgentError> {
    match kind(agent).filter(|kind| kind.facts().needs_solution) {
        Some(kind) => Err(waldo_agents::AgentError::Setup {
            agent: kind.name(),
            message: "it carries out a task's reference solution, and a single goal has none: name another agent, or \
                      play a task with 'waldo eval'"
                .to_owned(),
        }),
        None => Ok(()),
    }
}

pub fn agent_names() -> names::AgentNames {
    names::AgentNames
}
