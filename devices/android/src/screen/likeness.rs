//! Whether two pictures are of one screen, in the same colours.
//!
//! Ways to a picture differ in more than speed: some phones' raw pixels have red and blue in each other's
//! place, whatever their header says. Grey looks the same either way, so colours are judged by themselves.

use image::Rgb;

use waldo_devices::picture::Raster;

/// Pixels between two that are compared, in each direction.
const STEP: usize = 7;
/// How far a channel may be off: what JPEG does to the edges of small print.
const OFF: u8 = 56;
/// The difference of red and blue from which a pixel tells which is which: more than JPEG and 16 bits lose.
const COLOUR: u8 = 20;
/// Coloured pixels below which nothing can be said of colours.
const FEW: usize = 24;
/// The share of pixels that must agree; the rest is a clock, a caret, a spinner.
const AGREE: f64 = 0.8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    Same,
    /// The same screen, as far as grey tells.
    Grey,
    /// Another screen, another size, or other colours.
    Other,
}

fn is_colour(Rgb([r, _, b]): &Rgb<u8>) -> bool {
    r.abs_diff(*b) >= COLOUR
}

/// Whether red and blue are nearer to their places than to each other's.
fn is_in_place(Rgb([r, _, b]): &Rgb<u8>, Rgb([other_r, _, other_b]): &Rgb<u8>) -> bool {
    let off = |a: &u8, b: &u8| u16::from(a.abs_diff(*b));
    off(r, other_r) + off(b, other_b) < off(r, other_b) + off(b, other_r)
}

/// Pixels far from each other, each with the one at its place in another picture of the same size.
fn samples<'a>(picture: Raster<'a>, other: Raster<'a>) -> impl Iterator<Item = (Rgb<u8>, Rgb<u8>)> {
    let (w, h) = picture.size();
    let places = (0..h).step_by(STEP).flat_map(move |y| (0..w).step_by(STEP).map(move |x| (x, y)));
    places.filter_map(move |(x, y)| Some((Rgb(picture.pixel(x, y)?), Rgb(other.pixel(x, y)?))))
}

pub(super) fn is_colourful<'a>(picture: impl Into<Raster<'a>>) -> bool {
    let picture = picture.into();
    samples(picture, picture).filter(|(pixel, _)| is_colour(pixel)).take(FEW).count() == FEW
}

pub(super) fn likeness<'a>(right: impl Into<Raster<'a>>, picture: impl Into<Raster<'a>>) -> Likeness {
    let (right, picture) = (right.into(), picture.into());
    if right.size() != picture.size() {
        return Likeness::Other;
    }
    let (mut all, mut agree) = ([0_usize; 2], [0_usize; 2]);
    for (pixel, other) in samples(right, picture) {
        let same = pixel.0.iter().zip(other.0).all(|(a, b)| a.abs_diff(b) <= OFF);
        let colour = is_colour(&pixel);
        all[usize::from(colour)] += 1;
        agree[usize::from(colour)] += usize::from(same && (!colour || is_in_place(&pixel, &other)));
    }
    let enough = |n: usize| agree[n] as f64 >= all[n] as f64 * AGREE;
    match (enough(0), all[1] < FEW, enough(1)) {
        (true, true, _) => Likeness::Grey,
        (true, false, true) => Likeness::Same,
        _ => Likeness::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
    use image::codecs::jpeg::JpegEncoder;

    /// A light screen with small print, and with an icon in a colour where there is one.
    fn screen(icon: Option<[u8; 3]>) -> RgbImage {
        RgbImage::from_fn(360, 800, |x, y| match icon {
            Some(colour) if (40..140).contains(&x) && (100..200).contains(&y) => Rgb(colour),
            _ if y % 40 < 12 && x % 9 < 3 && x > 30 => Rgb([20, 20, 24]),
            _ => Rgb([250, 250, 252]),
        })
    }

    fn swapped(picture: &RgbImage) -> RgbImage {
        let mut picture = picture.clone();
        picture.pixels_mut().for_each(|pixel| pixel.0.swap(0, 2));
        picture
    }

    #[test]
    fn likeness_forgives_losses_but_not_colours() {
        let (grey, blue) = (screen(None), screen(Some([20, 60, 200])));
        assert_eq!(likeness(&blue, &blue), Likeness::Same);
        assert_eq!(likeness(&blue, &swapped(&blue)), Likeness::Other);
        assert_eq!(likeness(&grey, &swapped(&grey)), Likeness::Grey);
        assert!(is_colourful(&blue) && !is_colourful(&grey));
        let tint = screen(Some([225, 225, 250]));
        assert_eq!(likeness(&tint, &swapped(&tint)), Likeness::Other, "a light tint is a colour too");
        let blue = screen(Some([20, 60, 200]));
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, 70).encode_image(&blue).unwrap();
        let lossy = image::load_from_memory(&jpeg).unwrap().to_rgb8();
        assert_eq!(likeness(&blue, &lossy), Likeness::Same);
        let dark = RgbImage::from_pixel(360, 800, Rgb([20, 20, 20]));
        assert_eq!(likeness(&blue, &dark), Likeness::Other);
        assert_eq!(likeness(&blue, &screen(None)), Likeness::Other);
        assert_eq!(likeness(&blue, &RgbImage::new(800, 360)), Likeness::Other);
    }
}
