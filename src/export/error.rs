//! What can go wrong when a run is exported.

use std::io;

use waldo_devices::{DeviceError, Fault};
use waldo_tasks::TaskError;

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Record(#[from] TaskError),
    #[error(transparent)]
    Picture(#[from] DeviceError),
    #[error("the story of {episode}: {source}")]
    Story { episode: String, source: io::Error },
    #[error("the template of the script: {0}")]
    Template(#[from] minijinja::Error),
    #[error("cannot write a line of rollouts: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{0}")]
    Program(String),
    #[error("no recorded episode fits: see the run's tasks and contestants with waldo report")]
    Nothing,
    #[error("stopped after {finished} of {of} episodes; the files that were written are whole")]
    Stopped { finished: usize, of: usize },
    #[error("no model was asked in these episodes, so there are no messages")]
    NoModel,
}

impl ExportError {
    pub fn fault(&self) -> Fault {
        match self {
            Self::Record(error) => error.fault(),
            Self::Picture(error) => error.fault(),
            Self::Story { .. } | Self::Nothing | Self::NoModel | Self::Stopped { .. } => Fault::Input,
            Self::Template(_) | Self::Json(_) => Fault::Internal,
            Self::Program(_) => Fault::Environment,
        }
    }
}
