//! The packets that adb servers and phones exchange: 24 bytes of header, then data.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::adb::lost;
use waldo_devices::error::Result;

pub(super) const CNXN: u32 = u32::from_le_bytes(*b"CNXN");
pub(super) const AUTH: u32 = u32::from_le_bytes(*b"AUTH");
pub(super) const STLS: u32 = u32::from_le_bytes(*b"STLS");
pub(super) const OPEN: u32 = u32::from_le_bytes(*b"OPEN");
pub(super) const OKAY: u32 = u32::from_le_bytes(*b"OKAY");
pub(super) const CLSE: u32 = u32::from_le_bytes(*b"CLSE");
pub(super) const WRTE: u32 = u32::from_le_bytes(*b"WRTE");

pub(super) const STLS_VERSION: u32 = 0x0100_0000;
/// The protocol's version that lets a checksum be left out by the phone.
pub(super) const VERSION: u32 = 0x0100_0001;
/// The most data that we take in one packet.
pub(super) const DATA_MAX: u32 = 1 << 20;

pub(super) const HEAD: usize = 24;

#[derive(Debug)]
pub(super) struct Packet {
    pub(super) command: u32,
    pub(super) arg0: u32,
    pub(super) arg1: u32,
    pub(super) data: Vec<u8>,
}

impl Packet {
    pub(super) fn new(command: u32, arg0: u32, arg1: u32, data: &[u8]) -> Self {
        Self { command, arg0, arg1, data: data.to_vec() }
    }

    pub(super) async fn write(&self, to: &mut (impl AsyncWrite + Unpin)) -> Result<()> {
        let sum = self.data.iter().fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        let words = [self.command, self.arg0, self.arg1, self.data.len() as u32, sum, !self.command];
        let mut bytes = Vec::with_capacity(HEAD + self.data.len());
        bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend_from_slice(&self.data);
        // A stream that encrypts may keep back what is not flushed.
        let sent = async {
            to.write_all(&bytes).await?;
            to.flush().await
        };
        sent.await.map_err(|error| lost("the phone", &error))
    }

    pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> Result<Self> {
        Self::read_plain(from).await.map_err(|error| lost("the phone", &error))
    }

    /// As [`Self::read`], with the stream's own error.
    pub(super) async fn read_plain(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Self> {
        let mut head = [0; HEAD];
        from.read_exact(&mut head).await?;
        let word =
            |n: usize| u32::from_le_bytes([head[n * 4], head[n * 4 + 1], head[n * 4 + 2], head[n * 4 + 3]]);
        let (command, length) = (word(0), word(3));
        if word(5) != !command || length > DATA_MAX {
            return Err(io::Error::other("what answers is not an adb device"));
        }
        let mut data = vec![0; length as usize];
        from.read_exact(&mut data).await?;
        Ok(Self { command, arg0: word(1), arg1: word(2), data })
    }
}
