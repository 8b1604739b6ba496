//! Several sessions for one client, each with a device, a record and numbers of its own.
//!
//! A connection has a session called `main`, and opens others within what the flags allow. Every tool takes the name of the
//! session that it is for. Sessions end with their connection, by `close_session`, and once no call came for a while.
//!
//! Invariant: a session belongs to one connection, and no other can name it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, JsonObject, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig, Tool as Listed,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::answer;
use super::args::{self, Nothing};
use super::server::{INSTRUCTIONS, McpServer, info};
use super::tools::object;

/// The session that a connection begins with.
const MAIN: &str = "main";
/// The tools that manage sessions.
const OPEN: &str = "open_session";
const CLOSE: &str = "close_session";
const LIST: &str = "sessions";
const NAME: usize = 40;

/// How a session is to begin; what is left out is as the flags say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionStart {
    pub name: Option<String>,
    pub device: Option<String>,
    /// The page, or the app.
    pub start: Option<String>,
    /// The origins that may be touched, of those that the flags allow.
    pub allow: Option<Vec<String>>,
}

impl SessionStart {
    /// Whether it is as the flags say, under whatever name.
    pub fn is_usual(&self) -> bool {
        self.device.is_none() && self.start.is_none() && self.allow.is_none()
    }
}

/// A session that is played until it is cancelled.
pub struct OpenedSession {
    pub server: McpServer,
    pub cancel: CancellationToken,
    pub folder: String,
}

#[async_trait]
pub trait SessionOpener: Send + Sync {
    async fn open(&self, start: &SessionStart) -> Result<OpenedSession, String>;

    fn devices(&self) -> Vec<String>;
}

/// How long a session is kept without a call, by when the last one ended and how many are under way.
#[derive(Debug)]
struct SessionUse {
    last: Mutex<Instant>,
    calls: AtomicUsize,
}

impl SessionUse {
    fn new() -> Self {
        Self { last: Mutex::new(Instant::now()), calls: AtomicUsize::new(0) }
    }

    fn begin(self: &Arc<Self>) -> CallUnderWay {
        self.calls.fetch_add(1, Ordering::SeqCst);
        CallUnderWay(self.clone())
    }

    fn left(&self, idle: Duration) -> Duration {
        if self.calls.load(Ordering::SeqCst) > 0 {
            return idle;
        }
        idle.saturating_sub(self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed())
    }
}

struct CallUnderWay(Arc<SessionUse>);

impl Drop for CallUnderWay {
    fn drop(&mut self) {
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Clone)]
struct Entry {
    server: McpServer,
    folder: String,
    used: Arc<SessionUse>,
    cancel: CancellationToken,
    /// Ends the session once nobody has the entry.
    _end: Arc<DropGuard>,
}

impl Entry {
    fn new(opened: OpenedSession, idle: Duration) -> Self {
        let OpenedSession { server, cancel, folder } = opened;
        let used = Arc::new(SessionUse::new());
        let (ends, watched, of) = (cancel.clone(), used.clone(), server.clone());
        tokio::spawn(async move {
            loop {
                let left = watched.left(idle);
                if left.is_zero() {
                    of.end(format!("no call came for {} s", idle.as_secs()));
                    return ends.cancel();
                }
                tokio::select! {
                    () = tokio::time::sleep(left) => {}
                    () = ends.cancelled() => return,
                }
            }
        });
        Self { server, folder, used, cancel: cancel.clone(), _end: Arc::new(cancel.drop_guard()) }
    }
}

struct Connection {
    opener: Arc<dyn SessionOpener>,
    idle: Duration,
    open: tokio::sync::Mutex<BTreeMap<String, Entry>>,
}

#[derive(Clone)]
pub struct McpSessions(Arc<Connection>);

impl McpSessions {
    /// A connection whose sessions end after `idle` without a call.
    pub fn new(opener: Arc<dyn SessionOpener>, idle: Duration) -> Self {
        Self(Arc::new(Connection { opener, idle, open: tokio::sync::Mutex::default() }))
    }

    /// The session of this name. The first one is opened when it is needed.
    async fn session(&self, name: &str) -> Result<Entry, String> {
        let mut open = self.0.open.lock().await;
        if let Some(reason) = open.get(name).and_then(|entry| entry.server.ended()) {
            open.remove(name);
            let fix = "open_session opens another";
            return Err(answer::because(&format!("the session {name} has ended"), fix, &reason));
        }
        if let Some(entry) = open.get(name) {
            return Ok(entry.clone());
        }
        if name != MAIN || !open.is_empty() {
            let known: Vec<&str> = open.keys().map(String::as_str).collect();
            return Err(format!("there is no session of this name; there are: {}", known.join(", ")));
        }
        let entry = Entry::new(self.0.opener.open(&SessionStart::default()).await?, self.0.idle);
        open.insert(MAIN.to_owned(), entry.clone());
        Ok(entry)
    }

