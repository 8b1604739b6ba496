//! Phones for a run: real ones over adb, or simulated ones in this process.
//!
//! Invariant: a phone is driven by one device at a time. A simulated one whose device did not end in
//! good order is thrown away; the next episode gets a fresh one.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use waldo_android::{
    Adb, AdbDevice, AdbOptions, AdbState, AndroidDevice, AndroidOptions, Locks, PhoneTarget, PictureWay,
    Secrets, probe_transport,
};
use waldo_devices::peer::{PeerCheck, PeerRule};
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, DeviceLayer, Guarded};
use waldo_simphone::wire::{PhoneServer, ServerOptions};
use waldo_simphone::{IdleWait, Phone, PhoneOptions};
use waldo_tasks::runner::DeviceSource;

use crate::screens::kind::ScreenSource;

/// How long an adb server may take to answer before it counts as absent.
const ADB_ANSWERS: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phones {
    Only,
    /// All that adb has ready, one for each worker.
    All,
    Serial(String),
    /// The one at this port, without an adb server.
    Tcp(SocketAddr),
    /// The only one on a USB cable, or the one of this serial, without an adb server.
    Usb(Option<String>),
    Simulated,
}

/// How the adb server is reached: as given, or as the environment says it for adb itself.
pub fn adb_options(server: Option<&str>) -> Result<AdbOptions, DeviceError> {
    let variable = |name: &str| crate::environment::var(name).filter(|value| !value.trim().is_empty());
    let address = server
        .map(str::to_owned)
        .or_else(|| variable("ADB_SERVER_SOCKET"))
        .or_else(|| variable("ANDROID_ADB_SERVER_PORT"));
    let options = AdbOptions { key: adb_key().filter(|key| key.is_file()), ..AdbOptions::default() };
    if let Some(address) = address { options.with_server(&address) } else { Ok(options) }
}

/// Where the key is that adb itself shows to phones: who trusts adb here trusts this too.
pub fn adb_key() -> Option<PathBuf> {
    crate::environment::var_os("HOME").map(|home| PathBuf::from(home).join(".android/adbkey"))
}

/// What can be told of adb without starting anything.
#[derive(Debug)]
pub enum AdbFound {
    Missing,
    /// The program is there, its server does not run.
    Asleep,
    Phones(Vec<AdbDevice>),
}

/// Looks for an adb server, and for the program where none answers.
pub async fn look_for_phones(options: &AdbOptions) -> Result<AdbFound, DeviceError> {
    let server = tokio::time::timeout(ADB_ANSWERS, tokio::net::TcpStream::connect(options.server)).await;
    if matches!(server, Ok(Ok(_))) {
        let phones = Adb::new(options.clone()).devices(Deadline::after(ADB_ANSWERS)).await?;
        return Ok(AdbFound::Phones(phones));
    }
    let path = crate::environment::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).any(|dir| dir.join(&options.program).is_file());
    Ok(if there { AdbFound::Asleep } else { AdbFound::Missing })
}

/// Phones, each lent to one device at a time.
pub struct AndroidSource {
    phones: Pool,
    options: AndroidOptions,
    approver: Option<Arc<dyn Approver>>,
}

enum Pool {
    Real { free: Arc<Mutex<Vec<PhoneTarget>>>, count: usize },
    Simulated(Arc<Simulated>),
}

#[derive(Default)]
struct Simulated {
    free: Mutex<Vec<PhoneServer>>,
}

impl AndroidSource {
    /// Phones as `phones` says, reached through the adb server of `adb` where one is needed; `display` is the
    /// one that is driven, the first by default.
    pub async fn new(
        phones: &Phones,
        adb: AdbOptions,
        display: Option<u32>,
        secrets: Secrets,
        approver: Option<Arc<dyn Approver>>,
        deadline: Deadline,
    ) -> Result<Self, DeviceError> {
        let mut options = AndroidOptions { adb, display, secrets, ..AndroidOptions::default() };
        let targets = match phones {
            Phones::Only => vec![PhoneTarget::Only],
            Phones::Serial(serial) => {
                // Later it is waited for: a phone that was unplugged comes back.
                Adb::new(options.adb.clone()).expect(serial, deadline).await?;
                vec![PhoneTarget::Serial(serial.clone())]
            }
            Phones::Tcp(address) => {
                probe_transport(*address, deadline).await?;
                vec![PhoneTarget::Tcp(*address)]
            }
            Phones::Usb(serial) => vec![PhoneTarget::Usb(serial.clone())],
            Phones::All => {
                let known = Adb::new(options.adb.clone()).devices(deadline).await?;
                let ready = known.into_iter().filter(|phone| phone.state == AdbState::Device);
                let targets: Vec<PhoneTarget> =
                    ready.map(|phone| PhoneTarget::Serial(phone.serial)).collect();
                // Opening the only one tells why there is none.
                if targets.is_empty() { vec![PhoneTarget::Only] } else { targets }
            }
            Phones::Simulated => Vec::new(),
        };
        let phones = if *phones == Phones::Simulated {
            // Nobody else knows them, and what is killed leaves no folder.
            options.locks = Locks::None;
            // No wire is between us: raw is the fastest way.
            options.picture = Some(PictureWay::Raw);
            Pool::Simulated(Arc::default())
        } else {
            options.picture_memory = picture_memory();
            Pool::Real { count: targets.len(), free: Arc::new(Mutex::new(targets)) }
        };
        Ok(Self { phones, options, approver })
    }

