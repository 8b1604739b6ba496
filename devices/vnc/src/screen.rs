//! What comes from a screen elsewhere.

use image::RgbImage;

/// What came from a server since the connection was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VncTraffic {
    pub updates: u64,
    /// Bytes, after TLS.
    pub bytes: u64,
    pub raw: u64,
    pub copied: u64,
    pub hextile: u64,
    pub tight: u64,
    pub zrle: u64,
}

pub(crate) struct Shot {
    /// Its pixels, of whole updates alone.
    pub(crate) picture: RgbImage,
    pub(crate) revision: u64,
}
