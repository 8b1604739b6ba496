//! The device: a screen elsewhere behind the contract.

use std::path::Path;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use image::RgbImage;

use super::elements;
use super::options::RemoteOptions;
use super::server::OsServer;
use super::tree::{self, AccessibilityTree};
use waldo_desktop::change::change;
use waldo_desktop::effect::report;
use waldo_desktop::glance::DisplayGlance;
use waldo_desktop::guard::{Owner, WindowGuard};
use waldo_desktop::launch::words;
use waldo_desktop::settle::settle;
use waldo_desktop::window::{Window, context, told};
use waldo_devices::{
    Action, ActionReport, Capability, Capture, Deadline, Device, DeviceError, DeviceInfo, Element, Geometry,
    Glance, Launch, Observation, Platform, Rect, ResetTo, Result, Secrets, Settled, StateProbe, StateValue,
    Timings, child,
};
use waldo_http::OperatingSystem;

/// What refusals call this device.
pub(crate) const NAME: &str = "the desktop elsewhere";
/// The pause between two looks at a machine that starts.
const LOOKS: Duration = Duration::from_millis(500);
/// The names that Python has on the machines.
pub(crate) const PYTHONS: [&str; 2] = ["python", "python3"];

pub struct RemoteDevice {
    server: OsServer,
    options: RemoteOptions,
    live: Option<RemoteSession>,
    pub(crate) elements: Vec<Element>,
    pub(crate) windows: Vec<Window>,
    /// Whether the screen moved by itself when it was last looked at.
    pub(crate) moving: bool,
    glanced: Option<DisplayGlance>,
    /// Which of [`PYTHONS`] there is.
    python: Option<&'static str>,
}

pub(crate) struct RemoteSession {
    pub(crate) system: OperatingSystem,
    pub(crate) geometry: Geometry,
    pub(crate) guard: WindowGuard,
}

fn cannot(action: &str) -> DeviceError {
    DeviceError::unsupported(NAME, action)
}

impl RemoteDevice {
    /// A screen that was not taken yet: [`Device::reset`] does.
    pub fn new(server: OsServer, options: RemoteOptions) -> Self {
        Self {
            server,
            options,
            live: None,
            elements: Vec::new(),
            windows: Vec::new(),
            moving: false,
            glanced: None,
            python: None,
        }
    }

    pub(crate) fn server(&self) -> &OsServer {
        &self.server
    }

    pub(crate) fn secrets_of(&self) -> &Secrets {
        &self.options.secrets
    }

    pub(crate) fn live(&self) -> Result<&RemoteSession> {
        self.live.as_ref().ok_or_else(|| DeviceError::call(NAME, "no screen was taken: reset it first"))
    }

    pub(crate) async fn frame(&self, deadline: Deadline) -> Result<RgbImage> {
        self.server.screenshot(deadline).await
    }

