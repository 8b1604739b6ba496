//! Values of the configuration that are one of a few words, for sections and contestants alike.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How closely a model looks at pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageDetail {
    /// Coarsely, for few tokens.
    Low,
    /// Closely.
    High,
    /// As the endpoint sees fit.
    Auto,
}

/// How much of a screen's text is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScreenText {
    /// Place and elements.
    Elements,
    /// Address, title, tabs and dialogs.
    Place,
    /// Nothing beside the picture.
    None,
}

/// A wire that models are asked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WireName {
    /// OpenAI-compatible chat completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's generateContent.
    Gemini,
}
