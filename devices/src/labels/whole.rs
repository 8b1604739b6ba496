//! A picture with its tags, all steps in one: what every observation of an agent goes through.

use image::RgbImage;

use super::{LabelStyle, Tagged, layout_on, paint_over, text_list};
use crate::element::Element;

/// A picture with its tags drawn, and the list that pairs with it.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The tagged elements.
    pub tagged: Vec<Tagged>,
    /// The text list, a line for each.
    pub list: String,
    /// The picture with the tags on it, as large as the one they were drawn on.
    pub picture: RgbImage,
}

/// Tags the elements that `select` chooses, writes them down and draws their numbers on a copy of the picture.
pub fn label(
    picture: &RgbImage,
    elements: &[Element],
    select: impl FnOnce(&[Element]) -> Vec<Tagged>,
    style: LabelStyle,
) -> Labelled {
    // A copy of megabytes takes as long as finding the places for the numbers: both at once.
    let (tagged, list, plates, mut copy) = std::thread::scope(|scope| {
        let copy = std::thread::Builder::new().spawn_scoped(scope, || RgbImage::clone(picture));
        let tagged = select(elements);
        let list = text_list(elements, &tagged);
        let plates = layout_on(picture, elements, &tagged, style);
        let copy = copy.ok().and_then(|copy| copy.join().ok());
        (tagged, list, plates, copy.unwrap_or_else(|| RgbImage::clone(picture)))
    });
    paint_over(&mut copy, picture, &plates, style);
    Labelled { tagged, list, picture: copy }
}
