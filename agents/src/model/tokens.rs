//! How many tokens texts and pictures take, estimated: no wire counts them before a request.

use waldo_devices::labels::picture_size;

pub fn text_tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let others = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(4) + others
}

fn picture_tokens(width: u32, height: u32) -> u64 {
    85 + 170 * u64::from(width.div_ceil(512)) * u64::from(height.div_ceil(512))
}

/// Tokens of a packed picture, estimated by the size that its head says.
pub fn png_tokens(png: &[u8]) -> u64 {
    let (width, height) = picture_size(png).unwrap_or_default();
    picture_tokens(width, height)
}
