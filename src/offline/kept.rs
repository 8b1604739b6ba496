//! Files that keep a line of JSON for each answer.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use waldo_devices::foreign;
use waldo_tasks::TaskError;

/// The most bytes of such a file.
const BYTES: u64 = 1 << 30;

/// A file that grows by lines; its folder is locked for who has it.
#[derive(Debug)]
pub struct KeptLines {
    path: PathBuf,
    file: File,
}

impl KeptLines {
    /// Opens the file of this name, or begins it, and gives what its lines hold.
    pub fn open<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<(Self, Vec<T>), TaskError> {
        let path = folder.join(name);
        let (all, whole) = read(folder, &path)?;
        // A file behind a link was not read; a link to nothing is seen here.
        if !path.is_file() && foreign::check_way(folder, &path).is_err() {
            return Err(TaskError::record(&path, "is behind a link"));
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(TaskError::io("write", &path))?;
        // What a process left half-written when it was killed.
        file.set_len(whole).map_err(TaskError::io("write", &path))?;
        Ok((Self { path, file }, all))
    }

    pub fn keep<T: Serialize>(&mut self, one: &T) -> Result<(), TaskError> {
        let mut line = serde_json::to_vec(one)
            .map_err(|error| TaskError::Internal(format!("a line of {}: {error}", self.path.display())))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(TaskError::io("write", &self.path))
    }
}

/// What the whole lines of a file of `folder` hold, and how many bytes they are; nothing where there is no file.
pub fn read<T: DeserializeOwned>(folder: &Path, path: &Path) -> Result<(Vec<T>, u64), TaskError> {
    if !path.exists() {
        return Ok((Vec::new(), 0));
    }
    let bytes = foreign::read(folder, path, BYTES).map_err(TaskError::io("read", path))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let bad = |at: usize, error| TaskError::record(path, format!("line {}: {error}", at + 1));
    let all = lines
        .map(|(at, line)| serde_json::from_slice(line).map_err(|error: serde_json::Error| bad(at, error)));
    Ok((all.collect::<Result<_, _>>()?, whole as u64))
}
