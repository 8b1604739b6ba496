//! Kinds of screens that this build has not.

use super::error::ScreenError;

/// What to do about a kind that was left out of the build.
pub fn left_out(what: &str, feature: &str) -> ScreenError {
    ScreenError::Input(format!(
        "this waldo was built without {what}: cargo build --release --features {feature}"
    ))
}
