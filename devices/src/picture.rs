//! Pictures of a screen, kept in the bytes that they came in.
//!
//! Invariant: a picture never changes, and whoever reads it gets red, green and blue, whatever its bytes
//! are. A phone sends four bytes for a pixel; to drop every fourth moves 18 MB for one screen, and most
//! pictures are only compared, labelled and written as PNG, which is done line by line.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use image::RgbImage;

/// A picture of the screen in physical pixels. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Picture(PixelStore);

#[derive(Clone, Debug)]
enum PixelStore {
    Rgb(Arc<RgbImage>),
    /// Four bytes a pixel, the last of no meaning; and the same with three, once somebody asked for it.
    Rgbx {
        size: (u32, u32),
        bytes: Bytes,
        rgb: Arc<OnceLock<Arc<RgbImage>>>,
    },
}

impl Picture {
    pub fn new(pixels: RgbImage) -> Self {
        Self(PixelStore::Rgb(Arc::new(pixels)))
    }

    /// From rows of red, green, blue and a fourth byte that says nothing; `None` unless there are as many
    /// bytes as `size` (width, height) in px takes.
    pub fn rgbx(size: (u32, u32), bytes: Bytes) -> Option<Self> {
        let need = (size.0 as usize).checked_mul(size.1 as usize)?.checked_mul(4)?;
        (bytes.len() == need).then(|| Self(PixelStore::Rgbx { size, bytes, rgb: Arc::default() }))
    }

    pub fn empty() -> Self {
        Self::new(RgbImage::new(0, 0))
    }

    pub fn is_empty(&self) -> bool {
        self.size().0 == 0
    }

    /// Width and height in px; 0 by 0 when no picture was wanted or none could be had.
    pub fn size(&self) -> (u32, u32) {
        self.raster().size
    }

    /// All pixels as three bytes each. May have to make them, the first time.
    pub fn pixels(&self) -> &Arc<RgbImage> {
        match &self.0 {
            PixelStore::Rgb(pixels) => pixels,
            PixelStore::Rgbx { rgb, .. } => rgb.get_or_init(|| Arc::new(self.raster().to_rgb())),
        }
    }

    pub fn raster(&self) -> Raster<'_> {
        match &self.0 {
            PixelStore::Rgb(pixels) => Raster::from(pixels.as_ref()),
            PixelStore::Rgbx { size, bytes, .. } => Raster { size: *size, bytes, pixel: 4 },
        }
    }
}

/// The lines of a picture, whatever its bytes are.
#[derive(Clone, Copy, Debug)]
pub struct Raster<'a> {
    size: (u32, u32),
    /// As many as `size` and `pixel` say.
    bytes: &'a [u8],
    /// Bytes of a pixel, 3 or 4; red, green and blue are the first three.
    pixel: usize,
}

impl<'a> From<&'a RgbImage> for Raster<'a> {
    fn from(picture: &'a RgbImage) -> Self {
        Self { size: picture.dimensions(), bytes: picture.as_raw(), pixel: 3 }
    }
}

impl<'a> From<&'a Picture> for Raster<'a> {
    fn from(picture: &'a Picture) -> Self {
        picture.raster()
    }
}

impl<'a> Raster<'a> {
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Bytes of a pixel: 3 or 4, of which the first three are red, green and blue.
    pub fn pixel_bytes(&self) -> usize {
        self.pixel
    }

