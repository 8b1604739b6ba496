//! Why there is no score.

use waldo_devices::DeviceError;
use waldo_tasks::TaskError;

/// What comes of a step of a judgement.
pub(crate) type Result<T, E = WebarenaFault> = std::result::Result<T, E>;

/// What stood in the way of a score. None of these is a 0: the original gives no score there either, or this port cannot
/// tell which.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebarenaFault {
    /// The original raises an exception here, and its task is left out of its mean.
    #[error("the original gives no score here: {0}")]
    Raised(String),
    /// What the original would say cannot be told by this port.
    #[error("the verdict of the original cannot be determined: {0}")]
    Refused(String),
    /// The judge model, the site's interface or the page did not answer.
    #[error("{0}")]
    World(String),
}

impl WebarenaFault {
    pub(crate) fn raised(message: impl Into<String>) -> Self {
        Self::Raised(message.into())
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }
}

impl From<DeviceError> for WebarenaFault {
    fn from(error: DeviceError) -> Self {
        Self::World(error.to_string())
    }
}

impl From<WebarenaFault> for TaskError {
    fn from(fault: WebarenaFault) -> Self {
        Self::Device(DeviceError::Call { call: "judging".to_owned(), message: fault.to_string() })
    }
}
