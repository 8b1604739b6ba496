//! The pipe transport: JSON messages, each followed by a NUL byte.

use std::io;

use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;

use super::{MessageReader, MessageWriter};

pub(crate) struct PipeReader(BufReader<pipe::Receiver>);

impl PipeReader {
    pub(crate) fn new(end: pipe::Receiver) -> Self {
        Self(BufReader::with_capacity(256 * 1024, end))
    }
}

#[async_trait]
impl MessageReader for PipeReader {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut message = Vec::new();
        self.0.read_until(0, &mut message).await?;
        // A message without its NUL was cut off by the end of the browser.
        Ok((message.pop() == Some(0)).then_some(message))
    }
}

pub(crate) struct PipeWriter(pipe::Sender);

impl PipeWriter {
    pub(crate) fn new(end: pipe::Sender) -> Self {
        Self(end)
    }
}

#[async_trait]
impl MessageWriter for PipeWriter {
    async fn send(&mut self, message: String) -> io::Result<()> {
        let mut bytes = message.into_bytes();
        bytes.push(0);
        self.0.write_all(&bytes).await
    }
}
