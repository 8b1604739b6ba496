//! Where commands read from and write to.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    Out(Vec<u8>),
    Err(Vec<u8>),
}

#[derive(Debug)]
pub struct Pipes {
    pub out: mpsc::Sender<Chunk>,
    pub stdin: mpsc::Receiver<Vec<u8>>,
    /// Cancelled when nobody waits for the shell any more.
    pub gone: CancellationToken,
}

#[derive(Debug, Clone)]
pub(super) enum CommandInput {
    /// What the host sends.
    Host(Arc<tokio::sync::Mutex<mpsc::Receiver<Vec<u8>>>>),
    /// A file's or the last command's bytes; taken by the first that reads.
    Bytes(Arc<Mutex<Vec<u8>>>),
}

impl CommandInput {
    pub(super) fn host(from: mpsc::Receiver<Vec<u8>>) -> Self {
        Self::Host(Arc::new(tokio::sync::Mutex::new(from)))
    }

    pub(super) fn bytes(bytes: Vec<u8>) -> Self {
        Self::Bytes(Arc::new(Mutex::new(bytes)))
    }

    pub(super) async fn all(&self) -> Vec<u8> {
        match self {
            Self::Host(pieces) => {
                let mut pieces = pieces.lock().await;
                let mut out = Vec::new();
                while let Some(piece) = pieces.recv().await {
                    out.extend(piece);
                }
                out
            }
            Self::Bytes(bytes) => taken(bytes),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum OutputSink {
    Out,
    Err,
    Memory(Arc<Mutex<Vec<u8>>>),
    File(String),
    Null,
}

impl OutputSink {
    pub(super) fn memory() -> (Self, Arc<Mutex<Vec<u8>>>) {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        (Self::Memory(bytes.clone()), bytes)
    }
}

pub(super) fn taken(bytes: &Mutex<Vec<u8>>) -> Vec<u8> {
    std::mem::take(&mut *bytes.lock().unwrap_or_else(PoisonError::into_inner))
}

#[derive(Debug, Clone)]
pub(super) struct Fds {
    pub input: CommandInput,
    pub out: OutputSink,
    pub err: OutputSink,
}
