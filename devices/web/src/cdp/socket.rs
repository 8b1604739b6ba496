//! The WebSocket transport, for a browser that runs already.

use std::io;

use async_trait::async_trait;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::{MessageReader, MessageWriter};
use waldo_devices::{Deadline, DeviceError, Result};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub(crate) struct SocketReader(SplitStream<Socket>);

pub(crate) struct SocketWriter(SplitSink<Socket, Message>);

pub(crate) async fn connect(url: &str, deadline: Deadline) -> Result<(SocketReader, SocketWriter)> {
    let failed = |message: String| DeviceError::Start {
        what: "the connection to the browser".to_owned(),
        message,
        hint: "start it with --remote-debugging-port and give the webSocketDebuggerUrl of /json/version"
            .to_owned(),
    };
    // Pictures of large screens exceed the default limits.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let connecting = tokio_tungstenite::connect_async_with_config(url, Some(config), true);
    let (socket, _) = tokio::time::timeout_at(deadline.instant(), connecting)
        .await
        .map_err(|_| failed("no answer in time".to_owned()))?
        .map_err(|error| failed(error.to_string()))?;
    let (sink, stream) = socket.split();
    Ok((SocketReader(stream), SocketWriter(sink)))
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
