//! The route straight to a phone's TCP port: adb's own protocol, many streams on one connection.
//!
//! Invariant: at most one unanswered write per stream, as the protocol asks; when the connection ends,
//! every stream ends.

mod key;
mod packet;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use self::key::Key;
use self::packet::{AUTH, CLSE, CNXN, DATA_MAX, OKAY, OPEN, Packet, STLS, VERSION, WRTE};
use super::{Stream, failed, gone, within};
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;

/// What we say that we understand.
const BANNER: &[u8] = b"host::features=shell_v2,cmd\0";
/// The bytes that wait between a stream's user and the connection.
const BUFFER: usize = 1 << 20;
/// The most data in a packet that we send; every phone takes as much.
const WRITE_MAX: usize = 4096;

/// How a phone greets.
pub(super) enum Greeting {
    /// It talks.
    Open(Arc<Wire>),
    /// It talks only through TLS.
    WantsTls,
}

/// A connection to a phone.
pub(super) struct Wire {
    shared: Arc<Shared>,
    /// What the phone can do.
    pub(super) features: String,
    _reader: AbortOnDropHandle<()>,
}

struct Shared {
    writer: tokio::sync::Mutex<OwnedWriteHalf>,
    streams: Mutex<Streams>,
}

#[derive(Default)]
struct Streams {
    last: u32,
    closed: bool,
    open: HashMap<u32, mpsc::UnboundedSender<Packet>>,
}

impl Shared {
    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn send(&self, packet: Packet) -> Result<(), DeviceError> {
        packet.write(&mut *self.writer.lock().await).await
    }

    /// Hands incoming packets to their streams until the connection ends.
    async fn serve(&self, mut from: OwnedReadHalf) {
        while let Ok(packet) = Packet::read(&mut from).await {
            let to = self.streams().open.get(&packet.arg1).cloned();
            match to {
                // A stream whose user has left still gets its last packets; they are dropped.
                Some(to) => drop(to.send(packet)),
                None if matches!(packet.command, WRTE | OKAY) => {
                    let close = Packet::new(CLSE, packet.arg1, packet.arg0, &[]);
                    if self.send(close).await.is_err() {
                        break;
                    }
                }
                None => {}
            }
        }
        let mut streams = self.streams();
        streams.closed = true;
        streams.open.clear();
    }
}

impl Wire {
    /// Connects and introduces itself.
    pub(super) async fn connect(
        address: SocketAddr,
        key: Option<&Path>,
        deadline: Deadline,
    ) -> Result<Greeting, DeviceError> {
        within(&format!("the phone at {address}"), deadline, Self::greet(address, key)).await
    }

    async fn greet(address: SocketAddr, key: Option<&Path>) -> Result<Greeting, DeviceError> {
        let stream = TcpStream::connect(address)
            .await
            .map_err(|error| gone(format!("no phone answers at {address}: {error}")))?;
        let _ = stream.set_nodelay(true);
        let (mut from, mut to) = stream.into_split();
        Packet::new(CNXN, VERSION, DATA_MAX, BANNER).write(&mut to).await?;
        let mut identity: Option<Key> = None;
        let banner = loop {
            let packet = Packet::read(&mut from).await?;
            match packet.command {
                CNXN => break packet.data,
                STLS => return Ok(Greeting::WantsTls),
                AUTH => {
                    // A second question means that the phone does not know the key: it shows it to its user.
                    let answer = match identity.take() {
                        None => {
                            let path = key.map(Path::to_owned);
                            let made = tokio::task::spawn_blocking(move || Key::load(path.as_deref()));
                            let made = made.await.map_err(|error| gone(error.to_string()))??;
                            let signed = made.sign(&packet.data)?;
                            identity = Some(made);
                            Packet::new(AUTH, 2, 0, &signed)
                        }
                        Some(key) => Packet::new(AUTH, 3, 0, &key.public()),
                    };
                    answer.write(&mut to).await?;
                }
                _ => {}
            }
        };
        let banner = String::from_utf8_lossy(&banner).into_owned();
        let features = banner.split(';').find_map(|part| part.strip_prefix("features=")).unwrap_or_default();
        let features = features.trim_end_matches('\0').to_owned();
        let shared = Arc::new(Shared { writer: tokio::sync::Mutex::new(to), streams: Mutex::default() });
        let reader = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move { shared.serve(from).await }
        });
        Ok(Greeting::Open(Arc::new(Self { shared, features, _reader: AbortOnDropHandle::new(reader) })))
    }

    /// Whether the connection has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.shared.streams().closed
    }

    /// Opens a service.
    pub(super) async fn open(self: &Arc<Self>, service: &str) -> Result<Stream, DeviceError> {
        let (sender, mut incoming) = mpsc::unbounded_channel();
        let local = {
            let mut streams = self.shared.streams();
            if streams.closed {
                return Err(gone("the connection to the phone ended"));
            }
            streams.last += 1;
            let local = streams.last;
            streams.open.insert(local, sender);
            local
        };
        let entry = Entry { shared: Arc::clone(&self.shared), local };
        entry.shared.send(Packet::new(OPEN, local, 0, format!("{service}\0").as_bytes())).await?;
        let first = incoming.recv().await.ok_or_else(|| gone("the connection to the phone ended"))?;
        if first.command != OKAY {
            return Err(failed(service, "the phone refused the service"));
        }
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        let wire = Arc::clone(self);
        tokio::spawn(async move {
            entry.pump(first.arg0, incoming, theirs).await;
            // Held until here: without its reader a stream would wait for ever, and whoever mends the
            // connection at the same time as another lets go of the one that the other has just opened.
            drop(wire);
        });
        Ok(Box::new(ours))
    }
}

/// A stream's place in the table; leaving frees it.
struct Entry {
    shared: Arc<Shared>,
    local: u32,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.shared.streams().open.remove(&self.local);
    }
}

impl Entry {
    /// Carries data between the connection and the stream's user until either side closes.
    async fn pump(self, remote: u32, mut incoming: mpsc::UnboundedReceiver<Packet>, user: DuplexStream) {
        let (mut from_user, mut to_user) = tokio::io::split(user);
        let mut buffer = vec![0; WRITE_MAX];
        let mut may_write = true;
        let end = loop {
            tokio::select! {
                packet = incoming.recv() => match packet {
                    Some(Packet { command: WRTE, data, .. }) => {
                        // Answered only when there is room for it: this is what slows the phone down.
                        if to_user.write_all(&data).await.is_err() {
                            break true;
                        }
                        if self.shared.send(Packet::new(OKAY, self.local, remote, &[])).await.is_err() {
                            break false;
                        }
                    }
                    Some(Packet { command: OKAY, .. }) => may_write = true,
                    Some(Packet { command: CLSE, .. }) | None => break false,
                    Some(_) => {}
                },
                read = from_user.read(&mut buffer), if may_write => match read {
                    Ok(0) | Err(_) => break true,
                    Ok(n) => {
                        may_write = false;
                        if self.shared.send(Packet::new(WRTE, self.local, remote, &buffer[..n])).await.is_err() {
                            break false;
                        }
                    }
                },
            }
        };
        if end {
            let _ = self.shared.send(Packet::new(CLSE, self.local, remote, &[])).await;
        }
        let _ = to_user.shutdown().await;
    }
}
