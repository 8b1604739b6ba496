//! The folder of one episode: written while it is played, complete with its result.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;
use waldo_devices::foreign::{self, PathName};

use super::event_log::read_lines;
use super::files::{damaged, read_json, write_json};
use super::seal::{SealedEvent, disagreement};
use super::{EVENTS, EpisodeKey, EpisodeResult, Outcome, Scoring, read_events};
use crate::error::{Result, TaskError};
use crate::events::Event;

#[derive(Clone, Debug)]
pub struct EpisodeFolder {
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
    pub(super) key: EpisodeKey,
    /// How its success follows from its checks where its result does not say so, as those of older versions do not; nothing
    /// where the run is not judged.
    pub(super) unsaid: Option<Scoring>,
    pub(super) lost: WriteFailures,
}

/// Episodes of which something could not be written: by folder, the first reason. Such an episode is
/// not complete, whatever its result.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteFailures(Arc<Mutex<HashMap<PathBuf, (std::io::ErrorKind, String)>>>);

impl WriteFailures {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, (std::io::ErrorKind, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parse_result(written: &Value) -> Result<EpisodeResult, serde_path_to_error::Error<serde_json::Error>> {
    serde_path_to_error::deserialize(written)
}

impl EpisodeFolder {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn downloads(&self) -> PathBuf {
        self.path.join("downloads")
    }

    pub fn begin(&self) -> Result<()> {
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
    pub fn append(&self, events: &[Event]) -> Result<()> {
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

    pub fn picture(&self, name: &str, png: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        self.note_failure(&path, fs::write(&path, png))
    }

    /// Has a picture of the episode under another name too, as it shows the same.
    pub(crate) fn same_picture(&self, first: &str, name: &str) -> Result<()> {
        let path = self.path.join(name);
        let first = self.path.join(first);
        // Some disks know no second names.
        let named = fs::hard_link(&first, &path).or_else(|_| fs::copy(&first, &path).map(|_| ()));
        self.note_failure(&path, named)
    }

    pub fn read(&self, name: &PathName, max: u64) -> Result<Vec<u8>> {
        let path = self.path.join(name);
        foreign::read(&self.root, &path, max).map_err(TaskError::io("read", &path))
    }

    fn note_failure(&self, path: &Path, written: std::io::Result<()>) -> Result<()> {
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
    pub fn complete(&self, result: &EpisodeResult) -> Result<()> {
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
    pub fn result(&self) -> Result<Option<EpisodeResult>> {
        let path = self.path.join("result.json");
        let hint = "remove it, and the same command plays the episode again";
        if !path.exists() && !path.is_symlink() {
            return Ok(None);
        }
        let written: Value = read_json(&self.root, &path, hint)?;
        let result: EpisodeResult = parse_result(&written).map_err(|e| damaged(&path, e, hint))?;
        if result.key != self.key {
            let message = format!("is the result of {}, not of {}: {hint}", result.key, self.key);
            return Err(TaskError::record(&path, message));
        }
        Ok(Some(match self.held_against(&result, &written) {
            None => result,
            Some(why) => {
                let reason = format!("its result.json does not agree with its events.jsonl: {why}");
                EpisodeResult { outcome: Outcome::Invalid { reason }, success: None, ..result }
            }
        }))
    }

    /// Holds a result, and what its file says, against the events of the episode; what does not agree first.
    fn held_against(&self, result: &EpisodeResult, written: &Value) -> Option<String> {
        match self.events_as::<SealedEvent>() {
            Ok(events) => disagreement(result, written, &events, self.scoring(result)),
            Err(e) if !result.is_invalid() => Some(format!("the events cannot be read: {e}")),
            Err(_) => None,
        }
    }

    /// How a result's success follows from its checks; nothing where the run is not judged.
    pub(super) fn scoring(&self, result: &EpisodeResult) -> Option<Scoring> {
        self.unsaid.map(|unsaid| result.scoring.unwrap_or(unsaid))
    }

    /// Reads a result, and holds it against the events of the episode.
    pub fn sealed(&self, bytes: &[u8]) -> Result<EpisodeResult, String> {
        let written: Value = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        let result = parse_result(&written).map_err(|e| e.to_string())?;
        self.held_against(&result, &written).map_or(Ok(result), Err)
    }

    pub fn is_done(&self) -> bool {
        matches!(self.result(), Ok(Some(result)) if !result.is_invalid())
    }

    /// The events so far; a last line that was cut off by a crash is left out.
    pub fn events(&self) -> Result<Vec<Event>> {
        read_events(&self.root, &self.path)
    }

    /// The same, of each event only what `T` has, which is quicker.
    pub fn events_as<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        read_lines(&self.root, &self.path)
    }
}
