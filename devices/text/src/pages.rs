//! Pictures as the pages of one TIFF, which is how one process of the program reads many: uncompressed, 8 bits of grey a
//! pixel, little-endian, each page's directory before its pixels.

use image::GrayImage;

/// Bytes of a head, and of a page's directory with twelve entries.
const HEAD: usize = 8;
const ENTRIES: [u16; 12] = [256, 257, 258, 259, 262, 273, 277, 278, 279, 282, 283, 296];
const DIRECTORY: usize = 2 + ENTRIES.len() * 12 + 4;
/// A resolution's two numbers, in dots per inch: what the letters are the size of.
const INCH: (u32, u32) = (300, 1);

/// One file of all of them; `None` where it would have more than 4 GiB.
pub(crate) fn tiff(pages: &[&GrayImage]) -> Option<Vec<u8>> {
    let pixels: usize = pages.iter().map(|page| page.as_raw().len() + 1).sum();
    let whole = HEAD + pages.len() * (DIRECTORY + HEAD) + pixels;
    u32::try_from(whole).ok()?;
    let mut out = Vec::with_capacity(whole);
    out.extend(b"II\x2a\0");
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    out.extend(offset(HEAD).to_le_bytes());
    for (n, page) in pages.iter().enumerate() {
        let at = out.len();
        let (inch, strip) = (at + DIRECTORY, at + DIRECTORY + HEAD);
        let bytes = page.as_raw().len();
        // Directories begin at even places.
        let next = strip + bytes + bytes % 2;
        out.extend(u16::try_from(ENTRIES.len()).unwrap_or_default().to_le_bytes());
        for tag in ENTRIES {
            // Kind 3 are two bytes, 4 four, 5 a fraction that stands elsewhere.
            let (kind, value): (u16, u32) = match tag {
                256 => (4, page.width()),
                257 | 278 => (4, page.height()),
                258 => (3, 8),
                273 => (4, offset(strip)),
                279 => (4, offset(bytes)),
                282 | 283 => (5, offset(inch)),
                296 => (3, 2),
                // Not packed; black is 0; one number a pixel.
                _ => (3, 1),
            };
            out.extend(tag.to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(1_u32.to_le_bytes());
            out.extend(value.to_le_bytes());
        }
        let last = n + 1 == pages.len();
        out.extend(if last { 0 } else { offset(next) }.to_le_bytes());
        out.extend(INCH.0.to_le_bytes());
        out.extend(INCH.1.to_le_bytes());
        out.extend(page.as_raw());
        out.resize(next, 0);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Luma;

    #[test]
    fn every_directory_stands_where_the_one_before_it_says_and_names_its_pixels() {
        let all: Vec<GrayImage> =
            [(3, 5), (4, 4), (1, 1)].map(|(w, h)| GrayImage::from_pixel(w, h, Luma([9]))).to_vec();
        let file = tiff(&all.iter().collect::<Vec<_>>()).unwrap();
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let mut at = word(4);
        for page in &all {
            assert_eq!(at % 2, 0);
            let value = |tag: u16| {
                let entry = ENTRIES.iter().position(|known| *known == tag).unwrap();
                word(at + 2 + entry * 12 + 8)
            };
            assert_eq!((value(256), value(257)), (page.width() as usize, page.height() as usize));
            let (strip, bytes) = (value(273), value(279));
            assert_eq!(&file[strip..strip + bytes], page.as_raw().as_slice());
            at = word(at + 2 + ENTRIES.len() * 12);
        }
        assert_eq!(at, 0);
    }
}
