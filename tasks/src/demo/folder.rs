//! The folder of a demonstration.

use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use waldo_agents::View;
use waldo_agents::appagent::docs::logs::{Recorded, read_record, write_record};
use waldo_devices::foreign::{self, PathName};
use waldo_devices::labels::{self, encode_png};
use waldo_devices::{Observation, Picture, Platform, Secrets};

use super::follower::Follower;
use crate::error::TaskError;
use crate::events::{self, Event, EventKind, EventSink, Observed};
use crate::masked;
use crate::record::{EpisodeKey, write_json, write_whole};

/// The folder of the pictures.
const SCREENS: &str = "screens";
/// Trees of a phone's screens.
const XML: &str = "xml";
/// All folders of a demonstration.
const PARTS: [&str; 5] = [SCREENS, "labeled_screenshots", "raw_screenshots", "elements", XML];

/// The version of the folder's format.
const FORMAT: u32 = 1;

/// What was demonstrated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoInfo {
    /// Format version.
    pub format: u32,
    /// Its name, in the names of AppAgent's files.
    #[serde(deserialize_with = "PathName::text")]
    pub name: String,
    /// The app.
    pub app: String,
    /// The task in words; may be empty.
    pub goal: String,
    /// The kind of device.
    pub platform: Platform,
    /// Its product and version.
    pub product: String,
    /// What it started with: an address, an app, or a task of a suite. Null where that is not known.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub start: serde_json::Value,
    /// When it began.
    pub started: Timestamp,
    /// When it was stopped; until then it may go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}

impl DemoInfo {
    /// What was demonstrated, beginning now.
    pub fn new(name: &str, app: &str, goal: &str, platform: Platform, product: &str) -> Self {
        Self {
            format: FORMAT,
            name: plain(name),
            app: app.to_owned(),
            goal: goal.to_owned(),
            platform,
            product: product.to_owned(),
            start: serde_json::Value::Null,
            started: Timestamp::now(),
            ended: None,
        }
    }

    /// What names the demonstration in the documentation's history: its name may be used again.
    pub fn id(&self) -> String {
        format!("{} of {}", self.name, self.started.strftime("%Y-%m-%d %H:%M:%S"))
    }
}

