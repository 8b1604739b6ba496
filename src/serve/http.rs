//! Small things that both servers need.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, StatusCode, header};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use waldo_devices::peer::PeerCheck;
use waldo_tasks::TaskError;

/// Time within which the body of a request must have come.
const BODY_TIME: Duration = Duration::from_secs(30);

/// A listener that gives only the connections of the processes that its check admits.
struct CheckedListener {
    listener: TcpListener,
    peers: PeerCheck,
}

impl axum::serve::Listener for CheckedListener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, peer) = axum::serve::Listener::accept(&mut self.listener).await;
            if stream.local_addr().is_ok_and(|own| self.peers.admits(peer, own)) {
                return (stream, peer);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// Serves `router` to the processes that `peers` admits, until `stop`.
pub fn spawn(listener: TcpListener, peers: PeerCheck, router: Router, stop: CancellationToken) {
    tokio::spawn(async move {
        let listener = CheckedListener { listener, peers };
        let served = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await;
        if let Err(error) = served {
            tracing::warn!(%error, "a server on loopback ended");
        }
    });
}

pub fn cannot_listen(address: SocketAddr) -> impl FnOnce(io::Error) -> TaskError {
    move |source| match source.kind() {
        io::ErrorKind::AddrInUse => TaskError::PortInUse { address },
        _ => TaskError::Io { what: "listen on", path: address.to_string().into(), source },
    }
}

/// The whole body.
///
/// # Errors
/// 413 when it is longer than `cap`, 408 when it does not come in time.
pub async fn whole(body: Body, cap: usize) -> Result<Bytes, StatusCode> {
    match tokio::time::timeout(BODY_TIME, axum::body::to_bytes(body, cap)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

/// An answer that nobody may keep or guess the type of.
pub fn answer(status: StatusCode, mime: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(mime));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

pub fn json(status: StatusCode, value: &serde_json::Value) -> Response<Body> {
    answer(status, "application/json", value.to_string())
}

pub fn text(status: StatusCode, text: &'static str) -> Response<Body> {
    answer(status, "text/plain; charset=utf-8", text)
}
