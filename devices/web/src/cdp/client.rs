//! Calls, their answers, and the routes of events.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};

use super::{CdpError, CdpEvent, ENDED, MessageReader, MessageWriter, SessionId, text};
use waldo_devices::device::Deadline;

pub(crate) type EventSender = mpsc::UnboundedSender<CdpEvent>;

/// A connection to a browser; cheap to clone.
#[derive(Clone)]
pub(crate) struct Cdp(Arc<ClientState>);

struct ClientState {
    next: AtomicU64,
    out: mpsc::UnboundedSender<String>,
    pending: Mutex<HashMap<u64, OpenCalls>>,
    routes: Mutex<Routes>,
    closed: watch::Sender<Option<String>>,
}

struct OpenCalls {
    session: Option<SessionId>,
    reply: Reply,
}

enum Reply {
    Caller(oneshot::Sender<Result<Value, CdpError>>),
    /// Whoever gets events, at its place among them.
    InOrder(EventSender),
}

impl Reply {
    fn send(self, call: u64, answer: Result<Value, CdpError>) {
        // Whoever asked may wait no more.
        match self {
            Self::Caller(caller) => drop(caller.send(answer)),
            Self::InOrder(sink) => {
                let (session, method, params) = (None, String::new(), Value::Null);
                drop(sink.send(CdpEvent { session, method, params, answer: Some((call, answer)) }));
            }
        }
    }
}

/// Events of a session go to the device that owns the session; events of the browser itself go to all.
#[derive(Default)]
struct Routes {
    sessions: HashMap<SessionId, EventSender>,
    contexts: HashMap<String, EventSender>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves these maps whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cdp {
    pub(crate) fn start(reader: impl MessageReader + 'static, writer: impl MessageWriter + 'static) -> Self {
        let (out, outgoing) = mpsc::unbounded_channel();
        let shared = Arc::new(ClientState {
            next: AtomicU64::new(1),
            out,
            pending: Mutex::default(),
            routes: Mutex::default(),
            closed: watch::Sender::new(None),
        });
        let weak = Arc::downgrade(&shared);
        let closed = shared.closed.subscribe();
        tokio::spawn(write_all(writer, outgoing, closed));
        tokio::spawn(async move {
            let reason = read_all(reader, &weak).await;
            if let Some(shared) = weak.upgrade() {
                shared.close(reason);
            }
        });
        Self(shared)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.closed.borrow().is_none()
    }

    pub(crate) async fn gone(&self) -> String {
        let mut closed = self.0.closed.subscribe();
        match closed.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            Err(_) => "the connection is gone".to_owned(),
        }
    }

    /// Events of the browser context `context` go to `sink` from now on.
    pub(crate) fn route_context(&self, context: &str, sink: EventSender) {
        lock(&self.0.routes).contexts.insert(context.to_owned(), sink);
    }

    pub(crate) fn route_session(&self, session: &SessionId, sink: EventSender) {
        lock(&self.0.routes).sessions.insert(session.clone(), sink);
    }

    pub(crate) fn unroute(&self, context: &str) {
        let mut routes = lock(&self.0.routes);
        if let Some(sink) = routes.contexts.remove(context) {
            routes.sessions.retain(|_, other| !other.same_channel(&sink));
        }
    }

    /// Ends a session that was routed by itself, and those below it.
    pub(crate) fn end_session(&self, session: &SessionId) {
        self.fire(None, "Target.detachFromTarget", json!({ "sessionId": &**session }));
        let sessions = &mut lock(&self.0.routes).sessions;
        if let Some(sink) = sessions.remove(session) {
            sessions.retain(|_, other| !other.same_channel(&sink));
        }
    }

    /// Whether events of `session` still come: they end with it, before whoever waits for its answers is told so.
    pub(crate) fn has_session(&self, session: &SessionId) -> bool {
        lock(&self.0.routes).sessions.contains_key(session)
    }

    pub(crate) async fn call(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: Value,
        deadline: Deadline,
    ) -> Result<Value, CdpError> {
        let asked = deadline.left();
        let answer = self.begin(session, method, params);
        tokio::time::timeout_at(deadline.instant(), answer).await.unwrap_or(Err(CdpError::Timeout(asked)))
    }

    /// Calls `method` at once; what comes of it may be waited for as long as somebody does.
    pub(crate) fn begin(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: Value,
    ) -> impl Future<Output = Result<Value, CdpError>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        let sent = self.0.send(session, method, params, Some(Reply::Caller(reply)));
        let shared = self.0.clone();
        async move {
            // Forgets the call when the caller stops waiting for it.
            let _forget = Forget { shared: &shared, id: sent? };
            answer.await.unwrap_or_else(|_| Err(shared.closed_error()))
        }
    }

    /// Calls `method`, whose answer comes to `sink` by the number of the call. Where events of the session go there, too, answers
    /// and events keep the order in which the browser sent them.
    ///
    /// # Errors
    /// When the connection is gone.
    pub(crate) fn begin_in_order(
        &self,
        session: &SessionId,
        method: &str,
        params: Value,
        sink: EventSender,
    ) -> Result<u64, CdpError> {
        self.0.send(Some(session), method, params, Some(Reply::InOrder(sink)))
    }

    /// Calls `method` and ignores its answer.
    pub(crate) fn fire(&self, session: Option<&SessionId>, method: &str, params: Value) {
        // A closed connection is noticed by whoever waits for an answer.
        let _ = self.0.send(session, method, params, None);
    }
}

