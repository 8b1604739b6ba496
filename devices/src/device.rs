//! The contract that every driver keeps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use crate::action::{Action, ActionReport};
use crate::error::{DeviceError, Result};
use crate::frames::{Filming, Frames};
use crate::hit_test::{HitTest, InputTarget};
pub use crate::observation::Glance;
use crate::observation::{Capture, Observation};
use crate::own_hands::OwnHands;
pub use crate::platform::{Capability, DeviceInfo, Platform};
use crate::policy::GuardPolicy;
use crate::secrets::Secrets;

/// The moment by which a call must have answered.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    pub fn after(after: Duration) -> Self {
        Self(Instant::now() + after)
    }

    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// The earlier of this and `after` from now.
    pub fn at_most(self, after: Duration) -> Self {
        Self(self.0.min(Instant::now() + after))
    }

    pub fn passed(self) -> bool {
        self.left().is_zero()
    }

    pub fn instant(self) -> tokio::time::Instant {
        self.0.into()
    }
}

/// A question about the device's state that a task's check may ask. Never offered to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateProbe {
    /// The value of a JavaScript expression in the top page of the tab in front.
    Js(String),
    Location,
    Text,
    /// What the console of the tab in front shows, a line for each message: level, text, and where it was written.
    Console,
    /// The last requests of all tabs, a line each: method, address, what asked for it, and the status or the error.
    Network,
    /// All that the pages sent and got in the episode, as an HTTP archive (HAR 1.2); null where it was not recorded.
    Traffic,
    Downloads,
    /// What pages keep in the browser: a storage state in Playwright's form, with all cookies of the context and the local
    /// storage of every origin that was opened and is allowed.
    Storage,
    /// Standard output of a shell command on the device, trailing line breaks cut. A command that fails
    /// is an error that holds its exit code and standard error.
    Shell(String),
    /// The content of a file; a path that is not absolute counts from the HOME folder of the episode.
    File(PathBuf),
    /// The HOME folder of the episode, on the host.
    Home,
    /// The folder on the host that holds the sockets of the virtual machine that it is.
    Machine,
    /// The windows, as a list of [`crate::WindowInfo`], topmost last.
    Windows,
    /// What programs tell assistive technology, as a list of programs: `name` and `children`. A child has
    /// `role`, `name`, `description`, `states` (a list), and where it has them `box` (left, top, width and
    /// height in physical pixels, as the program says), `text`, `value` (`value`, `min`, `max`, `step`),
    /// `actions` (`name`, `description`, `keys`), `attributes`, `image`, `selection` and `children`. Only
    /// what is drawn is listed.
    Accessible,
}

/// Whether the traffic of the pages is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Traffic {
    #[default]
    Unrecorded,
    /// Without cookies and without what logs a page in.
    Recorded,
    RecordedWithCookies,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StateValue {
    Json(serde_json::Value),
    Text(String),
    /// Files of the host with the names that pages gave them.
    Files(Vec<(String, PathBuf)>),
    /// The content of a file; `None` where there is none.
    Bytes(Option<Vec<u8>>),
}

/// A file that is laid into the HOME folder of a desktop's episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeFile {
    /// Where, counted from HOME; neither absolute nor with `..`. Folders are made.
    pub path: PathBuf,
    pub content: Vec<u8>,
    /// Its permissions, such as `0o644`.
    pub mode: u32,
}

impl HomeFile {
    /// A plain file (`0o644`).
    pub fn new(path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: content.into(), mode: 0o644 }
    }
}

/// A program that is started before the agent's first look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launch {
    /// Started, and waited for until it shows a window. Program and arguments.
    Window(Vec<String>),
    /// Started and left to itself. Program and arguments.
    Background(Vec<String>),
    /// Run to its end in HOME; a failure fails the start. Program and arguments.
    Finish(Vec<String>),
}

