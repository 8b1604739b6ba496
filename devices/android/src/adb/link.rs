//! The way to one phone: opened anew when it breaks, never in a hurry.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Mutex as AsyncMutex;

use super::server::{Adb, by_port};
use super::shell::{self, ShellOutput};
use super::wire::{DirectAddress, Wire};
use super::{AdbState, ServiceStream, socket, sync, within};
use waldo_devices::{Deadline, DeviceError, Result};

/// A phone is told to reconnect at most this often: each time drops what others do with it.
const COOL_DOWN: Duration = Duration::from_secs(30);
/// How long a phone is waited for before the server is asked again what became of it.
const LOOK_AGAIN: Duration = Duration::from_secs(3);
/// How long a phone without an adb server may stay away before it counts as gone.
const COMES_BACK_WITHIN: Duration = Duration::from_secs(20);
/// How long an adb server and its phone may take to open a service, before anything is asked of it.
const OPENS_WITHIN: Duration = Duration::from_secs(10);
/// How often a command that only looks is run when it breaks off.
const ROUNDS: usize = 4;

#[derive(Clone, Debug)]
pub(crate) enum Route {
    Server {
        adb: Adb,
        serial: String,
    },
    /// Without one.
    Direct {
        place: DirectAddress,
        key: Option<PathBuf>,
    },
}

/// Whether a command that broke off may run a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepeatRule {
    Safe,
    /// It acts: once at most.
    Never,
}

pub(crate) struct PhoneLink {
    pub(crate) route: Route,
    wire: AsyncMutex<Option<Arc<Wire>>>,
    features: Mutex<Option<String>>,
    reconnected: Mutex<Option<Instant>>,
    /// Held while the way is set up again.
    mending: AsyncMutex<()>,
    mended: AtomicU64,
}

impl PhoneLink {
    pub(crate) fn new(route: Route) -> Self {
        Self {
            route,
            wire: AsyncMutex::default(),
            features: Mutex::default(),
            reconnected: Mutex::default(),
            mending: AsyncMutex::default(),
            mended: AtomicU64::default(),
        }
    }

    pub(crate) fn name(&self) -> String {
        match &self.route {
            Route::Server { serial, .. } => serial.clone(),
            Route::Direct { place, .. } => place.to_string(),
        }
    }

    /// Runs a command. A connection that is broken is set up again; the command runs again only when
    /// it was not yet sent, or `repeat` allows it.
    pub(crate) async fn shell(
        &self,
        command: &str,
        repeat: RepeatRule,
        deadline: Deadline,
    ) -> Result<ShellOutput> {
        let v2 = self.has("shell_v2", deadline).await?;
        let service =
            if v2 { format!("shell,v2,raw:{command}") } else { format!("shell:{}", shell::marked(command)) };
        let mut round = 1;
        loop {
            let opened = self.open_or_mend(&service, deadline).await?;
            let result = within(command, deadline, async {
                if v2 { shell::read_v2(opened).await } else { shell::unmark(shell::read_all(opened).await?) }
            })
            .await;
            let again = repeat == RepeatRule::Safe && round < ROUNDS && !deadline.passed();
            match result {
                Err(DeviceError::Gone { .. }) if again => self.mend(deadline).await?,
                other => return other,
            }
            round += 1;
        }
    }

    /// A service's bytes to its end.
    pub(crate) async fn bytes(&self, service: &str, deadline: Deadline) -> Result<Vec<u8>> {
        let stream = self.open_or_mend(service, deadline).await?;
        within(service, deadline, shell::read_all(stream)).await
    }

    pub(crate) async fn has(&self, feature: &str, deadline: Deadline) -> Result<bool> {
        let known = self.features.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let features = match known {
            Some(features) => features,
            None => {
                let asked = match self.ask_features(deadline).await {
                    Err(DeviceError::Gone { .. }) => {
                        self.mend(deadline).await?;
                        self.ask_features(deadline).await?
                    }
                    other => other?,
                };
                self.features.lock().unwrap_or_else(PoisonError::into_inner).insert(asked).clone()
            }
        };
        Ok(features.split(',').any(|f| f == feature))
    }