struct Forget<'a> {
    shared: &'a ClientState,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        lock(&self.shared.pending).remove(&self.id);
    }
}

impl ClientState {
    fn closed_error(&self) -> CdpError {
        let reason = self.closed.borrow().clone();
        CdpError::Closed(reason.unwrap_or_else(|| "the connection is gone".to_owned()))
    }

    fn send(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: Value,
        reply: Option<Reply>,
    ) -> Result<u64, CdpError> {
        if self.closed.borrow().is_some() {
            return Err(self.closed_error());
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = Value::from(&**session);
        }
        if let Some(reply) = reply {
            lock(&self.pending).insert(id, OpenCalls { session: session.cloned(), reply });
        }
        if self.out.send(message.to_string()).is_err() || self.closed.borrow().is_some() {
            lock(&self.pending).remove(&id);
            return Err(self.closed_error());
        }
        Ok(id)
    }

    fn close(&self, reason: String) {
        self.closed.send_replace(Some(reason.clone()));
        for (id, pending) in lock(&self.pending).drain() {
            pending.reply.send(id, Err(CdpError::Closed(reason.clone())));
        }
        *lock(&self.routes) = Routes::default();
    }

    fn receive(&self, bytes: &[u8]) {
        let Ok(mut message) = serde_json::from_slice::<Value>(bytes) else {
            tracing::debug!(bytes = bytes.len(), "a message of the browser is not JSON");
            return;
        };
        if let Some(id) = message.get("id").and_then(Value::as_u64) {
            let Some(pending) = lock(&self.pending).remove(&id) else { return };
            let result = match message.get("error") {
                Some(error) => Err(CdpError::Remote(text(error, "message").to_owned())),
                None => Ok(message.get_mut("result").map(Value::take).unwrap_or_default()),
            };
            pending.reply.send(id, result);
            return;
        }
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else { return };
        let session = message.get("sessionId").and_then(Value::as_str).map(SessionId::from);
        let params = message.get_mut("params").map(Value::take).unwrap_or_default();
        self.route(CdpEvent { session, method, params, answer: None });
    }

    fn route(&self, event: CdpEvent) {
        let mut routes = lock(&self.routes);
        let mut orphan = None;
        if event.method == "Target.attachedToTarget" {
            let child = SessionId::from(text(&event.params, "sessionId"));
            let sink = match &event.session {
                Some(parent) => routes.sessions.get(parent),
                None => routes.contexts.get(text(&event.params["targetInfo"], "browserContextId")),
            };
            match sink.cloned() {
                Some(sink) => {
                    routes.sessions.insert(child, sink.clone());
                    if event.session.is_none() {
                        let _ = sink.send(event);
                        return;
                    }
                }
                // A session with the browser itself is routed by whoever asked for it.
                None if text(&event.params["targetInfo"], "type") == "browser" => return,
                None => orphan = Some(child),
            }
        } else if event.method == "Target.detachedFromTarget" {
            let child = text(&event.params, "sessionId");
            let sink = routes.sessions.remove(child);
            let mut pending = lock(&self.pending);
            let lost: Vec<u64> = pending
                .iter()
                .filter(|(_, call)| call.session.as_deref() == Some(child))
                .map(|(id, _)| *id)
                .collect();
            for (id, call) in lost.iter().filter_map(|id| Some((*id, pending.remove(id)?))) {
                call.reply.send(id, Err(CdpError::Detached));
            }
            drop(pending);
            if let Some(sink) = sink
                && event.session.is_none()
            {
                let _ = sink.send(event);
                return;
            }
        }
        if let Some(child) = orphan {
            // A page that is not ours (of a browser that we only joined): let it go.
            drop(routes);
            let _ = self.send(Some(&child), "Runtime.runIfWaitingForDebugger", json!({}), None);
            let _ = self.send(None, "Target.detachFromTarget", json!({ "sessionId": &*child }), None);
            return;
        }
        match &event.session {
            Some(session) => {
                if let Some(sink) = routes.sessions.get(session) {
                    let _ = sink.send(event);
                }
            }
            None => {
                for sink in routes.contexts.values() {
                    let _ = sink.send(CdpEvent {
                        session: None,
                        method: event.method.clone(),
                        params: event.params.clone(),
                        answer: None,
                    });
                }
            }
        }
    }
}

async fn write_all(
    mut writer: impl MessageWriter,
    mut outgoing: mpsc::UnboundedReceiver<String>,
    mut closed: watch::Receiver<Option<String>>,
) {
    loop {
        let message = tokio::select! {
            message = outgoing.recv() => message,
            _ = closed.wait_for(Option::is_some) => None,
        };
        let Some(message) = message else { return };
        if let Err(error) = writer.send(message).await {
            tracing::debug!(%error, "writing to the browser failed");
            return;
        }
    }
}

async fn read_all(mut reader: impl MessageReader, shared: &std::sync::Weak<ClientState>) -> String {
    loop {
        match reader.next().await {
            Ok(Some(bytes)) => match shared.upgrade() {
                Some(shared) => shared.receive(&bytes),
                None => return "nobody listens".to_owned(),
            },
            Ok(None) => return ENDED.to_owned(),
            Err(error) => return format!("reading from the browser failed: {error}"),
        }
    }
}