/// A name that any file system takes.
fn plain(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    name.chars().map(safe).take(120).collect()
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> TaskError {
    let path = path.to_owned();
    move |source| TaskError::Io { what, path, source }
}

fn bad(path: &Path, message: impl Into<String>) -> TaskError {
    TaskError::Record { path: path.to_owned(), message: message.into() }
}

/// A folder that is being recorded into.
#[derive(Debug)]
pub struct DemoFolder {
    path: PathBuf,
    info: DemoInfo,
    records: Vec<Recorded>,
    /// Steps done.
    steps: u32,
    /// Screens taken.
    screens: u32,
    /// Values that nothing kept shows.
    secrets: Secrets,
    follower: Follower,
}

impl DemoFolder {
    /// The demonstration that is there and goes on, none where there is no folder or an empty one: what can be
    /// told before a device is started.
    ///
    /// # Errors
    /// When there is another one, or a finished one, or something else.
    pub fn found(
        path: &Path,
        (app, goal, platform): (&str, &str, Platform),
        start: &serde_json::Value,
    ) -> Result<Option<Demo>, TaskError> {
        if path.join("demo.json").exists() {
            let demo = Demo::open(path)?;
            let old = &demo.info;
            if old.ended.is_some() {
                return Err(bad(path, "holds a finished demonstration; give another --out"));
            }
            if old.app != app || old.platform != platform || old.goal != goal {
                let what = format!("{} on {}: {}", old.app, old.platform.as_str(), old.goal);
                return Err(bad(path, format!("holds another demonstration ({what}); give another --out")));
            }
            if !old.start.is_null() && old.start != *start {
                let what = format!("it started with {}, now {start}", old.start);
                return Err(bad(path, format!("holds another demonstration ({what}); give another --out")));
            }
            return Ok(Some(demo));
        }
        if path.is_dir() && fs::read_dir(path).map_err(io("read", path))?.next().is_some() {
            return Err(bad(path, "is not a demonstration and not empty; give another --out"));
        }
        Ok(None)
    }

    /// Makes the folder of a new demonstration, or opens one that was not stopped.
    ///
    /// # Errors
    /// As [`Self::found`], and when the disk refuses.
    pub fn create_or_resume(path: &Path, info: DemoInfo) -> Result<Self, TaskError> {
        if let Some(demo) = Self::found(path, (&info.app, &info.goal, info.platform), &info.start)? {
            let events = read_events(path)?;
            let mut lines = Vec::new();
            for event in &events {
                line(path, event, &mut lines)?;
            }
            // What a killed process wrote of its last line is none.
            write_whole(&path.join("events.jsonl"), &lines)?;
            let screens = events.iter().filter(|e| matches!(e.kind, EventKind::Observed(_))).count();
            let steps = events.iter().filter(|e| matches!(e.kind, EventKind::Demonstrated { .. })).count();
            let records = demo.steps.iter().filter_map(|s| s.recorded.clone()).collect();
            let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let folder = Self {
                path: path.to_owned(),
                info: demo.info,
                records,
                steps: count(steps),
                screens: count(screens),
                secrets: Secrets::default(),
                follower: Follower::default(),
            };
            folder.write_record()?;
            return Ok(folder);
        }
        // Only a phone's screens have a tree in XML.
        let xml = (info.platform.has_packages()).then_some(XML);
        for part in PARTS.into_iter().filter(|part| *part != XML).chain(xml) {
            let dir = path.join(part);
            fs::create_dir_all(&dir).map_err(io("make", &dir))?;
        }
        write_whole(&path.join("task_desc.txt"), info.goal.as_bytes())?;
        write_json(&path.join("demo.json"), &info)?;
        let folder = Self {
            path: path.to_owned(),
            info,
            records: Vec::new(),
            steps: 0,
            screens: 0,
            secrets: Secrets::default(),
            follower: Follower::default(),
        };
        folder.write_record()?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is demonstrated.
    pub fn info(&self) -> &DemoInfo {
        &self.info
    }

    /// Steps so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The labelled picture of the screen that was kept last, where it has one.
    pub fn last_picture(&self) -> Option<PathBuf> {
        let file = self.path.join(SCREENS).join(format!("{:03}.png", self.screens));
        file.is_file().then_some(file)
    }

    /// What the demonstration goes by in its events.
    pub fn key(&self) -> EpisodeKey {
        EpisodeKey { contestant: "person".into(), task: self.info.name.clone(), repeat: 0 }
    }

    /// From now on `sink` takes what is recorded, once it is on the disk; first what was recorded before, without
    /// pictures.
    ///
    /// # Errors
    /// When the earlier events cannot be read.
    pub fn follow(&mut self, sink: Arc<dyn EventSink>) -> Result<(), TaskError> {
        self.follower = Follower::new(sink);
        self.follower.tell(&read_events(&self.path)?, None);
        Ok(())
    }

    /// AppAgent's lines so far.
    pub fn records(&self) -> &[Recorded] {
        &self.records
    }

    /// From now on nothing that is kept shows a value of `secrets`.
    pub(super) fn hide(&mut self, secrets: Secrets) {
        self.secrets = secrets;
    }

    /// Notes that the device starts afresh.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn started(&mut self) -> Result<(), TaskError> {
        let attempt = self.screens.min(1) + 1;
        let goal = self.info.goal.clone();
        let params = serde_json::Value::Null;
        self.append(vec![EventKind::Started { attempt, seed: 0, goal, params, max_steps: 0 }], None)
    }

    /// Keeps a screen.
    ///
    /// # Errors
    /// When the disk refuses or the picture cannot be encoded.
    pub(super) fn screen(&mut self, view: &View) -> Result<(), TaskError> {
        let name = format!("{:03}", self.screens + 1);
        let o = &view.observation;
        let there = !view.png.is_empty();
        let screens = self.path.join(SCREENS);
        let (labelled, raw) = (screens.join(format!("{name}.png")), screens.join(format!("{name}-raw.png")));
        // What comes from a run has no picture without numbers.
        let bare = there && !o.picture.is_empty();
        if there {
            write_whole(&labelled, &view.png)?;
        }
        if bare {
            write_whole(&raw, &encode_png(&o.picture)?)?;
        }
        let picture = there.then(|| format!("{SCREENS}/{name}.png"));
        let seen = Observed { picture, ..Observed::of(self.steps + 1, view) };
        self.append(vec![EventKind::Observed(Box::new(seen))], there.then_some(&*view.png))?;
        self.screens += 1;
        // For AppAgent: the screen before the next line of the record.
        let file = format!("{}_{}", self.info.name, self.records.len() + 1);
        if there {
            same(&labelled, &self.path.join("labeled_screenshots").join(format!("{file}.png")))?;
        }
        if bare {
            same(&raw, &self.path.join("raw_screenshots").join(format!("{file}.png")))?;
        }
        if let Some(dump) = &o.dump {
            write_whole(&self.path.join(XML).join(format!("{file}.xml")), dump.text.as_bytes())?;
        }
        write_json(&self.path.join("elements").join(format!("{file}.json")), &o.elements)
    }

    /// Keeps a step: what was done to the device, then the step itself.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn step(
        &mut self,
        acted: Vec<EventKind>,
        call: String,
        tag: Option<labels::Tag>,
        recorded: Option<Recorded>,
    ) -> Result<(), TaskError> {
        let step = self.steps + 1;
        // A line without the word that could not be masked says nothing.
        let recorded = recorded.and_then(|r| masked::masked(&r, &self.secrets).map(Cow::into_owned));
        let mut kinds = acted;
        kinds.push(EventKind::Demonstrated { step, call, tag, recorded: recorded.clone() });
        self.append(kinds, None)?;
        self.steps = step;
        if let Some(recorded) = recorded {
            self.records.push(recorded);
            self.write_record()?;
        }
        Ok(())
    }

    /// Ends the demonstration.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn finish(mut self) -> Result<DemoInfo, TaskError> {
        self.records.push(Recorded::Stop);
        self.write_record()?;
        self.info.ended = Some(Timestamp::now());
        write_json(&self.path.join("demo.json"), &self.info)?;
        Ok(self.info)
    }

    fn write_record(&self) -> Result<(), TaskError> {
        write_whole(&self.path.join("record.txt"), write_record(&self.records).as_bytes())
    }

    /// Removes the demonstration and all that was recorded of it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn discard(self) -> Result<(), TaskError> {
        fs::remove_dir_all(&self.path).map_err(io("remove", &self.path))
    }

    /// Writes events; `picture` is the labelled one of a screen among them.
    fn append(&mut self, kinds: Vec<EventKind>, picture: Option<&[u8]>) -> Result<(), TaskError> {
        let path = self.path.join("events.jsonl");
        let episode = self.key();
        let mut lines = Vec::new();
        let mut told = Vec::new();
        for kind in kinds {
            let event = Event { v: events::FORMAT, at: Timestamp::now(), episode: episode.clone(), kind };
            if let Some(event) = masked::event(event, &self.secrets) {
                line(&path, &event, &mut lines)?;
                told.push(event);
            }
        }
        let written = foreign::append(&self.path, &path).and_then(|mut file| {
            file.write_all(&lines)?;
            file.sync_data()
        });
        written.map_err(io("write", &path))?;
        self.follower.tell(&told, picture);
        Ok(())
    }
}

