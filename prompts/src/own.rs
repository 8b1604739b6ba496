//! Templates that stand in no list: those of a model's profile.

use serde::Serialize;

use crate::error::PromptError;
use crate::store::filled;

/// Fills in one template. Lines and blanks stay as the template has them, for a model may have been trained on them;
/// only blanks at either end go.
pub fn fill(name: &str, source: &str, context: &impl Serialize) -> Result<String, PromptError> {
    filled(name, source, context).map(|text| text.trim().to_owned())
}
