//! A part of a picture, made ready to be read: its ink alone, dark on light, large enough, with room around it.

use image::{GrayImage, Luma, RgbImage, imageops};

use waldo_devices::geometry::{Physical, Rect};

/// Pixels around what was found: its outermost edge may be half a letter's.
const MARGIN: f64 = 2.0;
/// The largest height that is read, in logical pixels: what is higher is an area, and what it shows are elements too.
const HIGHEST: f64 = 96.0;
/// The height up to which a part is one line, in logical pixels of ink.
const LINE: f64 = 26.0;
/// The least ink, in pixels each way: less is a rule or a dot.
const LEAST: (u32, u32) = (3, 5);
/// How far a grey is from the background's where it is ink.
const INK: u8 = 40;
/// The share of a line's pixels that are ink where it is a frame.
const FRAME: f64 = 0.7;
/// How thick a frame may be, its margin included, in pixels.
const FRAME_WITHIN: u32 = 6;
/// The height that a line of letters is made, in pixels.
const HEIGHT: u32 = 34;
/// The most that it is made larger.
const LARGER: u32 = 4;
/// Pixels of background around the letters.
const ROOM: u32 = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedPart {
    /// Its ink and what lies between, as it was on the screen, dark on light.
    ink: GrayImage,
    background: u8,
    pub(crate) one_line: bool,
}

impl PreparedPart {
    /// What is drawn within `bounds`; `scale` is physical pixels per logical one. `None` where nothing is, or too much to
    /// be a name.
    pub fn of(picture: &RgbImage, bounds: &Rect<Physical>, scale: f64) -> Option<Self> {
        let scale = if scale > 0.0 { scale } else { 1.0 };
        if bounds.h / scale > HIGHEST {
            return None;
        }
        let screen: Rect<Physical> =
            Rect::new(0.0, 0.0, f64::from(picture.width()), f64::from(picture.height()));
        let wide =
            Rect::new(bounds.x - MARGIN, bounds.y - MARGIN, bounds.w + 2.0 * MARGIN, bounds.h + 2.0 * MARGIN);
        let seen = wide.intersect(&screen)?;
        let [x, y, w, h] = [seen.x.floor(), seen.y.floor(), seen.w.ceil(), seen.h.ceil()].map(|v| v as u32);
        let crop = imageops::crop_imm(picture, x, y, w, h).to_image();
        let mut grey = imageops::grayscale(&crop);
        let mut background = commonest(&grey);
        if background < 128 {
            grey.pixels_mut().for_each(|pixel| pixel.0[0] = 255 - pixel.0[0]);
            background = 255 - background;
        }
        let ink = Inked { grey: &grey, background };
        let (left, top, right, bottom) = ink.bounds(ink.within_frame())?;
        let (w, h) = (right - left, bottom - top);
        if w < LEAST.0 || h < LEAST.1 {
            return None;
        }
        let one_line = f64::from(h) / scale <= LINE;
        let ink = imageops::crop_imm(&grey, left, top, w, h).to_image();
        Some(Self { ink, background, one_line })
    }

    pub(crate) fn content(&self) -> (&[u8], u32, bool) {
        (self.ink.as_raw(), self.ink.width(), self.one_line)
    }

    pub fn page(&self) -> GrayImage {
        let (w, h) = self.ink.dimensions();
        let larger = if self.one_line { (HEIGHT / h).clamp(1, LARGER) } else { 2 };
        let (w, h) = (w * larger, h * larger);
        let letters = imageops::resize(&self.ink, w, h, imageops::FilterType::CatmullRom);
        let mut page = GrayImage::from_pixel(w + 2 * ROOM, h + 2 * ROOM, Luma([self.background]));
        imageops::replace(&mut page, &letters, i64::from(ROOM), i64::from(ROOM));
        page
    }
}

/// The middle of the commonest sixteenth of all greys.
fn commonest(grey: &GrayImage) -> u8 {
    let mut counts = [0_u32; 256];
    for value in grey.as_raw() {
        counts[usize::from(*value)] += 1;
    }
    // Two kinds of sixteenths, so that none cuts a background in two.
    let around = |middle: usize| counts[middle.saturating_sub(8)..(middle + 8).min(256)].iter().sum::<u32>();
    let middle = (0..=256).step_by(8).max_by_key(|middle| around(*middle)).unwrap_or(255);
    u8::try_from(middle).unwrap_or(255)
}

/// Left, top, right and bottom; the last two are beyond it.
type Sides = (u32, u32, u32, u32);

struct Inked<'a> {
    grey: &'a GrayImage,
    background: u8,
}

