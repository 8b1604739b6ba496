use std::sync::Arc;

use waldo_devices::{DeviceInfo, Platform};

use super::docs::Library;
use crate::agent::TagScheme;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All that waldo adds, and every reply that can be understood.
    #[default]
    Tolerant,
    /// The parts of AppAgent's prompt alone, and its reading of a reply with all its defects.
    Compat,
}

impl Mode {
    /// By whose rules a device's screens are numbered: AppAgent knows phones only.
    pub fn numbering(self, device: &DeviceInfo) -> TagScheme {
        match (self, device.platform) {
            (Self::Compat, Platform::Android) => TagScheme::AppAgent,
            _ => TagScheme::Waldo,
        }
    }
}

#[derive(Clone, Debug)]
pub struct AppAgentOptions {
    pub mode: Mode,
    pub docs: Arc<Library>,
    pub max_tokens: u32,
    /// Names of secrets that the device can type; their values are the device's alone.
    pub secrets: Vec<String>,
    /// Whether a prompt holds the summary that the reply before it gave. Without it nothing is carried from turn to turn.
    pub summary: bool,
}

impl Default for AppAgentOptions {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            docs: Arc::default(),
            max_tokens: 1024,
            secrets: Vec::new(),
            summary: true,
        }
    }
}
