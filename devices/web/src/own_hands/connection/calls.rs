//! What becomes of a client's call: an input, a question about targets, or something for the browser.

use futures::FutureExt as _;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::{ClientMessage, Connection, Ended, ReplyTo, told};
use crate::cdp::text;
use crate::own_hands::gestures::{ClientCall, Taken, WholeInput};
use crate::own_hands::policy::{self, Verdict};
use crate::own_hands::targets::{TargetFilter, attach_to};
use crate::own_hands::{CallAnswer, EndpointState, WantedInput};
use waldo_devices::action::{Action, DialogReply, TabIndex};
use waldo_devices::element::ElementRef;

/// What the browser says of a target that is not there.
const NO_TARGET: &str = "No target with given id found";

impl Connection {
    /// Handles a message; gives it back where something has to be carried out first.
    pub(super) fn handle(&mut self, message: ClientMessage) -> Option<(ClientMessage, WholeInput)> {
        let to = ReplyTo::of(&message);
        let is_input = message.call.method.starts_with("Input.");
        if is_input && let Some(why) = self.owed.take() {
            self.answer(to, Err(format!("an input before this one was not carried out: {why}")));
            return None;
        }
        if is_input {
            match self.gestures.take(message.call.clone()) {
                Taken::Pass => self.pass(to, message.call),
                Taken::Kept => self.answer(to, Ok(json!({}))),
                Taken::Whole(input) => self.input(to, input),
                Taken::First(input) => return Some((message, input)),
                Taken::Refused(why) => {
                    let why = format!("waldo refuses {}: {why} (docs/cdp.md)", message.call.method);
                    self.answer(to, Err(why));
                }
            }
            return None;
        }
        if let Some(first) = self.gestures.flush() {
            return Some((message, first));
        }
        let mut call = message.call;
        match self.action_of(&mut call) {
            Ok(Some(action)) => self.input(to, WholeInput::new(action, call)),
            Err(why) => self.answer(to, Err(why)),
            Ok(None) if call.method == "Page.navigateToHistoryEntry" => self.history(to, call),
            Ok(None) if call.method == "Browser.close" => {
                self.answer(to, Ok(json!({})));
                self.closes = true;
            }
            Ok(None) if call.method.starts_with("Target.") => self.target(to, call),
            Ok(None) => match policy::judge(&call.method, &call.params) {
                Verdict::Pass => self.pass(to, call),
                Verdict::Answered(value) => self.answer(to, Ok(value)),
                Verdict::Refused(why) => self.answer(to, Err(why)),
            },
        }
        None
    }

