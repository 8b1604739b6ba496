//! The server of suites' pages.
//!
//! One server on loopback serves all episodes, each on an origin of its own: `e3-5c7a….localhost`, and
//! `o3-5c7a….localhost` for frames of another origin. Browsers take every name under `localhost` for
//! loopback without asking anyone.
//!
//! Invariants: a request whose `Host` is not an episode's gets 404, so a foreign name that points to
//! loopback reaches nothing; only this process is served, which is where the guard's proxy is; what ends an episode also ends its origins; nothing may be cached.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_tasks::TaskError;
use waldo_tasks::suite::{AppDef, RequestLog, SiteFiles, SiteHost, SiteLease};

use super::apps::AppLease;
use super::episode::EpisodePages;
use super::http::{self, answer, cannot_listen, text};

const MAX_BODY: usize = 4 * 1024 * 1024;
const STATE: &str = "/_waldo/state";
const FILE: &str = "/_waldo/file/";
const LOG: &str = "/_waldo/log/";

/// Episodes by the `Host` that reaches them.
type Hosts = Arc<RwLock<HashMap<String, Arc<EpisodePages>>>>;

/// The server. Dropping it ends it.
#[derive(Debug)]
pub struct Sites {
    hosts: Hosts,
    port: u16,
    count: AtomicU64,
    names: RandomState,
    _stop: DropGuard,
}

impl Sites {
    /// Starts a server on a free port of loopback.
    pub async fn start() -> Result<Self, TaskError> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let v4 = TcpListener::bind(any).await.map_err(cannot_listen(any))?;
        let port = v4.local_addr().map_err(cannot_listen(any))?.port();
        let hosts = Hosts::default();
        let router = Router::new().fallback(handle).with_state(hosts.clone());
        let stop = CancellationToken::new();
        // A browser may try ::1 first; where that cannot be had, it goes on to 127.0.0.1 by itself.
        // Browsers come through the guard's proxy, which is in this process.
        let peers = || PeerCheck::new("the server of the tasks' pages", PeerRule::ThisProcess);
        if let Ok(v6) = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
            http::spawn(v6, peers(), router.clone(), stop.clone());
        }
        http::spawn(v4, peers(), router, stop.clone());
        let (count, names) = (AtomicU64::new(0), RandomState::new());
        Ok(Self { hosts, port, count, names, _stop: stop.drop_guard() })
    }
}

#[async_trait]
impl SiteHost for Sites {
    async fn lease(&self, files: SiteFiles) -> Result<Arc<dyn SiteLease>, TaskError> {
        let n = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let name =
            |kind: char| format!("{kind}{n}-{:016x}.localhost:{}", self.names.hash_one((kind, n)), self.port);
        let names = [name('e'), name('o')];
        let [origin, other_origin] = names.clone().map(|name| format!("http://{name}"));
        let episode = Arc::new(EpisodePages::new(files, other_origin.clone()));
        let mut hosts = self.hosts.write().unwrap_or_else(PoisonError::into_inner);
        for name in &names {
            hosts.insert(name.clone(), episode.clone());
        }
        Ok(Arc::new(Lease { hosts: self.hosts.clone(), names, origin, other_origin, episode }))
    }

    async fn app(&self, app: &Arc<AppDef>) -> Result<Arc<dyn SiteLease>, TaskError> {
        let n = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let name = format!("a{n}-{:016x}", self.names.hash_one(('a', n)));
        Ok(Arc::new(AppLease::new(app, &name, PeerRule::ThisProcess).await?))
    }
}

struct Lease {
    hosts: Hosts,
    names: [String; 2],
    origin: String,
    other_origin: String,
    episode: Arc<EpisodePages>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut hosts = self.hosts.write().unwrap_or_else(PoisonError::into_inner);
        for name in &self.names {
            hosts.remove(name);
        }
    }
}

#[async_trait]
impl SiteLease for Lease {
    fn origin(&self) -> &str {
        &self.origin
    }

    fn other_origin(&self) -> &str {
        &self.other_origin
    }

    fn start(&self, page_seed: u32, params: &Value, state: &Value) {
        self.episode.start(page_seed, params, state);
    }

    fn set(&self, pointer: &str, value: Value) -> bool {
        self.episode.set(pointer, value)
    }

    fn state(&self) -> Value {
        self.episode.state()
    }

    fn requests(&self) -> Vec<RequestLog> {
        self.episode.requests()
    }

    fn overflowed(&self) -> bool {
        self.episode.overflowed()
    }
}

