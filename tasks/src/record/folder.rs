//! The folder of a run on disk.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use waldo_devices::DeviceInfo;
use waldo_devices::foreign::{self, EntryKind, PathName};

use super::event_log::read_lines;
use super::seal::{CheckRule, SealedEvent, disagreement};
use super::{Claim, EVENTS, EpisodeKey, EpisodeResult, Manifest, Outcome, read_events};
use crate::error::TaskError;
use crate::events::Event;
use crate::lock::FolderLock;

/// The version of the folder's layout.
pub const FORMAT: u32 = 1;

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    pub(super) path: PathBuf,
    pub(super) manifest: Manifest,
    lost: WriteFailures,
    /// Held by whoever plays or merges into it; readers need none.
    pub(super) _writer: Option<Arc<FolderLock>>,
}

/// The folder of one episode.
#[derive(Clone, Debug)]
pub struct EpisodeFolder {
    path: PathBuf,
    root: PathBuf,
    key: EpisodeKey,
    /// What its checks say about its success.
    rule: CheckRule,
    lost: WriteFailures,
}

/// Episodes of which something could not be written: by folder, the first reason. Such an episode is
/// not complete, whatever its result.
#[derive(Clone, Debug, Default)]
struct WriteFailures(Arc<Mutex<HashMap<PathBuf, (std::io::ErrorKind, String)>>>);

impl WriteFailures {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, (std::io::ErrorKind, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes JSON to a temporary file beside `path`, flushes it to the disk and renames it, so that
/// `path` is either absent, old or complete.
///
/// # Errors
/// When the disk refuses.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), TaskError> {
    let text = serde_json::to_vec_pretty(value)
        .map_err(|e| TaskError::Internal(format!("{} as JSON: {e}", path.display())))?;
    write_whole(path, &text)
}

/// Writes bytes as [`write_json`] does.
///
/// # Errors
/// When the disk refuses.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), TaskError> {
    let temp = path.with_extension(format!("tmp{}", std::process::id()));
    // Left by a process of this number; or put there, as a link to elsewhere.
    let _ = fs::remove_file(&temp);
    let written = (|| {
        let mut file = File::create_new(&temp).map_err(TaskError::io("write", &temp))?;
        file.write_all(bytes).map_err(TaskError::io("write", &temp))?;
        file.sync_data().map_err(TaskError::io("flush", &temp))?;
        fs::rename(&temp, path).map_err(TaskError::io("rename to", path))
    })();
    if written.is_err() {
        // The disk is full or gone: the half-written file helps nobody.
        let _ = fs::remove_file(&temp);
    }
    written
}

/// The result that a file holds.
fn parse_result(written: &Value) -> Result<EpisodeResult, serde_path_to_error::Error<serde_json::Error>> {
    serde_path_to_error::deserialize(written)
}

/// Reads a file of the run in `root`. The run may be somebody else's.
fn read_json<T: DeserializeOwned>(root: &Path, path: &Path, hint: &str) -> Result<T, TaskError> {
    let bytes = foreign::read(root, path, foreign::TEXT_BYTES).map_err(TaskError::io("read", path))?;
    let mut de = serde_json::Deserializer::from_slice(&bytes);
    serde_path_to_error::deserialize(&mut de).map_err(|e| TaskError::Record {
        path: path.to_owned(),
        message: format!("{e}; the file is damaged or of another version: {hint}"),
    })
}

impl RunFolder {
    /// Opens the folder of a run.
    ///
    /// # Errors
    /// When there is no valid manifest.
    pub fn open(path: &Path) -> Result<Self, TaskError> {
        let file = path.join("manifest.json");
        if !file.exists() && !file.is_symlink() {
            return Err(TaskError::Record {
                path: path.to_owned(),
                message: "is not a run folder: it has no manifest.json".into(),
            });
        }
        let manifest: Manifest = read_json(path, &file, "put a copy back, or give another --out")?;
        if manifest.format != FORMAT {
            return Err(TaskError::Record {
                path: file,
                message: format!("has format {}, this waldo reads {FORMAT}", manifest.format),
            });
        }
        Ok(Self::new(path, manifest))
    }

    /// The folder of a run that is not on the disk yet.
    pub(super) fn new(path: &Path, manifest: Manifest) -> Self {
        Self { path: path.to_owned(), manifest, lost: WriteFailures::default(), _writer: None }
    }

    /// The run that is there, if it is this one; none where there is none.
    pub(super) fn found(path: &Path, manifest: &Manifest) -> Result<Option<Self>, TaskError> {
        let file = path.join("manifest.json");
        if !file.exists() && !file.is_symlink() {
            return Ok(None);
        }
        let found = Self::open(path)?;
        match Self::difference(&found.manifest, manifest) {
            None => Ok(Some(found)),
            Some(difference) => Err(TaskError::Record {
                path: path.to_owned(),
                message: format!(
                    "holds another run ({difference}); give another --out, or remove the folder"
                ),
            }),
        }
    }

