//! Adb's packets over two bulk endpoints: header and data apart; a packet that is not full ends a transfer.
//!
//! Invariant: what is read is asked for in its exact length, rounded up to whole packets: less is an overflow, and more
//! would wait for what does not come.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use super::packet::{DATA_MAX, HEAD};
use crate::adb::ServiceStream;

/// The longest one transfer is waited for before it is looked whether anybody still wants it.
const LOOK: Duration = Duration::from_millis(500);
/// The longest a phone may take to accept a transfer.
const ACCEPT: Duration = Duration::from_secs(10);
/// The bytes that wait between the connection and the cable.
const BUFFER: usize = 1 << 20;

pub(super) trait Bulk: Send + Sync + 'static {
    fn packet(&self) -> usize;
    /// One transfer in; `None` where nothing comes in time.
    fn read(&self, into: &mut [u8], wait: Duration) -> io::Result<Option<usize>>;
    /// One transfer out, which may be empty; what was taken of it.
    fn write(&self, bytes: &[u8], wait: Duration) -> io::Result<usize>;
}

/// A stream whose bytes travel by `bulk`; they must be whole packets of adb's in the end.
pub(super) fn stream(bulk: Arc<dyn Bulk>) -> ServiceStream {
    let (ours, cable) = tokio::io::duplex(BUFFER);
    let (from, to) = tokio::io::split(cable);
    let left = CancellationToken::new();
    tokio::spawn(send(Arc::clone(&bulk), from, left.clone()));
    tokio::spawn(receive(bulk, to, left));
    Box::new(ours)
}

fn data_length(head: &[u8]) -> Option<usize> {
    let word = |n: usize| Some(u32::from_le_bytes(head.get(n * 4..n * 4 + 4)?.try_into().ok()?));
    let (command, length, check) = (word(0)?, word(3)?, word(5)?);
    (head.len() == HEAD && check == !command && length <= DATA_MAX).then_some(length as usize)
}

async fn send(bulk: Arc<dyn Bulk>, mut from: ReadHalf<DuplexStream>, left: CancellationToken) {
    let _end = left.drop_guard();
    loop {
        let mut head = vec![0; HEAD];
        if from.read_exact(&mut head).await.is_err() {
            return;
        }
        let Some(length) = data_length(&head) else { return };
        let mut data = vec![0; length];
        if from.read_exact(&mut data).await.is_err() {
            return;
        }
        let bulk = Arc::clone(&bulk);
        let sent = tokio::task::spawn_blocking(move || {
            transfer(&*bulk, &head)?;
            if data.is_empty() { Ok(()) } else { transfer(&*bulk, &data) }
        });
        match sent.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return tracing::debug!(%error, "usb write"),
            Err(_) => return,
        }
    }
}

/// Sends bytes as one transfer: one of full packets only is ended by an empty one.
fn transfer(bulk: &dyn Bulk, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match bulk.write(rest, ACCEPT)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            taken => rest = rest.get(taken..).unwrap_or_default(),
        }
    }
    if bytes.len().is_multiple_of(bulk.packet().max(1)) {
        bulk.write(&[], ACCEPT)?;
    }
    Ok(())
}

