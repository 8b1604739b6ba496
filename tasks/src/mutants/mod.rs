//! Mutants of a reference solution: solutions with one thing changed, by which a suite's checks are tested.
//!
//! Duty: make them ([`mutants`]), and hold the score of each against how its end differs from the solution's ([`judge`]).
//!
//! Invariants: the same solution and seed give the same mutants in the same order. Whether an end is the same is decided by
//! what became different on the screens, never by the checks that are being tested; of an answer it is known by how it
//! was made.

mod answers;
mod make;
mod verdict;

use serde::{Deserialize, Serialize};
use waldo_agents::reference::{VariedSolution, VariedStep};

pub use make::mutants;
pub use verdict::{Allowed, Played, Verdict, judge};

/// The file in a run's folder that says what became of all mutants.
pub const FILE: &str = "mutants.json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MutantKind {
    LeftOut,
    Twice,
    /// A step is done on a neighbour of its element, or a key goes further.
    Neighbour,
    /// A step is done on the next element of the same name.
    SameName,
    /// A value has another character, one more, one less, or other case.
    OtherValue,
    /// The last steps are left out.
    StoppedEarly,
    /// Something else that the screen offers is done besides.
    Extra,
    Corrected,
    OtherWay,
    AnswerForm,
    OtherAnswer,
    /// The end is claimed the other way: a task that cannot be done as done, or the reverse.
    OtherClaim,
}

waldo_devices::named!(MutantKind {
    LeftOut = "step left out",
    Twice = "step done twice",
    Neighbour = "done on a neighbour",
    SameName = "done on one of the same name",
    OtherValue = "another value",
    StoppedEarly = "stopped early",
    Extra = "something else besides",
    Corrected = "wrong first, then corrected",
    OtherWay = "another way to the same end",
    AnswerForm = "the answer in another form",
    OtherAnswer = "another answer",
    OtherClaim = "another claim"
});

#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    pub kind: MutantKind,
    pub what: String,
    pub steps: Vec<VariedStep>,
}

/// Stands between a mutant's kind and its words where both are one text.
const BETWEEN: &str = ": ";

impl From<Mutant> for VariedSolution {
    fn from(mutant: Mutant) -> Self {
        let what = format!("{}{BETWEEN}{}", mutant.kind.name(), mutant.what);
        Self { what, steps: mutant.steps }
    }
}

/// Kind and words of a mutant, from the first thought of the agent that played it.
pub fn told(thought: &str) -> Option<(MutantKind, String)> {
    let line = thought.lines().next()?;
    let (name, what) = line.split_once(BETWEEN)?;
    Some((name.parse().ok()?, what.to_owned()))
}
