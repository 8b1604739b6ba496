//! The page's server.
//!
//! Invariants: it listens on loopback only; the shell of the page holds nothing of the run, and all else wants the token in
//! a header, where no other site can put it, from a request that names this very address; nothing is kept by browsers,
//! framed, or sent on as a referrer.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::routing::{get, post};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use url::form_urlencoded;
use waldo_devices::labels::{encode_png, media_type};
use waldo_devices::{Frame, foreign};
use waldo_tasks::TaskError;

use super::command::Posted;
use super::hub::{Hub, Labelled, PageLine};
use crate::serve::http::{self, answer, cannot_listen, text};
use crate::serve::{is_token, token};

const MAX_BODY: usize = 256 * 1024;
/// Bytes of a picture that is read from the record.
const MAX_PICTURE: u64 = 64 * 1024 * 1024;
/// Streams that may be open at once.
const MAX_STREAMS: usize = 64;
/// A stream that has nothing to tell says so, so that a page knows of a lost connection.
const BEAT: Duration = Duration::from_secs(5);
/// How long the last lines may take to reach the pages.
const LAST_WORDS: Duration = Duration::from_secs(2);

const HTML: &str = include_str!("assets/live.html");
const CSS: &str = include_str!("assets/live.css");
const JS: &str = include_str!("assets/live.js");

#[derive(Clone, Debug)]
struct LivePages {
    hosts: [String; 2],
    token: String,
    hub: Arc<Hub>,
    stop: CancellationToken,
}

#[derive(Debug)]
pub(super) struct LiveServer {
    /// Its address, with the token in the fragment.
    pub(super) url: String,
    stop: CancellationToken,
    served: JoinHandle<()>,
}

impl LiveServer {
    /// Serves on loopback; port 0 takes a free one.
    pub(super) async fn start(port: u16, hub: Arc<Hub>) -> Result<Self, TaskError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.map_err(cannot_listen(address))?;
        let address = listener.local_addr().map_err(cannot_listen(address))?;
        let token = token()?;
        let stop = CancellationToken::new();
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        let served = LivePages { hosts, token: token.clone(), hub, stop: stop.clone() };
        let router = Router::new()
            .route("/", get(|state, request| shell(state, request, HTML, "text/html; charset=utf-8")))
            .route("/live.css", get(|state, request| shell(state, request, CSS, "text/css; charset=utf-8")))
            .route(
                "/live.js",
                get(|state, request| shell(state, request, JS, "text/javascript; charset=utf-8")),
            )
            .route("/events", get(events))
            .route("/picture", get(picture))
            .route("/frames", get(frames))
            .route("/do", post(command))
            .fallback(|| async { text(StatusCode::NOT_FOUND, "nothing is here") })
            .with_state(served);
        let ends = stop.clone().cancelled_owned();
        let served = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(ends).await {
                tracing::warn!(%error, "the live page ended");
            }
        });
        Ok(Self { url: format!("http://{address}/#{token}"), stop, served })
    }

    pub(super) async fn end(mut self) {
        self.stop.cancel();
        if tokio::time::timeout(LAST_WORDS, &mut self.served).await.is_err() {
            self.served.abort();
        }
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Whether a request names this address; one of another site that found the port, or got its name to lead here, does not.
fn is_ours(served: &LivePages, request: &Request) -> bool {
    let named = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    let host = named(header::HOST).unwrap_or_default();
    let own = |origin: &str| served.hosts.iter().any(|host| origin == format!("http://{host}"));
    served.hosts.iter().any(|known| known == host) && named(header::ORIGIN).is_none_or(own)
}

/// Whether a request has the token, compared in a time that says nothing of it.
fn has_token(served: &LivePages, request: &Request) -> bool {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(given) = given.and_then(|value| value.strip_prefix("Bearer ")) else { return false };
    is_token(given, &served.token)
}

fn refused(served: &LivePages, request: &Request) -> Option<Response<Body>> {
    if !is_ours(served, request) {
        return Some(text(StatusCode::NOT_FOUND, "nothing is here"));
    }
    (!has_token(served, request)).then(|| {
        text(StatusCode::UNAUTHORIZED, "open the address that waldo printed, including the part after the #")
    })
}

async fn shell(
    State(served): State<LivePages>,
    request: Request,
    body: &'static str,
    mime: &'static str,
) -> Response<Body> {
    if !is_ours(&served, &request) {
        return text(StatusCode::NOT_FOUND, "nothing is here");
    }
    let mut response = answer(StatusCode::OK, mime, body);
    let headers = response.headers_mut();
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; connect-src 'self'; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response
}

/// The value that the address gives `name` behind its `?`.
fn parameter(request: &Request, name: &str) -> Option<String> {
    let pairs = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes());
    pairs.into_iter().find(|(given, _)| given == name).map(|(_, value)| value.into_owned())
}