    async fn ask_features(&self, deadline: Deadline) -> Result<String> {
        match &self.route {
            Route::Server { adb, serial } => adb.features(serial, deadline).await,
            Route::Direct { place, key } => {
                Ok(self.direct(place, key.as_deref(), deadline).await?.features.clone())
            }
        }
    }

    async fn direct(
        &self,
        place: &DirectAddress,
        key: Option<&Path>,
        deadline: Deadline,
    ) -> Result<Arc<Wire>> {
        let mut slot = self.wire.lock().await;
        match &*slot {
            Some(wire) if !wire.is_closed() => Ok(Arc::clone(wire)),
            _ => Ok(Arc::clone(slot.insert(Wire::connect(place, key, deadline).await?))),
        }
    }

    async fn open(&self, service: &str, deadline: Deadline) -> Result<ServiceStream> {
        within(service, deadline, async {
            match &self.route {
                Route::Server { adb, serial } => {
                    let open = socket::open(adb.options.server, serial, service);
                    let stream = within(service, deadline.at_most(OPENS_WITHIN), open).await?;
                    Ok(Box::new(stream) as ServiceStream)
                }
                Route::Direct { place, key } => {
                    self.direct(place, key.as_deref(), deadline).await?.open(service).await
                }
            }
        })
        .await
    }

    async fn open_or_mend(&self, service: &str, deadline: Deadline) -> Result<ServiceStream> {
        match self.open(service, deadline).await {
            Err(DeviceError::Gone { .. }) => {
                self.mend(deadline).await?;
                self.open(service, deadline).await
            }
            other => other,
        }
    }

    /// Sets up a broken connection again: starts a missing server, reconnects a phone that is offline,
    /// and waits for it until the deadline. A picture and a tree that break off together do it once.
    pub(crate) async fn mend(&self, deadline: Deadline) -> Result<()> {
        let before = self.mended();
        let _alone = within("adb connect", deadline, async { Ok(self.mending.lock().await) }).await?;
        if self.mended() == before {
            self.mend_alone(deadline).await?;
            self.mended.fetch_add(1, Ordering::Release);
        }
        Ok(())
    }

    pub(crate) fn mended(&self) -> u64 {
        self.mended.load(Ordering::Acquire)
    }

    async fn mend_alone(&self, deadline: Deadline) -> Result<()> {
        match &self.route {
            Route::Direct { place, key } => {
                *self.wire.lock().await = None;
                let deadline = deadline.at_most(COMES_BACK_WITHIN);
                let mut pause = Duration::from_millis(50);
                loop {
                    match self.direct(place, key.as_deref(), deadline).await {
                        // Nothing announces a port that opens, or a cable that is back: it has to be tried.
                        Err(DeviceError::Gone { .. } | DeviceError::Absent { .. })
                            if deadline.left() > pause =>
                        {
                            tokio::time::sleep(pause).await;
                            pause = (pause * 2).min(Duration::from_secs(1));
                        }
                        other => return other.map(drop),
                    }
                }
            }
            Route::Server { adb, serial } => loop {
                match self.mend_through(adb, serial, deadline).await {
                    // The server itself went away under the call.
                    Err(DeviceError::Gone { reason }) if !deadline.passed() => {
                        tracing::debug!(serial, reason, "the adb server broke off; again");
                        tokio::time::sleep(Duration::from_millis(100).min(deadline.left())).await;
                    }
                    other => return other,
                }
            },
        }
    }

