//! The picture of a turn, as an agent wants it.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use waldo_devices::DeviceError;
use waldo_devices::labels::{self, Layer, PictureFormat, PicturePacking};
use waldo_devices::private_dir::{DirKind, ScratchDir, in_memory};

use super::wire::{PictureWay, SentPicture, WantedFormat, WantedPicture, Wants};
use crate::agent::View;

/// The folder of a picture that is read from a file.
const DIR: DirKind = DirKind { prefix: "waldo-turn-", owner: "owner" };

/// Where pictures that are read from a file are put. Each turn has a file of its own, and the one before goes: whoever
/// has mapped that keeps its pixels.
#[derive(Debug, Default)]
pub(super) struct PictureFile {
    dir: Option<ScratchDir>,
    last: Option<PathBuf>,
    count: u64,
    is_full: bool,
}

impl PictureFile {
    /// Puts a picture there; `way` does not change within an episode.
    fn put(&mut self, bytes: &[u8], way: PictureWay) -> std::io::Result<PathBuf> {
        match self.write(bytes, way) {
            Err(error) if error.kind() == ErrorKind::StorageFull && !self.is_full => {
                *self = Self { is_full: true, ..Self::default() };
                self.write(bytes, way)
            }
            put => put,
        }
    }

    fn write(&mut self, bytes: &[u8], way: PictureWay) -> std::io::Result<PathBuf> {
        let of_memory = way == PictureWay::Memory;
        let dir = match &self.dir {
            Some(dir) => dir,
            None => {
                let temp = if of_memory && !self.is_full { in_memory() } else { std::env::temp_dir() };
                self.dir.insert(ScratchDir::make(&temp, DIR)?)
            }
        };
        self.count += 1;
        let ending = if of_memory { "rgb" } else { labels::file_ending(bytes) };
        let path = dir.path().join(format!("turn-{}.{ending}", self.count));
        std::fs::write(&path, bytes)?;
        if let Some(last) = self.last.replace(path.clone()) {
            std::fs::remove_file(last)?;
        }
        Ok(path)
    }
}

pub(super) fn sent(
    wants: &Wants,
    view: &View,
    file: &mut PictureFile,
) -> Result<Option<SentPicture>, DeviceError> {
    let screen = &view.observation.picture;
    if wants.picture == WantedPicture::None || screen.is_empty() {
        return Ok(None);
    }
    let format = match wants.format {
        WantedFormat::Png => PictureFormat::Png,
        WantedFormat::Webp => PictureFormat::Webp,
        WantedFormat::Jpeg => PictureFormat::Jpeg(wants.quality),
    };
    let max = wants.longest_side.map(|side| (side, side));
    let packed = |source| DeviceError::Io { what: "the turn's picture".to_owned(), source };
    let told = |(width, height): (u32, u32), media_type, base64, path: Option<PathBuf>| SentPicture {
        media_type,
        width,
        height,
        scale: f64::from(screen.size().0) / f64::from(width.max(1)),
        base64,
        path: path.map(|path| path.to_string_lossy().into_owned()),
    };
    if wants.picture_as == PictureWay::Memory {
        let pixels = match wants.picture {
            WantedPicture::Bare => screen.pixels().clone(),
            _ => labels::decode(&view.png)?.into(),
        };
        let pixels = match max {
            Some(most) => labels::shrink(Arc::unwrap_or_clone(pixels), most).into(),
            None => pixels,
        };
        let path = file.put(pixels.as_raw(), wants.picture_as).map_err(packed)?;
        return Ok(Some(told(pixels.dimensions(), "image/x-rgb", None, Some(path))));
    }
    let packing = PicturePacking { format, max };
    let bytes = if wants.picture == WantedPicture::Bare {
        Layer::over(screen.raster()).encode(packing)?
    } else {
        Layer::over(&labels::decode(&view.png)?).encode(packing)?
    };
    let (base64, path) = match wants.picture_as {
        PictureWay::Base64 => (Some(STANDARD.encode(&bytes)), None),
        _ => (None, Some(file.put(&bytes, wants.picture_as).map_err(packed)?)),
    };
    let size = labels::picture_size(&bytes).unwrap_or_default();
    Ok(Some(told(size, labels::media_type(&bytes), base64, path)))
}