async fn receive(bulk: Arc<dyn Bulk>, mut to: WriteHalf<DuplexStream>, left: CancellationToken) {
    loop {
        let (bulk, left) = (Arc::clone(&bulk), left.clone());
        let packet = match tokio::task::spawn_blocking(move || next(&*bulk, &left)).await {
            Ok(Ok(packet)) => packet,
            Ok(Err(error)) => {
                tracing::debug!(%error, "usb read");
                break;
            }
            Err(_) => break,
        };
        if to.write_all(&packet).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}

/// The next header with its data. Transfers without a header are what an earlier connection left.
fn next(bulk: &dyn Bulk, left: &CancellationToken) -> io::Result<Vec<u8>> {
    loop {
        let head = fill(bulk, HEAD, left)?;
        let Some(length) = data_length(&head) else { continue };
        let mut packet = head;
        while packet.len() < HEAD + length {
            let part = fill(bulk, HEAD + length - packet.len(), left)?;
            packet.extend(part);
        }
        packet.truncate(HEAD + length);
        return Ok(packet);
    }
}

/// One transfer of at most so many bytes.
fn fill(bulk: &dyn Bulk, length: usize, left: &CancellationToken) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.next_multiple_of(bulk.packet().max(1))];
    while !left.is_cancelled() {
        match bulk.read(&mut bytes, LOOK)? {
            None | Some(0) => {}
            Some(came) => {
                bytes.truncate(came);
                return Ok(bytes);
            }
        }
    }
    Err(io::ErrorKind::BrokenPipe.into())
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpStream};
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

    use waldo_simphone::wire::PhoneServer;
    use waldo_simphone::{Phone, PhoneOptions};

    use super::*;
    use crate::adb::shell;
    use crate::adb::wire::Wire;

    const PACKET: usize = 512;

    /// A cable: packets one way, transfers the other.
    struct Cable {
        packets: Mutex<Receiver<Vec<u8>>>,
        transfers: Mutex<Sender<Vec<u8>>>,
    }

    impl Bulk for Cable {
        fn packet(&self) -> usize {
            PACKET
        }

        fn read(&self, into: &mut [u8], wait: Duration) -> io::Result<Option<usize>> {
            let packets = self.packets.lock().unwrap();
            let mut came = 0;
            loop {
                let packet = match packets.recv_timeout(wait) {
                    Ok(packet) => packet,
                    Err(RecvTimeoutError::Timeout) => return Ok((came > 0).then_some(came)),
                    Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::NotConnected.into()),
                };
                let room = into.get_mut(came..came + packet.len()).ok_or(io::ErrorKind::InvalidData)?;
                room.copy_from_slice(&packet);
                came += packet.len();
                if packet.len() < PACKET || came == into.len() {
                    return Ok(Some(came));
                }
            }
        }

        fn write(&self, bytes: &[u8], _: Duration) -> io::Result<usize> {
            let gone = |_| io::ErrorKind::NotConnected;
            self.transfers.lock().unwrap().send(bytes.to_vec()).map_err(gone)?;
            Ok(bytes.len())
        }
    }

    /// The phone's end of a cable: it takes transfers as a phone does, and has a phone behind it answer.
    fn phones_end(phone: SocketAddr, transfers: Receiver<Vec<u8>>, packets: Sender<Vec<u8>>) {
        let mut to = TcpStream::connect(phone).unwrap();
        let mut from = to.try_clone().unwrap();
        std::thread::spawn(move || {
            // What an earlier connection left in the pipe.
            packets.send(vec![7; 100]).unwrap();
            let mut head = [0; HEAD];
            while from.read_exact(&mut head).is_ok() {
                let mut data = vec![0; data_length(&head).unwrap()];
                from.read_exact(&mut data).unwrap();
                let chunks = data.chunks(PACKET).map(<[u8]>::to_vec);
                for packet in std::iter::once(head.to_vec()).chain(chunks) {
                    if packets.send(packet).is_err() {
                        return;
                    }
                }
            }
        });
        std::thread::spawn(move || {
            let mut waiting: VecDeque<usize> = VecDeque::new();
            while let Ok(transfer) = transfers.recv() {
                match waiting.pop_front() {
                    // Data in one piece, and a full last packet followed by an empty one.
                    Some(length) => {
                        assert_eq!(transfer.len(), length);
                        if length > 0 && length % PACKET == 0 {
                            waiting.push_front(0);
                        }
                    }
                    None => {
                        let length = data_length(&transfer).expect("a header apart from its data");
                        waiting.extend((length > 0).then_some(length));
                    }
                }
                if to.write_all(&transfer).is_err() {
                    return;
                }
            }
            let _ = to.shutdown(std::net::Shutdown::Both);
        });
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_phone_is_spoken_to_over_a_cable() {
        let phone = Phone::new(PhoneOptions::default());
        let server = PhoneServer::bind(([127, 0, 0, 1], 0).into(), phone).await.unwrap();
        let (to_host, packets) = channel();
        let (transfers, to_phone) = channel();
        phones_end(server.local_addr(), to_phone, to_host);
        let cable = Cable { packets: Mutex::new(packets), transfers: Mutex::new(transfers) };
        let wire = Wire::greet(stream(Arc::new(cable)), "the phone", None).await.unwrap();
        // Requests and answers of all lengths around whole packets.
        for length in (490..=515).chain([1, 1002, 1003, 1018, 1024, 70_000]) {
            let service = format!("shell,v2,raw:echo {}", "x".repeat(length));
            let out = shell::read_v2(wire.open(&service).await.unwrap()).await.unwrap();
            assert_eq!((out.stdout.len(), out.code), (length + 1, 0));
        }
        let picture = shell::read_all(wire.open("exec:screencap").await.unwrap()).await.unwrap();
        assert!(picture.len() > 1080 * 2400 * 4, "{}", picture.len());
        // The cable is pulled: what is under way ends, and the connection with it.
        let waits = wire.open("shell,v2,raw:sleep 1000").await.unwrap();
        server.unplug();
        assert!(shell::read_v2(waits).await.is_err());
        let closed = async {
            while !wire.is_closed() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), closed).await.unwrap();
    }
}