fn lacking(name: &str) -> Response<Body> {
    answer(StatusCode::BAD_REQUEST, "text/plain; charset=utf-8", format!("the address does not say {name}="))
}

/// A stream that is open; the hub knows of it until it is dropped.
struct Open {
    hub: Arc<Hub>,
    page: String,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.hub.page(&self.page, false);
    }
}

struct PageStream {
    open: Open,
    episode: Option<String>,
    lines: broadcast::Receiver<PageLine>,
    ready: String,
    stop: CancellationToken,
    over: bool,
}

impl PageStream {
    fn whole(&mut self) {
        for line in self.open.hub.whole(self.episode.as_deref()) {
            self.ready.push_str(&line);
            self.ready.push('\n');
        }
    }

    fn is_for(&self, line: &PageLine) -> bool {
        line.of.is_none() || line.of == self.episode
    }

    async fn next(&mut self) -> Option<String> {
        while self.ready.is_empty() {
            if self.over {
                return None;
            }
            tokio::select! {
                biased;
                told = self.lines.recv() => match told {
                    Ok(line) if self.is_for(&line) => {
                        self.ready.push_str(&line.text);
                        self.ready.push('\n');
                    }
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => {
                        self.lines = self.open.hub.listen();
                        self.whole();
                    }
                    Err(RecvError::Closed) => return None,
                },
                () = self.stop.cancelled() => self.over = true,
                () = tokio::time::sleep(BEAT) => self.ready.push('\n'),
            }
        }
        Some(std::mem::take(&mut self.ready))
    }
}

async fn events(State(served): State<LivePages>, request: Request) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    let Some(page) = parameter(&request, "page") else { return lacking("page") };
    if served.hub.streams() >= MAX_STREAMS || page.len() > 64 {
        return text(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open: close one");
    }
    let hub = served.hub.clone();
    hub.page(&page, true);
    let lines = hub.listen();
    let open = Open { hub, page };
    let mut stream = PageStream {
        open,
        // The episode whose steps are wanted.
        episode: parameter(&request, "episode"),
        lines,
        ready: String::new(),
        stop: served.stop,
        over: false,
    };
    stream.whole();
    let told = futures::stream::unfold(stream, async |mut stream| {
        let text = stream.next().await?;
        Some((Ok::<_, std::convert::Infallible>(Bytes::from(text)), stream))
    });
    answer(StatusCode::OK, "application/x-ndjson", Body::from_stream(told))
}

/// The labelled screen of `episode` at `step`; with `bare=true` the screen of now, without numbers.
async fn picture(State(served): State<LivePages>, request: Request) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    let Some(episode) = parameter(&request, "episode") else { return lacking("episode") };
    let step = match parameter(&request, "step").map(|step| step.parse()) {
        None => 0,
        Some(Ok(step)) => step,
        Some(Err(_)) => return text(StatusCode::BAD_REQUEST, "step= is not a number"),
    };
    let none = || text(StatusCode::NOT_FOUND, "there is no such picture");
    let bytes = if parameter(&request, "bare").is_some_and(|bare| bare == "true") {
        let Some(picture) = served.hub.bare(&episode) else { return none() };
        let packed = tokio::task::spawn_blocking(move || encode_png(&picture).ok()).await;
        packed.ok().flatten().map(Bytes::from)
    } else {
        match served.hub.labelled(&episode, step) {
            None => None,
            Some(Labelled::Bytes(bytes)) => Some(Bytes::from_owner(bytes)),
            Some(Labelled::Kept { root, file }) => {
                // A name that leads elsewhere is refused there.
                let read = tokio::task::spawn_blocking(move || foreign::read(&root, &file, MAX_PICTURE).ok());
                read.await.ok().flatten().map(Bytes::from)
            }
        }
    };
    if let Some(bytes) = bytes { answer(StatusCode::OK, media_type(&bytes), bytes) } else { none() }
}

