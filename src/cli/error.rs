//! What a command may fail with, and the exit code that follows.

use waldo_agents::AgentError;
use waldo_devices::{DeviceError, Fault};
use waldo_tasks::TaskError;

use crate::absent::Absent;
use crate::config::ConfigError;
use crate::exit;
use crate::screens::ScreenError;
use crate::suites::SuiteError;

pub type Result<T, E = CliError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Task(#[from] TaskError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Preflight(#[from] crate::preflight::PreflightError),
    #[error(transparent)]
    Report(#[from] crate::report::ReportError),
    #[error(transparent)]
    Export(#[from] crate::export::ExportError),
    #[error(transparent)]
    Level(#[from] crate::offline::LevelError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Prompts(#[from] crate::prompts::PromptsError),
    #[cfg(feature = "fleet")]
    #[error(transparent)]
    Queue(crate::queue::QueueError),
    #[error("{0}")]
    Input(String),
    #[error(transparent)]
    Absent(#[from] Absent),
    #[error("{0}; this is a defect of waldo: please report it")]
    Internal(String),
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
}

impl From<ScreenError> for CliError {
    fn from(error: ScreenError) -> Self {
        match error {
            ScreenError::Input(message) => Self::Input(message),
            ScreenError::Device(error) => Self::Device(error),
            ScreenError::Absent(absent) => Self::Absent(absent),
        }
    }
}

impl From<SuiteError> for CliError {
    fn from(error: SuiteError) -> Self {
        match error {
            SuiteError::Input(message) => Self::Input(message),
            SuiteError::Task(error) => Self::Task(error),
            SuiteError::Absent(absent) => Self::Absent(absent),
        }
    }
}

impl CliError {
    pub(super) fn fault(&self) -> Fault {
        match self {
            Self::Task(error) => error.fault(),
            Self::Device(error) => error.fault(),
            Self::Agent(error) => error.fault(),
            Self::Preflight(_) => Fault::Model,
            Self::Report(error) => error.fault(),
            Self::Export(error) => error.fault(),
            Self::Level(error) => error.fault(),
            #[cfg(feature = "fleet")]
            Self::Queue(error) => error.fault(),
            Self::Config(_) | Self::Prompts(_) | Self::Input(_) => Fault::Input,
            Self::Io { source, .. } => Fault::of_io(source),
            Self::Absent(_) => Fault::Environment,
            Self::Internal(_) => Fault::Internal,
        }
    }

    pub(super) fn exit_code(&self) -> u8 {
        exit::of(self.fault())
    }
}