    async fn lend(&self) -> Result<(PhoneTarget, PhoneLease), DeviceError> {
        match &self.phones {
            Pool::Real { free, .. } => {
                let target = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let target = target.ok_or_else(|| DeviceError::Gone {
                    reason: "every phone is in use: give as many workers as there are phones".to_owned(),
                })?;
                Ok((target.clone(), PhoneLease::Real { target, pool: free.clone() }))
            }
            Pool::Simulated(pool) => {
                let free = pool.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let phone = if let Some(phone) = free { phone } else { simulated().await? };
                let target = PhoneTarget::Tcp(phone.local_addr());
                Ok((target, PhoneLease::Simulated { phone: Some(phone), pool: pool.clone(), clean: false }))
            }
        }
    }
}

/// Whether a connection to a simulated phone comes from this process: its drivers are here.
fn is_own_connection(peer: SocketAddr, own: SocketAddr) -> bool {
    static CHECK: LazyLock<PeerCheck> =
        LazyLock::new(|| PeerCheck::new("a simulated phone", PeerRule::ThisProcess));
    CHECK.admits(peer, own)
}

/// A simulated phone on a free port of loopback. It is made for speed: a tree is there once the screen
/// has been quiet for a twentieth of what a real phone waits for.
async fn simulated() -> Result<PhoneServer, DeviceError> {
    let phone = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..PhoneOptions::default() });
    let options = ServerOptions { admits: is_own_connection, ..ServerOptions::default() };
    PhoneServer::bind_with(SocketAddr::from(([127, 0, 0, 1], 0)), phone, options).await.map_err(|error| {
        DeviceError::Start {
            what: "a simulated phone".to_owned(),
            message: error.to_string(),
            hint: "allow waldo to listen on 127.0.0.1".to_owned(),
        }
    })
}

/// Where the fastest way to a phone's pictures is remembered.
fn picture_memory() -> Option<PathBuf> {
    let cache = crate::environment::var_os("XDG_CACHE_HOME")
        .filter(|dir| !dir.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(crate::environment::var_os("HOME")?).join(".cache")))?
        .join("waldo");
    // Without it the way is only found anew each time.
    std::fs::create_dir_all(&cache).ok().map(|()| cache.join("phone-pictures.json"))
}

/// A phone that was lent; given back when it is dropped.
enum PhoneLease {
    Real { target: PhoneTarget, pool: Arc<Mutex<Vec<PhoneTarget>>> },
    Simulated { phone: Option<PhoneServer>, pool: Arc<Simulated>, clean: bool },
}

impl Drop for PhoneLease {
    fn drop(&mut self) {
        match self {
            Self::Real { target, pool } => {
                pool.lock().unwrap_or_else(PoisonError::into_inner).push(target.clone());
            }
            Self::Simulated { phone, pool, clean: true } => {
                pool.free.lock().unwrap_or_else(PoisonError::into_inner).extend(phone.take());
            }
            Self::Simulated { .. } => {}
        }
    }
}

/// A device on a phone that was lent. The device ends first.
struct OnPhone {
    device: AndroidDevice,
    lent: PhoneLease,
}

impl Drop for OnPhone {
    fn drop(&mut self) {
        if matches!(self.lent, PhoneLease::Simulated { clean: false, .. }) {
            // The phone ends with it, and has nothing to be put back.
            self.device.abandon();
        }
    }
}

#[async_trait]
impl DeviceLayer for OnPhone {
    fn inner(&self) -> &dyn Device {
        &self.device
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut self.device
    }

    async fn close(&mut self, deadline: Deadline) -> Result<(), DeviceError> {
        let closed = self.device.close(deadline).await;
        if let (PhoneLease::Simulated { clean, .. }, Ok(())) = (&mut self.lent, &closed) {
            *clean = true;
        }
        closed
    }
}

#[async_trait]
impl DeviceSource for AndroidSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let (target, lent) = self.lend().await?;
        if let (PhoneTarget::Tcp(address), PhoneLease::Real { .. }) = (&target, &lent) {
            // One that has gone is told of at once, and not by whatever would wait for it first.
            probe_transport(*address, deadline).await?;
        }
        let device = AndroidDevice::open(AndroidOptions { target, ..self.options.clone() }, deadline).await?;
        Ok(Box::new(Guarded::new(Box::new(OnPhone { device, lent }), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for AndroidSource {
    async fn info(&self, deadline: Deadline) -> Result<DeviceInfo, DeviceError> {
        let mut device = self.device(deadline).await?;
        let info = device.info();
        device.close(Deadline::after(Duration::from_secs(10))).await?;
        Ok(info)
    }

    fn workers(&self, workers: usize) -> usize {
        match &self.phones {
            Pool::Real { count, .. } => workers.min(*count),
            Pool::Simulated(_) => workers,
        }
    }
}
