//! `gimp.py`: pictures and the settings of the picture editor.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::fault::{OsworldFault, Result, Score, score};
use super::super::picture::{ByteImage, ResizeFilter, sharpness, ssim};
use super::super::py::{self, text};
use super::MetricCall;
use super::general::gold;

/// Both pictures; nothing when one was not given.
fn both(call: &MetricCall) -> Result<Option<(ByteImage, ByteImage)>> {
    if call.expected.is_none() {
        return Err(OsworldFault::raised("the task names nothing to compare with"));
    }
    let Some(path) = call.path() else { return Ok(None) };
    if call.expected.as_ref().is_some_and(Value::is_null) {
        return Ok(None);
    }
    Ok(Some((ByteImage::open(path)?, ByteImage::open(call.gold()?).map_err(gold)?)))
}

/// Whether pictures of one size look alike (`structure_check_by_ssim`).
fn alike(a: &ByteImage, b: &ByteImage, threshold: f64) -> Result<bool> {
    let Ok(found) = ssim(&a.rgb(), &b.rgb()) else { return Ok(false) };
    if (a.lossy || b.lossy) && a.data != b.data && (found - threshold).abs() < 0.02 {
        return Err(decoded());
    }
    Ok(found >= threshold)
}

/// The fault of pictures that are compared more closely than decoders agree.
fn decoded() -> OsworldFault {
    OsworldFault::Unsupported("a picture compressed with losses, compared that closely,".into())
}

fn less(a: &ByteImage, b: &ByteImage, of: impl Fn(&ByteImage) -> f64) -> Result<bool> {
    let (x, y) = (of(a), of(b));
    if (a.lossy || b.lossy) && a.data != b.data && (x - y).abs() < 2.0 {
        return Err(decoded());
    }
    Ok(x < y)
}

/// Refuses a picture whose pixels hang on the decoder.
fn exact(picture: ByteImage) -> Result<ByteImage> {
    if picture.lossy { Err(decoded()) } else { Ok(picture) }
}

/// `compare_image_list`: every pair is the same, pixel by pixel.
pub(crate) fn compare_image_list(call: &MetricCall) -> Score {
    let list = |value: Option<&Value>| match value {
        Some(Value::Array(all)) => all.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    for (found, wanted) in list(Some(&call.result)).iter().zip(&list(call.expected.as_ref())) {
        let (Some(found), Some(wanted)) = (found.as_str(), wanted.as_str()) else { return Ok(0.0) };
        let (mut found, wanted) =
            (ByteImage::open(found.as_ref())?, ByteImage::open(wanted.as_ref()).map_err(gold)?);
        if (found.palette || wanted.palette) && found != wanted {
            return Err(OsworldFault::Unsupported(
                "a picture with a table of colours, compared with another,".into(),
            ));
        }
        if found.size() != wanted.size() {
            found = found.resized(wanted.size(), ResizeFilter::Lanczos);
        }
        let (found, wanted) = match (found.channels, wanted.channels) {
            (a, b) if a == b => (found, wanted),
            (_, 1) => (found.grey(), wanted),
            // Of two transparencies only these are looked at.
            (2 | 4, 2 | 4) => (found, wanted),
            // The transparency of a picture without any is full.
            (_, 2 | 4) if !found.has_alpha() => (found.opaque(), wanted),
            _ => (found.rgb(), wanted),
        };
        // Where there is transparency, only that is looked at.
        let only_alpha = wanted.has_alpha();
        let differ = found
            .pixels()
            .zip(wanted.pixels())
            .any(|(a, b)| if only_alpha { a.last() != b.last() } else { a != b });
        // Decoders differ by little.
        let apart = found.data.iter().zip(&wanted.data).any(|(a, b)| a.abs_diff(*b) > 64);
        if differ && !apart && (found.lossy || wanted.lossy) {
            return Err(decoded());
        }
        if differ {
            return Ok(0.0);
        }
    }
    Ok(1.0)
}

/// `increase_saturation`: the second is more saturated.
pub(crate) fn increase_saturation(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Err(OsworldFault::raised("a picture is missing")) };
    Ok(score(less(&a, &b, |picture| picture.hsv().channel(1).mean())?))
}

/// `decrease_brightness`: the second is darker.
pub(crate) fn decrease_brightness(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Err(OsworldFault::raised("a picture is missing")) };
    Ok(score(less(&b, &a, |picture| picture.grey().mean())?))
}

