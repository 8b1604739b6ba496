//! The packets of the ADB transport: a 24-byte header of six little-endian words, then the payload.
//!
//! Decoding takes any bytes and never fails by more than an error: a wrong magic, a payload longer than agreed, a
//! wrong checksum. An unknown command with a right magic is passed on, for the connection to ignore.

use tokio::io::{AsyncRead, AsyncReadExt};

pub(crate) const HEADER_LEN: usize = 24;
/// The oldest protocol version, whose peers check payload sums.
pub(crate) const VERSION_SUMS: u32 = 0x0100_0000;
/// The version since which payload sums are left out.
pub const VERSION: u32 = 0x0100_0001;
/// The longest payload this side takes, bytes.
pub(crate) const MAX_PAYLOAD: u32 = 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PacketKind {
    Connect,
    Auth,
    Open,
    /// The stream is ready, or the last write was taken.
    Okay,
    /// The stream is at its end, or was refused.
    Close,
    Write,
    StartTls,
    Other(u32),
}

impl PacketKind {
    const LETTERS: [(Self, [u8; 4]); 7] = [
        (Self::Connect, *b"CNXN"),
        (Self::Auth, *b"AUTH"),
        (Self::Open, *b"OPEN"),
        (Self::Okay, *b"OKAY"),
        (Self::Close, *b"CLSE"),
        (Self::Write, *b"WRTE"),
        (Self::StartTls, *b"STLS"),
    ];

    pub fn word(self) -> u32 {
        match self {
            Self::Other(word) => word,
            known => {
                Self::LETTERS.iter().find(|(c, _)| *c == known).map_or(0, |(_, l)| u32::from_le_bytes(*l))
            }
        }
    }

    fn of(word: u32) -> Self {
        let known = Self::LETTERS.iter().find(|(_, letters)| u32::from_le_bytes(*letters) == word);
        known.map_or(Self::Other(word), |(command, _)| *command)
    }
}