impl Inked<'_> {
    fn is_ink(&self, x: u32, y: u32) -> bool {
        self.grey.get_pixel(x, y).0[0].abs_diff(self.background) >= INK
    }

    fn row(&self, y: u32) -> f64 {
        let w = self.grey.width();
        (0..w).filter(|x| self.is_ink(*x, y)).count() as f64 / f64::from(w.max(1))
    }

    fn column(&self, x: u32) -> f64 {
        let h = self.grey.height();
        (0..h).filter(|y| self.is_ink(x, *y)).count() as f64 / f64::from(h.max(1))
    }

    /// What lies inside of a frame (lines above, below and at both sides), where there is one. A line below underlines.
    fn within_frame(&self) -> Sides {
        let (w, h) = self.grey.dimensions();
        // The innermost line that is a frame, counted from a side; what follows it is inside.
        let inside = |lines: u32, is: &dyn Fn(u32) -> bool| {
            (0..FRAME_WITHIN.min(lines / 3)).rev().find(|n| is(*n)).map(|n| n + 1)
        };
        let top = inside(h, &|n| self.row(n) >= FRAME);
        let bottom = inside(h, &|n| self.row(h - 1 - n) >= FRAME);
        let left = inside(w, &|n| self.column(n) >= FRAME);
        let right = inside(w, &|n| self.column(w - 1 - n) >= FRAME);
        match (left, top, right, bottom) {
            // Corners are often rounded.
            (Some(left), Some(top), Some(right), Some(bottom)) => {
                (left + 1, top + 1, w - right - 1, h - bottom - 1)
            }
            (None, _, None, Some(bottom)) => (0, 0, w, h - bottom),
            _ => (0, 0, w, h),
        }
    }

    fn bounds(&self, sides: Sides) -> Option<Sides> {
        let (mut left, mut top, mut right, mut bottom) = (u32::MAX, u32::MAX, 0, 0);
        for y in sides.1..sides.3 {
            for x in sides.0..sides.2 {
                if self.is_ink(x, y) {
                    (left, top) = (left.min(x), top.min(y));
                    (right, bottom) = (right.max(x + 1), bottom.max(y + 1));
                }
            }
        }
        (left < right).then_some((left, top, right, bottom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    fn fill(picture: &mut RgbImage, x: u32, y: u32, w: u32, h: u32, grey: u8) {
        for (x, y) in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            picture.put_pixel(x, y, Rgb([grey; 3]));
        }
    }

    /// Two letters of 8 by 12 pixels at (40, 30).
    fn letters(background: u8, ink: u8) -> RgbImage {
        let mut picture = RgbImage::from_pixel(120, 80, Rgb([background; 3]));
        fill(&mut picture, 40, 30, 3, 12, ink);
        fill(&mut picture, 40, 39, 8, 3, ink);
        fill(&mut picture, 52, 30, 3, 12, ink);
        picture
    }

    fn part(picture: &RgbImage, x: f64, y: f64, w: f64, h: f64) -> Option<PreparedPart> {
        PreparedPart::of(picture, &Rect::new(x, y, w, h), 1.0)
    }

    #[test]
    fn the_ink_alone_is_read_without_its_frame() {
        let dark = part(&letters(250, 10), 39.0, 29.0, 17.0, 14.0).unwrap();
        assert_eq!(dark.ink.dimensions(), (15, 12));
        let light = part(&letters(5, 245), 30.0, 20.0, 40.0, 30.0).unwrap();
        assert_eq!((light.ink.dimensions(), light.one_line), ((15, 12), true));
        assert!(light.ink.get_pixel(0, 0).0[0] < 20 && light.background > 230);
        let page = dark.page();
        assert_eq!(page.dimensions(), (15 * 2 + 2 * ROOM, 12 * 2 + 2 * ROOM));
        assert_eq!(page.get_pixel(0, 0).0[0], dark.background);
        let mut picture = letters(250, 10);
        fill(&mut picture, 30, 20, 40, 1, 100);
        fill(&mut picture, 30, 52, 40, 1, 100);
        fill(&mut picture, 30, 20, 1, 33, 100);
        fill(&mut picture, 69, 20, 1, 33, 100);
        assert_eq!(part(&picture, 30.0, 20.0, 40.0, 33.0).unwrap().ink.dimensions(), (15, 12));
        // The first letter is a line at the left side, from top to bottom.
        let tight = part(&letters(250, 10), 40.0, 30.0, 15.0, 12.0).unwrap();
        assert_eq!(tight.ink.dimensions(), (15, 12));
        let picture = letters(250, 10);
        assert_eq!(part(&picture, 80.0, 60.0, 20.0, 12.0), None);
        assert_eq!(part(&RgbImage::new(300, 300), 0.0, 0.0, 290.0, 120.0), None);
        assert_eq!(part(&picture, 500.0, 10.0, 20.0, 12.0), None);
        assert_eq!(part(&RgbImage::new(0, 0), 0.0, 0.0, 20.0, 12.0), None);
        assert_eq!(part(&picture, f64::NAN, 10.0, 20.0, 12.0), None);
    }

    proptest::proptest! {
        #[test]
        fn any_part_of_any_picture_is_prepared_without_a_panic(
            pixels in proptest::collection::vec(proptest::num::u8::ANY, 40 * 30 * 3),
            x in -50.0..90.0f64, y in -50.0..90.0f64, w in 0.0..120.0f64, h in 0.0..120.0f64,
        ) {
            let picture = RgbImage::from_raw(40, 30, pixels).unwrap();
            if let Some(part) = part(&picture, x, y, w, h) {
                proptest::prop_assert!(part.page().width() > 2 * ROOM);
            }
        }
    }
}
