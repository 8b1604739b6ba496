//! The route straight to a phone: adb's own protocol, many streams on one connection, through TLS where asked.
//!
//! Invariant: at most one unanswered write per stream; when the connection ends, every stream ends.

#[cfg(feature = "usb")]
mod cable;
mod key;
mod packet;
mod pair;
mod spake;
mod tls;
#[cfg(any(feature = "usb", test))]
mod usb;

pub use pair::pair;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use self::key::AdbKey;
use self::packet::{AUTH, CLSE, CNXN, DATA_MAX, OKAY, OPEN, Packet, STLS, STLS_VERSION, VERSION, WRTE};
use super::{ServiceStream, failed, gone, lost, within};
use waldo_devices::{Deadline, Result};

/// What we say that we understand.
const BANNER: &[u8] = b"host::features=shell_v2,cmd\0";
/// The bytes that wait between a stream's user and the connection.
const BUFFER: usize = 1 << 20;
/// The most data in a packet that we send: what every phone takes, and what is worth while where it takes more.
const WRITES: std::ops::RangeInclusive<u32> = 4096..=65_536;

/// Where a phone is reached without an adb server.
#[derive(Clone, Debug)]
pub(crate) enum DirectAddress {
    Tcp(SocketAddr),
    /// On a USB cable, the only one or the one of this serial.
    Usb(Option<String>),
}

impl std::fmt::Display for DirectAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "tcp:{address}"),
            Self::Usb(None) => f.write_str("usb"),
            Self::Usb(Some(serial)) => write!(f, "usb:{serial}"),
        }
    }
}

#[cfg(feature = "usb")]
async fn cable(serial: Option<String>) -> Result<ServiceStream> {
    let opened = tokio::task::spawn_blocking(move || cable::open(serial.as_deref())).await;
    Ok(usb::stream(opened??))
}

#[cfg(not(feature = "usb"))]
async fn cable(_: Option<String>) -> Result<ServiceStream> {
    Err(waldo_devices::DeviceError::Start {
        what: "a phone on a USB cable".to_owned(),
        message: "this waldo was built without USB".to_owned(),
        hint: "cargo build --release --features usb, or reach it by adb: --device android".to_owned(),
    })
}

pub(super) struct Wire {
    shared: Arc<Shared>,
    pub(super) features: String,
    write_max: usize,
    _reader: AbortOnDropHandle<()>,
}

struct Shared {
    writer: tokio::sync::Mutex<WriteHalf<ServiceStream>>,
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

    async fn send(&self, packet: Packet) -> Result<()> {
        packet.write(&mut *self.writer.lock().await).await
    }

    /// Hands incoming packets to their streams until the connection ends.
    async fn serve(&self, mut from: ReadHalf<ServiceStream>) {
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
    pub(super) async fn connect(
        place: &DirectAddress,
        key: Option<&Path>,
        deadline: Deadline,
    ) -> Result<Arc<Self>> {
        let name = format!("the phone at {place}");
        within(&name, deadline, async {
            let stream: ServiceStream = match place {
                DirectAddress::Tcp(address) => {
                    let stream = TcpStream::connect(address)
                        .await
                        .map_err(|error| gone(format!("no phone answers at {address}: {error}")))?;
                    let _ = stream.set_nodelay(true);
                    Box::new(stream)
                }
                DirectAddress::Usb(serial) => cable(serial.clone()).await?,
            };
            Self::greet(stream, &name, key).await
        })
        .await
    }

    async fn greet(mut stream: ServiceStream, name: &str, path: Option<&Path>) -> Result<Arc<Self>> {
        Packet::new(CNXN, VERSION, DATA_MAX, BANNER).write(&mut stream).await?;
        let mut shown: Option<AdbKey> = None;
        let mut is_encrypted = false;
        let hello = loop {
            let packet = Packet::read_plain(&mut stream).await.map_err(|error| {
                if is_encrypted { tls::refused(name, &error) } else { lost(name, &error) }
            })?;
            match packet.command {
                CNXN => break packet,
                STLS if !is_encrypted => {
                    let key = AdbKey::load_apart(path).await?;
                    Packet::new(STLS, STLS_VERSION, 0, &[]).write(&mut stream).await?;
                    stream = Box::new(tls::upgrade(stream, name, &key).await?);
                    is_encrypted = true;
                }
                AUTH => {
                    // A second question means that the phone does not know the key: it shows it to its user.
                    let answer = match shown.take() {
                        None => {
                            let key = AdbKey::load_apart(path).await?;
                            let signed = key.sign(&packet.data)?;
                            shown = Some(key);
                            Packet::new(AUTH, 2, 0, &signed)
                        }
                        Some(key) => Packet::new(AUTH, 3, 0, &key.public()),
                    };
                    answer.write(&mut stream).await?;
                }
                _ => {}
            }
        };
        let banner = String::from_utf8_lossy(&hello.data).into_owned();
        let features = banner.split(';').find_map(|part| part.strip_prefix("features=")).unwrap_or_default();
        let features = features.trim_end_matches('\0').to_owned();
        let write_max = hello.arg1.clamp(*WRITES.start(), *WRITES.end()) as usize;
        let (from, to) = tokio::io::split(stream);
        let shared = Arc::new(Shared { writer: tokio::sync::Mutex::new(to), streams: Mutex::default() });
        let reader = tokio::spawn({
            let shared = Arc::clone(&shared);
            async move { shared.serve(from).await }
        });
        Ok(Arc::new(Self { shared, features, write_max, _reader: AbortOnDropHandle::new(reader) }))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.shared.streams().closed
    }

    pub(super) async fn open(self: &Arc<Self>, service: &str) -> Result<ServiceStream> {
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
        let entry = StreamEntry { shared: Arc::clone(&self.shared), local };
        entry.shared.send(Packet::new(OPEN, local, 0, format!("{service}\0").as_bytes())).await?;
        let first = incoming.recv().await.ok_or_else(|| gone("the connection to the phone ended"))?;
        if first.command != OKAY {
            return Err(failed(service, "the phone refused the service"));
        }
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        let wire = Arc::clone(self);
        tokio::spawn(async move {
            entry.pump(first.arg0, wire.write_max, incoming, theirs).await;
            // Held until here: without its reader a stream would wait for ever, and whoever mends the
            // connection at the same time as another lets go of the one that the other has just opened.
            drop(wire);
        });
        Ok(Box::new(ours))
    }
}

/// A stream's place in the table; leaving frees it.
struct StreamEntry {
    shared: Arc<Shared>,
    local: u32,
}

impl Drop for StreamEntry {
    fn drop(&mut self) {
        self.shared.streams().open.remove(&self.local);
    }
}

impl StreamEntry {
    /// Carries data between the connection and the stream's user until either side closes.
    async fn pump(
        self,
        remote: u32,
        write_max: usize,
        mut incoming: mpsc::UnboundedReceiver<Packet>,
        user: DuplexStream,
    ) {
        let (mut from_user, mut to_user) = tokio::io::split(user);
        let mut buffer = vec![0; write_max];
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