/// One packet. What the two arguments mean depends on the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    pub command: PacketKind,
    /// First argument: mostly the sender's stream id.
    pub arg0: u32,
    /// Second argument: mostly the receiver's stream id.
    pub arg1: u32,
    pub data: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub command: PacketKind,
    pub arg0: u32,
    pub arg1: u32,
    pub len: u32,
    pub sum: u32,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum PacketError {
    /// The last word is not the complement of the first: the peer is not speaking ADB, or the stream is torn.
    #[error("packet header with a wrong magic: the peer does not speak adb")]
    Magic,
    #[error("packet payload of {0} bytes is longer than the agreed {MAX_PAYLOAD}")]
    TooLong(u32),
    #[error("packet payload with a wrong checksum")]
    Sum,
    #[error("transport: {0}")]
    Io(#[from] std::io::Error),
}

impl Header {
    pub fn decode(bytes: &[u8; HEADER_LEN]) -> Result<Self, PacketError> {
        let word = |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        if word(20) != !word(0) {
            return Err(PacketError::Magic);
        }
        let len = word(12);
        if len > MAX_PAYLOAD {
            return Err(PacketError::TooLong(len));
        }
        Ok(Self { command: PacketKind::of(word(0)), arg0: word(4), arg1: word(8), len, sum: word(16) })
    }
}

/// The payload's sum: all bytes added up.
pub fn sum(data: &[u8]) -> u32 {
    data.iter().fold(0u32, |s, b| s.wrapping_add(u32::from(*b)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sums {
    /// As peers of version 0x01000000 want.
    Kept,
    /// As from version 0x01000001.
    LeftOut,
}

impl Packet {
    pub fn bare(command: PacketKind, arg0: u32, arg1: u32) -> Self {
        Self { command, arg0, arg1, data: Vec::new() }
    }

    pub fn new(command: PacketKind, arg0: u32, arg1: u32, data: impl Into<Vec<u8>>) -> Self {
        Self { command, arg0, arg1, data: data.into() }
    }

    pub fn header(&self, sums: Sums) -> [u8; HEADER_LEN] {
        let word = self.command.word();
        let checksum = if sums == Sums::Kept { sum(&self.data) } else { 0 };
        let len = u32::try_from(self.data.len()).unwrap_or(u32::MAX);
        let mut out = [0; HEADER_LEN];
        for (slot, value) in out.chunks_exact_mut(4).zip([word, self.arg0, self.arg1, len, checksum, !word]) {
            slot.copy_from_slice(&value.to_le_bytes());
        }
        out
    }

    pub fn encode(&self, sums: Sums) -> Vec<u8> {
        let mut out = self.header(sums).to_vec();
        out.extend_from_slice(&self.data);
        out
    }

    /// Reads the next packet; `None` at a clean end of the transport.
    pub async fn read<R: AsyncRead + Unpin>(from: &mut R, sums: Sums) -> Result<Option<Self>, PacketError> {
        let mut head = [0; HEADER_LEN];
        let first = from.read(&mut head).await?;
        if first == 0 {
            return Ok(None);
        }
        from.read_exact(&mut head[first..]).await?;
        let header = Header::decode(&head)?;
        let mut data = vec![0; header.len as usize];
        from.read_exact(&mut data).await?;
        // The greeting tells the version, so its own sum is looked at only where it is there.
        let checked = sums == Sums::Kept && !(header.command == PacketKind::Connect && header.sum == 0);
        if checked && sum(&data) != header.sum {
            return Err(PacketError::Sum);
        }
        Ok(Some(Self { command: header.command, arg0: header.arg0, arg1: header.arg1, data }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn commands() -> impl Strategy<Value = PacketKind> {
        prop_oneof![
            Just(PacketKind::Connect),
            Just(PacketKind::Auth),
            Just(PacketKind::Open),
            Just(PacketKind::Okay),
            Just(PacketKind::Close),
            Just(PacketKind::Write),
            Just(PacketKind::StartTls),
            any::<u32>().prop_map(PacketKind::of),
        ]
    }

    fn read_all(bytes: &[u8], sums: Sums) -> Vec<Result<Packet, String>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut from = bytes;
            let mut out = Vec::new();
            loop {
                match Packet::read(&mut from, sums).await {
                    Ok(None) => return out,
                    Ok(Some(p)) => out.push(Ok(p)),
                    Err(e) => {
                        out.push(Err(e.to_string()));
                        return out;
                    }
                }
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read_all(&bytes, Sums::Kept);
            read_all(&bytes, Sums::LeftOut);
        }

        #[test]
        fn packets_come_back_as_sent(
            command in commands(), arg0: u32, arg1: u32,
            data in proptest::collection::vec(any::<u8>(), 0..300), kept: bool,
        ) {
            let sums = if kept { Sums::Kept } else { Sums::LeftOut };
            let packet = Packet { command, arg0, arg1, data };
            let mut bytes = packet.encode(sums);
            bytes.extend(packet.encode(sums));
            prop_assert_eq!(read_all(&bytes, sums), vec![Ok(packet.clone()), Ok(packet)]);
            let cut = bytes.len() - 1;
            prop_assert!(read_all(&bytes[..cut], sums)[1].is_err());
        }

        #[test]
        fn a_damaged_or_lying_packet_is_found(data in proptest::collection::vec(any::<u8>(), 1..50), at: usize) {
            let mut bytes = Packet::new(PacketKind::Write, 1, 2, data.clone()).encode(Sums::Kept);
            bytes[HEADER_LEN + at % data.len()] ^= 1;
            prop_assert!(read_all(&bytes, Sums::Kept)[0].is_err());
        let mut head = Packet::bare(PacketKind::Write, 1, 2).header(Sums::LeftOut);
        head[12..16].copy_from_slice(&(MAX_PAYLOAD + 1).to_le_bytes());
        assert!(matches!(Header::decode(&head), Err(PacketError::TooLong(_))));
        }
    }
}
