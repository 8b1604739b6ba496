//! The device: a screen by VNC behind the contract.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::address::VncAddress;
use super::elements::found;
use super::film;
use super::hands::{NAME, VncHands};
use super::options::VncOptions;
use super::rfb::RfbClient;
use super::screen::VncTraffic;
use super::settle::settle;
use tokio_util::task::AbortOnDropHandle;
use waldo_desktop::glance::DisplayGlance;
use waldo_desktop::guard::{Owner, WindowGuard};
use waldo_devices::{
    Action, ActionReport, Capability, Capture, Context, Deadline, Device, DeviceError, DeviceInfo, Element,
    Filming, Frames, Geometry, Glance, Observation, Platform, ResetTo, Result, Secrets, Settled, StateProbe,
    StateValue, Timings,
};

/// A screen by VNC. There is one connection, for as long as an episode lasts.
pub struct VncDevice {
    address: VncAddress,
    options: VncOptions,
    live: Option<VncSession>,
    pub(crate) elements: Vec<Element>,
    /// Whether the screen moved by itself when it was last looked at.
    pub(crate) moving: bool,
    glanced: Option<DisplayGlance>,
    frames: Option<Frames>,
    film: Option<AbortOnDropHandle<()>>,
}

pub(crate) struct VncSession {
    pub(crate) screen: Arc<RfbClient>,
    pub(crate) hands: VncHands,
    pub(crate) geometry: Geometry,
    pub(crate) guard: WindowGuard,
    /// Why the first connection was lost, where this is the second.
    renewed: Option<String>,
    notice: Option<String>,
}

fn cannot(action: &str) -> DeviceError {
    DeviceError::unsupported(NAME, action)
}

fn geometry((width, height): (u32, u32)) -> Geometry {
    Geometry::new(width.into(), height.into(), 1.0)
}

impl VncDevice {
    /// A screen that was not taken yet: [`Device::reset`] does.
    pub fn new(address: VncAddress, options: VncOptions) -> Self {
        Self {
            address,
            options,
            live: None,
            elements: Vec::new(),
            moving: false,
            glanced: None,
            frames: None,
            film: None,
        }
    }

    /// Asks whether the server lets us in; gives its name and size. Nothing on its screen is touched.
    pub async fn greet(&self, deadline: Deadline) -> Result<(String, (u32, u32))> {
        let screen = self.connect(deadline).await?;
        Ok((self.options.secrets.brief(&screen.name, 100), screen.size()))
    }

    /// What came from the server since the connection was made last; nothing where no screen is taken.
    pub fn traffic(&self) -> VncTraffic {
        self.live.as_ref().map(|live| live.screen.traffic()).unwrap_or_default()
    }

    pub(crate) fn secrets_of(&self) -> &Secrets {
        &self.options.secrets
    }

    pub(crate) fn live(&self) -> Result<&VncSession> {
        self.live.as_ref().ok_or_else(not_reset)
    }

    pub(crate) fn live_mut(&mut self) -> Result<&mut VncSession> {
        self.live.as_mut().ok_or_else(not_reset)
    }

    async fn connect(&self, deadline: Deadline) -> Result<Arc<RfbClient>> {
        let deadline = deadline.at_most(self.options.connect);
        Ok(Arc::new(RfbClient::connect(&self.address, &self.options, deadline).await?))
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.screen.lost().is_some())
    }

    /// Connects anew where the connection is lost: once in an episode, to the same screen. What was known is forgotten.
    pub(crate) async fn keep_connected(&mut self, deadline: Deadline) -> Result<()> {
        let live = self.live()?;
        let Some(why) = live.screen.lost() else { return Ok(()) };
        let gone = |more: String| DeviceError::Gone { reason: format!("{why}; {more}") };
        if let Some(first) = &live.renewed {
            return Err(gone(format!("the connection had been lost before ({first})")));
        }
        let name = live.screen.name.clone();
        let screen = self.connect(deadline).await.map_err(|error| gone(error.to_string()))?;
        if screen.name != name {
            return Err(gone("another screen answers there now".to_owned()));
        }
        self.elements.clear();
        self.moving = false;
        let live = self.live_mut()?;
        live.geometry = geometry(screen.size());
        (live.screen, live.hands) = (screen, VncHands::default());
        live.notice = Some(format!("the connection was lost and restored ({why})"));
        live.renewed = Some(why);
        self.start_film();
        Ok(())
    }

    fn start_film(&mut self) {
        let live = self.live.as_ref();
        let wanted = live.zip(self.frames.as_ref()).filter(|_| self.options.secrets.is_empty());
        self.film = wanted.map(|(live, frames)| film::start(live.screen.clone(), frames.clone()));
    }

    async fn look(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        loop {
            self.keep_connected(deadline).await?;
            match self.look_once(want, deadline).await {
                Err(_) if self.is_lost() => {}
                seen => return seen,
            }
        }
    }

    async fn look_once(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let began = Instant::now();
        let screen = self.live()?.screen.clone();
        let bound = deadline.at_most(self.options.settle.min(deadline.left() / 2));
        let (shot, settled) = settle(&screen, bound, deadline).await?;
        let (settle, start) = (began.elapsed(), Instant::now());
        let cap = self.options.element_cap;
        let job = tokio::task::spawn_blocking(move || {
            let (elements, truncated) = found(&shot.picture, cap);
            (shot.picture, elements, truncated)
        });
        let (picture, elements, truncated) = job.await?;
        let geometry = geometry(picture.dimensions());
        let live = self.live_mut()?;
        live.geometry = geometry;
        let notices = live.notice.take().into_iter().collect();
        let total = start.elapsed();
        let mut seen = Observation {
            picture: want.picture(picture),
            elements,
            context: Context { truncated, notices, ..Context::default() },
            settled,
            timings: Timings { settle, elements: total, total, ..Timings::default() },
            ..Observation::blank(geometry)
        };
        seen.mask(&self.options.secrets);
        self.moving = settled == Settled::StillMoving;
        self.elements.clone_from(&seen.elements);
        Ok(seen)
    }
}