/// `check_brightness_decrease_and_structure_sim`: darker, and the same at one brightness.
pub(crate) fn check_brightness_decrease_and_structure_sim(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Ok(0.0) };
    if a.palette || b.palette {
        return Err(OsworldFault::Unsupported("the brightness of a picture with a table of colours".into()));
    }
    let threshold = call.options.get("threshold").and_then(Value::as_f64).unwrap_or(0.03);
    let (dark, light) = (a.grey().mean(), b.grey().mean());
    let normal = |picture: &ByteImage, brightness: f64| -> Result<ByteImage> {
        if brightness == 0.0 {
            return Err(OsworldFault::raised("a picture is black"));
        }
        let factor = 128.0 / brightness;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
        Ok(picture.point(|value| (f64::from(value) * factor).min(255.0) as u8))
    };
    let (first, second) = (a, b);
    let (mut a, b) = (normal(&first, dark)?, normal(&second, light)?);
    if a.size() != b.size() {
        a = a.resized(b.size(), ResizeFilter::Lanczos);
    }
    let (a, b) = (a.rgb(), b.rgb());
    let squares = a.data.iter().zip(&b.data).map(|(a, b)| ((f64::from(*a) - f64::from(*b)) / 255.0).powi(2));
    #[expect(clippy::cast_precision_loss, reason = "pictures are far smaller than 2^52")]
    let mean = squares.sum::<f64>() / a.data.len().max(1) as f64;
    let darker = less(&first, &second, |picture| picture.grey().mean())?;
    if first.lossy && darker && (mean - threshold).abs() < 0.002 {
        return Err(decoded());
    }
    Ok(score(darker && mean < threshold))
}

/// `check_saturation_increase_and_structure_sim`: more saturated, with the same hue and value.
pub(crate) fn check_saturation_increase_and_structure_sim(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Ok(0.0) };
    let (a, b) = (a.hsv(), b.hsv());
    let more = less(&b, &a, |picture| picture.channel(1).mean())?;
    let same = |which: usize| alike(&a.channel(which), &b.channel(which), 0.9);
    Ok(score(more && same(0)? && same(2)?))
}

pub(crate) fn check_contrast_increase_and_structure_sim(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Ok(0.0) };
    if a.palette || b.palette {
        return Err(OsworldFault::Unsupported("the contrast of a picture with a table of colours".into()));
    }
    Ok(score(less(&b, &a, ByteImage::deviation)? && alike(&a, &b, 0.65)?))
}

pub(crate) fn check_file_exists_and_structure_sim(call: &MetricCall) -> Score {
    if call.expected.is_some() && call.path().is_some_and(|path| !path.is_file()) {
        return Ok(0.0);
    }
    let Some((a, b)) = both(call)? else { return Ok(0.0) };
    Ok(score(alike(&a, &b, 0.9)?))
}

/// Compares both pictures; one that is missing or broken fails.
fn tolerant(call: &MetricCall, holds: impl Fn(&ByteImage, &ByteImage) -> Result<bool>) -> Score {
    match both(call) {
        Err(fault) if call.expected.is_none() => Err(fault),
        Ok(Some((a, b))) => Ok(score(holds(&a, &b)?)),
        Ok(None) | Err(OsworldFault::Raised(_)) => Ok(0.0),
        Err(other) => Err(other),
    }
}

pub(crate) fn check_structure_sim(call: &MetricCall) -> Score {
    tolerant(call, |a, b| Ok(a.size() == b.size() && alike(a, b, 0.9)?))
}

/// `check_structure_sim_resized`: what is not transparent, brought to the other's size.
pub(crate) fn check_structure_sim_resized(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Ok(0.0) };
    let a = if a.has_alpha() {
        let Some(part) = a.content() else { return Ok(0.0) };
        a.cropped(part).rgb()
    } else {
        a
    };
    Ok(score(alike(&a.resized(b.size(), ResizeFilter::Bicubic), &b, 0.9)?))
}

/// `check_palette_and_structure_sim`: colours by numbers of a table, and the same look.
pub(crate) fn check_palette_and_structure_sim(call: &MetricCall) -> Score {
    tolerant(call, |a, b| Ok(a.palette && alike(a, b, 0.9)?))
}

pub(crate) fn check_image_mirror(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Ok(0.0) };
    Ok(score(alike(&a.mirrored(), &b, 0.99)?))
}

/// `check_image_size`: of the picture, or of what is not transparent.
pub(crate) fn check_image_size(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let rules = call.members()?;
    // Where transparency counts, and there is any, the pixels are looked at, else only the file's head.
    let transparent = match rules.get("ignore_transparent").is_some_and(py::truthy) {
        true => match ByteImage::open(path) {
            Err(OsworldFault::Raised(message)) => match ByteImage::measure(path) {
                Ok(_) => return Err(OsworldFault::Unsupported(format!("a damaged picture ({message})"))),
                Err(fault) => return Err(fault),
            },
            picture => Some(picture?).filter(ByteImage::has_alpha),
        },
        false => None,
    };
    let (width, height) = match transparent {
        Some(picture) => {
            picture.content().map_or((0, 0), |(left, top, right, bottom)| (right - left, bottom - top))
        }
        None => ByteImage::measure(path)?,
    };
    let fits = |name: &str, found: usize| match rules.get(name) {
        None | Some(Value::Null) => true,
        Some(wanted) => wanted.as_u64().and_then(|wanted| usize::try_from(wanted).ok()) == Some(found),
    };
    Ok(score(fits("width", width) && fits("height", height)))
}

