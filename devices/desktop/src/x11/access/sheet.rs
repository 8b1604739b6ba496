//! Sheets of cells that all look alike: named by letter and number, laid out in straight rows and columns.
//!
//! An office program makes a new object for a cell each time it is asked for one, and keeps it for good.
//! So cells are known by their row and column here, and their objects are asked for only at the edges of
//! the view, once for a view, and where the picture shows that a cell holds something else than before.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use futures::StreamExt as _;
use image::RgbImage;
use zbus::zvariant::OwnedObjectPath;

use super::bus::{Bus, BusFault, Result};
use super::detail;
use super::node::{Iface, ObjectKey};
use super::sheets::MARK;
use waldo_devices::{Deadline, Element, Physical, Rect};

/// Questions under way at once.
const WIDTH: usize = 32;
/// How far inside its edges a cell's own content lies, in pixels: frames and handles lie on them.
const INSET: f64 = 4.0;
/// The least difference of a colour from the ground that counts as content.
const INK: u8 = 48;
/// The longest text that is asked for, in characters.
const TEXT_MAX: i32 = 400;

/// The object that a key stands for: a cell's is asked for now.
pub(super) async fn resolve(bus: &Bus, key: ObjectKey, deadline: Deadline) -> Result<ObjectKey> {
    let Some((table, place)) = key.path.split_once(MARK) else { return Ok(key) };
    let place = place
        .split_once(',')
        .and_then(|(row, column)| Some((row.parse::<i32>().ok()?, column.parse::<i32>().ok()?)));
    let place = place.ok_or_else(|| BusFault::Refused(format!("{key} is not a cell")))?;
    let table = ObjectKey::new(Arc::clone(&key.bus), table);
    let answer = bus.call(&table, Iface::Table.name(), "GetAccessibleAt", &place, deadline).await?;
    let (owner, path) = answer.body().deserialize::<(String, OwnedObjectPath)>()?;
    let cell = ObjectKey::new(owner, path.as_str());
    if cell.is_null() { Err(BusFault::Refused(format!("{key} is not there"))) } else { Ok(cell) }
}

pub(super) fn is_cell(element: &Element) -> bool {
    element.handle.0.contains(MARK)
}

/// Gives the cells of sheets their values. A cell in which `picture` shows nothing holds nothing; one
/// that looks as it did holds what it held; all others are asked.
pub(super) async fn fill(
    bus: &Bus,
    picture: &RgbImage,
    elements: &mut [Element],
    deadline: Deadline,
) -> Result<()> {
    let mut asked = Vec::new();
    for (n, element) in elements.iter_mut().enumerate().filter(|(_, element)| is_cell(element)) {
        let Some(look) = look(picture, &element.bounds) else { continue };
        match bus.sheets.value(&element.handle.0, look) {
            Some(value) => element.value = value,
            None => asked.extend(ObjectKey::parse(&element.handle).map(|key| (n, look, key))),
        }
    }
    let mut answers = futures::stream::iter(asked)
        .map(|(n, look, key)| async move {
            let text = async {
                let cell = resolve(bus, key, deadline).await?;
                detail::text(bus, &cell, detail::most(bus, TEXT_MAX), deadline).await
            };
            (n, look, text.await)
        })
        .buffer_unordered(WIDTH);
    while let Some((n, look, text)) = answers.next().await {
        match text {
            Ok(text) => {
                let value = (!text.is_empty()).then(|| bus.brief(&text));
                bus.sheets.remember(&elements[n].handle.0, look, value.clone());
                elements[n].value = value;
            }
            Err(BusFault::Gone(why)) => return Err(BusFault::Gone(why)),
            Err(_) => {}
        }
        if deadline.passed() {
            break;
        }
    }
    Ok(())
}

/// What a cell looks like, as a number; `None` when nothing is drawn in it.
fn look(picture: &RgbImage, bounds: &Rect<Physical>) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture")]
    let whole = |v: f64, limit: u32| v.round().clamp(0.0, f64::from(limit)) as u32;
    let inset = INSET.min(bounds.w / 4.0).min(bounds.h / 4.0);
    let (left, right) =
        (whole(bounds.x + inset, picture.width()), whole(bounds.right() - inset, picture.width()));
    let (top, bottom) =
        (whole(bounds.y + inset, picture.height()), whole(bounds.bottom() - inset, picture.height()));
    if left >= right || top >= bottom {
        return None;
    }
    let ground = *picture.get_pixel(right - 1, top);
    let mut hasher = DefaultHasher::new();
    let mut inked = false;
    for y in top..bottom {
        for x in left..right {
            let pixel = picture.get_pixel(x, y);
            pixel.0.hash(&mut hasher);
            inked |= pixel.0.iter().zip(ground.0).any(|(a, b)| a.abs_diff(b) > INK);
        }
    }
    inked.then(|| hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn a_blank_cell_has_no_look_and_ink_changes_it() {
        let mut picture = RgbImage::from_pixel(200, 100, Rgb([255; 3]));
        let cell = Rect::new(10.0, 10.0, 80.0, 18.0);
        for x in 10..90 {
            picture.put_pixel(x, 10, Rgb([0; 3]));
        }
        assert_eq!(look(&picture, &cell), None, "a frame is not content");
        picture.put_pixel(30, 18, Rgb([0; 3]));
        let one = look(&picture, &cell).unwrap();
        picture.put_pixel(40, 18, Rgb([0; 3]));
        assert_ne!(look(&picture, &cell), Some(one));
        assert_eq!(look(&picture, &Rect::new(500.0, 500.0, 80.0, 18.0)), None);
    }
}
