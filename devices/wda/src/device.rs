//! The device: a phone behind WebDriverAgent behind the contract.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use image::RgbImage;
use serde_json::json;

use super::agent::{PhoneFacts, SessionId, WdaServer};
use super::command::cannot;
use super::elements::{self, VisibleElements};
use super::names;
use super::options::{WdaOptions, all_allowed};
use super::tree::PhoneTree;
use waldo_desktop::change::change;
use waldo_desktop::settle::settle;
use waldo_devices::action::{Action, ActionReport, Effect, Orientation};
use waldo_devices::device::{
    Deadline, Device, DeviceInfo, Glance, Platform, ResetTo, StateProbe, StateValue,
};
use waldo_devices::element::Element;
use waldo_devices::error::DeviceError;
use waldo_devices::frames::{Filming, Frames};
use waldo_devices::geometry::ScaledPicture;
use waldo_devices::guard::GuardPolicy;
use waldo_devices::hit_test::{HitTest, InputTarget};
use waldo_devices::observation::{Capture, Context, DialogInfo, Observation, Settled, Timings};
use waldo_devices::picture::Picture;
use waldo_devices::secrets::Secrets;

#[derive(Default)]
pub(crate) struct LastSeen {
    pub(crate) elements: Vec<Element>,
    /// Whether the app's own tree had an alert.
    pub(crate) has_alert: bool,
    /// Whether the screen moved by itself.
    pub(crate) moving: bool,
}

/// An iPhone or an iPad. There is one session, for as long as an episode lasts.
pub struct WdaDevice {
    pub(crate) server: WdaServer,
    pub(crate) options: WdaOptions,
    pub(crate) policy: GuardPolicy,
    pub(crate) seen: LastSeen,
    /// Points and pixels.
    pub(crate) screen: ScaledPicture,
    /// Apps that were in front while they were allowed: ended at the next start.
    pub(crate) touched: BTreeSet<String>,
    /// Whether the screen was turned.
    pub(crate) turned: bool,
    facts: PhoneFacts,
    session: Option<SessionId>,
    generation: u64,
    glanced: Option<RgbImage>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are whole numbers below 32768 here"
)]
fn whole(n: f64) -> u32 {
    n.round() as u32
}

impl WdaDevice {
    /// The phone behind a server; nothing is done on it.
    ///
    /// # Errors
    /// [`DeviceError::Absent`] where nobody answers, [`DeviceError::Call`], [`DeviceError::Timeout`].
    pub async fn open(
        server: WdaServer,
        options: WdaOptions,
        deadline: Deadline,
    ) -> Result<Self, DeviceError> {
        let facts = server.status(deadline).await?;
        let told = server.screen(deadline).await?;
        let points = (whole(told.points.w), whole(told.points.h));
        let pixels = (whole(told.points.w * told.scale), whole(told.points.h * told.scale));
        Ok(Self {
            server,
            options,
            policy: GuardPolicy::default(),
            seen: LastSeen::default(),
            screen: ScaledPicture::new(pixels, points, 1.0),
            touched: BTreeSet::new(),
            turned: false,
            facts,
            session: None,
            generation: 0,
            glanced: None,
        })
    }

    pub(crate) fn session(&self) -> Result<&SessionId, DeviceError> {
        self.session.as_ref().ok_or_else(|| DeviceError::Call {
            call: "session".to_owned(),
            message: "no phone was taken: reset it first".to_owned(),
        })
    }

    /// How long is left for putting things in order when an action used up its time.
    pub(crate) fn grace() -> Deadline {
        Deadline::after(Duration::from_secs(5))
    }

    fn start(&self, message: String, hint: &str) -> DeviceError {
        let what = format!("the phone at {}", self.server.address());
        DeviceError::Start { what, message, hint: hint.to_owned() }
    }

    async fn wake(&self, deadline: Deadline) -> Result<(), DeviceError> {
        if !self.server.is_locked(deadline).await? {
            return Ok(());
        }
        self.server.unlock(deadline).await?;
        match self.server.is_locked(deadline).await? {
            false => Ok(()),
            true => {
                Err(self
                    .start("it is locked".to_owned(), "unlock it by hand, and keep it from locking itself"))
            }
        }
    }

