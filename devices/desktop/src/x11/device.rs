use std::path::{Path, PathBuf};
use std::time::Instant;

use async_trait::async_trait;

use super::live::DisplaySession;
use super::options::{DesktopOptions, DisplayChoice};
use super::reaction::Reactions;
use super::sandboxing::Sandboxing;
use super::windows::stack;
use crate::effect::report;
use crate::files::{downloads, read};
use crate::glance::DisplayGlance;
use crate::window::{listed, told};
use waldo_devices::{
    Action, ActionReport, Capability, Capture, Deadline, Device, DeviceError, DeviceInfo, Element, Filming,
    Frames, Geometry, Glance, Observation, Platform, ResetTo, Result, Secrets, StateProbe, StateValue,
};

/// A desktop as a device. Dropping it ends what it started.
pub struct DesktopDevice {
    pub(crate) options: DesktopOptions,
    live: Option<DisplaySession>,
    pub(crate) elements: Vec<Element>,
    /// Windows of which their program said nothing at the last look, though it speaks of others.
    pub(crate) unsaid: Vec<u32>,
    /// Whether the screen moved by itself when it was last looked at.
    pub(crate) moving: bool,
    pub(crate) reactions: Reactions,
    glanced: Option<DisplayGlance>,
    frames: Option<Frames>,
}

impl DesktopDevice {
    /// A desktop that is not there yet: [`Device::reset`] starts or takes it.
    pub fn new(options: DesktopOptions) -> Self {
        Self {
            options,
            live: None,
            elements: Vec::new(),
            unsaid: Vec::new(),
            moving: false,
            reactions: Reactions::default(),
            glanced: None,
            frames: None,
        }
    }

    /// The display's name, such as `:1`; `None` before the first reset.
    pub fn display(&self) -> Option<String> {
        self.live.as_ref().map(DisplaySession::display)
    }

    /// The X server's process, where it is a private one.
    pub fn server_pid(&self) -> Option<u32> {
        self.live.as_ref().and_then(DisplaySession::server_pid)
    }

    /// The folder of a private display: HOME, logs, runtime files.
    pub fn folder(&self) -> Option<PathBuf> {
        self.live.as_ref().and_then(DisplaySession::folder)
    }

    /// Where frames go; nowhere where a secret could be seen on them.
    fn wanted_frames(&self) -> Option<Frames> {
        self.frames.clone().filter(|_| self.options.secrets.is_empty())
    }

    pub(crate) fn live(&self) -> Result<&DisplaySession> {
        self.live.as_ref().ok_or_else(not_reset)
    }

    pub(crate) fn live_mut(&mut self) -> Result<&mut DisplaySession> {
        self.live.as_mut().ok_or_else(not_reset)
    }
}

fn not_reset() -> DeviceError {
    DeviceError::call("desktop device", "no display was started: reset it first")
}