    pub(crate) async fn python(&mut self, program: &str, deadline: Deadline) -> Result<()> {
        let names = self.python.map_or_else(|| PYTHONS.to_vec(), |known| vec![known]);
        let mut missing = None;
        for name in names {
            match self.server.run(&[name, "-c", program], deadline).await {
                Ok(done) if done.returncode == 0 => {
                    self.python = Some(name);
                    return Ok(());
                }
                Ok(done) => {
                    // The last line says what, those before it where in a program of ours.
                    let said = done.error.trim().lines().last().unwrap_or("no reason was given").to_owned();
                    return Err(DeviceError::Call { call: "input".to_owned(), message: said });
                }
                // The server found no such program.
                Err(error @ DeviceError::Call { .. }) => missing = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(missing.unwrap_or_else(|| cannot("run Python")))
    }

    /// Brings the machine to its fresh state, where somebody said how, and waits until it answers.
    async fn refresh(&self, deadline: Deadline) -> Result<()> {
        let Some([program, arguments @ ..]) = self.options.reset.as_deref() else { return Ok(()) };
        let what = format!("'{program}' of --reset-command");
        let hint = "run it by hand, and check that it ends with 0 once the machine is reset";
        let failed = |message: String| DeviceError::start(&what, message, hint);
        let mut command = tokio::process::Command::from(child::command(Path::new(program)));
        command.args(arguments).stdin(std::process::Stdio::null()).kill_on_drop(true);
        let done = tokio::time::timeout_at(deadline.instant(), command.output()).await;
        let done = done.map_err(|_| failed("it did not end in time".to_owned()))?;
        let done = done.map_err(|error| failed(error.to_string()))?;
        if !done.status.success() {
            let said =
                String::from_utf8_lossy(&done.stderr).trim().lines().last().unwrap_or_default().to_owned();
            return Err(failed(format!("{}: {said}", done.status)));
        }
        // A machine that was set back may need a moment to answer again.
        let mut looks = tokio::time::interval(LOOKS);
        loop {
            looks.tick().await;
            match self.server.system(deadline.at_most(Duration::from_secs(10))).await {
                Ok(_) => return Ok(()),
                Err(error) if deadline.passed() => return Err(error),
                Err(_) => {}
            }
        }
    }

    /// Two equal pictures, one after the other, within bounds; the last of them.
    async fn settle(&self, deadline: Deadline) -> Result<(RgbImage, Settled)> {
        let end = deadline.at_most(self.options.settle.min(deadline.left() / 2));
        settle(|| self.frame(deadline), end).await
    }

    /// Starts a program and waits until something shows.
    async fn open(&self, line: &[String], deadline: Deadline) -> Result<()> {
        let before = self.frame(deadline).await?;
        self.server.launch(line, deadline).await?;
        let end = deadline.at_most(self.options.launch);
        let mut looks = tokio::time::interval(LOOKS);
        while !end.passed() {
            looks.tick().await;
            if change(&before, &self.frame(deadline).await?).is_some_and(|change| !change.is_caret()) {
                break;
            }
        }
        Ok(())
    }

    async fn tree(&self, system: OperatingSystem, deadline: Deadline) -> Result<AccessibilityTree, String> {
        let within = deadline.at_most(self.options.tree.min(deadline.left() / 2));
        let xml = self.server.accessibility(within).await.map_err(|error| error.to_string())?;
        tree::read(&xml, system)
    }

    async fn told_windows(&self, deadline: Deadline) -> Result<Vec<Window>> {
        let tree = self.tree(self.live()?.system, deadline).await;
        tree.map(|tree| tree.windows).map_err(|message| DeviceError::call("the windows", message))
    }

    async fn look(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let began = Instant::now();
        let system = self.live()?.system;
        // The picture is taken while programs are asked, and again until it is still.
        let (settled, tree) = futures::join!(self.settle(deadline), self.tree(system, deadline));
        let (picture, settled) = settled?;
        let asked = began.elapsed();
        let geometry = Geometry::new(picture.width().into(), picture.height().into(), 1.0);
        let mut notices = Vec::new();
        let tree = tree.unwrap_or_else(|why| {
            notices.push(format!(
                "no accessibility tree could be read ({why}): elements are guessed from the picture"
            ));
            whole_screen(&picture)
        });
        let secrets = &self.options.secrets;
        let found = elements::found(&tree, &picture, system, self.options.element_cap, secrets);
        let mut context = context(&tree.windows, found.truncated, secrets);
        context.texts_left_out = found.texts_left_out;
        context.notices = notices.iter().map(|notice| secrets.brief(notice, 500)).collect();
        let total = began.elapsed();
        let mut seen = Observation {
            picture: want.picture(picture),
            elements: found.elements,
            texts: found.texts,
            dump: None,
            geometry,
            context,
            settled,
            timings: Timings { settle: Duration::ZERO, picture: asked, elements: total - asked, total },
        };
        seen.mask(secrets);
        self.moving = settled == Settled::StillMoving;
        self.elements.clone_from(&seen.elements);
        self.windows = tree.windows;
        if let Some(live) = &mut self.live {
            live.geometry = geometry;
        }
        Ok(seen)
    }

    async fn prepare(&self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        for launch in &to.desktop.programs {
            match launch {
                Launch::Window(line) => self.open(line, deadline).await?,
                Launch::Background(line) => self.server.launch(line, deadline).await?,
                Launch::Finish(line) => {
                    let words: Vec<&str> = line.iter().map(String::as_str).collect();
                    let done = self.server.run(&words, deadline).await?;
                    if done.returncode != 0 {
                        let call = line.join(" ");
                        return Err(DeviceError::Call { call, message: done.error });
                    }
                }
            }
        }
        if to.start.is_empty() { Ok(()) } else { self.open(&words(&to.start), deadline).await }
    }

    async fn shell(&self, command: &str, deadline: Deadline) -> Result<String> {
        if self.live()?.system != OperatingSystem::Linux {
            return Err(cannot("run shell commands, which only Linux has here"));
        }
        let done = self.server.run(&["bash", "-c", command], deadline).await?;
        if done.returncode != 0 {
            let message = format!("exit code {}: {}", done.returncode, done.error.trim_end());
            return Err(DeviceError::Call { call: "shell".to_owned(), message });
        }
        Ok(done.output.trim_end_matches(['\n', '\r']).to_owned())
    }
}

/// One window over all of the screen, of which nothing is told: what is on it is looked for in the picture.
fn whole_screen(picture: &RgbImage) -> AccessibilityTree {
    let frame = Rect::new(0.0, 0.0, picture.width().into(), picture.height().into());
    let window = Window { id: 1, outer: 1, frame, client: frame, focused: true, ..Window::default() };
    AccessibilityTree { windows: vec![window], nodes: Vec::new() }
}

#[async_trait]
impl Device for RemoteDevice {
    fn info(&self) -> DeviceInfo {
        let system = self.live.as_ref().map(|live| format!(" on {}", live.system.name())).unwrap_or_default();
        let mut missing = vec![Capability::Clipboard, Capability::Shell];
        if self.live.as_ref().is_some_and(|live| live.system != OperatingSystem::Linux) {
            missing.push(Capability::Windows);
        }
        DeviceInfo {
            platform: Platform::Desktop,
            product: format!("desktop elsewhere{system}, by OSWorld's server"),
            geometry: self.live.as_ref().map_or(Geometry::new(0.0, 0.0, 1.0), |live| live.geometry),
            capabilities: Platform::Desktop.capabilities_but(&missing),
        }
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        self.close(deadline).await?;
        if !to.policy.apps.iter().any(|rule| rule.0 == "*") {
            return Err(DeviceError::start(
                format!("the desktop at {}", self.server.address()),
                "waldo cannot know which program gets an input, so it cannot keep any out",
                "give --allow-app '*' if any of them may be touched",
            ));
        }
        if !to.desktop.files.is_empty() || !to.desktop.env.is_empty() || !to.desktop.chords.is_empty() {
            return Err(cannot("lay files and settings: the HOME there is the machine's own"));
        }
        let guard = WindowGuard::new(&to.policy, Owner::Person)?;
        self.refresh(deadline).await?;
        let system = self.server.system(deadline).await?;
        let picture = self.frame(deadline).await?;
        let geometry = Geometry::new(picture.width().into(), picture.height().into(), 1.0);
        self.live = Some(RemoteSession { system, geometry, guard });
        self.prepare(to, deadline).await
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        self.look(want, deadline).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let began = Instant::now();
        report(began, self.effect_of(action, deadline).await)
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        let is = self.server.system(deadline).await?;
        if is == self.live()?.system {
            return Ok(());
        }
        Err(DeviceError::Gone { reason: "another machine answers there now".to_owned() })
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        match probe {
            StateProbe::Shell(command) => self.shell(command, deadline).await.map(StateValue::Text),
            StateProbe::File(path) => {
                let path = match path.is_absolute() {
                    true => path.display().to_string(),
                    false => format!("~/{}", path.display()),
                };
                self.server.file(&path, deadline).await.map(StateValue::Bytes)
            }
            StateProbe::Windows | StateProbe::Location | StateProbe::Text => {
                Ok(told(probe, &self.told_windows(deadline).await?))
            }
            StateProbe::Downloads => Ok(StateValue::Files(Vec::new())),
            StateProbe::Home => Err(cannot("tell of a HOME folder on this machine")),
            StateProbe::Accessible => Err(cannot("tell its tree in the contract's form")),
            StateProbe::Js(_)
            | StateProbe::Storage
            | StateProbe::Console
            | StateProbe::Network
            | StateProbe::Machine
            | StateProbe::Traffic => Err(cannot("evaluate a script")),
        }
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        let frame = self.frame(deadline).await?;
        Ok(DisplayGlance { windows: self.windows.clone(), frame }.after(&mut self.glanced))
    }

    /// What was started there stays: the machine is somebody's, or is set back by whoever reset it.
    async fn close(&mut self, _: Deadline) -> Result<()> {
        self.live = None;
        self.elements.clear();
        self.windows.clear();
        self.moving = false;
        self.glanced = None;
        Ok(())
    }
}
