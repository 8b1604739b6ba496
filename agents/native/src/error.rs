//! What can be wrong with a profile.

use crate::picture::SizeError;

/// An error of a profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// There is none of that name.
    #[error("no profile '{name}': there are {known}; a folder with a profile.toml is one of your own")]
    Unknown { name: String, known: String },
    /// Its data cannot be read.
    #[error("profile '{profile}': profile.toml: {message}")]
    Toml {
        profile: String,
        /// What is wrong, with the line.
        message: String,
    },
    /// What it says does not hold together.
    #[error("profile '{profile}': {message}")]
    Rule {
        profile: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// A template of its messages.
    #[error("profile '{profile}': {source}")]
    Template {
        profile: String,
        /// What is wrong with the template.
        source: waldo_prompts::PromptError,
    },
    /// A picture that its rule cannot resize.
    #[error("profile '{profile}': {source}")]
    Picture { profile: String, source: SizeError },
}