/// The screen as it moves: pictures, each behind its length in bytes (32 bits, the highest first). Who reads slowly gets
/// fewer.
async fn frames(State(served): State<LivePages>, request: Request) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    let Some(episode) = parameter(&request, "episode") else { return lacking("episode") };
    let Some(watcher) = served.hub.film(&episode) else {
        return text(StatusCode::NOT_FOUND, "this episode is not played, or too many watch it");
    };
    let told = futures::stream::unfold((watcher, served.stop), async |(mut watcher, stop)| {
        loop {
            let frame = tokio::select! {
                frame = watcher.next() => frame?,
                () = stop.cancelled() => return None,
            };
            let bytes = match frame {
                Frame::Packed(bytes) => Some(prefixed(&bytes)),
                Frame::Pixels(picture) => {
                    let packed = tokio::task::spawn_blocking(move || {
                        encode_png(&picture).ok().map(|bytes| prefixed(&bytes))
                    });
                    packed.await.ok().flatten()
                }
            };
            if let Some(bytes) = bytes {
                return Some((Ok::<_, std::convert::Infallible>(bytes), (watcher, stop)));
            }
        }
    });
    answer(StatusCode::OK, "application/octet-stream", Body::from_stream(told))
}

fn prefixed(bytes: &[u8]) -> Bytes {
    let length = u32::try_from(bytes.len()).unwrap_or_default();
    [&length.to_be_bytes(), bytes].concat().into()
}

async fn command(State(served): State<LivePages>, request: Request) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("application/json")) {
        return text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "post JSON");
    }
    let bytes = match http::whole(request.into_body(), MAX_BODY).await {
        Ok(bytes) => bytes,
        Err(status) => return text(status, "too long, or too late"),
    };
    let Posted { hand, episode, what } = match serde_json::from_slice(&bytes) {
        Ok(posted) => posted,
        Err(error) => {
            return http::json(
                StatusCode::BAD_REQUEST,
                &json!({ "error": format!("not a command: {error}") }),
            );
        }
    };
    match served.hub.command(&hand, &episode, what) {
        Ok(()) => http::json(StatusCode::OK, &json!({ "done": true })),
        Err(error) => http::json(StatusCode::CONFLICT, &json!({ "error": error })),
    }
}

/// Opens the page in the browser of whoever sits at this desktop. The address, which holds the token, goes by a file that
/// nobody else can read, and that lasts as long as what is given back: arguments of programs can be seen by all.
pub(super) fn open(url: &str) -> Option<tempfile::TempDir> {
    use std::io::IsTerminal as _;
    let has = |name| crate::environment::var_os(name).is_some_and(|value| !value.is_empty());
    if !(has("DISPLAY") || has("WAYLAND_DISPLAY")) || !std::io::stderr().is_terminal() {
        return None;
    }
    let opened = || -> std::io::Result<tempfile::TempDir> {
        let folder = tempfile::Builder::new().prefix("waldo-live-").tempdir()?;
        let page = folder.path().join("open.html");
        std::fs::write(
            &page,
            format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={url}\">"),
        )?;
        let mut opener = waldo_devices::child::command("xdg-open");
        opener.arg(&page).stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        opener.stderr(std::process::Stdio::null()).spawn()?;
        Ok(folder)
    };
    match opened() {
        Ok(folder) => Some(folder),
        Err(error) => {
            tracing::debug!(%error, "no browser was opened");
            None
        }
    }
}