    async fn open_session(&self, start: SessionStart) -> Result<String, String> {
        let mut open = self.0.open.lock().await;
        open.retain(|_, entry| entry.server.ended().is_none());
        let mut free = (2..).map(|n| format!("s{n}")).filter(|name| !open.contains_key(name));
        let name = start.name.clone().or_else(|| free.next()).unwrap_or_default();
        let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || name.len() > NAME || !name.chars().all(is_word) {
            return Err(format!("a session's name has 1 to {NAME} letters, digits, hyphens and underscores"));
        }
        if open.contains_key(&name) {
            return Err(format!(
                "a session of the name {name} is open: give another name, or close_session it"
            ));
        }
        let entry = Entry::new(self.0.opener.open(&start).await?, self.0.idle);
        let said = format!(
            "the session {name} is open: give \"session\": \"{name}\" to the tools; its record is in {}",
            entry.folder
        );
        open.insert(name, entry);
        Ok(said)
    }

    async fn close_session(&self, name: &str) -> Result<String, String> {
        match self.0.open.lock().await.remove(name) {
            Some(entry) => {
                entry.server.end("it was closed".to_owned());
                entry.cancel.cancel();
                Ok(format!("the session {name} is closed; its record is in {}", entry.folder))
            }
            None => Err("there is no session of this name".to_owned()),
        }
    }

    async fn managed(&self, tool: &str, arguments: JsonObject) -> Result<String, String> {
        match tool {
            OPEN => self.open_session(args::read(tool, arguments)?).await,
            CLOSE => {
                let Named { name } = args::read(tool, arguments)?;
                self.close_session(&name).await
            }
            _ => {
                let Nothing {} = args::read(tool, arguments)?;
                let open = self.0.open.lock().await;
                let line = |(name, entry): (&String, &Entry)| match entry.server.ended() {
                    Some(_) => format!("{name}: ended; {}", entry.folder),
                    None => format!("{name}: {}", entry.folder),
                };
                Ok(open.iter().map(line).collect::<Vec<_>>().join("\n"))
            }
        }
    }

    fn own_tools(&self) -> [Listed; 3] {
        let text = |words: &str| json!({ "type": "string", "description": words });
        let properties = |all: Value| all.as_object().cloned().unwrap_or_default();
        let device = json!({ "type": "string", "enum": self.0.opener.devices() });
        let open = properties(json!({
            "name": { "type": "string" }, "device": device,
            "start": text("page or app"),
            "allow": { "type": "array", "items": { "type": "string" }, "description": "origins, of those that are allowed" },
        }));
        let words = "Opens one more session with a screen of its own, which tools work on that give its name as session.";
        let close = properties(json!({ "name": { "type": "string" } }));
        [
            Listed::new(OPEN, words, object(open, &[])),
            Listed::new(CLOSE, "Ends a session.", object(close, &["name"])),
            Listed::new(LIST, "The sessions that are open.", object(Default::default(), &[]))
                .with_annotations(ToolAnnotations::new().read_only(true)),
        ]
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

/// A session that cannot be had, as an answer of the protocol.
fn no_session(reason: String) -> ErrorData {
    ErrorData::internal_error(reason, None)
}

impl ServerHandler for McpSessions {
    fn get_info(&self) -> ServerConfig {
        info(format!("{INSTRUCTIONS} open_session opens further screens beside this one."))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut all = self.session(MAIN).await.map_err(no_session)?.server.listed();
        // Only who has several has to name one.
        if self.0.open.lock().await.len() > 1 {
            for listed in &mut all {
                let mut schema = listed.input_schema.as_ref().clone();
                if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                    properties.insert("session".to_owned(), json!({ "type": "string" }));
                }
                listed.input_schema = schema.into();
            }
        }
        all.extend(self.own_tools());
        Ok(ListToolsResult::with_all_items(all))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.session(MAIN).await.map_err(no_session)?.server.list_resources(request, context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.session(MAIN).await.map_err(no_session)?.server.read_resource(request, context).await
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut arguments = request.arguments.take().unwrap_or_default();
        if let Some(tool) = [OPEN, CLOSE, LIST].into_iter().find(|tool| request.name == *tool) {
            let done = self.managed(tool, arguments).await;
            if done.is_ok()
                && tool != LIST
                && let Err(error) = context.peer.notify_tool_list_changed().await
            {
                tracing::debug!(%error, "telling of the tools' parameters");
            }
            return Ok(done.map_or_else(|wrong| answer::error(&wrong), answer::text).into());
        }
        let name = match arguments.remove("session") {
            None | Some(Value::Null) => MAIN.to_owned(),
            Some(Value::String(name)) => name,
            Some(_) => return Ok(answer::error("session is the name of a session, a text").into()),
        };
        request.arguments = Some(arguments);
        match self.session(&name).await {
            Ok(entry) => {
                let _under_way = entry.used.begin();
                entry.server.call_tool(request, context).await
            }
            Err(reason) => Ok(answer::error(&reason).into()),
        }
    }
}
