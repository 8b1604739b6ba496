//! Templates that can be used: each has been filled in once.

use crate::error::PromptError;
use crate::store::Prompts;
use crate::{appagent, frames, items, levels, planner};

impl Prompts {
    /// The templates that come with waldo.
    ///
    /// # Errors
    /// Never, unless waldo was built from broken templates.
    pub fn builtin() -> Result<Self, PromptError> {
        Self::with_overrides(std::iter::empty::<(String, String)>())
    }

    /// Those templates, some replaced: pairs of a name such as `appagent/deploy` (a trailing `.md.j2`
    /// is ignored) and the text of a minijinja template.
    ///
    /// # Errors
    /// [`PromptError::Unknown`] for a name that replaces nothing, [`PromptError::Template`] for a text
    /// that cannot be read, or that uses a value which its context lacks.
    pub fn with_overrides<N, T>(overrides: impl IntoIterator<Item = (N, T)>) -> Result<Self, PromptError>
    where
        N: AsRef<str>,
        T: Into<String>,
    {
        let prompts = Self::unchecked(overrides)?;
        appagent::check(&prompts)?;
        appagent::learn::check(&prompts)?;
        planner::check(&prompts)?;
        frames::check(&prompts)?;
        items::check(&prompts)?;
        levels::check(&prompts)?;
        Ok(prompts)
    }
}
