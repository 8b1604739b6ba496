//! Reading a demonstration, waldo's or AppAgent's.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use waldo_agents::View;
use waldo_agents::appagent::docs::logs::{Recorded, read_record};
use waldo_devices::foreign::{self, PathName};
use waldo_devices::{Observation, Picture, Platform, labels};

use super::layout::{DemoInfo, FORMAT, PARTS, SCREENS};
use crate::error::{Result, TaskError};
use crate::events::{Event, EventKind, Observed};
use crate::record::{EVENTS, read_events};

/// The name of a picture in the folder of the screens, as a record has it.
fn picture_name(told: &str) -> Result<PathName, foreign::BadName> {
    PathName::new(told.strip_prefix(SCREENS).and_then(|rest| rest.strip_prefix('/')).unwrap_or(told))
}

#[derive(Clone, Debug, Default)]
pub struct DemoScreen {
    pub labelled: Option<PathBuf>,
    pub raw: Option<PathBuf>,
    /// What was on it; AppAgent's own demonstrations do not say.
    pub seen: Option<Box<Observed>>,
}

#[derive(Clone, Debug)]
pub struct DemoStep {
    pub step: u32,
    pub call: String,
    /// AppAgent's line; only such steps are about an element.
    pub recorded: Option<Recorded>,
    pub before: DemoScreen,
    pub after: Option<DemoScreen>,
}

/// A demonstration, waldo's or AppAgent's.
#[derive(Clone, Debug)]
pub struct Demo {
    pub path: PathBuf,
    pub info: DemoInfo,
    pub steps: Vec<DemoStep>,
}

impl Demo {
    /// Reads a demonstration; of AppAgent's the record and the labelled pictures are enough.
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.join("demo.json");
        if !file.exists() && !file.is_symlink() {
            return Self::upstream(path);
        }
        let text = foreign::read(path, &file, foreign::TEXT_BYTES).map_err(TaskError::io("read", &file))?;
        let info: DemoInfo = serde_json::from_slice(&text)
            .map_err(|e| TaskError::record(&file, format!("{e}; the file is damaged")))?;
        if info.format != FORMAT {
            return Err(TaskError::record(
                &file,
                format!("has format {}, this waldo reads {FORMAT}", info.format),
            ));
        }
        for part in PARTS {
            foreign::check_way(path, Path::new(part)).map_err(TaskError::io("read", path))?;
        }
        let mut steps: Vec<DemoStep> = Vec::new();
        let mut last = DemoScreen::default();
        // The screen right after a step is the one after it, unless the device was started anew.
        let mut awaited = false;
        for event in Self::events(path)? {
            match event.kind {
                EventKind::Started { .. } => awaited = false,
                EventKind::Observed(seen) => {
                    let named = seen.picture.as_deref().map(picture_name).transpose();
                    let named = named.map_err(|e| TaskError::record(&path.join(EVENTS), e.to_string()))?;
                    let labelled = named.map(|name| path.join(SCREENS).join(name));
                    let raw = labelled.as_ref().map(|p| {
                        let stem = p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                        p.with_file_name(format!("{stem}-raw.png"))
                    });
                    last = DemoScreen { labelled, raw, seen: Some(seen) };
                    if let Some(step) = steps.last_mut().filter(|_| awaited) {
                        step.after = Some(last.clone());
                    }
                    awaited = false;
                }
                EventKind::Demonstrated { step, call, recorded, .. } => {
                    steps.push(DemoStep { step, call, recorded, before: last.clone(), after: None });
                    awaited = true;
                }
                _ => {}
            }
        }
        Ok(Self { path: path.to_owned(), info, steps })
    }

    /// The events of the demonstration in a folder; a last line that was cut off is left out.
    pub fn events(path: &Path) -> Result<Vec<Event>> {
        read_events(path, path)
    }

    /// The picture with its numbers that a screen of the demonstration in a folder names, where it can be read.
    pub fn picture(path: &Path, seen: &Observed) -> Option<Vec<u8>> {
        let name = picture_name(seen.picture.as_deref()?).ok()?;
        foreign::read(path, &path.join(SCREENS).join(name), foreign::PICTURE_BYTES).ok()
    }

    fn upstream(path: &Path) -> Result<Self> {
        let file = path.join("record.txt");
        let text = foreign::read_text(path, &file, foreign::TEXT_BYTES).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                TaskError::record(path, "is not a demonstration: it has neither demo.json nor record.txt")
            }
            _ => TaskError::io("read", &file)(e),
        })?;
        let records = read_record(&text).map_err(|e| TaskError::record(&file, e.to_string()))?;
        let full = fs::canonicalize(path).map_err(TaskError::io("find", path))?;
        let name = |p: Option<&Path>| {
            p.and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let demo = name(Some(&full));
        // AppAgent's folders are apps/APP/demos/DEMO.
        let app = name(full.parent().and_then(Path::parent));
        let goal =
            foreign::read_text(path, Path::new("task_desc.txt"), foreign::TEXT_BYTES).unwrap_or_default();
        let shot = |n: usize| {
            let file = |kind: &str| {
                let file = path.join(kind).join(format!("{demo}_{n}.png"));
                foreign::open(path, &file, foreign::PICTURE_BYTES).is_ok().then_some(file)
            };
            DemoScreen { labelled: file("labeled_screenshots"), raw: file("raw_screenshots"), seen: None }
        };
        let steps = records
            .into_iter()
            .filter(|r| *r != Recorded::Stop)
            .enumerate()
            .map(|(at, recorded)| DemoStep {
                step: u32::try_from(at + 1).unwrap_or(u32::MAX),
                call: recorded.to_string(),
                recorded: Some(recorded),
                before: shot(at + 1),
                after: Some(shot(at + 2)).filter(|s| s.labelled.is_some()),
            })
            .collect();
        let info = DemoInfo {
            started: Timestamp::UNIX_EPOCH,
            ended: Some(Timestamp::UNIX_EPOCH),
            ..DemoInfo::new(&demo, &app, goal.trim(), Platform::Android, "AppAgent")
        };
        Ok(Self { path: path.to_owned(), info, steps })
    }
}

