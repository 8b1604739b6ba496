//! Tight (encoding 7 of the RFB protocol's registry, which the community's specification describes): parts of one colour,
//! of a palette, of pixels or of their differences, in four packed streams; and JPEG, which is not asked for.
//!
//! Invariant: of a part no more is unpacked than some of its lines.

use std::io::Cursor;

use image::codecs::jpeg::JpegDecoder;
use image::{DynamicImage, ImageDecoder as _, Limits};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::{Result, broken};
use super::packed::Packed;
use super::pixels::{PixelArea, SharedPicture};

/// Bytes of pixels that are painted at once, if a line has no more.
const LINES: usize = 65_536;
/// What is shorter is not packed, in bytes.
const PACKED_FROM: usize = 12;
/// The most pixels of a JPEG: servers make parts of 64 thousand.
const JPEG_PIXELS: u64 = 4_000_000;

#[derive(Default)]
pub(super) struct Tight {
    streams: [Packed; 4],
    rgb: Vec<u8>,
}

/// What the bytes of a part mean.
enum TightFilter {
    Copy,
    /// Numbers of colours: bits where there are one or two colours, else bytes.
    Palette(Vec<[u8; 3]>),
    /// Differences from what the pixels around make expect; the line above.
    Gradient(Vec<u8>),
}

impl Tight {
    pub(super) async fn part<R: AsyncRead + Unpin>(
        &mut self,
        from: &mut R,
        part: PixelArea,
        to: &SharedPicture,
    ) -> Result<()> {
        let control = from.read_u8().await?;
        for (n, stream) in self.streams.iter_mut().enumerate() {
            if control >> n & 1 == 1 {
                stream.reset();
            }
        }
        match control >> 4 {
            0..=7 => self.basic(from, part, to, control >> 4).await,
            8 => {
                let mut pixel = [0; 3];
                from.read_exact(&mut pixel).await?;
                to.fill(part, pixel);
                Ok(())
            }
            9 => jpeg(from, part, to).await,
            other => broken(format!("it uses the method {other} of Tight, which was not requested")),
        }
    }

    async fn basic<R: AsyncRead + Unpin>(
        &mut self,
        from: &mut R,
        part: PixelArea,
        to: &SharedPicture,
        kind: u8,
    ) -> Result<()> {
        let width = usize::from(part.w);
        let filter = if kind & 4 == 0 { 0 } else { from.read_u8().await? };
        let mut filter = match filter {
            0 => TightFilter::Copy,
            1 => {
                let colours = usize::from(from.read_u8().await?) + 1;
                let mut bytes = [0; 256 * 3];
                let bytes = &mut bytes[..colours * 3];
                from.read_exact(bytes).await?;
                TightFilter::Palette(bytes.as_chunks::<3>().0.to_vec())
            }
            2 => TightFilter::Gradient(vec![0; width * 3]),
            other => return broken(format!("no filter of Tight is {other}")),
        };
        let line = match &filter {
            TightFilter::Palette(colours) if colours.len() <= 2 => width.div_ceil(8),
            TightFilter::Palette(_) => width,
            TightFilter::Copy | TightFilter::Gradient(_) => width * 3,
        };
        let all = line * usize::from(part.h);
        if all < PACKED_FROM {
            let mut bytes = [0; PACKED_FROM];
            from.read_exact(&mut bytes[..all]).await?;
            return show(&bytes[..all], part, &mut filter, &mut self.rgb, to);
        }
        let packed = length(from).await?;
        // Packing makes nothing much larger than it was.
        if packed > all + all / 16 + 1_024 {
            return broken(format!("{packed} packed bytes are too many for {}x{} pixels", part.w, part.h));
        }
        let stream = &mut self.streams[usize::from(kind & 3)];
        stream.begin(packed as u64);
        let at_once = u16::try_from((LINES / (width * 3)).max(1)).unwrap_or(u16::MAX);
        for y in (0..part.h).step_by(at_once.into()) {
            let h = at_once.min(part.h - y);
            let wanted = line * usize::from(h);
            stream.fill(from, wanted).await?;
            let Some(bytes) = stream.plain().get(..wanted) else {
                return broken("a packed part is cut off");
            };
            show(bytes, PixelArea { y: part.y + y, h, ..part }, &mut filter, &mut self.rgb, to)?;
            stream.used(wanted);
        }
        stream.end(from).await
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.streams.iter().map(Packed::held).sum::<usize>() + self.rgb.capacity()
    }
}

