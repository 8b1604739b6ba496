//! Elements found in the picture, for screens without a tree: video, games, canvases.

use image::RgbImage;

use waldo_devices::element::Element;
use waldo_devices::picture_elements::{Search, blobs, guess};

/// The width that the picture is searched at, in pixels.
const WIDTH: u32 = 360;
const MOST: usize = 80;

/// What looks as if it could be touched, in reading order. `scale` is physical pixels per logical one.
pub fn picture_elements(picture: &RgbImage, scale: f64, generation: u64) -> Vec<Element> {
    let step = (picture.width().min(picture.height()) / WIDTH).max(1);
    let search = Search { step, across: 2, down: 2, line: 10.0, scale, most: MOST };
    blobs(picture, search)
        .into_iter()
        .enumerate()
        .map(|(n, (bounds, role))| guess(format!("{generation}:p{n}"), role, bounds))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use imageproc::drawing::draw_filled_rect_mut;
    use waldo_devices::element::{Affordance, Source};
    use waldo_devices::geometry::Point;

    fn fill(image: &mut RgbImage, x: i32, y: i32, w: u32, h: u32, grey: u8) {
        draw_filled_rect_mut(image, imageproc::rect::Rect::at(x, y).of_size(w, h), Rgb([grey, grey, grey]));
    }

    #[test]
    fn buttons_and_text_are_found_in_reading_order() {
        let mut image = RgbImage::from_pixel(1080, 2400, Rgb([250, 250, 250]));
        fill(&mut image, 100, 300, 160, 160, 30);
        fill(&mut image, 700, 310, 160, 160, 90);
        for letter in 0..12 {
            fill(&mut image, 100 + letter * 30, 800, 18, 40, 20);
        }
        let found = picture_elements(&image, 2.625, 1);
        let seen: Vec<_> = found
            .iter()
            .map(|e| (e.role.as_str(), (e.bounds.x / 100.0).round(), (e.bounds.y / 100.0).round()))
            .collect();
        assert_eq!(seen, [("button", 1.0, 3.0), ("button", 7.0, 3.0), ("text", 1.0, 8.0)], "{found:?}");
        assert!(found.iter().all(|e| e.source == Source::Picture && e.can(Affordance::Click)));
        assert!(found[0].bounds.contains(Point::new(180.0, 380.0)));
        assert!(picture_elements(&RgbImage::new(1080, 2400), 2.6, 1).is_empty());
        assert!(picture_elements(&RgbImage::new(1, 1), 2.6, 1).is_empty());
        assert!(picture_elements(&RgbImage::new(0, 0), 0.0, 1).is_empty());
    }
}
