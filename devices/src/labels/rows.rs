//! The lines of a picture as the compressed data of a PNG.
//!
//! Every line is told as its difference to the one above (PNG's filter "Up"): on a screen most lines are the
//! same, and choosing among all filters takes twice the time for files a fifth smaller.

use std::io;

use fdeflate::Compressor;

/// The number of the filter "Up".
const UP: u8 = 2;

/// Lines of `width` bytes each, from the top, as a zlib stream.
///
/// # Errors
/// None that could happen: it is written to memory.
pub(super) fn compressed<'a>(width: usize, lines: impl Iterator<Item = &'a [u8]>) -> io::Result<Vec<u8>> {
    let first = vec![0; width];
    let mut above = first.as_slice();
    let mut same = vec![0; width + 1];
    same[0] = UP;
    let mut other = same.clone();
    let mut out = Compressor::new(Vec::with_capacity(1 << 18))?;
    for line in lines {
        if line == above {
            out.write_data(&same)?;
            continue;
        }
        for (to, (here, above)) in other[1..].iter_mut().zip(line.iter().zip(above)) {
            *to = here.wrapping_sub(*above);
        }
        out.write_data(&other)?;
        above = line;
    }
    out.finish()
}
