use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::display_state::{DisplayState, DisplayThread};
use super::elements::MonitorView;
use super::options::PortableOptions;
use super::programs::{self, StartedPrograms};
use super::settle::{looks, settle};
use waldo_desktop::awaited::Awaited;
use waldo_desktop::effect::report;
use waldo_desktop::files::{downloads, read};
use waldo_desktop::glance::DisplayGlance;
use waldo_desktop::guard::{Owner, WindowGuard};
use waldo_desktop::launch::{Program, named, words};
use waldo_desktop::window::{Window, context, told};
use waldo_devices::{
    Action, ActionReport, AppRule, Capability, Capture, Deadline, Device, DeviceError, DeviceInfo, Element,
    Geometry, Glance, GuardPolicy, Launch, Observation, Platform, ResetTo, Result, Secrets, Settled,
    StateProbe, StateValue, Timings,
};

/// How long a session may take to list its windows.
const LISTS_WITHIN: Duration = Duration::from_secs(3);

pub(crate) const NAME: &str = "the portable desktop";

/// Somebody's screen as a device. Dropping it ends the programs that it started, and nothing else.
pub struct PortableDevice {
    pub(crate) options: PortableOptions,
    live: Option<ScreenSession>,
    pub(crate) elements: Vec<Element>,
    /// Whether the screen moved by itself when it was last looked at.
    pub(crate) moving: bool,
    glanced: Option<DisplayGlance>,
}

pub(crate) struct ScreenSession {
    pub(crate) thread: DisplayThread,
    pub(crate) window_guard: WindowGuard,
    pub(crate) geometry: Geometry,
    pub(crate) programs: StartedPrograms,
}

/// What this device cannot do, and what stands in the way.
pub(crate) fn cannot(action: &str, why: &str) -> DeviceError {
    DeviceError::unsupported(NAME, format!("{action}: {why}"))
}

fn home() -> PathBuf {
    std::env::home_dir().unwrap_or_default()
}

impl ScreenSession {
    async fn start(options: &PortableOptions, policy: &GuardPolicy, deadline: Deadline) -> Result<Self> {
        let mut policy = policy.clone();
        // Names of programs are in lower case here.
        policy.apps = policy.apps.iter().map(|AppRule(rule)| AppRule(rule.to_lowercase())).collect();
        let window_guard = WindowGuard::new(&policy, Owner::Person)?;
        let monitor = options.monitor.clone();
        let thread =
            DisplayThread::start("waldo-portable", move || DisplayState::open(monitor.as_deref()), deadline)
                .await?;
        let geometry = thread.ask("the screen", deadline, |s| Ok(s.display.geometry)).await?;
        // A session that just begins has no list of windows for a moment.
        let (mut looks, bound) = (looks(), deadline.at_most(LISTS_WITHIN));
        while let Err(error) = thread.ask("the windows", deadline, |s| s.windows()).await {
            if bound.passed() {
                let hint = "on X11, start a window manager that lists its windows (openbox does)";
                return Err(DeviceError::start(NAME, error, hint));
            }
            looks.tick().await;
        }
        Ok(Self { thread, window_guard, geometry, programs: StartedPrograms::default() })
    }

    pub(crate) async fn windows(&self, deadline: Deadline) -> Result<Vec<Window>> {
        self.thread.ask("the windows", deadline, |s| s.windows()).await
    }

    /// Starts a program and waits until a window comes that was not there before; gives it.
    pub(crate) async fn launch(&mut self, program: &Program, deadline: Deadline) -> Result<Window> {
        let before = self.windows(deadline).await?;
        let mut awaited = Awaited::new(programs::name(program), &before, deadline);
        let pid = self.programs.start(program)?;
        let name = awaited.name().to_owned();
        let note = move |s: &mut DisplayState| Ok(s.started.insert(pid, name));
        self.thread.ask("a program", deadline, note).await?;
        let mut looks = looks();
        loop {
            looks.tick().await;
            let ended = self.programs.ended(pid).map(|status: ExitStatus| (status, String::new()));
            if let Some(window) = awaited.look(self.windows(deadline).await?, ended)? {
                return Ok(window);
            }
        }
    }
}

impl PortableDevice {
    /// A screen that was not taken yet: [`Device::reset`] does.
    pub fn new(options: PortableOptions) -> Self {
        Self { options, live: None, elements: Vec::new(), moving: false, glanced: None }
    }

    pub(crate) fn live(&self) -> Result<&ScreenSession> {
        self.live.as_ref().ok_or_else(not_reset)
    }

