//! The right to play a run into a folder, had before anything is started for it.
//!
//! A run's manifest tells of its device, so it is written when there is one. Whether the folder is this run's is
//! known before, and a folder that is not refuses the run while nothing of it has been touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use waldo_devices::DeviceInfo;

use super::Manifest;
use super::files::write_json;
use super::folder::RunFolder;
use crate::error::Result;
use crate::lock::FolderLock;

/// A folder that nobody else can play into until this, and the folder that comes of it, are gone. Dropped
/// before it became a run's, it takes away what it made.
#[derive(Debug)]
pub struct Claim {
    /// Before the folder, for the lock must still be held when it is taken away.
    _scrap: StaleClaim,
    folder: RunFolder,
    pub new: bool,
}

/// What is left of a claim that nothing came of.
#[derive(Debug)]
struct StaleClaim {
    path: PathBuf,
    /// The folder and those around it that were not there before, the innermost first.
    made: Vec<PathBuf>,
}

impl Drop for StaleClaim {
    fn drop(&mut self) {
        if !self.path.join("manifest.json").exists() {
            // What cannot be taken away stays, and is not a run's either.
            let _ = fs::remove_file(self.path.join("writer.lock"));
            // One that somebody else uses by now is not empty, nor are those around it.
            let _ = self.made.iter().try_for_each(fs::remove_dir);
        }
    }
}

impl Claim {
    /// Claims `path` for the run of `manifest`, whose device need not be known.
    ///
    /// # Errors
    /// When the folder holds another run: the first difference is named, and nothing is touched. When
    /// another process is writing into it: that one is named.
    pub fn of(path: &Path, manifest: Manifest) -> Result<Self> {
        RunFolder::found(path, &manifest)?;
        let around = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let made = around.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        let writer = FolderLock::take(path, &format!("a run of {}", manifest.suite), "give another --out")?;
        // Only what this claim holds is its to take away.
        let scrap = StaleClaim { path: path.to_owned(), made };
        // Once more: another process may have made it meanwhile.
        let found = RunFolder::found(path, &manifest)?;
        let new = found.is_none();
        let mut folder = found.unwrap_or_else(|| RunFolder::new(path, manifest));
        folder._writer = Some(Arc::new(writer));
        Ok(Self { _scrap: scrap, folder, new })
    }

    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Makes the folder that of a run on this device. A run that goes on keeps the one that it began on.
    pub fn on(mut self, device: DeviceInfo) -> Result<RunFolder> {
        if self.new {
            self.folder.manifest.device = Some(device);
        }
        self.write()
    }

    /// Makes the folder that of the run as its manifest stands.
    pub fn write(self) -> Result<RunFolder> {
        if self.new {
            write_json(&self.folder.path.join("manifest.json"), &self.folder.manifest)?;
        }
        Ok(self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::testing::manifest;

    #[test]
    fn a_refused_claim_takes_nothing_from_who_holds_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runs/run");
        let first = Claim::of(&path, manifest(1, 1)).unwrap();
        for _ in 0..2 {
            let told = Claim::of(&path, manifest(1, 1)).unwrap_err().to_string();
            assert!(told.contains("is writing into it"), "{told}");
            assert!(path.join("writer.lock").exists());
        }
        drop(first);
        assert!(!dir.path().join("runs").exists(), "nothing came of it");
        let folder = Claim::of(&path, manifest(1, 1)).unwrap().write().unwrap();
        drop(folder);
        assert!(!Claim::of(&path, manifest(1, 1)).unwrap().new);
        assert!(path.join("manifest.json").exists());
    }
}