    /// The bytes of every line from the top; none where there are no pixels.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &'a [u8]> + ExactSizeIterator + use<'a> {
        self.bytes.chunks_exact((self.size.0 as usize * self.pixel).max(1))
    }

    /// The bytes of a part of a line; empty where that is not in the picture.
    pub fn span(&self, y: u32, xs: Range<u32>) -> &'a [u8] {
        if y >= self.size.1 || xs.end > self.size.0 || xs.is_empty() {
            return &[];
        }
        let line = y as usize * self.size.0 as usize;
        let at = |x: u32| (line + x as usize) * self.pixel;
        self.bytes.get(at(xs.start)..at(xs.end)).unwrap_or_default()
    }

    /// Red, green and blue of a pixel; `None` beside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        self.span(y, x..x.checked_add(1)?).first_chunk().copied()
    }

    /// Writes the pixels of a part of a line to `rgb`, which has three bytes for each.
    pub fn pack(&self, span: &[u8], rgb: &mut [u8]) {
        if self.pixel == 3 {
            return rgb.copy_from_slice(span);
        }
        let (eights, rest) = span.as_chunks::<32>();
        let (to, to_rest) = rgb.as_chunks_mut::<24>();
        for (to, from) in to.iter_mut().zip(eights) {
            *to = eight(from);
        }
        for (to, from) in to_rest.chunks_exact_mut(3).zip(rest.chunks_exact(4)) {
            to.copy_from_slice(&from[..3]);
        }
    }

    /// Writes by how much each byte of a line differs from that above, three a pixel, into `rgb`, all zero.
    pub fn difference(&self, line: &[u8], above: &[u8], rgb: &mut [u8]) {
        if self.pixel == 3 {
            for (to, (here, above)) in rgb.iter_mut().zip(line.iter().zip(above)) {
                *to = here.wrapping_sub(*above);
            }
            return;
        }
        let ((line, rest), (above, above_rest)) = (line.as_chunks::<32>(), above.as_chunks::<32>());
        let (to, to_rest) = rgb.as_chunks_mut::<24>();
        // Most of a line is like the one above, even where not all of it is.
        for (to, (here, above)) in to.iter_mut().zip(line.iter().zip(above)).filter(|(_, (a, b))| a != b) {
            let mut by = *here;
            by.iter_mut().zip(above).for_each(|(here, above)| *here = here.wrapping_sub(*above));
            *to = eight(&by);
        }
        let rest = rest.as_chunks::<4>().0.iter().zip(above_rest.as_chunks::<4>().0);
        for (to, (here, above)) in to_rest.as_chunks_mut::<3>().0.iter_mut().zip(rest) {
            *to = std::array::from_fn(|i| here[i].wrapping_sub(above[i]));
        }
    }

    /// All pixels as three bytes each.
    pub fn to_rgb(&self) -> RgbImage {
        let (w, h) = self.size;
        let rgb = if self.pixel == 3 {
            self.bytes.to_vec()
        } else {
            // Into memory that nothing was written to before: in half the time.
            let (eights, rest) = self.bytes.as_chunks::<32>();
            let mut rgb = eights.iter().map(eight).collect::<Vec<_>>().into_flattened();
            rest.chunks_exact(4).for_each(|pixel| rgb.extend_from_slice(&pixel[..3]));
            rgb
        };
        RgbImage::from_raw(w, h, rgb).unwrap_or_default()
    }
}

/// Eight pixels without their fourth bytes.
fn eight(from: &[u8; 32]) -> [u8; 24] {
    let (words, _) = from.as_chunks::<8>();
    // Two pixels as six bytes.
    let pair = |n: usize| {
        let both = u64::from_le_bytes(words[n]);
        both & 0xFF_FFFF | both >> 8 & 0xFFFF_FF00_0000
    };
    let (a, b, c, d) = (pair(0), pair(1), pair(2), pair(3));
    let mut to = [0; 24];
    to[..8].copy_from_slice(&(a | b << 48).to_le_bytes());
    to[8..16].copy_from_slice(&(b >> 16 | c << 32).to_le_bytes());
    to[16..].copy_from_slice(&(c >> 32 | d << 16).to_le_bytes());
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same picture in three bytes a pixel and in four.
    fn both(w: u32, h: u32) -> (RgbImage, Picture) {
        let rgb = RgbImage::from_fn(w, h, |x, y| image::Rgb([x as u8, y as u8, (x * y + 9) as u8]));
        let four: Vec<u8> = rgb.pixels().flat_map(|p| [p[0], p[1], p[2], (p[0] ^ p[1]) | 1]).collect();
        (rgb, Picture::rgbx((w, h), four.into()).unwrap())
    }

    #[test]
    fn four_bytes_read_as_three() {
        // Any width: whole groups of eight, and what is left over.
        for (w, h) in (1..26).map(|w| (w, 3)).chain([(300, 200)]) {
            let (rgb, picture) = both(w, h);
            assert_eq!((picture.size(), picture.pixels().as_ref()), ((w, h), &rgb));
            let raster = picture.raster();
            for (y, line) in (0..).zip(raster.lines()) {
                let mut packed = vec![0; w as usize * 3];
                raster.pack(line, &mut packed);
                assert_eq!(packed, Raster::from(&rgb).span(y, 0..w), "{w}x{h}, line {y}");
            }
            assert_eq!(raster.pixel(w - 1, h - 1), Some(rgb.get_pixel(w - 1, h - 1).0));
            assert_eq!(raster.pixel(w, 0).or(raster.pixel(0, h)).or(raster.pixel(u32::MAX, 0)), None);
        }
    }

    #[test]
    fn a_picture_has_as_many_bytes_as_its_size_takes() {
        for (size, bytes) in [((2, 2), 15), ((2, 2), 17), ((u32::MAX, u32::MAX), 4), ((0, 9), 1)] {
            assert!(Picture::rgbx(size, vec![0; bytes].into()).is_none(), "{size:?}");
        }
        let none = Picture::rgbx((0, 9), Bytes::new()).unwrap();
        assert!(none.is_empty() && none.raster().lines().len() == 0 && Picture::empty().is_empty());
    }
}
