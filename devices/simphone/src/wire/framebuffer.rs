//! The `framebuffer:` service: a header of fourteen words, then the screen's pixels.

use super::stream::{Stream, StreamClosed};
use crate::phone::Phone;
use crate::shell::picture;
use std::sync::Arc;

/// The colour space, as `screencap` has it in its own header.
const SRGB: u32 = 1;
pub(crate) const HEADER_LEN: usize = 56;

/// The second version of the header, for RGBA pixels of so many columns and rows.
pub fn header(width: u32, height: u32) -> [u8; HEADER_LEN] {
    let size = width.saturating_mul(height).saturating_mul(4);
    // version, bits per pixel, colour space, size, width, height, then offset and length of red, blue, green, alpha
    let words = [2, 32, SRGB, size, width, height, 0, 8, 16, 8, 8, 8, 24, 8];
    let mut out = [0; HEADER_LEN];
    for (slot, word) in out.chunks_exact_mut(4).zip(words) {
        slot.copy_from_slice(&u32::to_le_bytes(word));
    }
    out
}

pub(super) async fn serve(phone: Arc<Phone>, stream: &Stream) -> Result<(), StreamClosed> {
    let Some(shot) = picture::take(&phone).await else { return Ok(()) };
    let (width, height) = shot.image.dimensions();
    let mut all = header(width, height).to_vec();
    all.extend_from_slice(shot.image.as_raw());
    if phone.with(|w| w.faults.has("swapped-colours")) {
        all = picture::swapped(all, &shot.image);
    }
    stream.write(&all[..shot.keep(all.len())]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_words_of_a_phones() {
        let words: Vec<u32> =
            header(3, 2).chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
        // adbutils, for one, tells by the colour space that the header is one word longer.
        assert_eq!(words, [2, 32, 1, 24, 3, 2, 0, 8, 16, 8, 8, 8, 24, 8]);
    }
}
