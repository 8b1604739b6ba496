//! Values that are typed by name.
//!
//! Invariant: a value is known to the driver alone; what a screen shows of it is masked.

use std::collections::BTreeMap;
use std::fmt;

use image::Rgb;

use crate::element::Element;
use crate::geometry::{Physical, Rect};
use crate::observation::StaticText;
use crate::picture::Picture;
use crate::screen_text::clean;

/// What stands for a value in text.
pub(crate) const MASK: &str = "••••";

/// Text of a screen as it is told, cut to `max` characters. What was masked anywhere in it stays told: what it
/// is the text of shows a value, and is painted over.
pub(crate) fn brief(text: &str, max: usize) -> String {
    let mut kept = clean(text, max);
    if text.contains(MASK) && !kept.contains(MASK) {
        kept.push(' ');
        kept.push_str(MASK);
    }
    kept
}

/// A coordinate as a pixel's, from 0 to `limit`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped to the picture")]
fn whole(at: f64, limit: u32) -> u32 {
    at.floor().clamp(0.0, f64::from(limit)) as u32
}

/// Values that an agent types by name; never shown, not even by `Debug`.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// From pairs of name and value.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(pairs.into_iter().collect())
    }

    /// The value of `name`.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `picture` with every element painted over that shows a value. What is no element stays as it is.
    pub(crate) fn cover(&self, picture: Picture, elements: &[Element]) -> Picture {
        let shows = |element: &&Element| {
            element.name.contains(MASK) || element.value.as_deref().is_some_and(|v| v.contains(MASK))
        };
        let shown: Vec<_> = elements.iter().filter(shows).map(|element| element.bounds).collect();
        self.cover_places(picture, &shown)
    }

    /// The same of texts.
    pub(crate) fn cover_texts(&self, picture: Picture, texts: &[StaticText]) -> Picture {
        let shown: Vec<_> =
            texts.iter().filter(|text| text.text.contains(MASK)).map(|text| text.bounds).collect();
        self.cover_places(picture, &shown)
    }

    fn cover_places(&self, picture: Picture, places: &[Rect<Physical>]) -> Picture {
        if self.is_empty() || picture.is_empty() || places.is_empty() {
            return picture;
        }
        let mut pixels = picture.pixels().as_ref().clone();
        for bounds in places {
            let across = whole(bounds.x, pixels.width())..whole(bounds.x + bounds.w + 1.0, pixels.width());
            for y in whole(bounds.y, pixels.height())..whole(bounds.y + bounds.h + 1.0, pixels.height()) {
                for x in across.clone() {
                    pixels.put_pixel(x, y, Rgb([128; 3]));
                }
            }
        }
        Picture::new(pixels)
    }

    /// What `elements` show of values, replaced by bullets.
    pub(crate) fn mask_elements(&self, elements: &mut [Element]) {
        if self.is_empty() {
            return;
        }
        let mask = |text: &mut String| *text = self.mask(std::mem::take(text));
        for element in elements {
            mask(&mut element.name);
            element.value.as_mut().map(mask).unwrap_or_default();
            element.uid.as_mut().map(mask).unwrap_or_default();
            element.id.as_mut().map(mask).unwrap_or_default();
            element.options.iter_mut().for_each(mask);
        }
    }

    /// Text of a screen as it is told: masked as a whole, then cut to `max` characters.
    pub(crate) fn brief(&self, text: &str, max: usize) -> String {
        if self.is_empty() {
            return clean(text, max);
        }
        brief(&self.mask(text.to_owned()), max)
    }

    /// `text` with every value of four characters or more replaced by bullets.
    pub(crate) fn mask(&self, text: String) -> String {
        let mut text = text;
        for value in self.0.values().filter(|value| value.chars().count() >= 4) {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), MASK);
            }
        }
        text
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_and_never_printed() {
        let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
        assert_eq!(secrets.mask("my hunter22!".to_owned()), "my ••••!");
        assert!(!format!("{secrets:?}").contains("hunter22"));
    }

    #[test]
    fn what_is_masked_stays_told_however_far_behind_it_is() {
        let secrets = Secrets::new([("pin".to_owned(), "hunter22  ä".to_owned())]);
        let far = format!("{}hunter22  ä", "x ".repeat(150));
        let told = secrets.brief(&far, 200);
        assert!(told.ends_with("… ••••") && told.chars().count() <= 206, "{told}");
        // Where the cut goes through it nothing of it is left.
        let half = format!("{}hunter22  ä", "x".repeat(194));
        assert!(!secrets.brief(&half, 200).contains("hun"));
        assert_eq!(secrets.brief("my hunter22  ä!", 200), "my ••••!");
        assert_eq!(brief(&told, told.chars().count() + 1), told);
        assert!(brief(&format!("{told} and more"), 60).ends_with("••••"));
    }

    #[test]
    fn an_element_that_shows_a_secret_is_painted_over() {
        let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
        let element = |x: f64, value: &str| -> Element {
            serde_json::from_value(serde_json::json!({
                "handle": "h", "role": "textbox", "value": secrets.mask(value.to_owned()),
                "bounds": {"x": x, "y": 2.0, "w": 3.0, "h": 3.0}, "hit": {"x": x, "y": 3.0},
            }))
            .unwrap()
        };
        let white = || Picture::new(image::RgbImage::from_pixel(20, 10, Rgb([255; 3])));
        let shown = secrets.cover(white(), &[element(1.0, "hunter22"), element(12.0, "Ada")]);
        assert_eq!(shown.pixels().get_pixel(2, 3), &Rgb([128; 3]));
        assert_eq!(shown.pixels().get_pixel(13, 3), &Rgb([255; 3]));
        let out = secrets.cover(white(), &[element(19.0, "hunter22")]);
        assert_eq!(out.pixels().get_pixel(19, 4), &Rgb([128; 3]));
    }
}
