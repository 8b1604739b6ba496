//! Messages over a connection: lines of JSON.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Mutex;
use waldo_agents::exec::{AgentLink, PROTOCOL};
use waldo_agents::program::LINE_BYTES;
use waldo_devices::{Deadline, rounded};

/// One side of a connection. What was read of a line stays where the reading is dropped.
pub(super) struct EnvWire {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    line: Vec<u8>,
    asked: u64,
}

impl EnvWire {
    pub(super) fn new(stream: UnixStream) -> Self {
        let (reader, writer) = stream.into_split();
        Self { reader: BufReader::new(reader), writer, line: Vec::new(), asked: 0 }
    }

    pub(super) async fn read(&mut self) -> Result<Value, String> {
        loop {
            let there =
                self.reader.fill_buf().await.map_err(|error| format!("its connection broke: {error}"))?;
            let end = there.iter().position(|byte| *byte == b'\n');
            let (taken, is_over) = (end.map_or(there.len(), |end| end + 1), there.is_empty());
            self.line.extend_from_slice(&there[..taken]);
            self.reader.consume(taken);
            if is_over {
                return Err("its connection was closed".to_owned());
            }
            if self.line.len() > LINE_BYTES {
                return Err(format!("its message is larger than {} MiB", LINE_BYTES >> 20));
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return serde_json::from_slice(&line)
                    .map_err(|error| format!("its message is not JSON: {error}"));
            }
        }
    }

    pub(super) async fn write(&mut self, message: &Value) -> Result<(), String> {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.map_err(|error| format!("its connection broke: {error}"))
    }

    /// Puts a question, and waits for the answer of its number; late answers to others are dropped.
    async fn ask(&mut self, mut message: Value) -> Result<Value, String> {
        self.asked += 1;
        message["id"] = json!(self.asked);
        self.write(&message).await?;
        loop {
            let answer = self.read().await?;
            if let Some(call) = answer.get("call") {
                return Err(format!("it asked for {call} during an episode"));
            }
            if answer["id"] == self.asked {
                return Ok(answer);
            }
        }
    }
}

/// The way to whoever plays an episode at the other end.
pub(super) struct SessionLink {
    pub(super) wire: Arc<Mutex<EnvWire>>,
    /// What it wants to be told, as the answer to hello has it.
    pub(super) wants: Value,
}

#[async_trait]
impl AgentLink for SessionLink {
    async fn ask(&self, message: Value, deadline: Deadline) -> Result<Value, String> {
        let mut wire = self.wire.lock().await;
        let limit = deadline.left();
        match message["call"].as_str() {
            Some("hello") => Ok(json!({
                "protocol": PROTOCOL, "name": "env", "version": env!("CARGO_PKG_VERSION"), "several": true,
                "wants": self.wants,
            })),
            Some("begin") => wire.write(&message).await.map(|()| json!({})),
            _ => tokio::time::timeout_at(deadline.instant(), wire.ask(message))
                .await
                .unwrap_or_else(|_| Err(format!("no action came within {}", rounded(limit)))),
        }
    }
}
