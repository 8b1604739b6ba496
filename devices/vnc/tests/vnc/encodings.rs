//! Each encoding alone, on real servers: the picture is what was drawn.

use std::time::{Duration, Instant};

use image::{Rgb, RgbImage};
use waldo_devices::{Action, Device as _, Point};
use waldo_vnc::{VncDevice, VncEncoding, VncOptions};

use super::drawing::Drawing;
use super::machine::{Machine, Server};
use super::{everything, options, see, soon};

/// Noise, a run of colours, few colours in spots, two in lines, and plain areas; another for each seed.
fn picture(seed: u32) -> RgbImage {
    RgbImage::from_fn(800, 600, |x, y| {
        let n = (x + seed).wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503).wrapping_mul(x | 1);
        match y {
            0..100 => Rgb([(n >> 8) as u8, (n >> 16) as u8, (n >> 24) as u8]),
            100..200 => Rgb([(x + seed) as u8, y as u8, (x + y) as u8]),
            200..300 => Rgb([[0, 90, 200][(n >> 13) as usize % 3], 0, seed as u8]),
            300..400 => Rgb([if (x / 3 + y + seed).is_multiple_of(7) { 20 } else { 240 }; 3]),
            _ => Rgb([seed as u8, 60, 120]),
        }
    })
}

/// Looks until the picture is this one: x11vnc looks at its display now and then.
async fn shows(device: &mut VncDevice, wanted: &RgbImage, what: &str) {
    let began = Instant::now();
    loop {
        let seen = see(device).await.picture.pixels().clone();
        if *seen == *wanted {
            return;
        }
        let others = seen.enumerate_pixels().zip(wanted.pixels()).filter(|(seen, wanted)| seen.2 != *wanted);
        let (count, first) = (others.clone().count(), others.map(|(seen, _)| seen).next());
        let late = began.elapsed() > Duration::from_secs(20);
        assert!(!late, "{what}: {count} pixels are not as they were drawn, the first {first:?}");
    }
}

async fn all_show_what_is_drawn(server: Server) {
    let machine = Machine::new(server, None);
    let drawing = Drawing::on(&machine.display);
    for encoding in [VncEncoding::Raw, VncEncoding::Hextile, VncEncoding::Tight, VncEncoding::Zrle] {
        let what = format!("{server:?} by {encoding:?}");
        drawing.draw(&picture(1));
        let options = VncOptions { encoding: Some(encoding), ..options(None) };
        let mut device = VncDevice::new(machine.address.clone(), options);
        device.reset(&everything(), soon()).await.unwrap();
        // TigerVNC paints a pointer that this client has not moved to where it is.
        for x in [700.0, 790.0] {
            device.perform(&Action::Hover { at: Point::new(x, 590.0) }, soon()).await.unwrap();
        }
        // What is packed goes on from update to update.
        for seed in 1..4 {
            let picture = picture(seed);
            drawing.draw(&picture);
            shows(&mut device, &picture, &what).await;
        }
        let traffic = device.traffic();
        let parts = match encoding {
            VncEncoding::Raw => traffic.raw,
            VncEncoding::Hextile => traffic.hextile,
            VncEncoding::Tight => traffic.tight,
            VncEncoding::Zrle => traffic.zrle,
        };
        assert!(parts > 0, "{what}: {traffic:?}");
        assert!(traffic.updates > 2 && traffic.bytes > 0, "{what}: {traffic:?}");
    }
}

#[tokio::test]
async fn every_encoding_of_every_server_shows_what_is_drawn() {
    for server in [Server::X11vnc, Server::Tiger] {
        all_show_what_is_drawn(server).await;
    }
}
