//! Screens that items are made from: pictures without tags, with all that the device said of them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waldo_devices::foreign::{self, PathName};
use waldo_devices::{Element, StaticText};

use crate::error::OfflineError;
use crate::platform::OfflinePlatform;

/// The folder of screens, in the folder of the items that were made from them.
pub const FOLDER: &str = "screens";
const LIST: &str = "screens.jsonl";
/// The most bytes of the list.
const BYTES: u64 = 1 << 30;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    /// What it is called: where and when it was seen.
    #[serde(deserialize_with = "PathName::text")]
    pub name: String,
    pub task: String,
    pub platform: OfflinePlatform,
    /// What is in front: an app, a program, a page's title.
    pub app: String,
    /// The file of its picture, without ending; another screen's where both look alike.
    #[serde(deserialize_with = "PathName::text")]
    pub picture: String,
    pub size: [u32; 2],
    pub scale: f64,
    /// Its elements; their boxes count pixels of the picture.
    pub elements: Vec<Element>,
    /// What else can be read on it.
    pub texts: Vec<StaticText>,
    pub pressed: Option<Pressed>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pressed {
    pub element: usize,
    pub next: String,
}

impl Screen {
    /// Where its picture is, below the folder of items.
    pub fn file(&self, dir: &Path) -> PathBuf {
        dir.join(FOLDER).join(format!("{}.png", self.picture))
    }
}

pub fn read_screens(dir: &Path) -> Result<Vec<Screen>, OfflineError> {
    let path = dir.join(FOLDER).join(LIST);
    let bytes =
        foreign::read(dir, &path, BYTES).map_err(|source| OfflineError::Io { path: path.clone(), source })?;
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let screen = |(at, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|error| OfflineError::Bad {
            path: path.clone(),
            place: format!("line {}", at + 1),
            message: error.to_string(),
        })
    };
    lines.map(screen).collect()
}

pub fn write_screens(dir: &Path, screens: &[Screen]) -> Result<(), OfflineError> {
    let path = dir.join(FOLDER).join(LIST);
    let mut bytes = Vec::new();
    for screen in screens {
        serde_json::to_writer(&mut bytes, screen).map_err(|error| OfflineError::Own(error.to_string()))?;
        bytes.push(b'\n');
    }
    std::fs::write(&path, bytes).map_err(|source| OfflineError::Write { path, source })
}