    async fn mend_through(&self, adb: &Adb, serial: &str, deadline: Deadline) -> Result<()> {
        let by_port = by_port(serial);
        loop {
            match adb.state(serial, deadline).await? {
                Some(AdbState::Device) => return Ok(()),
                Some(AdbState::Offline) if self.may_reconnect() => {
                    if by_port {
                        let _ = adb.disconnect(serial, deadline).await;
                        adb.connect(serial, deadline).await?;
                    } else {
                        adb.reconnect(serial, deadline).await?;
                    }
                }
                // A server that was started anew has forgotten its TCP phones.
                None if by_port => adb.connect(serial, deadline).await?,
                state => {
                    if let Some(error) = state.and_then(|state| state.trouble(serial)) {
                        return Err(error);
                    }
                }
            }
            // The server, too, connects anew what it lost, and may drop what is there by now.
            match adb.wait_for(serial, deadline.at_most(LOOK_AGAIN)).await {
                Err(DeviceError::Timeout { .. }) if !deadline.passed() => {}
                other => return other,
            }
        }
    }

    fn may_reconnect(&self) -> bool {
        let mut last = self.reconnected.lock().unwrap_or_else(PoisonError::into_inner);
        let may = last.is_none_or(|at| at.elapsed() >= COOL_DOWN);
        if may {
            *last = Some(Instant::now());
        }
        may
    }

    pub(crate) async fn push(&self, from: &Path, to: &str, deadline: Deadline) -> Result<()> {
        let stream = self.open_or_mend(sync::SERVICE, deadline).await?;
        within("push", deadline, sync::push(stream, from, to)).await
    }

    pub(crate) async fn pull(&self, from: &str, to: &Path, deadline: Deadline) -> Result<()> {
        let stream = self.open_or_mend(sync::SERVICE, deadline).await?;
        within("pull", deadline, sync::pull(stream, from, to)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::super::server::AdbOptions;
    use super::*;

    /// A server whose one phone is offline until it is told to reconnect.
    #[derive(Default)]
    struct OfflineServer {
        offline: AtomicBool,
        reconnects: AtomicU32,
    }

    impl OfflineServer {
        async fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
            let mut length = [0; 4];
            stream.read_exact(&mut length).await?;
            let length = usize::from_str_radix(str::from_utf8(&length).unwrap(), 16).unwrap();
            let mut request = vec![0; length];
            stream.read_exact(&mut request).await?;
            stream.write_all(b"OKAY").await?;
            if request.ends_with(b"reconnect") {
                self.reconnects.fetch_add(1, Ordering::SeqCst);
                self.offline.store(false, Ordering::SeqCst);
                return Ok(());
            }
            loop {
                let state = if self.offline.load(Ordering::SeqCst) { "offline" } else { "device" };
                let list = format!("usb1\t{state}\n");
                stream.write_all(format!("{:04x}{list}", list.len()).as_bytes()).await?;
                if !request.ends_with(b"track-devices") {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }

    #[tokio::test]
    async fn a_phone_that_goes_offline_is_told_to_reconnect_once_in_a_while() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let adb = Adb::new(AdbOptions { server: listener.local_addr().unwrap(), ..AdbOptions::default() });
        let server = Arc::new(OfflineServer::default());
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = serving.clone();
                tokio::spawn(async move { server.answer(stream).await });
            }
        });
        let link = PhoneLink::new(Route::Server { adb, serial: "usb1".to_owned() });
        let soon = || Deadline::after(Duration::from_secs(10));
        server.offline.store(true, Ordering::SeqCst);
        link.mend(soon()).await.unwrap();
        assert_eq!(server.reconnects.load(Ordering::SeqCst), 1);
        // Within the cool-down it is only waited for.
        server.offline.store(true, Ordering::SeqCst);
        link.mend(Deadline::after(Duration::from_millis(400))).await.unwrap_err();
        let back = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            server.offline.store(false, Ordering::SeqCst);
        };
        tokio::join!(link.mend(soon()), back).0.unwrap();
        assert_eq!(server.reconnects.load(Ordering::SeqCst), 1);
    }
}
