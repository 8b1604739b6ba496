//! What a server says once hands were shaken: updates of the picture; all else is read over.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _, BufReader};

use super::error::{Result, broken};
use super::handshake::check_size;
use super::hextile;
use super::pixels::{PixelArea, SharedPicture};
use super::tight::Tight;
use super::traffic::{Counted, one};
use super::zrle::Zrle;
use crate::options::VncEncoding;

const RAW: i32 = 0;
const COPY: i32 = 1;
const HEXTILE: i32 = 5;
const TIGHT: i32 = 7;
const ZRLE: i32 = 16;
/// The cursor comes apart, so that it is not in the picture.
const CURSOR: i32 = -239;
const DESKTOP_SIZE: i32 = -223;

const PICTURES_MAX: u64 = 8;
const CURSOR_MAX: u64 = 1_000_000;
/// The longest text of a clipboard that is read over, in bytes; who sends more is not listened to.
const CLIPBOARD_MAX: u32 = 16 << 20;

/// The encodings that are asked for, the dearest first: those that this server may use, or one of them alone. No quality is
/// asked for, so that none of them loses anything.
pub(crate) fn encodings(only: Option<VncEncoding>) -> Vec<i32> {
    let number = |encoding| match encoding {
        VncEncoding::Raw => RAW,
        VncEncoding::Hextile => HEXTILE,
        VncEncoding::Tight => TIGHT,
        VncEncoding::Zrle => ZRLE,
    };
    let wanted = only.map_or(VncEncoding::ORDER.to_vec(), |one| vec![one]);
    let mut all: Vec<i32> = [COPY].into_iter().chain(wanted.into_iter().map(number)).collect();
    all.extend([CURSOR, DESKTOP_SIZE]);
    all
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerMessage {
    /// The picture is another; whether it has another size as well.
    Update {
        resized: bool,
    },
    Other,
}

/// Reads what a server says, and paints.
pub(crate) struct Updates<R> {
    from: BufReader<Counted<R>>,
    zrle: Zrle,
    tight: Tight,
    line: Vec<u8>,
    to: Arc<SharedPicture>,
}

impl<R: AsyncRead + Unpin> Updates<R> {
    pub(crate) fn new(from: R, to: Arc<SharedPicture>) -> Self {
        Self {
            from: BufReader::with_capacity(65_536, Counted { from, counts: to.counts.clone() }),
            zrle: Zrle::default(),
            tight: Tight::default(),
            line: Vec::new(),
            to,
        }
    }

    pub(crate) async fn next(&mut self) -> Result<ServerMessage> {
        match self.from.read_u8().await? {
            0 => self.update().await,
            // Colours of a palette, which no picture here has.
            1 => {
                self.over(3).await?;
                let colours = self.from.read_u16().await?;
                self.over(u64::from(colours) * 6).await
            }
            // A bell.
            2 => Ok(ServerMessage::Other),
            // Its clipboard.
            3 => {
                self.over(3).await?;
                let length = self.from.read_u32().await?;
                if length > CLIPBOARD_MAX {
                    return broken(format!("its clipboard has {length} bytes"));
                }
                self.over(length.into()).await
            }
            other => broken(format!("it sends a message of type {other}, which was not requested")),
        }
    }

    async fn over(&mut self, bytes: u64) -> Result<ServerMessage> {
        let read = tokio::io::copy(&mut (&mut self.from).take(bytes), &mut tokio::io::sink()).await?;
        if read < bytes {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        Ok(ServerMessage::Other)
    }

    async fn update(&mut self) -> Result<ServerMessage> {
        self.from.read_u8().await?;
        let parts = self.from.read_u16().await?;
        self.to.begin();
        let (mut painted, mut resized) = (0, false);
        for _ in 0..parts {
            let part = PixelArea {
                x: self.from.read_u16().await?,
                y: self.from.read_u16().await?,
                w: self.from.read_u16().await?,
                h: self.from.read_u16().await?,
            };
            let encoding = self.from.read_i32().await?;
            match encoding {
                CURSOR => {
                    if part.area() > CURSOR_MAX {
                        return broken(format!("its cursor has {}x{} pixels", part.w, part.h));
                    }
                    let mask = u64::from(part.w.div_ceil(8)) * u64::from(part.h);
                    self.over(part.area() * 4 + mask).await?;
                    continue;
                }
                DESKTOP_SIZE => {
                    check_size(part.w, part.h)?;
                    self.to.resize((part.w, part.h));
                    resized = true;
                    continue;
                }
                _ => {}
            }
            self.to.check(part)?;
            painted += part.area();
            let (width, height) = self.to.size();
            if painted > PICTURES_MAX * u64::from(width) * u64::from(height) {
                return broken("an update paints the same pixels over and over");
            }
            let counts = &self.to.counts;
            match encoding {
                RAW => {
                    one(&counts.raw);
                    self.raw(part).await?;
                }
                COPY => {
                    one(&counts.copied);
                    let from = (self.from.read_u16().await?, self.from.read_u16().await?);
                    self.to.check(PixelArea { x: from.0, y: from.1, ..part })?;
                    self.to.copy(from, part);
                }
                HEXTILE => {
                    one(&counts.hextile);
                    hextile::part(&mut self.from, part, &self.to).await?;
                }
                TIGHT => {
                    one(&counts.tight);
                    self.tight.part(&mut self.from, part, &self.to).await?;
                }
                ZRLE => {
                    one(&counts.zrle);
                    self.zrle.part(&mut self.from, part, &self.to).await?;
                }
                other => return broken(format!("it uses the encoding {other}, which was not requested")),
            }
            self.to.painted(part);
        }
        self.to.end();
        Ok(ServerMessage::Update { resized })
    }

    /// Pixels as they are, four bytes each.
    async fn raw(&mut self, part: PixelArea) -> Result<()> {
        let width = usize::from(part.w);
        self.line.resize(width * 4, 0);
        let mut rgb = vec![0; width * 3];
        for n in 0..part.h {
            self.from.read_exact(&mut self.line).await?;
            for (to, from) in rgb.chunks_exact_mut(3).zip(self.line.chunks_exact(4)) {
                to.copy_from_slice(&from[..3]);
            }
            self.to.paint(PixelArea { y: part.y + n, h: 1, ..part }, &rgb);
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.zrle.held() + self.tight.held() + self.line.capacity()
    }
}
