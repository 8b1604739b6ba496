//! Who outlives an owner that is killed, and sees to the end of what it left behind.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Stdio};

use rustix::process::Signal;

use super::process::{signal_group, start};
use waldo_devices::{DeviceError, child};

/// A shell that waits for its standard input, its owner's, to end. Dropping it ends it: the owner has seen to all itself.
pub(super) struct Keeper {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Keeper {
    /// Starts `script` with `argument` as its `$1`, under a name for those who list processes.
    pub(super) fn start(script: &str, name: &str, argument: Option<u32>) -> Result<Self, DeviceError> {
        let mut shell = child::bare("sh");
        shell
            .args(["-c", script, name])
            .args(argument.map(|argument| argument.to_string()))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut shell = start(&mut shell)?;
        let pipe = shell.stdin.take();
        Ok(Self { shell, pipe })
    }

    pub(super) fn tell(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.pipe.as_mut().map_or(Ok(()), |pipe| pipe.write_all(&[line, b"\n"].concat()))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        signal_group(self.shell.id(), Signal::KILL);
        let _ = self.shell.wait();
    }
}
