//! The guard's hard layer: a proxy on loopback that every byte of one browser context must pass.
//!
//! Invariants: nothing is connected to before the policy allowed its scheme, host and port; a plain request gets a
//! connection of its own, so that no second request slips through unread; a tunnel's first byte tells TLS from a plain
//! socket, so `http://` rules never open an `https://` port or the other way round; what cannot be read is refused; a
//! connection of another process than the browser is closed unread.

pub(crate) mod head;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use self::head::{Body, Head, RequestTarget};
use super::current::Current;
use waldo_devices::connections::next_connection;
use waldo_devices::error::DeviceError;
use waldo_devices::guard::{GuardPolicy, shown_origin};
use waldo_devices::peer::PeerCheck;

/// Heads larger than this are refused.
const HEAD_MAX: usize = 256 * 1024;
/// The most refusals that are remembered between two observations.
const BLOCKED_MAX: usize = 100;
const CONNECT: Duration = Duration::from_secs(10);

/// Origins that were refused, in order, each once between two readings; and those that could not be reached.
#[derive(Clone, Default)]
pub(crate) struct Blocked {
    refused: Arc<Mutex<VecDeque<String>>>,
    unreached: Arc<Mutex<VecDeque<(String, String)>>>,
}

impl Blocked {
    fn refused(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unreached(&self) -> MutexGuard<'_, VecDeque<(String, String)>> {
        self.unreached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record(&self, url: &str) {
        let origin = shown_origin(url);
        let mut list = self.refused();
        if list.len() < BLOCKED_MAX && !list.contains(&origin) {
            list.push_back(origin);
        }
    }

    /// What was refused since the last time, which stays to be taken.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.refused().iter().cloned().collect()
    }

    /// What was refused since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        self.refused().drain(..).collect()
    }

    /// Remembers that no server answered for `url`.
    fn lost(&self, url: &str, why: &io::Error) {
        let mut list = self.unreached();
        list.truncate(BLOCKED_MAX);
        list.push_front((shown_origin(url), why.to_string()));
    }

    /// Why no server answered for the origin of `url`, the last time that none did; forgets it.
    pub(crate) fn take_lost(&self, url: &str) -> Option<String> {
        let origin = shown_origin(url);
        let mut list = self.unreached();
        let found = list.iter().find(|(lost, _)| *lost == origin).map(|(_, why)| why.clone());
        list.retain(|(lost, _)| *lost != origin);
        found
    }
}

/// A running proxy; it ends when dropped, with every connection through it.
pub(crate) struct Proxy {
    address: SocketAddr,
    _task: AbortOnDropHandle<()>,
}

impl Proxy {
    /// Starts a proxy that serves the processes of `peers` and keeps to `policy`, as it stands at each request.
    pub(crate) async fn start(
        policy: Current<GuardPolicy>,
        blocked: Blocked,
        peers: Arc<PeerCheck>,
    ) -> Result<Self, DeviceError> {
        let io = |source| DeviceError::Io { what: "the guard's proxy".to_owned(), source };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(io)?;
        let address = listener.local_addr().map_err(io)?;
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            loop {
                tokio::select! {
                    (client, peer) = next_connection(|| listener.accept()) => {
                        let (policy, blocked, peers) = (policy.clone(), blocked.clone(), peers.clone());
                        connections.spawn(async move {
                            if peers.admits(peer, address) {
                                serve(client, policy, blocked).await;
                            }
                        });
                    }
                    Some(_) = connections.join_next(), if !connections.is_empty() => {}
                }
            }
        });
        Ok(Self { address, _task: AbortOnDropHandle::new(task) })
    }

    pub(crate) fn server(&self) -> String {
        format!("http://{}", self.address)
    }
}

async fn serve(mut client: TcpStream, policy: Current<GuardPolicy>, blocked: Blocked) {
    let _ = client.set_nodelay(true);
    if let Err(error) = handle(&mut client, &policy, &blocked).await {
        tracing::trace!(%error, "a connection through the guard's proxy ended");
    }
}

async fn handle(client: &mut TcpStream, policy: &Current<GuardPolicy>, blocked: &Blocked) -> io::Result<()> {
    let Some((bytes, rest)) = read_head(client).await? else { return Ok(()) };
    let Some(head) = Head::parse(&bytes) else {
        return unreadable(client, "request").await;
    };
    // As it stands when something is asked for: a connection may be older than what it is used for.
    let policy = &*policy.get();
    match head.target() {
        Some(RequestTarget::Tunnel { host, port }) => {
            tunnel(client, &host, port, &rest, policy, blocked).await
        }
        Some(RequestTarget::Plain(url)) => {
            if !policy.allows_url(url.as_str()) {
                blocked.record(url.as_str());
                let origin = shown_origin(url.as_str());
                return refuse(client, &format!("{origin} is not allowed")).await;
            }
            forward(client, &head, &url, &rest, blocked).await
        }
        None => unreadable(client, "address").await,
    }
}

