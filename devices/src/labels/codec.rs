//! Pictures to bytes and back.
//!
//! Invariant: what is decoded is bounded in size; nothing here keeps colour profiles or transparency.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::error::{EncodingError, ImageFormatHint};
use image::{ExtendedColorType, ImageError, ImageFormat, ImageReader, Limits, RgbImage, imageops};

use super::{Layer, rows, webp};
use crate::error::Result;
use crate::picture::Raster;

const MAX_SIDE: u32 = 16_384;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG: without loss, and read by every endpoint.
    #[default]
    Png,
    /// PNG packed as small as zlib makes it, with a palette where 256 colours are enough: for whoever pays for bytes.
    SmallPng,
    /// WebP without loss: a screen takes a sixth to a tenth of its PNG.
    Webp,
    /// JPEG of this quality, from 1 to 100.
    Jpeg(u8),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PicturePacking {
    pub format: PictureFormat,
    /// The width and height in px within which it has to lie; a larger picture is made smaller.
    pub max: Option<(u32, u32)>,
}

/// The media type of a picture's bytes: `image/webp`, `image/jpeg`, else `image/png`.
pub fn media_type(bytes: &[u8]) -> &'static str {
    match image::guess_format(bytes) {
        Ok(ImageFormat::WebP) => "image/webp",
        Ok(ImageFormat::Jpeg) => "image/jpeg",
        _ => "image/png",
    }
}

/// The ending of a file of a picture's bytes, as its [`media_type`] says.
pub fn file_ending(bytes: &[u8]) -> &'static str {
    match media_type(bytes) {
        "image/webp" => "webp",
        "image/jpeg" => "jpg",
        _ => "png",
    }
}

/// Width and height in px of a picture by its head; `None` where the bytes are none.
pub fn picture_size(bytes: &[u8]) -> Option<(u32, u32)> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

/// The picture as PNG: without loss, and a millisecond or two for a screen.
pub fn encode_png<'a>(picture: impl Into<Raster<'a>>) -> Result<Vec<u8>> {
    Layer::over(picture).encode_png()
}

impl Layer<'_> {
    /// The picture and what was drawn over it as PNG, as [`encode_png`] does it.
    pub fn encode_png(&self) -> Result<Vec<u8>> {
        png_of(self)
    }

    /// The picture and what was drawn over it, packed as asked.
    pub fn encode(&self, packing: PicturePacking) -> Result<Vec<u8>> {
        let (width, height) = self.picture().size();
        let fits = packing.max.is_none_or(|(most_wide, most_high)| width <= most_wide && height <= most_high);
        if fits && packing.format == PictureFormat::Png {
            return self.encode_png();
        }
        let flat = self.flat();
        let format = match packing.format {
            // Larger than the format can tell.
            PictureFormat::Webp if width.max(height) > webp::MAX_SIDE => PictureFormat::Png,
            format => format,
        };
        let flat = match packing.max {
            Some(most) if !fits => fit(&flat, most),
            _ => flat,
        };
        match format {
            PictureFormat::Png => encode_png(&flat),
            PictureFormat::SmallPng => encode_small_png(&flat),
            PictureFormat::Webp => webp::encode(&flat),
            PictureFormat::Jpeg(quality) => encode_jpeg(&flat, quality),
        }
    }
}

fn png_of(layer: &Layer<'_>) -> Result<Vec<u8>> {
    let (w, h) = layer.picture().size();
    let data = rows::compressed(layer);
    let mut bytes = Vec::with_capacity(data.len() + 1024);
    let mut encoder = png::Encoder::new(&mut bytes, w, h);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::NoCompression);
    let mut writer = encoder.write_header().map_err(encoding)?;
    let written = if data.len() > (w as usize * 3 + 1) * h as usize {
        // Noise: it is larger than as it is.
        writer.write_image_data(layer.flat().as_raw())
    } else {
        writer.write_chunk(png::chunk::IDAT, &data)
    };
    written.map_err(encoding)?;
    writer.finish().map_err(encoding)?;
    Ok(bytes)
}

