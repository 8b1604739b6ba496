//! A folder that comes from another machine, on its way into the run's.
//!
//! Invariant: an episode is complete here when its files are what was said of them, and its record and its result tell
//! of this episode and of the same end.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use waldo_devices::count::count;
use waldo_tasks::events::FORMAT;
use waldo_tasks::record::EpisodeFolder;
use waldo_tasks::runner::instance;
use waldo_tasks::{EpisodeKey, EpisodeResult, Event, EventKind, Manifest, RunFolder};

use super::bundle;
use super::error::{QueueError, Result};
use super::store::BundleStore;
use super::wire::{NamedFile, PlayedEpisode};

const RESULT_BYTES: u64 = 8 << 20;
/// The file of the result; it completes an episode, so it is written by the run itself, last.
const RESULT: &str = "result.json";

/// Takes the folder of an episode in; what the record tells.
///
/// # Errors
/// When anything of it is not as it was said ([`QueueError::Foreign`]: nothing of it stays), the server is away, or the
/// disk refuses.
pub(super) async fn take(
    run: &RunFolder,
    played: &PlayedEpisode,
    store: &BundleStore,
    most: u64,
) -> Result<Vec<Event>> {
    bundle::check(&played.files, most)?;
    let result = played.files.iter().find(|file| file.name == RESULT);
    if result.is_none_or(|file| file.size > RESULT_BYTES) {
        return Err(QueueError::Foreign(format!("its folder has no {RESULT}, or one that is too large")));
    }
    let folder = run.episode(&played.key);
    folder.begin()?;
    let taken = fill(run, &folder, played, store).await;
    if taken.is_err() {
        folder.begin()?;
    }
    taken
}

async fn fill(
    run: &RunFolder,
    folder: &EpisodeFolder,
    played: &PlayedEpisode,
    store: &BundleStore,
) -> Result<Vec<Event>> {
    let mut writing = Writing::new(folder, &played.files);
    let length = bundle::length(&played.files);
    store.get(&played.run, &played.upload, length, &mut |bytes| writing.take(bytes)).await?;
    let result = writing.finish()?;
    let result = folder
        .sealed(&result)
        .map_err(|why| QueueError::Foreign(format!("its {RESULT} cannot be read, or is another: {why}")))?;
    judge(&run.manifest, &played.key, &result)?;
    let events = folder
        .events()
        .map_err(|e| QueueError::Foreign(format!("its record of events cannot be read: {e}")))?;
    if !matches!(events.last().map(|event| &event.kind), Some(EventKind::Ended { .. })) {
        return Err(QueueError::Foreign("its record does not end with the result".to_owned()));
    }
    folder.complete(&result)?;
    Ok(events)
}

fn judge(manifest: &Manifest, key: &EpisodeKey, result: &EpisodeResult) -> Result<()> {
    let refused = |why: String| Err(QueueError::Foreign(format!("its result {why}")));
    if result.key != *key {
        return refused(format!("is that of {}", result.key));
    }
    let Some((seed, max_steps)) = instance(manifest, key) else {
        return refused(format!("is of a task that the run has not: {}", key.task));
    };
    if result.seed != seed {
        return refused("is that of another instance of the task".to_owned());
    }
    if result.max_steps != max_steps || result.steps > max_steps {
        return refused(format!(
            "has {} under a budget of {}",
            count(result.steps, "step"),
            result.max_steps
        ));
    }
    let may = if result.outcome.may_succeed() { 1.0 } else { 0.0 };
    if let Some(success) = result.success.filter(|success| !(0.0..=may).contains(success)) {
        return refused(format!("is a success of {success} after {}", result.outcome.name()));
    }
    Ok(())
}

struct Writing<'a> {
    folder: PathBuf,
    /// The files whose contents come, in their order, the next one last.
    open: Vec<&'a NamedFile>,
    names: HashMap<&'a str, Vec<&'a str>>,
    current: Option<Current<'a>>,
    result: Vec<u8>,
}

struct Current<'a> {
    file: &'a NamedFile,
    left: u64,
    hash: Sha256,
    /// None for the result, which is kept in memory.
    to: Option<(File, PathBuf)>,
}

impl<'a> Writing<'a> {
    fn new(folder: &EpisodeFolder, files: &'a [NamedFile]) -> Self {
        let mut open: Vec<&NamedFile> = bundle::distinct(files).collect();
        open.reverse();
        let mut names: HashMap<&str, Vec<&str>> = HashMap::new();
        for file in files {
            names.entry(&file.hash).or_default().push(&file.name);
        }
        Self { folder: folder.path().to_owned(), open, names, current: None, result: Vec::new() }
    }

