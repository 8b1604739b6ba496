//! What a profile says of the messages that its model gets.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    System,
    User,
    Assistant,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum When {
    #[default]
    Start,
    Past,
    Now,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MessageRule {
    pub(crate) role: MessageRole,
    #[serde(default)]
    pub(crate) when: When,
    /// What it holds, in order: `picture`, `reply` (of a past step), or the name of a template.
    pub(crate) parts: Vec<String>,
}

/// Parts of messages that are not templates.
pub(crate) const PICTURE: &str = "picture";
/// The model's own words of a past step.
pub(crate) const REPLY: &str = "reply";

/// How much of what was is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HistoryRule {
    /// Pictures of the latest steps, the present one included.
    pub(crate) pictures: usize,
    /// Past steps that have messages of their own; the earlier ones are `old` to templates. All where it is left out.
    pub(crate) window: Option<usize>,
}

impl Default for HistoryRule {
    fn default() -> Self {
        Self { pictures: 1, window: None }
    }
}
