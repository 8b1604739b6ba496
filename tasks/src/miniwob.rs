//! MiniWoB++: the pages of the PyPI package `miniwob`, played as tasks.
//!
//! The protocol is the pages' own (`core/core.js`): seed `Math.random`, set the time limit, start the
//! episode, wait until it is ready, read the utterance; the page says when it is done and what the raw
//! reward is. Success is a raw reward above 0, without the discount for time.
//!
//! Invariants: an episode is one instance, the one that was seeded. Its START cover, which comes back at
//! the end, begins no other; a page that was loaded again ends the episode without a reward. A page
//! that does not start, or that asks nothing, makes the attempt invalid and says why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use waldo_devices::foreign::{self, EntryKind};
use waldo_devices::{
    Deadline, Device, DeviceError, GuardPolicy, OriginRule, Platform, ResetTo, StateProbe, StateValue,
};

use crate::error::{Result, TaskError};
use crate::record::{CheckResult, TaskEntry};
use crate::suite::{SiteFiles, SiteHost, SiteLease};
use crate::task::{EpisodeEnd, Goal, RunningTask, SetUp, Task, Verdict};

/// Steps per episode unless the command line says otherwise.
const MAX_STEPS: u32 = 15;
/// A time limit that no episode reaches, in milliseconds; a longer one would overflow the page's timer.
const NO_TIMER: u32 = 2_000_000_000;
/// Folders of the package that the pages need.
const FOLDERS: [&str; 4] = ["miniwob", "core", "common", "flight"];

/// What is done with the pages' own timer, which ends an episode with a reward of -1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageTimer {
    /// It never runs out: steps are limited, not seconds.
    #[default]
    Off,
    /// Each page's own: 10 s for most, up to 60 s for some.
    Page,
    /// This many milliseconds for every page.
    Millis(u32),
}

impl FromStr for PageTimer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" | "0" => Ok(Self::Off),
            "page" => Ok(Self::Page),
            _ => match text.parse() {
                Ok(ms) if (1..=NO_TIMER).contains(&ms) => Ok(Self::Millis(ms)),
                _ => Err(format!("'{text}' is none of: off, page, milliseconds from 1 to {NO_TIMER}")),
            },
        }
    }
}

impl fmt::Display for PageTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Page => f.write_str("page"),
            Self::Millis(ms) => write!(f, "{ms}"),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Miniwob {
    pages: Vec<(String, String)>,
    files: SiteFiles,
    hash: String,
    timer: PageTimer,
}

