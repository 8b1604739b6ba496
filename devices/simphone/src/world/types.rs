//! The small types of the world's interface.

use super::intent::Intent;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    #[error("could not get idle state")]
    NotIdle,
    #[error("null root node returned by UiTestAutomationBridge")]
    NullRoot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no key makes {0:?}; use an input method that takes text")]
pub(crate) struct NoKey(pub char);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowInfo {
    /// `StatusBar`, `com.a/com.a.Main`, `InputMethod`…
    pub title: String,
    pub package: String,
    /// Left, top, right, bottom in pixels of the present rotation.
    pub frame: [i32; 4],
    pub focused: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageInfo {
    pub package: String,
    pub label: String,
    /// Whether a launcher shows it.
    pub launched: bool,
    /// `-s` as against `-3`.
    pub system: bool,
    pub uid: u32,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Notification {
    pub id: u64,
    pub package: String,
    pub title: String,
    pub text: String,
    /// Wall clock, seconds since 1970.
    pub when: i64,
    pub intent: Option<Intent>,
    /// Whether it cannot be swiped away.
    pub ongoing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shade {
    Open,
    Closed,
}
