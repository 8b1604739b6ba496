//! Words below a picture, for stories and videos.

use ab_glyph::{FontRef, PxScale};
use image::{Rgb, RgbImage, imageops};
use imageproc::drawing::{draw_text_mut, text_size};

use super::atlas::FACE;

const GROUND: Rgb<u8> = Rgb([24, 28, 34]);
const INK: Rgb<u8> = Rgb([240, 242, 245]);
/// Height of a line in pixels, and of the letters in it.
const LINE: u32 = 26;
const LETTERS: f32 = 17.0;
/// What stays free on the left and on the right, in pixels.
const MARGIN: u32 = 8;

/// The picture with a strip below that holds each of these lines, in as many as its words need; characters beyond ASCII are
/// shown as `?`. The strip is as high as its lines.
pub fn caption(picture: &RgbImage, lines: &[String]) -> RgbImage {
    let (width, height) = picture.dimensions();
    let Ok(face) = FontRef::try_from_slice(FACE) else { return picture.clone() };
    let scale = PxScale::from(LETTERS);
    let drawn = |c: char| if c.is_ascii_graphic() || c == ' ' { c } else { '?' };
    // The face is monospaced.
    let letter = text_size(scale, &face, "0").0.max(1);
    let most = (width.saturating_sub(2 * MARGIN) / letter).max(1) as usize;
    let lines: Vec<String> =
        lines.iter().flat_map(|line| wrapped(&line.chars().map(drawn).collect::<String>(), most)).collect();
    let strip = LINE * u32::try_from(lines.len()).unwrap_or(0) + 8;
    let mut out = RgbImage::from_pixel(width, height + strip, GROUND);
    imageops::replace(&mut out, picture, 0, 0);
    for (n, line) in (0_u32..).zip(&lines) {
        let top = i32::try_from(height + 6 + n * LINE).unwrap_or(i32::MAX);
        draw_text_mut(&mut out, INK, MARGIN.cast_signed(), top, scale, &face, line);
    }
    out
}

/// Lines of at most `most` characters, broken between words where a word fits.
fn wrapped(line: &str, most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    for word in line.split(' ') {
        let free = most.saturating_sub(all.last().map_or(0, String::len));
        let mut rest = word;
        match all.last_mut() {
            Some(last) if last.is_empty() => {}
            Some(last) if word.len() < free => last.push(' '),
            _ => all.push(String::new()),
        }
        while rest.len() > most {
            let (head, tail) = rest.split_at(most);
            if let Some(last) = all.last_mut() {
                last.push_str(head);
            }
            all.push(String::new());
            rest = tail;
        }
        if let Some(last) = all.last_mut() {
            last.push_str(rest);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_holds_the_words_and_the_picture_stays() {
        let picture = RgbImage::from_pixel(120, 40, Rgb([200, 10, 10]));
        let out = caption(&picture, &["tap [2] \u{201c}Find\u{201d}".to_owned(), "x".repeat(25)]);
        // 120 px hold nine letters.
        assert_eq!(out.dimensions(), (120, 40 + 5 * LINE + 8));
        assert!((0..40).all(|y| (0..120).all(|x| out.get_pixel(x, y) == picture.get_pixel(x, y))));
        let inked = |from: u32, to: u32| {
            (from..to)
                .flat_map(|y| (0..120).map(move |x| (x, y)))
                .filter(|(x, y)| out.get_pixel(*x, *y).0[0] > 150)
                .count()
        };
        for line in 0..5 {
            assert!(inked(40 + line * LINE, 66 + line * LINE) > 20, "line {line} has letters");
        }
        assert_eq!(out.get_pixel(119, 105), &GROUND, "the margin stays free");
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrapped("press the lamp", 9), ["press the", "lamp"]);
        assert_eq!(wrapped("a lamplighter's", 6), ["a", "lampli", "ghter'", "s"]);
        assert_eq!(wrapped("", 6), [""]);
    }
}
