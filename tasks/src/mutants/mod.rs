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

impl MutantKind {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 12] = [
        Self::LeftOut,
        Self::Twice,
        Self::Neighbour,
        Self::SameName,
        Self::OtherValue,
        Self::StoppedEarly,
        Self::Extra,
        Self::Corrected,
        Self::OtherWay,
        Self::AnswerForm,
        Self::OtherAnswer,
        Self::OtherClaim,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::LeftOut => "step left out",
            Self::Twice => "step done twice",
            Self::Neighbour => "done on a neighbour",
            Self::SameName => "done on one of the same name",
            Self::OtherValue => "another value",
            Self::StoppedEarly => "stopped early",
            Self::Extra => "something else besides",
            Self::Corrected => "wrong first, then corrected",
            Self::OtherWay => "another way to the same end",
            Self::AnswerForm => "the answer in another form",
            Self::OtherAnswer => "another answer",
            Self::OtherClaim => "another claim",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

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
    Some((MutantKind::named(name)?, what.to_owned()))
}
