//! The device: a session of an environment behind the contract.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::client::{BridgeSession, Client, SESSION};
use super::seen;
use super::wire::{ActionReply, ReportedEffect, ScreenReply};
use waldo_devices::{
    Action, ActionReport, Capture, Context, Deadline, Device, DeviceError, DeviceInfo, Effect, Geometry,
    Glance, Observation, Picture, Platform, ResetTo, Result, Secrets, Settled, StateProbe, StateValue,
    Timings,
};

#[derive(Clone, Debug)]
pub struct BridgeOptions {
    /// The most elements of one observation; the rest is counted.
    pub element_cap: usize,
    pub secrets: Secrets,
}

impl Default for BridgeOptions {
    fn default() -> Self {
        Self { element_cap: 1_500, secrets: Secrets::default() }
    }
}

const NAME: &str = "the environment";
const NOTICES_MAX: usize = 20;
/// Characters of what a person or a tool of the task answered.
const ANSWER_MAX: usize = 8_000;

/// An environment's screen. Dropping it leaves a session behind, which the environment has to clear.
pub struct BridgeDevice {
    client: Client,
    options: BridgeOptions,
    session: Option<Arc<BridgeSession>>,
    geometry: Geometry,
    picture: Picture,
    /// What was in front at the last glance, and what it looked like.
    glanced: Option<(String, u64)>,
}

impl BridgeDevice {
    /// A screen of this environment; [`Device::reset`] brings it to life.
    pub fn new(client: Client, options: BridgeOptions) -> Self {
        let hello = &client.hello;
        let [width, height] = hello.screen;
        let geometry = Geometry::new(width.into(), height.into(), hello.scale);
        Self { client, options, session: None, geometry, picture: Picture::empty(), glanced: None }
    }

    fn session(&self) -> Result<&BridgeSession> {
        self.session.as_deref().ok_or_else(|| DeviceError::call(NAME, "no session was begun: reset it first"))
    }

    fn platform(&self) -> Platform {
        self.client.hello.platform
    }

    /// Refuses a guard that nobody could keep: what the environment's screen reaches is the environment's own affair.
    fn may_be_guarded(&self, to: &ResetTo) -> Result<()> {
        let (all, flag) = match self.platform() {
            Platform::Web => (to.policy.allows_any_origin(), "--allow '*'"),
            Platform::Android | Platform::Ios | Platform::Desktop | Platform::Devices => {
                (to.policy.apps.iter().any(|rule| rule.0 == "*"), "--allow-app '*'")
            }
        };
        if all {
            return Ok(());
        }
        Err(DeviceError::Start {
            what: format!("the environment at {}", self.client.address()),
            message: "waldo cannot restrict its screen to origins or apps".to_owned(),
            hint: format!("give {flag} if it may reach everything that it can"),
        })
    }

    /// The action as it is sent: what a secret's name stands for goes along, and nothing else of waldo's.
    fn spelled(&self, action: &Action) -> Result<Action> {
        let Action::TypeSecret { name } = action else { return Ok(action.clone()) };
        let value = self.options.secrets.value(name).ok_or_else(|| {
            let names: Vec<&str> = self.options.secrets.names().collect();
            let message = format!("there is no secret of this name; there are: {}", names.join(", "));
            DeviceError::BadArgument { what: "secret".to_owned(), message }
        })?;
        Ok(Action::Type { text: value.into_owned() })
    }

    async fn seen(&self, want: Capture, deadline: Deadline) -> Result<ScreenReply> {
        self.session()?.observe(want, deadline).await
    }
}

fn cannot(action: &str) -> DeviceError {
    DeviceError::unsupported(NAME, action)
}

