//! Turns a context's events into state, and sets up every new target before it runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::cdp::{Cdp, CdpEvent, SessionId, text};
use super::current::Current;
use super::film;
use super::options::{DownloadLimits, Viewport, WebOptions};
use super::processes::killed_renderer;
use super::proxy::Blocked;
use super::requests::{Polls, Request};
use super::script::{LIBRARY, LISTENERS, WORLD};
use super::state::{ContextState, SharedState, Tab};
use super::stored::empty_page;
use super::traffic::BODY;
use waldo_devices::guard::shown_origin;
use waldo_devices::{Deadline, DialogInfo, GuardPolicy, ResetTo, Secrets, Traffic};

pub(crate) const TABS_MAX: usize = 20;
/// Characters of a dialog's text that are kept; what is told of them is masked first, then cut.
const TEXT_MAX: usize = 100_000;
/// What is asked before a page is left that would not be.
const LEAVES: &str = "Leave this page? Changes that were made may not be saved.";
/// How long a dialog may stay open while a new tab waits behind it.
const PATIENCE_MAX: Duration = Duration::from_secs(3600);

pub(crate) struct PageSetup {
    pub(crate) viewport: Viewport,
    pub(crate) init_script: Option<String>,
    pub(crate) policy: GuardPolicy,
    pub(crate) downloads: Option<PathBuf>,
    /// What no name of a file may show.
    pub(crate) secrets: Secrets,
    pub(crate) download_limits: DownloadLimits,
    pub(crate) timeout: Duration,
    traffic: Traffic,
}

/// Has a script run in every new document, and in the present one.
const NEW_DOCUMENT: &str = "Page.addScriptToEvaluateOnNewDocument";
/// How long a new page may take to be put under guard, on a busy machine too.
const SETS_UP_WITHIN: Duration = Duration::from_secs(10);

/// The call that adds an episode's own script to a page.
pub(crate) fn init_script(script: &str) -> (&'static str, Value) {
    (NEW_DOCUMENT, json!({ "source": script, "runImmediately": true }))
}

impl PageSetup {
    pub(crate) fn new(options: &WebOptions, to: &ResetTo) -> Self {
        Self {
            viewport: options.viewport,
            init_script: to.init_script.clone(),
            policy: to.policy.clone(),
            downloads: to.downloads.clone(),
            secrets: options.secrets.clone(),
            download_limits: options.downloads,
            timeout: options.load.max(SETS_UP_WITHIN),
            traffic: options.traffic,
        }
    }
}

pub(crate) struct Supervisor {
    pub(crate) cdp: Cdp,
    pub(crate) context: String,
    pub(crate) shared: Arc<SharedState>,
    pub(crate) blocked: Blocked,
    pub(crate) setup: Current<PageSetup>,
}

impl Supervisor {
    /// Handles events until the context's route ends.
    pub(crate) async fn run(self, mut events: mpsc::UnboundedReceiver<CdpEvent>) {
        while let Some(event) = events.recv().await {
            self.handle(event);
        }
    }

    fn handle(&self, event: CdpEvent) {
        let CdpEvent { session, method, params, .. } = event;
        match method.as_str() {
            "Target.attachedToTarget" => self.attached(session.as_ref(), &params),
            "Target.detachedFromTarget" => {
                let gone = text(&params, "sessionId");
                self.shared.update(|state| {
                    if !state.remove(gone)
                        && let Some(tab) = state.tab_of(gone)
                    {
                        tab.child_gone(gone);
                    }
                });
            }
            "Target.targetInfoChanged" => {
                let info = &params["targetInfo"];
                self.shared.update(|state| {
                    if let Some(tab) = state.tab(text(info, "targetId")) {
                        // What will be replaced at once is never shown.
                        if self.may_show(text(info, "url")) {
                            tab.url = text(info, "url").to_owned();
                        }
                        tab.title = text(info, "title").to_owned();
                    }
                });
            }
            "Target.targetCrashed" => {
                self.shared.update(|state| {
                    let target = text(&params, "targetId");
                    // Everyone who shares the browser hears of every target.
                    if state.frames.contains(target) {
                        match killed_renderer(&params, state.memory_kills) {
                            None => state.page_crashes += 1,
                            lost => state.lost = lost,
                        }
                    }
                    state.crashed(target);
                });
            }
            "Browser.downloadWillBegin" => self.download_begins(session.as_ref(), &params),
            "Browser.downloadProgress" => self.download_goes_on(session.as_ref(), &params),
            _ => {
                if let Some(session) = session {
                    self.of_session(&session, &method, params);
                }
            }
        }
    }

