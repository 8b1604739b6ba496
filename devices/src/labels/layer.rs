//! Drawings over a picture that is itself left as it is.
//!
//! Invariants: only what was drawn on is copied, all else is the picture below; the patches of a line lie
//! beside each other, none over another.

use std::ops::Range;

use image::RgbImage;

use crate::picture::Raster;

/// What can be drawn on, a part of a line at a time.
pub(super) trait Canvas {
    fn size(&self) -> (u32, u32);

    /// The bytes of a part of a line, three a pixel; empty where it is not in the picture.
    fn span_mut(&mut self, y: u32, xs: Range<u32>) -> &mut [u8];
}

impl Canvas for RgbImage {
    fn size(&self) -> (u32, u32) {
        self.dimensions()
    }

    fn span_mut(&mut self, y: u32, xs: Range<u32>) -> &mut [u8] {
        let (width, height) = self.dimensions();
        if y >= height || xs.end > width || xs.is_empty() {
            return &mut [];
        }
        let line = y as usize * width as usize;
        let at = |x: u32| (line + x as usize) * 3;
        self.as_flat_samples_mut().samples.get_mut(at(xs.start)..at(xs.end)).unwrap_or_default()
    }
}

#[derive(Clone, Debug)]
struct Patch {
    xs: Range<u32>,
    /// Where its bytes start among those of all patches.
    at: usize,
    next: Option<usize>,
}

impl Patch {
    fn bytes(&self) -> Range<usize> {
        self.at..self.at + self.xs.len() * 3
    }
}

/// A part of a line that was drawn on, for who reads the lines.
pub(super) struct DrawnSpan<'a> {
    /// Its first byte in a line of three bytes a pixel.
    pub at: usize,
    pub below: &'a [u8],
    pub shown: &'a [u8],
}

/// A picture with something drawn over it. A copy of a phone's screen is 8 MB, and costs as much as all else.
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    picture: Raster<'a>,
    /// For each line of the picture the first patch on it.
    first: Vec<Option<usize>>,
    patches: Vec<Patch>,
    /// What all patches show, and what the picture has there. Some were replaced by larger ones.
    shown: Vec<u8>,
    below: Vec<u8>,
}

impl<'a> Layer<'a> {
    pub fn over(picture: impl Into<Raster<'a>>) -> Self {
        let picture = picture.into();
        let (width, height) = picture.size();
        let lines = if width == 0 { 0 } else { height as usize };
        Self { picture, first: vec![None; lines], patches: Vec::new(), shown: Vec::new(), below: Vec::new() }
    }

    pub(super) fn picture(&self) -> Raster<'a> {
        self.picture
    }

    fn patches_on(&self, y: usize) -> impl Iterator<Item = &Patch> {
        let at = |place: Option<usize>| place.and_then(|place| self.patches.get(place));
        std::iter::successors(at(self.first.get(y).copied().flatten()), move |patch| at(patch.next))
    }

    pub(super) fn drawn_on(&self, y: usize) -> impl Iterator<Item = DrawnSpan<'_>> {
        self.patches_on(y).map(|patch| {
            let (below, shown) = (&self.below[patch.bytes()], &self.shown[patch.bytes()]);
            DrawnSpan { at: patch.xs.start as usize * 3, below, shown }
        })
    }

    pub fn flat(&self) -> RgbImage {
        let mut flat = self.picture.to_rgb();
        for y in 0..self.picture.size().1 {
            for patch in self.patches_on(y as usize) {
                flat.span_mut(y, patch.xs.clone()).copy_from_slice(&self.shown[patch.bytes()]);
            }
        }
        flat
    }

    /// Where in `shown` the bytes of a part of a line are, in a patch of its own or in one that holds it.
    fn patch(&mut self, y: u32, xs: &Range<u32>) -> usize {
        let within = |p: &Patch| p.at + (xs.start - p.xs.start) as usize * 3;
        if let Some(whole) =
            self.patches_on(y as usize).find(|p| p.xs.start <= xs.start && xs.end <= p.xs.end)
        {
            return within(whole);
        }
        let touches = |p: &Patch| p.xs.start < xs.end && xs.start < p.xs.end;
        let (mut start, mut end) = (xs.start, xs.end);
        for p in self.patches_on(y as usize).filter(|p| touches(p)) {
            (start, end) = (start.min(p.xs.start), end.max(p.xs.end));
        }
        let mut patch = Patch { xs: start..end, at: self.shown.len(), next: None };
        self.below.resize(patch.bytes().end, 0);
        self.picture.pack(self.picture.span(y, start..end), &mut self.below[patch.at..]);
        self.shown.extend_from_slice(&self.below[patch.at..]);
        // What the new one covers is in it from now on; all others follow it.
        let mut place = self.first[y as usize];
        while let Some(p) = place.and_then(|place| self.patches.get_mut(place)) {
            let next = p.next;
            if touches(p) {
                let to = patch.at + (p.xs.start - start) as usize * 3;
                self.shown.copy_within(p.bytes(), to);
            } else {
                p.next = patch.next;
                patch.next = place;
            }
            place = next;
        }
        let at = within(&patch);
        self.first[y as usize] = Some(self.patches.len());
        self.patches.push(patch);
        at
    }
}

