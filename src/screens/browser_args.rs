//! Flags that say which browser and what screen.

use std::path::PathBuf;
#[cfg(feature = "web")]
use std::sync::Arc;
#[cfg(feature = "web")]
use std::time::Duration;

#[cfg(feature = "web")]
use waldo_devices::Traffic;
use waldo_web::{
    BrowserOptions, LoginOptions, SecretListener, Show, StateFileError, StorageState, Unproxied, Viewport,
    WebOptions,
};

use super::error::ScreenError;
use crate::numbers::whole;

#[cfg(feature = "web")]
#[derive(Clone, Debug)]
pub enum Origin {
    Launch(Box<BrowserOptions>),
    /// A running one, by its DevTools address.
    Remote(String),
}

/// Which browser and what screen.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// Attach to a running browser by its DevTools address instead of starting one.
    #[arg(long, value_name = "ws://...", value_hint = clap::ValueHint::Url)]
    pub cdp: Option<String>,
    /// Use the browser at --cdp although its UDP and name look-ups bypass the guard.
    #[arg(long, requires = "cdp")]
    pub allow_unproxied: bool,
    /// The browser's program; looked for in the usual places when absent.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Show the browser's windows.
    #[arg(long)]
    pub headed: bool,
    /// The visible page in CSS pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = viewport)]
    pub viewport: (u32, u32),
    /// Physical pixels per CSS pixel.
    #[arg(long, value_name = "RATIO", default_value_t = 1.0, value_parser = ratio)]
    pub scale: f64,
    /// Milliseconds to wait at most for a quiet screen before an observation.
    #[arg(long, value_name = "MS", default_value_t = 2000, value_parser = whole::<u64>(0..))]
    pub settle: u64,
    /// Start logged in, with the cookies and local storage of this file (of waldo login, or Playwright's storageState):
    /// the state of allowed origins is given to the pages, and masked.
    #[arg(long, value_name = "FILE")]
    pub storage_state: Option<PathBuf>,
    /// At the end write the login state of the pages to this file, which only you can read.
    #[arg(long, value_name = "FILE")]
    pub save_storage_state: Option<PathBuf>,
    /// Start logged in as in your own browser: the folder of its profile, whose cookies and local storage are copied;
    /// the profile is not changed.
    #[arg(long, value_name = "DIR", conflicts_with = "cdp")]
    pub browser_profile: Option<PathBuf>,
    /// Set by commands that record episodes.
    #[arg(skip)]
    pub har: Traffic,
}

/// What an archive of the network traffic holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum HarContent {
    /// Everything but cookies.
    Plain,
    /// Cookies, too.
    Cookies,
}

/// For commands that record episodes.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Recording")]
pub struct HarArgs {
    /// Keep the network traffic of pages beside each episode's record, as network.har (HTTP archive 1.2): secrets are
    /// masked, cookies are left out unless --har=cookies asks for them, and text bodies are kept up to 1 MiB.
    #[arg(long, value_name = "CONTENT", num_args = 0..=1, require_equals = true, default_missing_value = "plain")]
    pub har: Option<HarContent>,
}

impl HarArgs {
    pub fn traffic(self) -> Traffic {
        match self.har {
            None => Traffic::Unrecorded,
            Some(HarContent::Plain) => Traffic::Recorded,
            Some(HarContent::Cookies) => Traffic::RecordedWithCookies,
        }
    }
}

fn viewport(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("'{text}' is not a size: write it like 1280x800, each side from 100 to 8000");
    let (w, h) = text.split_once('x').ok_or_else(wrong)?;
    let side = |s: &str| s.parse::<u32>().ok().filter(|n| (100..=8000).contains(n)).ok_or_else(wrong);
    Ok((side(w)?, side(h)?))
}

fn ratio(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|r| (0.5..=4.0).contains(r))
        .ok_or_else(|| format!("'{text}' is not a ratio from 0.5 to 4"))
}

impl BrowserArgs {
    /// The first flag that says what pages are logged in by.
    pub fn logs_in(&self) -> Option<&'static str> {
        [
            ("--storage-state", self.storage_state.is_some()),
            ("--save-storage-state", self.save_storage_state.is_some()),
            ("--browser-profile", self.browser_profile.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, given)| given.then_some(flag))
    }

    /// Refuses to keep the state of many episodes in one file.
    pub fn keeps_no_state(&self, command: &str) -> Result<(), ScreenError> {
        match self.save_storage_state {
            None => Ok(()),
            Some(_) => Err(ScreenError::Input(format!(
                "--save-storage-state keeps the state of one browser, and {command} plays many episodes: make it with \
                 waldo login, and give it with --storage-state"
            ))),
        }
    }
}

#[cfg(feature = "web")]
impl BrowserArgs {
    pub fn viewport(&self) -> Viewport {
        Viewport { width: self.viewport.0, height: self.viewport.1, scale: self.scale }
    }

    pub fn origin(&self) -> Origin {
        if let Some(address) = &self.cdp {
            return Origin::Remote(address.clone());
        }
        Origin::Launch(Box::new(BrowserOptions {
            executable: self.browser.clone(),
            show: if self.headed { Show::Windows } else { Show::Headless },
            window: self.viewport(),
            profile: self.browser_profile.clone(),
            ..BrowserOptions::default()
        }))
    }

    pub fn options(&self) -> WebOptions {
        WebOptions {
            viewport: self.viewport(),
            settle: Duration::from_millis(self.settle),
            traffic: self.har,
            unproxied: if self.allow_unproxied { Unproxied::Accepted } else { Unproxied::Refused },
            ..WebOptions::default()
        }
    }

    pub fn logged_in(&self) -> Result<LoginOptions, ScreenError> {
        let refused = |error: StateFileError| ScreenError::Input(format!("--storage-state: {error}"));
        let state = self.storage_state.as_deref().map(StorageState::read).transpose().map_err(refused)?;
        Ok(LoginOptions {
            state: state.map(Arc::new),
            save: self.save_storage_state.clone(),
            // What is printed and logged is masked by this process itself.
            learn: Some(SecretListener(Arc::new(crate::masking::know_also))),
        })
    }
}
