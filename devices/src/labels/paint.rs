//! Draws the numbers over the picture.
//!
//! Invariant: what is drawn is readable on any ground: every plate carries its own background and
//! outline, and every box is bright next to dark.

use image::Rgb;

use super::draw::{BLACK, Color, WHITE, brightness, fill, frame, line, luminance, number};
use super::layer::{Canvas, Layer};
use super::layout::{Metrics, layout_on, pixels};
use super::spatial::PixelBox;
use super::{LabelStyle, Plate, Tagged};
use crate::element::Element;
use crate::geometry::{Physical, Rect};
use crate::picture::Raster;

/// Colours of boxes, taken in turn: far apart in hue, neighbours unlike each other.
const PALETTE: [Color; 10] = [
    Rgb([214, 39, 40]),
    Rgb([0, 98, 204]),
    Rgb([20, 125, 50]),
    Rgb([255, 152, 0]),
    Rgb([142, 36, 170]),
    Rgb([0, 150, 167]),
    Rgb([233, 30, 140]),
    Rgb([121, 85, 72]),
    Rgb([255, 214, 10]),
    Rgb([48, 63, 159]),
];

/// AppAgent's dark ink: plates on bright ground, digits on dark ground.
const DARK: Color = Rgb([10, 10, 10]);
const LIGHT: Color = Rgb([255, 250, 250]);
/// Ground darker than this (0 to 255) gets the light plate.
const DARK_GROUND: u32 = 110;

pub fn paint<'a>(
    picture: impl Into<Raster<'a>>,
    elements: &[Element],
    tagged: &[Tagged],
    style: LabelStyle,
) -> Layer<'a> {
    let picture = picture.into();
    paint_plates(picture, &layout_on(picture, elements, tagged, style), style)
}

/// The picture with the numbers of a layout that was made for its size and this style.
pub fn paint_plates<'a>(picture: impl Into<Raster<'a>>, plates: &[Plate], style: LabelStyle) -> Layer<'a> {
    let picture = picture.into();
    let mut layer = Layer::over(picture);
    let out = &mut layer;
    let metrics = Metrics::of(style, picture.size());
    match style {
        LabelStyle::Boxes => {
            // All boxes first, so that none crosses a number.
            for plate in plates {
                outline(out, plate, &metrics);
            }
            for plate in plates {
                let px = whole(&plate.rect, out);
                solid_plate(out, plate.tag.0, &px, &metrics, color_of(plate));
            }
        }
        LabelStyle::Appagent => {
            for plate in plates {
                leader(out, plate);
            }
            for plate in plates {
                let px = whole(&plate.rect, out);
                let dark_ground = brightness(picture, &px) < DARK_GROUND;
                let (ground, ink) = if dark_ground { (LIGHT, DARK) } else { (DARK, LIGHT) };
                // A tight plate lies on the text of its element, which would shine through.
                let tight = px.h < metrics.plate(plate.tag.0).1;
                fill(out, &px, ground, if tight { 190 } else { 128 });
                digits(out, plate.tag.0, &px, &metrics, ink);
            }
        }
    }
    layer
}

pub(super) fn solid_plate(out: &mut impl Canvas, tag: u32, px: &PixelBox, metrics: &Metrics, color: Color) {
    let ink = if luminance(color) > 140 { BLACK } else { WHITE };
    fill(out, px, color, 255);
    frame(out, px, 1, ink, 255);
    digits(out, tag, px, metrics, ink);
}

pub(super) fn color_of(plate: &Plate) -> Color {
    PALETTE[plate.tag.0.saturating_sub(1) as usize % PALETTE.len()]
}

fn whole(rect: &Rect<Physical>, picture: &impl Canvas) -> PixelBox {
    let side = |v: u32| i32::try_from(v.max(1)).unwrap_or(i32::MAX);
    let (width, height) = picture.size();
    pixels(rect, side(width), side(height))
}

