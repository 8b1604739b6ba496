//! How a run may fail, said so that a repair loop can hand it to the script's author.

use std::fmt;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::limits::Limit;
use crate::released::StopCause;

/// Why a run did not come to its normal end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CageError {
    /// The script uses what the engine does not run; nothing of it has run.
    #[error("the script was refused before it ran: {}", first(.0))]
    Refused(Vec<Refusal>),
    #[error("the script failed: {0}")]
    Raised(ScriptError),
    #[error("the script was ended at its limit of {limit}{}", at(*.line))]
    Limit {
        limit: Limit,
        /// The line that was running, where it is known; from 1.
        line: Option<u32>,
        printed: String,
    },
    #[error("the script was stopped{}: {why}", at(*.line))]
    Stopped {
        why: String,
        /// The line that was running, where it is known; from 1.
        line: Option<u32>,
        printed: String,
    },
    #[error("the script's process died ({how})")]
    Died {
        /// Its exit status or signal.
        how: String,
        printed: String,
    },
    /// The worker said something that it may not say; it was killed.
    #[error("the script's process broke the protocol: {0}")]
    Protocol(String),
    /// The worker could not be started; try again, or see whether processes may be started here.
    #[error("the script's process could not be started: {0}")]
    Start(String),
}

impl CageError {
    /// What the script's author should change, with lines; fit to be sent to a model.
    #[must_use]
    pub fn advice(&self) -> String {
        match self {
            Self::Refused(refusals) => {
                let mut text = String::from("Nothing of the script has run. Mend this:\n");
                for refusal in refusals {
                    let _ = writeln!(text, "- {refusal}");
                }
                text
            }
            Self::Raised(error) => error.report(),
            Self::Limit { limit, line, .. } => {
                format!("The script was ended at its limit of {limit}{}: {}.\n", at(*line), limit.advice())
            }
            Self::Stopped { why, line, .. } => format!("The script was stopped{}: {why}.\n", at(*line)),
            Self::Died { .. } => {
                "The script exhausted its process: hold less, nest less, compute less.\n".into()
            }
            Self::Protocol(_) | Self::Start(_) => format!("This is not the script's fault: {self}.\n"),
        }
    }

    /// Whether a changed script may fare better.
    #[must_use]
    pub fn is_repairable(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Raised(_) | Self::Limit { .. } | Self::Died { .. })
    }

    #[must_use]
    pub fn printed(&self) -> &str {
        match self {
            Self::Raised(error) => &error.printed,
            Self::Limit { printed, .. } | Self::Stopped { printed, .. } | Self::Died { printed, .. } => {
                printed
            }
            Self::Refused(_) | Self::Protocol(_) | Self::Start(_) => "",
        }
    }

    #[must_use]
    pub fn released(&self) -> StopCause {
        match self {
            Self::Refused(_) => StopCause::Refused,
            Self::Raised(_) => StopCause::Raised,
            Self::Limit { limit, .. } => StopCause::Limit(*limit),
            Self::Stopped { .. } => StopCause::Stopped,
            Self::Died { .. } | Self::Protocol(_) | Self::Start(_) => StopCause::Broken,
        }
    }
}

fn first(refusals: &[Refusal]) -> String {
    match refusals {
        [] => "no reason given".into(),
        [only] => only.to_string(),
        [one, rest @ ..] => format!("{one} (and {} more)", rest.len()),
    }
}

fn at(line: Option<u32>) -> String {
    line.map_or_else(String::new, |line| format!(" at line {line}"))
}

/// One thing that a script may not do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The line, from 1.
    pub line: u32,
    pub column: u32,
    pub what: String,
    pub advice: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, what, advice } = self;
        write!(f, "line {line}, column {column}: {what}; {advice}")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptError {
    /// Its name in Python, such as `ValueError`.
    pub kind: String,
    pub message: String,
    /// Where it was raised: the calls that led there, the outermost first.
    pub trace: Vec<TraceLine>,
    pub printed: String,
}

impl ScriptError {
    /// The line of the script on which it was raised, from 1.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.trace.last().map(|t| t.line)
    }

    /// The exception with its lines, fit to be sent to a model.
    #[must_use]
    pub fn report(&self) -> String {
        const SHOWN: usize = 6;
        let mut text = format!("{self}\n");
        let skipped = self.trace.len().saturating_sub(SHOWN);
        for place in self.trace.iter().skip(skipped).rev() {
            let _ = write!(text, "  line {}", place.line);
            if let Some(function) = &place.function {
                let _ = write!(text, " in {function}");
            }
            let _ = writeln!(text, ": {}", place.text);
        }
        if let Some(advice) = advice_for(&self.kind, &self.message) {
            let _ = writeln!(text, "{advice}");
        }
        text
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        f.write_str(&at(self.line()))
    }
}

/// One call on the way to an exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceLine {
    pub line: u32,
    /// The function it is in, none at the outermost level.
    pub function: Option<String>,
    pub text: String,
}

/// Advice for exceptions whose own text misleads.
fn advice_for(kind: &str, message: &str) -> Option<&'static str> {
    let has = |part: &str| message.contains(part);
    match kind {
        "TypeError" if has("unhashable") => Some(
            "Objects given by tools cannot be members of sets or keys of dictionaries: use `.id` of the object instead.",
        ),
        "TypeError" if has("not subscriptable") || has("not iterable") => {
            Some("Look at what the tool returns: index and loop over lists only.")
        }
        "RecursionError" => Some("Use a loop instead of a function that calls itself."),
        "NotImplementedError" => Some("Write it with plain functions, loops and lists."),
        "NameError" => Some("Define the name before its use; only the listed tools exist."),
        _ => None,
    }
}
