//! The page on which a person drives a device: the labelled screen to click on.
//!
//! Invariants: it is served on loopback only, under an address that holds a random token, and to requests
//! that name that address, so neither another machine nor another site in the same browser reaches it; what
//! is posted is a deed on the screen that the person saw, and is refused when the screen is another by now.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use waldo_agents::View;
use waldo_agents::appagent::Call;
use waldo_devices::catalogue::Reply;
use waldo_devices::{Point, Tool, ToolCall};
use waldo_tasks::TaskError;
use waldo_tasks::demo::{DemoAction, Touch};

use super::http::{self, answer, cannot_listen, text};

/// Bytes that a posted deed may have.
const MAX_BODY: usize = 256 * 1024;
/// How long the last answers may take to reach the page.
const LAST_WORDS: Duration = Duration::from_secs(2);

const HTML: &str = include_str!("demo/page.html");
const CSS: &str = include_str!("demo/page.css");
const JS: &str = include_str!("demo/page.js");

/// What a person asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum PersonRequest {
    /// Something to be done and kept.
    Do(DemoAction),
    /// The screen as it is now.
    Look,
    /// The end of the demonstration.
    Stop,
}

/// A request of the page; it waits for the reply.
#[derive(Debug)]
pub struct PendingRequest {
    /// What is asked for.
    pub what: PersonRequest,
    reply: oneshot::Sender<Value>,
}

/// What the page shows.
#[derive(Debug, Default)]
struct PageState {
    number: u64,
    state: Value,
    png: Arc<[u8]>,
}

#[derive(Clone, Debug)]
struct Served {
    hosts: [String; 2],
    token: String,
    shown: Arc<RwLock<PageState>>,
    asks: mpsc::Sender<PendingRequest>,
}

/// The page. Dropping it ends it.
#[derive(Debug)]
pub struct DemoPage {
    url: String,
    shown: Arc<RwLock<PageState>>,
    asked: mpsc::Receiver<PendingRequest>,
    stop: CancellationToken,
    served: JoinHandle<()>,
}

impl DemoPage {
    /// Serves it on loopback; port 0 takes a free one.
    ///
    /// # Errors
    /// When the port is taken or no chance can be had for the token.
    pub async fn start(port: u16) -> Result<Self, TaskError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.map_err(cannot_listen(address))?;
        let address = listener.local_addr().map_err(cannot_listen(address))?;
        let token = token()?;
        let shown: Arc<RwLock<PageState>> = Arc::default();
        let (asks, asked) = mpsc::channel(1);
        let hosts = [address.to_string(), format!("localhost:{}", address.port())];
        let served = Served { hosts, token: token.clone(), shown: shown.clone(), asks };
        let router = Router::new()
            .route("/{token}/", get(|state, request| page(state, request, HTML, "text/html; charset=utf-8")))
            .route("/{token}/page.css", get(|state, request| page(state, request, CSS, "text/css")))
            .route("/{token}/page.js", get(|state, request| page(state, request, JS, "text/javascript")))
            .route("/{token}/screen", get(screen))
            .route("/{token}/picture/{number}", get(picture))
            .route("/{token}/do", post(deed))
            .fallback(|| async { text(StatusCode::NOT_FOUND, "nothing is here") })
            .with_state(served);
        let stop = CancellationToken::new();
        let ends = stop.clone().cancelled_owned();
        let served = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).with_graceful_shutdown(ends).await {
                tracing::warn!(%error, "the page of a demonstration ended");
            }
        });
        Ok(Self { url: format!("http://{address}/{token}/"), shown, asked, stop, served })
    }

    /// Its address, token included.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The next thing that a person asks for; `None` never comes while the page is served.
    pub async fn next(&mut self) -> Option<PendingRequest> {
        self.asked.recv().await
    }

    /// Puts a screen on the page; `more` is added to what the page is told.
    pub fn show(&self, view: &View, more: Value) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        shown.number += 1;
        let o = &view.observation;
        let elements: Vec<Value> = view
            .tagged
            .iter()
            .zip(view.list.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())))
            .filter_map(|(t, line)| {
                let b = &o.elements.get(t.element)?.bounds;
                Some(json!({ "tag": t.tag, "line": line, "x": b.x, "y": b.y, "w": b.w, "h": b.h }))
            })
            .collect();
        let focused =
            waldo_agents::appagent::learn::focused(view).and_then(|at| view.tagged.get(at)).map(|t| t.tag);
        let mut state = json!({
            "screen": shown.number,
            "picture": !view.png.is_empty(),
            "width": o.geometry.physical.w,
            "height": o.geometry.physical.h,
            "location": o.context.location,
            "title": o.context.title,
            "dialog": o.context.dialog,
            "focused": focused,
            "elements": elements,
        });
        if let (Value::Object(state), Value::Object(more)) = (&mut state, more) {
            state.extend(more);
        }
        shown.state = state;
        shown.png = view.png.clone();
    }

    /// Answers a request with what the page shows now, and `said`.
    pub fn answer(&self, asked: PendingRequest, said: Value) {
        let mut state = self.shown.read().unwrap_or_else(PoisonError::into_inner).state.clone();
        if let (Value::Object(state), Value::Object(said)) = (&mut state, said) {
            state.extend(said);
        }
        // A page that was closed meanwhile hears nothing.
        let _ = asked.reply.send(state);
    }

    /// Ends it once its last answers are out.
    pub async fn close(mut self) {
        self.stop.cancel();
        if tokio::time::timeout(LAST_WORDS, &mut self.served).await.is_err() {
            self.served.abort();
        }
    }
}

