use std::path::PathBuf;
use std::time::Duration;

use waldo_devices::secrets::Secrets;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisplayChoice {
    /// A private one, made anew for every episode, of this size in pixels.
    Own { width: u32, height: u32 },
    /// One that is there already, such as `:0`: someone's. Nothing on it is ended but what was started by
    /// the device.
    Take { display: String },
}

impl Default for DisplayChoice {
    fn default() -> Self {
        Self::Own { width: 1280, height: 800 }
    }
}

/// Whether programs of private displays run in a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxChoice {
    /// Where the system allows it.
    #[default]
    Auto,
    /// Always: no display starts without one.
    Required,
    /// Never: they see the files and processes of the user that runs waldo.
    Off,
}

#[derive(Clone, Debug)]
pub struct DesktopOptions {
    pub screen: DisplayChoice,
    pub sandbox: SandboxChoice,
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for a program to show a window.
    pub launch: Duration,
    /// The longest that collecting the elements may take.
    pub tree: Duration,
    /// The most elements of one observation; the rest is counted in `Context::truncated`.
    pub element_cap: usize,
    pub secrets: Secrets,
    /// A video file to write of every episode (`episode.mp4`, then `episode-2.mp4`, ...); needs ffmpeg.
    pub record: Option<PathBuf>,
}

impl Default for DesktopOptions {
    fn default() -> Self {
        Self {
            screen: DisplayChoice::default(),
            sandbox: SandboxChoice::default(),
            settle: Duration::from_secs(2),
            launch: Duration::from_secs(20),
            tree: Duration::from_secs(3),
            element_cap: 1_500,
            secrets: Secrets::default(),
            record: None,
        }
    }
}
