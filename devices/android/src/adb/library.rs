//! What `adb_client` does for us. It blocks, and it may block for ever, so each phone's calls run on a
//! thread of their own behind a bounded mailbox, with the deadline outside.

use std::io::Write as _;
use std::net::{SocketAddr, SocketAddrV4};
use std::path::PathBuf;
use std::thread;

use adb_client::ADBDeviceExt;
use adb_client::server_device::ADBServerDevice;
use adb_client::tcp::ADBTcpDevice;
use tokio::sync::{mpsc, oneshot};

use super::shell::{self, Output};
use super::{failed, gone, within};
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;

/// Calls that wait for a thread before a further one is refused.
const MAILBOX: usize = 4;

type Job = Box<dyn FnOnce(&mut dyn ADBDeviceExt) + Send>;
type Opener = Box<dyn FnOnce() -> Result<Box<dyn ADBDeviceExt>, DeviceError> + Send>;

/// A thread that owns one of `adb_client`'s devices. It ends with its handle, after its last call.
pub(crate) struct Library {
    mailbox: mpsc::Sender<Job>,
}

fn told(call: &str, error: &dyn std::fmt::Display) -> DeviceError {
    failed(call, error.to_string())
}

fn v4(server: SocketAddr) -> Result<SocketAddrV4, DeviceError> {
    match server {
        SocketAddr::V4(v4) => Ok(v4),
        SocketAddr::V6(v6) => Err(DeviceError::BadArgument {
            what: format!("address {v6}"),
            message: "this call takes an IPv4 address".to_owned(),
        }),
    }
}

impl Library {
    /// A device of the server, for files.
    pub(crate) async fn server(
        server: SocketAddr,
        serial: &str,
        deadline: Deadline,
    ) -> Result<Self, DeviceError> {
        let (server, serial) = (v4(server)?, serial.to_owned());
        Self::start(Box::new(move || Ok(ADBServerDevice::new(serial, Some(server)).boxed())), deadline).await
    }

    /// A phone's own port: files, and the shell where it wants TLS.
    pub(crate) async fn phone(
        address: SocketAddr,
        key: Option<PathBuf>,
        deadline: Deadline,
    ) -> Result<Self, DeviceError> {
        let open = move || {
            let device = match key {
                Some(key) => ADBTcpDevice::new_with_custom_private_key(address, key),
                None => ADBTcpDevice::new(address),
            };
            device.map(ADBDeviceExt::boxed).map_err(|error| gone(format!("{address}: {error}")))
        };
        Self::start(Box::new(open), deadline).await
    }

    async fn start(open: Opener, deadline: Deadline) -> Result<Self, DeviceError> {
        let (mailbox, mut jobs) = mpsc::channel::<Job>(MAILBOX);
        let (ready, opened) = oneshot::channel();
        let run = move || {
            let mut device = match open() {
                Ok(device) => device,
                Err(error) => return drop(ready.send(Err(error))),
            };
            if ready.send(Ok(())).is_ok() {
                while let Some(job) = jobs.blocking_recv() {
                    job(&mut *device);
                }
            }
        };
        thread::Builder::new()
            .name("waldo-adb".to_owned())
            .spawn(run)
            .map_err(|source| DeviceError::Io { what: "starting a thread for adb".to_owned(), source })?;
        within("adb connect", deadline, async { opened.await.map_err(|_| gone("adb's thread ended"))? })
            .await?;
        Ok(Self { mailbox })
    }

    async fn run<T: Send + 'static>(
        &self,
        call: &str,
        deadline: Deadline,
        work: impl FnOnce(&mut dyn ADBDeviceExt) -> Result<T, DeviceError> + Send + 'static,
    ) -> Result<T, DeviceError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |device| drop(answer.send(work(device))));
        within(call, deadline, async {
            self.mailbox.send(job).await.map_err(|_| gone("adb's thread ended"))?;
            answered.await.map_err(|_| gone("adb's thread ended"))?
        })
        .await
    }

    /// Runs a command. Its exit code comes by a mark in its output: the library loses it.
    pub(crate) async fn shell(&self, command: &str, deadline: Deadline) -> Result<Output, DeviceError> {
        let marked = shell::marked(command);
        self.run(command, deadline, move |device| {
            let mut out = Vec::new();
            device.shell_command(&marked, Some(&mut out), None).map_err(|error| told("shell", &error))?;
            shell::unmark(out)
        })
        .await
    }

    /// Copies a file of the host to the phone.
    pub(crate) async fn push(
        &self,
        from: PathBuf,
        to: String,
        deadline: Deadline,
    ) -> Result<(), DeviceError> {
        self.run("push", deadline, move |device| {
            let io = |source| DeviceError::Io { what: from.display().to_string(), source };
            let mut file = std::fs::File::open(&from).map_err(io)?;
            device.push(&mut file, &to).map_err(|error| told(&format!("push to {to}"), &error))
        })
        .await
    }

    /// Copies a file of the phone to the host.
    pub(crate) async fn pull(
        &self,
        from: String,
        to: PathBuf,
        deadline: Deadline,
    ) -> Result<(), DeviceError> {
        self.run("pull", deadline, move |device| {
            let io = |source| DeviceError::Io { what: to.display().to_string(), source };
            let mut bytes = Vec::new();
            device.pull(&from, &mut bytes).map_err(|error| told(&format!("pull {from}"), &error))?;
            std::fs::File::create(&to).and_then(|mut file| file.write_all(&bytes)).map_err(io)
        })
        .await
    }
}
