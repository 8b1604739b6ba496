//! Tiles of every kind, and bytes of no kind.

use std::io::Write as _;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

use super::pixels::SharedPicture;
use super::updates::{ServerMessage, Updates};

mod hextile;
mod tight;

/// The most that may be held beside the picture, in bytes: four packed streams and one with a line of the widest screen each.
const HELD_MAX: usize = 2_000_000;

/// An update of one part at the corner, up to what its encoding says.
fn head(w: u16, h: u16, encoding: i32) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 1, 0, 0, 0, 0];
    bytes.extend([w, h].iter().flat_map(|v| v.to_be_bytes()));
    bytes.extend(encoding.to_be_bytes());
    bytes
}

/// A picture of so many colours at most, in areas and in spots.
fn picture(w: u32, h: u32, colours: u8, seed: u32) -> image::RgbImage {
    image::RgbImage::from_fn(w, h, |x, y| {
        let spot = (x / 5 * 7 + y / 4 * 3 + seed) % 11;
        let n = if spot < 8 { spot } else { x.wrapping_mul(seed | 1).wrapping_add(y * y) >> 3 };
        let n = n % u32::from(colours);
        image::Rgb([n as u8, (n * 37 + seed) as u8, (n * 91) as u8])
    })
}

/// An update of one part in ZRLE whose tiles are these bytes.
fn update(w: u16, h: u16, packer: &mut ZlibEncoder<Vec<u8>>, tiles: &[u8]) -> Vec<u8> {
    packer.write_all(tiles).unwrap();
    packer.flush().unwrap();
    let packed = std::mem::take(packer.get_mut());
    let mut bytes = head(w, h, 16);
    bytes.extend((packed.len() as u32).to_be_bytes());
    bytes.extend(packed);
    bytes
}

fn packer() -> ZlibEncoder<Vec<u8>> {
    ZlibEncoder::new(Vec::new(), Compression::default())
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn tiles_of_every_kind_are_painted() {
    let (red, blue) = ([200, 0, 0], [0, 0, 200]);
    // Each is a tile of 3 by 2: three red ones, then three blue ones.
    let plain = [vec![0], red.repeat(3), blue.repeat(3)].concat();
    let packed = [vec![2], red.to_vec(), blue.to_vec(), vec![0b0000_0000, 0b1110_0000]].concat();
    let packed_16 = [vec![5], red.to_vec(), blue.to_vec(), [9; 9].to_vec(), vec![0, 0, 0x11, 0x10]].concat();
    let runs = [vec![128], red.to_vec(), vec![2], blue.to_vec(), vec![2]].concat();
    let palette_runs = [vec![130], red.to_vec(), blue.to_vec(), vec![128, 2, 1, 129, 1]].concat();
    for tile in [plain, packed, packed_16, runs, palette_runs] {
        let shared = Arc::new(SharedPicture::new((3, 2)));
        let bytes = update(3, 2, &mut packer(), &tile);
        let said = run(Updates::new(bytes.as_slice(), shared.clone()).next()).unwrap();
        assert_eq!(said, ServerMessage::Update { resized: false });
        let (picture, revision) = shared.shot().unwrap();
        assert_eq!(
            (picture.as_raw().as_slice(), revision),
            ([red.repeat(3), blue.repeat(3)].concat().as_slice(), 1)
        );
    }
}

#[test]
fn parts_of_many_tiles_are_painted_and_their_stream_goes_on() {
    let (w, h) = (150_u16, 70_u16);
    let mut packer = packer();
    let mut bytes = Vec::new();
    for colour in [10_u8, 20] {
        // Six tiles, each of one colour.
        let tiles: Vec<u8> = (0..6_u8).flat_map(|n| [1, colour + n, 0, 0]).collect();
        bytes.extend(update(w, h, &mut packer, &tiles));
    }
    let shared = Arc::new(SharedPicture::new((w, h)));
    let mut updates = Updates::new(bytes.as_slice(), shared.clone());
    for colour in [10_u8, 20] {
        run(updates.next()).unwrap();
        let picture = shared.shot().unwrap().0;
        let at = |x: u32, y: u32| picture.get_pixel(x, y).0[0];
        assert_eq!(
            [at(63, 63), at(64, 0), at(149, 63), at(0, 64), at(149, 69)],
            [0, 1, 2, 3, 5].map(|n| colour + n)
        );
    }
}

#[test]
fn what_is_copied_over_itself_is_read_before_it_is_written() {
    for (from, to) in [((0_u16, 0_u16), (1_u16, 1_u16)), ((1, 1), (0, 0)), ((0, 0), (2, 0)), ((2, 0), (0, 0))]
    {
        let shared = SharedPicture::new((6, 5));
        let rgb: Vec<u8> = (0..6 * 5 * 3).collect();
        let all = super::pixels::PixelArea { x: 0, y: 0, w: 6, h: 5 };
        shared.paint(all, &rgb);
        shared.painted(all);
        shared.copy(from, super::pixels::PixelArea { x: to.0, y: to.1, w: 4, h: 4 });
        let now = shared.shot().unwrap().0;
        for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
            let was = (usize::from(from.1 + y) * 6 + usize::from(from.0 + x)) * 3;
            assert_eq!(now.get_pixel((to.0 + x).into(), (to.1 + y).into()).0[..], rgb[was..was + 3]);
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_of_a_tile_make_it_panic_or_take_much(tile in proptest::collection::vec(any::<u8>(), 0..2_000), w in 1_u16..130, h in 1_u16..70) {
        let shared = Arc::new(SharedPicture::new((130, 70)));
        let bytes = update(w, h, &mut packer(), &tile);
        let mut updates = Updates::new(bytes.as_slice(), shared);
        let _ = run(updates.next());
        prop_assert!(updates.held() < HELD_MAX);
    }

    #[test]
    fn no_bytes_of_a_server_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), mut head in proptest::collection::vec(0_u8..4, 0..12)) {
        let shared = Arc::new(SharedPicture::new((40, 30)));
        head.extend(bytes);
        let mut updates = Updates::new(head.as_slice(), shared);
        run(async { while updates.next().await.is_ok() {} });
    }
}
