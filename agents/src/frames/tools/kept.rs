//! The pictures that a script holds, in little memory.
//!
//! Invariants: a picture that was kept never changes; what all of them take is bounded. Pictures of a page are
//! packed without loss, to some twentieth of their pixels, so that many of a whole page stay below it.

use std::sync::Arc;

use waldo_cage::{ExcKind, HostError};
use waldo_devices::labels::{decode, encode_png};

use super::index;
use crate::frames::vision::VisionPicture;

/// Pictures that scripts may hold.
const PICTURES: usize = 1_500;
/// Bytes that all pictures of a script take at most, those that tools keep for their choices included.
const BYTES: u64 = 256 << 20;
/// Bytes of pixels from which on a picture is packed.
const LARGE: u64 = 256 << 10;

#[derive(Clone, Debug)]
enum Form {
    Pixels(VisionPicture),
    Png { file: Arc<[u8]>, size: (u32, u32) },
}

#[derive(Debug, Default)]
pub(crate) struct PictureStore {
    pictures: Vec<Form>,
    bytes: u64,
    /// The one that was kept last, as it was given.
    last: Option<VisionPicture>,
}

fn pixels((w, h): (u32, u32)) -> u64 {
    u64::from(w) * u64::from(h) * 3
}

fn raised(message: String) -> HostError {
    HostError::raise(ExcKind::Runtime, message)
}

impl PictureStore {
    pub(crate) fn keep(&mut self, picture: VisionPicture) -> Result<usize, HostError> {
        if self.pictures.len() >= PICTURES {
            let message = format!("{PICTURES} pictures were taken: look at fewer, and keep what was seen");
            return Err(raised(message));
        }
        let same = self.last.as_ref().is_some_and(|last| last.is(&picture));
        let form = match self.pictures.last() {
            Some(form) if same => form.clone(),
            _ if pixels(picture.size()) < LARGE => {
                self.count(pixels(picture.size()))?;
                Form::Pixels(picture.clone())
            }
            _ => {
                let file = encode_png(picture.pixels()).map_err(|e| raised(e.to_string()))?;
                self.count(file.len() as u64)?;
                Form::Png { file: file.into(), size: picture.size() }
            }
        };
        self.last = Some(picture);
        self.pictures.push(form);
        Ok(self.pictures.len() - 1)
    }

    /// Counts pixels that are held elsewhere.
    pub(crate) fn hold(&mut self, size: (u32, u32)) -> Result<(), HostError> {
        self.count(pixels(size))
    }

    fn count(&mut self, more: u64) -> Result<(), HostError> {
        let bytes = self.bytes.saturating_add(more);
        if bytes > BYTES {
            return Err(raised(format!(
                "all pictures together take {} MB at most, and they are used up: look at smaller parts, and at \
                 fewer of them",
                BYTES >> 20
            )));
        }
        self.bytes = bytes;
        Ok(())
    }

    pub(crate) fn size(&self, id: usize) -> (u32, u32) {
        match self.pictures.get(id) {
            Some(Form::Pixels(picture)) => picture.size(),
            Some(Form::Png { size, .. }) => *size,
            None => (0, 0),
        }
    }

    pub(crate) fn get(&self, id: usize) -> Result<VisionPicture, HostError> {
        match self.pictures.get(id) {
            Some(Form::Pixels(picture)) => Ok(picture.clone()),
            // The one that was kept last needs no unpacking, under whatever number.
            Some(Form::Png { file, .. }) => match (&self.last, self.pictures.last()) {
                (Some(picture), Some(Form::Png { file: last, .. })) if Arc::ptr_eq(last, file) => {
                    Ok(picture.clone())
                }
                _ => Ok(decode(file).map_err(|e| raised(e.to_string()))?.into()),
            },
            None => Err(index("image", id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    #[test]
    fn a_page_may_be_watched_for_long_and_noise_may_not_fill_the_memory() {
        let mut store = PictureStore::default();
        let mut page = RgbImage::from_pixel(1280, 800, Rgb([250, 250, 250]));
        for n in 0..300 {
            page.put_pixel(n, 40, Rgb([0, 0, 200]));
            store.keep(page.clone().into()).unwrap();
        }
        assert!(store.bytes < 32 << 20, "{}", store.bytes);
        assert_eq!(store.get(299).unwrap().pixels(), &page);
        let mut seed = 1u32;
        let mut noise = RgbImage::from_fn(2048, 2048, |_, _| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [_, r, g, b] = seed.to_le_bytes();
            Rgb([r, g, b])
        });
        let refused = (0..40u32).find_map(|n| {
            noise.put_pixel(n, 0, Rgb([0, 0, 0]));
            store.keep(noise.clone().into()).err()
        });
        assert!(format!("{refused:?}").contains("256 MB at most") && store.bytes <= BYTES, "{refused:?}");
    }
}
