//! The offline levels, L1 and L2: every item of a file is put to every contestant once, and what is answered is scored.
//!
//! Invariants: an answer is kept as soon as it is had, and a run that was stopped asks only what is missing; what is kept
//! is the reply itself, so that scores are a function of the run folder and the benchmark's files; an item that could
//! not be asked is invalid and no wrong answer.

mod answers;
mod args;
mod bench;
mod blind;
mod capture;
mod kept;
mod page;
mod play;
mod players;
mod recorded;
mod rewrite;
mod run;
mod scores;
mod tables;
mod upstream;

pub use answers::{Answers, LevelManifest, MANIFEST, PlaceForm, Wording};
pub use args::LevelArgs;
pub use bench::{Bench, Level, ReplyRules};
pub use blind::{Blind, blind_names};
pub use capture::{CapturedScreens, Watched};
pub use play::{Played, play};
pub use players::{LevelPlayer, predicted};
pub use rewrite::{Replies, RewriteSummary, Words};
pub use run::LevelRun;

use std::path::PathBuf;

use waldo_agents::AgentError;
use waldo_devices::{DeviceError, Fault};
use waldo_offline::OfflineError;
use waldo_tasks::TaskError;

#[derive(Debug, thiserror::Error)]
pub enum LevelError {
    #[error(transparent)]
    Bench(#[from] OfflineError),
    #[error(transparent)]
    Record(#[from] TaskError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Picture(#[from] DeviceError),
    #[error("{folder} holds another run: {what}; give another --out")]
    Other { folder: PathBuf, what: String },
    #[error("{0}")]
    Input(String),
    #[error("the report could not be made: {0}; this is a defect of waldo: please report it")]
    Page(#[from] minijinja::Error),
}

impl LevelError {
    pub fn fault(&self) -> Fault {
        match self {
            Self::Bench(OfflineError::Io { source, .. } | OfflineError::Write { source, .. }) => {
                Fault::of_io(source)
            }
            Self::Bench(error) if error.is_own() => Fault::Internal,
            Self::Bench(_) | Self::Input(_) | Self::Other { .. } => Fault::Input,
            Self::Record(error) => error.fault(),
            Self::Agent(error) => error.fault(),
            Self::Picture(error) => error.fault(),
            Self::Page(_) => Fault::Internal,
        }
    }
}
