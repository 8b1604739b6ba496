//! One browser context under guard: made, called, and thrown away.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::blank::Blank;
use super::browser::Browser;
use super::cdp::{Cdp, CdpError, SessionId};
use super::film;
use super::options::{Unproxied, WebOptions};
use super::own_hands::{self, EndpointState};
use super::proxy::Blocked;
use super::script::RawError;
use super::state::{ContextState, Front, SharedState, Tab};
use tokio_util::task::AbortOnDropHandle;
use waldo_devices::{Deadline, DeviceError, Frames, GuardPolicy, OwnHands, ResetTo, Result};

pub(crate) enum PageAnswer<T> {
    Done(T),
    /// A dialog holds up the page; the answer may never come.
    Dialog,
}

impl<T> PageAnswer<T> {
    pub(crate) fn done(self) -> Option<T> {
        match self {
            Self::Done(value) => Some(value),
            Self::Dialog => None,
        }
    }
}

/// A live context. Dropping it disposes of the context in the browser.
pub(crate) struct BrowserSession {
    browser: Browser,
    blank: Blank,
    policy: GuardPolicy,
    /// The longest wait for a page to load.
    pub(crate) load: Duration,
    /// Whether the run itself answers for the server of the pages.
    is_hosted: bool,
    fronted: std::sync::Mutex<Option<String>>,
    film: Option<AbortOnDropHandle<()>>,
    pub(crate) own_hands: Option<Arc<EndpointState>>,
}

impl BrowserSession {
    /// A context that keeps to `to`'s policy, and its only tab, which is empty.
    pub(crate) async fn start(
        browser: &Browser,
        options: &WebOptions,
        to: &ResetTo,
        deadline: Deadline,
    ) -> Result<(Self, Front)> {
        let lacking = browser.lacking();
        if !lacking.is_empty() && options.unproxied == Unproxied::Refused && !to.policy.allows_any_origin() {
            return Err(DeviceError::start(
                "a guarded page in this browser",
                "it sends its pages' UDP and name look-ups past the guard",
                format!(
                    "start it with '{}', or allow every origin (--allow '*'), or accept it (--allow-unproxied)",
                    lacking.join("' '")
                ),
            ));
        }
        // The browser's own folder may be another.
        let downloads = to
            .downloads
            .as_deref()
            .map(std::path::absolute)
            .transpose()
            .map_err(|source| DeviceError::Io { what: "the folder of downloads".to_owned(), source })?;
        let to = &ResetTo { downloads, ..to.clone() };
        let blank = browser.blank(options.viewport, deadline).await?;
        let front = blank.assign(options, to, deadline).await?;
        let live = Self {
            browser: browser.clone(),
            blank,
            policy: to.policy.clone(),
            load: to.answers_within.unwrap_or(options.load),
            is_hosted: to.answers_within.is_some(),
            fronted: std::sync::Mutex::default(),
            film: None,
            own_hands: None,
        };
        Ok((live, front))
    }

    pub(crate) fn browser(&self) -> &Browser {
        &self.browser
    }

    /// What an agent cannot help: a page of the run's own server that did not come or could not be looked at.
    ///
    /// # Errors
    /// [`DeviceError::Absent`] with `what` where the run answers for the server.
    pub(crate) fn excuse(&self, what: impl FnOnce() -> String) -> Result<()> {
        let hint = "the machine may be too busy: play with fewer workers".to_owned();
        if self.is_hosted { Err(DeviceError::Absent { what: what(), hint }) } else { Ok(()) }
    }

    pub(crate) fn cdp(&self) -> &Cdp {
        self.browser.cdp()
    }

    /// Films the tab in front for whoever watches there; `None` ends that.
    pub(crate) fn film(&mut self, to: Option<Frames>) {
        self.film = to.map(|to| film::start(self.cdp().clone(), self.blank.shared.clone(), to));
    }

    pub(crate) fn context(&self) -> &str {
        &self.blank.context
    }

    pub(crate) fn shared(&self) -> &Arc<SharedState> {
        &self.blank.shared
    }

    pub(crate) fn blocked(&self) -> &Blocked {
        &self.blank.blocked
    }

    pub(crate) fn policy(&self) -> &GuardPolicy {
        &self.policy
    }

    /// Opens a tab and waits until its guard stands.
    pub(crate) async fn open_tab(&self, deadline: Deadline) -> Result<Front> {
        self.blank.open_tab(deadline).await
    }

