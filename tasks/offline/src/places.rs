//! L2: places on a picture that an instruction describes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::OfflineError;
use crate::folder::BenchFolder;
use crate::named::mode;
use crate::platform::OfflinePlatform;

pub const FILE: &str = "L2_annotations.json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grounding {
    /// What it looks like and is called.
    Basic,
    Advanced,
}

waldo_devices::named!(Grounding { Basic = "basic", Advanced = "advanced" });

impl Grounding {
    /// Its place in [`Grounding::ALL`].
    pub fn place(self) -> usize {
        usize::from(self == Self::Advanced)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    Icon,
    Text,
}

waldo_devices::named!(ItemKind { Icon = "icon", Text = "text" });

mode! {
    /// Which items are asked for: all, or those of one kind of instruction.
    PlaceMode of Grounding, "L2"
}

/// A point as shares of a picture's width and height, 0 to 1 from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlaceItem {
    /// What it is called here: its place in the file, from 0.
    pub id: String,
    pub index: u64,
    pub picture: PathBuf,
    pub image_path: String,
    /// The picture's width and height in pixels: of the picture itself, not as the file says.
    pub size: (u32, u32),
    pub instruction: String,
    pub bbox: [f64; 4],
    /// The box as shares of the picture: left, top, right, bottom.
    pub share: [f64; 4],
    pub kind: ItemKind,
    pub platform: OfflinePlatform,
    pub app_name: String,
    pub grounding: Grounding,
    /// The model in whose words the instruction stands, where one was asked to say it anew.
    pub rewritten_by: Option<String>,
}

impl PlaceItem {
    /// Whether a point lies in the box, its edges included.
    pub fn holds(&self, at: Share) -> bool {
        let [left, top, right, bottom] = self.share;
        (left..=right).contains(&at.x) && (top..=bottom).contains(&at.y)
    }

    pub fn middle(&self) -> Share {
        let [left, top, right, bottom] = self.share;
        Share { x: f64::midpoint(left, right), y: f64::midpoint(top, bottom) }
    }

    /// How much of the picture the box covers, 0 to 1: the chance of a point that is thrown at random.
    pub fn area(&self) -> f64 {
        let [left, top, right, bottom] = self.share;
        (right - left).max(0.0) * (bottom - top).max(0.0)
    }
}

#[derive(Deserialize)]
struct PlaceRecord {
    #[serde(default)]
    index: u64,
    image_path: String,
    instruction: String,
    bbox: [f64; 4],
    data_type: ItemKind,
    platform: OfflinePlatform,
    #[serde(default)]
    app_name: String,
    grounding_type: Grounding,
    rewritten_by: Option<String>,
}

pub fn places(folder: &BenchFolder, mode: PlaceMode) -> Result<Vec<PlaceItem>, OfflineError> {
    let records: Vec<PlaceRecord> = folder.records(FILE)?;
    let wanted: Vec<(usize, PlaceRecord)> = records
        .into_iter()
        .enumerate()
        .filter(|(_, record)| !matches!(mode, PlaceMode::Only(only) if only != record.grounding_type))
        .collect();
    let paths: Vec<PathBuf> =
        wanted.iter().map(|(_, record)| folder.picture_path(record.platform, &record.image_path)).collect();
    let sizes = folder.sizes(paths.iter().map(PathBuf::as_path))?;
    let mut all = Vec::new();
    for (((at, record), picture), size) in wanted.into_iter().zip(paths).zip(sizes) {
        let share = share(record.bbox, size);
        if !share.iter().all(|v| (0.0..=1.0).contains(v)) {
            return Err(OfflineError::Bad {
                path: folder.dir.join(FILE),
                place: format!("[{at}].bbox"),
                message: format!(
                    "{:?} does not lie in a picture of {} by {} pixels",
                    record.bbox, size.0, size.1
                ),
            });
        }
        all.push(PlaceItem {
            id: at.to_string(),
            index: record.index,
            picture,
            image_path: record.image_path,
            size,
            instruction: record.instruction,
            bbox: record.bbox,
            share,
            kind: record.data_type,
            platform: record.platform,
            app_name: record.app_name,
            grounding: record.grounding_type,
            rewritten_by: record.rewritten_by,
        });
    }
    Ok(all)
}

/// A box as shares: as it is where all four values lie in 0 to 1, else divided by the picture's size, with -1 as 0.
fn share(bbox: [f64; 4], (w, h): (u32, u32)) -> [f64; 4] {
    if bbox.iter().all(|v| (0.0..=1.0).contains(v)) {
        return bbox;
    }
    let safe = |v: f64| if v == -1.0 { 0.0 } else { v };
    let [left, top, right, bottom] = bbox.map(safe);
    let (w, h) = (f64::from(w), f64::from(h));
    [left / w, top / h, right / w, bottom / h]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_as_the_benchmark_reads_them() {
        let size = (1280, 720);
        assert_eq!(share([0.1, 0.2, 0.3, 0.4], size), [0.1, 0.2, 0.3, 0.4]);
        assert_eq!(share([0.0, 0.0, 1.0, 1.0], size), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(share([128.0, 72.0, 256.0, 144.0], size), [0.1, 0.1, 0.2, 0.2]);
        assert_eq!(share([-1.0, 0.0, 640.0, 360.0], size), [0.0, 0.0, 0.5, 0.5]);
        // Shares with one -1 among them are divided as well.
        assert_eq!(share([-1.0, 0.0, 0.5, 0.5], size)[2], 0.5 / 1280.0);
    }
}
