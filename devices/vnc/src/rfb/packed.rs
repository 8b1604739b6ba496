//! A packed stream that goes on from part to part.
//!
//! Invariant: no more is unpacked than was wanted and a chunk, so what is claimed to be in it costs nothing.

use flate2::{Decompress, FlushDecompress, Status};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::{Result, broken};

/// Packed bytes that are read at once.
const CHUNK: usize = 16_384;

pub(super) struct Packed {
    inflate: Decompress,
    packed: Vec<u8>,
    /// Where in `packed` it goes on.
    at: usize,
    /// Packed bytes of this part that were not read yet.
    left: u64,
    plain: Vec<u8>,
    used: usize,
}

impl Default for Packed {
    fn default() -> Self {
        let inflate = Decompress::new(true);
        Self { inflate, packed: Vec::new(), at: 0, left: 0, plain: Vec::new(), used: 0 }
    }
}

impl Packed {
    /// A part of so many packed bytes begins. What a broken one left is forgotten.
    pub(super) fn begin(&mut self, packed: u64) {
        (self.at, self.left, self.used) = (0, packed, 0);
        self.packed.clear();
        self.plain.clear();
    }

    pub(super) fn reset(&mut self) {
        self.inflate.reset(true);
    }

    pub(super) fn plain(&self) -> &[u8] {
        &self.plain[self.used..]
    }

    pub(super) fn used(&mut self, bytes: usize) {
        self.used = (self.used + bytes).min(self.plain.len());
    }

    /// Unpacks until there are `wanted` bytes, or no more come.
    pub(super) async fn fill<R: AsyncRead + Unpin>(&mut self, from: &mut R, wanted: usize) -> Result<()> {
        if self.plain().len() >= wanted {
            return Ok(());
        }
        self.plain.drain(..self.used);
        self.used = 0;
        self.plain.reserve_exact(wanted - self.plain.len() + CHUNK);
        while self.plain.len() < wanted {
            if self.at == self.packed.len() && self.left > 0 {
                self.packed.resize(CHUNK.min(usize::try_from(self.left).unwrap_or(CHUNK)), 0);
                from.read_exact(&mut self.packed).await?;
                self.left -= self.packed.len() as u64;
                self.at = 0;
            }
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let status =
                self.inflate.decompress_vec(&self.packed[self.at..], &mut self.plain, FlushDecompress::Sync);
            match status {
                Ok(Status::StreamEnd) => return broken("its packed stream ended"),
                Ok(_) => {}
                Err(error) => return broken(format!("its packed stream cannot be read ({error})")),
            }
            let (read, written) = (self.inflate.total_in() - read, self.inflate.total_out() - written);
            self.at += usize::try_from(read).unwrap_or_default();
            if read == 0 && written == 0 {
                if self.at < self.packed.len() {
                    return broken("its packed stream does not go on");
                }
                // What was read before may have been unpacked later: only now there is no more.
                if self.left == 0 {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The part ends, with nothing left over.
    pub(super) async fn end<R: AsyncRead + Unpin>(&mut self, from: &mut R) -> Result<()> {
        // The end of a part may be a mark that is worth no byte, which the next one builds on.
        self.fill(from, 1).await?;
        if self.left > 0 || !self.plain().is_empty() {
            return broken("a packed part holds more than its pixels");
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.packed.capacity() + self.plain.capacity()
    }
}
