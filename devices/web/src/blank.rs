//! A browser context before it is anybody's: one empty page, under a guard that lets nothing through.
//!
//! Making one is most of what the start of an episode takes, and needs to know nothing of the episode but the size of
//! its page: a browser can be asked for one ahead ([`super::Browser::make_ahead`]).

use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;

use super::cdp::{Cdp, SessionId, text};
use super::current::Current;
use super::events::{PageSetup, Supervisor, init_script, listens_to_network};
use super::options::{Viewport, WebOptions};
use super::processes::out_of_memory_kills;
use super::proxy::{Blocked, Proxy};
use super::state::{Front, SharedState};
use super::traffic::TrafficLog;
use waldo_devices::peer::PeerCheck;
use waldo_devices::{Deadline, DeviceError, GuardPolicy, ResetTo, Result, Traffic};

/// A context and its first tab. Dropping it disposes of the context in the browser.
pub(crate) struct Blank {
    cdp: Cdp,
    pub(crate) context: String,
    pub(crate) shared: Arc<SharedState>,
    pub(crate) blocked: Blocked,
    policy: Current<GuardPolicy>,
    setup: Current<PageSetup>,
    /// Session of its own with the browser, for downloads.
    own: SessionId,
    _proxy: Proxy,
}

impl Blank {
    /// Makes a context of this page size, with an empty tab that is ready; its proxy serves the processes of `peers`.
    ///
    /// # Errors
    /// [`DeviceError::Gone`] when the browser has ended, [`DeviceError::Timeout`] when it takes too long.
    pub(crate) async fn make(
        cdp: &Cdp,
        peers: Arc<PeerCheck>,
        viewport: Viewport,
        deadline: Deadline,
    ) -> Result<Self> {
        let blocked = Blocked::default();
        let policy = Current::new(GuardPolicy::default());
        let proxy = Proxy::start(policy.clone(), blocked.clone(), peers).await?;
        let call = async |method, params| {
            cdp.call(None, method, params, deadline).await.map_err(|error| error.on(method))
        };
        let params = json!({
            "disposeOnDetach": true,
            "proxyServer": proxy.server(),
            // Loopback goes through the proxy too.
            "proxyBypassList": "<-loopback>",
        });
        let (made, own) = tokio::try_join!(
            call("Target.createBrowserContext", params),
            // Download events come to a session of this context's own.
            call("Target.attachToBrowserTarget", json!({})),
        )?;
        let own = SessionId::from(text(&own, "sessionId"));
        let nothing = ResetTo::default();
        let setup = PageSetup::new(&WebOptions { viewport, ..WebOptions::default() }, &nothing);
        let blank = Self {
            cdp: cdp.clone(),
            context: text(&made, "browserContextId").to_owned(),
            shared: Arc::new(SharedState::new()),
            blocked,
            policy,
            setup: Current::new(setup),
            own,
            _proxy: proxy,
        };
        let (sink, events) = mpsc::unbounded_channel();
        cdp.route_context(&blank.context, sink.clone());
        let supervisor = Supervisor {
            cdp: cdp.clone(),
            context: blank.context.clone(),
            shared: blank.shared.clone(),
            blocked: blank.blocked.clone(),
            setup: blank.setup.clone(),
        };
        tokio::spawn(supervisor.run(events));
        cdp.route_session(&blank.own, sink);
        tokio::try_join!(blank.allow_downloads(&nothing, deadline), blank.open_tab(deadline))?;
        Ok(blank)
    }

    /// Makes it an episode's own; gives its tab.
    ///
    /// # Errors
    /// As [`Blank::make`], and [`DeviceError::Call`] for a script that the browser does not take.
    pub(crate) async fn assign(
        &self,
        options: &WebOptions,
        to: &ResetTo,
        deadline: Deadline,
    ) -> Result<Front> {
        self.policy.replace(to.policy.clone());
        self.setup.replace(PageSetup::new(options, to));
        self.shared.quietly(|state| state.memory_kills = out_of_memory_kills());
        if options.traffic != Traffic::Unrecorded {
            self.shared.quietly(|state| state.traffic = Some(TrafficLog::default()));
        }
        if to.downloads.is_some() {
            self.allow_downloads(to, deadline).await?;
        }
        let front = self.front().ok_or_else(|| DeviceError::call("a new tab", "it closed at once"))?;
        // It was made before anybody knew of these.
        let script = to.init_script.as_deref().map(init_script);
        let traffic = (options.traffic != Traffic::Unrecorded).then(|| listens_to_network(options.traffic));
        for (method, params) in script.into_iter().chain(traffic) {
            let added = self.cdp.call(Some(&front.session), method, params, deadline).await;
            added.map_err(|error| error.on(method))?;
        }
        Ok(front)
    }

    async fn allow_downloads(&self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        let method = "Browser.setDownloadBehavior";
        let params = match &to.downloads {
            Some(folder) => json!({
                "behavior": "allowAndName", "browserContextId": self.context,
                "downloadPath": folder, "eventsEnabled": true,
            }),
            None => json!({ "behavior": "deny", "browserContextId": self.context, "eventsEnabled": true }),
        };
        let allowed = self.cdp.call(Some(&self.own), method, params, deadline).await;
        allowed.map(drop).map_err(|error| error.on(method))
    }

    /// Its tab, while it can be used.
    pub(crate) fn front(&self) -> Option<Front> {
        self.shared.with(|state| state.usable().map(Front::of))
    }

    /// Opens a tab and waits until its guard stands.
    pub(crate) async fn open_tab(&self, deadline: Deadline) -> Result<Front> {
        let method = "Target.createTarget";
        let params = json!({ "url": "about:blank", "browserContextId": self.context });
        let made = self.cdp.call(None, method, params, deadline).await.map_err(|error| error.on(method))?;
        let target = text(&made, "targetId").to_owned();
        self.shared.update(|state| state.active = Some(target.clone()));
        self.ready(&target, deadline).await
    }

    /// Waits until the guard of a tab stands.
    pub(crate) async fn ready(&self, target: &str, deadline: Deadline) -> Result<Front> {
        let waited = deadline.left();
        let mut came = false;
        let ready = self.shared.until(deadline.instant(), |state| {
            let Some(tab) = state.tabs.iter().find(|tab| tab.target == target) else {
                // One that came and went will not come again.
                return came.then_some(None);
            };
            came = true;
            tab.ready.then(|| Some(Front::of(tab)))
        });
        tokio::select! {
            ready = ready => match ready {
                Some(Some(front)) => Ok(front),
                Some(None) => Err(DeviceError::call("a new tab", "it closed at once")),
                None => Err(DeviceError::Timeout { what: "a new tab".to_owned(), after: waited }),
            },
            reason = self.cdp.gone() => Err(DeviceError::Gone { reason }),
        }
    }
}

impl Drop for Blank {
    fn drop(&mut self) {
        self.cdp.unroute(&self.context);
        self.cdp.fire(None, "Target.detachFromTarget", json!({ "sessionId": &*self.own }));
        self.cdp.fire(None, "Target.disposeBrowserContext", json!({ "browserContextId": self.context }));
    }
}
