//! Who may change an app's folder.
//!
//! Whoever learns for long (an exploration, a demonstration, an import) holds the folder's [`DocsLock`]
//! meanwhile: two of them would document and link the same screens in turns. One change of one element, a
//! person's too, is made under `change.lock`, from reading the file to writing it. Both are locks of the
//! system, which a process loses with its life; the files stay, unless nothing else was kept in the folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::error::{Result, TaskError};
use crate::lock::{self, open};

#[derive(Debug)]
pub(super) struct DocsLock {
    _lock: lock::FolderLock,
    folder: PathBuf,
}

/// The right to make one change.
#[derive(Debug)]
pub(super) struct Turn {
    _file: File,
}

impl DocsLock {
    /// Takes the lock for `who`, such as `waldo explore`; makes the folder where there is none.
    pub(super) fn take(folder: &Path, who: &str) -> Result<Self> {
        let lock = lock::FolderLock::take(folder, who, "give another folder with --docs")?;
        Ok(Self { _lock: lock, folder: folder.to_owned() })
    }
}

impl Drop for DocsLock {
    /// A folder that did not become an app's holds nothing but this lock.
    fn drop(&mut self) {
        if !self.folder.join("app.json").exists() {
            // What cannot be taken away stays, and is not an app's either.
            let _ = fs::remove_file(self.folder.join("writer.lock"));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Turn {
    /// Waits for the lock: nobody holds it for longer than it takes to write two small files.
    pub(super) fn take(folder: &Path) -> Result<Self> {
        let path = folder.join("change.lock");
        let file = open(&path)?;
        file.lock().map_err(TaskError::io("lock", &path))?;
        Ok(Self { _file: file })
    }
}
