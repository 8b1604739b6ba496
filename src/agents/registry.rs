//! Every agent: what is not here cannot be named.

use waldo_tasks::record::BOUNDS;

use super::kind::AgentKind;
use super::{appagent, baselines, frames, native, planner};

/// Every kind, in the order in which they are listed; those that bound a score from above, then from below, come last.
static KINDS: &[&dyn AgentKind] = &[
    &appagent::AppAgentKind,
    &planner::PlannerKind,
    &frames::FramesKind,
    &native::NativeKind,
    &baselines::Reference,
    &baselines::Baseline,
    &baselines::Random,
    &baselines::Noop,
    &baselines::Refuser,
];

pub fn kinds() -> impl Iterator<Item = &'static dyn AgentKind> {
    KINDS.iter().copied()
}

/// The names of all.
pub fn names() -> impl Iterator<Item = &'static str> {
    kinds().map(AgentKind::name)
}

/// The agents that bound a score: from above, then from below.
pub fn bounds() -> impl Iterator<Item = &'static str> {
    BOUNDS.into_iter()
}

/// The kind of this name.
pub fn kind(name: &str) -> Option<&'static dyn AgentKind> {
    kinds().find(|kind| kind.name() == name)
}

/// Whether an agent asks a model.
pub fn asks_a_model(agent: &str) -> bool {
    !BOUNDS.contains(&agent)
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