impl Canvas for Layer<'_> {
    fn size(&self) -> (u32, u32) {
        self.picture.size()
    }

    fn span_mut(&mut self, y: u32, xs: Range<u32>) -> &mut [u8] {
        let (width, height) = self.picture.size();
        if y >= height || xs.end > width || xs.is_empty() {
            return &mut [];
        }
        let at = self.patch(y, &xs);
        self.shown.get_mut(at..at + xs.len() * 3).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::decode;
    use super::*;
    use crate::picture::Picture;

    /// A picture of four bytes a pixel: some lines are like the one above, some are not.
    fn ground() -> Picture {
        let bytes: Vec<u8> = (0..30_u32)
            .flat_map(|y| (0..40_u32).map(move |x| (x, y / 4)))
            .flat_map(|(x, y)| [(x * 5) as u8, (y * 31) as u8, (x ^ y) as u8, (x * y) as u8])
            .collect();
        Picture::rgbx((40, 30), bytes.into()).unwrap()
    }

    #[test]
    fn what_is_beside_the_picture_is_left_out() {
        let picture = ground();
        let mut layer = Layer::over(&picture);
        for (y, xs) in [(30, 0..1), (0, 39..41), (0, 5..5), (u32::MAX, 0..u32::MAX)] {
            assert!(layer.span_mut(y, xs).is_empty());
        }
        assert_eq!(&layer.flat(), picture.pixels().as_ref());
        for (w, h) in [(0, 0), (0, 5), (5, 0)] {
            let empty = RgbImage::new(w, h);
            let mut layer = Layer::over(&empty);
            assert!(layer.span_mut(0, 0..1).is_empty());
            assert_eq!(layer.flat().dimensions(), (w, h));
            assert!(layer.encode_png().is_err());
        }
    }

    proptest! {
        /// Drawn on a layer, or on a copy: the same picture, and its PNG reads back as that.
        #[test]
        fn a_layer_shows_what_a_copy_would(strokes in prop::collection::vec((0..30_u32, 0..40_u32, 1..12_u32, 0..255_u8), 0..60)) {
            let picture = ground();
            let mut copy = picture.pixels().as_ref().clone();
            let mut layer = Layer::over(&picture);
            for (y, x, width, by) in strokes {
                let xs = x..(x + width).min(40);
                // As mixing a colour in does: what is there already counts.
                let draw = |span: &mut [u8]| span.iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add(by));
                draw(layer.span_mut(y, xs.clone()));
                draw(copy.span_mut(y, xs));
            }
            prop_assert_eq!(&layer.flat(), &copy);
            prop_assert_eq!(&decode(&layer.encode_png().unwrap()).unwrap(), &copy);
        }
    }
}
