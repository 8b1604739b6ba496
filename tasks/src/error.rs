//! What can go wrong with tasks, suites and run folders.

use std::path::{Path, PathBuf};

use waldo_devices::Fault;

pub(crate) type Result<T, E = TaskError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    #[error("{file}:{line}: {field}{message}")]
    Definition {
        file: String,
        /// Its line, from 1; 0 when unknown.
        line: usize,
        /// The field, with a colon and a blank behind it; may be empty.
        field: String,
        message: String,
    },
    #[error("no suite '{name}': {known}; or give the path of a folder with a suite.toml")]
    UnknownSuite {
        name: String,
        /// The built-in ones, after the one that may be meant.
        known: String,
    },
    #[error("no application '{name}': {known}; `waldo apps list` lists them")]
    UnknownApp { name: String, known: String },
    #[error("{app}: {step}: {message}; {fix}")]
    App {
        app: String,
        /// What was being done, such as `pip packages`.
        step: String,
        message: String,
        fix: String,
    },
    #[error("no task '{name}' in suite '{suite}'; `waldo tasks {suite}` lists them")]
    UnknownTask { name: String, suite: String },
    #[error("cannot {what} {path}: {source}")]
    Io { what: &'static str, path: PathBuf, source: std::io::Error },
    #[error("cannot listen on {address}: another program does; choose another port, or 0 for a free one")]
    PortInUse { address: std::net::SocketAddr },
    #[error("{path}: {message}")]
    Record { path: PathBuf, message: String },
    #[error("{0}")]
    Score(String),
    #[error(
        "{phone} is not a simulated phone, and was left as it is: tasks of a suite delete and write what a phone \
         holds (contacts, messages, events, files, settings), and may send; give --device simphone, or, where \
         nothing on this phone is worth keeping, --real-phone-may-be-wiped"
    )]
    RealPhone { phone: String },
    #[error("{suite} is played on several screens; this works on one: name a suite of one platform")]
    OneScreen { suite: String },
    #[error(transparent)]
    Device(#[from] waldo_devices::DeviceError),
    #[error(transparent)]
    Agent(#[from] waldo_agents::AgentError),
    #[error("the endpoint of {contestant}'s model failed in {episodes} episodes in a row; at last: {source}")]
    Endpoint { contestant: String, episodes: u32, source: Box<waldo_agents::ModelError> },
    #[error("template of {what}: {message}")]
    Template { what: String, message: String },
    #[error("the queue: {0}")]
    Queue(String),
    /// A defect of waldo: a worker's panic, a value that could not be written as JSON.
    #[error("{0}; this is a defect of waldo: please report it")]
    Internal(String),
}

impl TaskError {
    /// Makes an error of what cannot be done to the file or folder at `path`.
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }

    /// What is wrong with the content of the file at `path`.
    pub fn record(path: &Path, message: impl Into<String>) -> Self {
        Self::Record { path: path.to_owned(), message: message.into() }
    }

    pub fn fault(&self) -> Fault {
        match self {
            Self::Definition { .. }
            | Self::UnknownSuite { .. }
            | Self::UnknownTask { .. }
            | Self::UnknownApp { .. }
            | Self::Record { .. }
            | Self::Score(_)
            | Self::PortInUse { .. }
            | Self::RealPhone { .. }
            | Self::OneScreen { .. }
            | Self::Template { .. } => Fault::Input,
            Self::Io { source, .. } => Fault::of_io(source),
            Self::Device(error) => error.fault(),
            Self::Agent(error) => error.fault(),
            Self::Endpoint { .. } => Fault::Model,
            Self::App { .. } | Self::Queue(_) => Fault::Environment,
            Self::Internal(_) => Fault::Internal,
        }
    }
}
