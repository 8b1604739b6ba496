//! How a picture is resized before a model sees it.

use image::{RgbImage, imageops};
use serde::Deserialize;

/// A width may be this many times the height, or the other way round.
const MAX_RATIO: f64 = 200.0;
const MAX_SIDE: f64 = 32_768.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    #[error("the picture is empty")]
    Empty,
    #[error("a picture of {w} by {h} pixels is more than 200 times as long as it is wide")]
    Ratio { w: u32, h: u32 },
}

/// The sizes that models of the Qwen-VL kind work on: both sides a multiple of a factor, the pixels within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SmartResize {
    pub factor: u32,
    pub min_pixels: u64,
    pub max_pixels: u64,
}

impl SmartResize {
    /// The size of a picture under this rule, as width and height.
    pub fn size(&self, (w, h): (u32, u32)) -> Result<(u32, u32), SizeError> {
        if w == 0 || h == 0 {
            return Err(SizeError::Empty);
        }
        let (width, height) = (f64::from(w), f64::from(h));
        if width.max(height) / width.min(height) > MAX_RATIO {
            return Err(SizeError::Ratio { w, h });
        }
        let factor = f64::from(self.factor.max(1));
        // Halves go to the even multiple.
        let mut sides = [width, height].map(|side| ((side / factor).round_ties_even() * factor).max(factor));
        let pixels = sides[0] * sides[1];
        if pixels > float(self.max_pixels) {
            let shrink = (width * height / float(self.max_pixels)).sqrt();
            sides = [width, height].map(|side| ((side / shrink / factor).floor() * factor).max(factor));
        } else if pixels < float(self.min_pixels) {
            let grow = (float(self.min_pixels) / (width * height)).sqrt();
            sides = [width, height].map(|side| (side * grow / factor).ceil() * factor);
        }
        Ok((whole(sides[0]), whole(sides[1])))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "resize", deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) enum PictureRule {
    None,
    /// It is made to have this size, whatever its shape.
    #[serde(rename_all = "kebab-case")]
    Fixed {
        width: u32,
        height: u32,
    },
    /// It keeps its shape, and its pixels are brought within bounds.
    #[serde(rename_all = "kebab-case")]
    Linear {
        min_pixels: u64,
        max_pixels: u64,
        /// Pixels of the longer side at the most.
        #[serde(default)]
        max_side: Option<u32>,
    },
    /// Both sides become multiples of a factor, and the pixels are brought within bounds.
    Smart(SmartResize),
}

impl PictureRule {
    pub fn size(&self, (w, h): (u32, u32)) -> Result<(u32, u32), SizeError> {
        if w == 0 || h == 0 {
            return Err(SizeError::Empty);
        }
        match *self {
            Self::None => Ok((w, h)),
            Self::Fixed { width, height } => Ok((width.max(1), height.max(1))),
            Self::Smart(rule) => rule.size((w, h)),
            Self::Linear { min_pixels, max_pixels, max_side } => {
                let (mut width, mut height) = (f64::from(w), f64::from(h));
                let by_pixels = (float(max_pixels) / (width * height)).sqrt();
                let by_side = max_side.map_or(1.0, |side| f64::from(side.max(1)) / width.max(height));
                let share = by_pixels.min(by_side);
                if share < 1.0 {
                    (width, height) = ((width * share).floor().max(1.0), (height * share).floor().max(1.0));
                }
                if width * height < float(min_pixels) {
                    let share = (float(min_pixels) / (width * height)).sqrt();
                    (width, height) = ((width * share).ceil(), (height * share).ceil());
                }
                Ok((whole(width), whole(height)))
            }
        }
    }

    /// The picture as it is sent; `None` where it stays as it is.
    pub fn apply(&self, picture: &RgbImage) -> Result<Option<RgbImage>, SizeError> {
        let size = self.size(picture.dimensions())?;
        if size == picture.dimensions() {
            return Ok(None);
        }
        Ok(Some(imageops::resize(picture, size.0, size.1, imageops::FilterType::CatmullRom)))
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of pixels are far below 2^52")]
fn float(pixels: u64) -> f64 {
    pixels as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within the bounds")]
fn whole(side: f64) -> u32 {
    side.clamp(1.0, MAX_SIDE) as u32
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
