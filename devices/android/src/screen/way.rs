use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::raw::{decode_framebuffer, decode_raw};
use crate::adb::{PhoneLink, RepeatRule};
use waldo_devices::{Deadline, DeviceError, Picture, labels};

/// The most bytes that a compressed picture may unpack to: 8K with four bytes a pixel.
const UNPACKED_MAX: u64 = 136 << 20;

/// A way to get a picture from a phone. Which is fastest depends on the phone and on the cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureWay {
    /// Pixels as they are: no work for the phone, the most bytes.
    Raw,
    /// Pixels, packed lightly: good over Wi-Fi.
    RawGzip,
    /// adb's framebuffer service: as raw.
    Framebuffer,
    /// PNG: slow on most phones.
    Png,
    /// JPEG: newer Android only.
    Jpeg,
}

impl PictureWay {
    /// All of them. The first is the one whose colours no phone gets wrong, since viewers show them.
    pub(super) const ALL: [Self; 5] = [Self::Png, Self::Raw, Self::RawGzip, Self::Framebuffer, Self::Jpeg];

    fn command(self, display: Option<&str>) -> Option<String> {
        let display = display.map(|id| format!(" -d {id}")).unwrap_or_default();
        Some(match self {
            Self::Raw => format!("screencap{display}"),
            Self::RawGzip => format!("screencap{display} | gzip -1"),
            Self::Png => format!("screencap -p{display}"),
            Self::Jpeg => format!("screencap -j{display}"),
            Self::Framebuffer => return None,
        })
    }

    pub(super) async fn fetch(
        self,
        link: &PhoneLink,
        display: Option<&str>,
        deadline: Deadline,
    ) -> Result<Vec<u8>, DeviceError> {
        let Some(command) = self.command(display) else {
            return link.bytes("framebuffer:", deadline).await;
        };
        if link.has("shell_v2", deadline).await? {
            // Only this shell keeps warnings out of the picture.
            return Ok(link.shell(&command, RepeatRule::Safe, deadline).await?.ok(&command)?.stdout);
        }
        link.bytes(&format!("exec:{}", command.replacen("screencap", "screencap 2>/dev/null", 1)), deadline)
            .await
    }

    pub(super) fn decode(self, bytes: Vec<u8>) -> Result<Picture, String> {
        match self {
            Self::Raw => decode_raw(bytes.into()),
            Self::Framebuffer => decode_framebuffer(bytes.into()),
            Self::RawGzip => {
                let mut raw = Vec::new();
                let mut reader = MultiGzDecoder::new(bytes.as_slice()).take(UNPACKED_MAX);
                reader.read_to_end(&mut raw).map_err(|error| format!("gzip: {error}"))?;
                decode_raw(raw.into())
            }
            Self::Png | Self::Jpeg => {
                labels::decode(&bytes).map(Picture::new).map_err(|error| error.to_string())
            }
        }
    }
}
