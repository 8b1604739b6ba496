//! What can go wrong with the benchmark's files and the machine they are played on.

use super::fault::OsworldFault;
use waldo_tasks::TaskError;

/// What comes of something that is asked of a machine or a file of the benchmark.
pub(crate) type Result<T, E = OsworldError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OsworldError {
    /// A file that cannot be read or written, or is not of the benchmark's form.
    #[error(transparent)]
    File(#[from] TaskError),
    #[error("{what} '{name}' is not supported")]
    Unsupported {
        /// Setup verb, getter, metric, or ability of the machine.
        what: &'static str,
        name: String,
    },
    #[error("setup step {step}: {message}")]
    Step { step: String, message: String },
    /// A file of the benchmark that is not to be had.
    #[error("{url}: {message}")]
    Download { url: String, message: String },
    #[error("{call} failed: {message}")]
    Machine { call: String, message: String },
    #[error("no answer to {call} in time")]
    Timeout { call: String },
}

impl OsworldError {
    pub(crate) fn unable(name: impl Into<String>) -> Self {
        Self::Unsupported { what: "ability of the machine", name: name.into() }
    }

    pub fn machine(call: impl Into<String>, message: impl ToString) -> Self {
        Self::Machine { call: call.into(), message: message.to_string() }
    }
}

impl From<OsworldError> for OsworldFault {
    fn from(error: OsworldError) -> Self {
        match error {
            OsworldError::Unsupported { what, name } => Self::Unsupported(format!("{what} '{name}'")),
            other => Self::Machine(other.to_string()),
        }
    }
}

impl From<OsworldError> for TaskError {
    fn from(error: OsworldError) -> Self {
        match error {
            OsworldError::File(error) => error,
            other => Self::Device(waldo_devices::DeviceError::Call {
                call: "osworld".to_owned(),
                message: other.to_string(),
            }),
        }
    }
}
