//! ZRLE (RFC 6143, 7.7.6): tiles of 64 by 64 pixels in one packed stream that goes on from part to part.
//!
//! Invariant: of a part no more is unpacked than its next tile can take, so what is claimed to be in it costs nothing.

use flate2::{Decompress, FlushDecompress, Status};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::{RfbError, broken};
use super::pixels::{Part, Shared};

/// The side of a tile.
const TILE: u16 = 64;
/// The most bytes of a tile: a kind, a palette, and each pixel as a run of its own.
const TILE_MAX: usize = 1 + 127 * 3 + TILE as usize * TILE as usize * 4;
/// Packed bytes that are read at once.
const CHUNK: usize = 16_384;

/// Unpacks parts, one after the other.
pub(crate) struct Zrle {
    inflate: Decompress,
    packed: Vec<u8>,
    /// Where in `packed` it goes on.
    at: usize,
    plain: Vec<u8>,
    tile: Vec<u8>,
}

impl Default for Zrle {
    fn default() -> Self {
        let inflate = Decompress::new(true);
        Self { inflate, packed: Vec::new(), at: 0, plain: Vec::new(), tile: Vec::new() }
    }
}

impl Zrle {
    /// Reads a part and paints it.
    pub(crate) async fn part<R: AsyncRead + Unpin>(
        &mut self,
        from: &mut R,
        part: Part,
        to: &Shared,
    ) -> Result<(), RfbError> {
        let mut left = u64::from(from.read_u32().await?);
        let tiles = u64::from(part.w.div_ceil(TILE)) * u64::from(part.h.div_ceil(TILE));
        // Packing makes nothing much larger than it was.
        let most = part.area() * 5 + tiles * 400 + 1_024;
        if left > most {
            return broken(format!("{left} packed bytes are too many for {}x{} pixels", part.w, part.h));
        }
        (self.at, self.plain) = (0, Vec::new());
        self.packed.clear();
        for y in (0..part.h).step_by(TILE.into()) {
            for x in (0..part.w).step_by(TILE.into()) {
                self.fill(from, &mut left, TILE_MAX).await?;
                let (w, h) = (TILE.min(part.w - x), TILE.min(part.h - y));
                let used = unpack(&self.plain, usize::from(w), usize::from(h), &mut self.tile)?;
                self.plain.drain(..used);
                to.paint(Part { x: part.x + x, y: part.y + y, w, h }, &self.tile);
            }
        }
        // The end of a part may be a mark that is worth no byte, which the next one builds on.
        self.fill(from, &mut left, 1).await?;
        if left > 0 || !self.plain.is_empty() {
            return broken("a packed part holds more than its pixels");
        }
        Ok(())
    }

    /// Unpacks until there are `wanted` bytes, or no more come.
    async fn fill<R: AsyncRead + Unpin>(
        &mut self,
        from: &mut R,
        left: &mut u64,
        wanted: usize,
    ) -> Result<(), RfbError> {
        self.plain.reserve(wanted.saturating_sub(self.plain.len()) + CHUNK);
        while self.plain.len() < wanted {
            if self.at == self.packed.len() && *left > 0 {
                self.packed.resize(CHUNK.min(usize::try_from(*left).unwrap_or(CHUNK)), 0);
                from.read_exact(&mut self.packed).await?;
                *left -= self.packed.len() as u64;
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
                if *left == 0 {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Bytes of a tile, one after the other.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], RfbError> {
        let Some(taken) = self.all.get(self.at..self.at + n) else {
            return broken("a tile is cut off");
        };
        self.at += n;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, RfbError> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn pixel(&mut self) -> Result<[u8; 3], RfbError> {
        self.take(3).map(|bytes| [bytes[0], bytes[1], bytes[2]])
    }

    /// The length of a run.
    fn run(&mut self, most: usize) -> Result<usize, RfbError> {
        let mut length = 1;
        loop {
            let more = self.byte()?;
            length += usize::from(more);
            if length > most {
                return broken("a run leaves its tile");
            }
            if more != 255 {
                return Ok(length);
            }
        }
    }
}

/// Unpacks a tile into `to`, three bytes a pixel; gives how many bytes it had.
fn unpack(all: &[u8], w: usize, h: usize, to: &mut Vec<u8>) -> Result<usize, RfbError> {
    let mut bytes = Bytes { all, at: 0 };
    to.clear();
    let count = w * h;
    let kind = bytes.byte()?;
    let mut palette = Vec::new();
    let read_palette =
        |bytes: &mut Bytes<'_>, n: u8| (0..n).map(|_| bytes.pixel()).collect::<Result<Vec<_>, _>>();
    match kind {
        0 => to.extend_from_slice(bytes.take(count * 3)?),
        1 => {
            let pixel = bytes.pixel()?;
            (0..count).for_each(|_| to.extend_from_slice(&pixel));
        }
        2..=16 => {
            palette.extend(read_palette(&mut bytes, kind)?);
            let bits = match kind {
                2 => 1,
                3..=4 => 2,
                _ => 4,
            };
            for _ in 0..h {
                let line = bytes.take((w * bits).div_ceil(8))?;
                for x in 0..w {
                    let bit = x * bits;
                    let index = line[bit / 8] >> (8 - bits - bit % 8) & ((1 << bits) - 1);
                    let Some(pixel) = palette.get(usize::from(index)) else {
                        return broken("a pixel is not of its palette");
                    };
                    to.extend_from_slice(pixel);
                }
            }
        }
        128 => {
            while to.len() < count * 3 {
                let pixel = bytes.pixel()?;
                let run = bytes.run(count - to.len() / 3)?;
                (0..run).for_each(|_| to.extend_from_slice(&pixel));
            }
        }
        130.. => {
            palette.extend(read_palette(&mut bytes, kind - 128)?);
            while to.len() < count * 3 {
                let index = bytes.byte()?;
                let left = count - to.len() / 3;
                let run = if index & 128 == 0 { 1 } else { bytes.run(left)? };
                let Some(pixel) = palette.get(usize::from(index & 127)) else {
                    return broken("a run is not of its palette");
                };
                (0..run).for_each(|_| to.extend_from_slice(pixel));
            }
        }
        17..=127 | 129 => return broken(format!("no tile is of kind {kind}")),
    }
    Ok(bytes.at)
}
