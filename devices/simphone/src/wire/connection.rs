//! One connection of a host: greeting, authentication, then streams until it ends.
//!
//! Invariants: every task of a connection ends with it; a stream's service runs in a task of its own, so a hung
//! command holds up nobody else; what the host does wrong ends this connection only.

use super::packet::{MAX_PAYLOAD, Packet, PacketError, PacketKind, Sums, VERSION, VERSION_SUMS};
use super::stream::{StreamPort, pair};
use super::{Auth, ServerOptions, service};
use crate::fault::PhoneFault;
use crate::phone::Phone;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Streams one connection may have open; more are refused as a phone short of descriptors does.
const STREAMS: usize = 512;
/// How long a host may take to greet and to prove itself.
const GREETING: Duration = Duration::from_secs(60);
/// How long the last packets may take to leave.
const LINGER: Duration = Duration::from_secs(2);
/// How often a phone that is offline looks whether it still is.
const OFFLINE_TICK: Duration = Duration::from_millis(50);
const TOKEN: u32 = 1;
const SIGNATURE: u32 = 2;
const PUBLIC_KEY: u32 = 3;

#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectionEnd {
    #[error(transparent)]
    Packet(#[from] PacketError),
    #[error("the host did not greet in {} s", GREETING.as_secs())]
    NoGreeting,
    #[error("the host spoke before it greeted")]
    Unexpected,
    #[error("a fault cut the connection")]
    Fault,
}

struct Peer {
    sums: Sums,
    max: usize,
}

pub(super) async fn serve(
    socket: TcpStream,
    phone: Arc<Phone>,
    options: Arc<ServerOptions>,
    stop: CancellationToken,
) -> Result<(), ConnectionEnd> {
    // Without this every small answer waits for the host's delayed acknowledgement.
    let _ = socket.set_nodelay(true);
    let (from, mut to) = socket.into_split();
    let mut from = BufReader::with_capacity(64 * 1024, from);
    let peer = tokio::time::timeout(GREETING, greet(&mut from, &mut to, &phone, &options))
        .await
        .map_err(|_| ConnectionEnd::NoGreeting)??;
    let Some(peer) = peer else { return Ok(()) };
    let (out, packets) = mpsc::unbounded_channel();
    let stop = stop.child_token();
    // A phone that is switched off hears nobody any more.
    let boot = phone.boot();
    let mut connection = Connection {
        phone,
        options,
        out,
        peer,
        next: 1,
        streams: HashMap::new(),
        _all: stop.clone().drop_guard(),
        stop,
    };
    let mut writing = std::pin::pin!(write_packets(to, packets, connection.peer.sums));
    let result = tokio::select! {
        result = connection.run(&mut from) => result,
        () = &mut writing => return Ok(()),
        () = boot.cancelled() => Ok(()),
    };
    let cut = matches!(result, Err(ConnectionEnd::Fault));
    drop(connection);
    if !cut {
        // The writer sends what is queued, then closes; a host that does not read cannot hold it for long.
        let _ = tokio::time::timeout(LINGER, writing).await;
    }
    result
}

async fn greet<R, W>(
    from: &mut R,
    to: &mut W,
    phone: &Arc<Phone>,
    options: &ServerOptions,
) -> Result<Option<Peer>, ConnectionEnd>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let Some(hello) = Packet::read(from, Sums::LeftOut).await? else { return Ok(None) };
    if hello.command != PacketKind::Connect {
        return Err(ConnectionEnd::Unexpected);
    }
    // The socket is open but nobody answers: what a host shows as "offline". Faults are set from any thread and
    // tell nobody, so they are looked at now and then.
    while phone.with(|w| w.faults.has("offline")) {
        tokio::time::sleep(OFFLINE_TICK).await;
    }
    let sums = if hello.arg0 <= VERSION_SUMS { Sums::Kept } else { Sums::LeftOut };
    let max = hello.arg1.clamp(4096, MAX_PAYLOAD) as usize;
    let mut asked = match options.auth {
        Auth::Off => None,
        Auth::AnyKey | Auth::Refuse => Some(20),
    };
    while let Some(byte) = asked {
        let token = Packet::new(PacketKind::Auth, TOKEN, 0, vec![byte; 20]);
        to.write_all(&token.encode(Sums::Kept)).await.map_err(PacketError::from)?;
        loop {
            let Some(answer) = Packet::read(from, sums).await? else { return Ok(None) };
            match (answer.command, answer.arg0) {
                // No key is known at first, so a signature proves nothing and the next token is sent.
                (PacketKind::Auth, SIGNATURE) => {
                    asked = Some(byte.wrapping_add(1));
                    break;
                }
                (PacketKind::Auth, PUBLIC_KEY) if options.auth == Auth::AnyKey => {
                    asked = None;
                    break;
                }
                // The dialog on the phone stays unanswered: the host shows "unauthorized".
                (PacketKind::Auth | PacketKind::Connect, _) => {}
                _ => return Err(ConnectionEnd::Unexpected),
            }
        }
    }
    let banner = Packet::new(PacketKind::Connect, VERSION, MAX_PAYLOAD, banner(phone, options));
    to.write_all(&banner.encode(Sums::Kept)).await.map_err(PacketError::from)?;
    Ok(Some(Peer { sums, max }))
}

