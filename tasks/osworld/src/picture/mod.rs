//! Pictures, computed with as the original's libraries compute: Pillow, scikit-image, OpenCV.

mod color;
mod resize;
mod sharpness;
mod ssim;

use std::path::Path;

use image::DynamicImage;

use super::fault::{OsworldFault, Result};
use super::ooxml::budget::{self, Cost};
use super::py::text;

pub(crate) use color::{delta_e, parse_rgb};
pub(crate) use resize::ResizeFilter;
pub(crate) use sharpness::sharpness;
pub(crate) use ssim::ssim;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteImage {
    pub width: usize,
    pub height: usize,
    /// Channels: 1 grey, 2 grey and alpha, 3 red, green and blue, 4 with alpha.
    pub channels: usize,
    /// Whether the file gives colours by numbers of a table.
    pub palette: bool,
    /// Whether the file is compressed with losses, of which decoders make pixels that differ slightly.
    pub lossy: bool,
    /// Row by row, channels together.
    pub data: Vec<u8>,
}

impl ByteImage {
    pub fn open(path: &Path) -> Result<Self> {
        Self::decode(&text::read_bytes(path)?).map_err(|fault| match fault {
            OsworldFault::Raised(message) => OsworldFault::Raised(format!("{}: {message}", text::name(path))),
            other => other,
        })
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let failed = |e: image::ImageError| match e {
            image::ImageError::Unsupported(e) => {
                OsworldFault::Unsupported(format!("this kind of picture ({e})"))
            }
            e => OsworldFault::raised(format!("no picture: {e}")),
        };
        // Kinds that Pillow opens and this port does not know by their first bytes.
        let others: [&[u8]; 6] =
            [b"8BPS", b"%!PS", b"icns", b"\x00\x00\x00\x0cjP  ", b"\xff\x4f\xff\x51", b"/* XPM */"];
        if others.iter().any(|head| bytes.starts_with(head)) {
            return Err(OsworldFault::Unsupported("this kind of picture".into()));
        }
        let reader = image::ImageReader::new(std::io::Cursor::new(bytes))
            .with_guessed_format()
            .map_err(|e| OsworldFault::raised(format!("no picture: {e}")))?;
        let format = reader.format();
        if format.is_none() {
            return Err(OsworldFault::raised("no picture"));
        }
        // Pillow keeps a colour that stands for transparency beside the pixels.
        let keyed =
            matches!(bytes.get(25), Some(0 | 2)) && bytes.windows(4).take(4096).any(|part| part == b"tRNS");
        if format == Some(image::ImageFormat::Png) && keyed {
            return Err(OsworldFault::Unsupported(
                "a picture with a colour that stands for transparency".into(),
            ));
        }
        cost(bytes)?;
        let picture = reader.decode().map_err(failed)?;
        // The byte behind the size in a PNG file's head tells how colours are given.
        let palette = match format {
            Some(image::ImageFormat::Png) => bytes.get(25) == Some(&3),
            Some(image::ImageFormat::Gif) => true,
            Some(image::ImageFormat::Bmp) => bytes.get(28).is_some_and(|bits| *bits <= 8),
            _ => false,
        };
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        // The chunk behind the head of a WebP file tells how it is compressed.
        let lossy = match format {
            Some(image::ImageFormat::Jpeg) => true,
            Some(image::ImageFormat::WebP) => bytes.get(12..16) != Some(b"VP8L"),
            _ => false,
        };
        // Of sixteen bits Pillow takes the upper eight, and of a grey picture what it takes hangs on its
        // version.
        let upper =
            |data: Vec<u16>| -> Vec<u8> { data.into_iter().map(|value| value.to_be_bytes()[0]).collect() };
        let (channels, data) = match picture {
            DynamicImage::ImageLuma16(_) => {
                return Err(OsworldFault::Unsupported("a grey picture of sixteen bits".into()));
            }
            DynamicImage::ImageLumaA16(picture) => (2, upper(picture.into_raw())),
            DynamicImage::ImageRgb16(picture) => (3, upper(picture.into_raw())),
            DynamicImage::ImageRgba16(picture) => (4, upper(picture.into_raw())),
            picture => match picture.color().channel_count() {
                1 => (1, picture.into_luma8().into_raw()),
                2 => (2, picture.into_luma_alpha8().into_raw()),
                3 => (3, picture.into_rgb8().into_raw()),
                _ => (4, picture.into_rgba8().into_raw()),
            },
        };
        let found = Self { width, height, channels, palette, lossy, data };
        // What Pillow makes of a table of greys hangs on its order.
        let grey = |pixel: &[u8]| pixel.first_chunk::<3>().is_none_or(|[r, g, b]| r == g && g == b);
        if palette && format != Some(image::ImageFormat::Png) && found.pixels().all(grey) {
            return Err(OsworldFault::Unsupported("a picture with a table of greys".into()));
        }
        Ok(found)
    }

