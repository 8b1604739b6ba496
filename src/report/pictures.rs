//! The pictures of a report: linked where they lie, or in the page, each stored once.
//!
//! Invariant: what goes into the page depends on the files alone, not on which thread is done first.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use waldo_devices::foreign;
use waldo_devices::labels::{self, Layer, PictureFormat, PicturePacking};
use waldo_tasks::parallel::on_all_processors;

use super::words::segment;

/// The largest picture in a page, in pixels.
const MOST: (u32, u32) = (1280, 1280);
/// A picture of so many bytes goes into the page as it was recorded.
const SMALL: usize = 160 << 10;
/// Pictures whose files are in memory at once.
const BATCH: usize = 32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureCount {
    pub embedded: usize,
    /// Steps whose picture stays in the run folder and is linked.
    pub linked: usize,
    pub lost: usize,
}

impl PictureCount {
    pub fn and(self, other: Self) -> Self {
        Self {
            embedded: self.embedded + other.embedded,
            linked: self.linked + other.linked,
            lost: self.lost + other.lost,
        }
    }
}

#[derive(Clone, Debug)]
enum PictureLocation {
    Embedded(usize),
    Linked(String),
    Lost,
}

#[derive(Debug, Default)]
pub struct Pictures {
    places: HashMap<PathBuf, PictureLocation>,
    pub stored: Vec<String>,
    pub count: PictureCount,
}

impl Pictures {
    /// Links the files, which lie in the folder `run`, which may be somebody else's. `from_out` leads there from the
    /// folder of the page.
    pub fn linked(run: &Path, files: impl IntoIterator<Item = PathBuf>, from_out: &str) -> Self {
        let mut all = Self::default();
        for file in files {
            // A file that is nothing but a plain one below the folder.
            let place = match (foreign::open(run, &file, foreign::PICTURE_BYTES), file.strip_prefix(run)) {
                (Ok(_), Ok(below)) => PictureLocation::Linked(format!("{from_out}{}", address(below))),
                _ => PictureLocation::Lost,
            };
            all.put(file, place);
        }
        all
    }

    /// The address of one file, as [`Self::linked`] has it.
    pub fn link(run: &Path, file: &Path, from_out: &str) -> Option<String> {
        foreign::open(run, file, foreign::PICTURE_BYTES).ok()?;
        Some(format!("{from_out}{}", address(file.strip_prefix(run).ok()?)))
    }

    /// Takes the files, which lie in the folder `run`, into the page: as they are where they are small, else as
    /// lossless WebP, made smaller where they are large.
    pub fn embedded(run: &Path, files: &[PathBuf]) -> Self {
        let mut all = Self::default();
        let mut known: HashMap<[u8; 32], usize> = HashMap::new();
        for batch in files.chunks(BATCH) {
            let read = on_all_processors(batch, |file| {
                let bytes = foreign::read(run, file, foreign::PICTURE_BYTES).ok()?;
                Some((<[u8; 32]>::from(Sha256::digest(&bytes)), bytes))
            });
            let mut fresh: Vec<&([u8; 32], Vec<u8>)> = Vec::new();
            for one in read.iter().flatten() {
                if !known.contains_key(&one.0) && !fresh.iter().any(|other| other.0 == one.0) {
                    fresh.push(one);
                }
            }
            let made = on_all_processors(&fresh, |(_, bytes)| data_address(bytes));
            for ((hash, _), picture) in fresh.into_iter().zip(made) {
                if let Some(picture) = picture {
                    known.insert(*hash, all.stored.len());
                    all.stored.push(picture);
                }
            }
            for (file, read) in batch.iter().zip(&read) {
                let at = read.as_ref().and_then(|(hash, _)| known.get(hash));
                all.put(file.clone(), at.map_or(PictureLocation::Lost, |at| PictureLocation::Embedded(*at)));
            }
        }
        all
    }

    fn put(&mut self, file: PathBuf, place: PictureLocation) {
        match place {
            PictureLocation::Embedded(_) => self.count.embedded += 1,
            PictureLocation::Linked(_) => self.count.linked += 1,
            PictureLocation::Lost => self.count.lost += 1,
        }
        self.places.insert(file, place);
    }