impl Miniwob {
    /// Reads the package in `dir`: the folder of the package, its `html` folder, or the folder that it
    /// was installed into.
    pub fn open(dir: &Path, timer: PageTimer) -> Result<Self> {
        let root = [dir.join("html"), dir.join("miniwob/html"), dir.to_owned()]
            .into_iter()
            .find(|root| is_folder(root, "miniwob") && is_folder(root, "core"))
            .ok_or_else(|| {
                let what =
                    "holds no miniwob pages (html/miniwob and html/core); scripts/miniwob fetches them";
                TaskError::record(dir, what)
            })?;
        let mut files: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
        for folder in FOLDERS {
            let path = root.join(folder);
            // What is there and no folder is refused, with the reason.
            if path.symlink_metadata().is_ok() {
                read_all(&root, &path, folder, &mut files)?;
            }
        }
        let mut hash = Sha256::new();
        for (name, bytes) in &files {
            hash.update(name.as_bytes());
            hash.update([0]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        let hash = HEXLOWER.encode(&hash.finalize());
        let mut pages: Vec<_> = files.iter().filter_map(|(path, bytes)| page(path, bytes)).collect();
        pages.sort();
        Ok(Self { pages, files: SiteFiles::new(files), hash, timer })
    }

    /// SHA-256 over names and contents of all files.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// What the manifest and the listing know of its tasks, by name.
    pub fn entries(&self) -> Vec<TaskEntry> {
        self.pages.iter().map(|(id, _)| entry(id)).collect()
    }

    pub fn tasks(&self, host: &Arc<dyn SiteHost>) -> Vec<Arc<dyn Task>> {
        self.pages
            .iter()
            .map(|(id, path)| {
                Arc::new(MiniwobPage {
                    id: id.clone(),
                    path: path.clone(),
                    files: self.files.clone(),
                    timer: self.timer,
                    host: host.clone(),
                }) as Arc<dyn Task>
            })
            .collect()
    }
}

/// Whether there is a folder of this name, or a link, which is refused when it is read.
fn is_folder(root: &Path, name: &str) -> bool {
    root.join(name).symlink_metadata().is_ok_and(|found| found.is_dir() || found.is_symlink())
}

fn read_all(root: &Path, path: &Path, name: &str, files: &mut BTreeMap<String, Arc<[u8]>>) -> Result<()> {
    for entry in foreign::list(root, path).map_err(TaskError::io("read", path))? {
        let (from, to) = (entry.path, format!("{name}/{}", entry.name.to_string_lossy()));
        if entry.kind == EntryKind::Folder {
            read_all(root, &from, &to, files)?;
        } else {
            let bytes = foreign::read(root, &from, foreign::TEXT_BYTES);
            let bytes = bytes.map_err(TaskError::io("read", &from))?;
            files.insert(to, bytes.into());
        }
    }
    Ok(())
}

/// A task's name and path, for a file that is a task: a page that starts through the common core.
fn page(path: &str, bytes: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    if let Some(name) = path.strip_prefix("miniwob/").and_then(|p| p.strip_suffix(".html")) {
        return (!name.contains('/')).then(|| (name.to_owned(), path.to_owned()));
    }
    let name = path.strip_prefix("flight/").and_then(|p| p.strip_suffix("/wrapper.html"))?;
    text.contains("core.js").then(|| (format!("flight.{}", name.replace('/', ".")), path.to_owned()))
}

struct MiniwobPage {
    id: String,
    path: String,
    files: SiteFiles,
    timer: PageTimer,
    host: Arc<dyn SiteHost>,
}

/// Starts the episode and gives the goal. Hides what stands beside the task: the reward and the episode
/// counter are not part of it. Marks the window, so that a page that was loaded again is known by the lack
/// of the mark, and lets no press on the START cover begin an instance that nobody seeded.
const START: &str = include_str!("miniwob.js");

/// The state of the episode: `[is its page in front, is it done, raw reward, reason]`. The page of the
/// same address without the mark is the page loaded again, with which nothing can be won any more.
const STATE: &str = r"
(() => {
  if (!window.__waldoEpisode) return [false, location.pathname === PATH, 0, ''];
  const reason = window.WOB_REWARD_REASON;
  return [true, window.WOB_DONE_GLOBAL === true, Number(window.WOB_RAW_REWARD_GLOBAL) || 0,
    typeof reason === 'string' ? reason.slice(0, 200) : ''];
})()";

fn entry(id: &str) -> TaskEntry {
    let category = if id.starts_with("flight.") { "flight" } else { "miniwob" };
    TaskEntry::single(id, &id.replace(['-', '.'], " "), category, Platform::Web, MAX_STEPS)
}

#[async_trait]
impl Task for MiniwobPage {
    fn entry(&self) -> TaskEntry {
        entry(&self.id)
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>> {
        let SetUp { device, seed, folder, deadline } = to;
        let lease = self.host.lease(self.files.clone()).await?;
        let origin = OriginRule::parse(lease.origin())
            .map_err(|e| TaskError::Template { what: "origin".into(), message: e.to_string() })?;
        let to = ResetTo {
            start: format!("{}/{}", lease.origin(), self.path),
            policy: GuardPolicy { origins: vec![origin], ..GuardPolicy::default() },
            downloads: Some(folder.join("downloads")),
            init_script: None,
            ..ResetTo::default()
        };
        device.reset(&to, deadline).await?;
        // The page's generator takes any number; 32 bits survive JavaScript's doubles.
        let page_seed = seed & 0xffff_ffff;
        let limit = match self.timer {
            PageTimer::Off => NO_TIMER,
            PageTimer::Page => 0,
            PageTimer::Millis(ms) => ms,
        };
        let script = START.replace("SEED", &page_seed.to_string()).replace("LIMIT", &limit.to_string());
        let failed = |message: String| {
            TaskError::Device(DeviceError::Call { call: format!("start {}", self.path), message })
        };
        let goal = match device.probe(&StateProbe::Js(script), deadline).await {
            Ok(StateValue::Json(Value::String(text))) if !text.is_empty() => text,
            Ok(_) => return Err(failed("it gave no utterance".to_owned())),
            Err(DeviceError::Call { message, .. }) => return Err(failed(message)),
            Err(e) => return Err(e.into()),
        };
        let goal = Goal {
            text: goal,
            params: serde_json::json!({ "page_seed": page_seed }),
            origin: Some(lease.origin().to_owned()),
            ..Goal::default()
        };
        let state = STATE.replace("PATH", &Value::String(format!("/{}", self.path)).to_string());
        Ok(Box::new(LivePage { goal, state, end: None, _lease: lease }))
    }
}

#[derive(Clone, Debug)]
struct MiniwobState {
    ours: bool,
    done: bool,
    /// Without the discount for time.
    reward: f64,
    reason: String,
}

struct LivePage {
    goal: Goal,
    state: String,
    /// The state in which the episode was first seen to be over: what comes after it does not count.
    end: Option<MiniwobState>,
    _lease: Arc<dyn SiteLease>,
}

impl LivePage {
    async fn ask(&mut self, device: &mut dyn Device, deadline: Deadline) -> Result<MiniwobState> {
        if let Some(end) = &self.end {
            return Ok(end.clone());
        }
        let found = match device.probe(&StateProbe::Js(self.state.clone()), deadline).await? {
            StateValue::Json(value) => value,
            _ => Value::Null,
        };
        let state = MiniwobState {
            ours: found[0] == Value::Bool(true),
            done: found[1] == Value::Bool(true),
            reward: found[2].as_f64().unwrap_or(0.0),
            reason: found[3].as_str().unwrap_or_default().to_owned(),
        };
        if state.done {
            self.end = Some(state.clone());
        }
        Ok(state)
    }
}

#[async_trait]
impl RunningTask for LivePage {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn ended(&mut self, device: &mut dyn Device, deadline: Deadline) -> Result<bool> {
        Ok(self.ask(device, deadline).await?.done)
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict> {
        let EpisodeEnd { device, deadline, .. } = end;
        let end = self.ask(device, deadline).await?;
        let passed = end.ours && end.done && end.reward > 0.0;
        let found = match (end.ours, end.done) {
            (true, true) => format!("raw reward {} {}", end.reward, end.reason).trim_end().to_owned(),
            (true, false) => "the page did not end the episode".to_owned(),
            (false, true) => "the page was loaded again, which ends the episode".to_owned(),
            (false, false) => "another page is in front".to_owned(),
        };
        let what = "the page ends the episode with a raw reward above 0";
        let check = CheckResult::new(what, passed, found);
        Ok(Verdict::all(vec![check]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_read_as_they_are_written() {
        for (text, timer) in
            [("off", PageTimer::Off), ("page", PageTimer::Page), ("2500", PageTimer::Millis(2500))]
        {
            assert_eq!(text.parse(), Ok(timer));
            assert_eq!(timer.to_string(), text);
        }
        assert_eq!("0".parse(), Ok(PageTimer::Off));
        for text in ["-1", "1.5", "soon", "", "4000000000"] {
            assert!(text.parse::<PageTimer>().unwrap_err().contains("off, page"), "{text}");
        }
    }
}
