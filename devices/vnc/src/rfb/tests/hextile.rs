//! Hextile: what an encoder makes is painted, what nobody makes is refused.

use std::sync::Arc;

use image::RgbImage;
use proptest::prelude::*;

use super::super::pixels::SharedPicture;
use super::super::updates::Updates;
use super::{head, picture, run};

fn four(pixel: [u8; 3]) -> [u8; 4] {
    [pixel[0], pixel[1], pixel[2], 77]
}

/// A part, tile by tile: plain colours, lines of one or of many colours on them, or pixels where those would be too many.
fn encoded(picture: &RgbImage) -> Vec<u8> {
    let (mut bytes, mut background, mut foreground) = (Vec::new(), None, None);
    for y in (0..picture.height()).step_by(16) {
        for x in (0..picture.width()).step_by(16) {
            let (w, h) = (16.min(picture.width() - x), 16.min(picture.height() - y));
            let at = |dx: u32, dy: u32| picture.get_pixel(x + dx, y + dy).0;
            let ground = at(0, 0);
            let mut lines: Vec<([u8; 3], u32, u32, u32)> = Vec::new();
            for (dy, dx) in (0..h).flat_map(|dy| (0..w).map(move |dx| (dy, dx))) {
                match lines.last_mut() {
                    _ if at(dx, dy) == ground => {}
                    Some((colour, from, line, to))
                        if *colour == at(dx, dy) && *line == dy && *to + 1 == dx =>
                    {
                        let _ = from;
                        *to = dx;
                    }
                    _ => lines.push((at(dx, dy), dx, dy, dx)),
                }
            }
            if lines.len() > 150 {
                bytes.push(1);
                bytes.extend(
                    (0..h)
                        .flat_map(|dy| (0..w).map(move |dx| (dx, dy)))
                        .flat_map(|(dx, dy)| four(at(dx, dy))),
                );
                continue;
            }
            let one = lines.first().map(|line| line.0).filter(|one| lines.iter().all(|line| line.0 == *one));
            let new_ground = background != Some(ground);
            let new_front = one.is_some() && foreground != one;
            let coloured = !lines.is_empty() && one.is_none();
            bytes.push(
                u8::from(new_ground) * 2
                    + u8::from(new_front) * 4
                    + u8::from(!lines.is_empty()) * 8
                    + u8::from(coloured) * 16,
            );
            if new_ground {
                background = Some(ground);
                bytes.extend(four(ground));
            }
            if let (true, Some(one)) = (new_front, one) {
                foreground = Some(one);
                bytes.extend(four(one));
            }
            if !lines.is_empty() {
                bytes.push(lines.len() as u8);
            }
            for (colour, from, line, to) in lines {
                if coloured {
                    bytes.extend(four(colour));
                }
                bytes.extend([(from << 4 | line) as u8, ((to - from) << 4) as u8]);
            }
        }
    }
    bytes
}

fn said(bytes: &[u8]) -> String {
    let bytes = [head(20, 16, 5), bytes.to_vec()].concat();
    let shared = Arc::new(SharedPicture::new((20, 16)));
    run(Updates::new(bytes.as_slice(), shared).next()).unwrap_err().to_string()
}

#[test]
fn tiles_of_no_kind_are_refused() {
    assert!(said(&[32]).contains("Hextile flags 32"));
    assert!(said(&[0]).contains("that had none"));
    assert!(said(&[2 | 8, 1, 1, 1, 0, 1, 0, 0]).contains("that had none"));
    // The second tile has four columns.
    let second = |xy: u8, wh: u8| said(&[2, 1, 1, 1, 0, 4 | 8, 2, 2, 2, 0, 1, xy, wh]);
    assert!(second(0x40, 0).contains("leaves its tile"));
    assert!(second(0x30, 0x10).contains("leaves its tile"));
    assert!(second(0x0f, 0x01).contains("leaves its tile"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tiles_of_every_kind_are_painted(w in 1_u32..70, h in 1_u32..50, colours in 1_u8..200, seed in any::<u32>()) {
        let picture = picture(w, h, colours, seed);
        let bytes = [head(w as u16, h as u16, 5), encoded(&picture)].concat();
        let shared = Arc::new(SharedPicture::new((w as u16, h as u16)));
        let mut updates = Updates::new(bytes.as_slice(), shared.clone());
        run(updates.next()).unwrap();
        prop_assert!(shared.shot().unwrap().0 == picture);
        prop_assert!(run(updates.next()).unwrap_err().to_string().contains("ended"), "all was read");
    }

    #[test]
    fn no_bytes_of_tiles_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..3_000), kinds in proptest::collection::vec(0_u8..32, 1..9), w in 0_u16..130, h in 0_u16..70) {
        let bytes = [head(w, h, 5), kinds, bytes].concat();
        let _ = run(Updates::new(bytes.as_slice(), Arc::new(SharedPicture::new((130, 70)))).next());
    }
}
