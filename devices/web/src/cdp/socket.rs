//! The WebSocket transport, for a browser that runs: `ws://HOST:PORT/PATH`, or `ws+unix:SOCKET:/PATH` through a socket.

use std::io;
use std::pin::Pin;

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{Sink, SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::{MessageReader, MessageWriter};
use waldo_devices::{Deadline, DeviceError, Result};

pub(crate) struct SocketReader(BoxStream<'static, Result<Message, Error>>);

pub(crate) struct SocketWriter(Pin<Box<dyn Sink<Message, Error = Error> + Send>>);

fn halves<S>(socket: WebSocketStream<S>) -> (SocketReader, SocketWriter)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sink, stream) = socket.split();
    (SocketReader(stream.boxed()), SocketWriter(Box::pin(sink)))
}

pub(crate) async fn connect(url: &str, deadline: Deadline) -> Result<(SocketReader, SocketWriter)> {
    let failed = |message: String| DeviceError::Start {
        what: "the connection to the browser".to_owned(),
        message,
        hint: "start it with --remote-debugging-port and give the webSocketDebuggerUrl of /json/version"
            .to_owned(),
    };
    // Pictures of large screens exceed the default limits.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let connecting = async {
        if let Some((socket, path)) = url.strip_prefix("ws+unix:").and_then(|rest| rest.rsplit_once(':')) {
            let (stream, asked) = (UnixStream::connect(socket).await?, format!("ws://localhost{path}"));
            let connected = tokio_tungstenite::client_async_with_config(asked, stream, Some(config)).await;
            return connected.map(|(socket, _)| halves(socket));
        }
        let connected = tokio_tungstenite::connect_async_with_config(url, Some(config), true).await;
        connected.map(|(socket, _)| halves(socket))
    };
    tokio::time::timeout_at(deadline.instant(), connecting)
        .await
        .map_err(|_| failed("no answer in time".to_owned()))?
        .map_err(|error: Error| failed(error.to_string()))
}

#[async_trait]
impl MessageReader for SocketReader {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match self.0.next().await {
                None | Some(Ok(Message::Close(_))) => return Ok(None),
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                    return Ok(Some(message.into_data().to_vec()));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(io::Error::other(error)),
            }
        }
    }
}

#[async_trait]
impl MessageWriter for SocketWriter {
    async fn send(&mut self, message: String) -> io::Result<()> {
        self.0.send(Message::text(message)).await.map_err(io::Error::other)
    }
}