    /// Makes the folder of a run, or opens the one that is there when it is of the same run. Nobody else can
    /// until this and its clones are gone.
    ///
    /// # Errors
    /// As [`Claim::of`].
    pub fn create_or_resume(path: &Path, manifest: Manifest) -> Result<Self, TaskError> {
        Claim::of(path, manifest)?.write()
    }

    /// The first difference that makes two manifests different runs; times and worker counts do not.
    pub fn difference(old: &Manifest, new: &Manifest) -> Option<String> {
        let said = |what: &str, a: String, b: String| (a != b).then(|| format!("{what} was {a}, now {b}"));
        let names =
            |m: &Manifest| m.contestants.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(", ");
        said("suite", old.suite.clone(), new.suite.clone())
            .or_else(|| {
                let (a, b) = (&old.suite_hash, &new.suite_hash);
                (a != b)
                    .then(|| format!("the suite has changed: its hash was {}, now {}", short(a), short(b)))
            })
            .or_else(|| said("agents", names(old), names(new)))
            .or_else(|| said("seed", old.seed.to_string(), new.seed.to_string()))
            .or_else(|| said("repeats", old.repeats.to_string(), new.repeats.to_string()))
            .or_else(|| said("max steps", format!("{:?}", old.max_steps), format!("{:?}", new.max_steps)))
            .or_else(|| said("partition", format!("{:?}", old.partition), format!("{:?}", new.partition)))
            .or_else(|| other_tasks(old, new))
            .or_else(|| said("prompts", format!("{:?}", old.prompts), format!("{:?}", new.prompts)))
            .or_else(|| changed("parameters", &old.parameters, &new.parameters))
    }

    /// Takes a complete episode over from another folder of the same run, pictures and all. `false`
    /// when that folder does not hold it, or this one already holds a valid result.
    ///
    /// # Errors
    /// When the disk refuses, or a result cannot be read.
    pub fn take(&self, from: &Self, key: &EpisodeKey) -> Result<bool, TaskError> {
        let (theirs, ours) = (from.episode(key), self.episode(key));
        if ours.is_done() || theirs.result()?.is_none() {
            return Ok(false);
        }
        ours.begin()?;
        copy_files(&from.path, theirs.path(), ours.path())?;
        // Last, so that a copy that was cut off does not count as complete.
        copy_file(&from.path, &theirs.path().join("result.json"), &ours.path().join("result.json"))?;
        Ok(true)
    }

    /// Raises the step budget of every task to `steps`, for a run that goes on under more than it began with.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn raise_budget(&mut self, steps: u32) -> Result<(), TaskError> {
        let mut less = self.manifest.tasks.iter_mut().filter(|task| task.max_steps < steps).peekable();
        if less.peek().is_none() {
            return Ok(());
        }
        less.for_each(|task| task.max_steps = steps);
        write_json(&self.path.join("manifest.json"), &self.manifest)
    }

    /// Says what it is played on, where more of that becomes known than when it began.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn set_device(&mut self, device: DeviceInfo) -> Result<(), TaskError> {
        self.manifest.device = Some(device);
        write_json(&self.path.join("manifest.json"), &self.manifest)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder of one episode, whether it exists or not.
    pub fn episode(&self, key: &EpisodeKey) -> EpisodeFolder {
        // A key is read with the manifest, which has no other names; what else there may be stays in the folder.
        let (contestant, task) = (PathName::like(&key.contestant), PathName::like(&key.task));
        let path = self.path.join("episodes").join(contestant).join(task).join(format!("r{}", key.repeat));
        let rule = self.check_rule(key);
        EpisodeFolder { path, root: self.path.clone(), key: key.clone(), rule, lost: self.lost.clone() }
    }

    /// What checks of an episode say about its success.
    fn check_rule(&self, key: &EpisodeKey) -> CheckRule {
        let task = self.manifest.tasks.iter().find(|task| task.id == key.task);
        let suite = task.and_then(|task| task.suite.as_deref()).unwrap_or(&self.manifest.suite);
        match self.manifest.is_judged() {
            false => CheckRule::Unjudged,
            // What judges these by its own rules combines checks by `and` and `or`, and counts parts of them.
            true if ["osworld", "webarena", "bridge"].iter().any(|name| suite.starts_with(name)) => {
                CheckRule::Parts
            }
            true => CheckRule::All,
        }
    }

    /// Every episode of the run in the declared order: contestant, repeat, task.
    pub fn keys(&self) -> impl Iterator<Item = EpisodeKey> + '_ {
        let m = &self.manifest;
        m.contestants.iter().flat_map(move |contestant| {
            (0..m.repeats).flat_map(move |repeat| {
                m.tasks.iter().map(move |task| EpisodeKey {
                    contestant: contestant.name.clone(),
                    task: task.id.clone(),
                    repeat,
                })
            })
        })
    }

    /// The results so far, in the declared order.
    ///
    /// # Errors
    /// When a result cannot be read.
    pub fn results(&self) -> Result<Vec<EpisodeResult>, TaskError> {
        let mut found = Vec::new();
        for key in self.keys() {
            if let Some(result) = self.episode(&key).result()? {
                found.push(result);
            }
        }
        Ok(found)
    }
}

