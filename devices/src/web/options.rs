//! What a browser and a device are started with.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Size of the visible page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Physical pixels per CSS pixel; above 0.
    pub scale: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { width: 1280, height: 800, scale: 1.0 }
    }
}

/// Whether the browser shows its windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// No windows: no display is needed.
    #[default]
    Headless,
    /// Windows on the display.
    Windows,
}

/// How a browser is started.
#[derive(Clone, Debug, Default)]
pub struct BrowserOptions {
    /// The program; looked for in the usual places when `None`.
    pub executable: Option<PathBuf>,
    /// Whether it shows its windows.
    pub show: Show,
    /// Size of its windows; a device may have another viewport.
    pub window: Viewport,
    /// Further command line switches.
    pub args: Vec<String>,
}

/// Values that an agent types by name; never shown, not even by `Debug`.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// From pairs of name and value.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(pairs.into_iter().collect())
    }

    /// The value of `name`.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// `text` with every value of four characters or more replaced by bullets.
    pub(crate) fn mask(&self, text: String) -> String {
        let mut text = text;
        for value in self.0.values().filter(|value| value.chars().count() >= 4) {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), "••••");
            }
        }
        text
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// How a device behaves.
#[derive(Clone, Debug)]
pub struct WebOptions {
    /// Size of the visible page.
    pub viewport: Viewport,
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for a page to load.
    pub load: Duration,
    /// The most elements of one observation; the rest is counted in `Context::truncated`.
    pub element_cap: usize,
    /// Values that can be typed by name.
    pub secrets: Secrets,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            viewport: Viewport::default(),
            settle: Duration::from_secs(2),
            load: Duration::from_secs(10),
            element_cap: 1_500,
            secrets: Secrets::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_and_never_printed() {
        let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
        assert_eq!(secrets.mask("my hunter22!".to_owned()), "my ••••!");
        assert!(!format!("{secrets:?}").contains("hunter22"));
    }
}
