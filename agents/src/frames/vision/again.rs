use image::RgbImage;

use super::colour::{Rgb8, at, far, median, ring};
use super::{PixelPoint, PxRect};

/// Pixels of a thing that are compared at most, and those by which most places are told off at once.
const SAMPLES: usize = 400;
const FIRST: usize = 16;
/// Differences from the ground (0 to 255) from which on a pixel belongs to the thing.
const OUT: u8 = 24;
/// The mean difference (0 to 255) up to which a thing is where it was.
const STILL: f64 = 6.0;
/// The same up to which it is found elsewhere, and for a thing that was just acted on: what the pointer is over
/// takes another shade, which is a difference of 55 with the handles that Chromium draws.
const FOUND: f64 = 10.0;
const SHADED: f64 = 64.0;

#[derive(Clone, Debug)]
pub(crate) struct Look {
    size: (u32, u32),
    /// Places in the thing and their colours, spread over all of it.
    samples: Vec<(u32, u32, Rgb8)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    pub(crate) within: PxRect,
    pub(crate) shaded: bool,
}

impl Look {
    /// Of what is in `rect`; none where nothing of it is on the picture.
    pub(crate) fn of(picture: &RgbImage, rect: &PxRect) -> Option<Self> {
        let rect = rect.intersect(&PxRect::whole(picture));
        if rect.is_empty() {
            return None;
        }
        let around = median(&ring(picture, &rect, 1));
        let all = || (0..rect.h).flat_map(move |y| (0..rect.w).map(move |x| (x, y)));
        let colour = |(x, y): (u32, u32)| at(picture, rect.x + x, rect.y + y);
        let mut own: Vec<(u32, u32)> = all().filter(|place| far(colour(*place), around) > OUT).collect();
        // A thing that fills its box has its own colour along the edge.
        if own.len() as u64 * 6 < rect.area() {
            own = all().collect();
        }
        let count = own.len().min(SAMPLES);
        // A step that is prime to most numbers: the first few lie all over the thing.
        let samples = (0..count).map(|n| own[(n * own.len() / count + n * 7919) % own.len()]);
        let samples = samples.map(|(x, y)| (x, y, colour((x, y)))).collect();
        Some(Self { size: (rect.w, rect.h), samples })
    }

    /// The mean difference of what is at `place`, 0 to 255; none from where it is known to exceed `most`.
    fn off(&self, picture: &RgbImage, place: PixelPoint, most: f64) -> Option<f64> {
        let mut sum = 0u32;
        for (n, (x, y, colour)) in self.samples.iter().enumerate() {
            sum += u32::from(far(at(picture, place.x + x, place.y + y), *colour));
            let limit =
                if n + 1 == FIRST { 3.0 * most * FIRST as f64 } else { most * self.samples.len() as f64 };
            if (n + 1 >= FIRST) && f64::from(sum) > limit {
                return None;
            }
        }
        Some(f64::from(sum) / self.samples.len().max(1) as f64)
    }

    pub(crate) fn is_at(&self, picture: &RgbImage, rect: &PxRect) -> bool {
        self.off(picture, PixelPoint::new(rect.x, rect.y), STILL).is_some()
    }

    /// Where it is now that nothing like it is at `old` any more: the place that fits best, and of such the
    /// nearest one. Never one that overlaps a thing in `taken`.
    pub(crate) fn find(
        &self,
        picture: &RgbImage,
        old: &PxRect,
        search: Search,
        taken: &[PxRect],
    ) -> Option<PxRect> {
        let here = PixelPoint::new(old.x, old.y);
        let now = self.off(picture, here, 255.0).unwrap_or(255.0);
        let limit = if search.shaded { SHADED } else { FOUND };
        // Much better than where it was, else the thing has only changed its look.
        let mut most = limit.min((now - 4.0) / 2.0);
        if most <= 0.0 {
            return None;
        }
        let part = search.within.intersect(&PxRect::whole(picture));
        let (w, h) = self.size;
        let mut best: Option<(f64, f64, PxRect)> = None;
        for y in part.y..(part.bottom() + 1).saturating_sub(h) {
            for x in part.x..(part.right() + 1).saturating_sub(w) {
                let place = PixelPoint::new(x, y);
                let Some(off) = self.off(picture, place, most) else { continue };
                let (rect, far) = (PxRect::new(x, y, w, h), place.distance(here));
                let better = best.as_ref().is_none_or(|(least, near, _)| (off, far) < (*least, *near));
                if better && taken.iter().all(|other| other.iou(&rect) < 0.3) {
                    most = off;
                    best = Some((off, far, rect));
                }
            }
        }
        best.map(|(.., rect)| rect)
    }
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    fn page(things: &[(u32, u32, [u8; 3])]) -> RgbImage {
        let mut picture = RgbImage::from_pixel(400, 120, Rgb([240, 240, 245]));
        for (left, top, colour) in things {
            for y in 0..20 {
                for x in 0..20u32 {
                    if (x as i32 - 10).pow(2) + (y as i32 - 10).pow(2) < 90 {
                        picture.put_pixel(left + x, top + y, Rgb(*colour));
                    }
                }
            }
        }
        picture
    }

    const BLUE: [u8; 3] = [0, 117, 255];
    const SHADE: [u8; 3] = [0, 92, 200];

    #[test]
    fn a_thing_that_was_moved_is_found_and_another_shade_is_no_other_place() {
        let before = page(&[(40, 20, BLUE), (40, 70, BLUE)]);
        let (one, two) = (PxRect::new(40, 20, 20, 20), PxRect::new(40, 70, 20, 20));
        let look = Look::of(&before, &two).unwrap();
        let now = page(&[(40, 20, BLUE), (77, 70, BLUE)]);
        assert!(Look::of(&before, &one).unwrap().is_at(&now, &one) && !look.is_at(&now, &two));
        let search = Search { within: PxRect::whole(&now), shaded: false };
        assert_eq!(look.find(&now, &two, search, &[one]), Some(PxRect::new(77, 70, 20, 20)));
        assert_eq!(look.find(&page(&[(40, 20, BLUE)]), &two, search, &[one]), None);
        let before = page(&[(40, 20, BLUE)]);
        let rect = PxRect::new(40, 20, 20, 20);
        let look = Look::of(&before, &rect).unwrap();
        let search = |shaded| Search { within: PxRect::new(0, 0, 400, 60), shaded };
        assert_eq!(look.find(&page(&[(40, 20, SHADE)]), &rect, search(true), &[]), None);
        let moved = page(&[(91, 20, SHADE)]);
        assert_eq!(look.find(&moved, &rect, search(true), &[]), Some(PxRect::new(91, 20, 20, 20)));
        assert_eq!(look.find(&moved, &rect, search(false), &[]), None);
    }
}
