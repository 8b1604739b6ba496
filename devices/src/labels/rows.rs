//! The lines of a picture as the compressed data of a PNG.
//!
//! Every line is told as its difference to the one above (PNG's filter "Up"): on a screen most lines are the
//! same, and choosing among all filters takes twice the time for files a fifth smaller.
//!
//! Invariant: a pixel that equals the one above, and over which nothing was drawn, is not touched.

use super::deflate::ZlibStream;
use super::layer::{DrawnSpan, Layer};

const UP: u8 = 2;

/// The lines of a picture and what was drawn on it, from the top, as a zlib stream.
pub(super) fn compressed(layer: &Layer<'_>) -> Vec<u8> {
    let picture = layer.picture();
    let mut told = vec![0; picture.size().0 as usize * 3];
    // The line above the first counts as black.
    let black = vec![0; picture.size().0 as usize * picture.pixel_bytes()];
    let mut above = black.as_slice();
    let mut out = ZlibStream::new();
    for (y, line) in picture.lines().enumerate() {
        out.byte(UP);
        let before = || y.checked_sub(1).into_iter().flat_map(|y| layer.drawn_on(y));
        let differs = line != above;
        if !differs && before().chain(layer.drawn_on(y)).next().is_none() {
            out.zeros(told.len());
            continue;
        }
        if differs {
            picture.difference(line, above, &mut told);
            above = line;
        }
        // A drawing adds to the difference what it changed here, and takes what it had changed above.
        for drawn in before() {
            each(&mut told, &drawn, |told, shown, below| told.wrapping_sub(shown.wrapping_sub(below)));
        }
        for drawn in layer.drawn_on(y) {
            each(&mut told, &drawn, |told, shown, below| told.wrapping_add(shown.wrapping_sub(below)));
        }
        out.bytes(&told);
        told.fill(0);
    }
    out.finish()
}

/// Changes the told bytes of a line where something was drawn.
fn each(told: &mut [u8], drawn: &DrawnSpan<'_>, f: impl Fn(u8, u8, u8) -> u8) {
    for (told, (shown, below)) in told[drawn.at..].iter_mut().zip(drawn.shown.iter().zip(drawn.below)) {
        *told = f(*told, *shown, *below);
    }
}