/// Which tasks only one of two runs has.
fn other_tasks(old: &Manifest, new: &Manifest) -> Option<String> {
    const SHOWN: usize = 3;
    fn ids(m: &Manifest) -> Vec<&str> {
        m.tasks.iter().map(|t| t.id.as_str()).collect()
    }
    let (a, b) = (ids(old), ids(new));
    if let ("explore", [a], [b]) = (old.suite.as_str(), &*a, &*b) {
        return (a != b).then(|| format!("the app was {a}, now {b}"));
    }
    let only = |own: &[&str], other: &[&str], when: &str| {
        let own: Vec<&str> = own.iter().copied().filter(|id| !other.contains(id)).collect();
        let more = own.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = own.get(..SHOWN).unwrap_or(&own).join(", ");
        (!own.is_empty()).then(|| format!("{shown}{more} only {when}"))
    };
    let told: Vec<String> = [only(&a, &b, "then"), only(&b, &a, "now")].into_iter().flatten().collect();
    let told = if told.is_empty() { "they are in another order".to_owned() } else { told.join(", ") };
    (a != b).then(|| format!("its tasks are others: {told}"))
}

/// As much of a hash as people compare.
fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

/// The first place, by its name, at which two values differ.
fn changed(name: &str, old: &Value, new: &Value) -> Option<String> {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            names.into_iter().find_map(|key| changed(&format!("{name}.{key}"), &old[key], &new[key]))
        }
        _ => (old != new).then(|| format!("{name} was {old}, now {new}")),
    }
}

/// Copies what is in a folder of the run in `root`, except the result.
fn copy_files(root: &Path, from: &Path, to: &Path) -> Result<(), TaskError> {
    fs::create_dir_all(to).map_err(TaskError::io("make", to))?;
    for entry in foreign::list(root, from).map_err(TaskError::io("read", from))? {
        let target = to.join(&entry.name);
        match entry.kind {
            EntryKind::Folder => copy_files(root, &entry.path, &target)?,
            EntryKind::File if entry.name == "result.json" => {}
            EntryKind::File => copy_file(root, &entry.path, &target)?,
            EntryKind::Other(what) => {
                return Err(TaskError::Record {
                    path: entry.path,
                    message: format!("is {what}: a run holds folders and regular files; remove it"),
                });
            }
        }
    }
    Ok(())
}

fn copy_file(root: &Path, from: &Path, to: &Path) -> Result<(), TaskError> {
    // Nothing in a run folder is ever changed in place, but for the events of an episode that is being played.
    foreign::link_or_copy(root, from, to, foreign::LARGE_BYTES).map_err(TaskError::io("copy", from))
}

impl EpisodeFolder {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where downloads of the episode go.
    pub fn downloads(&self) -> PathBuf {
        self.path.join("downloads")
    }

