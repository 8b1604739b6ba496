//! Why a metric or a getter gives no score.

use waldo_office::OfficeError;
use waldo_office::budget::{self, Budget};

pub(crate) type Result<T, E = OsworldFault> = std::result::Result<T, E>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OsworldFault {
    /// The original would have raised an exception: the outcome is not what the task asks for, so the
    /// score is 0 and the reason is shown.
    #[error("{0}")]
    Raised(String),
    /// A part of the benchmark that this port does not have: the attempt is invalid, never a silent 0.
    #[error("{0} is not supported")]
    Unsupported(String),
    /// What the task expects could not be obtained: the attempt is invalid.
    #[error("the expected value could not be obtained: {0}")]
    Expected(String),
    /// The machine did not answer: the attempt is invalid.
    #[error("{0}")]
    Machine(String),
}

impl OsworldFault {
    pub(crate) fn raised(message: impl Into<String>) -> Self {
        Self::Raised(message.into())
    }
}

impl From<OfficeError> for OsworldFault {
    fn from(error: OfficeError) -> Self {
        match error {
            OfficeError::Unsupported(what) => Self::Unsupported(what),
            other => Self::Raised(other.to_string()),
        }
    }
}

/// Runs what reads files of others under the budget of a judgement.
pub(crate) fn bounded<T>(read: impl FnOnce() -> Result<T, OsworldFault>) -> Result<T, OsworldFault> {
    match budget::judged(Budget::default(), read) {
        (_, Some(what)) => Err(OsworldFault::Unsupported(what)),
        (result, None) => result,
    }
}

/// A score from 0 to 1 (some metrics leave that range, as the originals do), or why there is none.
pub type Score = Result<f64, OsworldFault>;

pub fn score(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