/// A length of one to three bytes, seven bits in each, the low ones first; eight in the third.
pub(super) async fn length<R: AsyncRead + Unpin>(from: &mut R) -> Result<usize> {
    let mut length = 0;
    for n in 0..3 {
        let byte = usize::from(from.read_u8().await?);
        let bits = if n < 2 { byte & 127 } else { byte };
        length |= bits << (7 * n);
        if byte & 128 == 0 {
            break;
        }
    }
    Ok(length)
}

fn show(
    bytes: &[u8],
    part: PixelArea,
    filter: &mut TightFilter,
    rgb: &mut Vec<u8>,
    to: &SharedPicture,
) -> Result<()> {
    let (width, height) = (usize::from(part.w), usize::from(part.h));
    rgb.clear();
    match filter {
        TightFilter::Copy => {
            to.paint(part, bytes);
            return Ok(());
        }
        TightFilter::Palette(colours) => {
            rgb.reserve_exact(width * height * 3);
            let mut put = |index: u8| match colours.get(usize::from(index)) {
                Some(pixel) => {
                    rgb.extend_from_slice(pixel);
                    Ok(())
                }
                None => broken("a pixel is not of its palette"),
            };
            if colours.len() <= 2 {
                for line in bytes.chunks_exact(width.div_ceil(8).max(1)) {
                    for x in 0..width {
                        put(line[x / 8] >> (7 - x % 8) & 1)?;
                    }
                }
            } else {
                bytes.iter().try_for_each(|index| put(*index))?;
            }
        }
        TightFilter::Gradient(above) => {
            rgb.reserve_exact(width * height * 3);
            for line in bytes.chunks_exact((width * 3).max(1)) {
                let (mut left, mut corner) = ([0_u8; 3], [0_u8; 3]);
                for (above, differences) in
                    above.as_chunks_mut::<3>().0.iter_mut().zip(line.as_chunks::<3>().0)
                {
                    let was = *above;
                    for n in 0..3 {
                        let expected = i16::from(left[n]) + i16::from(was[n]) - i16::from(corner[n]);
                        // Clamped, it is a byte.
                        let expected = u8::try_from(expected.clamp(0, 255)).unwrap_or_default();
                        above[n] = expected.wrapping_add(differences[n]);
                    }
                    (left, corner) = (*above, was);
                    rgb.extend_from_slice(above);
                }
            }
        }
    }
    to.paint(part, rgb);
    Ok(())
}

/// Reads a JPEG and paints it: some servers make them unasked.
async fn jpeg<R: AsyncRead + Unpin>(from: &mut R, part: PixelArea, to: &SharedPicture) -> Result<()> {
    let length = length(from).await?;
    let size = (u32::from(part.w), u32::from(part.h));
    if part.area() > JPEG_PIXELS || length as u64 > part.area() * 8 + 65_536 {
        return broken(format!("a JPEG of {length} bytes is too much for {}x{} pixels", part.w, part.h));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await?;
    let decoded = || {
        let mut decoder = JpegDecoder::new(Cursor::new(bytes))?;
        let mut limits = Limits::default();
        (limits.max_image_width, limits.max_image_height) = (Some(size.0), Some(size.1));
        decoder.set_limits(limits)?;
        let is = decoder.dimensions();
        Ok::<_, image::ImageError>((is == size).then_some(DynamicImage::from_decoder(decoder)?))
    };
    match decoded() {
        Ok(Some(picture)) => {
            to.paint(part, picture.to_rgb8().as_raw());
            Ok(())
        }
        Ok(None) => broken("a JPEG has another size than its part"),
        Err(error) => broken(format!("a JPEG cannot be read ({error})")),
    }
}