#[async_trait]
impl Device for DesktopDevice {
    fn info(&self) -> DeviceInfo {
        let geometry = match (&self.live, &self.options.screen) {
            (Some(live), _) => live.geometry,
            (None, DisplayChoice::Own { width, height }) => {
                Geometry::new(f64::from(*width), f64::from(*height), 1.0)
            }
            (None, DisplayChoice::Take { .. }) => Geometry::new(0.0, 0.0, 1.0),
        };
        // An agent is told of the shell only where the episode allows it.
        let shell = self.live.as_ref().is_some_and(|live| live.window_guard.shell().is_ok());
        let missing: &[Capability] = if shell { &[] } else { &[Capability::Shell] };
        let capabilities = Platform::Desktop.capabilities_but(missing);
        DeviceInfo {
            platform: Platform::Desktop,
            product: match &self.options.screen {
                DisplayChoice::Own { .. } => match self.options.sandbox.decide() {
                    Ok(Sandboxing::On) => "X11 desktop, private, in a sandbox".to_owned(),
                    Ok(Sandboxing::Off { .. }) | Err(_) => {
                        "X11 desktop, private, without a sandbox".to_owned()
                    }
                },
                DisplayChoice::Take { display } => format!("X11 desktop {display}"),
            },
            geometry,
            capabilities,
        }
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        if let Some(old) = self.live.take() {
            old.end(deadline).await;
        }
        self.elements.clear();
        self.unsaid.clear();
        self.moving = false;
        self.reactions = Reactions::default();
        self.glanced = None;
        let live = DisplaySession::start(&self.options, to, deadline).await?;
        let patience = self.options.launch;
        let frames = self.wanted_frames();
        let live = self.live.insert(live);
        live.film(frames);
        live.prepare(to, patience, deadline).await
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        self.look(want, deadline).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let began = Instant::now();
        report(began, self.effect_of(action, deadline).await)
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        self.live_mut()?.health(deadline).await
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        let live = self.live()?;
        match probe {
            StateProbe::Shell(command) => {
                let mut line = live.command(Path::new("sh"));
                line.args(["-c", command]).current_dir(live.home());
                let out = super::shell::run(line, command, deadline).await?.ok(command)?;
                Ok(StateValue::Text(out.trim_end_matches(['\n', '\r']).to_owned()))
            }
            StateProbe::File(path) => {
                let path = live.home().join(path);
                // A link of a program's making leads nowhere that the program could not go.
                let content = if live.shows(&path) { read(&path).await? } else { None };
                Ok(StateValue::Bytes(content))
            }
            StateProbe::Home => Ok(StateValue::Text(live.home().display().to_string())),
            StateProbe::Windows | StateProbe::Location => Ok(told(probe, &live.windows(deadline).await?)),
            StateProbe::Accessible => {
                let access = live.access.as_ref().ok_or_else(|| DeviceError::Unsupported {
                    platform: "desktop",
                    action: "read the accessibility tree of a display without an accessibility bus"
                        .to_owned(),
                })?;
                access.export(deadline).await.map(StateValue::Json)
            }
            StateProbe::Text => self.text(deadline).await.map(StateValue::Text),
            StateProbe::Downloads => {
                let shown = live.shows(&live.home().join("Downloads"));
                Ok(StateValue::Files(if shown { downloads(&live.home()) } else { Vec::new() }))
            }
            StateProbe::Js(_)
            | StateProbe::Storage
            | StateProbe::Console
            | StateProbe::Network
            | StateProbe::Machine
            | StateProbe::Traffic => {
                Err(DeviceError::Unsupported { platform: "desktop", action: "evaluate a script".to_owned() })
            }
        }
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        let look = |s: &mut super::display_state::DisplayState| Ok((stack(&s.x)?, s.camera.take(&s.x)?));
        let (windows, frame) = self.live()?.thread.ask("a glance", deadline, look).await?;
        Ok(DisplayGlance { windows, frame }.after(&mut self.glanced))
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        self.frames = frames;
        let frames = self.wanted_frames();
        let filming = if frames.is_some() { Filming::Possible } else { Filming::Impossible };
        if let Some(live) = &mut self.live {
            live.film(frames);
        }
        filming
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        if let Some(live) = self.live.take() {
            live.end(deadline).await;
        }
        Ok(())
    }
}

impl DesktopDevice {
    /// Titles of windows, and names and values of the elements that can be seen.
    async fn text(&self, deadline: Deadline) -> Result<String> {
        let live = self.live()?;
        let windows = live.windows(deadline).await?;
        let mut lines: Vec<String> = listed(&windows, |title| title).into_iter().map(|w| w.title).collect();
        if let Some(access) = &live.access {
            let screen = live.geometry.screen();
            let reading = access.read(&windows, screen, self.options.element_cap, deadline).await?;
            for element in reading.elements {
                lines.push(element.name);
                lines.extend(element.value);
            }
        }
        lines.retain(|line| !line.is_empty());
        Ok(self.options.secrets.mask(lines.join("\n")))
    }
}
