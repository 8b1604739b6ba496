//! Where commands read from and write to.

use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    Out(Vec<u8>),
    Err(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tty {
    Yes,
    No,
}

/// What ctrl-C reaches: the command in front.
#[derive(Debug, Clone, Default)]
pub struct Foreground(Arc<Mutex<CancellationToken>>);

impl Foreground {
    pub(crate) fn interrupt(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Something else is in front from now on; the token says when it is to stop.
    pub(super) fn next(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }
}

#[derive(Debug)]
pub struct Pipes {
    pub(super) out: mpsc::Sender<Chunk>,
    pub(super) stdin: mpsc::Receiver<Vec<u8>>,
    pub(super) gone: CancellationToken,
    pub(super) tty: Tty,
    pub(super) front: Foreground,
}

impl Pipes {
    /// Output goes to `out`, input comes from `stdin` (an empty piece ends what one command reads, as ctrl-D does);
    /// `gone` is cancelled when nobody waits for the shell any more.
    pub fn new(
        out: mpsc::Sender<Chunk>,
        stdin: mpsc::Receiver<Vec<u8>>,
        gone: CancellationToken,
        tty: Tty,
    ) -> Self {
        Self { out, stdin, gone, tty, front: Foreground::default() }
    }

    pub fn foreground(&self) -> Foreground {
        self.front.clone()
    }
}

/// What the host sends, and what of it was not yet read.
#[derive(Debug)]
pub(super) struct Console {
    from: mpsc::Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Console {
    async fn piece(&mut self) -> Option<Vec<u8>> {
        if self.rest.is_empty() {
            return self.from.recv().await.filter(|piece| !piece.is_empty());
        }
        Some(std::mem::take(&mut self.rest))
    }

    async fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(line) = first_line(&mut self.rest) {
                return Some(line);
            }
            match self.from.recv().await.filter(|piece| !piece.is_empty()) {
                Some(piece) => self.rest.extend(piece),
                None if self.rest.is_empty() => return None,
                None => return Some(std::mem::take(&mut self.rest)),
            }
        }
    }
}

fn first_line(bytes: &mut Vec<u8>) -> Option<Vec<u8>> {
    let at = bytes.iter().position(|b| *b == b'\n')?;
    let rest = bytes.split_off(at + 1);
    Some(std::mem::replace(bytes, rest))
}

#[derive(Debug, Clone)]
pub(super) enum CommandInput {
    Console(Arc<tokio::sync::Mutex<Console>>),
    /// A file's or the last command's bytes; taken by the first that reads.
    Bytes(Arc<Mutex<Vec<u8>>>),
}

impl CommandInput {
    pub(super) fn console(from: mpsc::Receiver<Vec<u8>>) -> Self {
        Self::Console(Arc::new(tokio::sync::Mutex::new(Console { from, rest: Vec::new() })))
    }

    pub(super) fn bytes(bytes: Vec<u8>) -> Self {
        Self::Bytes(Arc::new(Mutex::new(bytes)))
    }

    /// The next piece; `None` at the end.
    pub(super) async fn piece(&self) -> Option<Vec<u8>> {
        match self {
            Self::Console(console) => console.lock().await.piece().await,
            Self::Bytes(bytes) => {
                let all = std::mem::take(&mut *bytes.lock().unwrap_or_else(PoisonError::into_inner));
                (!all.is_empty()).then_some(all)
            }
        }
    }

    /// The next line, with its end where it has one; what follows stays for the next that reads.
    pub(super) async fn line(&self) -> Option<Vec<u8>> {
        match self {
            Self::Console(console) => console.lock().await.line().await,
            Self::Bytes(bytes) => {
                let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                let rest = |all: &mut Vec<u8>| (!all.is_empty()).then(|| std::mem::take(all));
                first_line(&mut bytes).or_else(|| rest(&mut bytes))
            }
        }
    }

    pub(super) async fn all(&self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(piece) = self.piece().await {
            if out.is_empty() {
                out = piece;
            } else {
                out.extend(piece);
            }
        }
        out
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

impl Fds {
    pub(super) fn console(input: CommandInput) -> Self {
        Self { input, out: OutputSink::Out, err: OutputSink::Err }
    }
}
