//! The record of a run: what was asked of whom (`level.json`), and a line for each answer (`answers.jsonl`).
//!
//! Invariant: a line is written whole or not at all; of two lines for one item the later counts, and a line with an
//! error is no answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waldo_agents::model::Usage;
use waldo_devices::foreign;
use waldo_tasks::record::write_json;
use waldo_tasks::{Contestant, FolderLock, TaskError};

use super::LevelError;
use super::bench::{Bench, Level, ReplyRules};
use super::kept::{self, KeptLines};

/// The file that says what was asked of whom.
pub const MANIFEST: &str = "level.json";
const ANSWERS: &str = "answers.jsonl";
const BYTES: u64 = 1 << 30;
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelManifest {
    pub format: u32,
    pub waldo: String,
    pub level: Level,
    pub mode: String,
    pub mmbench_dir: PathBuf,
    /// The SHA-256 of its file of records.
    pub records_sha256: String,
    pub contestants: Vec<Contestant>,
    pub seed: u64,
    /// Whether questions were asked once for each place of the right option.
    pub circular: bool,
    pub form: PlaceForm,
    /// The rule by which letters are read; it may differ where a run is gone on with.
    pub letters: String,
    /// The rule by which points are read that were asked for in the benchmark's form; it may differ as well.
    pub points: String,
    pub prompts: BTreeMap<String, String>,
    pub wording: Wording,
    pub parameters: Value,
    pub started: Timestamp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaceForm {
    #[default]
    Own,
    Benchmark,
}

/// Whose words stand in the templates of the benchmark's form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wording {
    #[default]
    Waldo,
    /// The user's own, such as the benchmark's.
    Own,
}

impl LevelManifest {
    pub fn new(level: Level) -> Self {
        Self {
            format: FORMAT,
            waldo: env!("CARGO_PKG_VERSION").into(),
            level,
            mode: String::new(),
            mmbench_dir: PathBuf::new(),
            records_sha256: String::new(),
            contestants: Vec::new(),
            seed: 0,
            circular: false,
            form: PlaceForm::Own,
            letters: String::new(),
            points: String::new(),
            prompts: BTreeMap::new(),
            wording: Wording::Waldo,
            parameters: Value::Null,
            started: Timestamp::now(),
        }
    }

    /// Reads the manifest of a folder; `None` where it holds no run of an offline level.
    pub fn read(folder: &Path) -> Result<Option<Self>, LevelError> {
        let path = folder.join(MANIFEST);
        if !path.exists() {
            return Ok(None);
        }
        let text = foreign::read_text(folder, &path, BYTES).map_err(TaskError::io("read", &path))?;
        let manifest =
            serde_json::from_str(&text).map_err(|error| TaskError::record(&path, error.to_string()))?;
        Ok(Some(manifest))
    }

    pub fn reading(&self) -> Result<ReplyRules, LevelError> {
        let letters = self.letters.parse().map_err(LevelError::Input)?;
        let points = self.points.parse().map_err(LevelError::Input)?;
        Ok(ReplyRules { letters, points, circular: self.circular })
    }

    pub fn bench(&self) -> Result<Bench, LevelError> {
        let bench = Bench::open(self.level, &self.mmbench_dir, &self.mode, self.reading()?)?;
        if bench.hash != self.records_sha256 {
            return Err(LevelError::Input(format!(
                "the records in {} are no longer those that were asked from: scores are made of both",
                self.mmbench_dir.display()
            )));
        }
        Ok(bench)
    }

