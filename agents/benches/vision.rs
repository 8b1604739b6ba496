//! What local vision costs and how well it sees: `cargo bench -p waldo-agents --bench vision`.
//!
//! Prints medians in milliseconds over many rounds, single thread, on drawn pictures. Hit rates are
//! printed by the unit tests (`cargo test -p waldo-agents vision -- --nocapture`). `--quick` takes fewer
//! rounds.

use std::hint::black_box;
use std::time::Instant;

use image::{GrayImage, Luma, Rgb, RgbImage};
use imageproc::morphology::{Mask, grayscale_dilate};
use waldo_agents::frames::vision::{
    CycleWatch, Density, Fingerprint, PixelPoint, PxRect, VisionPicture, alike, changed_share, elements,
    frames, preview, propose,
};
use waldo_devices::connected_parts::{Reach, widened};
use waldo_devices::picture_elements::{Search, blobs};

/// The median time of `rounds` calls, in milliseconds.
fn median<T>(rounds: usize, mut call: impl FnMut() -> T) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(call());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn fill(picture: &mut RgbImage, r: PxRect, colour: [u8; 3]) {
    for y in r.y..r.bottom().min(picture.height()) {
        for x in r.x..r.right().min(picture.width()) {
            picture.put_pixel(x, y, Rgb(colour));
        }
    }
}

/// A page of four panels with forty things each, with a little noise.
fn page(w: u32, h: u32) -> RgbImage {
    let mut picture = RgbImage::from_pixel(w, h, Rgb([243, 244, 246]));
    for panel in 0..4u32 {
        let at = PxRect::new(24 + panel % 2 * w / 2, 24 + panel / 2 * h / 2, w / 2 - 60, h / 2 - 60);
        fill(&mut picture, at, [200, 205, 214]);
        fill(&mut picture, at.inset(1), [255, 255, 255]);
        for n in 0..40u32 {
            let (x, y) = (at.x + 14 + n % 8 * at.w / 8, at.y + 14 + n / 8 * at.h / 5);
            let colour = [(n * 37 % 200) as u8, (n * 91 % 200) as u8, (n * 53 % 200) as u8];
            fill(&mut picture, PxRect::new(x, y, at.w / 12, at.h / 9), colour);
        }
    }
    let mut state = 1u32;
    for value in picture.as_flat_samples_mut().samples.iter_mut() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *value = value.saturating_add((state >> 31) as u8);
    }
    picture
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rounds = if args.iter().any(|arg| arg == "--quick") { 9 } else { 41 };
    let one = Density::default();
    let (wide, double) = (page(1344, 768), page(2688, 1536));
    let print = |what: &str, ms: f64| println!("{what:<44} {ms:>9.3} ms");
    print("frames of a page, 1344x768", median(rounds, || frames(&wide, one)));
    print("frames of a page, 2688x1536 (ratio 2)", median(rounds, || frames(&double, Density::of(2.0))));
    let panel = PxRect::new(24, 24, 612, 324);
    print("elements of a frame, 612x324", median(rounds, || elements(&wide, &panel, one)));
    // As a window without a tree is searched.
    let search = Search { step: 1, across: 5, down: 1, line: 6.0, scale: 1.0, most: 500 };
    print("elements of a picture, 1344x768", median(rounds, || blobs(&wide, search)));
    let mask = GrayImage::from_fn(1344, 768, |x, y| Luma([255 * u8::from(wide.get_pixel(x, y).0[0] < 230)]));
    let reach = Reach { left: 5, right: 5, up: 1, down: 1 };
    let box_of_reach = Mask::from_image(&GrayImage::from_pixel(11, 3, Luma([255])), 5, 1);
    assert_eq!(widened(&mask, reach), grayscale_dilate(&mask, &box_of_reach), "both widen alike");
    print("a mask widened by 5 and 1, 1344x768", median(rounds, || widened(&mask, reach)));
    print("the same by imageproc's dilation", median(rounds, || grayscale_dilate(&mask, &box_of_reach)));
    let crop = |x: u32, y: u32, w: u32, h: u32| image::imageops::crop_imm(&wide, x, y, w, h).to_image();
    for side in [32, 48, 64, 96] {
        let (a, b) = (crop(30, 30, side, side), crop(106, 30, side, side));
        print(&format!("match of {side}x{side} with {side}x{side}"), median(rounds * 20, || alike(&a, &b)));
    }
    let frame = crop(24, 24, 400, 300);
    let whole = PxRect::whole(&frame);
    print("points of a frame, 400x300", median(rounds, || propose(&frame, &whole, one)));
    let thing = PxRect::new(14, 14, 56, 40);
    print(
        "preview of a drag, 400x300",
        median(rounds, || preview(&frame, &thing, PixelPoint::new(200, 200))),
    );
    let other = crop(25, 24, 400, 300);
    print("changed share, 400x300", median(rounds, || changed_share(&frame, &other)));
    print("changed share, 1344x768", median(rounds, || changed_share(&wide, &wide.clone())));
    print("fingerprint, 400x300", median(rounds, || Fingerprint::of(&frame)));
    let (p, q) = (VisionPicture::from(crop(24, 24, 200, 200)), VisionPicture::from(crop(25, 24, 200, 200)));
    print("compare (structure), 200x200", median(rounds, || p.compare(&q)));
    print(
        "cycle of 12 pictures, 400x300",
        median(rounds, || {
            let mut watch = CycleWatch::new(frame.clone(), 40);
            (0..12u32).map(|n| watch.saw(&crop(24 + n, 24, 400, 300))).collect::<Vec<_>>()
        }),
    );
}
