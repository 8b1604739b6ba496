//! Whether an action changed anything that can be seen.

use waldo_devices::{Affordance, Element, Observation};

/// Channels that differ by more than this (of 255) differ to the eye.
const CHANNEL: u8 = 24;
/// The share of pixels that may differ between two pictures of an unchanged screen: a caret, a clock.
const NOISE: f64 = 0.0002;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Address, title, dialog, tabs or downloads differ.
    pub place: bool,
    pub elements: bool,
    /// The share of pixels that differ, 0 to 1; `None` where a picture is missing.
    pub pixels: Option<f64>,
}

impl Difference {
    pub fn of(before: &Observation, after: &Observation) -> Self {
        let (a, b) = (&before.context, &after.context);
        let place = a.location != b.location
            || a.title != b.title
            || a.tabs != b.tabs
            || a.dialog != b.dialog
            || a.downloads != b.downloads
            || a.page_scroll != b.page_scroll
            || a.keyboard_shown != b.keyboard_shown;
        let elements = before.elements.len() != after.elements.len()
            || before.elements.iter().zip(&after.elements).any(|(a, b)| !same(a, b));
        Self { place, elements, pixels: pixels(before, after) }
    }

    /// Whether nothing differs for sure. A change of the picture inside the element itself (a switch that
    /// is a mere drawing, but also a button that is lit because the pointer rests on it) counts as a
    /// difference: then a model has to look.
    pub fn is_nothing(&self) -> bool {
        !self.place && !self.elements && self.pixels.is_some_and(|share| share <= NOISE)
    }
}

/// Whether an element is as it was. A press leaves the focus on a button; that is not an effect.
fn same(a: &Element, b: &Element) -> bool {
    let near = |x: f64, y: f64| (x - y).abs() < 1.0;
    let mut states = a.states.clone();
    if !a.can(Affordance::Edit) {
        states.focused = b.states.focused;
    }
    a.role == b.role
        && a.name == b.name
        && a.value == b.value
        && states == b.states
        && a.uid == b.uid
        && a.options == b.options
        && near(a.bounds.x, b.bounds.x)
        && near(a.bounds.y, b.bounds.y)
        && near(a.bounds.w, b.bounds.w)
        && near(a.bounds.h, b.bounds.h)
}

fn pixels(before: &Observation, after: &Observation) -> Option<f64> {
    let (a, b) = (before.picture.raster(), after.picture.raster());
    if before.picture.is_empty() || after.picture.is_empty() {
        return None;
    }
    if a.size() != b.size() {
        return Some(1.0);
    }
    let ((wide, high), (step, other)) = (a.size(), (a.pixel_bytes(), b.pixel_bytes()));
    let differ = |(p, q): &(&[u8], &[u8])| p[..3].iter().zip(*q).any(|(x, y)| x.abs_diff(*y) > CHANNEL);
    let lines = a.lines().zip(b.lines()).filter(|(a, b)| a != b);
    let differ: usize =
        lines.map(|(a, b)| a.chunks_exact(step).zip(b.chunks_exact(other)).filter(differ).count()).sum();
    #[expect(clippy::cast_precision_loss, reason = "pictures have far fewer than 2^52 pixels")]
    Some(differ as f64 / f64::from(wide) / f64::from(high))
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};
    use waldo_devices::Picture;

    use super::*;
    use crate::appagent::testing::{elements, observation};

    fn shot(dots: u32) -> Picture {
        let mut picture = RgbImage::new(200, 100);
        for x in 0..dots {
            picture.put_pixel(x, 5, Rgb([255, 0, 0]));
        }
        Picture::new(picture)
    }

    #[test]
    fn only_what_is_surely_the_same_is_nothing() {
        let before = observation(elements(), shot(0));
        let nothing = |after: &Observation| Difference::of(&before, after).is_nothing();
        assert!(nothing(&before));
        assert!(nothing(&observation(elements(), shot(4))), "a caret");
        assert!(!nothing(&observation(elements(), shot(50))), "an icon");
        assert!(!nothing(&observation(elements(), Picture::empty())), "no picture, no proof");
        let mut after = before.clone();
        after.elements[0].states.focused = true;
        assert!(nothing(&after), "a pressed button keeps the focus");
        after.elements[1].states.focused = true;
        assert!(!nothing(&after), "a field that takes the focus");
        let mut after = before.clone();
        after.context.title.push('!');
        assert!(!nothing(&after));
        let mut after = before.clone();
        after.elements[1].value = Some("x".into());
        assert!(!nothing(&after));
        after.elements.pop();
        assert!(!nothing(&after));
    }
}