    /// The tab in front, ready and brought there; a new one when the last was closed.
    pub(crate) async fn front(&self, deadline: Deadline) -> Result<Front> {
        if !self.browser.is_alive() {
            return Err(DeviceError::Gone { reason: self.cdp().gone().await });
        }
        let front = loop {
            let seen = |tab: &Tab| (tab.target.clone(), tab.ready, tab.crashed);
            let Some((target, ready, crashed)) = self.shared().with(|state| state.front().map(seen)) else {
                break self.open_tab(deadline).await?;
            };
            if crashed {
                self.revive(&target, deadline).await?;
                continue;
            }
            if ready {
                break self.blank.ready(&target, deadline).await?;
            }
            // It may be closed before it ever was ready.
            self.shared()
                .until(deadline.instant(), |state| match state.front() {
                    Some(tab) if tab.target == target && !tab.ready && !tab.crashed => None,
                    _ => Some(()),
                })
                .await
                .ok_or_else(|| DeviceError::timeout("a new tab", deadline.left()))?;
        };
        let stale = {
            let mut fronted = self.fronted.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let stale = fronted.as_deref() != Some(front.target.as_str());
            *fronted = Some(front.target.clone());
            stale
        };
        if stale {
            // A dialog or a crash shows itself to the caller's next call.
            let _ = self.raw(&front.target, &front.session, "Page.bringToFront", json!({}), deadline).await;
        }
        Ok(front)
    }

    /// Calls a method of a tab's session, or of a frame's own; ends early when a dialog opens, or the page or that
    /// frame crashes.
    pub(crate) async fn raw(
        &self,
        target: &str,
        session: &SessionId,
        method: &str,
        params: Value,
        deadline: Deadline,
    ) -> Result<PageAnswer<Value>, RawError> {
        self.watched(target, session, self.cdp().call(Some(session), method, params, deadline), deadline)
            .await
    }

    /// Waits for the answer to a call; ends early as [`Self::raw`] does.
    pub(crate) async fn watched<T>(
        &self,
        target: &str,
        session: &SessionId,
        call: impl Future<Output = Result<T, CdpError>>,
        deadline: Deadline,
    ) -> Result<PageAnswer<T>, RawError> {
        let interrupted = self.shared().until(deadline.instant(), |state| {
            let tab = state.tabs.iter().find(|tab| tab.target == target)?;
            if tab.crashed {
                Some(Err(RawError::Crashed(tab.url.clone())))
            } else if !tab.has(session) {
                // The browser does not answer for a frame whose process has crashed.
                Some(Err(RawError::Cdp(CdpError::Detached)))
            } else {
                tab.dialog.is_some().then_some(Ok(PageAnswer::Dialog))
            }
        });
        tokio::select! {
            biased;
            Some(why) = interrupted => why,
            answer = call => {
                answer.map(PageAnswer::Done).map_err(RawError::Cdp)
            }
        }
    }

    /// Whether this tab has closed. Its calls may fail of that before it is known here.
    pub(crate) async fn has_closed(&self, front: &Front, deadline: Deadline) -> bool {
        let is_there = |state: &ContextState| state.tabs.iter().any(|tab| tab.target == front.target);
        if self.cdp().has_session(&front.session) {
            return !self.shared().with(is_there);
        }
        let closed = self.shared().until(deadline.instant(), |state| (!is_there(state)).then_some(())).await;
        closed.is_some()
    }

    pub(crate) async fn call(
        &self,
        front: &Front,
        method: &str,
        params: Value,
        deadline: Deadline,
    ) -> Result<PageAnswer<Value>> {
        self.raw(&front.target, &front.session, method, params, deadline).await.map_err(|error| match error {
            RawError::Crashed(what) => DeviceError::Crashed { what },
            RawError::Cdp(error) => error.on(method),
        })
    }

    /// Serves a program; what was served before ends.
    pub(crate) async fn serve_own_hands(&mut self, scale: f64) -> Result<Arc<dyn OwnHands>> {
        let (cdp, context, shared) = (self.cdp().clone(), self.context().to_owned(), self.shared().clone());
        let (state, served) = own_hands::serve(cdp, context, shared, scale).await?;
        if let Some(earlier) = self.own_hands.replace(state) {
            earlier.end("the browser is served anew");
        }
        Ok(served)
    }

    pub(crate) async fn end(self, deadline: Deadline) {
        if let Some(served) = &self.own_hands {
            served.end("the page was closed");
        }
        let params = json!({ "browserContextId": self.context() });
        let _ = self.cdp().call(None, "Target.disposeBrowserContext", params, deadline).await;
    }
}
