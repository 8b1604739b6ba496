//! The two pipes between parent and worker, and how frames are gathered from them.
//!
//! A call of the host is one write and one read on each side. Whoever waits looks again and again for
//! [`KEEN`], giving the processor to the other side in between: to wake a processor that sleeps takes longer
//! than most answers. After that the worker blocks. The parent, whose thread has other tasks too, blocks for
//! at most [`PATIENCE`], so that no other thread has to be woken; whoever takes longer is waited for without a
//! thread. (Pipes, for a socket wakes who waits to read when its own words are read, too: measured, that
//! doubles the way there and back.)

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Deserialize;
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::wire::{self, HEAD, WireError};

/// How long an answer is looked for before it is waited for.
pub(crate) const KEEN: Duration = Duration::from_micros(50);
/// How long a thread of the parent's runtime blocks for the worker's next frame.
const PATIENCE: Duration = Duration::from_micros(100);
/// Bytes that are read at once; nearly all frames are shorter.
const ROOM: usize = 16 << 10;

/// Bytes on their way to become frames.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
    filled: usize,
}

impl Inbox {
    /// Where to read the next bytes to. Holds a frame whose length is known, however long it is.
    pub fn room(&mut self) -> Result<&mut [u8], WireError> {
        let needed = self.length()?.unwrap_or(0).max(self.filled).max(ROOM);
        if self.bytes.len() < needed {
            self.bytes.resize(needed, 0);
        }
        Ok(self.bytes.get_mut(self.filled..).unwrap_or_default())
    }

    /// Notes that so many bytes were read into the room.
    pub fn took(&mut self, count: usize) {
        self.filled = self.filled.saturating_add(count).min(self.bytes.len());
    }

    pub fn frame<T: for<'a> Deserialize<'a>>(&mut self) -> Result<Option<T>, WireError> {
        let Some(length) = self.length()?.filter(|length| *length <= self.filled) else { return Ok(None) };
        let frame = wire::decode(self.bytes.get(HEAD..length).unwrap_or_default())?;
        self.bytes.copy_within(length..self.filled, 0);
        self.filled -= length;
        if self.bytes.len() > ROOM {
            // What a long frame took is not kept: it would count as the script's.
            self.bytes.truncate(self.filled.max(ROOM));
            self.bytes.shrink_to_fit();
        }
        Ok(Some(frame))
    }

    /// Bytes of the frame that has begun, its head included.
    fn length(&self) -> Result<Option<usize>, WireError> {
        let filled = self.bytes.get(..self.filled).unwrap_or_default();
        filled.first_chunk().map(|head| Ok(wire::length(*head)? + HEAD)).transpose()
    }
}

/// The parent's ends. Dropped, they tell the worker that nobody is left.
#[derive(Debug)]
pub struct WorkerLink {
    from: PipeReader,
    to: PipeWriter,
    inbox: Inbox,
}

impl WorkerLink {
    /// The parent's ends, and the worker's as its standard input and output.
    pub fn pair() -> io::Result<(Self, Stdio, Stdio)> {
        let (input, to) = io::pipe()?;
        let (from, output) = io::pipe()?;
        Ok((Self::over(from, to)?, input.into(), output.into()))
    }

