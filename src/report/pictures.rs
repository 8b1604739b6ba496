//! The pictures of a report: made smaller, each stored once, up to a limit.
//!
//! Invariant: what goes into the page is decided by the order in which pictures are asked for, not by
//! which thread is done first.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use waldo_devices::{foreign, labels};

use super::words::segment;

/// The longer side of an embedded picture, in pixels.
const MAX_SIDE: u32 = 960;
/// Out of 100.
const QUALITY: u8 = 60;
/// Pictures that are worked on between two looks at the limit.
const BATCH: usize = 32;

/// What became of the pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureCount {
    /// Steps whose picture is in the page.
    pub embedded: usize,
    /// Steps whose picture stays in the run folder and is linked.
    pub linked: usize,
    /// Steps whose picture is gone or damaged.
    pub lost: usize,
}

/// Where a picture is.
#[derive(Clone, Debug)]
enum Place {
    Embedded(usize),
    Linked(String),
    Lost,
}

/// All pictures of a report.
#[derive(Debug, Default)]
pub struct Pictures {
    places: HashMap<PathBuf, Place>,
    /// JPEG in base64.
    stored: Vec<String>,
    /// What became of them.
    pub count: PictureCount,
}

impl Pictures {
    /// Takes the files in order of importance until the page holds `limit` bytes of them; the others
    /// are linked relative to `out`. All lie in the folder `run`, which may be somebody else's.
    pub fn gather(run: &Path, files: &[PathBuf], out: &Path, limit: u64) -> Self {
        let mut all = Self::default();
        let mut known: HashMap<Hash, Place> = HashMap::new();
        let (mut used, mut full) = (0u64, limit == 0);
        for batch in files.chunks(BATCH) {
            // A full page needs no more than to know that the files are there.
            let read: Vec<Option<(Hash, Vec<u8>)>> =
                if full { Vec::new() } else { on_all_processors(batch, |file| hashed(run, file)) };
            let mut fresh = Vec::new();
            for (hash, bytes) in read.iter().flatten() {
                if !known.contains_key(hash) && !fresh.iter().any(|(h, _): &(Hash, &[u8])| h == hash) {
                    fresh.push((*hash, bytes.as_slice()));
                }
            }
            let made = on_all_processors(&fresh, |(_, bytes)| shrink(bytes));
            for ((hash, _), picture) in fresh.iter().zip(made) {
                let place = match picture {
                    None => Place::Lost,
                    Some(picture) if full || used + picture.len() as u64 > limit => {
                        full = true;
                        // Its file is linked below.
                        continue;
                    }
                    Some(picture) => {
                        used += picture.len() as u64;
                        all.stored.push(picture);
                        Place::Embedded(all.stored.len() - 1)
                    }
                };
                known.insert(*hash, place);
            }
            for (at, file) in batch.iter().enumerate() {
                let place = match read.get(at) {
                    Some(None) => Place::Lost,
                    Some(Some((hash, _))) if known.contains_key(hash) => {
                        known.get(hash).cloned().unwrap_or(Place::Lost)
                    }
                    _ if foreign::open(run, file, foreign::PICTURE_BYTES).is_ok() => {
                        Place::Linked(relative(out, file))
                    }
                    _ => Place::Lost,
                };
                match place {
                    Place::Embedded(_) => all.count.embedded += 1,
                    Place::Linked(_) => all.count.linked += 1,
                    Place::Lost => all.count.lost += 1,
                }
                all.places.insert(file.clone(), place);
            }
        }
        all
    }

    /// How the page refers to a picture: a number of the stored ones, an address, or null.
    pub fn reference(&self, file: &Path) -> Value {
        match self.places.get(file) {
            Some(Place::Embedded(at)) => json!(at),
            Some(Place::Linked(address)) => json!(address),
            Some(Place::Lost) | None => Value::Null,
        }
    }

    /// The stored pictures as JPEG in base64.
    pub fn stored(&self) -> &[String] {
        &self.stored
    }
}

type Hash = [u8; 32];

/// Works on the items with all processors; the answers come in the items' order.
fn on_all_processors<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> Option<R> + Sync) -> Vec<Option<R>> {
    let workers = thread::available_parallelism().map_or(2, usize::from).min(8);
    let share = items.len().div_ceil(workers).max(1);
    let work = &work;
    thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(share)
            .map(|part| (part.len(), scope.spawn(move || part.iter().map(work).collect::<Vec<_>>())))
            .collect();
        parts
            .into_iter()
            .flat_map(|(n, part)| {
                part.join().unwrap_or_else(|_| std::iter::repeat_with(|| None).take(n).collect())
            })
            .collect()
    })
}

fn hashed(run: &Path, file: &Path) -> Option<(Hash, Vec<u8>)> {
    let bytes = foreign::read(run, file, foreign::PICTURE_BYTES).ok()?;
    Some((Sha256::digest(&bytes).into(), bytes))
}

/// The picture as a small JPEG in base64.
fn shrink(bytes: &[u8]) -> Option<String> {
    let picture = labels::decode(bytes).ok()?;
    let (small, _) = labels::downscale(&picture, MAX_SIDE);
    Some(STANDARD.encode(labels::encode_jpeg(&small, QUALITY).ok()?))
}

/// The address of `file` as seen from a page in `from`.
fn relative(from: &Path, file: &Path) -> String {
    let (from, file) = match (from.canonicalize(), file.canonicalize()) {
        (Ok(from), Ok(file)) => (from, file),
        _ => (from.to_owned(), file.to_owned()),
    };
    let (a, b): (Vec<_>, Vec<_>) = (from.components().collect(), file.components().collect());
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let up = a[shared..].iter().map(|_| "..".to_owned());
    let down = b[shared..].iter().filter_map(|c| match c {
        Component::Normal(name) => Some(segment(&name.to_string_lossy())),
        _ => None,
    });
    let address = up.chain(down).collect::<Vec<_>>().join("/");
    if address.starts_with("..") { address } else { format!("./{address}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
    use std::fs;

    #[test]
    fn equal_pictures_are_stored_once_and_the_rest_is_linked() {
        let dir = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for (i, shade) in [10u8, 10, 200, 30].into_iter().enumerate() {
            let file = dir.path().join("run a").join(format!("step-{i}.png"));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let noise =
                RgbImage::from_fn(64, 64, |x, y| image::Rgb([shade, (x * y % 251) as u8, (x ^ y) as u8]));
            fs::write(&file, labels::encode_png(&noise).unwrap()).unwrap();
            files.push(file);
        }
        files.push(dir.path().join("gone.png"));
        let out = dir.path().join("out");
        fs::create_dir_all(&out).unwrap();
        let all = Pictures::gather(dir.path(), &files, &out, 1 << 20);
        assert_eq!(all.count, PictureCount { embedded: 4, linked: 0, lost: 1 });
        assert_eq!((all.stored().len(), all.reference(&files[1])), (3, json!(0)));
        let few = Pictures::gather(dir.path(), &files, &out, all.stored()[0].len() as u64);
        assert_eq!(few.count, PictureCount { embedded: 2, linked: 2, lost: 1 });
        assert_eq!(few.reference(&files[2]), json!("../run%20a/step-2.png"));
    }
}