    fn of_session(&self, session: &SessionId, method: &str, mut params: Value) {
        let body = self.shared.quietly(|state| {
            state.names_frame(method, &params);
            state.network.hears(method, &params);
            state.traffic.as_mut()?.hears(method, &params)
        });
        if let Some(place) = body {
            self.fetch_body(session.clone(), text(&params, "requestId"), place);
        }
        match method {
            "Page.frameNavigated" => {
                self.shared.update(|state| state.visits(text(&params["frame"], "url")));
                self.check_document(session, &params["frame"]);
            }
            "Page.frameStartedNavigating" => return self.check_new_tab(session, &params),
            // Only a tab in which an origin's storage is read or written asks first: it gets an empty page for all.
            "Fetch.requestPaused" => {
                let params = empty_page(&params);
                return self.cdp.fire(Some(session), "Fetch.fulfillRequest", params);
            }
            "Inspector.targetReloadedAfterCrash" => {
                return self.shared.update(|state| state.revived(session));
            }
            "Page.screencastFrame" => {
                return self.shared.with(|state| film::take(state, session, params));
            }
            "Page.javascriptDialogOpening" => {
                let kind = text(&params, "type").to_owned();
                let default = (kind == "prompt").then(|| brief(text(&params, "defaultPrompt")));
                // The browser asks this one in words of its own, which it does not tell.
                let message = match brief(text(&params, "message")) {
                    message if message.is_empty() && kind == "beforeunload" => LEAVES.to_owned(),
                    message => message,
                };
                let dialog = DialogInfo { kind, message, default };
                return self.shared.update(|state| state.dialog_opened(session, dialog));
            }
            "Page.javascriptDialogClosed" => {
                return self.shared.update(|state| state.dialog_closed(session));
            }
            _ => {}
        }
        self.shared.update(|state| {
            if method == "Inspector.targetCrashed" {
                let own = state.tabs.iter().find(|tab| tab.session == *session).map(|tab| tab.target.clone());
                return own.into_iter().for_each(|target| state.crashed(&target));
            }
            let Some(tab) = state.tab_of(session) else { return };
            let frame = || text(&params, "frameId").to_owned();
            match method {
                "Page.frameStartedLoading" => {
                    if frame() == tab.target {
                        tab.uncommitted = true;
                        tab.overdue = false;
                    }
                    tab.loading.insert(frame());
                }
                "Page.frameStoppedLoading" => {
                    tab.uncommitted &= frame() != tab.target;
                    tab.loading.remove(&frame());
                }
                "Page.frameDetached" => tab.forget_frame(&frame()),
                "Page.frameNavigated" => {
                    let info = &params["frame"];
                    let id = text(info, "id");
                    tab.worlds.remove(id);
                    tab.navigations += 1;
                    if id == tab.target {
                        tab.uncommitted = false;
                        tab.unreachable = info["unreachableUrl"].as_str().map(str::to_owned);
                        tab.documents += 1;
                        tab.committed = Some(Instant::now());
                        tab.polls = Polls::default();
                        if self.may_show(text(info, "url")) {
                            tab.url = format!("{}{}", text(info, "url"), text(info, "urlFragment"));
                        }
                        // Requests of the old document are never heard of again; those of the new one
                        // that began already carry its loader.
                        let loader = text(info, "loaderId");
                        tab.requests.retain(|request, _| request.ends_with(loader));
                    }
                }
                "Page.navigatedWithinDocument" => {
                    tab.navigations += 1;
                    if text(&params, "frameId") == tab.target {
                        tab.url = text(&params, "url").to_owned();
                    }
                }
                "Network.requestWillBeSent" => {
                    let (kind, loader) = (text(&params, "type"), text(&params, "loaderId"));
                    // A worker's script belongs to no document; its page never hears that it came.
                    let of_worker = kind == "Script" && loader.is_empty();
                    if !of_worker
                        && !matches!(
                            kind,
                            "EventSource"
                                | "WebSocket"
                                | "Media"
                                | "Ping"
                                | "Prefetch"
                                | "Preflight"
                                | "Other"
                        )
                    {
                        tab.requested += 1;
                        let poll = tab.polls.begins(&request_key(session, &params, ""), &params["request"]);
                        let request = if poll { Request::Ignored } else { Request::Awaited };
                        tab.requests.insert(request_key(session, &params, loader), request);
                    }
                }
                "Network.responseReceived" if text(&params, "type") == "Fetch" => {
                    let start = request_key(session, &params, "");
                    for request in tab.requests_of(&start) {
                        *request = Request::Answered(Instant::now());
                    }
                    tab.polls.ends(&start);
                }
                "Network.dataReceived" => {
                    let start = request_key(session, &params, "");
                    for request in tab.requests_of(&start) {
                        if let Request::Answered(last) = request {
                            *last = Instant::now();
                        }
                    }
                }
                "Network.loadingFinished" | "Network.loadingFailed" => {
                    let start = request_key(session, &params, "");
                    tab.requests.retain(|key, _| !key.starts_with(&start));
                    tab.polls.ends(&start);
                }
                "Input.dragIntercepted" => tab.drag = params.get_mut("data").map(Value::take),
                "Page.fileChooserOpened" => tab.chooser = params["backendNodeId"].as_i64(),
                _ => {}
            }
        });
    }

