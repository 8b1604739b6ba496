//! The portable desktop in a process of its own: its libraries know only the display of their environment.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waldo_devices::desktop::DesktopDevice;
use waldo_devices::desktop::portable::{PortableDevice, PortableOptions, monitors};
use waldo_devices::{
    Action, ActionReport, Context, Deadline, Device, Element, Geometry, GuardPolicy, ResetTo, Want,
};

use crate::support::{environment, soon};

/// What the driver is told to do.
#[derive(Serialize, Deserialize)]
pub enum Ask {
    Reset { policy: GuardPolicy, start: String, monitor: Option<String> },
    Look { picture: PathBuf, within: Duration },
    Act { action: Action },
    Monitors,
    Close,
}

/// What it saw.
#[derive(Debug, Serialize, Deserialize)]
pub struct Saw {
    pub elements: Vec<Element>,
    pub context: Context,
    pub geometry: Geometry,
}

/// An error as it is told.
#[derive(Debug, Serialize, Deserialize)]
pub struct Failed {
    pub told: String,
    pub class: String,
}

type Answer = Result<serde_json::Value, Failed>;

/// Does as it is told, line by line.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by the tests of the portable desktop"]
async fn driver() {
    let mut device = PortableDevice::new(PortableOptions::default());
    for line in std::io::stdin().lines() {
        let answer = match serde_json::from_str(&line.unwrap()).unwrap() {
            Ask::Reset { policy, start, monitor } => {
                device = PortableDevice::new(PortableOptions { monitor, ..PortableOptions::default() });
                let to = ResetTo { policy, start, ..ResetTo::default() };
                device.reset(&to, soon()).await.map(|()| serde_json::Value::Null)
            }
            Ask::Look { picture, within } => {
                device.observe(Want::All, Deadline::after(within)).await.map(|seen| {
                    seen.picture.pixels().save(picture).unwrap();
                    let saw = Saw { elements: seen.elements, context: seen.context, geometry: seen.geometry };
                    serde_json::json!(saw)
                })
            }
            Ask::Act { action } => {
                device.perform(&action, soon()).await.map(|report| serde_json::json!(report))
            }
            Ask::Monitors => monitors(soon()).await.map(|names| serde_json::json!(names)),
            Ask::Close => device.close(soon()).await.map(|()| serde_json::Value::Null),
        };
        let answer: Answer = answer.map_err(|error| {
            let class = format!("{:?}", error.class());
            Failed { told: error.to_string(), class }
        });
        println!("\n@{}", serde_json::to_string(&answer).unwrap());
    }
}

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

    /// One that has taken nothing yet.
    pub fn bare(device: &DesktopDevice) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "portable_driver::driver", "--ignored", "--nocapture"]);
        command.env_clear().envs(environment(device));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, to, from: BufReader::new(from).lines(), folder: tempfile::tempdir().unwrap() }
    }

    pub fn ask(&mut self, ask: &Ask) -> Answer {
        writeln!(self.to, "{}", serde_json::to_string(ask).unwrap()).unwrap();
        let answer = self.from.find_map(|line| line.unwrap().strip_prefix('@').map(str::to_owned));
        serde_json::from_str(&answer.unwrap()).unwrap()
    }

    pub fn reset(&mut self, policy: GuardPolicy, start: &str, monitor: Option<&str>) -> Result<(), Failed> {
        let monitor = monitor.map(str::to_owned);
        self.ask(&Ask::Reset { policy, start: start.to_owned(), monitor }).map(drop)
    }

    /// A look, and its picture.
    pub fn look(&mut self) -> (Saw, image::RgbImage) {
        let picture = self.folder.path().join("seen.png");
        let saw = self.ask(&Ask::Look { picture: picture.clone(), within: Duration::from_secs(60) }).unwrap();
        (serde_json::from_value(saw).unwrap(), image::open(picture).unwrap().into_rgb8())
    }

    /// A look that has to end within this time.
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
