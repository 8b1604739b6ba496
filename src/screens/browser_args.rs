//! Flags that say which browser and what screen.

use std::path::PathBuf;
#[cfg(feature = "web")]
use std::time::Duration;

#[cfg(feature = "web")]
use waldo_web::{BrowserOptions, Show, Unproxied, Viewport, WebOptions};

#[cfg(feature = "web")]
/// Where the browser comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// Started by waldo.
    Launch(Box<BrowserOptions>),
    /// A running one, by its DevTools address.
    Remote(String),
}

/// Which browser and what screen.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// Attach to a running browser by its DevTools address instead of starting one.
    #[arg(long, value_name = "ws://...")]
    pub cdp: Option<String>,
    /// Use the browser at --cdp although its UDP and look-ups pass the guard by.
    #[arg(long, requires = "cdp")]
    pub allow_unproxied: bool,
    /// The browser's program; looked for in the usual places when absent.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Show the browser's windows.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        default_value_t = false, action = clap::ArgAction::Set)]
    pub headed: bool,
    /// The visible page in CSS pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = viewport)]
    pub viewport: (u32, u32),
    /// Physical pixels per CSS pixel.
    #[arg(long, value_name = "RATIO", default_value_t = 1.0, value_parser = ratio)]
    pub scale: f64,
    /// Milliseconds to wait at the most for a quiet screen before an observation.
    #[arg(long, value_name = "MS", default_value_t = 2000)]
    pub settle: u64,
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

#[cfg(feature = "web")]
impl BrowserArgs {
    /// The visible page.
    pub fn viewport(&self) -> Viewport {
        Viewport { width: self.viewport.0, height: self.viewport.1, scale: self.scale }
    }

    /// Where the browser comes from.
    pub fn origin(&self) -> Origin {
        if let Some(address) = &self.cdp {
            return Origin::Remote(address.clone());
        }
        Origin::Launch(Box::new(BrowserOptions {
            executable: self.browser.clone(),
            show: if self.headed { Show::Windows } else { Show::Headless },
            window: self.viewport(),
            ..BrowserOptions::default()
        }))
    }

    /// How its devices behave.
    pub fn options(&self) -> WebOptions {
        WebOptions {
            viewport: self.viewport(),
            settle: Duration::from_millis(self.settle),
            unproxied: if self.allow_unproxied { Unproxied::Accepted } else { Unproxied::Refused },
            ..WebOptions::default()
        }
    }
}
