//! Every agent: what is not here cannot be named.

use waldo_tasks::record::BOUNDS;

use super::exec_args::{NAME as EXEC, is_address};
use super::kind::AgentKind;
use super::{appagent, baselines, cdp, exec, frames, native, planner};

/// Every kind, in the order in which they are listed; those that bound a score from above, then from below, come last.
static KINDS: &[&dyn AgentKind] = &[
    &appagent::AppAgentKind,
    &planner::PlannerKind,
    &frames::FramesKind,
    &native::NativeKind,
    &exec::ExecKind,
    #[cfg(feature = "mcp")]
    &super::mcp::McpKind,
    &cdp::CdpKind,
    &baselines::Reference,
    &baselines::Baseline,
    &baselines::Random,
    &baselines::Noop,
    &baselines::Refuser,
];

pub fn kinds() -> impl Iterator<Item = &'static dyn AgentKind> {
    KINDS.iter().copied()
}

pub fn names() -> impl Iterator<Item = &'static str> {
    kinds().map(AgentKind::name)
}

/// The agents that bound a score: from above, then from below.
pub fn bounds() -> impl Iterator<Item = &'static str> {
    BOUNDS.into_iter()
}

pub fn kind(name: &str) -> Option<&'static dyn AgentKind> {
    // One that is named by its address is asked over HTTP.
    let name = if is_address(name) { EXEC } else { name };
    kinds().find(|kind| kind.name() == name)
}

/// Whether waldo asks a model for this agent; for what no kind is, as files of answers are not, it does.
pub fn asks_a_model(agent: &str) -> bool {
    kind(agent).is_none_or(|kind| kind.facts().asks_a_model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bounds_a_score_is_what_asks_no_model() {
        let without: Vec<&str> = kinds().filter(|kind| kind.bound().is_some()).map(AgentKind::name).collect();
        assert_eq!(without, bounds().collect::<Vec<_>>());
    }
}
