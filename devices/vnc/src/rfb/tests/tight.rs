//! Tight: what an encoder makes is painted, what nobody makes is refused.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use proptest::prelude::*;

use super::super::pixels::SharedPicture;
use super::super::updates::Updates;
use super::{HELD_MAX, head, picture, run};

/// The lengths that go before what is packed.
fn length(n: usize) -> Vec<u8> {
    match n {
        0..128 => vec![n as u8],
        128..16_384 => vec![n as u8 | 128, (n >> 7) as u8],
        _ => vec![n as u8 | 128, (n >> 7) as u8 | 128, (n >> 14) as u8],
    }
}

struct Encoder([Option<ZlibEncoder<Vec<u8>>>; 4]);

impl Encoder {
    /// A part with this filter, on this stream; whether the stream begins anew.
    fn part(&mut self, picture: &RgbImage, filter: u8, stream: usize, anew: bool) -> Vec<u8> {
        let width = picture.width() as usize;
        let pixels = picture.as_raw().as_chunks::<3>().0;
        let anew = anew || self.0[stream].is_none();
        let mut bytes = vec![(4 | stream as u8) << 4 | u8::from(anew) << stream, filter];
        let plain = match filter {
            0 => {
                // Without saying so as well.
                bytes.pop();
                bytes[0] &= !(4 << 4);
                picture.as_raw().clone()
            }
            1 => {
                let mut colours: Vec<[u8; 3]> = Vec::new();
                let mut index = |pixel: &[u8; 3]| {
                    let at = colours.iter().position(|colour| colour == pixel);
                    at.unwrap_or_else(|| {
                        colours.push(*pixel);
                        colours.len() - 1
                    }) as u8
                };
                let indices: Vec<u8> = pixels.iter().map(&mut index).collect();
                bytes.push((colours.len() - 1) as u8);
                bytes.extend(colours.concat());
                match colours.len() {
                    ..=2 => indices
                        .chunks(width)
                        .flat_map(|line| line.chunks(8))
                        .map(|eight| eight.iter().enumerate().map(|(n, bit)| bit << (7 - n)).sum())
                        .collect(),
                    _ => indices,
                }
            }
            _ => {
                let at = |x: i64, y: i64, n: usize| {
                    if x < 0 || y < 0 { 0 } else { i16::from(picture.get_pixel(x as u32, y as u32).0[n]) }
                };
                let mut differences = Vec::new();
                for (y, x) in
                    (0..i64::from(picture.height())).flat_map(|y| (0..width as i64).map(move |x| (y, x)))
                {
                    for n in 0..3 {
                        let expected = at(x - 1, y, n) + at(x, y - 1, n) - at(x - 1, y - 1, n);
                        differences.push((at(x, y, n) as u8).wrapping_sub(expected.clamp(0, 255) as u8));
                    }
                }
                differences
            }
        };
        if plain.len() < 12 {
            bytes.extend(plain);
            // Nothing was packed, the reset counts all the same.
            if anew {
                self.0[stream] = Some(ZlibEncoder::new(Vec::new(), Compression::fast()));
            }
            return bytes;
        }
        let packer = &mut self.0[stream];
        if anew {
            *packer = Some(ZlibEncoder::new(Vec::new(), Compression::fast()));
        }
        let packer = packer.as_mut().unwrap();
        packer.write_all(&plain).unwrap();
        packer.flush().unwrap();
        let packed = std::mem::take(packer.get_mut());
        bytes.extend(length(packed.len()));
        bytes.extend(packed);
        bytes
    }
}

fn painted(size: (u16, u16), part: &[u8]) -> Result<RgbImage, String> {
    let shared = Arc::new(SharedPicture::new(size));
    let bytes = [head(size.0, size.1, 7), part.to_vec()].concat();
    run(Updates::new(bytes.as_slice(), shared.clone()).next()).map_err(|error| error.to_string())?;
    Ok(shared.shot().unwrap().0)
}

fn refused(size: (u16, u16), part: &[u8], why: &str) {
    let error = painted(size, part).unwrap_err();
    assert!(error.contains(why), "{error}");
}

#[test]
fn one_colour_and_jpeg_are_painted() {
    assert_eq!(painted((3, 2), &[0x80, 1, 2, 3]).unwrap().as_raw(), &[1, 2, 3].repeat(6));
    let wanted = RgbImage::from_fn(40, 30, |x, y| image::Rgb([x as u8 * 4, y as u8 * 4, 100]));
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, 95).encode_image(&wanted).unwrap();
    let part = |jpeg: &[u8]| [vec![0x90], length(jpeg.len()), jpeg.to_vec()].concat();
    let is = painted((40, 30), &part(&jpeg)).unwrap();
    let most = is.as_raw().iter().zip(wanted.as_raw()).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(most.unwrap() < 16, "{most:?}");
    refused((40, 31), &part(&jpeg), "another size");
    refused((39, 30), &part(&jpeg), "cannot be read");
    refused((40, 30), &part(&jpeg[..jpeg.len() / 8]), "cannot be read");
    refused((40, 30), &part(b"GIF89a"), "cannot be read");
    refused((40, 30), &[0x90, 0xff, 0xff, 0xff], "too much");
    refused((3_000, 3_000), &part(&jpeg), "too much");
}

