//! `screencap`'s raw pictures and adb's framebuffer.
//!
//! Invariant: a picture is whole or it is an error; half a picture is never padded.

use bytes::Bytes;
use image::RgbImage;

use waldo_devices::picture::Picture;

const SIDE_MAX: u32 = 16_384;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pixels {
    /// Red, green, blue, and a fourth byte that is ignored.
    Rgbx,
    /// Blue, green, red, and a fourth byte that is ignored.
    Bgrx,
    Rgb,
    /// 5, 6 and 5 bits in a little endian word.
    Rgb565,
    /// 10 bits each from the lowest up, then 2 of alpha.
    Rgb1010102,
}

impl Pixels {
    fn of(format: u32) -> Option<Self> {
        Some(match format {
            1 | 2 => Self::Rgbx,
            3 => Self::Rgb,
            4 => Self::Rgb565,
            5 => Self::Bgrx,
            43 => Self::Rgb1010102,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::Rgb565 => 2,
            Self::Rgb => 3,
            _ => 4,
        }
    }
}

/// Reads what `screencap` writes without `-p`: width, height, format, from Android 9 on a colour space; rows.
///
/// # Errors
/// What is wrong with it, for instance that it is only half there.
pub fn decode_raw(bytes: Bytes) -> Result<Picture, String> {
    let word = |n: usize| {
        let bytes = bytes.get(n * 4..n * 4 + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let (Some(w), Some(h), Some(format)) = (word(0), word(1), word(2)) else {
        return Err(format!("{} bytes are not a picture", bytes.len()));
    };
    if w == 0 || h == 0 || w > SIDE_MAX || h > SIDE_MAX {
        return Err("not a raw picture".to_owned());
    }
    let pixels = Pixels::of(format).ok_or_else(|| format!("unknown pixel format {format}"))?;
    let need = w as usize * h as usize * pixels.bytes();
    // The header grew by one word in Android 9; only the length tells.
    let head = if bytes.len() >= need + 16 { 16 } else { 12 };
    if bytes.len() < head + need {
        return Err(format!("cut off: {} of {} bytes", bytes.len(), need + 16));
    }
    unpack(bytes.slice(head..head + need), w, h, pixels)
}

pub(super) fn decode_framebuffer(bytes: Bytes) -> Result<Picture, String> {
    let word = |n: usize| {
        let bytes = bytes.get(n * 4..n * 4 + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let version = word(0).ok_or("the framebuffer said nothing")?;
    // Version 2 has a colour space after the depth.
    let (first, head) = match version {
        1 => (2, 52),
        2 => (3, 56),
        other => return Err(format!("unknown framebuffer version {other}")),
    };
    let (Some(bpp), Some(w), Some(h)) = (word(1), word(first + 1), word(first + 2)) else {
        return Err("cut off in its header".to_owned());
    };
    let (Some(red), Some(blue)) = (word(first + 3), word(first + 5)) else {
        return Err("cut off in its header".to_owned());
    };
    if w == 0 || h == 0 || w > SIDE_MAX || h > SIDE_MAX {
        return Err("not a picture".to_owned());
    }
    let pixels = match (bpp, red, blue) {
        (32, 0, 16) => Pixels::Rgbx,
        (32, 16, 0) => Pixels::Bgrx,
        (32, 0, 20) => Pixels::Rgb1010102,
        (24, 0, 16) => Pixels::Rgb,
        (16, ..) => Pixels::Rgb565,
        _ => return Err(format!("unknown layout: {bpp} bits, red at {red}, blue at {blue}")),
    };
    let need = w as usize * h as usize * pixels.bytes();
    if bytes.len() < head + need {
        return Err(format!("cut off: {} of {} bytes", bytes.len(), need + head));
    }
    unpack(bytes.slice(head..head + need), w, h, pixels)
}

/// The rows as a picture: those of most phones as they are.
fn unpack(rows: Bytes, w: u32, h: u32, pixels: Pixels) -> Result<Picture, String> {
    let too_small = || "too small".to_owned();
    let mut rgb = match pixels {
        Pixels::Rgbx => return Picture::rgbx((w, h), rows).ok_or_else(too_small),
        Pixels::Rgb => rows.to_vec(),
        _ => vec![0; w as usize * h as usize * 3],
    };
    match pixels {
        Pixels::Rgb | Pixels::Rgbx => {}
        Pixels::Bgrx => {
            for (to, from) in rgb.chunks_exact_mut(3).zip(rows.chunks_exact(4)) {
                to.copy_from_slice(&[from[2], from[1], from[0]]);
            }
        }
        Pixels::Rgb565 => {
            for (to, from) in rgb.chunks_exact_mut(3).zip(rows.chunks_exact(2)) {
                let word = u16::from_le_bytes([from[0], from[1]]);
                let (r, g, b) = ((word >> 11) as u8, (word >> 5 & 63) as u8, (word & 31) as u8);
                to.copy_from_slice(&[r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2]);
            }
        }
        Pixels::Rgb1010102 => {
            for (to, from) in rgb.chunks_exact_mut(3).zip(rows.chunks_exact(4)) {
                let word = u32::from_le_bytes([from[0], from[1], from[2], from[3]]);
                to.copy_from_slice(&[(word >> 2) as u8, (word >> 12) as u8, (word >> 22) as u8]);
            }
        }
    }
    RgbImage::from_raw(w, h, rgb).map(Picture::new).ok_or_else(too_small)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(w: u32, h: u32, format: u32, head: usize, rows: &[u8]) -> Bytes {
        let mut bytes: Vec<u8> = [w, h, format].into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.resize(head, 0);
        bytes.extend_from_slice(rows);
        bytes.into()
    }

    fn pixels(picture: Result<Picture, String>) -> Vec<u8> {
        picture.unwrap().pixels().as_raw().clone()
    }

    #[test]
    fn both_headers_and_all_formats_are_read() {
        for head in [12, 16] {
            let rows = [1, 2, 3, 255, 4, 5, 6, 0];
            assert_eq!(pixels(decode_raw(raw(2, 1, 1, head, &rows))), [1, 2, 3, 4, 5, 6]);
        }
        let red565 = 0xF800_u16.to_le_bytes();
        assert_eq!(pixels(decode_raw(raw(1, 1, 4, 16, &red565))), [255, 0, 0]);
        let hdr = (1023u32 | 512 << 10 | 3 << 30).to_le_bytes();
        assert_eq!(pixels(decode_raw(raw(1, 1, 43, 16, &hdr))), [255, 128, 0]);
        assert_eq!(pixels(decode_raw(raw(1, 1, 5, 16, &[1, 2, 3, 9]))), [3, 2, 1]);
        assert_eq!(pixels(decode_raw(raw(1, 1, 2, 16, &[1, 2, 3, 9]))), [1, 2, 3]);
    }

    #[test]
    fn a_framebuffer_is_read_and_half_a_picture_is_none() {
        let whole = raw(4, 4, 1, 16, &[7; 64]);
        for end in 0..76 {
            assert!(decode_raw(whole.slice(..end)).is_err(), "{end}");
        }
        assert!(decode_raw(whole).is_ok());
        assert!(decode_raw(Bytes::from_static(b"error: no display")).is_err());
        assert!(decode_raw(raw(4, 4, 99, 16, &[7; 64])).is_err());
        assert!(decode_raw(raw(u32::MAX, u32::MAX, 1, 16, &[7; 64])).is_err());
        let head = [2u32, 32, 0, 8, 2, 1, 0, 8, 16, 8, 8, 8, 24, 8];
        let mut bytes: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(bytes.len(), 56);
        bytes.extend([1, 2, 3, 255, 4, 5, 6, 255]);
        let bytes = Bytes::from(bytes);
        assert_eq!(pixels(decode_framebuffer(bytes.clone())), [1, 2, 3, 4, 5, 6]);
        assert!(decode_framebuffer(bytes.slice(..60)).is_err());
        assert!(decode_framebuffer(Bytes::new()).is_err());
    }
}
