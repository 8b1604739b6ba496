//! MiniWoB++: the pages of the PyPI package `miniwob`, played as tasks.
//!
//! The protocol is the pages' own (`core/core.js`): seed `Math.random`, set the time limit, start the
//! episode, wait until it is ready, read the utterance; the page says when it is done and what the raw
//! reward is. Success is a raw reward above 0, without the discount for time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use sha2::{Digest, Sha256};
use waldo_devices::{
    Deadline, Device, DeviceError, GuardPolicy, OriginRule, Platform, ResetTo, StateProbe, StateValue,
};

use crate::error::TaskError;
use crate::record::{CheckResult, Outcome, TaskEntry};
use crate::suite::{SiteFiles, SiteHost, SiteLease};
use crate::task::{Goal, Live, Task, Verdict};

/// Steps per episode unless the command line says otherwise.
const MAX_STEPS: u32 = 15;
/// A time limit that no episode reaches, in milliseconds; a longer one would overflow the page's timer.
const NO_TIMER: u64 = 2_000_000_000;
/// Folders of the package that the pages need.
const FOLDERS: [&str; 4] = ["miniwob", "core", "common", "flight"];

/// The suite.
#[derive(Clone, Debug)]
pub struct Miniwob {
    pages: Vec<(String, String)>,
    files: SiteFiles,
    hash: String,
    timer_ms: u64,
}

