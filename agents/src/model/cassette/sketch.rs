//! A small grey image of a picture, to tell a picture drawn again from another one.
//!
//! A browser does not draw the same page to the same pixels twice: the edge of a shadow or of a letter differs
//! by a shade with the order in which its tiles were painted. A recording therefore answers for a picture that
//! is the recorded one but for such noise, when all the rest of the request is equal, texts of elements included.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::imageops::{FilterType, resize};
use waldo_devices::labels::decode;

use crate::model::{MessagePart, ModelRequest};

const SIDES: (u32, u32) = (64, 64);
/// Shades (of 256) by which any pixel of two sketches of one picture may differ. On a screen of 1280x800 one
/// pixel of a sketch stands for 20x12, so a letter that changes counts for more.
const NOISE: u8 = 6;

/// The sketches of a request's pictures, in order; an empty one for what is not a picture.
pub(super) fn sketches(request: &ModelRequest) -> Vec<String> {
    request
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            MessagePart::Text(_) | MessagePart::Said(_) => None,
            MessagePart::Png(png) => Some(png),
            MessagePart::Result(result) => result.picture.as_ref(),
        })
        .map(|png| {
            decode(png).map_or_else(
                |_| String::new(),
                |picture| {
                    let grey = image::imageops::grayscale(&picture);
                    STANDARD.encode(resize(&grey, SIDES.0, SIDES.1, FilterType::Triangle).as_raw())
                },
            )
        })
        .collect()
}

/// Whether the pictures behind two lists of sketches are the same but for noise.
pub(super) fn alike(left: &[String], right: &[String]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| near(left, right))
}

fn near(left: &str, right: &str) -> bool {
    if left.is_empty() || right.is_empty() {
        return false;
    }
    match (STANDARD.decode(left), STANDARD.decode(right)) {
        (Ok(left), Ok(right)) => {
            left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| a.abs_diff(*b) <= NOISE)
        }
        _ => false,
    }
}
