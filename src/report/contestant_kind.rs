//! Which contestants are under test, and which are measures for them.

use serde::Serialize;
use waldo_tasks::Contestant;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContestantKind {
    Test,
    /// It knows the solution: what it does not solve may not be solvable.
    Ceiling,
    /// It knows nothing: what it solves proves nothing.
    Floor,
    /// It repeats answers that were recorded: its figures say nothing about accuracy.
    Replay,
}

impl ContestantKind {
    pub fn of(contestant: &Contestant) -> Self {
        if !contestant.is_stand_in() {
            Self::Test
        } else if contestant.is_replay() {
            Self::Replay
        } else if contestant.agent == "reference" || contestant.model.as_deref() == Some("reference") {
            Self::Ceiling
        } else {
            Self::Floor
        }
    }
}
