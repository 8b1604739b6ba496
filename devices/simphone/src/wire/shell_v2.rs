//! The shell protocol, second form: packets of one id byte, a little-endian length and the data.

/// Data for the command.
pub(crate) const STDIN: u8 = 0;
pub(crate) const STDOUT: u8 = 1;
/// The command's error output.
pub(crate) const STDERR: u8 = 2;
/// One byte: the exit status.
pub(crate) const EXIT: u8 = 3;
/// No more data for the command.
pub(crate) const CLOSE_STDIN: u8 = 4;

/// Bytes before the data.
pub const HEAD: usize = 5;

/// Longest data a packet from the host may carry, bytes. Hosts send no more than one transport packet at a time.
const LONGEST: usize = 16 * 1024 * 1024;

pub fn encode(id: u8, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD + data.len());
    out.push(id);
    out.extend_from_slice(&u32::try_from(data.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(data);
    out
}

/// Puts packets together from the pieces the transport delivers.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    buffer: Vec<u8>,
}

/// A packet longer than any host sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("shell packet of {0} bytes is longer than any host sends")]
pub(crate) struct TooLong(pub usize);

impl Decoder {
    pub fn push(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    /// The next whole packet: its id and data.
    ///
    /// # Errors
    /// [`TooLong`]: the stream is torn and cannot be mended.
    pub(crate) fn next_packet(&mut self) -> Result<Option<(u8, Vec<u8>)>, TooLong> {
        let [id, a, b, c, d, rest @ ..] = self.buffer.as_slice() else { return Ok(None) };
        let (id, len) = (*id, u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        if len > LONGEST {
            return Err(TooLong(len));
        }
        if rest.len() < len {
            return Ok(None);
        }
        let data = rest[..len].to_vec();
        self.buffer.drain(..HEAD + len);
        Ok(Some((id, data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn packets_come_back_however_they_are_cut(
            packets in proptest::collection::vec((any::<u8>(), proptest::collection::vec(any::<u8>(), 0..40)), 0..6),
            cut in 1usize..17,
        ) {
            let bytes: Vec<u8> = packets.iter().flat_map(|(id, data)| encode(*id, data)).collect();
            let mut decoder = Decoder::default();
            let mut got = Vec::new();
            for piece in bytes.chunks(cut) {
                decoder.push(piece);
                while let Some(packet) = decoder.next_packet().unwrap() {
                    got.push(packet);
                }
            }
            prop_assert_eq!(got, packets);
        }

        #[test]
        fn any_bytes_are_taken_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let mut decoder = Decoder::default();
            decoder.push(&bytes);
            while let Ok(Some(_)) = decoder.next_packet() {}
        }
    }
}
