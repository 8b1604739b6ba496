//! The device: a browser context behind the contract.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::browser::Browser;
use super::cdp::ENDED;
use super::effect::PageBefore;
use super::elements::{ElementFrame, FrameIds};
use super::live::{BrowserSession, PageAnswer};
use super::navigate::Opened;
use super::options::{Contexts, WebOptions};
use super::processes::LastingProcesses;
use super::script::CallError;
use super::state::Front;
use super::storage_state::StorageState;
use waldo_devices::{
    Action, ActionReport, Capture, Deadline, Device, DeviceError, DeviceInfo, DialogReply, Filming, Frames,
    Geometry, Glance, HitTest, InputTarget, Observation, OwnHands, Picture, Platform, ResetTo, Result,
    Secrets, StateProbe, StateValue, rounded,
};

/// Dialogs that are dismissed, and navigations that are waited out, for one question of a check.
const DIALOGS_MAX: usize = 20;
const DIALOGS_WITHOUT_END: &str = "the page opens one dialog after another";
/// What a page says to a person who looks at it.
const PAGE_TEXT: &str = include_str!("page_text.js");

/// A browser context as a device. Dropping it disposes of the context.
pub struct WebDevice {
    browser: Browser,
    /// Of this start: the scale may be another than the device's own.
    pub(crate) options: WebOptions,
    /// Physical pixels per CSS pixel when a start names none.
    own_scale: f64,
    /// The secrets that it was made with; those of its options are of this start.
    pub(crate) own_secrets: Secrets,
    /// What of the storage state this start was not given.
    pub(crate) unloaded: StorageState,
    pub(crate) live: Option<BrowserSession>,
    pub(crate) generation: u64,
    pub(crate) places: Vec<ElementFrame>,
    pub(crate) frame_ids: FrameIds,
    pub(crate) last_picture: Picture,
    /// The tab that could not be looked at the last time.
    pub(crate) unseen: Option<String>,
    /// Whether a page was opened that nobody has looked at yet.
    pub(crate) is_fresh: bool,
    pub(crate) glanced: Option<PageBefore>,
    processes: LastingProcesses,
    frames: Option<Frames>,
}

impl WebDevice {
    pub(crate) fn new(browser: Browser, options: WebOptions) -> Self {
        Self {
            browser,
            own_scale: options.viewport.scale,
            own_secrets: options.secrets.clone(),
            unloaded: StorageState::default(),
            options,
            live: None,
            glanced: None,
            frames: None,
            processes: LastingProcesses::default(),
            generation: 0,
            places: Vec::new(),
            frame_ids: FrameIds::new(),
            last_picture: Picture::empty(),
            unseen: None,
            is_fresh: false,
        }
    }

    pub(crate) fn not_reset() -> DeviceError {
        DeviceError::call("web device", "nothing was opened: reset it first")
    }

    pub(crate) fn browser(&self) -> &Browser {
        &self.browser
    }

    pub(crate) fn live(&self) -> Result<&BrowserSession> {
        self.live.as_ref().ok_or_else(Self::not_reset)
    }

    pub(crate) fn geometry(&self) -> Geometry {
        let view = self.options.viewport;
        let physical = |css: u32| (f64::from(css) * view.scale).round();
        Geometry::new(physical(view.width), physical(view.height), view.scale)
    }
}

impl Browser {
    /// A device in this browser, with storage of its own; [`waldo_devices::Device::reset`] brings it to life.
    ///
    /// # Errors
    /// [`DeviceError::Gone`] when the browser has ended; [`DeviceError::BadArgument`] for a viewport
    /// without area.
    pub fn new_device(&self, options: &WebOptions) -> Result<WebDevice> {
        if !self.is_alive() {
            return Err(DeviceError::Gone { reason: ENDED.to_owned() });
        }
        let view = options.viewport;
        if view.width == 0 || view.height == 0 || !(view.scale > 0.0 && view.scale.is_finite()) {
            return Err(DeviceError::BadArgument {
                what: "viewport".to_owned(),
                message: format!("{}x{} at scale {} has no area", view.width, view.height, view.scale),
            });
        }
        Ok(WebDevice::new(self.clone(), options.clone()))
    }
}

/// Of the time for a call, the part that is kept to find out whose fault it was that no answer came.
const KEPT: u32 = 10;
/// What that takes on a busy machine; half of the time at most.
pub(crate) const BLAMES_WITHIN: Duration = Duration::from_millis(500);

/// What is left of a call's time once some is kept for [`BrowserSession::blames_page`], and what else `after` is for.
pub(crate) fn working(deadline: Deadline, after: Duration) -> Deadline {
    let left = deadline.left();
    deadline.at_most(left - (left / KEPT).max(after).min(left / 2))
}

