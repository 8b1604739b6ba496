//! What actions are made of, and which rules refuse them.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clicks {
    #[default]
    Single,
    Double,
    Triple,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The main button, or a finger.
    #[default]
    Left,
    Right,
    Middle,
    /// The fourth, which browsers and file managers take for going back.
    Back,
    Forward,
}

impl Button {
    pub fn is_main(&self) -> bool {
        *self == Self::Left
    }
}

/// Keys that are held while a button is pressed or the wheel turns: written `ctrl+shift`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Modifiers {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
    /// The Windows, Command or Super key.
    pub meta: bool,
}

impl Modifiers {
    /// Their names, in the order in which they are pressed.
    pub const NAMES: [&'static str; 4] = ["ctrl", "alt", "shift", "meta"];

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads `ctrl`, `Ctrl+Shift`, `cmd alt`; `None` where a word is not a modifier.
    pub fn parse(text: &str) -> Option<Self> {
        let mut held = Self::default();
        for word in text.split(['+', ',', ' ', '-', '_']).filter(|word| !word.is_empty()) {
            let held = match word.to_ascii_lowercase().as_str() {
                "ctrl" | "control" | "ctl" => &mut held.ctrl,
                "alt" | "option" | "opt" => &mut held.alt,
                "shift" => &mut held.shift,
                "meta" | "cmd" | "command" | "super" | "win" | "windows" => &mut held.meta,
                "none" => continue,
                _ => return None,
            };
            *held = true;
        }
        Some(held)
    }
}

impl std::fmt::Display for Modifiers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let held = [self.ctrl, self.alt, self.shift, self.meta];
        let names = Self::NAMES.into_iter().zip(held).filter(|(_, held)| *held).map(|(name, _)| name);
        f.write_str(&names.collect::<Vec<_>>().join("+"))
    }
}

impl From<Modifiers> for String {
    fn from(held: Modifiers) -> Self {
        held.to_string()
    }
}

impl TryFrom<String> for Modifiers {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("'{text}' holds a word that is not a modifier"))
    }
}

/// Wheel notches; positive moves the view right and down. A notch is about 120 logical pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScrollNotches {
    #[serde(default)]
    pub right: i32,
    #[serde(default)]
    pub down: i32,
}

/// The place of a tab in the order that the observation lists them, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TabIndex(pub usize);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum DialogReply {
    /// Press its OK; `text` fills a prompt.
    Accept {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    Dismiss,
}

/// Which way a screen is up, as a quarter turn from the device's natural orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// The natural one; upright for a phone.
    #[default]
    Natural,
    /// Turned left by 90 degrees.
    Left,
    Inverted,
    /// Turned right by 90 degrees.
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// An origin, app or window outside the allowed ones.
    Origin,
    Denied,
    NotApproved,
    Budget,
}