    /// Width and height of the file at `path`, whose pixels may be damaged.
    pub fn measure(path: &Path) -> Result<(usize, usize)> {
        let bytes = text::read_bytes(path)?;
        let reader = image::ImageReader::new(std::io::Cursor::new(&bytes)).with_guessed_format();
        match reader.map(image::ImageReader::into_dimensions) {
            Ok(Ok((width, height))) => Ok((width as usize, height as usize)),
            _ => Self::open(path).map(|picture| picture.size()),
        }
    }

    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    pub fn pixels(&self) -> impl Iterator<Item = &[u8]> {
        self.data.chunks_exact(self.channels)
    }

    pub fn pixel(&self, row: usize, column: usize) -> Option<&[u8]> {
        if column >= self.width || row >= self.height {
            return None;
        }
        let at = (row * self.width + column) * self.channels;
        self.data.get(at..at + self.channels)
    }

    pub(crate) fn has_alpha(&self) -> bool {
        self.channels == 2 || self.channels == 4
    }

    fn mapped(&self, channels: usize, map: impl Fn(&[u8], &mut Vec<u8>)) -> Self {
        let mut data = Vec::with_capacity(self.width * self.height * channels);
        for pixel in self.pixels() {
            map(pixel, &mut data);
        }
        Self { channels, palette: false, data, ..*self }
    }

    /// Red, green and blue; transparency is dropped.
    pub(crate) fn rgb(&self) -> Self {
        self.mapped(3, |pixel, out| match pixel {
            [r, g, b, ..] => out.extend([r, g, b]),
            [grey, ..] => out.extend([grey; 3]),
            [] => {}
        })
    }

    pub(crate) fn opaque(&self) -> Self {
        self.rgb().mapped(4, |pixel, out| {
            out.extend(pixel);
            out.push(u8::MAX);
        })
    }

    pub fn grey(&self) -> Self {
        self.mapped(1, |pixel, out| {
            out.push(match pixel {
                [r, g, b, ..] => {
                    let sum = u32::from(*r) * 19595 + u32::from(*g) * 38470 + u32::from(*b) * 7471 + 0x8000;
                    u8::try_from(sum >> 16).unwrap_or(u8::MAX)
                }
                [grey, ..] => *grey,
                [] => 0,
            });
        })
    }

    /// Hue, saturation and value as Pillow makes them.
    pub(crate) fn hsv(&self) -> Self {
        self.rgb().mapped(3, |pixel, out| {
            if let [r, g, b] = pixel {
                out.extend(color::hsv([*r, *g, *b]));
            }
        })
    }

    pub fn channel(&self, which: usize) -> Self {
        self.mapped(1, |pixel, out| out.extend(pixel.get(which)))
    }

    pub fn point(&self, map: impl Fn(u8) -> u8) -> Self {
        Self { data: self.data.iter().map(|value| map(*value)).collect(), ..*self }
    }

    pub(crate) fn mirrored(&self) -> Self {
        let mut data = Vec::with_capacity(self.data.len());
        for row in self.data.chunks_exact(self.width * self.channels) {
            for pixel in row.chunks_exact(self.channels).rev() {
                data.extend_from_slice(pixel);
            }
        }
        Self { data, ..*self }
    }

    pub(crate) fn cropped(&self, (left, top, right, bottom): (usize, usize, usize, usize)) -> Self {
        let mut data = Vec::new();
        for row in top..bottom {
            let start = (row * self.width + left) * self.channels;
            let end = (row * self.width + right) * self.channels;
            data.extend_from_slice(self.data.get(start..end).unwrap_or_default());
        }
        Self { width: right - left, height: bottom - top, data, ..*self }
    }

    /// The smallest part that holds all pixels that are not wholly transparent.
    pub fn content(&self) -> Option<(usize, usize, usize, usize)> {
        let mut found: Option<(usize, usize, usize, usize)> = None;
        for (i, pixel) in self.pixels().enumerate() {
            if pixel.last() == Some(&0) {
                continue;
            }
            let (x, y) = (i % self.width, i / self.width);
            let (l, t, r, b) = found.unwrap_or((x, y, x + 1, y + 1));
            found = Some((l.min(x), t.min(y), r.max(x + 1), b.max(y + 1)));
        }
        found
    }

    #[expect(clippy::cast_precision_loss, reason = "pictures are far smaller than 2^52")]
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.data.iter().map(|value| u64::from(*value)).sum();
        sum as f64 / self.data.len().max(1) as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "pictures are far smaller than 2^52")]
    pub(crate) fn deviation(&self) -> f64 {
        let mean = self.mean();
        let sum: f64 = self.data.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum();
        (sum / self.data.len().max(1) as f64).sqrt()
    }
}

/// Pays for a picture's pixels before they are decoded.
fn cost(bytes: &[u8]) -> Result<()> {
    let reader = image::ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format();
    // What has no size has no pixels: decoding it says what is wrong.
    let Ok(Ok((width, height))) = reader.map(image::ImageReader::into_dimensions) else { return Ok(()) };
    Ok(budget::spend(Cost::Pixels, u64::from(width) * u64::from(height))?)
}

/// The values of a file's pixels, in the file's own channels.
pub fn raw(bytes: &[u8]) -> Result<Vec<u8>> {
    Ok(ByteImage::decode(bytes)?.data)
}