async fn handle(State(hosts): State<Hosts>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Some(episode) = episode_of(&hosts, &head.headers) else {
        return text(StatusCode::NOT_FOUND, "no episode is served under this name");
    };
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
    let (bytes, body, response) = match http::whole(body, MAX_BODY).await {
        Err(status) => (0, None, text(status, "the body is too long or came too late")),
        Ok(bytes) => {
            let body = read_body(&head.headers, &bytes);
            let response = respond(&episode, &head.method, path, &head.headers, body.as_ref());
            (bytes.len(), body, response)
        }
    };
    let entry = RequestLog {
        method: head.method.to_string(),
        path: path.to_owned(),
        query: query.to_owned(),
        body,
        status: response.status().as_u16(),
    };
    episode.log(entry, bytes);
    response
}

fn episode_of(hosts: &Hosts, headers: &HeaderMap) -> Option<Arc<EpisodePages>> {
    let host = headers.get(header::HOST)?.to_str().ok()?.to_ascii_lowercase();
    hosts.read().unwrap_or_else(PoisonError::into_inner).get(&host).cloned()
}

fn respond(
    episode: &EpisodePages,
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    body: Option<&Value>,
) -> Response<Body> {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let writes = matches!(*method, Method::POST | Method::PUT);
    if path == STATE {
        return match *method {
            // The state holds what the task asks for; it is for scripts, never for the screen.
            Method::GET if is_navigation(headers) => text(StatusCode::FORBIDDEN, "this is not a page"),
            Method::GET => http::json(StatusCode::OK, &episode.summary()),
            Method::PUT => match body {
                Some(state @ (Value::Object(_) | Value::Array(_))) => {
                    let revision = episode.replace(state.clone());
                    http::json(StatusCode::OK, &json!({ "ok": true, "revision": revision }))
                }
                _ => text(StatusCode::BAD_REQUEST, "the state must be a JSON object"),
            },
            _ => text(StatusCode::METHOD_NOT_ALLOWED, "use GET or PUT"),
        };
    }
    if path.starts_with(LOG) && writes {
        return http::json(StatusCode::OK, &json!({ "ok": true }));
    }
    if !reads {
        return text(StatusCode::METHOD_NOT_ALLOWED, "use GET");
    }
    let Some(path) = decode(path) else {
        return text(StatusCode::BAD_REQUEST, "the path is not UTF-8");
    };
    if let Some(name) = path.strip_prefix(FILE) {
        return download(name, episode.file(name));
    }
    page(&episode.files, &path)
}

fn page(files: &SiteFiles, path: &str) -> Response<Body> {
    if let Some(file) = files.get(path) {
        return answer(StatusCode::OK, file.mime, axum::body::Bytes::from_owner(file.bytes));
    }
    if files.is_folder(path) {
        let mut response = text(StatusCode::PERMANENT_REDIRECT, "a folder ends in a slash");
        if let Ok(to) = HeaderValue::from_str(&format!("{}/", encode(path))) {
            response.headers_mut().insert(header::LOCATION, to);
            return response;
        }
    }
    if path == "/favicon.ico" {
        return answer(StatusCode::NO_CONTENT, "image/x-icon", Body::empty());
    }
    text(StatusCode::NOT_FOUND, "not found")
}

fn download(name: &str, content: Option<String>) -> Response<Body> {
    let Some(content) = content else { return text(StatusCode::NOT_FOUND, "not found") };
    let mut response = answer(StatusCode::OK, "application/octet-stream", content);
    let disposition = format!("attachment; filename*=UTF-8''{}", encode(name).replace('/', "%2F"));
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// Whether the browser is about to show the answer as a page.
fn is_navigation(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate")
}

/// The body as it is logged: JSON whatever it is called (a beacon cannot name its type), a form as an
/// object of strings, else text.
fn read_body(headers: &HeaderMap, bytes: &[u8]) -> Option<Value> {
    if bytes.is_empty() {
        return None;
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.starts_with("application/x-www-form-urlencoded") {
        let fields = url::form_urlencoded::parse(bytes);
        return Some(fields.map(|(k, v)| (k.into_owned(), Value::String(v.into_owned()))).collect());
    }
    serde_json::from_slice(bytes)
        .ok()
        .or_else(|| Some(Value::String(String::from_utf8_lossy(bytes).into_owned())))
}

/// Undoes percent-encoding; `None` when what comes out is not UTF-8.
pub(super) fn decode(path: &str) -> Option<String> {
    percent_decode_str(path).decode_utf8().ok().map(Cow::into_owned)
}

/// Percent-encodes all but what is plain in every part of an address; slashes stay.
fn encode(path: &str) -> String {
    const ESCAPED: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    utf8_percent_encode(path, ESCAPED).to_string()
}

#[cfg(test)]
mod tests;
