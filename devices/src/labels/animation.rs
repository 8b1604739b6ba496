//! Pictures in turn as one animated GIF.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use color_quant::NeuQuant;
use gif::{Encoder, Frame, Repeat};
use image::RgbImage;

const COLOURS: usize = 256;
/// Of 1 to 30, how few pixels a palette is learned from: the flat areas of a screen need no more.
const SPEED: i32 = 30;

/// An animated GIF that begins anew at its end, as large as the first picture. A picture of at most 256 colours keeps them;
/// another gets a palette of its own.
///
/// # Errors
/// When there is no picture, or one has a side of 0 or above 65,535 px.
pub fn animate(pictures: &[RgbImage], each: Duration) -> io::Result<Vec<u8>> {
    let unfit = || io::Error::other("a GIF needs a picture, with sides of 1 to 65,535 pixels");
    let side = |value: u32| u16::try_from(value).ok().filter(|side| *side > 0).ok_or_else(unfit);
    let first = pictures.first().ok_or_else(unfit)?;
    let mut encoder = Encoder::new(Vec::new(), side(first.width())?, side(first.height())?, &[])
        .map_err(io::Error::other)?;
    encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
    // A GIF counts in hundredths of a second.
    let delay = u16::try_from(each.as_millis() / 10).unwrap_or(u16::MAX);
    for picture in pictures {
        let (palette, pixels) = indexed(picture);
        let (width, height) = (side(picture.width())?, side(picture.height())?);
        let frame = Frame { delay, ..Frame::from_palette_pixels(width, height, pixels, palette, None) };
        encoder.write_frame(&frame).map_err(io::Error::other)?;
    }
    encoder.into_inner().map_err(io::Error::other)
}

/// A palette as RGB triples, and for each pixel its place there.
fn indexed(picture: &RgbImage) -> (Vec<u8>, Vec<u8>) {
    let mut known: HashMap<[u8; 3], u8> = HashMap::new();
    let mut palette: Vec<u8> = Vec::new();
    let exact = each_index(picture, &mut known, |colour| {
        let at = u8::try_from(palette.len() / 3).ok()?;
        palette.extend(colour);
        Some(at)
    });
    if let Some(pixels) = exact {
        return (palette, pixels);
    }
    let learned: Vec<u8> = picture.pixels().flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
    let learned = NeuQuant::new(SPEED, COLOURS, &learned);
    known.clear();
    let nearest = |[r, g, b]: [u8; 3]| u8::try_from(learned.index_of(&[r, g, b, 255])).ok();
    let pixels = each_index(picture, &mut known, nearest).unwrap_or_default();
    (learned.color_map_rgb(), pixels)
}

/// The index of each pixel's colour. `find` is asked once for each colour; `None` of it ends the search.
fn each_index(
    picture: &RgbImage,
    known: &mut HashMap<[u8; 3], u8>,
    mut find: impl FnMut([u8; 3]) -> Option<u8>,
) -> Option<Vec<u8>> {
    let mut pixels = Vec::with_capacity(picture.as_raw().len() / 3);
    let mut last: Option<([u8; 3], u8)> = None;
    for pixel in picture.pixels() {
        let index = match last {
            // Most pixels of a screen are as the one before.
            Some((colour, index)) if colour == pixel.0 => index,
            _ => match known.get(&pixel.0) {
                Some(index) => *index,
                None => *known.entry(pixel.0).or_insert(find(pixel.0)?),
            },
        };
        last = Some((pixel.0, index));
        pixels.push(index);
    }
    Some(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn few_colours_stay_as_they_are_and_many_are_near() {
        let few = RgbImage::from_fn(40, 30, |x, _| Rgb([u8::try_from(x).unwrap() * 6, 7, 200]));
        let (palette, pixels) = indexed(&few);
        assert_eq!(palette.len(), 40 * 3);
        assert!(few.pixels().zip(&pixels).all(|(p, at)| palette[usize::from(*at) * 3..][..3] == p.0));
        let many = RgbImage::from_fn(200, 200, |x, y| {
            Rgb([u8::try_from(x).unwrap(), u8::try_from(y).unwrap(), u8::try_from((x + y) / 2).unwrap()])
        });
        let (palette, pixels) = indexed(&many);
        assert_eq!((palette.len(), pixels.len()), (COLOURS * 3, 40_000));
        let error = |(p, at): (&Rgb<u8>, &u8)| -> u32 {
            let near = &palette[usize::from(*at) * 3..][..3];
            p.0.iter().zip(near).map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
        };
        let mean = many.pixels().zip(&pixels).map(error).sum::<u32>() / 40_000;
        assert!(mean < 24, "{mean}");
    }

    #[test]
    fn an_animation_holds_every_picture_for_its_time() {
        let pictures = [Rgb([255, 0, 0]), Rgb([0, 0, 255])].map(|colour| RgbImage::from_pixel(8, 6, colour));
        let bytes = animate(&pictures, Duration::from_millis(1500)).unwrap();
        let mut reader = gif::DecodeOptions::new();
        reader.set_color_output(gif::ColorOutput::RGBA);
        let mut reader = reader.read_info(&bytes[..]).unwrap();
        for picture in &pictures {
            let frame = reader.read_next_frame().unwrap().unwrap();
            assert_eq!((frame.delay, &frame.buffer[..3]), (150, &picture.get_pixel(0, 0).0[..]));
        }
        assert!(reader.read_next_frame().unwrap().is_none());
        assert!(animate(&[], Duration::ZERO).is_err());
        assert!(animate(&[RgbImage::new(70_000, 1)], Duration::ZERO).is_err());
    }
}