    fn over(from: PipeReader, to: PipeWriter) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&from, true)?;
        rustix::io::ioctl_fionbio(&to, true)?;
        Ok(Self { from, to, inbox: Inbox::default() })
    }

    pub async fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match (&self.to).write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.writable().await?,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// The worker's next frame. Cancel-safe.
    pub async fn receive<T: for<'a> Deserialize<'a>>(&mut self) -> io::Result<Result<T, WireError>> {
        let mut patient = true;
        let began = Instant::now();
        loop {
            match self.inbox.frame() {
                Ok(None) => {}
                Ok(Some(frame)) => return Ok(Ok(frame)),
                Err(e) => return Ok(Err(e)),
            }
            let room = match self.inbox.room() {
                Ok(room) => room,
                Err(e) => return Ok(Err(e)),
            };
            match (&self.from).read(room) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.inbox.took(count),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    if patient && began.elapsed() < KEEN {
                        std::thread::yield_now();
                    } else if std::mem::take(&mut patient) {
                        self.linger()?;
                    } else {
                        self.readable().await?;
                    }
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Blocks the thread until the worker has said something, but not for long.
    fn linger(&self) -> io::Result<()> {
        let bound = Timespec::try_from(PATIENCE).ok();
        let mut pipes = [PollFd::new(&self.from, PollFlags::IN)];
        match poll(&mut pipes, bound.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    /// Waits without a thread. The pipe is watched for that long only: otherwise every frame would wake the
    /// runtime's thread that watches, beside the one that waits in [`Self::linger`].
    async fn readable(&self) -> io::Result<()> {
        Receiver::from_owned_fd(self.from.try_clone()?.into())?.readable().await
    }

    async fn writable(&self) -> io::Result<()> {
        Sender::from_owned_fd(self.to.try_clone()?.into())?.writable().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{HostAnswer, ToWorker, encode};

    fn frame(text: &str) -> ToWorker {
        ToWorker::Answer(HostAnswer::Raise(crate::engine::ExcKind::Value, text.to_owned()))
    }

    /// Fills an inbox piece by piece, and takes frames out whenever they are whole.
    fn through(bytes: &[u8], piece: usize) -> Vec<ToWorker> {
        let mut inbox = Inbox::default();
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = inbox.room().unwrap();
            let count = piece.min(rest.len()).min(room.len());
            room[..count].copy_from_slice(&rest[..count]);
            inbox.took(count);
            rest = &rest[count..];
            while let Some(frame) = inbox.frame().unwrap() {
                frames.push(frame);
            }
        }
        frames
    }

    #[test]
    fn frames_come_out_however_the_bytes_come_in() {
        let sent = [frame("a"), frame(&"long ".repeat(20_000)), frame(""), frame("z")];
        let bytes: Vec<u8> = sent.iter().flat_map(|f| encode(f).unwrap()).collect();
        for piece in [1, 3, 4_096, usize::MAX] {
            assert_eq!(through(&bytes, piece), sent, "{piece}");
        }
    }

    #[test]
    fn a_long_frame_leaves_no_room_behind_and_a_lying_head_gets_none() {
        let bytes = encode(&frame(&"x".repeat(1 << 20))).unwrap();
        let mut inbox = Inbox::default();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let room = inbox.room().unwrap();
            let count = rest.len().min(room.len());
            room[..count].copy_from_slice(&rest[..count]);
            inbox.took(count);
            rest = &rest[count..];
        }
        assert_eq!(inbox.frame::<ToWorker>().unwrap(), Some(frame(&"x".repeat(1 << 20))));
        assert!(inbox.bytes.capacity() <= 2 * ROOM, "{}", inbox.bytes.capacity());
        inbox.room().unwrap()[..HEAD].copy_from_slice(&u32::MAX.to_le_bytes());
        inbox.took(HEAD);
        assert!(inbox.room().is_err());
        assert!(inbox.frame::<ToWorker>().is_err());
    }

    #[tokio::test]
    async fn frames_that_do_not_fit_into_a_pipe_go_through_both_ways() {
        let ((hear, tell), (listen, answer)) = (io::pipe().unwrap(), io::pipe().unwrap());
        let mut here = WorkerLink::over(hear, answer).unwrap();
        let mut there = WorkerLink::over(listen, tell).unwrap();
        let long = frame(&"y".repeat(3 << 20));
        let bytes = encode(&long).unwrap();
        let echo = async {
            let got: ToWorker = there.receive().await.unwrap().unwrap();
            there.send(&encode(&got).unwrap()).await.unwrap();
        };
        let ask = async {
            here.send(&bytes).await.unwrap();
            here.receive::<ToWorker>().await.unwrap().unwrap()
        };
        let ((), back) = tokio::join!(echo, ask);
        assert_eq!(back, long);
        drop(there);
        assert_eq!(here.receive::<ToWorker>().await.unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
