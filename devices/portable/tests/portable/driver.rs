//! The portable desktop in a process of its own: its libraries know only the display of their environment.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use waldo_desktop::DesktopDevice;
use waldo_devices::{Action, ActionReport, GuardPolicy};

pub use crate::protocol::{Answer, Ask, Failed, Saw};
use crate::support::environment;

pub const CHILD: &str = env!("CARGO_BIN_EXE_waldo-portable-child");

/// The other end. The process ends with it.
pub struct Portable {
    child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
    folder: tempfile::TempDir,
}

impl Portable {
    /// A driver on the display of `device`, which is somebody's to it, with what lies there already.
    pub fn on(device: &DesktopDevice, policy: GuardPolicy) -> Self {
        let mut portable = Self::bare(device);
        portable.reset(policy, "", None).unwrap();
        portable
    }

    pub fn bare(device: &DesktopDevice) -> Self {
        Self::driven_by("portable", device)
    }

    pub fn driven_by(driver: &str, device: &DesktopDevice) -> Self {
        let mut command = Command::new(CHILD);
        command.args(["driver", driver]).env_clear().envs(environment(device));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, to, from: BufReader::new(from).lines(), folder: tempfile::tempdir().unwrap() }
    }

    pub fn ask(&mut self, ask: &Ask) -> Answer {
        writeln!(self.to, "{}", serde_json::to_string(ask).unwrap()).unwrap();
        serde_json::from_str(&self.from.next().unwrap().unwrap()).unwrap()
    }

    pub fn reset(&mut self, policy: GuardPolicy, start: &str, monitor: Option<&str>) -> Result<(), Failed> {
        let monitor = monitor.map(str::to_owned);
        self.ask(&Ask::Reset { policy, start: start.to_owned(), monitor }).map(drop)
    }

    pub fn look(&mut self) -> (Saw, image::RgbImage) {
        let picture = self.folder.path().join("seen.png");
        let saw = self.ask(&Ask::Look { picture: picture.clone(), within: Duration::from_secs(60) }).unwrap();
        (serde_json::from_value(saw).unwrap(), image::open(picture).unwrap().into_rgb8())
    }

    pub fn look_within(&mut self, within: Duration) -> Answer {
        let picture = self.folder.path().join("late.png");
        self.ask(&Ask::Look { picture, within })
    }

    pub fn try_act(&mut self, action: Action) -> Result<ActionReport, Failed> {
        self.ask(&Ask::Act { action }).map(|report| serde_json::from_value(report).unwrap())
    }

    pub fn act(&mut self, action: Action) -> ActionReport {
        self.try_act(action).unwrap()
    }

    pub fn press(&mut self, chord: &str) -> ActionReport {
        self.act(Action::Key { chord: chord.to_owned() })
    }

    pub fn type_text(&mut self, text: &str) -> ActionReport {
        self.act(Action::Type { text: text.to_owned() })
    }
}

impl Drop for Portable {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
