//! What can go wrong between machines.

use waldo_devices::Fault;
use waldo_tasks::TaskError;

pub type Result<T, E = QueueError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("{0}")]
    Input(String),
    #[error("the queue at {server}: {what}: {why}")]
    Server { server: String, what: &'static str, why: String },
    /// What came from another machine is not what it should be.
    #[error("{0}")]
    Foreign(String),
    #[error(transparent)]
    Task(#[from] TaskError),
}

impl QueueError {
    pub fn fault(&self) -> Fault {
        match self {
            Self::Input(_) => Fault::Input,
            Self::Server { .. } => Fault::Environment,
            Self::Foreign(_) => Fault::Operation,
            Self::Task(error) => error.fault(),
        }
    }

    pub(super) fn io(what: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let failed = TaskError::io(what, path);
        |source| failed(source).into()
    }
}

impl From<QueueError> for TaskError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Task(error) => error,
            other => Self::Queue(other.to_string()),
        }
    }
}