    async fn launch(&mut self, start: &str, deadline: Deadline) -> Result<(), DeviceError> {
        let session = self.session()?.clone();
        if start.starts_with("http://") || start.starts_with("https://") {
            return self.server.act(&session, "url", &json!({ "url": start }), deadline).await;
        }
        let bundle = names::bundle(start, &self.policy)?;
        let body = json!({ "bundleId": bundle });
        self.server.act(&session, "wda/apps/terminate", &body, deadline).await?;
        self.server.act(&session, "wda/apps/launch", &body, deadline).await?;
        self.touched.insert(bundle.clone());
        if self.in_front(&bundle, deadline).await? == Effect::SuspectedNoop {
            return Err(DeviceError::Call {
                call: format!("opening {bundle}"),
                message: "another app is in front instead: is it installed?".to_owned(),
            });
        }
        Ok(())
    }

    /// How the points of a tree lie on a picture.
    async fn measure(
        &self,
        picture: &RgbImage,
        tree: &PhoneTree,
        deadline: Deadline,
    ) -> Result<ScaledPicture, DeviceError> {
        let pixels = picture.dimensions();
        let shape = |(w, h): (u32, u32)| f64::from(w) / f64::from(h.max(1));
        let fits = |points: (u32, u32)| (shape(pixels) / shape(points) - 1.0).abs() < 0.02;
        let own = tree.nodes.first().and_then(|app| app.rect).filter(|rect| rect.w >= 1.0 && rect.h >= 1.0);
        let mut told = own.map_or((0, 0), |rect| (whole(rect.w), whole(rect.h)));
        if !fits(told) {
            // An app beside another has a part of the screen.
            let screen = self.server.screen(deadline).await?;
            told = (whole(screen.points.w), whole(screen.points.h));
        }
        if !fits(told) {
            return Err(DeviceError::Call {
                call: "screenshot".to_owned(),
                message: format!(
                    "a picture of {}x{} px is none of a screen of {}x{} points: it may just be turning",
                    pixels.0, pixels.1, told.0, told.1
                ),
            });
        }
        Ok(ScaledPicture::new(pixels, told, 1.0))
    }

    async fn look(&mut self, want: Capture, deadline: Deadline) -> Result<Observation, DeviceError> {
        let began = Instant::now();
        self.session()?;
        let bound = deadline.at_most(self.options.settle.min(deadline.left() / 2));
        let (picture, settled) = settle(|| self.server.picture(deadline), bound).await?;
        let (settle, start) = (began.elapsed(), Instant::now());
        let tree = self.server.tree(deadline).await?;
        self.screen = self.measure(&picture, &tree, deadline).await?;
        let front = self.server.active(deadline).await?.unwrap_or_default();
        self.generation += 1;
        let secrets = &self.options.secrets;
        let cap = self.options.element_cap;
        let found = elements::found(&tree, &self.screen, self.generation, cap, secrets);
        let VisibleElements { elements, texts, truncated, texts_left_out, has_alert, has_keyboard } = found;
        // What the app asks stands in its tree; what the system asks is told of apart.
        let alert = if has_alert { None } else { self.server.alert(deadline).await? };
        let dialog = alert.map(|message| DialogInfo { kind: "alert".to_owned(), message, default: None });
        let total = start.elapsed();
        let mut seen = Observation {
            picture: match want {
                Capture::All => Picture::new(picture),
                Capture::Elements => Picture::empty(),
            },
            elements,
            texts,
            dump: None,
            geometry: self.screen.geometry(),
            context: Context {
                location: front.bundle,
                title: front.name,
                keyboard_shown: Some(has_keyboard),
                dialog,
                truncated,
                texts_left_out,
                ..Context::default()
            },
            settled,
            timings: Timings { settle, elements: total, total, ..Timings::default() },
        };
        seen.mask(&self.options.secrets);
        let moving = settled == Settled::StillMoving;
        self.seen = LastSeen { elements: seen.elements.clone(), has_alert, moving };
        Ok(seen)
    }
}

