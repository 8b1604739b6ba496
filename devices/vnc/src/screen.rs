//! A screen elsewhere, whatever speaks to it.

use async_trait::async_trait;
use image::RgbImage;

use waldo_devices::{Deadline, Result};

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

/// A screen, its pointer and its keys. Errors are `DeviceError::Gone` once the connection is lost, and
/// `DeviceError::Timeout`.
#[async_trait]
pub(crate) trait RemoteScreen: Send + Sync {
    /// What the server calls it: untrusted text.
    fn name(&self) -> &str;

    /// Width and height in pixels, as they are now.
    fn size(&self) -> (u32, u32);

    fn lost(&self) -> Option<String>;

    fn traffic(&self) -> VncTraffic;

    /// The picture, once it is whole.
    async fn shot(&self, deadline: Deadline) -> Result<Shot>;

    /// Waits for an update after `revision`, and tells whether one came by `end`.
    async fn changed(&self, revision: u64, end: Deadline) -> Result<bool>;

    /// Waits until the server has answered something that it was asked after all that was sent before.
    async fn sync(&self, deadline: Deadline) -> Result<()>;

    /// Where the pointer is, in pixels, and which buttons are down: bit 0 is the first.
    async fn pointer(&self, at: (u16, u16), buttons: u8, deadline: Deadline) -> Result<()>;

    async fn key(&self, keysym: u32, down: bool, deadline: Deadline) -> Result<()>;
}
