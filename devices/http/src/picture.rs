//! Pictures of a server that nobody vouches for.

use std::io::Cursor;

use image::{ImageReader, Limits, RgbImage};

use waldo_devices::error::DeviceError;

pub const PIXELS_MAX: u64 = 64_000_000;
pub const PICTURE_BYTES: usize = 64 << 20;
const SIDE_MAX: u32 = 32_768;

/// Decodes a PNG, a JPEG or a WebP.
///
/// # Errors
/// When it is none, is damaged, or has more than [`PIXELS_MAX`] pixels: it is not decoded then.
pub fn decode(bytes: &[u8]) -> Result<RgbImage, DeviceError> {
    let bad = |message: String| DeviceError::Call { call: "picture".to_owned(), message };
    let reader = || ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let read = |error: std::io::Error| bad(error.to_string());
    let (width, height) =
        reader().map_err(read)?.into_dimensions().map_err(|error| bad(error.to_string()))?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels > PIXELS_MAX || width.max(height) > SIDE_MAX {
        return Err(bad(format!("{width}x{height} is more than 64 megapixels, or longer than {SIDE_MAX}")));
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    // What a decoder keeps beside the picture: four times sixteen bits a pixel, and as much again.
    limits.max_alloc = Some(PIXELS_MAX * 16);
    let mut reader = reader().map_err(read)?;
    reader.limits(limits);
    Ok(reader.decode().map_err(|error| bad(error.to_string()))?.into_rgb8())
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgb};

    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let picture = RgbImage::from_pixel(width, height, Rgb([9, 8, 7]));
        picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        bytes
    }

    #[test]
    fn a_picture_is_read_and_one_that_is_none_or_huge_is_not() {
        assert_eq!(decode(&png(3, 2)).unwrap().dimensions(), (3, 2));
        for bad in [&b""[..], b"not a picture", &png(30, 20)[..40]] {
            assert!(decode(bad).is_err());
        }
        // The size stands in the header; no byte of the 16 gigapixels follows.
        let mut bytes = png(1, 1);
        bytes[16..20].copy_from_slice(&30_000_u32.to_be_bytes());
        bytes[20..24].copy_from_slice(&30_000_u32.to_be_bytes());
        // The checksum of the header would tell first.
        let crc = crc(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&crc.to_be_bytes());
        let said = decode(&bytes).unwrap_err().to_string();
        assert!(said.contains("30000x30000 is more than 64 megapixels"), "{said}");
    }

    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0_u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
            })
        })
    }
}