impl Drop for DemoPage {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// 128 bits of the system's chance, as hexadecimal digits.
pub fn token() -> Result<String, TaskError> {
    use std::fmt::Write as _;
    use std::io::Read as _;
    let source = std::path::Path::new("/dev/urandom");
    let mut bytes = [0_u8; 16];
    std::fs::File::open(source)
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|e| TaskError::Io { what: "read", path: source.to_owned(), source: e })?;
    Ok(bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    }))
}

/// Whether a request is for this page; another site's that found the port is not.
fn refused(served: &Served, request: &Request) -> Option<Response<Body>> {
    let host = request.headers().get(header::HOST).and_then(|h| h.to_str().ok()).unwrap_or_default();
    let token = request.uri().path().split('/').nth(1).unwrap_or_default();
    let origin = request.headers().get(header::ORIGIN).and_then(|o| o.to_str().ok());
    let own = |origin: &str| served.hosts.iter().any(|h| origin == format!("http://{h}"));
    let known = served.hosts.iter().any(|h| h == host) && token == served.token && origin.is_none_or(own);
    (!known).then(|| text(StatusCode::NOT_FOUND, "nothing is here"))
}

async fn page(
    State(served): State<Served>,
    request: Request,
    body: &'static str,
    mime: &'static str,
) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    let mut response = answer(StatusCode::OK, mime, body);
    let headers = response.headers_mut();
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

async fn screen(State(served): State<Served>, request: Request) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    http::json(StatusCode::OK, &served.shown.read().unwrap_or_else(PoisonError::into_inner).state)
}

async fn picture(
    State(served): State<Served>,
    Path((_, number)): Path<(String, u64)>,
    request: Request,
) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    let shown = served.shown.read().unwrap_or_else(PoisonError::into_inner);
    if shown.number != number || shown.png.is_empty() {
        return text(StatusCode::NOT_FOUND, "there is another picture by now");
    }
    answer(StatusCode::OK, "image/png", Body::from(shown.png.to_vec()))
}