    /// The action that a call comes to, which is no event of mouse or keyboard; `None` for what is no input.
    fn action_of(&mut self, call: &mut ClientCall) -> Result<Option<Action>, String> {
        let params = &call.params;
        let tab = self.sessions.get(&call.session).cloned().flatten();
        let place = |target: &str| {
            self.state.shared.with(|context| {
                let active = context.active.as_deref() == Some(target);
                (context.tabs.iter().position(|tab| tab.target == target), active)
            })
        };
        let named = || text(params, "targetId").to_owned();
        Ok(Some(match call.method.as_str() {
            "Page.navigate" => Action::Navigate { url: text(params, "url").to_owned() },
            "Page.reload" => Action::Reload,
            "Page.handleJavaScriptDialog" => {
                let tab = tab.unwrap_or_default();
                let open = self.state.shared.with(|context| {
                    let tab = context.tabs.iter().find(|known| known.target == tab);
                    tab.filter(|tab| tab.dialog.is_some()).map(|tab| (tab.target.clone(), tab.dialogs))
                });
                // Some clients ask again where the first answer takes its time.
                if open.is_none() || self.dialog == open {
                    return Err("No dialog is showing, or it is being answered".to_owned());
                }
                self.dialog = open;
                let text = params["promptText"].as_str().map(str::to_owned);
                let accepts = params["accept"] == true;
                let reply = if accepts { DialogReply::Accept { text } } else { DialogReply::Dismiss };
                Action::Dialog { reply }
            }
            "Page.close" | "Target.closeTarget" => {
                let target = if call.method == "Page.close" { tab.unwrap_or_default() } else { named() };
                if place(&target).0.is_none() {
                    return Err(NO_TARGET.to_owned());
                }
                call.params = json!({ "targetId": target });
                Action::CloseTab
            }
            "Page.bringToFront" | "Target.activateTarget" => {
                let target =
                    if call.method == "Page.bringToFront" { tab.unwrap_or_default() } else { named() };
                match place(&target) {
                    (None, _) => return Err(NO_TARGET.to_owned()),
                    // It is there.
                    (Some(_), true) => return Ok(None),
                    (Some(at), false) => {
                        call.params = json!({ "targetId": target });
                        Action::SwitchTab { tab: TabIndex(at) }
                    }
                }
            }
            "Target.createTarget" => {
                let context = text(params, "browserContextId");
                if !context.is_empty() && context != self.state.context {
                    return Err("there is no such browser context".to_owned());
                }
                let url = text(params, "url").to_owned();
                call.params = json!({ "url": url, "browserContextId": self.state.context });
                call.session = self.root.session.clone();
                Action::NewTab { url: Some(url).filter(|url| !matches!(url.as_str(), "" | "about:blank")) }
            }
            "DOM.setFileInputFiles" => {
                let files = params["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let names = files.map(|path| path.rsplit('/').next().unwrap_or_default().into()).collect();
                Action::Upload { element: ElementRef("a file field".to_owned()), files: names }
            }
            _ => return Ok(None),
        }))
    }

    /// Sends a call to the browser, and its answer to the client.
    fn pass(&mut self, to: ReplyTo, call: ClientCall) {
        let ClientCall { session, method, params } = call;
        match self.state.cdp.begin_in_order(&session, &method, params, self.sink.clone()) {
            Ok(number) => drop(self.passed.insert(number, to)),
            Err(error) => self.answer(to, told(Err(error))),
        }
    }

    pub(super) fn tab_of(&self, input: &WholeInput) -> Option<String> {
        input.calls.first().and_then(|call| self.sessions.get(&call.session).cloned().flatten())
    }

    /// Has the episode decide on an input, whose answer is the client's.
    fn input(&mut self, to: ReplyTo, input: WholeInput) {
        let opens = matches!(input.action, Action::NewTab { .. });
        let tab = self.tab_of(&input);
        let answer = want(&self.queue, &self.state, input, tab);
        let ended = async move {
            let answer = answer.await;
            if opens { Ended::Opened(to, answer) } else { Ended::Answer(to, answer) }
        };
        self.calls.push(ended.boxed());
    }

    /// Has the episode decide on what was kept and answered; what comes after it waits.
    pub(super) fn hold_up(&mut self, input: WholeInput) {
        self.is_held_up = true;
        let tab = self.tab_of(&input);
        let answer = want(&self.queue, &self.state, input, tab);
        self.calls.push(async move { Ended::Kept(answer.await) }.boxed());
    }

    /// A step in the history, which is one back or forward.
    fn history(&mut self, to: ReplyTo, call: ClientCall) {
        let asked = self.state.cdp.begin(Some(&call.session), "Page.getNavigationHistory", json!({}));
        let (queue, state, tab) =
            (self.queue.clone(), self.state.clone(), self.sessions.get(&call.session).cloned());
        let ended = async move {
            let history = match told(asked.await) {
                Ok(history) => history,
                Err(why) => return Ended::Answer(to, Err(why)),
            };
            let entries = history["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
            let at = entries.iter().position(|entry| entry["id"] == call.params["entryId"]);
            let back = at.and_then(|at| u64::try_from(at).ok()) < history["currentIndex"].as_u64();
            let action = if back { Action::Back } else { Action::Forward };
            let input = WholeInput::new(action, call);
            Ended::Answer(to, want(&queue, &state, input, tab.flatten()).await)
        };
        self.calls.push(ended.boxed());
    }

    /// Something of the domain `Target` that is no input.
    fn target(&mut self, to: ReplyTo, mut call: ClientCall) {
        let params = &call.params;
        let (target, filter) = (text(params, "targetId").to_owned(), TargetFilter::of(params));
        let answer = match call.method.as_str() {
            // What is in front already.
            "Target.activateTarget" => Ok(json!({})),
            "Target.setDiscoverTargets" | "Target.setAutoAttach" if self.browsers.contains(&call.session) => {
                Err("targets are reported to the connection itself: ask without a sessionId".to_owned())
            }
            "Target.setDiscoverTargets" => {
                self.targets.discovers = (params["discover"] == true).then_some(filter.clone());
                if self.targets.discovers.is_some() {
                    let created = |info: Value| json!({ "method": "Target.targetCreated", "params": { "targetInfo": info } });
                    self.out.extend(self.targets.listed(&filter).into_iter().map(created));
                }
                Ok(json!({}))
            }
            "Target.setAutoAttach" if call.session == self.root.session => {
                self.targets.attaches = (params["autoAttach"] == true).then_some(filter);
                let attached = self.attach_new();
                let ended = async move {
                    futures::future::join_all(attached).await;
                    Ended::Answer(to, Ok(json!({})))
                };
                return self.calls.push(ended.boxed());
            }
            "Target.setAutoAttach" => {
                call.params["flatten"] = true.into();
                call.params["waitForDebuggerOnStart"] = false.into();
                return self.pass(to, call);
            }
            "Target.getTargets" => Ok(json!({ "targetInfos": self.targets.listed(&filter) })),
            "Target.getTargetInfo" if target.is_empty() => return self.pass(to, call),
            "Target.getTargetInfo" => self
                .targets
                .get(&target)
                .map(|info| json!({ "targetInfo": info }))
                .ok_or_else(|| NO_TARGET.to_owned()),
            "Target.attachToTarget" if self.targets.has(&target) => {
                let session = match self.browsers.contains(&call.session) {
                    true => call.session,
                    false => self.root.session.clone(),
                };
                return self.pass(to, ClientCall { session, params: attach_to(&target), ..call });
            }
            // Its own, in which it is told of no more than here.
            "Target.attachToBrowserTarget" => {
                call.session = self.root.session.clone();
                return self.pass(to, call);
            }
            "Target.attachToTarget" => Err(NO_TARGET.to_owned()),
            "Target.detachFromTarget" if self.is_of_client(text(params, "sessionId")) => {
                call.session = self.root.session.clone();
                return self.pass(to, call);
            }
            "Target.getBrowserContexts" => {
                Ok(json!({ "browserContextIds": [], "defaultBrowserContextId": self.state.context }))
            }
            method => match policy::judge(method, params) {
                Verdict::Refused(why) => Err(why),
                Verdict::Answered(value) => Ok(value),
                Verdict::Pass => return self.pass(to, call),
            },
        };
        self.answer(to, answer);
    }

    fn is_of_client(&self, session: &str) -> bool {
        self.sessions.contains_key(session) && session != &*self.root.session
    }
}

/// Puts an input into the queue; its answer comes once the episode has decided on it.
pub(super) fn want(
    queue: &mpsc::UnboundedSender<WantedInput>,
    state: &EndpointState,
    input: WholeInput,
    tab: Option<String>,
) -> impl Future<Output = CallAnswer> + Send + use<> {
    let (reply, answer) = oneshot::channel();
    let mut ended = state.ended.subscribe();
    let sent = queue.send(WantedInput { input, tab, reply: Some(reply) });
    async move {
        let over = || "the episode accepts no more inputs".to_owned();
        sent.map_err(|_| over())?;
        let why = tokio::select! {
            biased;
            Ok(answer) = answer => return answer,
            Ok(why) = ended.wait_for(Option::is_some) => why.clone(),
            else => None,
        };
        Err(why.unwrap_or_else(over))
    }
}
