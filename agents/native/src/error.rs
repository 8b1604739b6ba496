use crate::picture::SizeError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    #[error(
        "no profile '{name}': there are {known}; to use your own profile, give a folder with a profile.toml"
    )]
    Unknown { name: String, known: String },
    #[error("profile '{profile}': profile.toml: {message}")]
    Toml { profile: String, message: String },
    #[error("profile '{profile}': {message}")]
    Rule { profile: String, message: String },
    #[error("profile '{profile}': {source}")]
    Template { profile: String, source: waldo_prompts::PromptError },
    #[error("profile '{profile}': {source}")]
    Picture { profile: String, source: SizeError },
}
