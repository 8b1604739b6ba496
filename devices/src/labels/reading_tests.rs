//! Reads every number back from a picture that was shrunk as model services shrink it.

use image::imageops::{self, FilterType};
use image::{GrayImage, Rgb, RgbImage};
use imageproc::template_matching::{MatchTemplateMethod, find_extremes, match_template};

use super::layout::{Metrics, SHRUNK_SIDE};
use super::paint::{color_of, solid_plate};
use super::spatial::PixelBox;
use super::testing::element;
use super::{LabelStyle, Plate, Tag, Tagged, layout_on, paint_plates};
use crate::element::Element;

/// Free pixels around a plate within which its number is looked for.
const MARGIN: u32 = 2;

fn shrunk(picture: &RgbImage, by: f64) -> GrayImage {
    let side = |v: u32| (f64::from(v) * by).round().max(1.0) as u32;
    let small =
        imageops::resize(picture, side(picture.width()), side(picture.height()), FilterType::Triangle);
    imageops::grayscale(&small)
}

/// The number, of as many digits as the plate's, that looks most like what stands at the plate.
fn read(small: &GrayImage, by: f64, plate: &Plate, metrics: &Metrics, highest: u32) -> u32 {
    let scaled = |v: f64| (v * by).floor() as u32;
    let (left, top) =
        (scaled(plate.rect.x).saturating_sub(MARGIN), scaled(plate.rect.y).saturating_sub(MARGIN));
    let right = (scaled(plate.rect.right()) + MARGIN + 1).min(small.width());
    let bottom = (scaled(plate.rect.bottom()) + MARGIN + 1).min(small.height());
    let place = imageops::crop_imm(small, left, top, right - left, bottom - top).to_image();
    let (w, h) = (plate.rect.w as u32, plate.rect.h as u32);
    let error = |number: u32| {
        // In the plate's own colour, so that the digits alone tell the candidates apart.
        let mut alone = RgbImage::from_pixel(w, h, Rgb([128; 3]));
        solid_plate(&mut alone, number, &PixelBox::new(0, 0, w as i32, h as i32), metrics, color_of(plate));
        let template = shrunk(&alone, by);
        let errors = match_template(&place, &template, MatchTemplateMethod::SumOfSquaredErrors);
        find_extremes(&errors).min_value
    };
    (1..=highest)
        .filter(|number| number.ilog10() == plate.tag.0.ilog10())
        .min_by(|a, b| error(*a).total_cmp(&error(*b)))
        .unwrap_or(0)
}

/// Rows of icons side by side, `side` pixels each, and rows of a list below them.
fn toolbar_and_list((w, h): (u32, u32), side: f64, gap: f64) -> Vec<Element> {
    let columns = ((f64::from(w) - gap) / (side + gap)) as u32;
    let icons = (0..3 * columns).map(|i| {
        let (row, column) = (f64::from(i / columns), f64::from(i % columns));
        element("button", "x", gap + column * (side + gap), gap + row * (side + gap), side, side)
    });
    let rows = (0..12).map(|i| {
        let y = 4.0 * (side + gap) + f64::from(i) * 2.0 * side;
        element("row", "x", 0.0, y, f64::from(w), 2.0 * side - 2.0)
    });
    icons.chain(rows).filter(|e| e.bounds.bottom() < f64::from(h)).collect()
}

#[test]
fn every_number_is_read_back_from_a_thousand_pixels() {
    for (size, side) in
        [((1080, 2400), 66.0), ((1920, 1080), 24.0), ((1280, 800), 22.0), ((3840, 2160), 40.0)]
    {
        let ground = RgbImage::from_fn(size.0, size.1, |x, y| {
            if (x / 7 + y / 5) % 11 == 0 { Rgb([40, 60, 90]) } else { Rgb([244, 244, 240]) }
        });
        let elements = toolbar_and_list(size, side, side / 4.0);
        let tagged: Vec<_> =
            (0..elements.len()).map(|i| Tagged { tag: Tag(i as u32 + 1), element: i }).collect();
        let style = LabelStyle::Boxes;
        let (plates, metrics) = (layout_on(&ground, &elements, &tagged, style), Metrics::of(style, size));
        let by = (SHRUNK_SIDE / f64::from(size.0.max(size.1))).min(1.0);
        // What a matcher still tells apart, a model with weak eyes may not: height counts for itself.
        let height = f64::from(metrics.cap) * by;
        assert!(height >= 8.5, "{size:?}: digits are {height:.1} pixels high");
        let small = shrunk(&paint_plates(&ground, &plates, style).flat(), by);
        let highest = plates.len() as u32;
        // Every third, from another start on each screen: reading all takes three times as long and shows no more.
        let wrong: Vec<_> = plates
            .iter()
            .skip(side as usize % 3)
            .step_by(3)
            .map(|plate| (plate.tag.0, read(&small, by, plate, &metrics, highest)))
            .filter(|(drawn, seen)| drawn != seen)
            .collect();
        assert!(wrong.is_empty(), "{size:?}, {highest} numbers: drawn and read {wrong:?}");
    }
}
