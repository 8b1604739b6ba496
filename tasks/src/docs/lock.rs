//! Who may change an app's folder.
//!
//! Whoever learns for long (an exploration, a demonstration, an import) holds the folder's [`Writer`]
//! meanwhile: two of them would document and link the same screens in turns. One change of one element, a
//! person's too, is made under `change.lock`, from reading the file to writing it. That too is a lock of the
//! system, which a process loses with its life; the files stay.
//!
//! [`Writer`]: crate::lock::Writer

use std::fs::File;
use std::path::Path;

use crate::error::TaskError;
use crate::lock::{io, open};

/// The right to make one change.
#[derive(Debug)]
pub(super) struct Turn {
    _file: File,
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
