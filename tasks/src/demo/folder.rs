use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use waldo_agents::View;
use waldo_agents::appagent::docs::logs::{Recorded, write_record};
use waldo_devices::labels::{self, encode_png};
use waldo_devices::{Platform, Secrets, foreign};

use super::follower::Follower;
use super::layout::{DemoInfo, PARTS, SCREENS, XML};
use super::read::Demo;
use crate::error::{Result, TaskError};
use crate::events::{self, Event, EventKind, EventSink, Observed};
use crate::masked;
use crate::record::{EVENTS, EpisodeKey, write_json, write_whole};

#[derive(Debug)]
pub struct DemoFolder {
    path: PathBuf,
    info: DemoInfo,
    /// AppAgent's lines so far.
    pub records: Vec<Recorded>,
    pub steps: u32,
    screens: u32,
    /// Values that nothing kept shows.
    secrets: Secrets,
    follower: Follower,
}

impl DemoFolder {
    /// The demonstration that is there and goes on, none where there is no folder or an empty one: what can be
    /// told before a device is started.
    pub fn found(
        path: &Path,
        (app, goal, platform): (&str, &str, Platform),
        start: &serde_json::Value,
    ) -> Result<Option<Demo>> {
        if path.join("demo.json").exists() {
            let demo = Demo::open(path)?;
            let old = &demo.info;
            if old.ended.is_some() {
                return Err(TaskError::record(path, "holds a finished demonstration; give another --out"));
            }
            if old.app != app || old.platform != platform || old.goal != goal {
                let what = format!("{} on {}: {}", old.app, old.platform.as_str(), old.goal);
                return Err(TaskError::record(
                    path,
                    format!("holds another demonstration ({what}); give another --out"),
                ));
            }
            if !old.start.is_null() && old.start != *start {
                let what = format!("it started with {}, now {start}", old.start);
                return Err(TaskError::record(
                    path,
                    format!("holds another demonstration ({what}); give another --out"),
                ));
            }
            return Ok(Some(demo));
        }
        if path.is_dir() && fs::read_dir(path).map_err(TaskError::io("read", path))?.next().is_some() {
            return Err(TaskError::record(path, "is not a demonstration and not empty; give another --out"));
        }
        Ok(None)
    }

    /// Makes the folder of a new demonstration, or opens one that was not stopped.
    pub fn create_or_resume(path: &Path, info: DemoInfo) -> Result<Self> {
        if let Some(demo) = Self::found(path, (&info.app, &info.goal, info.platform), &info.start)? {
            let events = Demo::events(path)?;
            let mut lines = Vec::new();
            for event in &events {
                line(path, event, &mut lines)?;
            }
            // What a killed process wrote of its last line is none.
            write_whole(&path.join(EVENTS), &lines)?;
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
            fs::create_dir_all(&dir).map_err(TaskError::io("make", &dir))?;
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

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn info(&self) -> &DemoInfo {
        &self.info
    }

    /// The labelled picture of the screen that was kept last, where it has one.
    pub fn last_picture(&self) -> Option<PathBuf> {
        let file = self.path.join(SCREENS).join(format!("{:03}.png", self.screens));
        file.is_file().then_some(file)
    }

    pub fn key(&self) -> EpisodeKey {
        EpisodeKey { contestant: "person".into(), task: self.info.name.clone(), repeat: 0 }
    }

    /// From now on `sink` takes what is recorded, once it is on the disk; first what was recorded before, without
    /// pictures.
    pub fn follow(&mut self, sink: Arc<dyn EventSink>) -> Result<()> {
        self.follower = Follower::new(sink);
        self.follower.tell(&Demo::events(&self.path)?, None);
        Ok(())
    }

    /// From now on nothing that is kept shows a value of `secrets`.
    pub(super) fn hide(&mut self, secrets: Secrets) {
        self.secrets = secrets;
    }

    pub(super) fn started(&mut self) -> Result<()> {
        let attempt = self.screens.min(1) + 1;
        let goal = self.info.goal.clone();
        let params = serde_json::Value::Null;
        self.append(vec![EventKind::Started { attempt, seed: 0, goal, params, max_steps: 0 }], None)
    }

    pub(super) fn screen(&mut self, view: &View) -> Result<()> {
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
    pub(super) fn step(
        &mut self,
        acted: Vec<EventKind>,
        call: String,
        tag: Option<labels::Tag>,
        recorded: Option<Recorded>,
    ) -> Result<()> {
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

    pub(super) fn finish(mut self) -> Result<DemoInfo> {
        self.records.push(Recorded::Stop);
        self.write_record()?;
        self.info.ended = Some(Timestamp::now());
        write_json(&self.path.join("demo.json"), &self.info)?;
        Ok(self.info)
    }

    fn write_record(&self) -> Result<()> {
        write_whole(&self.path.join("record.txt"), write_record(&self.records).as_bytes())
    }

    pub(super) fn discard(self) -> Result<()> {
        fs::remove_dir_all(&self.path).map_err(TaskError::io("remove", &self.path))
    }

    /// Writes events; `picture` is the labelled one of a screen among them.
    fn append(&mut self, kinds: Vec<EventKind>, picture: Option<&[u8]>) -> Result<()> {
        let path = self.path.join(EVENTS);
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
        written.map_err(TaskError::io("write", &path))?;
        self.follower.tell(&told, picture);
        Ok(())
    }
}

fn line(path: &Path, event: &Event, lines: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(&mut *lines, event).map_err(|e| TaskError::record(path, e.to_string()))?;
    lines.push(b'\n');
    Ok(())
}

/// The same file under another name; a copy where the file system has no links.
fn same(from: &Path, to: &Path) -> Result<()> {
    let temp = to.with_extension("tmp");
    let _ = fs::remove_file(&temp);
    if fs::hard_link(from, &temp).is_err() {
        fs::copy(from, &temp).map_err(TaskError::io("write", &temp))?;
    }
    fs::rename(&temp, to).map_err(TaskError::io("rename to", to))
}
