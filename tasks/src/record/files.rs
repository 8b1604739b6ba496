//! Files of a run: written whole or not at all, read with care, copied without following links.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use waldo_devices::foreign::{self, EntryKind};

use crate::error::{Result, TaskError};

/// Writes JSON to a temporary file beside `path`, flushes it to the disk and renames it, so that
/// `path` is either absent, old or complete.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let text = serde_json::to_vec_pretty(value)
        .map_err(|e| TaskError::Internal(format!("{} as JSON: {e}", path.display())))?;
    write_whole(path, &text)
}

pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
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

/// Reads a file of the run in `root`. The run may be somebody else's.
pub(super) fn read_json<T: DeserializeOwned>(root: &Path, path: &Path, hint: &str) -> Result<T> {
    let bytes = foreign::read(root, path, foreign::TEXT_BYTES).map_err(TaskError::io("read", path))?;
    let mut de = serde_json::Deserializer::from_slice(&bytes);
    serde_path_to_error::deserialize(&mut de).map_err(|e| damaged(path, e, hint))
}

/// What is told of a file whose content, by this error, is none of ours.
pub(super) fn damaged(path: &Path, error: impl std::fmt::Display, hint: &str) -> TaskError {
    TaskError::record(path, format!("{error}; the file is damaged or of another version: {hint}"))
}

/// Copies what is in a folder of the run in `root`, except the result.
pub(super) fn copy_files(root: &Path, from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).map_err(TaskError::io("make", to))?;
    for entry in foreign::list(root, from).map_err(TaskError::io("read", from))? {
        let target = to.join(&entry.name);
        match entry.kind {
            EntryKind::Folder => copy_files(root, &entry.path, &target)?,
            EntryKind::File if entry.name == "result.json" => {}
            EntryKind::File => copy_file(root, &entry.path, &target)?,
            EntryKind::Other(what) => {
                let message = format!("is {what}: a run holds folders and regular files; remove it");
                return Err(TaskError::record(&entry.path, message));
            }
        }
    }
    Ok(())
}

pub(super) fn copy_file(root: &Path, from: &Path, to: &Path) -> Result<()> {
    // Nothing in a run folder is ever changed in place, but for the events of an episode that is being played.
    foreign::link_or_copy(root, from, to, foreign::LARGE_BYTES).map_err(TaskError::io("copy", from))
}
