//! What can go wrong with a device, and whose fault it is.

use std::time::Duration;

use crate::action_parts::RefusalKind;

/// Whose fault an error is. Every error type of the workspace says it (`fault()`), and exit codes follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What a person gave: a flag, a name, a file that cannot be used as it is.
    Input,
    /// What waldo stands on: a program, a phone, a display or a service is missing, or broke.
    Environment,
    Model,
    /// Nobody's in particular: what was asked for was tried, and failed, took too long or was refused.
    Operation,
    /// waldo's own: a defect of the program.
    Internal,
}

impl Fault {
    /// Whose fault it is where the host refuses to read or write a file: a name of something that is not there, or
    /// is something else than asked for, is the input's.
    pub fn of_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{InvalidData, IsADirectory, NotADirectory, NotFound};
        match error.kind() {
            NotFound | NotADirectory | IsADirectory | InvalidData => Self::Input,
            _ => Self::Operation,
        }
    }
}

pub type Result<T, E = DeviceError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// A call did not answer within its deadline.
    #[error("{}", late(what, *.after))]
    Timeout { what: String, after: Duration },
    #[error("{what}; {hint}")]
    Absent { what: String, hint: String },
    #[error("the device is gone: {reason}")]
    Gone { reason: String },
    #[error("the page crashed: {what}")]
    Crashed { what: String },
    #[error("{call} failed: {message}")]
    Call { call: String, message: String },
    #[error("could not start {what}: {message}; {hint}")]
    Start { what: String, message: String, hint: String },
    #[error("point ({x:.0}, {y:.0}) is outside the screen of {w:.0}x{h:.0} physical pixels")]
    OutOfBounds { x: f64, y: f64, w: f64, h: f64 },
    #[error("{platform} cannot {action}")]
    Unsupported { platform: &'static str, action: String },
    /// What is on the screen holds it up and lets no question through, whoever asks: a page that opens one
    /// dialog after another. The device is well.
    #[error("{what}")]
    Blocked { what: String },
    /// An element of an earlier observation, or one that is gone.
    #[error("the element is gone: {what}")]
    StaleElement { what: String },
    /// An argument that means nothing to the device (an unknown key, an option that a list lacks).
    #[error("{what}: {message}")]
    BadArgument { what: String, message: String },
    #[error("refused ({kind:?}): {reason}")]
    Refused { kind: RefusalKind, reason: String },
    #[error("picture: {0}")]
    Image(#[from] image::ImageError),
    /// A defect of waldo: a thread of its own ended before its job did.
    #[error("{0}; this is a defect of waldo: please report it")]
    Internal(String),
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
}

impl DeviceError {
    /// A device of this platform cannot do what `action` says: the name of an action, or a phrase after "cannot".
    pub fn unsupported(platform: &'static str, action: impl Into<String>) -> Self {
        Self::Unsupported { platform, action: action.into() }
    }

    pub fn timeout(what: impl Into<String>, after: Duration) -> Self {
        Self::Timeout { what: what.into(), after }
    }

    pub fn absent(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Absent { what: what.into(), hint: hint.into() }
    }

    pub fn call(call: impl Into<String>, message: impl ToString) -> Self {
        Self::Call { call: call.into(), message: message.to_string() }
    }

    pub fn start(what: impl Into<String>, message: impl ToString, hint: impl Into<String>) -> Self {
        Self::Start { what: what.into(), message: message.to_string(), hint: hint.into() }
    }

    pub fn bad_argument(what: impl Into<String>, message: impl ToString) -> Self {
        Self::BadArgument { what: what.into(), message: message.to_string() }
    }

    pub fn fault(&self) -> Fault {
        match self {
            Self::BadArgument { .. } => Fault::Input,
            Self::Absent { .. }
            | Self::Gone { .. }
            | Self::Crashed { .. }
            | Self::Start { .. }
            | Self::Image(_)
            | Self::Io { .. } => Fault::Environment,
            Self::Internal(_) => Fault::Internal,
            Self::Timeout { .. }
            | Self::Call { .. }
            | Self::Blocked { .. }
            | Self::OutOfBounds { .. }
            | Self::Unsupported { .. }
            | Self::StaleElement { .. }
            | Self::Refused { .. } => Fault::Operation,
        }
    }

    /// Whether the agent caused it (a bad point, a stale element, an unknown key, an action that the guard refuses):
    /// it is told, and goes on.
    pub fn is_agents_mistake(&self) -> bool {
        match self {
            Self::OutOfBounds { .. }
            | Self::Unsupported { .. }
            | Self::BadArgument { .. }
            | Self::StaleElement { .. }
            | Self::Refused { .. } => true,
            Self::Timeout { .. }
            | Self::Call { .. }
            | Self::Blocked { .. }
            | Self::Absent { .. }
            | Self::Gone { .. }
            | Self::Crashed { .. }
            | Self::Start { .. }
            | Self::Image(_)
            | Self::Internal(_)
            | Self::Io { .. } => false,
        }
    }
}

impl From<tokio::task::JoinError> for DeviceError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Internal(format!("a job of a device did not end: {error}"))
    }
}

fn late(what: &str, after: Duration) -> String {
    match after.as_millis() {
        0 => format!("no time was left for {what}"),
        _ => format!("no answer to {what} within {}", rounded(after)),
    }
}

/// A time as people read it: `300 ms`, `1.5 s`, `60 s`.
pub fn rounded(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    match (time.as_millis(), tenths / 10, tenths % 10) {
        (ms @ ..1000, ..) => format!("{ms} ms"),
        (_, s, 0) => format!("{s} s"),
        (_, s, tenth) => format!("{s}.{tenth} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_is_waldos_fault_and_not_the_devices() {
        let job = tokio::task::spawn_blocking(|| panic!("the decoder"));
        let error = DeviceError::from(job.await.unwrap_err());
        assert_eq!((error.fault(), error.is_agents_mistake()), (Fault::Internal, false));
        assert!(error.to_string().contains("the decoder"), "{error}");
    }

    #[test]
    fn times_are_rounded() {
        for (ms, text) in [(300, "300 ms"), (999, "999 ms"), (1_540, "1.5 s"), (59_992, "60 s")] {
            let error = DeviceError::Timeout { what: "x".to_owned(), after: Duration::from_millis(ms) };
            assert_eq!(error.to_string(), format!("no answer to x within {text}"));
        }
        let error = DeviceError::Timeout { what: "x".to_owned(), after: Duration::ZERO };
        assert_eq!(error.to_string(), "no time was left for x");
    }
}
