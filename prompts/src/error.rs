//! What can go wrong with a template.

/// An error of a template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// An override that replaces nothing.
    #[error("there is no template named '{name}' to replace; the names are {known}")]
    Unknown {
        /// The name given.
        name: String,
        /// The names there are, joined by commas.
        known: String,
    },
    /// A template that cannot be read or filled in.
    #[error("template '{name}': {message}")]
    Template {
        /// The template.
        name: String,
        /// What is wrong with it, with the line.
        message: String,
    },
}

impl PromptError {
    pub(crate) fn template(name: &str, error: &minijinja::Error) -> Self {
        let line = error.line().map(|n| format!(" (line {n})")).unwrap_or_default();
        Self::Template { name: name.to_owned(), message: format!("{error:#}{line}") }
    }
}