impl Miniwob {
    /// Reads the package in `dir`: the folder of the package, its `html` folder, or the folder that it
    /// was installed into. `timer_ms` is the pages' own time limit; 0 switches it off.
    ///
    /// # Errors
    /// When the pages are not there.
    pub fn open(dir: &Path, timer_ms: u64) -> Result<Self, TaskError> {
        let root = [dir.join("html"), dir.join("miniwob/html"), dir.to_owned()]
            .into_iter()
            .find(|root| root.join("miniwob").is_dir() && root.join("core").is_dir())
            .ok_or_else(|| TaskError::Record {
                path: dir.to_owned(),
                message: "holds no miniwob pages (html/miniwob and html/core); scripts/miniwob fetches them"
                    .into(),
            })?;
        let mut files: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
        for folder in FOLDERS {
            let path = root.join(folder);
            if path.is_dir() {
                read_all(&path, folder, &mut files)?;
            }
        }
        let mut hash = Sha256::new();
        for (name, bytes) in &files {
            hash.update(name.as_bytes());
            hash.update([0]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        let hash = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        let pages = files.iter().filter_map(|(path, bytes)| page(path, bytes)).collect();
        Ok(Self { pages, files: SiteFiles::new(files), hash, timer_ms })
    }

    /// SHA-256 over names and contents of all files.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Its tasks by name.
    pub fn tasks(&self, host: &Arc<dyn SiteHost>) -> Vec<Arc<dyn Task>> {
        self.pages
            .iter()
            .map(|(id, path)| {
                Arc::new(Page {
                    id: id.clone(),
                    path: path.clone(),
                    files: self.files.clone(),
                    timer_ms: if self.timer_ms == 0 { NO_TIMER } else { self.timer_ms },
                    host: host.clone(),
                }) as Arc<dyn Task>
            })
            .collect()
    }
}

fn read_all(path: &Path, name: &str, files: &mut BTreeMap<String, Arc<[u8]>>) -> Result<(), TaskError> {
    let io = |path: &Path| {
        let path: PathBuf = path.to_owned();
        move |source| TaskError::Io { what: "read", path, source }
    };
    for entry in std::fs::read_dir(path).map_err(io(path))? {
        let entry = entry.map_err(io(path))?;
        let (from, to) = (entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy()));
        if from.is_dir() {
            read_all(&from, &to, files)?;
        } else {
            files.insert(to, std::fs::read(&from).map_err(io(&from))?.into());
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

struct Page {
    id: String,
    path: String,
    files: SiteFiles,
    timer_ms: u64,
    host: Arc<dyn SiteHost>,
}

/// Hides what stands beside the task: the reward and the episode counter are no part of it.
const START: &str = r"
(async () => {
  if (typeof core === 'undefined' || !core.startEpisodeReal) throw new Error('the page has no MiniWoB core');
  const style = document.createElement('style');
  style.textContent = '#reward-display, #episodes-display, #click-canvas { display: none !important; }';
  document.head.appendChild(style);
  if (Math.seedrandom) Math.seedrandom(SEED);
  core.EPISODE_MAX_TIME = LIMIT;
  core.startEpisodeReal();
  const until = Date.now() + 8000;
  while (window.WOB_TASK_READY === false) {
    if (Date.now() > until) throw new Error('the task was not ready after 8 s');
    await new Promise((next) => requestAnimationFrame(next));
  }
  const said = core.getUtterance();
  return typeof said === 'string' ? said : String(said && said.utterance || '');
})()";

#[async_trait]
impl Task for Page {
    fn entry(&self) -> TaskEntry {
        TaskEntry {
            id: self.id.clone(),
            title: self.id.replace('-', " "),
            category: "miniwob".into(),
            level: "L3".into(),
            platform: Platform::Web,
            infeasible: false,
            max_steps: MAX_STEPS,
        }
    }

    async fn set_up(
        &self,
        device: &mut dyn Device,
        seed: u64,
        folder: &Path,
        deadline: Deadline,
    ) -> Result<Box<dyn Live>, TaskError> {
        let lease = self.host.lease(self.files.clone()).await?;
        let origin = OriginRule::parse(lease.origin())
            .map_err(|e| TaskError::Template { what: "origin".into(), message: e.to_string() })?;
        let to = ResetTo {
            start: format!("{}/{}", lease.origin(), self.path),
            policy: GuardPolicy { origins: vec![origin], ..GuardPolicy::default() },
            downloads: Some(folder.join("downloads")),
            init_script: None,
        };
        device.reset(&to, deadline).await?;
        // The page's generator takes any number; 32 bits survive JavaScript's doubles.
        let page_seed = seed & 0xffff_ffff;
        let script =
            START.replace("SEED", &page_seed.to_string()).replace("LIMIT", &self.timer_ms.to_string());
        let goal = match device.probe(&StateProbe::Js(script), deadline).await? {
            StateValue::Json(Value::String(text)) => text,
            other => {
                return Err(TaskError::Device(DeviceError::Call {
                    call: format!("start {}", self.path),
                    message: format!("gave no utterance but {other:?}"),
                }));
            }
        };
        let goal = Goal {
            text: goal,
            params: serde_json::json!({ "page_seed": page_seed }),
            reference: Vec::new().into(),
            uploads: Vec::new(),
            origin: Some(lease.origin().to_owned()),
        };
        Ok(Box::new(LivePage { goal, _lease: lease }))
    }
}

struct LivePage {
    goal: Goal,
    /// Keeps the pages served.
    _lease: Box<dyn SiteLease>,
}

impl LivePage {
    async fn ask(device: &mut dyn Device, script: &str, deadline: Deadline) -> Result<Value, TaskError> {
        match device.probe(&StateProbe::Js(script.to_owned()), deadline).await? {
            StateValue::Json(value) => Ok(value),
            _ => Ok(Value::Null),
        }
    }
}

#[async_trait]
impl Live for LivePage {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn ended(&mut self, device: &mut dyn Device, deadline: Deadline) -> Result<bool, TaskError> {
        let done = Self::ask(device, "window.WOB_DONE_GLOBAL === true", deadline).await?;
        Ok(done == Value::Bool(true))
    }

    async fn judge(
        &mut self,
        device: &mut dyn Device,
        _outcome: &Outcome,
        _answer: Option<&str>,
        deadline: Deadline,
    ) -> Result<Verdict, TaskError> {
        let script = "[window.WOB_DONE_GLOBAL === true, Number(window.WOB_RAW_REWARD_GLOBAL) || 0, \
                      String(window.WOB_REWARD_REASON || '')]";
        let found = Self::ask(device, script, deadline).await?;
        let done = found[0] == Value::Bool(true);
        let reward = found[1].as_f64().unwrap_or(0.0);
        let passed = done && reward > 0.0;
        let reason = found[2].as_str().unwrap_or_default();
        let check = CheckResult {
            what: "the page ends the episode with a raw reward above 0".into(),
            passed,
            found: format!("done {done}, raw reward {reward} {reason}").trim_end().to_owned(),
        };
        Ok(Verdict { success: if passed { 1.0 } else { 0.0 }, checks: vec![check] })
    }
}