#[async_trait]
impl Device for BridgeDevice {
    fn info(&self) -> DeviceInfo {
        let hello = &self.client.hello;
        let can = hello.platform.capabilities().iter().filter(|can| hello.can.contains(can));
        DeviceInfo {
            platform: hello.platform,
            product: format!("{} {} over a bridge", hello.name, hello.version).replace("  ", " "),
            geometry: self.geometry,
            capabilities: can.copied().collect(),
        }
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        self.may_be_guarded(to)?;
        if let Some(old) = self.session.take() {
            old.close(deadline).await?;
        }
        self.picture = Picture::empty();
        self.glanced = None;
        self.session = Some(match to.start.strip_prefix(SESSION) {
            Some(id) => self.client.claim(id).ok_or_else(|| DeviceError::BadArgument {
                what: "start".to_owned(),
                message: "no task has begun this session".to_owned(),
            })?,
            None => self.client.reset(None, 0, &to.start, deadline).await?,
        });
        Ok(())
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let began = Instant::now();
        let mut seen = self.seen(want, deadline).await?;
        let asked = began.elapsed();
        if want == Capture::All {
            let pixels = seen::picture(&mut seen)?;
            let (width, height) = pixels.dimensions();
            self.geometry = Geometry::new(width.into(), height.into(), self.client.hello.scale);
            self.picture = Picture::new(pixels);
        }
        let secrets = &self.options.secrets;
        let size = self.geometry.physical;
        let read = seen::read(&seen, (size.w, size.h), self.options.element_cap, secrets)?;
        let context = Context {
            location: secrets.brief(&seen.location, 2_000),
            title: secrets.brief(&seen.title, 500),
            notices: seen.notices.iter().take(NOTICES_MAX).map(|notice| secrets.brief(notice, 500)).collect(),
            truncated: read.truncated,
            texts_left_out: read.texts_left_out,
            ..Context::default()
        };
        let mut observation = Observation {
            picture: match want {
                Capture::All => self.picture.clone(),
                Capture::Elements => Picture::empty(),
            },
            elements: read.elements,
            texts: read.texts,
            dump: None,
            geometry: self.geometry,
            context,
            settled: if seen.busy { Settled::StillMoving } else { Settled::Quiet },
            timings: Timings {
                settle: Duration::ZERO,
                picture: asked,
                elements: Duration::ZERO,
                total: began.elapsed(),
            },
        };
        observation.mask(secrets);
        Ok(observation)
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let began = Instant::now();
        let ActionReply { effect, evidence, .. } = match action {
            Action::Wait { ms } => {
                let wait = Duration::from_millis(*ms).min(deadline.left());
                tokio::time::sleep(wait).await;
                return Ok(ActionReport { effect: Effect::Unverifiable, took: began.elapsed() });
            }
            // Names of files of this host are nobody else's business.
            Action::Upload { .. } => return Err(cannot("upload files")),
            // The environment refuses what it cannot do.
            Action::Tap { .. }
            | Action::TapAt { .. }
            | Action::LongPress { .. }
            | Action::Hover { .. }
            | Action::Drag { .. }
            | Action::PointerDown { .. }
            | Action::PointerMove { .. }
            | Action::PointerUp { .. }
            | Action::Scroll { .. }
            | Action::Type { .. }
            | Action::TypeSecret { .. }
            | Action::Key { .. }
            | Action::Clear { .. }
            | Action::Fill { .. }
            | Action::Select { .. }
            | Action::Navigate { .. }
            | Action::Back
            | Action::Forward
            | Action::Reload
            | Action::NewTab { .. }
            | Action::SwitchTab { .. }
            | Action::CloseTab
            | Action::Dialog { .. }
            | Action::Swipe { .. }
            | Action::Pinch { .. }
            | Action::Home
            | Action::Recents
            | Action::OpenApp { .. }
            | Action::StopApp { .. }
            | Action::FocusWindow { .. }
            | Action::CloseWindow { .. }
            | Action::Shell { .. }
            | Action::AskUser { .. }
            | Action::CallTool { .. }
            | Action::Paste { .. }
            | Action::Rotate { .. }
            | Action::SwitchScreen { .. } => self.session()?.act(&self.spelled(action)?, deadline).await?,
        };
        let effect = match effect {
            ReportedEffect::Confirmed => {
                // What a person or a tool of the task answered is what was asked for.
                let most = if action.is_beside_the_screen() { ANSWER_MAX } else { 500 };
                let evidence = self.options.secrets.brief(&evidence, most);
                let none = "the environment says that it took".to_owned();
                Effect::Confirmed { evidence: if evidence.is_empty() { none } else { evidence } }
            }
            ReportedEffect::Unverifiable => Effect::Unverifiable,
            ReportedEffect::SuspectedNoop => Effect::SuspectedNoop,
        };
        Ok(ActionReport { effect, took: began.elapsed() })
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        match probe {
            StateProbe::Location => {
                Ok(StateValue::Text(self.seen(Capture::Elements, deadline).await?.location))
            }
            StateProbe::Text => {
                let seen = self.seen(Capture::Elements, deadline).await?;
                let named = seen.elements.iter().map(|element| element.name.as_str());
                let all: Vec<&str> = named.chain(seen.texts.iter().map(|text| text.text.as_str())).collect();
                Ok(StateValue::Text(all.join("\n")))
            }
            StateProbe::Downloads => Ok(StateValue::Files(Vec::new())),
            StateProbe::Storage => Ok(StateValue::Json(serde_json::Value::Null)),
            StateProbe::Js(_)
            | StateProbe::Console
            | StateProbe::Network
            | StateProbe::Traffic
            | StateProbe::Machine
            | StateProbe::Shell(_)
            | StateProbe::File(_)
            | StateProbe::Home
            | StateProbe::Windows
            | StateProbe::Accessible => Err(cannot("tell of its state: it judges itself")),
        }
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        // One that forgot its session, or was started anew, does not know it.
        self.seen(Capture::Elements, deadline).await.map(drop)
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        let seen = self.seen(Capture::Elements, deadline).await?;
        let showing = if seen.title.is_empty() { seen.location } else { seen.title };
        let mut hash = DefaultHasher::new();
        for element in &seen.elements {
            (&element.name, &element.value, element.checked, element.selected).hash(&mut hash);
        }
        seen.texts.iter().for_each(|text| text.text.hash(&mut hash));
        let now = (showing.clone(), hash.finish());
        let changed = self.glanced.as_ref().is_some_and(|before| *before != now);
        self.glanced = Some(now);
        Ok(Glance { showing: self.options.secrets.brief(&showing, 200), changed })
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        match self.session.take() {
            Some(session) => session.close(deadline).await,
            None => Ok(()),
        }
    }
}
