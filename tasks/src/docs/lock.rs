//! Who may write an app's folder.
//!
//! Whoever learns for long (an exploration, a demonstration, an import) holds `writer.lock` meanwhile: two
//! of them would document and link the same screens in turns. One change of one element, a person's too, is
//! made under `change.lock`, from reading the file to writing it. Both are locks of the system, which a
//! process loses with its life; the files stay, unless nothing else was kept in the folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::store::{bad, io};
use crate::error::TaskError;

/// The right to learn into a folder.
#[derive(Debug)]
pub(super) struct Writer {
    _file: File,
    folder: PathBuf,
}

/// The right to make one change.
#[derive(Debug)]
pub(super) struct Turn {
    _file: File,
}

fn open(path: &Path) -> Result<File, TaskError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).open(path).map_err(io("open", path))
}

impl Writer {
    /// Takes the lock for `who`, such as `waldo explore`; makes the folder where there is none.
    ///
    /// # Errors
    /// Who holds it, when somebody does.
    pub(super) fn take(folder: &Path, who: &str) -> Result<Self, TaskError> {
        fs::create_dir_all(folder).map_err(io("make", folder))?;
        let path = folder.join("writer.lock");
        let mut file = open(&path)?;
        match file.try_lock() {
            Ok(()) if path.exists() => {}
            // Its holder ended in between, had kept nothing, and took it along.
            Ok(()) => return Self::take(folder, who),
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                // Who it is helps; that it is locked is known already.
                let _ = file.read_to_string(&mut owner);
                let owner = match owner.trim() {
                    "" => "another waldo",
                    owner => owner,
                };
                let message = format!(
                    "{owner} is writing into it; wait for that to end, or give another folder with --docs"
                );
                return Err(bad(folder, message));
            }
            Err(TryLockError::Error(source)) => return Err(io("lock", &path)(source)),
        }
        let since = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{who} (process {}, since {since})", std::process::id()))
            .map_err(io("write", &path))?;
        Ok(Self { _file: file, folder: folder.to_owned() })
    }
}

impl Drop for Writer {
    /// A folder that did not become an app's holds nothing but this lock.
    fn drop(&mut self) {
        if !self.folder.join("app.json").exists() {
            // What cannot be taken away stays, and is no app's either.
            let _ = fs::remove_file(self.folder.join("writer.lock"));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Turn {
    /// Waits for the lock: nobody holds it for longer than it takes to write two small files.
    pub(super) fn take(folder: &Path) -> Result<Self, TaskError> {
        let path = folder.join("change.lock");
        let file = open(&path)?;
        file.lock().map_err(io("lock", &path))?;
        Ok(Self { _file: file })
    }
}
