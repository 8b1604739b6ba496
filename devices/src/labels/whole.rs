//! A picture with its tags, all steps in one: what every observation of an agent goes through.

use super::{LabelStyle, Layer, Tagged, layout_on, paint_plates, text_list};
use crate::element::Element;
use crate::picture::Raster;

/// A picture with its tags drawn, and the list that pairs with it.
#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    /// The tagged elements.
    pub tagged: Vec<Tagged>,
    /// The text list, a line for each.
    pub list: String,
    /// The picture with the tags over it.
    pub picture: Layer<'a>,
}

/// Tags the elements that `select` chooses, writes them down and draws their numbers over the picture.
pub fn label<'a>(
    picture: impl Into<Raster<'a>>,
    elements: &[Element],
    select: impl FnOnce(&[Element]) -> Vec<Tagged>,
    style: LabelStyle,
) -> Labelled<'a> {
    let picture = picture.into();
    let tagged = select(elements);
    let list = text_list(elements, &tagged);
    let plates = layout_on(picture, elements, &tagged, style);
    Labelled { tagged, list, picture: paint_plates(picture, &plates, style) }
}
