//! The folder of the benchmark.
//!
//! Invariant: it is somebody else's: no path in its files leads out of it, and no link in it is followed.

use std::path::{Path, PathBuf};

use image::{ImageReader, RgbImage};
use serde::de::DeserializeOwned;
use waldo_devices::foreign;

use crate::error::OfflineError;
use crate::platform::OfflinePlatform;

const RECORD_BYTES: u64 = 256 << 20;
const PICTURE_BYTES: u64 = 64 << 20;
/// The most pixels of a picture: more are not decoded.
const PICTURE_PIXELS: u64 = 64_000_000;
pub(crate) const PICTURES: &str = "offline_images";
/// The benchmark's own folder below its root.
const OWN: &str = "MMBench-GUI";

#[derive(Clone, Debug)]
pub struct BenchFolder {
    pub dir: PathBuf,
}

impl BenchFolder {
    /// The folder at `dir`, or `MMBench-GUI` in it, as the benchmark's own code looks for it.
    pub fn open(dir: &Path, file: &'static str) -> Result<Self, OfflineError> {
        let found = [dir.to_owned(), dir.join(OWN)].into_iter().find(|dir| dir.join(file).is_file());
        let missing = || OfflineError::Missing { dir: dir.to_owned(), file };
        found.map(|dir| Self { dir }).ok_or_else(missing)
    }

    pub fn bytes(&self, file: &str) -> Result<Vec<u8>, OfflineError> {
        let path = self.dir.join(file);
        foreign::read(&self.dir, &path, RECORD_BYTES).map_err(|source| OfflineError::Io { path, source })
    }

    pub(crate) fn records<T: DeserializeOwned>(&self, file: &str) -> Result<T, OfflineError> {
        let bytes = self.bytes(file)?;
        let mut json = serde_json::Deserializer::from_slice(&bytes);
        serde_path_to_error::deserialize(&mut json).map_err(|error| OfflineError::Bad {
            path: self.dir.join(file),
            place: error.path().to_string(),
            message: error.inner().to_string(),
        })
    }

    pub fn picture_path(&self, platform: OfflinePlatform, name: &str) -> PathBuf {
        self.dir.join(PICTURES).join(platform.name()).join(name)
    }

    /// The width and height of a picture in pixels, without decoding it.
    pub fn picture_size(&self, path: &Path) -> Result<(u32, u32), OfflineError> {
        let failed = |source| OfflineError::Io { path: path.to_owned(), source };
        let file = foreign::open(&self.dir, path, PICTURE_BYTES).map_err(failed)?;
        let reader = ImageReader::new(std::io::BufReader::new(file)).with_guessed_format().map_err(failed)?;
        let size = reader.into_dimensions().map_err(std::io::Error::other).map_err(failed)?;
        match u64::from(size.0) * u64::from(size.1) {
            0 => Err(failed(std::io::Error::other("it has no pixels"))),
            1..=PICTURE_PIXELS => Ok(size),
            _ => Err(failed(std::io::Error::other("it has more than 64 million pixels"))),
        }
    }

    pub fn picture(&self, path: &Path) -> Result<RgbImage, OfflineError> {
        self.picture_size(path)?;
        let failed = |source| OfflineError::Io { path: path.to_owned(), source };
        let bytes = foreign::read(&self.dir, path, PICTURE_BYTES).map_err(failed)?;
        let decoded = image::load_from_memory(&bytes).map_err(std::io::Error::other).map_err(failed)?;
        Ok(decoded.into_rgb8())
    }

    /// Sees that all pictures can be read, and gives their sizes in the order of `paths`.
    pub(crate) fn sizes<'a>(
        &self,
        paths: impl Iterator<Item = &'a Path>,
    ) -> Result<Vec<(u32, u32)>, OfflineError> {
        let (mut sizes, mut missing, mut first, mut all) = (Vec::new(), 0, None, 0);
        let mut last: Option<(&Path, (u32, u32))> = None;
        for path in paths {
            all += 1;
            let size = match last.filter(|(before, _)| *before == path) {
                Some((_, size)) => Ok(size),
                None => self.picture_size(path),
            };
            match size {
                Ok(size) => {
                    last = Some((path, size));
                    sizes.push(size);
                }
                Err(error) => {
                    missing += 1;
                    first.get_or_insert((path.to_owned(), error));
                }
            }
        }
        match first {
            None => Ok(sizes),
            Some((first, error)) => {
                let why = match error {
                    OfflineError::Io { source, .. } => source.to_string(),
                    other => other.to_string(),
                };
                Err(OfflineError::Pictures { missing, all, first, why })
            }
        }
    }
}