#[test]
fn parts_of_no_kind_are_refused() {
    for way in [0xa0, 0xb0, 0xe0, 0xf0] {
        refused((3, 2), &[way, 0, 0, 0], "was not requested");
    }
    refused((3, 2), &[0x40, 3, 0, 0], "no filter");
    // A palette of one colour, and a pixel of the second.
    refused((3, 1), &[0x40, 1, 0, 9, 9, 9, 0b1000_0000], "not of its palette");
    // The longest length, for few pixels.
    refused((30, 20), &[0x00, 0xff, 0xff, 0xff], "too many");
}

#[test]
fn what_unpacks_to_too_much_or_too_little_is_refused_and_costs_nothing() {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&vec![0; 64 << 20]).unwrap();
    packer.flush().unwrap();
    let packed = packer.get_ref().clone();
    let part = [vec![0x01], length(packed.len()), packed].concat();
    let shared = Arc::new(SharedPicture::new((200, 200)));
    let bytes = [head(200, 200, 7), part].concat();
    let mut updates = Updates::new(bytes.as_slice(), shared);
    let error = run(updates.next()).unwrap_err().to_string();
    assert!(error.contains("more than its pixels"), "{error}");
    assert!(updates.held() < HELD_MAX, "{}", updates.held());
    let mut encoder = Encoder([const { None }; 4]);
    let small = encoder.part(&RgbImage::new(10, 10), 0, 0, true);
    refused((20, 20), &small, "cut off");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_filter_on_every_stream_is_painted(
        parts in proptest::collection::vec((1_u32..90, 1_u32..60, 0_u8..3, 0_usize..4, any::<bool>(), 1_u8..200, any::<u32>()), 1..8),
    ) {
        let mut encoder = Encoder([const { None }; 4]);
        let (mut bytes, mut wanted) = (Vec::new(), Vec::new());
        for (w, h, filter, stream, anew, colours, seed) in parts {
            let picture = picture(w, h, colours, seed);
            bytes.extend(head(w as u16, h as u16, 7));
            bytes.extend(encoder.part(&picture, filter, stream, anew));
            wanted.push(picture);
        }
        let shared = Arc::new(SharedPicture::new((90, 60)));
        // A picture is handed out once it was painted all over.
        shared.painted(super::super::pixels::PixelArea { x: 0, y: 0, w: 90, h: 60 });
        let mut updates = Updates::new(bytes.as_slice(), shared.clone());
        for picture in wanted {
            run(updates.next()).unwrap();
            let shot = shared.shot().unwrap().0;
            let part = image::imageops::crop_imm(&shot, 0, 0, picture.width(), picture.height()).to_image();
            prop_assert!(part == picture);
        }
    }

    #[test]
    fn lengths_are_read_as_they_are_written(n in 0_usize..1 << 22) {
        prop_assert_eq!(run(super::super::tight::length(&mut length(n).as_slice())).unwrap(), n);
    }

    #[test]
    fn no_bytes_of_a_part_make_it_panic_or_take_much(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..3_000), way in 0_u8..10, w in 0_u16..700, h in 0_u16..500,
    ) {
        bytes.insert(0, way << 4);
        let bytes = [head(w, h, 7), bytes].concat();
        let mut updates = Updates::new(bytes.as_slice(), Arc::new(SharedPicture::new((700, 500))));
        let _ = run(updates.next());
        prop_assert!(updates.held() < HELD_MAX);
    }

    #[test]
    fn no_unpacked_bytes_make_it_panic_or_take_much(
        plain in proptest::collection::vec(any::<u8>(), 0..9_000), filter in 0_u8..3, colours in any::<u8>(), w in 1_u16..130, h in 1_u16..70,
    ) {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(&plain).unwrap();
        packer.flush().unwrap();
        let packed = packer.get_ref();
        let mut bytes = [head(w, h, 7), vec![0x40, filter]].concat();
        if filter == 1 {
            bytes.push(colours);
            bytes.extend(vec![7; (usize::from(colours) + 1) * 3]);
        }
        bytes.extend(length(packed.len()));
        bytes.extend(packed);
        let mut updates = Updates::new(bytes.as_slice(), Arc::new(SharedPicture::new((130, 70))));
        let _ = run(updates.next());
        prop_assert!(updates.held() < HELD_MAX);
    }
}