fn encode_small_png(picture: &RgbImage) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // A screen repeats itself: what repeats is found in the pixels, and not in their differences.
    encoder.set_filter(png::Filter::NoFilter);
    let indexed = indexed(picture);
    match &indexed {
        Some((palette, _)) => {
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(palette.as_flattened());
        }
        None => encoder.set_color(png::ColorType::Rgb),
    }
    let pixels = indexed.as_ref().map_or(picture.as_raw().as_slice(), |(_, indices)| indices);
    let mut writer = encoder.write_header().map_err(encoding)?;
    writer.write_image_data(pixels).map_err(encoding)?;
    writer.finish().map_err(encoding)?;
    Ok(bytes)
}

/// The colours of a picture and the index of each pixel's; `None` where there are more than 256.
fn indexed(picture: &RgbImage) -> Option<(Vec<[u8; 3]>, Vec<u8>)> {
    let (mut palette, mut known) = (Vec::new(), HashMap::new());
    let mut indices = Vec::with_capacity(picture.as_raw().len() / 3);
    let mut last = ([0; 3], None);
    for pixel in picture.pixels() {
        // Neighbours are mostly of one colour.
        let index = match last {
            (colour, Some(index)) if colour == pixel.0 => index,
            _ => *match known.entry(pixel.0) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(free) => {
                    let index = u8::try_from(palette.len()).ok()?;
                    palette.push(pixel.0);
                    free.insert(index)
                }
            },
        };
        last = (pixel.0, Some(index));
        indices.push(index);
    }
    Some((palette, indices))
}

fn encoding(error: png::EncodingError) -> ImageError {
    ImageError::Encoding(EncodingError::new(ImageFormatHint::Exact(ImageFormat::Png), error))
}

/// The picture as JPEG; `quality` runs from 1 to 100 and is brought into that range.
///
/// # Errors
/// `DeviceError::Image` for a picture without pixels or with a side above 65,535 px.
pub fn encode_jpeg(picture: &RgbImage, quality: u8) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100));
    encoder.encode(picture.as_raw(), picture.width(), picture.height(), ExtendedColorType::Rgb8)?;
    Ok(bytes)
}

/// The picture in its own proportions, with sides of at most `most` px.
pub fn shrink(picture: RgbImage, most: (u32, u32)) -> RgbImage {
    let fits = picture.width() <= most.0 && picture.height() <= most.1;
    if fits { picture } else { fit(&picture, most) }
}

/// The picture as large as fits into `most` px, in its own proportions.
fn fit(picture: &RgbImage, most: (u32, u32)) -> RgbImage {
    let (w, h) = picture.dimensions();
    let scale = (f64::from(most.0) / f64::from(w.max(1))).min(f64::from(most.1) / f64::from(h.max(1)));
    let side = |v: u32, most: u32| ((f64::from(v) * scale) as u32).clamp(1, most.max(1));
    imageops::resize(picture, side(w, most.0), side(h, most.1), imageops::FilterType::Triangle)
}

