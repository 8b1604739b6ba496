//! ZRLE (RFC 6143, 7.7.6): tiles of 64 by 64 pixels in one packed stream that goes on from part to part.
//!
//! Invariant: of a part no more is unpacked than its next tile can take, so what is claimed to be in it costs nothing.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::{Result, broken};
use super::packed::Packed;
use super::pixels::{PixelArea, SharedPicture};

const TILE: u16 = 64;
/// The most bytes of a tile: a kind, a palette, and each pixel as a run of its own.
const TILE_MAX: usize = 1 + 127 * 3 + TILE as usize * TILE as usize * 4;

#[derive(Default)]
pub(super) struct Zrle {
    stream: Packed,
    tile: Vec<u8>,
}

impl Zrle {
    pub(super) async fn part<R: AsyncRead + Unpin>(
        &mut self,
        from: &mut R,
        part: PixelArea,
        to: &SharedPicture,
    ) -> Result<()> {
        let packed = u64::from(from.read_u32().await?);
        let tiles = u64::from(part.w.div_ceil(TILE)) * u64::from(part.h.div_ceil(TILE));
        // Packing makes nothing much larger than it was.
        let most = part.area() * 5 + tiles * 400 + 1_024;
        if packed > most {
            return broken(format!("{packed} packed bytes are too many for {}x{} pixels", part.w, part.h));
        }
        self.stream.begin(packed);
        for y in (0..part.h).step_by(TILE.into()) {
            for x in (0..part.w).step_by(TILE.into()) {
                self.stream.fill(from, TILE_MAX).await?;
                let (w, h) = (TILE.min(part.w - x), TILE.min(part.h - y));
                let used = unpack(self.stream.plain(), usize::from(w), usize::from(h), &mut self.tile)?;
                self.stream.used(used);
                to.paint(PixelArea { x: part.x + x, y: part.y + y, w, h }, &self.tile);
            }
        }
        self.stream.end(from).await
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.stream.held() + self.tile.capacity()
    }
}

struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let Some(taken) = self.all.get(self.at..self.at + n) else {
            return broken("a tile is cut off");
        };
        self.at += n;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn pixel(&mut self) -> Result<[u8; 3]> {
        self.take(3).map(|bytes| [bytes[0], bytes[1], bytes[2]])
    }

    fn run(&mut self, most: usize) -> Result<usize> {
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
fn unpack(all: &[u8], w: usize, h: usize, to: &mut Vec<u8>) -> Result<usize> {
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
        17..=127 | 129 => return broken(format!("unknown ZRLE tile type {kind}")),
    }
    Ok(bytes.at)
}