    fn take(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let current = match &mut self.current {
                Some(current) => current,
                none => none.insert(next(&self.folder, &mut self.open)?),
            };
            let now = usize::try_from(current.left).unwrap_or(usize::MAX).min(bytes.len());
            let (own, rest) = bytes.split_at(now);
            current.hash.update(own);
            current.left -= own.len() as u64;
            match &mut current.to {
                Some((to, path)) => to.write_all(own).map_err(QueueError::io("write", path))?,
                None => self.result.extend_from_slice(own),
            }
            bytes = rest;
            self.close_full()?;
        }
        Ok(())
    }

    /// Ends the file that has all its bytes.
    fn close_full(&mut self) -> Result<()> {
        let Some(current) = self.current.take_if(|current| current.left == 0) else { return Ok(()) };
        let Current { file, hash, to, .. } = current;
        if HEXLOWER.encode(&hash.finalize()) != file.hash.to_ascii_lowercase() {
            return Err(QueueError::Foreign(format!("{:?} of its folder is not what was said", file.name)));
        }
        let others =
            self.names.get(file.hash.as_str()).into_iter().flatten().filter(|name| **name != file.name);
        let Some((_, path)) = to else {
            return match others.count() {
                0 => Ok(()),
                _ => Err(QueueError::Foreign(format!("another file of its folder is its {RESULT}"))),
            };
        };
        for name in others {
            if *name == RESULT {
                return Err(QueueError::Foreign(format!("another file of its folder is its {RESULT}")));
            }
            let other = self.folder.join(name);
            let named = around(&other).and_then(|()| {
                // Some disks know no second names.
                fs::hard_link(&path, &other).or_else(|_| fs::copy(&path, &other).map(|_| ()))
            });
            named.map_err(|error| unwritten(&other, error))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<u8>> {
        // What is empty has no bytes that would have brought it.
        while self.current.is_none() && self.open.last().is_some_and(|file| file.size == 0) {
            self.current = Some(next(&self.folder, &mut self.open)?);
            self.close_full()?;
        }
        match (&self.current, self.open.is_empty()) {
            (None, true) => Ok(self.result),
            _ => Err(QueueError::Foreign("its folder has fewer bytes than were said".to_owned())),
        }
    }
}

/// Opens the next file; empty ones before it are made on the way.
fn next<'a>(folder: &std::path::Path, open: &mut Vec<&'a NamedFile>) -> Result<Current<'a>> {
    let more = || QueueError::Foreign("its folder has more bytes than were said".to_owned());
    let file = open.pop().ok_or_else(more)?;
    let to = match file.name == RESULT {
        true => None,
        false => {
            let path = folder.join(&file.name);
            let made = around(&path).and_then(|()| File::options().write(true).create_new(true).open(&path));
            Some((made.map_err(|error| unwritten(&path, error))?, path))
        }
    };
    Ok(Current { file, left: file.size, hash: Sha256::new(), to })
}

/// Why a file cannot be made: its name does not fit beside the others, or the disk refuses.
fn unwritten(path: &std::path::Path, error: std::io::Error) -> QueueError {
    use std::io::ErrorKind::{AlreadyExists, InvalidFilename, InvalidInput, IsADirectory, NotADirectory};
    match error.kind() {
        AlreadyExists | InvalidFilename | InvalidInput | IsADirectory | NotADirectory => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            QueueError::Foreign(format!("a file of its folder cannot have the name {name:?}: {error}"))
        }
        _ => QueueError::io("write", path)(error),
    }
}

fn around(path: &std::path::Path) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Keeps that nobody brought a result: the episode is invalid, by name.
pub(super) fn keep_invalid(
    run: &RunFolder,
    key: &EpisodeKey,
    attempts: u32,
    reason: String,
) -> Result<Event> {
    let Some((seed, max_steps)) = instance(&run.manifest, key) else {
        return Err(QueueError::Foreign(format!("{key} is not an episode of the run")));
    };
    let result = EpisodeResult::invalid(key.clone(), seed, max_steps, attempts, reason);
    keep(&run.episode(key), &result)
}

/// Keeps a result with nothing but its end.
pub(super) fn keep(folder: &EpisodeFolder, result: &EpisodeResult) -> Result<Event> {
    folder.begin()?;
    let kind = EventKind::Ended { result: Box::new(result.clone()) };
    let event = Event { v: FORMAT, at: Timestamp::now(), episode: result.key.clone(), kind };
    folder.append(std::slice::from_ref(&event))?;
    folder.complete(result)?;
    Ok(event)
}
