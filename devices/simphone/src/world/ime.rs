//! Input methods: the phone's own keyboard, and one that takes text by broadcast.

use serde::{Deserialize, Serialize};

pub(crate) const LATIN_IME: &str = "com.android.inputmethod.latin/.LatinIME";
/// The input method that takes text by broadcast, while it is the current one.
pub(crate) const ADB_IME: &str = "com.android.adbkeyboard/.AdbIME";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImeState {
    pub current: String,
    pub enabled: Vec<String>,
    pub installed: Vec<String>,
    pub shown: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ImeError {
    #[error("unknown input method {0}")]
    Unknown(String),
    /// `Unknown input method X cannot be selected for user #0`: it is not enabled.
    #[error("input method {0} is not enabled; enable it first")]
    NotEnabled(String),
}
