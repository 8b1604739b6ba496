//! Pictures to bytes and back.
//!
//! Invariant: what is decoded is bounded in size; nothing here keeps colour profiles or transparency.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::error::{EncodingError, ImageFormatHint};
use image::{ExtendedColorType, ImageError, ImageFormat, ImageReader, Limits, RgbImage, imageops};

use crate::error::DeviceError;

/// The longest side that is decoded, in pixels.
const MAX_SIDE: u32 = 16_384;

/// The picture as PNG: without loss, and a few milliseconds for a screen.
///
/// # Errors
/// [`DeviceError::Image`] for a picture without pixels.
pub fn encode_png(picture: &RgbImage) -> Result<Vec<u8>, DeviceError> {
    let failed = |e: png::EncodingError| {
        ImageError::Encoding(EncodingError::new(ImageFormatHint::Exact(ImageFormat::Png), e))
    };
    let mut bytes = Vec::with_capacity(picture.as_raw().len() / 4);
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    // On a screen most rows are as the one above: half the time of choosing a filter for each row, for files
    // a quarter larger.
    encoder.set_filter(png::Filter::Up);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(picture.as_raw()).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// The picture as JPEG; `quality` runs from 1 to 100 and is brought into that range.
///
/// # Errors
/// [`DeviceError::Image`] for a picture without pixels or with a side above 65,535 px.
pub fn encode_jpeg(picture: &RgbImage, quality: u8) -> Result<Vec<u8>, DeviceError> {
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100));
    encoder.encode(picture.as_raw(), picture.width(), picture.height(), ExtendedColorType::Rgb8)?;
    Ok(bytes)
}

/// Reads a PNG or a JPEG; transparency is dropped.
///
/// # Errors
/// [`DeviceError::Image`] when the bytes are neither, are damaged, or hold a side above 16,384 px.
pub fn decode(bytes: &[u8]) -> Result<RgbImage, DeviceError> {
    let mut reader =
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(ImageError::IoError)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    Ok(reader.decode()?.into_rgb8())
}

/// The picture with its longer side at most `max_side` pixels, and new pixels per old one.
///
/// A picture that fits comes back as it is, with 1.0: nothing is ever enlarged.
pub fn downscale(picture: &RgbImage, max_side: u32) -> (RgbImage, f64) {
    let (w, h) = picture.dimensions();
    let (longest, max_side) = (w.max(h), max_side.max(1));
    if longest <= max_side {
        return (picture.clone(), 1.0);
    }
    let scale = f64::from(max_side) / f64::from(longest);
    let side = |v: u32| ((f64::from(v) * scale).round() as u32).max(1);
    (imageops::resize(picture, side(w), side(h), imageops::FilterType::Triangle), scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    fn sample() -> RgbImage {
        RgbImage::from_fn(64, 40, |x, y| Rgb([(x * 4) as u8, (y * 6) as u8, 90]))
    }

    #[test]
    fn a_png_reads_back_exactly_and_a_jpeg_nearly() {
        let picture = sample();
        assert_eq!(decode(&encode_png(&picture).unwrap()).unwrap(), picture);
        let back = decode(&encode_jpeg(&picture, 95).unwrap()).unwrap();
        let worst = picture.as_raw().iter().zip(back.as_raw()).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(back.dimensions() == picture.dimensions() && worst < 30, "{worst}");
    }

    #[test]
    fn what_is_no_picture_is_an_error() {
        assert!(matches!(decode(b"GIF89a..."), Err(DeviceError::Image(_))));
        assert!(matches!(decode(&[]), Err(DeviceError::Image(_))));
        let mut cut = encode_png(&sample()).unwrap();
        cut.truncate(60);
        assert!(matches!(decode(&cut), Err(DeviceError::Image(_))));
        assert!(matches!(encode_png(&RgbImage::new(0, 0)), Err(DeviceError::Image(_))));
        assert!(encode_jpeg(&RgbImage::new(0, 0), 80).is_err());
    }

    #[test]
    fn a_picture_is_only_ever_made_smaller() {
        let (small, scale) = downscale(&sample(), 32);
        assert_eq!((small.dimensions(), scale), ((32, 20), 0.5));
        let (same, scale) = downscale(&sample(), 64);
        assert_eq!((same.dimensions(), scale), ((64, 40), 1.0));
        assert_eq!(downscale(&RgbImage::new(1000, 1), 10).0.dimensions(), (10, 1));
        assert_eq!(downscale(&RgbImage::new(0, 0), 0).0.dimensions(), (0, 0));
    }
}
