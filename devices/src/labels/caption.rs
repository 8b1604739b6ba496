//! Words below a picture, for stories and videos.

use ab_glyph::{Font as _, FontRef, PxScale};
use image::{Rgb, RgbImage, imageops};
use imageproc::drawing::{draw_text_mut, text_size};

use super::atlas::FACE;

const GROUND: Rgb<u8> = Rgb([24, 28, 34]);
const INK: Rgb<u8> = Rgb([240, 242, 245]);
/// Height of a line in pixels, and of the letters in it.
const LINE: u32 = 26;
const LETTERS: f32 = 17.0;

/// The picture with a strip below that holds each of these lines, cut to the width; characters beyond ASCII are shown as
/// `?`. The strip is as high as its lines.
pub fn caption(picture: &RgbImage, lines: &[String]) -> RgbImage {
    let (width, height) = picture.dimensions();
    let strip = LINE * u32::try_from(lines.len()).unwrap_or(0) + 8;
    let mut out = RgbImage::from_pixel(width, height + strip, GROUND);
    imageops::replace(&mut out, picture, 0, 0);
    let Ok(face) = FontRef::try_from_slice(FACE) else { return out };
    let scale = PxScale::from(LETTERS);
    let drawn = |c: char| if c.is_ascii_graphic() || c == ' ' { c } else { '?' };
    for (n, line) in (0_u32..).zip(lines) {
        let mut line: String = line.chars().map(drawn).collect();
        while !line.is_empty() && text_size(scale, &face, &line).0 + 16 > width {
            line.pop();
        }
        let top = i32::try_from(height + 6 + n * LINE).unwrap_or(i32::MAX);
        if face.glyph_id(' ').0 > 0 || !line.trim().is_empty() {
            draw_text_mut(&mut out, INK, 8, top, scale, &face, &line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_holds_the_words_and_the_picture_stays() {
        let picture = RgbImage::from_pixel(120, 40, Rgb([200, 10, 10]));
        let out = caption(&picture, &["tap [2] \u{201c}Find\u{201d}".to_owned(), "x".repeat(500)]);
        assert_eq!(out.dimensions(), (120, 40 + 2 * LINE + 8));
        assert!((0..40).all(|y| (0..120).all(|x| out.get_pixel(x, y) == picture.get_pixel(x, y))));
        let inked = |from: u32, to: u32| {
            (from..to)
                .flat_map(|y| (0..120).map(move |x| (x, y)))
                .filter(|(x, y)| out.get_pixel(*x, *y).0[0] > 150)
                .count()
        };
        assert!(inked(40, 66) > 20 && inked(66, 100) > 100, "each line has letters");
        assert_eq!(out.get_pixel(119, 75), &GROUND, "a long line is cut");
    }
}
