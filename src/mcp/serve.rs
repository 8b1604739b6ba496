//! How clients reach the server: standard streams, or HTTP on loopback.
//!
//! Invariants: HTTP is served on loopback alone; a request that lacks the token, names another host or comes from a page
//! of a browser is refused before anything of it is read.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Response, StatusCode, header};
use axum::middleware::{self, Next};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt as _};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::own_socket::OwnSocket;

const MESSAGE: usize = 4 * 1024 * 1024;
/// A connection over HTTP that is not used for so long has to begin anew.
const KEPT: Duration = Duration::from_secs(3600);
pub const TOKEN_VARIABLE: &str = "WALDO_MCP_TOKEN";
const PATH: &str = "/mcp";

/// Serves one client on standard input and output, until it goes or `cancel`.
pub async fn stdio(server: impl ServerHandler, cancel: CancellationToken) {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MESSAGE);
    match server.serve_with_ct(transport, cancel).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::warn!(%error, "serving a client");
            }
        }
        Err(error) => tracing::info!(%error, "no client came"),
    }
}

/// Serves every client at a socket, until `cancel`, or until no client was there for `idle`.
pub async fn at_socket(
    socket: OwnSocket,
    server: impl ServerHandler + Clone,
    idle: Duration,
    cancel: CancellationToken,
) {
    let mut clients = JoinSet::new();
    loop {
        let stream = tokio::select! {
            stream = socket.accept() => stream,
            Some(_) = clients.join_next() => continue,
            () = tokio::time::sleep(idle), if clients.is_empty() => {
                tracing::info!(?idle, "no client came");
                return;
            }
            () = cancel.cancelled() => return,
        };
        let (server, cancel) = (server.clone(), cancel.child_token());
        clients.spawn(async move {
            let (input, output) = stream.into_split();
            let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MESSAGE);
            match server.serve_with_ct(transport, cancel).await {
                Ok(running) => drop(running.waiting().await),
                Err(error) => tracing::debug!(%error, "a client that says nothing"),
            }
        });
    }
}

/// An address that clients can reach over HTTP.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// On loopback; port 0 takes a free one.
    pub async fn on(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves every client that has `token` by what `handler` makes for it, until `cancel`.
    pub async fn serve<H: ServerHandler>(
        self,
        handler: impl Fn() -> H + Send + Sync + 'static,
        token: &str,
        cancel: CancellationToken,
    ) {
        let hosts = [self.address.to_string(), format!("localhost:{}", self.address.port())];
        let config = StreamableHttpServerConfig::default().with_allowed_hosts(hosts.clone());
        let config = config.enforce_origin_validation().with_max_request_body_bytes(MESSAGE);
        let config = config.with_cancellation_token(cancel.clone());
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(KEPT);
        let service = StreamableHttpService::new(move || Ok(handler()), Arc::new(sessions), config);
        let admitted = AccessRule { hosts: Arc::new(hosts), token: Sha256::digest(token.as_bytes()).into() };
        let router =
            Router::new().route_service(PATH, service).layer(middleware::from_fn_with_state(admitted, admit));
        let stop = cancel.clone().cancelled_owned();
        let served =
            tokio::spawn(
                async move { axum::serve(self.listener, router).with_graceful_shutdown(stop).await },
            );
        cancel.cancelled().await;
        // A client that reads on for ever does not hold up the end.
        if let Ok(Ok(Err(error))) = tokio::time::timeout(Duration::from_secs(2), served).await {
            tracing::warn!(%error, "serving over HTTP");
        }
    }
}

#[derive(Clone, Debug)]
struct AccessRule {
    hosts: Arc<[String; 2]>,
    /// The token's hash: comparing hashes tells nothing about the token by its time.
    token: [u8; 32],
}

impl AccessRule {
    fn refusal(&self, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
        let only = |name: HeaderName| {
            let mut all = headers.get_all(name).iter();
            all.next().filter(|_| all.next().is_none()).and_then(|value| value.to_str().ok())
        };
        let host = only(header::HOST).unwrap_or_default();
        if !self.hosts.iter().any(|known| known == host) {
            return Some((StatusCode::FORBIDDEN, "this host is not served here"));
        }
        if headers.contains_key(header::ORIGIN) {
            return Some((StatusCode::FORBIDDEN, "pages of browsers are not served"));
        }
        let given =
            only(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        let given: [u8; 32] = Sha256::digest(given.as_bytes()).into();
        (given != self.token)
            .then_some((StatusCode::UNAUTHORIZED, "give the token: Authorization: Bearer TOKEN"))
    }
}

async fn admit(State(admitted): State<AccessRule>, request: Request, next: Next) -> Response<Body> {
    match admitted.refusal(request.headers()) {
        Some((status, why)) => {
            let mut response = crate::serve::text(status, why);
            if status == StatusCode::UNAUTHORIZED {
                response
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
            }
            response
        }
        None => next.run(request).await,
    }
}
