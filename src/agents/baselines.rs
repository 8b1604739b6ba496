//! What bounds a score: the reference from above; baseline, random, noop and refuser from below.

use waldo_agents::{baselines, reference};

use super::kind::{AgentFacts, AgentKind, Maker};

/// What an agent that asks no model goes by.
enum PlaysBy {
    Solution,
    Screen,
}

/// Declares an agent that asks no model.
macro_rules! bound {
    ($(#[doc = $doc:literal] $kind:ident, $name:literal, $agent:ty, $plays_by:expr, $about:literal;)*) => { $(
        #[doc = $doc]
        pub struct $kind;

        impl AgentKind for $kind {
            fn facts(&self) -> AgentFacts {
                let needs_solution = matches!($plays_by, PlaysBy::Solution);
                AgentFacts { asks_a_model: false, needs_solution, ..AgentFacts::new($name, $about) }
            }

            fn bound(&self) -> Option<Maker> {
                Some(Box::new(|_| Ok(Box::<$agent>::default())))
            }
        }
    )* };
}

bound! {
    #[doc = "Carries out solutions."]
    Reference, "reference", reference::ReferenceAgent, PlaysBy::Solution, "carries out the task's reference solution: the ceiling";
    #[doc = "Matches words."]
    Baseline, "baseline", baselines::Baseline, PlaysBy::Screen, "taps elements that share words with the goal";
    #[doc = "Chooses by chance."]
    Random, "random", baselines::Random, PlaysBy::Screen, "performs random actions, and says at the end that it is done";
    #[doc = "Does nothing."]
    Noop, "noop", baselines::Noop, PlaysBy::Screen, "does nothing, and says at the end that it is done";
    #[doc = "Declares all infeasible."]
    Refuser, "refuser", baselines::Refuser, PlaysBy::Screen, "does nothing, and declares every task infeasible";
}
