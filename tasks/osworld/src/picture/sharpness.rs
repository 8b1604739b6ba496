//! How sharp a picture is: `numpy.var` of OpenCV's Laplacian of its grey.

use std::path::Path;

use image::ImageFormat;

use super::ByteImage;
use crate::fault::{OsworldFault, Result};
use crate::py::text;

/// Values that `numpy` adds up without halving.
const BLOCK: usize = 128;

/// The variance of the Laplacian of the file at `path`, to the last digit.
///
/// # Errors
/// [`OsworldFault::Raised`] when it is not a picture, [`OsworldFault::Unsupported`] for formats that are read otherwise than
/// OpenCV reads them.
pub(crate) fn sharpness(path: &Path) -> Result<f64> {
    let bytes = text::read_bytes(path)?;
    let (width, height, grey) = grey(&bytes)?;
    Ok(variance(&laplacian(&grey, width, height)))
}

/// The picture as `cv2.imread(…, cv2.IMREAD_GRAYSCALE)` reads it.
fn grey(bytes: &[u8]) -> Result<(usize, usize, Vec<u8>)> {
    let format = image::guess_format(bytes).map_err(|e| OsworldFault::raised(format!("no picture: {e}")))?;
    // Each format has a reader of its own, with its own weights of red, green and blue.
    let weigh: fn(u32, u32, u32) -> u32 = match format {
        ImageFormat::Png if !tells_its_gamma(bytes) => |r, g, b| (r * 9797 + g * 19234 + b * 3737) >> 15,
        ImageFormat::Bmp => |r, g, b| (r * 4899 + g * 9617 + b * 1868 + 8192) >> 14,
        other => {
            return Err(OsworldFault::Unsupported(format!(
                "the sharpness of such a picture ({})",
                other.to_mime_type()
            )));
        }
    };
    let failed = |e: image::ImageError| OsworldFault::raised(format!("no picture: {e}"));
    super::cost(bytes)?;
    let picture = match image::load_from_memory(bytes).map_err(failed)? {
        // Of sixteen bits the upper eight are taken.
        image::DynamicImage::ImageLuma16(deep) => {
            let (width, height) = (deep.width() as usize, deep.height() as usize);
            let data = deep.into_raw().into_iter().map(|value| value.to_be_bytes()[0]).collect();
            return Ok((width, height, data));
        }
        _ => ByteImage::decode(bytes)?,
    };
    let one = |pixel: &[u8]| match pixel {
        // The reader of PNG leaves grey pixels alone.
        [r, g, b, ..] if r == g && g == b && format == ImageFormat::Png => *r,
        [r, g, b, ..] => u8::try_from(weigh((*r).into(), (*g).into(), (*b).into())).unwrap_or(u8::MAX),
        [grey, ..] => *grey,
        [] => 0,
    };
    Ok((picture.width, picture.height, picture.pixels().map(one).collect()))
}

/// Whether a PNG file says how its colours are meant, by which the reader corrects them.
fn tells_its_gamma(bytes: &[u8]) -> bool {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 8) {
        let (length, kind) = head.split_at(4);
        if kind == b"IDAT" {
            return false;
        }
        if [b"gAMA", b"cHRM", b"sRGB", b"iCCP"].iter().any(|known| kind == *known) {
            return true;
        }
        let length = length.try_into().map(u32::from_be_bytes).unwrap_or_default();
        at = at.saturating_add(12).saturating_add(length as usize);
    }
    false
}

/// The Laplacian; the picture is mirrored at its border, without the border itself.
fn laplacian(grey: &[u8], width: usize, height: usize) -> Vec<f64> {
    let near = |at: usize, step: isize, size: usize| -> usize {
        match at.checked_add_signed(step) {
            Some(next) if next < size => next,
            Some(_) => size.saturating_sub(2),
            None => 1.min(size - 1),
        }
    };
    let at = |x: usize, y: usize| grey.get(y * width + x).map_or(0.0, |value| f64::from(*value));
    let mut values = Vec::with_capacity(grey.len());
    for y in 0..height {
        for x in 0..width {
            let beside = at(near(x, -1, width), y) + at(near(x, 1, width), y);
            let above = at(x, near(y, -1, height)) + at(x, near(y, 1, height));
            values.push(beside + above - 4.0 * at(x, y));
        }
    }
    values
}

#[expect(clippy::cast_precision_loss, reason = "pictures are far smaller than 2^52")]
fn variance(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = sum(values) / count;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean) * (value - mean)).collect();
    sum(&squares) / count
}

/// `numpy`'s sum: eight sums side by side in blocks, the blocks by halves.
fn sum(values: &[f64]) -> f64 {
    let count = values.len();
    if count < 8 {
        return values.iter().sum();
    }
    if count > BLOCK {
        let half = count / 2;
        let (first, rest) = values.split_at(half - half % 8);
        return sum(first) + sum(rest);
    }
    let (whole, rest) = values.split_at(count - count % 8);
    let mut sums = [0.0; 8];
    for eight in whole.chunks_exact(8) {
        for (sum, value) in sums.iter_mut().zip(eight) {
            *sum += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    let total = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.iter().fold(total, |total, value| total + value)
}