    /// Empties the folder for a new attempt.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn begin(&self) -> Result<(), TaskError> {
        self.lost.lock().remove(&self.path);
        if self.root.exists() {
            // What is emptied and written must be the run's own.
            foreign::check_way(&self.root, &self.path).map_err(TaskError::io("write to", &self.path))?;
        }
        if self.path.exists() {
            fs::remove_dir_all(&self.path).map_err(TaskError::io("empty", &self.path))?;
        }
        let downloads = self.downloads();
        fs::create_dir_all(&downloads).map_err(TaskError::io("make", &downloads))
    }

    /// Appends events to the record; they are with the operating system when this returns.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn append(&self, events: &[Event]) -> Result<(), TaskError> {
        let path = self.path.join(EVENTS);
        let mut lines = Vec::new();
        for event in events {
            serde_json::to_writer(&mut lines, event)
                .map_err(|e| TaskError::Internal(format!("an event of {}: {e}", path.display())))?;
            lines.push(b'\n');
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        self.note_failure(&path, file.and_then(|mut file| file.write_all(&lines)))
    }

    /// Writes a picture of the episode.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn picture(&self, name: &str, png: &[u8]) -> Result<(), TaskError> {
        let path = self.path.join(name);
        self.note_failure(&path, fs::write(&path, png))
    }

    /// Has a picture of the episode under another name too, as it shows the same.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn same_picture(&self, first: &str, name: &str) -> Result<(), TaskError> {
        let path = self.path.join(name);
        let first = self.path.join(first);
        // Some disks know no second names.
        let named = fs::hard_link(&first, &path).or_else(|_| fs::copy(&first, &path).map(|_| ()));
        self.note_failure(&path, named)
    }

    /// Reads a file of the episode, such as a picture.
    ///
    /// # Errors
    /// When it is not there, is none of the episode's own, or is too large.
    pub fn read(&self, name: &PathName, max: u64) -> Result<Vec<u8>, TaskError> {
        let path = self.path.join(name);
        foreign::read(&self.root, &path, max).map_err(TaskError::io("read", &path))
    }

    /// Remembers what could not be written of the episode.
    fn note_failure(&self, path: &Path, written: std::io::Result<()>) -> Result<(), TaskError> {
        written.map_err(|source| {
            let reason = (source.kind(), format!("{}: {source}", path.display()));
            self.lost.lock().entry(self.path.clone()).or_insert(reason);
            TaskError::Io { what: "write", path: path.to_owned(), source }
        })
    }

    /// What could not be written of the episode since it began: the first of it.
    pub fn write_error(&self) -> Option<TaskError> {
        let lost = self.lost.lock();
        let (kind, reason) = lost.get(&self.path)?;
        let source = std::io::Error::new(*kind, reason.clone());
        Some(TaskError::Io { what: "record the whole of", path: self.path.clone(), source })
    }

    /// Completes the episode: flushes its events, then writes the result by rename.
    ///
    /// # Errors
    /// When the disk refuses, or has refused a part of the episode since it began.
    pub fn complete(&self, result: &EpisodeResult) -> Result<(), TaskError> {
        if let Some(lost) = self.write_error() {
            return Err(lost);
        }
        let events = self.path.join(EVENTS);
        if let Ok(file) = File::open(&events) {
            file.sync_data().map_err(TaskError::io("flush", &events))?;
        }
        write_json(&self.path.join("result.json"), result)?;
        // Where nothing was downloaded there is nothing to keep a folder for; one that holds something stays.
        let _ = fs::remove_dir(self.downloads());
        Ok(())
    }

    /// The result, when the episode is complete. One that does not agree with the events of the episode is given as
    /// invalid, with what does not agree: it is never scored, and the run that goes on plays the episode again.
    ///
    /// # Errors
    /// When the result is there and cannot be read.
    pub fn result(&self) -> Result<Option<EpisodeResult>, TaskError> {
        let path = self.path.join("result.json");
        let hint = "remove it, and the same command plays the episode again";
        if !path.exists() && !path.is_symlink() {
            return Ok(None);
        }
        let written: Value = read_json(&self.root, &path, hint)?;
        let result: EpisodeResult = parse_result(&written).map_err(|e| TaskError::Record {
            path: path.clone(),
            message: format!("{e}; the file is damaged or of another version: {hint}"),
        })?;
        if result.key != self.key {
            let message = format!("is the result of {}, not of {}: {hint}", result.key, self.key);
            return Err(TaskError::Record { path, message });
        }
        Ok(Some(match self.held_against(&result, &written) {
            None => result,
            Some(why) => {
                let reason = format!("its result.json does not agree with its events.jsonl: {why}");
                EpisodeResult { outcome: Outcome::Invalid { reason }, success: Some(0.0), ..result }
            }
        }))
    }

    /// Holds a result, and what its file says, against the events of the episode; what does not agree first.
    fn held_against(&self, result: &EpisodeResult, written: &Value) -> Option<String> {
        match read_lines::<SealedEvent>(&self.root, &self.path) {
            Ok(events) => disagreement(result, written, &events, self.rule),
            Err(e) if !result.is_invalid() => Some(format!("the events cannot be read: {e}")),
            Err(_) => None,
        }
    }

    /// Reads a result, and holds it against the events of the episode.
    ///
    /// # Errors
    /// What is wrong with it, or does not agree.
    pub fn sealed(&self, bytes: &[u8]) -> Result<EpisodeResult, String> {
        let written: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        let result = parse_result(&written).map_err(|e| e.to_string())?;
        self.held_against(&result, &written).map_or(Ok(result), Err)
    }

    /// Whether the episode is complete with a valid result.
    pub fn is_done(&self) -> bool {
        matches!(self.result(), Ok(Some(result)) if !result.is_invalid())
    }

    /// The events so far; a last line that was cut off by a crash is left out.
    ///
    /// # Errors
    /// When the file cannot be read, or a line before the last is damaged.
    pub fn events(&self) -> Result<Vec<Event>, TaskError> {
        read_events(&self.root, &self.path)
    }
}