    pub(crate) fn live_mut(&mut self) -> Result<&mut ScreenSession> {
        self.live.as_mut().ok_or_else(not_reset)
    }

    async fn prepare(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        let patience = self.options.launch;
        let live = self.live_mut()?;
        let mut all = to.desktop.programs.clone();
        if !to.start.is_empty() {
            all.push(Launch::Window(words(&to.start)));
        }
        let home = home().display().to_string();
        for launch in all {
            match launch {
                Launch::Window(line) => {
                    live.launch(&named(&line, &home)?, deadline.at_most(patience)).await?;
                }
                Launch::Background(line) => {
                    live.programs.start(&named(&line, &home)?)?;
                }
                Launch::Finish(line) => live.programs.finish(&named(&line, &home)?, deadline).await?,
            }
        }
        Ok(())
    }

    async fn look(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let began = Instant::now();
        let live = self.live()?;
        let bound = deadline.at_most(self.options.settle.min(deadline.left() / 2));
        let settled = settle(&live.thread, bound, deadline).await?;
        let settle = began.elapsed();
        let cap = self.options.element_cap;
        let job = move |s: &mut DisplayState| {
            let start = Instant::now();
            let (windows, picture) = s.look()?;
            let taken = start.elapsed();
            let scale = s.display.geometry.scale;
            let scene = MonitorView { picture: &picture, windows: &windows, scale, cap };
            let (elements, truncated) = s.source.read(&scene)?;
            Ok((windows, picture, taken, elements, truncated, start.elapsed()))
        };
        let (windows, picture, taken, elements, truncated, all) =
            live.thread.ask("a look at the screen", deadline, job).await?;
        let (geometry, context) = (live.geometry, context(&windows, truncated, &self.options.secrets));
        self.moving = settled == Settled::StillMoving;
        let timings = Timings { settle, picture: taken, elements: all.saturating_sub(taken), total: all };
        let picture = want.picture(picture);
        let mut seen =
            Observation { picture, elements, context, settled, timings, ..Observation::blank(geometry) };
        seen.mask(&self.options.secrets);
        self.elements.clone_from(&seen.elements);
        Ok(seen)
    }
}

fn not_reset() -> DeviceError {
    DeviceError::call(NAME, "no screen was taken: reset it first")
}

#[async_trait]
impl Device for PortableDevice {
    fn info(&self) -> DeviceInfo {
        let can = Platform::Desktop.capabilities_but(&[Capability::Clipboard, Capability::Shell]);
        let geometry = self.live.as_ref().map_or(Geometry::new(0.0, 0.0, 1.0), |live| live.geometry);
        DeviceInfo::new(Platform::Desktop, "desktop through its portable parts", geometry, &can)
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        self.close(deadline).await?;
        self.elements.clear();
        self.moving = false;
        if !to.desktop.files.is_empty() || !to.desktop.env.is_empty() {
            return Err(cannot("lay files and settings", "the HOME there is somebody's"));
        }
        self.live = Some(ScreenSession::start(&self.options, &to.policy, deadline).await?);
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
        // The screen is somebody's, and so is what it is made of: that it can be seen is all that is needed.
        self.live()?.windows(deadline).await.map(drop)
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        let live = self.live()?;
        match probe {
            StateProbe::File(path) => read(&home().join(path)).await.map(StateValue::Bytes),
            StateProbe::Home => Ok(StateValue::Text(home().display().to_string())),
            StateProbe::Downloads => Ok(StateValue::Files(downloads(&home()))),
            StateProbe::Windows | StateProbe::Location => Ok(told(probe, &live.windows(deadline).await?)),
            StateProbe::Text => {
                let mut windows = live.windows(deadline).await?;
                for window in &mut windows {
                    window.title = self.options.secrets.mask(std::mem::take(&mut window.title));
                }
                Ok(told(probe, &windows))
            }
            StateProbe::Shell(_) => {
                Err(cannot("run shell commands", "they are not held to a group of processes here"))
            }
            StateProbe::Accessible => {
                Err(cannot("read the accessibility tree", "its elements come from the picture"))
            }
            StateProbe::Js(_)
            | StateProbe::Storage
            | StateProbe::Console
            | StateProbe::Network
            | StateProbe::Machine
            | StateProbe::Traffic => Err(cannot("evaluate a script", "a desktop has none")),
        }
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        let (windows, frame) = self.live()?.thread.ask("a glance", deadline, |s| s.look()).await?;
        Ok(DisplayGlance { windows, frame }.after(&mut self.glanced))
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        if let Some(live) = self.live.take() {
            live.programs.end(deadline).await;
        }
        Ok(())
    }
}