/// What a desktop's episode finds at its start. Other devices ignore it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesktopSetup {
    pub files: Vec<HomeFile>,
    /// Variables of the environment of every program; `{HOME}` in a value stands for the HOME folder.
    pub env: BTreeMap<String, String>,
    /// Programs, one after the other; `{HOME}` in an argument stands for the HOME folder.
    pub programs: Vec<Launch>,
    /// Chords of letters and digits, such as `ctrl+alt+t`, that the desktop itself answers, with the command
    /// line that each starts.
    pub chords: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default)]
pub struct ResetTo {
    /// The address or app to open first; on a desktop a program with its arguments.
    pub start: String,
    pub policy: GuardPolicy,
    /// Where downloads go; a folder that exists.
    pub downloads: Option<PathBuf>,
    /// Script run in every page before its own (a suite's own pages only).
    pub init_script: Option<String>,
    /// Files, environment and programs of a desktop.
    pub desktop: DesktopSetup,
    /// Physical pixels for each logical one, above 0, where the device can choose; absent, its own.
    pub scale: Option<f64>,
    /// How long a page may take to come whose server belongs to the run itself. One that is later than this, or
    /// that cannot be looked at, is then a fault of the environment, and no screen is made up for it. When absent
    /// the device keeps its own bound, and the agent sees the page that was there.
    pub answers_within: Option<Duration>,
}

/// A live screen that can be observed and acted on.
///
/// Every call carries a [`Deadline`] and answers by then, if only with [`DeviceError::Timeout`]. Only what most drivers do
/// not have has a default; what passes a device on is a [`crate::DeviceLayer`], which forwards those as well.
#[async_trait]
pub trait Device: Send {
    fn info(&self) -> DeviceInfo;

    /// Brings the device into a fresh state and opens the start. Nothing of an earlier episode is left.
    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()>;

    /// Waits until the screen is quiet, then takes picture and elements.
    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation>;

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport>;

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue>;

    /// Whether all that the device is made of is still what it was at the last start: the window manager, the
    /// buses and the X server of a desktop, the phone and its boot, the browser. What an agent failed at without
    /// them is not the agent's failure.
    ///
    /// # Errors
    /// [`DeviceError::Gone`] with the part that is gone or another; [`DeviceError::Timeout`].
    async fn health(&mut self, deadline: Deadline) -> Result<()>;

    /// The values that it types by name, for masking what is told or kept of an episode.
    fn secrets(&self) -> Secrets;

    /// What an input would reach. For gates that verify it right before the input; nothing is changed by it.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] on screens that cannot tell ([`DeviceError::cannot_aim`]).
    async fn hit_test(&mut self, _target: &InputTarget, _deadline: Deadline) -> Result<HitTest> {
        Err(DeviceError::cannot_aim(self.info().platform))
    }

    /// A cheap look at what is in front and whether it has changed since the glance before: while another screen is
    /// observed, this one is only glanced at.
    async fn glance(&mut self, deadline: Deadline) -> Result<Glance>;

    /// From now on pictures of the screen between observations go to `frames`, as long as somebody watches there; `None`
    /// ends that. Returns at once, and what is asked of the device besides is never slower for it. A device with secrets
    /// makes no frames, for nothing in them would be painted over.
    fn film(&mut self, _frames: Option<Frames>) -> Filming {
        Filming::Impossible
    }

    /// An address at which a program drives this device itself, by the device's own protocol, until the next start.
    ///
    /// # Errors
    /// [`DeviceError::Unsupported`] on devices that have none.
    async fn own_hands(&mut self) -> Result<Arc<dyn OwnHands>> {
        let platform = self.info().platform.as_str();
        Err(DeviceError::unsupported(platform, "be driven by a program's own hands: only a page can"))
    }

    /// The screen of this name, of a device that is several; for tasks, which set up and judge each of them.
    fn screen(&mut self, _name: &str) -> Option<&mut dyn Device> {
        None
    }

    /// All of them by name, to be worked on at the same time; none of a device that is one screen.
    fn screens(&mut self) -> Vec<(&str, &mut dyn Device)> {
        Vec::new()
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()>;
}