impl WebDevice {
    async fn open_start(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        if let Some(old) = self.live.take() {
            old.end(deadline).await;
        }
        self.places.clear();
        self.frame_ids.clear();
        self.generation += 1;
        self.last_picture = Picture::empty();
        self.unseen = None;
        self.glanced = None;
        self.is_fresh = !matches!(to.start.as_str(), "" | "about:blank");
        let scale = to.scale.filter(|scale| *scale > 0.0 && scale.is_finite());
        self.options.viewport.scale = scale.unwrap_or(self.own_scale);
        let state = self.load_state(to, deadline).await?;
        let (live, front) = BrowserSession::start(&self.browser, &self.options, to, deadline).await?;
        let live = self.live.insert(live);
        live.film(self.frames.clone().filter(|_| self.options.secrets.is_empty()));
        live.apply_state(&state, deadline).await?;
        if to.start.is_empty() || to.start == "about:blank" {
            return Ok(());
        }
        live.check_url(&to.start)?;
        let bound = deadline.at_most(live.load);
        // Where less time is left than a server has, it is not the server that is late.
        let patient = deadline.left() >= live.load;
        let opened = match live.open(&front, &to.start, bound).await {
            Err(DeviceError::Timeout { after, .. }) if patient => {
                Opened::Lost(format!("no answer within {}", rounded(after)))
            }
            // The first observation loads it again, or tells that it cannot be.
            Err(DeviceError::Crashed { .. }) => Opened::Page,
            opened => opened?,
        };
        match opened {
            Opened::Page | Opened::Dialog => {}
            // Where it leads is the page's own doing.
            Opened::Failed(why) if why.contains("ERR_TOO_MANY_REDIRECTS") => {
                live.shared().update(|state| state.notice(format!("the browser shows an error page: {why}")));
            }
            Opened::Failed(message) => {
                return Err(DeviceError::Call { call: format!("opening {}", to.start), message });
            }
            Opened::Lost(why) => {
                return Err(DeviceError::Absent {
                    what: format!("nothing answers at {}: {why}", to.start),
                    hint: "check that its server runs, and that the address is right".to_owned(),
                });
            }
        }
        // One that is there may go on loading while it is looked at.
        match live.loaded(&front, bound.at_most(self.options.settle)).await {
            // A page that never stops loading can still be used; settling says so.
            Ok(()) | Err(DeviceError::Timeout { .. } | DeviceError::Crashed { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl Device for WebDevice {
    fn info(&self) -> DeviceInfo {
        let can = Platform::Web.capabilities();
        DeviceInfo::new(Platform::Web, self.browser.version(), self.geometry(), can)
    }

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        let opened = self.open_start(to, deadline).await;
        if matches!(
            opened,
            Err(DeviceError::Timeout { .. } | DeviceError::Gone { .. } | DeviceError::Crashed { .. })
        ) {
            // A part of the browser may have ended before: the next device gets another one.
            self.browser.spoil();
        }
        opened?;
        // Services start when they are first needed: by now all are there.
        self.processes = LastingProcesses::now(self.browser.cdp(), deadline).await?;
        Ok(())
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let seen = self.look(want, deadline).await;
        if self.options.contexts == Contexts::Ahead {
            self.browser.make_ahead(self.options.viewport);
        }
        seen
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        match self.act(action, working(deadline, BLAMES_WITHIN)).await {
            // What the page did to itself is an outcome of the step.
            Err(error @ (DeviceError::Timeout { .. } | DeviceError::Crashed { .. }))
                if self.live()?.blames_page(&error, deadline).await =>
            {
                let call = action.name().to_owned();
                Err(DeviceError::Call { call, message: error.to_string() })
            }
            result => result,
        }
    }

    async fn health(&mut self, deadline: Deadline) -> Result<()> {
        // Another browser never takes its place behind a device.
        if !self.browser.is_alive() {
            return Err(DeviceError::Gone { reason: ENDED.to_owned() });
        }
        let Some(live) = &self.live else { return Ok(()) };
        let now = LastingProcesses::now(self.browser.cdp(), deadline).await?;
        if let Some(reason) = self.processes.lost(&now) {
            self.browser.spoil();
            return Err(DeviceError::Gone { reason });
        }
        live.whole()
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        // One of several screens may not have been opened.
        if *probe == StateProbe::Traffic && self.live.is_none() {
            return Ok(StateValue::Json(Value::Null));
        }
        let live = self.live()?;
        match probe {
            StateProbe::Js(expression) => match live.main_world(expression, deadline).await {
                Err(DeviceError::Crashed { .. }) => live.main_world(expression, deadline).await,
                result => result,
            }
            .map(StateValue::Json),
            StateProbe::Text => {
                let value = live.main_world(PAGE_TEXT, deadline).await?;
                Ok(StateValue::Text(value.as_str().unwrap_or_default().to_owned()))
            }
            StateProbe::Console => Ok(StateValue::Text(live.console(deadline).await?.join("\n"))),
            StateProbe::Network => Ok(StateValue::Text(live.network().join("\n"))),
            StateProbe::Traffic => {
                let options = &self.options;
                Ok(StateValue::Json(live.archive(options.traffic, &options.secrets, deadline).await))
            }
            StateProbe::Location => {
                let front = live.front(deadline).await?;
                // A dialog does not hide the address, so the page is not asked.
                Ok(StateValue::Text(live.tab(&front, |tab| tab.url.clone()).unwrap_or_default()))
            }
            StateProbe::Storage => Ok(StateValue::Json(live.all_stored(deadline).await?)),
            StateProbe::Shell(_) => {
                Err(DeviceError::Unsupported { platform: "web", action: "run a shell command".to_owned() })
            }
            StateProbe::File(_)
            | StateProbe::Home
            | StateProbe::Machine
            | StateProbe::Windows
            | StateProbe::Accessible => Err(DeviceError::Unsupported {
                platform: "web",
                action: "tell of files and windows".to_owned(),
            }),
            StateProbe::Downloads => Ok(StateValue::Files(live.shared().with(|state| {
                let done = state.downloads.iter().filter(|download| download.done);
                done.filter_map(|d| d.path.clone().map(|path| (d.name.clone(), path))).collect()
            }))),
        }
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }

    async fn hit_test(&mut self, target: &InputTarget, deadline: Deadline) -> Result<HitTest> {
        self.aimed(target, deadline).await
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        self.glance_at_page(deadline).await
    }

    fn film(&mut self, frames: Option<Frames>) -> Filming {
        self.frames = frames;
        let frames = self.frames.clone().filter(|_| self.options.secrets.is_empty());
        let filming = if frames.is_some() { Filming::Possible } else { Filming::Impossible };
        if let Some(live) = &mut self.live {
            live.film(frames);
        }
        filming
    }

    async fn own_hands(&mut self) -> Result<Arc<dyn OwnHands>> {
        let scale = self.options.viewport.scale;
        self.live.as_mut().ok_or_else(Self::not_reset)?.serve_own_hands(scale).await
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        let kept = self.save_state(deadline).await;
        if let Some(live) = self.live.take() {
            live.end(deadline).await;
        }
        kept
    }
}

impl BrowserSession {
    async fn main_world(&self, expression: &str, deadline: Deadline) -> Result<Value> {
        let front = self.front(deadline).await?;
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let failed = |message: String| DeviceError::Call { call: "probe".to_owned(), message };
        let mut tries = 0;
        if self.awaits_page(&front) {
            let _ = self.loaded(&front, deadline.at_most(self.load)).await;
        }
        let mut value = loop {
            tries += 1;
            if self.awaits_page(&front) {
                self.stop_loading(&front, deadline).await;
            }
            self.dismiss_dialogs(&front, deadline).await?;
            match self.raw(&front.target, &front.session, "Runtime.evaluate", params.clone(), deadline).await
            {
                Ok(PageAnswer::Done(value)) => break value,
                Ok(PageAnswer::Dialog) if tries < DIALOGS_MAX => {}
                Ok(PageAnswer::Dialog) => {
                    return Err(DeviceError::Blocked { what: DIALOGS_WITHOUT_END.to_owned() });
                }
                Err(error) => match CallError::from_raw(error) {
                    // The page moved on under the question.
                    CallError::Lost if tries < DIALOGS_MAX && !deadline.passed() => {}
                    error => return Err(error.into()),
                },
            }
        };
        match value.get("exceptionDetails") {
            Some(details) => {
                let thrown = details["exception"]["description"].as_str();
                Err(failed(thrown.or(details["text"].as_str()).unwrap_or("the script threw").to_owned()))
            }
            None => Ok(value["result"].get_mut("value").map(Value::take).unwrap_or_default()),
        }
    }

    /// What `ask` is answered by a page, whose dialogs are dismissed until it answers; nothing of one that crashed or closed.
    pub(super) async fn past_dialogs<T, Asked: Future<Output = Result<T>>>(
        &self,
        front: &Front,
        ask: impl Fn() -> Asked,
        deadline: Deadline,
    ) -> Result<Option<T>> {
        for _ in 0..DIALOGS_MAX {
            self.dismiss_dialogs(front, deadline).await?;
            let asked = async { Ok(ask().await) };
            match self.watched(&front.target, &front.session, asked, deadline).await {
                Ok(PageAnswer::Done(answer)) => return answer.map(Some),
                Ok(PageAnswer::Dialog) => {}
                Err(_) => return Ok(None),
            }
        }
        Err(DeviceError::Blocked { what: DIALOGS_WITHOUT_END.to_owned() })
    }

    /// Dismisses dialogs until none is open for a moment: what is asked of the page waits for none.
    pub(super) async fn dismiss_dialogs(&self, front: &Front, deadline: Deadline) -> Result<()> {
        for _ in 0..DIALOGS_MAX {
            if !self.tab(front, |tab| tab.dialog.is_some()).unwrap_or_default() {
                return Ok(());
            }
            match self.answer_dialog(front, &DialogReply::Dismiss, deadline).await {
                // It closed by itself.
                Ok(_) | Err(DeviceError::Call { .. } | DeviceError::BadArgument { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(DeviceError::Blocked { what: DIALOGS_WITHOUT_END.to_owned() })
    }
}
