//! The machines of one image.

use std::path::Path;
use std::str::FromStr as _;
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Mutex;
use waldo_agents::http;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_http::{Address, PlainHttp, RemoteServer};
use waldo_remote::{OsServer, RemoteDevice, RemoteOptions};
use waldo_tasks::runner::DeviceSource;
use waldo_vm::{Acceleration, Hands, VmDevice, VmOptions, VmPool, VmSettings};
use waldo_vnc::{VncAddress, VncDevice, VncOptions};

use crate::screens::error::ScreenError;
use crate::screens::flags::DeviceFlags;
use crate::screens::kind::{ScreenRequest, ScreenSource};

/// The size of the screens that OSWorld's tasks are written for.
const SCREEN: (u32, u32) = (1920, 1080);

pub struct VmSource {
    pool: Arc<VmPool>,
    settle: Duration,
    secrets: Secrets,
    approver: Option<Arc<dyn Approver>>,
}

/// The machines that were started last, while anybody has them.
static RUNNING: Mutex<Weak<VmPool>> = Mutex::const_new(Weak::new());

/// The machines of `image`, kept as they are once one is ready; those that run already where they are the same.
///
/// # Errors
/// When settings mean nothing, something is missing, or the machine does not come up.
pub async fn pool(image: &str, flags: &DeviceFlags) -> Result<Arc<VmPool>, ScreenError> {
    let settings = flags.vm.as_deref().unwrap_or_default();
    let settings =
        VmSettings::from_str(settings).map_err(|why| ScreenError::Input(format!("--vm: {why}")))?;
    let door = std::env::current_exe()
        .map_err(|source| DeviceError::Io { what: "the program waldo itself".to_owned(), source })?;
    let options = VmOptions { image: image.into(), size: flags.size().unwrap_or(SCREEN), settings, door };
    let mut running = RUNNING.lock().await;
    if let Some(pool) = running.upgrade().filter(|pool| pool.options == options) {
        return Ok(pool);
    }
    let pool = VmPool::start(options).await?;
    let by = match (pool.hands, pool.acceleration) {
        (Hands::Server, Acceleration::Kvm) => "its server, with KVM",
        (Hands::Server, _) => "its server, without KVM",
        (Hands::Vnc, Acceleration::Kvm) => "VNC, with KVM",
        (Hands::Vnc, _) => "VNC, without KVM",
    };
    eprintln!("the virtual machine is ready after {} s, driven by {by}", pool.took.as_secs());
    *running = Arc::downgrade(&pool);
    Ok(pool)
}

/// What answers at this socket of a machine.
///
/// # Errors
/// [`DeviceError::Internal`] where no client can be made.
pub fn server(socket: &Path) -> Result<RemoteServer, DeviceError> {
    let failed = |message: String| DeviceError::Internal(format!("a client of a socket: {message}"));
    let client = http::client_at_socket(socket).map_err(|error| failed(error.to_string()))?;
    let address = Address::from_str("http://127.0.0.1").map_err(|error| failed(error.to_string()))?;
    RemoteServer::new(client, address, PlainHttp::Refused)
}

impl VmSource {
    /// The machines of the image that is wanted.
    ///
    /// # Errors
    /// As [`pool`].
    pub async fn of(wanted: &ScreenRequest<'_>) -> Result<Self, ScreenError> {
        let pool = pool(wanted.address().unwrap_or_default(), wanted.flags).await?;
        let settle = Duration::from_millis(wanted.browser.settle);
        Ok(Self { pool, settle, secrets: wanted.secrets.clone(), approver: wanted.approver.clone() })
    }

    async fn machine(&self) -> Result<VmDevice, DeviceError> {
        let lease = self.pool.lend().await?;
        let (settle, secrets) = (self.settle, self.secrets.clone());
        let inner: Box<dyn Device> = match self.pool.hands {
            Hands::Server => Box::new(RemoteDevice::new(
                OsServer::new(server(&lease.machine()?.server())?),
                RemoteOptions { settle, secrets, ..RemoteOptions::default() },
            )),
            Hands::Vnc => {
                let address = VncAddress::at_socket(lease.machine()?.vnc());
                Box::new(VncDevice::new(address, VncOptions { settle, secrets, ..VncOptions::default() }))
            }
        };
        Ok(VmDevice::new(inner, lease))
    }
}

#[async_trait]
impl DeviceSource for VmSource {
    async fn device(&self, _: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        Ok(Box::new(Guarded::new(Box::new(self.machine().await?), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for VmSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        // The machine is the first episode's afterwards.
        Ok(Device::info(&self.machine().await?))
    }
}
