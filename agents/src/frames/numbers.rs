//! Numbers drawn on a picture, in the look of the tags that all agents use.

use image::RgbImage;
use waldo_devices::labels::{self, LabelStyle, Tag, Tagged};
use waldo_devices::{Element, Physical, Point};

use super::vision::{PixelPoint, PxRect};

/// The side of the mark on a point, in pixels.
const MARK: u32 = 7;

pub(crate) fn boxes(picture: &RgbImage, numbered: &[(u32, PxRect)]) -> RgbImage {
    let elements: Vec<Element> = numbered.iter().map(|(n, rect)| stand_in(*n, rect)).collect();
    let tagged: Vec<Tagged> =
        numbered.iter().enumerate().map(|(element, (n, _))| Tagged { tag: Tag(*n), element }).collect();
    labels::paint(picture, &elements, &tagged, LabelStyle::Boxes).flat()
}

pub(crate) fn points(picture: &RgbImage, numbered: &[(u32, PixelPoint)]) -> RgbImage {
    let half = MARK / 2;
    let around =
        |at: &PixelPoint| PxRect::new(at.x.saturating_sub(half), at.y.saturating_sub(half), MARK, MARK);
    let marks: Vec<(u32, PxRect)> = numbered.iter().map(|(n, at)| (*n, around(at))).collect();
    boxes(picture, &marks)
}

fn stand_in(number: u32, rect: &PxRect) -> Element {
    let bounds = rect.to_physical(Point::<Physical>::new(0.0, 0.0));
    Element::at(number.to_string(), "image", bounds)
}