fn not_reset() -> DeviceError {
    DeviceError::call(NAME, "no screen was taken: reset it first")
}

#[async_trait]
impl Device for VncDevice {
    fn info(&self) -> DeviceInfo {
        use Capability::{Apps, Clipboard, Shell, Windows};
        let can = Platform::Desktop.capabilities_but(&[Apps, Clipboard, Shell, Windows]);
        let geometry = self.live.as_ref().map_or(Geometry::new(0.0, 0.0, 1.0), |live| live.geometry);
        DeviceInfo::new(Platform::Desktop, "screen by VNC", geometry, &can)
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        self.close(deadline).await?;
        let start = |message: &str, hint: &str| {
            DeviceError::start(format!("the screen at {}", self.address), message, hint)
        };
        if !to.policy.apps.iter().any(|rule| rule.0 == "*") {
            let why = "waldo cannot know which program gets an input, so it cannot keep any out";
            return Err(start(why, "give --allow-app '*' if any of them may be touched"));
        }
        if !to.start.is_empty() || !to.desktop.programs.is_empty() {
            let hint =
                "leave out --open, and have the agent start it by the screen, or start it there yourself";
            return Err(start("no program can be started by VNC", hint));
        }
        if !to.desktop.files.is_empty() || !to.desktop.env.is_empty() || !to.desktop.chords.is_empty() {
            return Err(cannot("lay files and settings"));
        }
        let guard = WindowGuard::new(&to.policy, Owner::Person)?;
        let screen = self.connect(deadline).await?;
        // One that lets in and shows nothing is no screen.
        screen.shot(deadline).await?;
        let geometry = geometry(screen.size());
        let hands = VncHands::default();
        self.live = Some(VncSession { screen, hands, geometry, guard, renewed: None, notice: None });
        self.start_film();
        Ok(())
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        self.look(want, deadline).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        self.act(action, deadline).await
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        loop {
            self.keep_connected(deadline).await?;
            match self.live()?.screen.sync(deadline).await {
                Err(_) if self.is_lost() => {}
                done => return done,
            }
        }
    }

    async fn probe(&mut self, probe: &StateProbe, _: Deadline) -> Result<StateValue> {
        match probe {
            StateProbe::Downloads => Ok(StateValue::Files(Vec::new())),
            StateProbe::Shell(_) => Err(cannot("run shell commands")),
            StateProbe::File(_) | StateProbe::Home => Err(cannot("read files")),
            StateProbe::Windows => Err(cannot("list windows")),
            StateProbe::Location | StateProbe::Text => Err(cannot("tell what its picture says")),
            StateProbe::Accessible => Err(cannot("read an accessibility tree")),
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
        self.keep_connected(deadline).await?;
        let frame = self.live()?.screen.shot(deadline).await?.picture;
        Ok(DisplayGlance { windows: Vec::new(), frame }.after(&mut self.glanced))
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        self.frames = frames;
        self.start_film();
        match self.frames.is_some() && self.options.secrets.is_empty() {
            true => Filming::Possible,
            false => Filming::Impossible,
        }
    }

    /// The machine is somebody's: it stays as it is.
    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        self.film = None;
        if let Some(mut live) = self.live.take() {
            // A server that is gone holds nothing down any more.
            let _: Result<()> = live.hands.end(&live.screen, deadline).await;
        }
        self.elements.clear();
        self.moving = false;
        self.glanced = None;
        Ok(())
    }
}