fn line(path: &Path, event: &Event, lines: &mut Vec<u8>) -> Result<(), TaskError> {
    serde_json::to_writer(&mut *lines, event).map_err(|e| bad(path, e.to_string()))?;
    lines.push(b'\n');
    Ok(())
}

/// The same file under another name; a copy where the file system has no links.
fn same(from: &Path, to: &Path) -> Result<(), TaskError> {
    let temp = to.with_extension("tmp");
    let _ = fs::remove_file(&temp);
    if fs::hard_link(from, &temp).is_err() {
        fs::copy(from, &temp).map_err(io("write", &temp))?;
    }
    fs::rename(&temp, to).map_err(io("rename to", to))
}

/// The events; a last line that was cut off is left out.
fn read_events(path: &Path) -> Result<Vec<Event>, TaskError> {
    let file = path.join("events.jsonl");
    let bytes = match foreign::read(path, &file, foreign::LARGE_BYTES) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(io("read", &file)(e)),
    };
    let mut events = Vec::new();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    for (at, line) in lines.iter().enumerate() {
        match serde_json::from_slice(line) {
            Ok(event) => events.push(event),
            Err(_) if at + 1 == lines.len() => {}
            Err(e) => return Err(bad(&file, format!("line {}: {e}; the file is damaged", at + 1))),
        }
    }
    Ok(events)
}

/// The name of a picture in the folder of the screens, as a record has it.
fn picture_name(told: &str) -> Result<PathName, foreign::BadName> {
    PathName::new(told.strip_prefix(SCREENS).and_then(|rest| rest.strip_prefix('/')).unwrap_or(told))
}