impl DemoScreen {
    /// The screen as it was seen, with the picture without numbers where it is there; `None` where nothing
    /// but pictures is known.
    pub fn view(&self) -> Result<Option<View>> {
        let Some(seen) = &self.seen else { return Ok(None) };
        let picture = match self.raw.as_ref().filter(|file| file.exists()) {
            Some(file) => {
                let png = foreign::read_in_its_folder(file, foreign::PICTURE_BYTES);
                Picture::new(labels::decode(&png.map_err(TaskError::io("read", file))?)?)
            }
            None => Picture::empty(),
        };
        Ok(Some(view_of(seen, picture, self.png()?.into())))
    }

    /// The picture with its numbers, as PNG; empty where there is none.
    pub fn png(&self) -> Result<Vec<u8>> {
        match &self.labelled {
            Some(file) => {
                foreign::read_in_its_folder(file, foreign::PICTURE_BYTES).map_err(TaskError::io("read", file))
            }
            None => Ok(Vec::new()),
        }
    }
}

pub(super) fn view_of(seen: &Observed, picture: Picture, png: Arc<[u8]>) -> View {
    View {
        list: labels::screen_list(&seen.elements, &seen.tagged, &seen.texts),
        png,
        packing: labels::PicturePacking::default(),
        tagged: seen.tagged.clone(),
        label_time: seen.label_time,
        observation: Observation {
            picture,
            elements: seen.elements.clone(),
            texts: seen.texts.clone(),
            dump: None,
            geometry: seen.geometry,
            context: seen.context.clone(),
            settled: seen.settled,
            timings: seen.timings,
        },
    }
}