fn banner(phone: &Arc<Phone>, options: &ServerOptions) -> Vec<u8> {
    let props = phone.with(|w| {
        ["ro.product.name", "ro.product.model", "ro.product.device"]
            .map(|name| format!("{name}={};", w.props.get(name).unwrap_or_default()))
    });
    format!("device::{}features={}", props.concat(), options.features.join(",")).into_bytes()
}

/// Writes what the streams send. Small packets that wait together leave together.
async fn write_packets<W: AsyncWrite + Unpin>(
    mut to: W,
    mut packets: mpsc::UnboundedReceiver<Packet>,
    sums: Sums,
) {
    const TOGETHER: usize = 64 * 1024;
    let mut small = Vec::with_capacity(TOGETHER);
    while let Some(packet) = packets.recv().await {
        let mut next = Some(packet);
        while let Some(packet) = next {
            small.extend_from_slice(&packet.header(sums));
            if packet.data.len() + small.len() > TOGETHER {
                if to.write_all(&small).await.is_err() || to.write_all(&packet.data).await.is_err() {
                    return;
                }
                small.clear();
            } else {
                small.extend_from_slice(&packet.data);
            }
            next = packets.try_recv().ok();
        }
        if to.write_all(&small).await.is_err() {
            return;
        }
        small.clear();
    }
    let _ = to.shutdown().await;
}

struct Connection {
    phone: Arc<Phone>,
    options: Arc<ServerOptions>,
    out: mpsc::UnboundedSender<Packet>,
    peer: Peer,
    next: u32,
    streams: HashMap<u32, StreamPort>,
    stop: CancellationToken,
    _all: DropGuard,
}

impl Connection {
    async fn run<R: AsyncRead + Unpin>(&mut self, from: &mut R) -> Result<(), ConnectionEnd> {
        let (finished, mut ends) = mpsc::unbounded_channel::<u32>();
        loop {
            // Reading a packet is not safe to interrupt half way, so the ends are looked at in between.
            let packet = {
                let mut reading = std::pin::pin!(Packet::read(from, self.peer.sums));
                loop {
                    tokio::select! {
                        read = &mut reading => break read?,
                        Some(id) = ends.recv() => { self.streams.remove(&id); }
                        () = self.stop.cancelled() => return Ok(()),
                    }
                }
            };
            let Some(packet) = packet else { return Ok(()) };
            if self.phone.with(|w| w.faults.has("offline")) {
                return Err(ConnectionEnd::Fault);
            }
            self.take(packet, &finished)?;
        }
    }

    fn take(&mut self, packet: Packet, finished: &mpsc::UnboundedSender<u32>) -> Result<(), ConnectionEnd> {
        let Packet { command, arg0, arg1, data } = packet;
        match command {
            PacketKind::Open => return self.open(arg0, &data, finished),
            // Words about a stream that is gone cross with its closing on the way: no answer, as adbd does.
            PacketKind::Okay => {
                if let Some(port) = self.stream(arg1, arg0) {
                    port.acked();
                }
            }
            PacketKind::Write => {
                if let Some(port) = self.stream(arg1, arg0) {
                    port.push(data);
                }
            }
            PacketKind::Close => {
                if let Some(port) = self.streams.get(&arg1).filter(|p| arg0 == 0 || p.remote() == arg0) {
                    port.ended();
                    self.streams.remove(&arg1);
                }
            }
            PacketKind::Connect => {
                let banner = banner(&self.phone, &self.options);
                self.streams.clear();
                let _ = self.out.send(Packet::new(PacketKind::Connect, VERSION, MAX_PAYLOAD, banner));
            }
            PacketKind::Auth | PacketKind::StartTls | PacketKind::Other(_) => {}
        }
        Ok(())
    }

    fn stream(&self, local: u32, remote: u32) -> Option<&StreamPort> {
        self.streams.get(&local).filter(|p| p.remote() == remote)
    }

    fn open(
        &mut self,
        remote: u32,
        name: &[u8],
        finished: &mpsc::UnboundedSender<u32>,
    ) -> Result<(), ConnectionEnd> {
        if self.phone.with(|w| w.take_fault(|f| *f == PhoneFault::DropConnection).is_some()) {
            return Err(ConnectionEnd::Fault);
        }
        let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_owned();
        // What a command is given may be what is typed, in parts that nobody could know again.
        let service = name.split([' ', ';']).next().unwrap_or_default();
        tracing::debug!(service, "open");
        let service = match service::Service::parse(&name) {
            Some(service) if remote != 0 && self.streams.len() < STREAMS => service,
            _ => {
                let _ = self.out.send(Packet::bare(PacketKind::Close, 0, remote));
                return Ok(());
            }
        };
        let local = self.next;
        self.next = self.next.checked_add(1).unwrap_or(1);
        let gone = self.stop.child_token();
        let (port, stream) = pair(local, remote, self.peer.max, self.out.clone(), gone);
        self.streams.insert(local, port);
        let _ = self.out.send(Packet::bare(PacketKind::Okay, local, remote));
        let (phone, finished, stop) = (self.phone.clone(), finished.clone(), self.stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = service.run(phone, stream) => {}
                () = stop.cancelled() => {}
            }
            let _ = finished.send(local);
        });
        Ok(())
    }
}