/// The box around an element, and a line to its number when that had to move away.
fn outline(picture: &mut impl Canvas, plate: &Plate, metrics: &Metrics) {
    let color = color_of(plate);
    let bounds = whole(&plate.anchor, picture);
    let against = if luminance(color) > 140 { BLACK } else { WHITE };
    frame(picture, &bounds.grown(1), 1, against, 110);
    frame(picture, &bounds, metrics.stroke, color, 255);
    let px = whole(&plate.rect, picture);
    if px.gap(&bounds) > 2 {
        let nearest = |v: i32, low: i32, high: i32| f64::from(v.clamp(low, high.max(low)));
        let from = (f64::from(px.x + px.w / 2), f64::from(px.y + px.h / 2));
        let to = (
            nearest(px.x + px.w / 2, bounds.x, bounds.right() - 1) + 0.5,
            nearest(px.y + px.h / 2, bounds.y, bounds.bottom() - 1) + 0.5,
        );
        line(picture, from, to, f64::from(metrics.stroke), color);
    }
}

/// Where a number without a box had to leave its element: a line to the middle of that.
fn leader(picture: &mut impl Canvas, plate: &Plate) {
    let (px, bounds) = (whole(&plate.rect, picture), whole(&plate.anchor, picture));
    let middle =
        |b: &PixelBox| (f64::from(b.x) + f64::from(b.w) / 2.0, f64::from(b.y) + f64::from(b.h) / 2.0);
    if px.overlap(&bounds) * 4 < px.area().min(bounds.area()) {
        let (from, to) = (middle(&px), middle(&bounds));
        for (width, color) in [(3.0, DARK), (1.2, LIGHT)] {
            line(picture, from, to, width, color);
            line(picture, to, to, width + 4.0, color);
        }
    }
}

fn digits(picture: &mut impl Canvas, tag: u32, px: &PixelBox, metrics: &Metrics, ink: Color) {
    let (w, h) = metrics.digits(tag);
    let at = (px.x + (px.w - w) / 2, px.y + (px.h - h) / 2);
    number(picture, tag, at, (metrics.cap, metrics.advance), ink);
}

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::super::testing::element;
    use super::super::{Tag, select};
    use super::*;

    fn grounds() -> Vec<RgbImage> {
        let noise = |x: u32, y: u32| {
            (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503).wrapping_mul(x + 7)) >> 13
        };
        vec![
            RgbImage::from_pixel(320, 240, WHITE),
            RgbImage::from_pixel(320, 240, BLACK),
            RgbImage::from_fn(320, 240, |x, y| {
                Rgb([noise(x, y) as u8, noise(y, x) as u8, noise(x + 9, y) as u8])
            }),
        ]
    }

    #[test]
    fn every_number_stands_out_on_every_ground() {
        let elements: Vec<_> = (0..12)
            .map(|i| element("button", "x", f64::from(i % 4) * 80.0, f64::from(i / 4) * 70.0, 50.0, 30.0))
            .collect();
        let tagged = select(&elements, 99);
        for ground in grounds() {
            for style in [LabelStyle::Boxes, LabelStyle::Appagent] {
                let out = paint(&ground, &elements, &tagged, style).flat();
                for plate in layout_on(&ground, &elements, &tagged, style) {
                    let px = whole(&plate.rect, &out);
                    let lights: Vec<u32> = (px.y..px.bottom())
                        .flat_map(|y| (px.x..px.right()).map(move |x| (x as u32, y as u32)))
                        .map(|(x, y)| luminance(*out.get_pixel(x, y)))
                        .collect();
                    let (low, high) = (lights.iter().min().unwrap(), lights.iter().max().unwrap());
                    assert!(high - low >= 90, "{style:?}, {plate:?}: {low} to {high}");
                }
            }
        }
    }

    #[test]
    fn without_tags_or_pixels_the_picture_stays_as_it_is() {
        let ground = &grounds()[2];
        assert_eq!(&paint(ground, &[], &[], LabelStyle::Boxes).flat(), ground);
        let odd = [element("button", "x", -50.0, -1e9, 1e9, 1e9), element("button", "y", 1e9, 9.0, 1.0, 1.0)];
        let tagged = [Tagged { tag: Tag(1), element: 0 }, Tagged { tag: Tag(u32::MAX), element: 1 }];
        for (w, h) in [(0, 0), (1, 1), (30, 5), (200, 100)] {
            for style in [LabelStyle::Boxes, LabelStyle::Appagent] {
                assert_eq!(paint(&RgbImage::new(w, h), &odd, &tagged, style).flat().dimensions(), (w, h));
            }
        }
    }
}
