//! The listener: who is let in, what `/json` says, and the way to a WebSocket.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::connection::Connection;
use super::{EndpointState, lock};
use crate::cdp::text;
use crate::proxy::head::Head;
use crate::proxy::read_head;
use waldo_devices::connections::next_connection;
use waldo_devices::device::Deadline;

/// How long a request may take to arrive, and to be answered.
const ASKS_WITHIN: Duration = Duration::from_secs(10);
/// The longest message of a client, in bytes.
const MESSAGE: usize = 64 << 20;

/// Serves until the endpoint is dropped.
pub(super) async fn listen(listener: TcpListener, state: Arc<EndpointState>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            (client, peer) = next_connection(|| listener.accept()) => {
                let state = state.clone();
                connections.spawn(async move {
                    if let Err(error) = serve(client, peer, state).await {
                        tracing::debug!(%error, "serving a program with hands of its own");
                    }
                });
            }
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

async fn serve(mut client: TcpStream, peer: SocketAddr, state: Arc<EndpointState>) -> io::Result<()> {
    let mut peers = state.peers.subscribe();
    let admitted = match peers.wait_for(Option::is_some).await {
        Ok(peers) => peers.clone(),
        Err(_) => None,
    };
    if !admitted.is_some_and(|peers| peers.admits(peer, state.address)) {
        return Ok(());
    }
    let _ = client.set_nodelay(true);
    let head = tokio::time::timeout(ASKS_WITHIN, read_head(&mut client)).await??;
    let Some(head) = head.and_then(|(head, _)| Head::parse(&head)) else { return Ok(()) };
    let port = state.address.port();
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if !hosts.iter().any(|host| head.only("host") == Some(host)) || head.only("origin").is_some() {
        return answer(&mut client, "403 Forbidden", "this host is not served here, and pages are not").await;
    }
    let (method, target) = head.asked();
    let path = target.split('?').next().unwrap_or_default().trim_matches('/');
    let (token, path) = path.split_once('/').unwrap_or((path, ""));
    if method != "GET" || token != state.token {
        return answer(&mut client, "404 Not Found", "there is nothing here without the token").await;
    }
    let is_socket = head.only("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket"));
    let base = format!("{}:{port}/{token}/devtools", state.address.ip());
    match (path, head.only("sec-websocket-key")) {
        (path, Some(key)) if is_socket => {
            let page = path.strip_prefix("devtools/page/").map(str::to_owned);
            let Some(queue) = lock(&state.queue).clone() else { return Ok(()) };
            let opened = match Connection::open(&state, queue, page).await {
                Ok(opened) => opened,
                Err(why) => return answer(&mut client, "404 Not Found", &why).await,
            };
            let upgrade = format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Accept: {}\r\n\r\n",
                derive_accept_key(key.as_bytes())
            );
            client.write_all(upgrade.as_bytes()).await?;
            let config =
                WebSocketConfig::default().max_message_size(Some(MESSAGE)).max_frame_size(Some(MESSAGE));
            let socket = WebSocketStream::from_raw_socket(client, Role::Server, Some(config)).await;
            opened.run(socket).await;
            Ok(())
        }
        ("json/version", _) => {
            let deadline = Deadline::after(ASKS_WITHIN);
            let said = state.cdp.call(None, "Browser.getVersion", json!({}), deadline).await;
            let said = said.map_err(io::Error::other)?;
            let version = json!({
                "Browser": text(&said, "product"),
                "Protocol-Version": text(&said, "protocolVersion"),
                "User-Agent": text(&said, "userAgent"),
                "V8-Version": text(&said, "jsVersion"),
                "webSocketDebuggerUrl": format!("ws://{base}/browser"),
            });
            answer_json(&mut client, &version).await
        }
        ("json" | "json/list", _) => {
            let pages: Vec<Value> = state.shared.with(|context| {
                let page = |tab: &crate::state::Tab| {
                    json!({
                        "id": tab.target, "type": "page", "title": tab.title, "url": tab.url,
                        "webSocketDebuggerUrl": format!("ws://{base}/page/{}", tab.target),
                    })
                };
                context.tabs.iter().map(page).collect()
            });
            answer_json(&mut client, &json!(pages)).await
        }
        _ => {
            answer(&mut client, "404 Not Found", "served are /json/version, /json/list and WebSockets").await
        }
    }
}

async fn answer_json(client: &mut TcpStream, value: &Value) -> io::Result<()> {
    respond(client, "200 OK", "application/json", &value.to_string()).await
}

async fn answer(client: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
    respond(client, status, "text/plain", &format!("{why}\n")).await
}

async fn respond(client: &mut TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(body.as_bytes()).await?;
    client.shutdown().await
}
