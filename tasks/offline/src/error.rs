//! What can be wrong with the benchmark's files.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum OfflineError {
    #[error(
        "{dir} has no {file}: give the folder that holds {file} and offline_images, as the dataset OpenGVLab/MMBench-GUI has them"
    )]
    Missing { dir: PathBuf, file: &'static str },
    #[error("cannot read {path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("cannot write {path}: {source}")]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{path}: {place}: {message}")]
    Bad {
        path: PathBuf,
        /// Which record and field, such as `[3].groups[0].answer`.
        place: String,
        message: String,
    },
    #[error("{missing} of {all} pictures cannot be read; the first is {first}: {why}")]
    Pictures { missing: usize, all: usize, first: PathBuf, why: String },
    #[error("{path}: {message}")]
    Predictions { path: PathBuf, message: String },
    #[error("these screens give {made} of {wanted} items")]
    TooFew { made: usize, wanted: usize },
    #[error("waldo's own data is damaged: {0}")]
    Own(String),
}

impl OfflineError {
    /// Whether it is waldo's fault and not the file's.
    pub fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}
