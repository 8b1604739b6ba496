//! What a browser and a device are started with.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::storage_state::StorageState;
use waldo_devices::Traffic;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    pub width: u32,
    pub height: u32,
    /// Physical pixels per CSS pixel; above 0.
    pub scale: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { width: 1280, height: 800, scale: 1.0 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// No windows: no display is needed.
    #[default]
    Headless,
    Windows,
}

#[derive(Clone, Debug, Default)]
pub struct BrowserOptions {
    /// The program; looked for in the usual places when `None`.
    pub executable: Option<PathBuf>,
    pub show: Show,
    /// Size of its windows; a device may have another viewport.
    pub window: Viewport,
    pub args: Vec<String>,
    /// Somebody's own profile, or the folder of several, of which a copy tells who is logged in where.
    pub profile: Option<PathBuf>,
}

pub use waldo_devices::secrets::Secrets;

/// How much the pages of one context may store on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DownloadLimits {
    pub files: usize,
    /// Bytes of all files together.
    pub bytes: u64,
}

impl Default for DownloadLimits {
    fn default() -> Self {
        Self { files: 20, bytes: 100_000_000 }
    }
}

/// What is done with a browser that sends some of what its pages send past the guard's proxy: one that somebody
/// else started, without the switches that keep it from that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unproxied {
    /// It gets no page, unless every origin is allowed.
    #[default]
    Refused,
    Accepted,
}

/// Told of values that are secret from then on: what an episode's pages are logged in by.
#[derive(Clone)]
pub struct SecretListener(pub Arc<dyn Fn(&Secrets) + Send + Sync>);

impl fmt::Debug for SecretListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretListener")
    }
}

#[derive(Clone, Debug, Default)]
pub struct LoginOptions {
    /// Cookies and local storage that every episode starts with, as far as its origins are allowed.
    pub state: Option<Arc<StorageState>>,
    pub save: Option<PathBuf>,
    pub learn: Option<SecretListener>,
}

/// When the browser context of the next episode is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contexts {
    #[default]
    OnDemand,
    /// While this one's page is looked at or acted on: one for all devices of the browser.
    Ahead,
}

#[derive(Clone, Debug)]
pub struct WebOptions {
    pub viewport: Viewport,
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for a page to load. A page that has not come by then is stopped; one that is
    /// there and goes on loading is used as it is.
    pub load: Duration,
    /// The most elements of one observation; the rest is counted in `Context::truncated`.
    pub element_cap: usize,
    pub downloads: DownloadLimits,
    pub secrets: Secrets,
    /// Whether a browser is used that sends some of what its pages send past the guard's proxy.
    pub unproxied: Unproxied,
    pub logged_in: LoginOptions,
    pub contexts: Contexts,
    pub traffic: Traffic,
}

impl Default for WebOptions {
    fn default() -> Self {
        Self {
            viewport: Viewport::default(),
            settle: Duration::from_secs(2),
            load: Duration::from_secs(10),
            element_cap: 1_500,
            downloads: DownloadLimits::default(),
            secrets: Secrets::default(),
            unproxied: Unproxied::default(),
            logged_in: LoginOptions::default(),
            contexts: Contexts::default(),
            traffic: Traffic::default(),
        }
    }
}
