//! The phone's shell: what `adb shell`, `exec-out` and the rest run.
//!
//! Invariants: a command sees the phone only through [`Phone::with`] and the virtual file system; what a command
//! prints, its exit status and its oddities are those of a device; a command that waits gives up when its host has
//! left, so nothing lives longer than its connection but what is being written.

mod builtin;
mod cmd;
mod exec;
mod expand;
mod keys;
mod parse;
pub(crate) mod picture;
mod pipes;
mod redirect;

pub use pipes::{Chunk, Pipes};

use crate::fault::PhoneFault;
use crate::files::Vfs;
use crate::phone::Phone;
use exec::Shell;
use pipes::{CommandInput, Fds, OutputSink};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub code: u8,
}

impl Output {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn error_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Runs a command line, or the script that comes in where the line is empty; gives the exit status.
pub async fn run(phone: Arc<Phone>, line: &str, pipes: Pipes) -> u8 {
    let fault = phone.with(|w| {
        w.take_fault(|f| match f {
            PhoneFault::HangCommand(text) | PhoneFault::IgnoreCommand(text) => {
                !line.is_empty() && line.contains(text.as_str())
            }
            _ => false,
        })
    });
    match fault {
        Some(PhoneFault::HangCommand(_)) => {
            pipes.gone.cancelled().await;
            return 255;
        }
        Some(_) => return 0,
        None => {}
    }
    let Pipes { out, stdin, gone } = pipes;
    let fds = Fds { input: CommandInput::host(stdin), out: OutputSink::Out, err: OutputSink::Err };
    let mut shell = Shell::new(phone, out, gone);
    if line.trim().is_empty() {
        let script = fds.input.all().await;
        shell.line(&String::from_utf8_lossy(&script), &fds).await;
    } else {
        shell.line(line, &fds).await;
    }
    shell.exit_code()
}

/// Runs a command line beside the wire, with the given input: for tests and checks in the same process.
pub async fn capture(phone: &Arc<Phone>, line: &str, stdin: &[u8]) -> Output {
    let (out, mut chunks) = mpsc::channel(16);
    let (input, receiver) = mpsc::channel(1);
    if !stdin.is_empty() {
        let _ = input.send(stdin.to_vec()).await;
    }
    drop(input);
    let pipes = Pipes { out, stdin: receiver, gone: CancellationToken::new() };
    let mut output = Output { stdout: Vec::new(), stderr: Vec::new(), code: 0 };
    let collect = async {
        while let Some(chunk) = chunks.recv().await {
            match chunk {
                Chunk::Out(bytes) => output.stdout.extend(bytes),
                Chunk::Err(bytes) => output.stderr.extend(bytes),
            }
        }
    };
    let (code, ()) = tokio::join!(run(phone.clone(), line, pipes), collect);
    output.code = code;
    output
}

/// The file system with the phone's time, and without room where a fault says so.
pub fn files<R>(phone: &Phone, f: impl FnOnce(&mut Vfs) -> R) -> R {
    phone.with(|w| {
        let (now, full) = (w.wall(), w.faults.has("low-storage"));
        w.files.set_now(now);
        w.files.set_capacity(if full { 0 } else { Vfs::CAPACITY });
        f(&mut w.files)
    })
}

#[cfg(test)]
mod tests;