#[async_trait]
impl Device for WdaDevice {
    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            platform: Platform::Ios,
            product: self.facts.product(),
            geometry: self.screen.geometry(),
            capabilities: Platform::Ios.capabilities().to_vec(),
        }
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<(), DeviceError> {
        self.policy = to.policy.clone();
        self.seen = LastSeen::default();
        self.glanced = None;
        self.wake(deadline).await?;
        if !all_allowed(&self.policy)
            && let Err(error) = self.active_app(deadline).await
        {
            return Err(self.start(
                format!("which app an input goes to cannot be told, so none can be kept out ({error})"),
                "give --allow-app '*' where any of them may be touched",
            ));
        }
        if self.session.is_none() {
            self.session = Some(self.server.open(deadline).await?);
        }
        if std::mem::take(&mut self.turned) {
            self.rotate(Orientation::Natural, deadline).await?;
            self.turned = false;
        }
        let session = self.session()?.clone();
        for bundle in std::mem::take(&mut self.touched) {
            self.server.act(&session, "wda/apps/terminate", &json!({ "bundleId": bundle }), deadline).await?;
        }
        self.server.home(deadline).await?;
        match to.start.as_str() {
            "" => Ok(()),
            start => self.launch(start, deadline).await,
        }
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation, DeviceError> {
        self.look(want, deadline).await
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport, DeviceError> {
        self.act(action, deadline).await
    }

    async fn health(&mut self, deadline: Deadline) -> Result<(), DeviceError> {
        let now = self.server.status(deadline).await?;
        if now != self.facts {
            let reason = format!("another phone answers: {}", now.product());
            return Err(DeviceError::Gone { reason });
        }
        self.server.keeps(self.session()?, deadline).await
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue, DeviceError> {
        match probe {
            StateProbe::Location => Ok(StateValue::Text(self.active_app(deadline).await?.bundle)),
            StateProbe::Text => {
                let tree = self.server.tree(deadline).await?;
                Ok(StateValue::Text(elements::texts(&tree, &self.options.secrets)))
            }
            StateProbe::Downloads => Ok(StateValue::Files(Vec::new())),
            StateProbe::Shell(_) => Err(cannot("run shell commands")),
            StateProbe::File(_) | StateProbe::Home => Err(cannot("read files")),
            StateProbe::Windows => Err(cannot("list windows")),
            StateProbe::Accessible => Err(cannot("tell its tree in a desktop's words")),
            StateProbe::Js(_) | StateProbe::Storage => Err(cannot("evaluate a script")),
        }
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }

    async fn hit_test(&mut self, _: &InputTarget, _: Deadline) -> Result<HitTest, DeviceError> {
        Err(DeviceError::cannot_aim(Platform::Ios))
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance, DeviceError> {
        let front = self.server.active(deadline).await?.unwrap_or_default();
        let now = self.server.picture(deadline).await?;
        let then = self.glanced.replace(now.clone());
        let changed = then.is_some_and(|then| change(&then, &now).is_some_and(|change| !change.is_caret()));
        let showing = if front.name.is_empty() { front.bundle } else { front.name };
        Ok(Glance { showing: self.options.secrets.mask(showing), changed })
    }

    fn film(&mut self, _: Option<Frames>) -> Filming {
        Filming::Impossible
    }

    fn screen(&mut self, _: &str) -> Option<&mut dyn Device> {
        None
    }

    fn screens(&mut self) -> Vec<(&str, &mut dyn Device)> {
        Vec::new()
    }

    /// The phone is somebody's: apps stay as they are, the screen is turned back.
    async fn close(&mut self, deadline: Deadline) -> Result<(), DeviceError> {
        if self.session.is_none() {
            return Ok(());
        }
        if std::mem::take(&mut self.turned)
            && let Err(error) = self.rotate(Orientation::Natural, deadline).await
        {
            tracing::warn!(%error, "the screen was not turned back");
        }
        match self.session.take() {
            Some(session) => self.server.end(&session, deadline).await,
            None => Ok(()),
        }
    }
}