    /// The first field in which another run differs, as `field was this, now that`.
    fn difference(&self, now: &Self) -> Option<String> {
        let fields = |manifest: &Self| {
            let mut all = serde_json::to_value(manifest).unwrap_or_default();
            if let Some(all) = all.as_object_mut() {
                all.retain(|name, _| {
                    !matches!(name.as_str(), "started" | "mmbench_dir" | "waldo" | "letters" | "points")
                });
            }
            all
        };
        let (before, after) = (fields(self), fields(now));
        let after = after.as_object()?;
        let changed = before.as_object()?.iter().find(|(name, value)| after.get(*name) != Some(value));
        changed.map(|(name, value)| {
            let now = after.get(name).unwrap_or(&Value::Null);
            format!(
                "{name} was {}, now {}",
                crate::report::cut(&value.to_string(), 200),
                crate::report::cut(&now.to_string(), 200)
            )
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundPoint {
    /// The point as shares of the picture's width and height; none where it named no place.
    pub at: Option<[f64; 2]>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub contestant: String,
    pub item: String,
    /// By how many places the options had been moved on.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub turn: usize,
    pub reply: String,
    /// Where a grounder of waldo's saw the element; absent where the reply is read as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub located: Option<FoundPoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    /// Seconds from the question to the answer, retries included.
    #[serde(default)]
    pub seconds: f64,
}

type Key = (String, String, usize);

impl Answer {
    fn key(&self) -> Key {
        (self.contestant.clone(), self.item.clone(), self.turn)
    }
}

/// Of two answers to one question the later.
fn by_key(all: Vec<Answer>) -> BTreeMap<Key, Answer> {
    all.into_iter().map(|answer| (answer.key(), answer)).collect()
}

#[derive(Debug)]
pub struct Answers {
    all: Mutex<BTreeMap<Key, Answer>>,
    file: Option<Mutex<KeptLines>>,
    _writer: Option<FolderLock>,
}

impl Answers {
    /// Begins a run in a folder, or goes on with it.
    pub fn begin(folder: &Path, manifest: &LevelManifest) -> Result<Self, LevelError> {
        let writer =
            FolderLock::take(folder, &format!("a run of {}", manifest.level.name()), "give another --out")?;
        let before = LevelManifest::read(folder)?;
        let what = match &before {
            Some(before) => before.difference(manifest),
            None => folder.join("manifest.json").exists().then(|| "it is a run of online tasks".to_owned()),
        };
        if let Some(what) = what {
            return Err(LevelError::Other { folder: folder.to_owned(), what });
        }
        let started = before.map_or(manifest.started, |before| before.started);
        write_json(&folder.join(MANIFEST), &LevelManifest { started, ..manifest.clone() })?;
        let (file, all) = KeptLines::open(folder, ANSWERS)?;
        let mut all = by_key(all);
        all.retain(|_, answer| answer.error.is_none());
        Ok(Self { all: Mutex::new(all), file: Some(Mutex::new(file)), _writer: Some(writer) })
    }

    pub fn read(folder: &Path) -> Result<Self, LevelError> {
        let (all, _) = kept::read(folder, &folder.join(ANSWERS))?;
        Ok(Self { all: Mutex::new(by_key(all)), file: None, _writer: None })
    }

    pub fn keep(&self, mut answer: Answer) -> Result<(), LevelError> {
        answer.reply = crate::masking::mask(answer.reply);
        answer.error = answer.error.map(crate::masking::mask);
        if let Some(file) = &self.file {
            file.lock().unwrap_or_else(PoisonError::into_inner).keep(&answer)?;
        }
        self.all.lock().unwrap_or_else(PoisonError::into_inner).insert(answer.key(), answer);
        Ok(())
    }

    /// What nobody has answered yet: contestant, item's place in the file, turn.
    pub fn missing<'m>(&self, manifest: &'m LevelManifest, bench: &Bench) -> Vec<(&'m str, usize, usize)> {
        let mut missing = Vec::new();
        for at in 0..bench.len() {
            for Contestant { name, .. } in &manifest.contestants {
                for turn in 0..bench.turns(at) {
                    if self.get(name, bench.id(at), turn).is_none_or(|answer| answer.error.is_some()) {
                        missing.push((name.as_str(), at, turn));
                    }
                }
            }
        }
        missing
    }

    pub fn get(&self, contestant: &str, item: &str, turn: usize) -> Option<Answer> {
        let key = (contestant.to_owned(), item.to_owned(), turn);
        self.all.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }
}
