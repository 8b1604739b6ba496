//! One stream of a connection, as a service holds it.
//!
//! Invariants, each of them something a client in the field leans on:
//! - a write of the peer is OKAYed *before* its data reaches the service (adb_client asserts the order), and at
//!   once while no more than [`INBOX`] bytes wait, so a command that never reads its input does not stall its writer;
//! - at most one write of ours is without its OKAY;
//! - closing, and the last word of a sync transfer, wait for no OKAY: adb_client never sends one for them.

use super::packet::{Packet, PacketKind};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// Bytes that may wait for a service before the peer is held back.
const INBOX: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the peer closed the stream")]
pub struct StreamClosed;

#[derive(Debug, Default)]
struct State {
    inbox: VecDeque<Vec<u8>>,
    queued: usize,
    held: Option<Vec<u8>>,
    unacked: bool,
    ended: bool,
}

#[derive(Debug)]
struct Shared {
    local: u32,
    remote: u32,
    max: usize,
    state: Mutex<State>,
    readable: Notify,
    acked: Notify,
    out: mpsc::UnboundedSender<Packet>,
    gone: CancellationToken,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, command: PacketKind, data: Vec<u8>) -> Result<(), StreamClosed> {
        self.out.send(Packet { command, arg0: self.local, arg1: self.remote, data }).map_err(|_| StreamClosed)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct StreamPort(Arc<Shared>);

/// The service's end of a stream; closes it when dropped.
#[derive(Debug)]
pub struct Stream(Arc<Shared>);

/// Makes both ends. `max` is the longest write the peer takes, in bytes; `gone` ends with the stream.
pub fn pair(
    local: u32,
    remote: u32,
    max: usize,
    out: mpsc::UnboundedSender<Packet>,
    gone: CancellationToken,
) -> (StreamPort, Stream) {
    let shared = Arc::new(Shared {
        local,
        remote,
        max: max.max(1),
        state: Mutex::default(),
        readable: Notify::new(),
        acked: Notify::new(),
        out,
        gone,
    });
    (StreamPort(shared.clone()), Stream(shared))
}

impl StreamPort {
    pub fn remote(&self) -> u32 {
        self.0.remote
    }

    pub fn push(&self, data: Vec<u8>) {
        let mut state = self.0.state();
        // A peer that writes before its OKAY has no more to say than one write: later ones are dropped with it.
        if state.ended || state.held.is_some() {
            return;
        }
        if state.queued < INBOX {
            let _ = self.0.send(PacketKind::Okay, Vec::new());
            state.queued += data.len();
            state.inbox.push_back(data);
            drop(state);
            self.0.readable.notify_one();
        } else {
            state.held = Some(data);
        }
    }

    /// Our last write was taken.
    pub(crate) fn acked(&self) {
        self.0.state().unacked = false;
        self.0.acked.notify_one();
    }

    pub fn ended(&self) {
        self.0.state().ended = true;
        self.0.gone.cancel();
        self.0.readable.notify_one();
        self.0.acked.notify_one();
    }
}

impl Stream {
    /// The next data from the peer; `None` once it has closed the stream and everything was read.
    pub async fn read(&self) -> Option<Vec<u8>> {
        loop {
            {
                let mut state = self.0.state();
                if let Some(data) = state.inbox.pop_front() {
                    state.queued -= data.len();
                    if state.queued < INBOX
                        && let Some(held) = state.held.take()
                    {
                        let _ = self.0.send(PacketKind::Okay, Vec::new());
                        state.queued += held.len();
                        state.inbox.push_back(held);
                    }
                    return Some(data);
                }
                if state.ended || self.0.gone.is_cancelled() {
                    return None;
                }
            }
            tokio::select! {
                () = self.0.readable.notified() => {}
                () = self.0.gone.cancelled() => {}
            }
        }
    }

    /// Sends data, in as many packets as it takes, each after the OKAY of the one before.
    pub async fn write(&self, data: &[u8]) -> Result<(), StreamClosed> {
        for chunk in data.chunks(self.0.max) {
            self.write_packet(chunk.to_vec()).await?;
        }
        Ok(())
    }

    pub fn max(&self) -> usize {
        self.0.max
    }

    /// Sends one packet after the OKAY of the one before.
    pub(crate) async fn write_packet(&self, data: Vec<u8>) -> Result<(), StreamClosed> {
        loop {
            {
                let mut state = self.0.state();
                if state.ended || self.0.gone.is_cancelled() {
                    return Err(StreamClosed);
                }
                if !state.unacked {
                    state.unacked = true;
                    return self.0.send(PacketKind::Write, data);
                }
            }
            tokio::select! {
                () = self.0.acked.notified() => {}
                () = self.0.gone.cancelled() => {}
            }
        }
    }

    /// Sends one packet whatever is still without its OKAY: for a transfer's last word.
    pub(crate) fn write_last(&self, data: Vec<u8>) -> Result<(), StreamClosed> {
        if self.0.state().ended {
            return Err(StreamClosed);
        }
        self.0.send(PacketKind::Write, data)
    }

    /// Resolves when the peer has closed the stream or the connection is gone.
    pub async fn closed(&self) {
        self.0.gone.cancelled().await;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.0.send(PacketKind::Close, Vec::new());
        self.0.gone.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(max: usize) -> (StreamPort, Stream, mpsc::UnboundedReceiver<Packet>) {
        let (out, packets) = mpsc::unbounded_channel();
        let (port, stream) = pair(1, 2, max, out, CancellationToken::new());
        (port, stream, packets)
    }

    #[tokio::test]
    async fn the_okay_comes_before_the_data_and_is_held_back_when_too_much_waits() {
        let (port, stream, mut packets) = both(8);
        port.push(vec![0; INBOX]);
        assert_eq!(packets.recv().await.unwrap().command, PacketKind::Okay);
        port.push(vec![1; 3]);
        assert!(packets.try_recv().is_err());
        assert_eq!(stream.read().await.unwrap().len(), INBOX);
        assert_eq!(packets.recv().await.unwrap().command, PacketKind::Okay);
        assert_eq!(stream.read().await.unwrap(), [1; 3]);
        port.ended();
        assert_eq!(stream.read().await, None);
        assert_eq!(stream.write(b"x").await, Err(StreamClosed));
    }

    #[tokio::test]
    async fn one_write_is_under_way_at_a_time_and_closing_waits_for_none() {
        let (port, stream, mut packets) = both(4);
        let writer = tokio::spawn(async move {
            stream.write(b"abcdefg").await.unwrap();
            stream.write_last(b"end".to_vec()).unwrap();
        });
        assert_eq!(packets.recv().await.unwrap().data, b"abcd");
        tokio::task::yield_now().await;
        assert!(packets.try_recv().is_err());
        port.acked();
        assert_eq!(packets.recv().await.unwrap().data, b"efg");
        assert_eq!(packets.recv().await.unwrap().data, b"end");
        assert_eq!(packets.recv().await.unwrap().command, PacketKind::Close);
        writer.await.unwrap();
    }
}