async fn refuse(client: &mut TcpStream, why: &str) -> io::Result<()> {
    answer(client, "403 Forbidden", &format!("Blocked by waldo's guard: {why}.")).await
}

async fn unreadable(client: &mut TcpStream, what: &str) -> io::Result<()> {
    answer(client, "400 Bad Request", &format!("Blocked by waldo's guard: unreadable {what}.")).await
}

async fn answer(client: &mut TcpStream, status: &str, text: &str) -> io::Result<()> {
    let body = format!("{text}\n");
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(body.as_bytes()).await?;
    client.shutdown().await
}

/// Reads up to the empty line; gives the head and what followed it.
pub(crate) async fn read_head(stream: &mut TcpStream) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut bytes = Vec::with_capacity(4096);
    loop {
        if let Some(end) = head::end_of_head(&bytes) {
            let rest = bytes.split_off(end);
            return Ok(Some((bytes, rest)));
        }
        if bytes.len() > HEAD_MAX || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
}

async fn dial(host: &str, port: u16) -> io::Result<TcpStream> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    // Browsers hold names under `localhost` to be this machine (RFC 6761); resolvers often do not.
    let host = if host == "localhost" || host.ends_with(".localhost") { "127.0.0.1" } else { host };
    let stream = tokio::time::timeout(CONNECT, TcpStream::connect((host, port)))
        .await
        .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

async fn tunnel(
    client: &mut TcpStream,
    host: &str,
    port: u16,
    early: &[u8],
    policy: &GuardPolicy,
    blocked: &Blocked,
) -> io::Result<()> {
    let (tls, plain) = (format!("https://{host}:{port}/"), format!("http://{host}:{port}/"));
    let (tls_ok, plain_ok) = (policy.allows_url(&tls), policy.allows_url(&plain));
    if !tls_ok && !plain_ok {
        blocked.record(if port == 80 { &plain } else { &tls });
        return refuse(client, &format!("{host}:{port} is not allowed")).await;
    }
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    let mut first = early.to_vec();
    if first.is_empty() && client.read_buf(&mut first).await? == 0 {
        return Ok(());
    }
    // 0x16 starts a TLS handshake; the rest is a WebSocket's plain upgrade.
    let is_tls = first.first() == Some(&0x16);
    if !(if is_tls { tls_ok } else { plain_ok }) {
        blocked.record(if is_tls { &tls } else { &plain });
        return Ok(());
    }
    let mut server = dial(host, port)
        .await
        .inspect_err(|error| blocked.lost(if is_tls { &tls } else { &plain }, error))?;
    server.write_all(&first).await?;
    copy_bidirectional(client, &mut server).await.map(drop)
}

/// Carries one plain request and its answer, then ends the connection.
async fn forward(
    client: &mut TcpStream,
    head: &Head,
    url: &url::Url,
    rest: &[u8],
    blocked: &Blocked,
) -> io::Result<()> {
    let Some(body) = head.body() else {
        return unreadable(client, "body length").await;
    };
    let host = url.host_str().unwrap_or_default();
    let mut server = match dial(host, url.port_or_known_default().unwrap_or(80)).await {
        Ok(server) => server,
        Err(error) => {
            blocked.lost(url.as_str(), &error);
            return answer(client, "502 Bad Gateway", &format!("No connection: {error}.")).await;
        }
    };
    server.write_all(&head.outgoing(url)).await?;
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let up = async {
        match body {
            Body::None => {}
            Body::Length(length) => {
                let early = rest.len().min(usize::try_from(length).unwrap_or(usize::MAX));
                to_server.write_all(&rest[..early]).await?;
                let left = length - early as u64;
                tokio::io::copy(&mut (&mut from_client).take(left), &mut to_server).await?;
            }
            // Chrome sends request bodies in chunks over HTTP/2 only; until the answer has ended,
            // whatever follows belongs to this one request or to nobody.
            Body::Chunked => {
                to_server.write_all(rest).await?;
                tokio::io::copy(&mut from_client, &mut to_server).await?;
            }
        }
        std::future::pending::<io::Result<()>>().await
    };
    let down = async {
        let mut bytes = Vec::with_capacity(16 * 1024);
        loop {
            if let Some(end) = head::end_of_head(&bytes) {
                let rest = bytes.split_off(end);
                let interim = head::is_interim(&bytes);
                to_client.write_all(&head::closing(&bytes)).await?;
                bytes = rest;
                if !interim {
                    break;
                }
            } else if bytes.len() > HEAD_MAX || from_server.read_buf(&mut bytes).await? == 0 {
                break;
            }
        }
        to_client.write_all(&bytes).await?;
        tokio::io::copy(&mut from_server, &mut to_client).await?;
        to_client.shutdown().await
    };
    tokio::select! {
        result = down => result,
        Err(error) = up => Err(error),
    }
}
