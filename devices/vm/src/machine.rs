//! One machine that runs.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use serde_json::json;
use waldo_devices::{Deadline, DeviceError, Result, child, foreign};

use super::command_line::{self, DISK, QMP, SERVER, VNC};
use super::image::start_error;
use super::qmp::Qmp;
use super::settings::{Acceleration, VmOptions};

/// The snapshot that episodes start from.
const READY: &str = "ready";
/// How long QEMU may take to be there.
const STARTS_WITHIN: Duration = Duration::from_secs(30);
/// How long QEMU may take to say how it is.
const ALIVE_WITHIN: Duration = Duration::from_secs(10);
/// How long its end may take.
const ENDS_WITHIN: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };
/// The most bytes of what QEMU printed that are looked at.
const LOG: u64 = 1 << 20;

/// By what a machine is seen and driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hands {
    /// The server of OSWorld's machines inside it.
    Server,
    /// The VNC server of QEMU.
    Vnc,
}

/// A machine that runs. Dropping it ends it.
#[derive(Debug)]
pub struct Machine {
    pub(crate) qmp: Qmp,
    process: Child,
    folder: PathBuf,
}

impl Machine {
    /// Starts QEMU on the overlay in `folder`; the guest does not run yet.
    ///
    /// # Errors
    /// [`DeviceError::Start`] with the last that QEMU said.
    pub(crate) async fn start(
        options: &VmOptions,
        acceleration: Acceleration,
        folder: &Path,
        files: &[PathBuf],
    ) -> Result<Self> {
        let io = |error: std::io::Error| {
            start_error(error.to_string(), "check that the temporary folder can be written")
        };
        let line = command_line::line(options, acceleration, folder, files);
        let log = folder.join("log");
        let mut command = child::bare(&line[0]);
        command.args(&line[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::create(&log).map_err(io)?).process_group(0);
        let mut process = command.spawn().map_err(io)?;
        let lives = || match process.try_wait() {
            Ok(None) => Ok(()),
            _ => Err(DeviceError::Gone { reason: "QEMU ended".to_owned() }),
        };
        match Qmp::connect(&folder.join(QMP), Deadline::after(STARTS_WITHIN), lives).await {
            Ok(qmp) => Ok(Self { qmp, process, folder: folder.to_owned() }),
            Err(error) => {
                end(&mut process);
                let said = foreign::read(folder, &log, LOG).unwrap_or_default();
                let said = String::from_utf8_lossy(&said);
                let said =
                    said.lines().rev().find(|line| line.contains("qemu-system")).or(said.lines().last());
                let hint = match acceleration {
                    Acceleration::Kvm => "see `waldo vm doctor`; --vm accel=tcg needs no KVM",
                    _ => "see `waldo vm doctor`, and give it less memory with --vm memory=MiB",
                };
                Err(start_error(said.map_or_else(|| error.to_string(), str::to_owned), hint))
            }
        }
    }

    /// Where its sockets are: [`crate::SERVER`], [`crate::BROWSER`].
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn server(&self) -> PathBuf {
        self.folder.join(SERVER)
    }

    pub fn vnc(&self) -> PathBuf {
        self.folder.join(VNC)
    }

    /// Whether it is there.
    ///
    /// # Errors
    /// [`DeviceError::Gone`] with why it is not.
    pub fn lives(&self) -> Result<()> {
        let gone = |why| DeviceError::Gone { reason: format!("the virtual machine is gone: {why}") };
        self.qmp.end().map_or(Ok(()), |why| Err(gone(why)))
    }

    /// Whether it runs, as QEMU says.
    ///
    /// # Errors
    /// [`DeviceError::Gone`] where it does not, or QEMU gives no answer.
    pub async fn runs(&self, deadline: Deadline) -> Result<()> {
        let gone = |reason: String| DeviceError::Gone { reason };
        match self.qmp.ask("query-status", json!({}), deadline.at_most(ALIVE_WITHIN)).await {
            Ok(status) if status["running"] == true => Ok(()),
            Ok(status) => Err(gone(format!("the virtual machine does not run: it is {}", status["status"]))),
            Err(error @ DeviceError::Gone { .. }) => Err(error),
            Err(error) => Err(gone(format!("the virtual machine hangs: {error}"))),
        }
    }

    pub(crate) async fn go_on(&self, deadline: Deadline) -> Result<()> {
        self.qmp.ask("cont", json!({}), deadline).await.map(drop)
    }

    /// Keeps memory and disk as they are now.
    pub(crate) async fn save(&self, deadline: Deadline) -> Result<()> {
        let snapshot = json!({ "tag": READY, "vmstate": DISK, "devices": [DISK] });
        self.qmp.job("snapshot-save", snapshot, deadline).await
    }

    /// Brings memory and disk back to what was kept, and lets it run.
    pub(crate) async fn restore(&self, deadline: Deadline) -> Result<()> {
        let snapshot = json!({ "tag": READY, "vmstate": DISK, "devices": [DISK] });
        self.qmp.job("snapshot-load", snapshot, deadline).await?;
        self.go_on(deadline).await?;
        self.runs(deadline).await
    }

    /// Ends QEMU once all that it wrote is on the disk.
    pub(crate) async fn quit(mut self, deadline: Deadline) -> Result<()> {
        let after = deadline.left();
        // It may close the connection before it answers.
        let _ = self.qmp.ask("quit", json!({}), deadline).await;
        // The door ends with QEMU.
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        while matches!(self.process.try_wait(), Ok(None)) {
            looks.tick().await;
            if deadline.passed() {
                return Err(DeviceError::Timeout { what: "the end of QEMU".to_owned(), after });
            }
        }
        Ok(())
    }
}

/// Lets go of the door, with which all in the sandbox ends, and waits until it is gone.
fn end(process: &mut Child) {
    drop(process.stdin.take());
    if let Some(alive) = process.stdout.take() {
        // Whatever runs in the sandbox holds the other end.
        let _ = rustix::event::poll(&mut [PollFd::new(&alive, PollFlags::IN)], Some(&ENDS_WITHIN));
    }
    let _ = process.kill();
    let _ = process.wait();
}

impl Drop for Machine {
    fn drop(&mut self) {
        end(&mut self.process);
        // Its disk, and sockets that nobody listens at.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
