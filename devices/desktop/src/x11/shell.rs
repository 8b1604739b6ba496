//! Commands that run to their end, with their output and their deadline.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::process::signal_group;
use waldo_devices::{Deadline, DeviceError, Result};

/// The most bytes that are kept of what a command prints.
const OUTPUT_MAX: u64 = 8 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct CommandEnd {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl CommandEnd {
    pub(crate) fn ok(self, call: &str) -> Result<String> {
        if self.code == Some(0) {
            return Ok(self.out);
        }
        let code = self.code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
        let said: String = self.err.trim().chars().take(400).collect();
        Err(DeviceError::Call { call: call.to_owned(), message: format!("it ended with {code}: {said}") })
    }
}

/// Runs a command that leads a process group to its end; at the deadline that group is killed.
pub(crate) async fn run(mut command: Command, call: &str, deadline: Deadline) -> Result<CommandEnd> {
    let left = deadline.left();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |source| DeviceError::Io { what: call.to_owned(), source };
    let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn().map_err(failed)?;
    let group = child.id();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let done = async {
        // What it left in the background may hold its output open: its own end is enough.
        let (mut said, mut complained) = (Vec::new(), Vec::new());
        let status = {
            let read = async { tokio::join!(read(out, &mut said), read(err, &mut complained)) };
            tokio::pin!(read);
            let mut status = None;
            tokio::select! {
                _ = &mut read => {}
                ended = child.wait() => status = Some(ended),
            }
            if status.is_some() {
                let rest = std::time::Duration::from_millis(200);
                let _ = tokio::time::timeout(rest, &mut read).await;
            }
            status
        };
        let status = match status {
            Some(status) => status,
            None => child.wait().await,
        };
        status.map(|status| (status.code(), said, complained))
    };
    match tokio::time::timeout_at(deadline.instant(), done).await {
        Ok(done) => {
            let (code, out, err) = done.map_err(failed)?;
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Ok(CommandEnd { code, out: text(out), err: text(err) })
        }
        Err(_) => {
            if let Some(group) = group {
                signal_group(group, Signal::KILL);
            }
            Err(DeviceError::Timeout { what: call.to_owned(), after: left })
        }
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) {
    if let Some(pipe) = pipe {
        let _ = pipe.take(OUTPUT_MAX).read_to_end(into).await;
    }
}
