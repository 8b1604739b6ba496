//! One connection of a client: its messages, and what it is told.
//!
//! It has a session of its own with the browser, below which all its others are; a session that is not below it does not
//! exist for it. Events and answers of the browser come by one way, since clients rely on their order: Playwright hears of
//! scripts' contexts only once it was answered which frames there are.

mod calls;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, SinkExt as _, StreamExt as _};
use serde_json::{Map, Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use self::calls::want;
use super::gestures::{ClientCall, Gestures};
use super::policy;
use super::targets::{Targets, attach_to};
use super::{CallAnswer, EndpointState, WantedInput};
use crate::cdp::{Cdp, CdpError, CdpEvent, SessionId, text};
use waldo_devices::device::Deadline;

/// How long the browser may take to begin a session.
const BEGINS_WITHIN: Duration = Duration::from_secs(10);
/// How long a client may take to read a message.
const READS_WITHIN: Duration = Duration::from_secs(30);

/// How long what waits for an episode that is over may take to learn it, and the connection to end.
const TOLD_WITHIN: Duration = Duration::from_millis(100);
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// The most bytes of the reason that a connection is closed with (RFC 6455, section 5.5).
const REASON: usize = 123;

/// A session with the browser, which ends with the connection.
struct RootSession {
    cdp: Cdp,
    session: SessionId,
}

impl Drop for RootSession {
    fn drop(&mut self) {
        self.cdp.end_session(&self.session);
    }
}

#[derive(Debug)]
struct ClientMessage {
    id: Value,
    /// As the client named it.
    named: Option<String>,
    call: ClientCall,
}

/// Whose answer it is.
#[derive(Debug)]
struct ReplyTo {
    id: Value,
    named: Option<String>,
}

/// What one of the calls under way came to.
enum Ended {
    Answer(ReplyTo, CallAnswer),
    /// A tab was opened, of which the client is told first.
    Opened(ReplyTo, CallAnswer),
    /// What had been kept was carried out.
    Kept(CallAnswer),
    Nothing,
}

pub(super) struct Connection {
    state: Arc<EndpointState>,
    queue: mpsc::UnboundedSender<WantedInput>,
    /// Where events of its sessions and answers to its calls go.
    sink: mpsc::UnboundedSender<CdpEvent>,
    events: mpsc::UnboundedReceiver<CdpEvent>,
    /// The calls that the browser has not answered, by their numbers there.
    passed: HashMap<u64, ReplyTo>,
    root: RootSession,
    /// The session that messages without one are for.
    base: SessionId,
    /// The tab of each session, where it is of one.
    sessions: HashMap<SessionId, Option<String>>,
    /// Sessions with the browser itself that the client asked for.
    browsers: HashSet<SessionId>,
    targets: Targets,
    gestures: Gestures,
    calls: FuturesUnordered<BoxFuture<'static, Ended>>,
    /// What came while something that was kept is carried out.
    waiting: VecDeque<ClientMessage>,
    is_held_up: bool,
    /// Why what was kept was not carried out, which the next input is told.
    owed: Option<String>,
    /// Tabs that were opened and that the client was not told of yet.
    opened: HashMap<String, (ReplyTo, Value)>,
    /// The dialog that was answered last: its tab, and its number there.
    dialog: Option<(String, u64)>,
    out: Vec<Value>,
    closes: bool,
}

impl Connection {
    /// Begins the session; `page` is the only target of a connection to a page.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn open(
        state: &Arc<EndpointState>,
        queue: mpsc::UnboundedSender<WantedInput>,
        page: Option<String>,
    ) -> Result<Self, String> {
        let cdp = &state.cdp;
        let deadline = Deadline::after(BEGINS_WITHIN);
        if let Some(page) = &page
            && !state.shared.with(|context| context.tabs.iter().any(|tab| tab.target == *page))
        {
            return Err("there is no such page".to_owned());
        }
        let made = told(cdp.call(None, "Target.attachToBrowserTarget", json!({}), deadline).await)?;
        let root = RootSession { cdp: cdp.clone(), session: text(&made, "sessionId").into() };
        let (sink, events) = mpsc::unbounded_channel();
        cdp.route_session(&root.session, sink.clone());
        let (session, discover) = (Some(&root.session), json!({ "discover": true, "filter": [{}] }));
        told(cdp.call(session, "Target.setDiscoverTargets", discover, deadline).await)?;
        let mut base = root.session.clone();
        if let Some(page) = &page {
            let made = told(cdp.call(session, "Target.attachToTarget", attach_to(page), deadline).await)?;
            base = text(&made, "sessionId").into();
        }
        let mut sessions = HashMap::from([(root.session.clone(), None)]);
        sessions.insert(base.clone(), page);
        Ok(Self {
            queue,
            sink,
            events,
            passed: HashMap::new(),
            base,
            sessions,
            browsers: HashSet::new(),
            root,
            targets: Targets::new(&state.context),
            gestures: Gestures::new(state.scale),
            calls: FuturesUnordered::new(),
            waiting: VecDeque::new(),
            is_held_up: false,
            owed: None,
            opened: HashMap::new(),
            dialog: None,
            out: Vec::new(),
            closes: false,
            state: state.clone(),
        })
    }

    /// Serves the client until it or the episode ends.
    pub(super) async fn run(mut self, mut socket: WebSocketStream<TcpStream>) {
        let mut ended = self.state.ended.subscribe();
        loop {
            for message in std::mem::take(&mut self.out) {
                let sent = socket.send(Message::text(message.to_string()));
                if !matches!(tokio::time::timeout(READS_WITHIN, sent).await, Ok(Ok(()))) {
                    self.closes = true;
                }
            }
            if self.closes {
                break;
            }
            let due = self.gestures.due();
            tokio::select! {
                biased;
                _ = ended.wait_for(Option::is_some) => break,
                Some(event) = self.events.recv() => self.event(event),
                Some(ended) = self.calls.next(), if !self.calls.is_empty() => self.ended(ended),
                () = tokio::time::sleep_until(due.unwrap_or_else(tokio::time::Instant::now)), if due.is_some() => {
                    if let Some(input) = self.gestures.flush() {
                        self.hold_up(input);
                    }
                }
                message = socket.next() => match message {
                    Some(Ok(Message::Text(text))) => self.message(text.as_bytes()),
                    Some(Ok(Message::Binary(bytes))) => self.message(&bytes),
                    Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                    None | Some(Ok(Message::Close(_)) | Err(_)) => break,
                },
            }
        }
        // What was answered already is carried out all the same.
        if let Some(input) = self.gestures.flush() {
            let tab = self.tab_of(&input);
            drop(want(&self.queue, &self.state, input, tab));
        }
        let why = ended.borrow().clone();
        if let Some(why) = why {
            let _ = tokio::time::timeout(ENDS_WITHIN, self.close(&mut socket, &why)).await;
        }
    }

    /// Answers all that waits for an episode that is over, and what the client has sent meanwhile, and closes the connection.
    async fn close(&mut self, socket: &mut WebSocketStream<TcpStream>, why: &str) {
        for message in std::mem::take(&mut self.waiting) {
            self.answer(ReplyTo::of(&message), Err(why.to_owned()));
        }
        while let Ok(Some(call)) = tokio::time::timeout(TOLD_WITHIN, self.calls.next()).await {
            self.ended(call);
        }
        loop {
            while let Ok(event) = self.events.try_recv() {
                self.event(event);
            }
            for message in std::mem::take(&mut self.out) {
                let _ = socket.send(Message::text(message.to_string())).await;
            }
            // Closed with something unread, the client would lose what it has not read yet.
            match tokio::time::timeout(TOLD_WITHIN, socket.next()).await {
                Ok(Some(Ok(Message::Text(text)))) => self.refuse(text.as_bytes(), why),
                Ok(Some(Ok(Message::Binary(bytes)))) => self.refuse(&bytes, why),
                Ok(Some(Ok(_))) => {}
                Ok(None | Some(Err(_))) => return,
                Err(_) => break,
            }
        }
        let reason = why.get(..REASON).unwrap_or(why).into();
        let _ = socket.close(Some(CloseFrame { code: CloseCode::Away, reason })).await;
        while let Some(Ok(_)) = socket.next().await {}
    }

    fn refuse(&mut self, bytes: &[u8], why: &str) {
        if let Some(message) = self.read(bytes) {
            self.answer(ReplyTo::of(&message), Err(why.to_owned()));
        }
    }

    fn answer(&mut self, to: ReplyTo, answer: CallAnswer) {
        let mut message = match answer {
            Ok(result) => json!({ "id": to.id, "result": result }),
            Err(message) => json!({ "id": to.id, "error": { "code": -32000, "message": message } }),
        };
        if let Some(named) = to.named {
            message["sessionId"] = named.into();
        }
        self.out.push(message);
    }

    fn message(&mut self, bytes: &[u8]) {
        if let Some(message) = self.read(bytes) {
            self.waiting.push_back(message);
            self.go_on();
        }
    }

    /// Reads a message; what is none is answered.
    fn read(&mut self, bytes: &[u8]) -> Option<ClientMessage> {
        let mut message: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
        let mut field = |name: &str| message.remove(name).unwrap_or_default();
        let (id, named, method, params) = (field("id"), field("sessionId"), field("method"), field("params"));
        let named = named.as_str().map(str::to_owned);
        let method = method.as_str().unwrap_or_default().to_owned();
        let params = if params.is_object() { params } else { json!({}) };
        let to = ReplyTo { id: id.clone(), named: named.clone() };
        if !id.is_u64() || method.is_empty() {
            self.answer(to, Err("a message has id, method and params".to_owned()));
            return None;
        }
        let session = named.as_deref().map_or_else(|| self.base.clone(), SessionId::from);
        if !self.sessions.contains_key(&session) || named.is_some() && session == self.root.session {
            self.answer(to, Err("Session with given id not found.".to_owned()));
            return None;
        }
        Some(ClientMessage { id, named, call: ClientCall { session, method, params } })
    }

    /// Handles what waits, until something that was kept has to be carried out first.
    fn go_on(&mut self) {
        while !self.is_held_up
            && let Some(message) = self.waiting.pop_front()
        {
            if let Some((again, input)) = self.handle(message) {
                self.waiting.push_front(again);
                self.hold_up(input);
            }
        }
    }

    /// Begins sessions with the targets that are to get one.
    fn attach_new(&mut self) -> Vec<impl Future<Output = Result<Value, CdpError>> + Send + use<>> {
        let (cdp, root) = (&self.state.cdp, &self.root.session);
        let attach = |target: String| cdp.begin(Some(root), "Target.attachToTarget", attach_to(&target));
        self.targets.unattached().into_iter().map(attach).collect()
    }

    fn ended(&mut self, ended: Ended) {
        // The browser tells of what came of an input before it answers it.
        while let Ok(event) = self.events.try_recv() {
            self.event(event);
        }
        match ended {
            Ended::Answer(to, answer) => self.answer(to, answer),
            Ended::Opened(to, Ok(made)) => {
                let target = text(&made, "targetId").to_owned();
                let is_told = self.sessions.values().any(|tab| tab.as_ref() == Some(&target));
                if is_told || !self.targets.attaches(&target) {
                    self.answer(to, Ok(made));
                } else {
                    self.opened.insert(target, (to, made));
                }
            }
            Ended::Opened(to, why) => self.answer(to, why),
            Ended::Kept(answer) => {
                self.owed = answer.err();
                self.is_held_up = false;
                self.go_on();
            }
            Ended::Nothing => {}
        }
    }

    fn event(&mut self, event: CdpEvent) {
        if let Some((call, answer)) = event.answer {
            if let Some(to) = self.passed.remove(&call) {
                self.answer(to, told(answer));
            }
            return;
        }
        let CdpEvent { session: Some(session), method, params, .. } = event else { return };
        let mut come = None;
        if method == "Target.attachedToTarget" {
            let info = &params["targetInfo"];
            let target = text(info, "targetId").to_owned();
            if text(info, "type") == "browser" {
                self.browsers.insert(text(&params, "sessionId").into());
            }
            let tab = match text(info, "type") {
                "page" => Some(target.clone()),
                _ => self.sessions.get(&session).cloned().flatten(),
            };
            self.sessions.insert(text(&params, "sessionId").into(), tab);
            come = Some(target);
        } else if method == "Target.detachedFromTarget" {
            self.sessions.remove(text(&params, "sessionId"));
            self.browsers.remove(text(&params, "sessionId"));
            self.closes |= !self.sessions.contains_key(&self.base);
        } else if method == "Target.targetDestroyed" {
            come = Some(text(&params, "targetId").to_owned());
        }
        let of_root = session == self.root.session;
        let is_told = match of_root {
            true => {
                let of_session =
                    matches!(method.as_str(), "Target.attachedToTarget" | "Target.detachedFromTarget");
                (self.targets.told(&method, &params) || of_session) && self.base == session
            }
            false => self.sessions.contains_key(&session) && policy::is_told(&method, &params),
        };
        if is_told {
            let mut message = json!({ "method": method, "params": params });
            if session != self.base {
                message["sessionId"] = (&*session).into();
            }
            self.out.push(message);
        }
        if let Some((to, made)) = come.and_then(|target| self.opened.remove(&target)) {
            self.answer(to, Ok(made));
        }
        if of_root {
            for attached in self.attach_new() {
                self.calls.push(attached.map(|_| Ended::Nothing).boxed());
            }
        }
    }
}

impl ReplyTo {
    fn of(message: &ClientMessage) -> Self {
        Self { id: message.id.clone(), named: message.named.clone() }
    }
}

/// The browser's answer, for a client.
fn told(answer: Result<Value, CdpError>) -> CallAnswer {
    answer.map_err(|error| error.to_string())
}