    /// How the page refers to a picture: a number of the stored ones, an address, or null.
    pub fn reference(&self, file: &Path) -> Value {
        match self.places.get(file) {
            Some(PictureLocation::Embedded(at)) => json!(at),
            Some(PictureLocation::Linked(address)) => json!(address),
            Some(PictureLocation::Lost) | None => Value::Null,
        }
    }
}

fn data_address(bytes: &[u8]) -> Option<String> {
    let (width, height) = labels::picture_size(bytes)?;
    let fits = width <= MOST.0 && height <= MOST.1;
    let small = fits && bytes.len() <= SMALL && labels::media_type(bytes) != "image/png";
    let packed = if small {
        bytes.to_vec()
    } else {
        let picture = labels::decode(bytes).ok()?;
        let packing = PicturePacking { format: PictureFormat::Webp, max: Some(MOST) };
        Layer::over(&picture).encode(packing).ok()?
    };
    Some(format!("data:{};base64,{}", labels::media_type(&packed), STANDARD.encode(packed)))
}

/// How to get to the folder `run` from a page in the folder `out`: with a slash at its end.
pub(super) fn way(out: &Path, run: &Path) -> String {
    let (from, to) = match (out.canonicalize(), run.canonicalize()) {
        (Ok(from), Ok(to)) => (from, to),
        _ => (out.to_owned(), run.to_owned()),
    };
    let (a, b): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(a.len() - shared);
    let down = address(&b[shared..].iter().collect::<PathBuf>());
    let start = if up.is_empty() { "./" } else { &up };
    if down.is_empty() { start.to_owned() } else { format!("{start}{down}/") }
}

fn address(path: &Path) -> String {
    let name = |part| match part {
        Component::Normal(name) => Some(segment(&name.to_string_lossy())),
        _ => None,
    };
    path.components().filter_map(name).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
    use std::fs;

    fn files(run: &Path) -> Vec<PathBuf> {
        fs::create_dir_all(run).unwrap();
        let mut files = Vec::new();
        for (i, shade) in [10u8, 10, 200, 30].into_iter().enumerate() {
            let file = run.join(format!("step-{i}.png"));
            let noise =
                RgbImage::from_fn(64, 64, |x, y| image::Rgb([shade, (x * y % 251) as u8, (x ^ y) as u8]));
            fs::write(&file, labels::encode_png(&noise).unwrap()).unwrap();
            files.push(file);
        }
        files.push(run.join("gone.png"));
        files
    }

    #[test]
    fn equal_pictures_are_in_the_page_once_and_without_loss() {
        let dir = tempfile::tempdir().unwrap();
        let files = files(dir.path());
        let all = Pictures::embedded(dir.path(), &files);
        assert_eq!(all.count, PictureCount { embedded: 4, linked: 0, lost: 1 });
        assert_eq!((all.stored.len(), all.reference(&files[1])), (3, json!(0)));
        let packed = all.stored[1].strip_prefix("data:image/webp;base64,").unwrap();
        let shown = labels::decode(&STANDARD.decode(packed).unwrap()).unwrap();
        assert!(shown == labels::decode(&fs::read(&files[2]).unwrap()).unwrap());
        // What is small WebP already goes in as it is, and what is large is made smaller.
        let webp = STANDARD.decode(packed).unwrap();
        assert_eq!(data_address(&webp), Some(all.stored[1].clone()));
        let large = labels::encode_png(&RgbImage::new(2000, 10)).unwrap();
        let large = data_address(&large).unwrap();
        let large = STANDARD.decode(large.split_once(',').unwrap().1).unwrap();
        assert_eq!(labels::picture_size(&large), Some((1280, 6)));
    }

    #[test]
    fn pictures_are_linked_from_wherever_the_page_is() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run a");
        let files = files(&run);
        for (out, way_there) in [("out", "../run%20a/"), ("run a", "./"), (".", "./run%20a/")] {
            let out = dir.path().join(out);
            fs::create_dir_all(&out).unwrap();
            assert_eq!(way(&out, &run), way_there);
            let all = Pictures::linked(&run, files.clone(), &way(&out, &run));
            assert_eq!(all.count, PictureCount { embedded: 0, linked: 4, lost: 1 });
            assert_eq!(all.reference(&files[2]), json!(format!("{way_there}step-2.png")));
            assert_eq!(all.reference(&files[4]), Value::Null);
        }
    }
}