    fn attached(&self, parent: Option<&SessionId>, params: &Value) {
        let session = SessionId::from(text(params, "sessionId"));
        let info = &params["targetInfo"];
        let (target, url) = (text(info, "targetId"), text(info, "url"));
        match (text(info, "type"), parent) {
            ("page", _) if !self.may_show(url) => self.close_new_tab(&session, target, url),
            ("page", _) => {
                if self.shared.with(|state| state.tabs.len()) >= TABS_MAX {
                    self.shared.update(|state| {
                        state.notice(format!("a new tab was closed: {TABS_MAX} are open already"));
                    });
                    // A page that opens tabs without end gets no further ones.
                    self.cdp.fire(None, "Target.closeTarget", json!({ "targetId": target }));
                    // While it waits, so does the process that it shares with its opener.
                    self.cdp.fire(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
                    return;
                }
                let opener = info.get("openerId").and_then(Value::as_str).map(str::to_owned);
                self.shared.update(|state| {
                    state.frames.insert(target.to_owned());
                    state.tabs.push(Tab::new(target, session.clone(), opener, url));
                    state.active = Some(target.to_owned());
                    state.tab_changes += 1;
                });
                self.set_up(session, TargetKind::Page, target.to_owned());
            }
            ("iframe", Some(parent)) => {
                self.shared.update(|state| {
                    state.frames.insert(target.to_owned());
                    if let Some(tab) = state.tab_of(parent) {
                        tab.children.insert(session.clone(), target.to_owned());
                        tab.worlds.remove(target);
                    }
                });
                self.set_up(session, TargetKind::Frame, target.to_owned());
            }
            (kind, _) => {
                // A worker from an address that hides its content stays paused for ever.
                if kind.ends_with("worker") && !self.setup.get().policy.allows_url(url) {
                    self.blocked.record(url);
                    return;
                }
                // Workers start workers.
                self.cdp.fire(Some(&session), "Target.setAutoAttach", auto_attach());
                self.cdp.fire(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
            }
        }
    }

    /// Asks for the body of an answer before its page goes.
    fn fetch_body(&self, session: SessionId, request: &str, place: usize) {
        let (cdp, shared, params) = (self.cdp.clone(), self.shared.clone(), json!({ "requestId": request }));
        tokio::spawn(async move {
            let deadline = Deadline::after(SETS_UP_WITHIN);
            let answer = cdp.call(Some(&session), "Network.getResponseBody", params, deadline).await.ok();
            let body = answer.filter(|answer| answer["base64Encoded"] != true);
            let body = body.and_then(|answer| answer["body"].as_str().map(str::to_owned));
            shared.update(|state| {
                if let Some(log) = &mut state.traffic {
                    log.takes_body(place, body);
                }
            });
        });
    }

    /// Sets a page or frame up and lets it run; what cannot be set up is closed.
    fn set_up(&self, session: SessionId, kind: TargetKind, target: String) {
        let (cdp, shared, setup) = (self.cdp.clone(), self.shared.clone(), self.setup.get());
        tokio::spawn(async move {
            // Its answers wait while a dialog holds up the process; patience is measured below.
            let deadline = Deadline::after(PATIENCE_MAX);
            let mut calls = vec![
                ("Target.setAutoAttach", auto_attach()),
                ("Page.enable", json!({})),
                listens_to_network(setup.traffic),
                (NEW_DOCUMENT, json!({ "source": *LIBRARY, "worldName": WORLD, "runImmediately": true })),
                (
                    NEW_DOCUMENT,
                    json!({ "source": *LISTENERS, "includeCommandLineAPI": true, "runImmediately": true }),
                ),
            ];
            calls.extend(setup.init_script.as_deref().map(init_script));
            if kind == TargetKind::Page {
                let view = setup.viewport;
                calls.extend([
                    ("Inspector.enable", json!({})),
                    (
                        "Emulation.setDeviceMetricsOverride",
                        json!({
                            "width": view.width, "height": view.height, "deviceScaleFactor": view.scale, "mobile": false,
                            // A headless browser's screen is smaller than a window, so that pages take it for a phone's.
                            "screenWidth": view.width, "screenHeight": view.height,
                        }),
                    ),
                    ("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })),
                    ("Page.setInterceptFileChooserDialog", json!({ "enabled": true })),
                ]);
            }
            calls.push(("Runtime.runIfWaitingForDebugger", json!({})));
            // Sent in one go; the browser keeps their order.
            let answers = futures::future::join_all(calls.into_iter().map(|(method, params)| {
                let (cdp, session) = (&cdp, &session);
                async move { (method, cdp.call(Some(session), method, params, deadline).await) }
            }));
            let gone = shared.until(deadline.instant(), |state| {
                let tab = state.tabs.iter().find(|tab| tab.target == target);
                (kind == TargetKind::Page && tab.is_none_or(|tab| tab.crashed)).then_some(())
            });
            let answers = tokio::select! {
                answers = answers => answers,
                _ = gone => Vec::new(),
                () = patience(&shared, setup.timeout) => Vec::new(),
            };
            let guarded = !answers.is_empty()
                && answers.iter().all(|(method, answer)| {
                    if let Err(error) = answer {
                        tracing::debug!(method, %error, target, "setting up a page");
                    }
                    let needed = ["Target.setAutoAttach", "Page.enable", NEW_DOCUMENT];
                    answer.is_ok() || !needed.contains(method)
                });
            if !guarded {
                cdp.fire(None, "Target.closeTarget", json!({ "targetId": target }));
                return;
            }
            if kind == TargetKind::Page {
                shared.update(|state| {
                    if let Some(tab) = state.tab(&target) {
                        tab.ready = true;
                    }
                });
            }
        });
    }

    /// Whether a document of this address may stay: those of the network meet the proxy.
    fn may_show(&self, url: &str) -> bool {
        let network =
            url.starts_with("http:") || url.starts_with("https:") || url.starts_with("chrome-error:");
        network || self.setup.get().policy.allows_url(url)
    }

    /// A tab that opens with an address that is not allowed never gets a document: nothing in it would answer.
    fn check_new_tab(&self, session: &SessionId, params: &Value) {
        let url = text(params, "url");
        if self.may_show(url) {
            return;
        }
        let new = self.shared.with(|state| {
            let tab = state.tabs.iter().find(|tab| tab.session == *session && !tab.ready)?;
            (tab.target == text(params, "frameId")).then(|| tab.target.clone())
        });
        if let Some(target) = new {
            self.close_new_tab(session, &target, url);
        }
    }

    fn close_new_tab(&self, session: &SessionId, target: &str, url: &str) {
        self.blocked.record(url);
        let origin = shown_origin(url);
        self.shared.update(|state| {
            state.turned_away += 1;
            state.notice(format!("a new tab was closed: its address ({origin}) is not allowed"));
        });
        self.cdp.fire(None, "Target.closeTarget", json!({ "targetId": target }));
        // While it waits, so does the process that it shares with its opener.
        self.cdp.fire(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
    }

    /// The second line behind the policy that [`LIBRARY`] gives every document: what got in although its
    /// address is not allowed (a tab of a `blob:` address) is replaced. Its requests meet the proxy anyway.
    fn check_document(&self, session: &SessionId, frame: &Value) {
        let url = text(frame, "url");
        if self.may_show(url) {
            return;
        }
        let new = self.shared.with(|state| {
            let tab = state.tabs.iter().find(|tab| tab.session == *session)?;
            let first = tab.opener.is_some() && tab.navigations == 0;
            (first && tab.target == text(frame, "id")).then(|| tab.target.clone())
        });
        if let Some(target) = new {
            return self.close_new_tab(session, &target, url);
        }
        self.blocked.record(url);
        self.cdp.fire(
            Some(session),
            "Page.navigate",
            json!({ "url": "about:blank", "frameId": text(frame, "id") }),
        );
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TargetKind {
    Page,
    Frame,
}

/// Ends once `limit` has passed in which no dialog held up anything.
async fn patience(shared: &SharedState, limit: Duration) {
    let dialog = |state: &ContextState| state.tabs.iter().any(|tab| tab.dialog.is_some());
    loop {
        let end = Instant::now() + limit;
        if shared.until(end, |state| dialog(state).then_some(())).await.is_none() {
            return;
        }
        if shared.until(end + PATIENCE_MAX, |state| (!dialog(state)).then_some(())).await.is_none() {
            return;
        }
    }
}

/// A text of a page, cut to what may be kept.
fn brief(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        None => text.to_owned(),
        Some(_) => text.chars().take(TEXT_MAX - 1).chain(['…']).collect(),
    }
}

/// The call that has a page's requests told; bodies are kept for a moment where they are recorded.
pub(crate) fn listens_to_network(traffic: Traffic) -> (&'static str, Value) {
    let (total, each) = if traffic == Traffic::Unrecorded { (0, 0) } else { (16 * BODY, BODY) };
    let params =
        json!({ "maxTotalBufferSize": total, "maxResourceBufferSize": each, "maxPostDataSize": each });
    ("Network.enable", params)
}

fn auto_attach() -> Value {
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })
}

fn request_key(session: &SessionId, params: &Value, loader: &str) -> String {
    format!("{session} {} {loader}", text(params, "requestId"))
}
