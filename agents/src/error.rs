//! What can go wrong in an agent or on the wire to its model.

use std::time::Duration;

use waldo_devices::{Fault, rounded};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    #[error("cannot reach the model at {url}: {message}; is the server running, and is the address right?")]
    Unreachable { url: String, message: String },
    #[error("no answer from the model within {}; {by}", rounded(*.after))]
    Timeout { after: Duration, by: TimedBy },
    /// The endpoint refused: 429.
    #[error("the model endpoint is over its rate limit (status 429{}): {message}; {}", wait(*.retry_after), FEWER)]
    RateLimited { message: String, retry_after: Option<Duration> },
    #[error("the model endpoint answered with status {status}: {message}")]
    Status {
        status: u16,
        /// What it said, cut to 500 characters.
        message: String,
        retry_after: Option<Duration>,
    },
    #[error("the model endpoint's answer cannot be read: {message}")]
    BadBody {
        /// What is wrong, with the beginning of the body.
        message: String,
    },
    #[error("the profile's program failed: {message}")]
    Hook { message: String },
    #[error("the stand-in has no answer: {message}")]
    StandIn { message: String },
    #[error("no recorded answer for this request; the nearest is {nearest}: {difference}")]
    CassetteMiss {
        /// File name of the nearest recording, or `none`.
        nearest: String,
        difference: String,
    },
    #[error("cassette {path}: {message}")]
    Cassette { path: String, message: String },
    #[error("{what}: {hint}")]
    Setup { what: String, hint: String },
}

/// What keeps requests below a limit of the endpoint's.
const FEWER: &str = "wait, or ask it less at once: --requests-per-minute, --tokens-per-minute, --model-concurrency or fewer --workers";

/// What `Retry-After` asked for, in words.
fn wait(retry_after: Option<Duration>) -> String {
    retry_after.map(|after| format!(", Retry-After: {}", rounded(after))).unwrap_or_default()
}

/// Which limit a model's answer did not come within.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimedBy {
    #[error("raise --model-timeout or check the server")]
    Request,
    #[error("its stream fell silent; raise --model-timeout or check the server")]
    Silence,
    #[error(
        "--requests-per-minute or --tokens-per-minute leave no turn within a step; raise them or use fewer --workers"
    )]
    Pace,
    /// That of a whole step, retries and waits included.
    #[error(
        "that is all the time that a step has for its requests: it grows with --model-timeout, and --max-time ends \
         it sooner"
    )]
    Step,
}

impl ModelError {
    pub(crate) fn setup(what: impl ToString, hint: impl Into<String>) -> Self {
        Self::Setup { what: what.to_string(), hint: hint.into() }
    }

    /// How long the endpoint asks to wait before it is asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether the same question may be answered when it is asked again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::RateLimited { .. }
            | Self::BadBody { .. }
            | Self::Hook { .. } => true,
            Self::Status { status, .. } => *status >= 500 || *status == 408 || *status == 409,
            Self::StandIn { .. } | Self::CassetteMiss { .. } | Self::Cassette { .. } | Self::Setup { .. } => {
                false
            }
        }
    }
}

pub type Result<T, E = AgentError> = std::result::Result<T, E>;

/// An error of an agent: the harness could not do its job. A bad reply is not an error but a decision.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Prompt(#[from] waldo_prompts::PromptError),
    #[error("picture: {0}")]
    Picture(#[from] waldo_devices::DeviceError),
    #[error("{agent}: {message}")]
    Setup { agent: &'static str, message: String },
}

impl AgentError {
    pub(crate) fn setup(agent: &'static str, message: impl ToString) -> Self {
        Self::Setup { agent, message: message.to_string() }
    }

    pub(crate) fn not_begun(agent: &'static str) -> Self {
        Self::setup(agent, "begin an episode first")
    }

    pub fn fault(&self) -> Fault {
        match self {
            // An address, a key or a file of prices that a person gave.
            Self::Model(ModelError::Setup { .. }) | Self::Prompt(_) | Self::Setup { .. } => Fault::Input,
            Self::Model(_) => Fault::Model,
            Self::Picture(error) => error.fault(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_limit_is_told_with_its_wait_and_what_keeps_below_it() {
        let said =
            |retry_after| ModelError::RateLimited { message: "slow down".into(), retry_after }.to_string();
        let timed = said(Some(Duration::from_secs(30)));
        assert!(timed.contains("(status 429, Retry-After: 30 s): slow down; wait, or"), "{timed}");
        let plain = said(None);
        assert!(
            plain.contains("(status 429): slow down; ") && plain.contains("--requests-per-minute"),
            "{plain}"
        );
    }
}
