//! Drawings over a picture that is itself left as it is.
//!
//! Invariant: only lines that were drawn on are copied; all others are those of the picture below.

use image::RgbImage;

use super::codec::png_of;
use crate::error::DeviceError;

/// What can be drawn on, line by line.
pub(super) trait Canvas {
    /// Width and height in px.
    fn size(&self) -> (u32, u32);

    /// The bytes of a line, three a pixel; empty below the last one.
    fn line_mut(&mut self, y: u32) -> &mut [u8];
}

impl Canvas for RgbImage {
    fn size(&self) -> (u32, u32) {
        self.dimensions()
    }

    fn line_mut(&mut self, y: u32) -> &mut [u8] {
        let width = self.width() as usize * 3;
        let from = y as usize * width;
        self.as_flat_samples_mut().samples.get_mut(from..from + width).unwrap_or_default()
    }
}

/// A picture with something drawn over it. A copy of a phone's screen is 8 MB, and takes as long as all else
/// that is done with it.
#[derive(Clone, Debug)]
pub struct Layer<'a> {
    picture: &'a RgbImage,
    /// One for each line of the picture; empty where nothing was drawn.
    lines: Vec<Vec<u8>>,
}

impl<'a> Layer<'a> {
    /// Nothing is drawn yet.
    pub fn over(picture: &'a RgbImage) -> Self {
        let lines = if picture.width() == 0 { 0 } else { picture.height() as usize };
        Self { picture, lines: vec![Vec::new(); lines] }
    }

    /// All lines from the top, three bytes a pixel.
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let width = (self.picture.width() as usize * 3).max(1);
        let below = self.picture.as_raw().chunks_exact(width);
        self.lines
            .iter()
            .zip(below)
            .map(|(drawn, below)| if drawn.is_empty() { below } else { drawn.as_slice() })
    }

    /// Picture and drawing in one.
    pub fn flat(&self) -> RgbImage {
        let (w, h) = self.picture.dimensions();
        let mut bytes = Vec::with_capacity(self.picture.as_raw().len());
        self.lines().for_each(|line| bytes.extend_from_slice(line));
        RgbImage::from_raw(w, h, bytes).unwrap_or_else(|| self.picture.clone())
    }

    /// Both as PNG, as [`super::encode_png`] does it.
    ///
    /// # Errors
    /// [`DeviceError::Image`] for a picture without pixels.
    pub fn encode_png(&self) -> Result<Vec<u8>, DeviceError> {
        png_of(self.picture.dimensions(), || self.lines())
    }
}

impl Canvas for Layer<'_> {
    fn size(&self) -> (u32, u32) {
        self.picture.dimensions()
    }

    fn line_mut(&mut self, y: u32) -> &mut [u8] {
        let Some(line) = self.lines.get_mut(y as usize) else { return &mut [] };
        if line.is_empty() {
            let width = self.picture.width() as usize * 3;
            let from = y as usize * width;
            line.extend_from_slice(self.picture.as_raw().get(from..from + width).unwrap_or_default());
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::super::decode;
    use super::*;

    #[test]
    fn what_is_drawn_shows_and_the_picture_stays() {
        let picture = RgbImage::from_fn(40, 30, |x, y| image::Rgb([x as u8, y as u8, 9]));
        let before = picture.clone();
        let mut layer = Layer::over(&picture);
        layer.line_mut(7)[..3].copy_from_slice(&[1, 2, 3]);
        layer.line_mut(7)[3..6].copy_from_slice(&[4, 5, 6]);
        assert!(layer.line_mut(30).is_empty());
        let mut wanted = before.clone();
        wanted.put_pixel(0, 7, image::Rgb([1, 2, 3]));
        wanted.put_pixel(1, 7, image::Rgb([4, 5, 6]));
        assert_eq!(layer.flat(), wanted);
        assert_eq!(decode(&layer.encode_png().unwrap()).unwrap(), wanted);
        assert_eq!(picture, before);
    }

    #[test]
    fn a_picture_without_pixels_is_no_trouble() {
        for (w, h) in [(0, 0), (0, 5), (5, 0)] {
            let empty = RgbImage::new(w, h);
            let mut layer = Layer::over(&empty);
            assert!(layer.line_mut(0).is_empty());
            assert_eq!(layer.flat().dimensions(), (w, h));
            assert!(layer.encode_png().is_err());
        }
    }
}