/// Reads a PNG, a JPEG or a WebP; transparency is dropped.
///
/// # Errors
/// `DeviceError::Image` when the bytes are neither, are damaged, or hold a side above 16,384 px.
pub fn decode(bytes: &[u8]) -> Result<RgbImage> {
    let mut reader =
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(ImageError::IoError)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    Ok(reader.decode()?.into_rgb8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::DeviceError;
    use image::Rgb;

    fn sample() -> RgbImage {
        RgbImage::from_fn(64, 40, |x, y| Rgb([(x * 4) as u8, (y * 6) as u8, 90]))
    }

    #[test]
    fn a_picture_reads_back_and_what_is_none_is_an_error() {
        let picture = sample();
        assert_eq!(decode(&encode_png(&picture).unwrap()).unwrap(), picture);
        let back = decode(&encode_jpeg(&picture, 95).unwrap()).unwrap();
        let worst = picture.as_raw().iter().zip(back.as_raw()).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(back.dimensions() == picture.dimensions() && worst < 30, "{worst}");
        assert!(matches!(decode(b"GIF89a..."), Err(DeviceError::Image(_))));
        assert!(matches!(decode(&[]), Err(DeviceError::Image(_))));
        let mut cut = encode_png(&sample()).unwrap();
        cut.truncate(60);
        assert!(matches!(decode(&cut), Err(DeviceError::Image(_))));
        assert!(matches!(encode_png(&RgbImage::new(0, 0)), Err(DeviceError::Image(_))));
        assert!(encode_jpeg(&RgbImage::new(0, 0), 80).is_err());
    }

    #[test]
    fn screens_noise_and_all_sizes_read_back_exactly() {
        let noise = |x: u32, y: u32| x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519);
        let mixed = |x: u32, y: u32| (noise(x, y) ^ noise(x, y) >> 15).wrapping_mul(0x2C1B_3C6D) >> 11;
        for (w, h) in [(1, 1), (7, 300), (900, 700)] {
            let screen = RgbImage::from_fn(w, h, |x, y| {
                Rgb(if y / 20 % 3 == 1 { [mixed(x, y) as u8, (x / 9) as u8, 7] } else { [250, 249, 253] })
            });
            let noise = RgbImage::from_fn(w, h, |x, y| Rgb([0, 99, 199].map(|n| mixed(x + n, y) as u8)));
            for picture in [screen, noise] {
                let png = encode_png(&picture).unwrap();
                assert_eq!(decode(&png).unwrap(), picture, "{w}x{h}");
                let small = encode_small_png(&picture).unwrap();
                assert_eq!(decode(&small).unwrap(), picture, "{w}x{h}");
                let most = (picture.as_raw().len() + h as usize) * 1_001 / 1_000 + 200;
                assert!(png.len() <= most, "{w}x{h}: {}", png.len());
            }
        }
    }

    #[test]
    fn few_colours_make_a_palette_and_a_small_picture() {
        let of = |colours: u32| {
            RgbImage::from_fn(300, 200, |x, y| Rgb([((x / 9 + y / 7) % colours) as u8, (x / 60) as u8, 3]))
        };
        let kind = |picture: &RgbImage| {
            let bytes = encode_small_png(picture).unwrap();
            assert_eq!(decode(&bytes).unwrap(), *picture);
            (png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap().info().color_type, bytes.len())
        };
        let few = of(40);
        assert_eq!(kind(&few).0, png::ColorType::Indexed);
        assert!(kind(&few).1 * 2 < encode_png(&few).unwrap().len());
        let most = RgbImage::from_fn(256, 2, |x, _| Rgb([x as u8, 0, 0]));
        assert_eq!(kind(&most).0, png::ColorType::Indexed);
        let more = RgbImage::from_fn(257, 2, |x, _| Rgb([x as u8, (x / 256) as u8, 0]));
        assert_eq!(kind(&more).0, png::ColorType::Rgb);
    }

    #[test]
    fn every_format_reads_back_within_the_size_asked_for() {
        let picture = sample();
        let layer = Layer::over(&picture);
        let formats = [
            (PictureFormat::Png, "image/png", "png"),
            (PictureFormat::SmallPng, "image/png", "png"),
            (PictureFormat::Webp, "image/webp", "webp"),
            (PictureFormat::Jpeg(80), "image/jpeg", "jpg"),
        ];
        for (format, media, ending) in formats {
            let whole = layer.encode(PicturePacking { format, max: Some((64, 40)) }).unwrap();
            assert_eq!((media_type(&whole), file_ending(&whole)), (media, ending));
            assert_eq!(picture_size(&whole), Some((64, 40)));
            assert!(
                matches!(format, PictureFormat::Jpeg(_)) || decode(&whole).unwrap() == picture,
                "{format:?}"
            );
            let small = layer.encode(PicturePacking { format, max: Some((32, 500)) }).unwrap();
            assert_eq!(picture_size(&small), Some((32, 20)));
            assert!(Layer::over(&RgbImage::new(0, 0)).encode(PicturePacking { format, max: None }).is_err());
        }
        assert_eq!(picture_size(b"none"), None);
    }
}