pub(crate) fn check_image_file_size(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let size = std::fs::metadata(path)
        .map_err(|e| OsworldFault::raised(format!("{}: {e}", text::name(path))))?
        .len();
    let most = call.rule("max_size")?.as_f64().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "files are far smaller than 2^52")]
    Ok(score((size as f64) < most))
}

pub(crate) fn check_sharper(call: &MetricCall) -> Score {
    let path = call.path().ok_or_else(|| OsworldFault::raised("a picture is missing"))?;
    let found = sharpness(path)?;
    Ok(score(found > sharpness(call.gold()?).map_err(gold)?))
}

/// `check_textbox_on_leftside`: something dark in the left twentieth.
pub(crate) fn check_textbox_on_leftside(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let grey = exact(ByteImage::open(path)?)?.grey();
    let first =
        grey.data.chunks_exact(grey.width).filter_map(|row| row.iter().position(|value| *value < 128)).min();
    #[expect(clippy::cast_precision_loss, reason = "pictures are far smaller than 2^52")]
    Ok(score((first.unwrap_or(grey.width) as f64) < grey.width as f64 * 0.05))
}

/// `check_green_background`: what is not black in the second is green in the first. Rows and columns are
/// exchanged, so that a picture that is wider than high fails.
pub(crate) fn check_green_background(call: &MetricCall) -> Score {
    let Some((a, b)) = both(call)? else { return Ok(0.0) };
    let (a, b) = (exact(a)?, exact(b)?);
    let outside = || OsworldFault::raised("the pictures are wider than high");
    if b.palette || b.channels == 1 {
        return Err(OsworldFault::raised("the pixels of the expected picture have no colours of their own"));
    }
    for x in 0..b.width {
        for y in 0..b.height {
            // Of grey and transparency no pixel is (0, 0, 0).
            if b.pixel(x, y).ok_or_else(outside)?.starts_with(&[0, 0, 0]) && b.channels > 2 {
                continue;
            }
            if a.palette {
                return Err(OsworldFault::raised("the pixels of the picture have no colours of their own"));
            }
            let [r, g, blue, ..] = a.pixel(x, y).ok_or_else(outside)? else { return Err(outside()) };
            if !(g > r && g > blue) {
                return Ok(0.0);
            }
        }
    }
    Ok(1.0)
}

/// `check_triangle_position`: the pixels of the rarest colour but one lie around the middle.
pub(crate) fn check_triangle_position(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let picture = exact(ByteImage::open(path)?)?;
    if picture.channels < 2 || picture.palette {
        return Err(OsworldFault::raised("the picture's pixels have no channels"));
    }
    let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
    for pixel in picture.pixels() {
        *counts.entry(pixel).or_default() += 1;
    }
    let mut colors: Vec<(&[u8], usize)> = counts.into_iter().collect();
    colors.sort_by_key(|(_, count)| *count);
    let (color, count) =
        colors.get(1).copied().ok_or_else(|| OsworldFault::raised("the picture has one colour"))?;
    let (mut rows, mut columns) = (0, 0);
    for (i, _) in picture.pixels().enumerate().filter(|(_, pixel)| *pixel == color) {
        rows += i / picture.width;
        columns += i % picture.width;
    }
    #[expect(clippy::cast_precision_loss, reason = "pictures are far smaller than 2^52")]
    let near =
        |sum: usize, size: usize| (sum as f64 / count as f64 - size as f64 / 2.0).abs() < 0.05 * size as f64;
    Ok(score(near(rows, picture.height) && near(columns, picture.width)))
}

/// `check_config_status`: a line `(key … value)`, or `(key first … value)`.
pub(crate) fn check_config_status(call: &MetricCall) -> Score {
    let Some(path) = call.path() else { return Ok(0.0) };
    let content = text::read(path)?;
    let keys: Vec<&Value> = match call.rule("key")? {
        one @ Value::String(_) => vec![one],
        Value::Array(two) if two.len() == 2 => two.iter().collect(),
        _ => return Ok(0.0),
    };
    let value = call.rule("value")?.as_str();
    for line in text::file_lines(&content).into_iter().filter(|line| !line.starts_with('#') && *line != "\n")
    {
        let words = text::words(text::strip(line).trim_start_matches('(').trim_end_matches([')', '\n']));
        let mut fits = true;
        for (at, key) in keys.iter().enumerate() {
            if !fits {
                break;
            }
            let word =
                words.get(at).ok_or_else(|| OsworldFault::raised("a line of the settings is too short"))?;
            fits = key.as_str() == Some(*word);
        }
        if fits && words.last().copied() == value {
            return Ok(1.0);
        }
    }
    Ok(0.0)
}