/// A screen of a demonstration.
#[derive(Clone, Debug, Default)]
pub struct DemoScreen {
    /// The picture with its numbers, where there is one.
    pub labelled: Option<PathBuf>,
    /// The picture without.
    pub raw: Option<PathBuf>,
    /// What was on it; AppAgent's own demonstrations do not say.
    pub seen: Option<Box<Observed>>,
}

/// A step of a demonstration.
#[derive(Clone, Debug)]
pub struct DemoStep {
    /// From 1.
    pub step: u32,
    /// What was done, as an agent would write it.
    pub call: String,
    /// AppAgent's line; only such steps are about an element.
    pub recorded: Option<Recorded>,
    /// The screen before.
    pub before: DemoScreen,
    /// The screen after, where it was recorded.
    pub after: Option<DemoScreen>,
}

/// A demonstration, waldo's or AppAgent's.
#[derive(Clone, Debug)]
pub struct Demo {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub info: DemoInfo,
    /// Its steps.
    pub steps: Vec<DemoStep>,
}

impl Demo {
    /// Reads a demonstration; of AppAgent's the record and the labelled pictures are enough.
    ///
    /// # Errors
    /// When there is none, or a file is damaged.
    pub fn open(path: &Path) -> Result<Self, TaskError> {
        let file = path.join("demo.json");
        if !file.exists() && !file.is_symlink() {
            return Self::upstream(path);
        }
        let text = foreign::read(path, &file, foreign::TEXT_BYTES).map_err(io("read", &file))?;
        let info: DemoInfo =
            serde_json::from_slice(&text).map_err(|e| bad(&file, format!("{e}; the file is damaged")))?;
        if info.format != FORMAT {
            return Err(bad(&file, format!("has format {}, this waldo reads {FORMAT}", info.format)));
        }
        for part in PARTS {
            foreign::check_way(path, Path::new(part)).map_err(io("read", path))?;
        }
        let mut steps: Vec<DemoStep> = Vec::new();
        let mut last = DemoScreen::default();
        // The screen right after a step is the one after it, unless the device was started anew.
        let mut awaited = false;
        for event in read_events(path)? {
            match event.kind {
                EventKind::Started { .. } => awaited = false,
                EventKind::Observed(seen) => {
                    let named = seen.picture.as_deref().map(picture_name).transpose();
                    let named = named.map_err(|e| bad(&path.join("events.jsonl"), e.to_string()))?;
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
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub fn events(path: &Path) -> Result<Vec<Event>, TaskError> {
        read_events(path)
    }

    /// The picture with its numbers that a screen of the demonstration in a folder names, where it can be read.
    pub fn picture(path: &Path, seen: &Observed) -> Option<Vec<u8>> {
        let name = picture_name(seen.picture.as_deref()?).ok()?;
        foreign::read(path, &path.join(SCREENS).join(name), foreign::PICTURE_BYTES).ok()
    }

    fn upstream(path: &Path) -> Result<Self, TaskError> {
        let file = path.join("record.txt");
        let text = foreign::read_text(path, &file, foreign::TEXT_BYTES).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                bad(path, "is not a demonstration: it has neither demo.json nor record.txt")
            }
            _ => io("read", &file)(e),
        })?;
        let records = read_record(&text).map_err(|e| bad(&file, e.to_string()))?;
        let full = fs::canonicalize(path).map_err(io("find", path))?;
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
    ///
    /// # Errors
    /// When a picture cannot be read.
    pub fn view(&self) -> Result<Option<View>, TaskError> {
        let Some(seen) = &self.seen else { return Ok(None) };
        let picture = match self.raw.as_ref().filter(|file| file.exists()) {
            Some(file) => {
                let png = foreign::read_in_its_folder(file, foreign::PICTURE_BYTES);
                Picture::new(labels::decode(&png.map_err(io("read", file))?)?)
            }
            None => Picture::empty(),
        };
        Ok(Some(view_of(seen, picture, self.png()?.into())))
    }

    /// The picture with its numbers, as PNG; empty where there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn png(&self) -> Result<Vec<u8>, TaskError> {
        match &self.labelled {
            Some(file) => foreign::read_in_its_folder(file, foreign::PICTURE_BYTES).map_err(io("read", file)),
            None => Ok(Vec::new()),
        }
    }
}

/// A screen as it was seen.
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
