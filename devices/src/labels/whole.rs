//! A picture with its tags, both steps in one: what every observation of an agent goes through.

use super::{LabelStyle, Layer, Tagged, layout_on, paint_plates};
use crate::element::Element;
use crate::picture::Raster;

#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    pub tagged: Vec<Tagged>,
    pub picture: Layer<'a>,
}

/// Tags the elements that `select` chooses and draws their numbers over the picture.
pub fn label<'a>(
    picture: impl Into<Raster<'a>>,
    elements: &[Element],
    select: impl FnOnce(&[Element]) -> Vec<Tagged>,
    style: LabelStyle,
) -> Labelled<'a> {
    let picture = picture.into();
    let tagged = select(elements);
    let plates = layout_on(picture, elements, &tagged, style);
    Labelled { tagged, picture: paint_plates(picture, &plates, style) }
}
