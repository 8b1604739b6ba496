//! What an element and a screen look like.

use std::collections::BTreeMap;

use image::imageops::{self, FilterType};
use waldo_devices::{DeviceError, Tag, labels};

use crate::agent::View;

/// Physical pixels around the element that are shown with it.
const MARGIN: f64 = 12.0;
/// The widest that is kept: a row of a phone's list goes from side to side.
const WIDEST: f64 = 1200.0;
const HIGHEST: f64 = 480.0;
/// Pixels of a screen's picture, about.
const SCREEN: f64 = 250_000.0;

/// The picture of an element and a little around it, without numbers, as PNG; `None` without a picture.
pub fn crop(view: &View, tag: Tag) -> Result<Option<Vec<u8>>, DeviceError> {
    let o = &view.observation;
    let Some(element) = view.element(tag).filter(|_| !o.picture.is_empty()) else { return Ok(None) };
    let pixels = o.picture.pixels();
    let (b, w, h) = (&element.bounds, f64::from(pixels.width()), f64::from(pixels.height()));
    let left = (b.x - MARGIN).clamp(0.0, w);
    let top = (b.y - MARGIN).clamp(0.0, h);
    let right = (b.right() + MARGIN).clamp(0.0, w).min(left + WIDEST);
    let bottom = (b.bottom() + MARGIN).clamp(0.0, h).min(top + HIGHEST);
    if right - left < 1.0 || bottom - top < 1.0 {
        return Ok(None);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture")]
    let part = {
        let (x, y) = (left as u32, top as u32);
        imageops::crop_imm(pixels.as_ref(), x, y, (right - left) as u32, (bottom - top) as u32).to_image()
    };
    labels::encode_png(&part).map(Some)
}

/// A small picture of a whole screen, without numbers, as PNG; `None` where there is no picture.
pub fn portrait(view: &View) -> Result<Option<Vec<u8>>, DeviceError> {
    let picture = &view.observation.picture;
    if picture.is_empty() {
        return Ok(None);
    }
    let (w, h) = picture.size();
    let share = (SCREEN / (f64::from(w) * f64::from(h))).sqrt().min(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of its size")]
    let of = |side: u32| ((f64::from(side) * share).round() as u32).max(1);
    let small = imageops::resize(picture.pixels().as_ref(), of(w), of(h), FilterType::Triangle);
    labels::encode_png(&small).map(Some)
}

/// Where the tagged elements with these keys are: left, top, right and bottom in thousandths of the picture.
pub fn places(view: &View, keys: &[String]) -> BTreeMap<String, [u16; 4]> {
    let (w, h) = view.observation.picture.size();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let of = |at: f64, side: u32| (at * 1000.0 / f64::from(side.max(1))).round().clamp(0.0, 1000.0) as u16;
    let place = |(t, key): (&labels::Tagged, &String)| {
        let b = &view.observation.elements.get(t.element)?.bounds;
        Some((key.clone(), [of(b.x, w), of(b.y, h), of(b.right(), w), of(b.bottom(), h)]))
    };
    // Of several with one key the first.
    view.tagged.iter().zip(keys).rev().filter_map(place).collect()
}