/// A deed as the page posts it: points are pixels of the picture.
#[derive(Debug, Deserialize)]
struct Posted {
    /// The screen that the person saw.
    screen: u64,
    #[serde(flatten)]
    what: PostedWhat,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum PostedWhat {
    Tap { x: f64, y: f64 },
    LongPress { x: f64, y: f64 },
    Swipe { x: f64, y: f64, to_x: f64, to_y: f64 },
    Text { text: String },
    Enter,
    Back,
    Home,
    Dialog { accept: bool, text: Option<String> },
    Look,
    Stop,
}

impl From<PostedWhat> for PersonRequest {
    fn from(posted: PostedWhat) -> Self {
        Self::Do(match posted {
            PostedWhat::Tap { x, y } => DemoAction::Point { how: Touch::Tap, at: Point::new(x, y) },
            PostedWhat::LongPress { x, y } => {
                DemoAction::Point { how: Touch::LongPress, at: Point::new(x, y) }
            }
            PostedWhat::Swipe { x, y, to_x, to_y } => {
                DemoAction::Stroke { from: Point::new(x, y), to: Point::new(to_x, to_y) }
            }
            PostedWhat::Text { text } => DemoAction::Text { tag: None, text },
            PostedWhat::Enter => DemoAction::Call(Call::of(Tool::Enter)),
            PostedWhat::Back => DemoAction::Call(Call::of(Tool::Back)),
            PostedWhat::Home => DemoAction::Call(Call::of(Tool::Home)),
            PostedWhat::Dialog { accept: true, text } => DemoAction::Call(dialog(Reply::Accept, text)),
            PostedWhat::Dialog { accept: false, .. } => DemoAction::Call(dialog(Reply::Dismiss, None)),
            PostedWhat::Look => return Self::Look,
            PostedWhat::Stop => return Self::Stop,
        })
    }
}

/// A reply to a dialog.
fn dialog(reply: Reply, text: Option<String>) -> Call {
    let call = ToolCall::new(Tool::Dialog).with("reply", reply);
    Call::Tool(match text {
        Some(text) => call.with("text", text),
        None => call,
    })
}

async fn deed(State(served): State<Served>, request: Request) -> Response<Body> {
    if let Some(refusal) = refused(&served, &request) {
        return refusal;
    }
    debug_assert_eq!(request.method(), Method::POST);
    // Another site may post a form without asking first, but not this type.
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|k| k.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/json") {
        return text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "post JSON");
    }
    let bytes = match http::whole(request.into_body(), MAX_BODY).await {
        Ok(bytes) => bytes,
        Err(status) => return text(status, "too long, or too late"),
    };
    let Ok(posted) = serde_json::from_slice::<Posted>(&bytes) else {
        return text(StatusCode::BAD_REQUEST, "this is not a deed");
    };
    let what = PersonRequest::from(posted.what);
    {
        let shown = served.shown.read().unwrap_or_else(PoisonError::into_inner);
        if matches!(what, PersonRequest::Do(_)) && posted.screen != shown.number {
            let mut state = shown.state.clone();
            state["said"] = json!("The screen had changed, so nothing was done.");
            return http::json(StatusCode::OK, &state);
        }
    }
    let (reply, told) = oneshot::channel();
    if served.asks.send(PendingRequest { what, reply }).await.is_err() {
        return text(StatusCode::GONE, "the demonstration has ended");
    }
    match told.await {
        Ok(state) => http::json(StatusCode::OK, &state),
        Err(_) => text(StatusCode::GONE, "the demonstration has ended"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (token().unwrap(), token().unwrap());
        assert!(a.len() == 32 && a != b, "{a} {b}");
    }

    #[test]
    fn a_posted_deed_is_read() {
        let read = |text: &str| serde_json::from_str::<Posted>(text).map(|p| PersonRequest::from(p.what));
        let at = Point::new(3.0, 4.5);
        assert_eq!(
            read(r#"{"screen": 1, "do": "tap", "x": 3, "y": 4.5}"#).unwrap(),
            PersonRequest::Do(DemoAction::Point { how: Touch::Tap, at })
        );
        assert_eq!(read(r#"{"screen": 1, "do": "stop"}"#).unwrap(), PersonRequest::Stop);
        assert!(read(r#"{"do": "stop"}"#).is_err() && read(r#"{"screen": 1, "do": "fly"}"#).is_err());
    }
}
