//! Folders in the temporary directory that belong to this user alone, each as long as its owner lives.
//!
//! Invariants: a folder is made under a name that nobody can foresee, with mode 0700, never taken over. What
//! lies in the temporary directory already is believed only where it is a folder of this user's, reached
//! through no link, with a plain file of this user's in it; no look at it waits (a FIFO would never answer).

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, openat};

#[derive(Clone, Copy, Debug)]
pub struct DirKind {
    pub prefix: &'static str,
    /// The file in it that its owner keeps locked.
    pub owner: &'static str,
}

/// A folder with an owner. It stays when this is dropped, without an owner; removing it is the user's.
#[derive(Debug)]
pub struct PrivateDir {
    path: PathBuf,
    /// Locked as long as the owner lives, however it ends.
    _owner: File,
}

impl PrivateDir {
    pub fn make(temp: &Path, kind: DirKind) -> io::Result<Self> {
        // Mounts are told by their real path.
        let temp = fs::canonicalize(temp)?;
        let path = tempfile::Builder::new()
            .prefix(kind.prefix)
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .tempdir_in(temp)?
            .keep();
        // Locked before it bears its name: another that sweeps sees no owner, or one that lives.
        let unnamed = path.join(format!("{}.new", kind.owner));
        let owner = File::create_new(&unnamed)?;
        owner.try_lock()?;
        fs::rename(&unnamed, path.join(kind.owner))?;
        Ok(Self { path, _owner: owner })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[derive(Debug)]
pub struct ScratchDir(PrivateDir);

impl ScratchDir {
    /// Makes one in `temp`, and removes those of its kind whose owner is gone.
    pub fn make(temp: &Path, kind: DirKind) -> io::Result<Self> {
        for left in abandoned(temp, kind) {
            // One that stays only takes room.
            let _ = fs::remove_dir_all(&left.path);
        }
        PrivateDir::make(temp, kind).map(Self)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        // Dying helpers may still write for a moment; each round waits for one to be gone.
        let end = Instant::now() + Duration::from_secs(1);
        while fs::remove_dir_all(self.path()).is_err() && self.path().exists() && Instant::now() < end {
            std::thread::yield_now();
        }
    }
}

/// Where files are kept in memory, on systems that do; else the temporary folder.
pub fn in_memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// A folder whose owner is gone. Nobody else finds it as long as this lives.
#[derive(Debug)]
pub struct Abandoned {
    pub path: PathBuf,
    _owner: File,
}

/// The folders of this user and of this kind in `temp` whose owner is gone.
pub fn abandoned(temp: &Path, kind: DirKind) -> Vec<Abandoned> {
    abandoned_of(temp, kind, rustix::process::geteuid().as_raw())
}

fn abandoned_of(temp: &Path, kind: DirKind, user: u32) -> Vec<Abandoned> {
    let Ok(entries) = fs::read_dir(temp) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(kind.prefix))
        .filter_map(|entry| {
            let path = entry.path();
            // A folder without the file is about to get one, or is not ours.
            let owner = owner_of(&path, kind, user).ok().flatten()?;
            owner.try_lock().ok()?;
            Some(Abandoned { path, _owner: owner })
        })
        .collect()
}

/// The owner's file of a folder, where both are this user's and what they should be.
fn owner_of(path: &Path, kind: DirKind, user: u32) -> io::Result<Option<File>> {
    let safe = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let folder = File::from(openat(CWD, path, safe | OFlags::DIRECTORY, Mode::empty())?);
    let told = folder.metadata()?;
    if told.uid() != user || told.mode() & 0o022 != 0 {
        return Ok(None);
    }
    let owner = File::from(openat(&folder, kind.owner, safe, Mode::empty())?);
    let told = owner.metadata()?;
    Ok((told.is_file() && told.uid() == user).then_some(owner))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    const KIND: DirKind = DirKind { prefix: "waldo-test-", owner: "owner" };

    fn found(temp: &Path) -> Vec<String> {
        let name = |one: Abandoned| one.path.file_name().unwrap().to_string_lossy().into_owned();
        let mut all: Vec<String> = abandoned(temp, KIND).into_iter().map(name).collect();
        all.sort();
        all
    }

    #[test]
    fn a_folder_is_its_owners_alone_and_left_once_the_owner_is_gone() {
        let temp = tempfile::tempdir().unwrap();
        let made = PrivateDir::make(temp.path(), KIND).unwrap();
        assert_eq!(fs::metadata(made.path()).unwrap().permissions().mode() & 0o7777, 0o700);
        assert!(found(temp.path()).is_empty());
        let name = made.path().file_name().unwrap().to_string_lossy().into_owned();
        drop(made);
        assert_eq!(found(temp.path()), [name]);
        // One that is looked at is nobody else's to clear.
        let held = abandoned(temp.path(), KIND);
        assert_eq!((held.len(), found(temp.path()).len()), (1, 0));
    }

    #[test]
    fn traps_are_neither_waited_for_nor_followed() {
        let temp = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("owner"), "").unwrap();
        let make = |name: &str| {
            let path = temp.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let fifo = std::process::Command::new("mkfifo").arg(make("waldo-test-fifo").join("owner")).status();
        assert!(fifo.unwrap().success());
        symlink(elsewhere.path(), temp.path().join("waldo-test-link")).unwrap();
        symlink(elsewhere.path().join("owner"), make("waldo-test-linked").join("owner")).unwrap();
        fs::create_dir(make("waldo-test-folder").join("owner")).unwrap();
        fs::write(temp.path().join("waldo-test-file"), "").unwrap();
        make("waldo-test-new");
        fs::write(make("other").join("owner"), "").unwrap();
        assert!(found(temp.path()).is_empty());
        fs::write(make("waldo-test-left").join("owner"), "").unwrap();
        assert_eq!(found(temp.path()), ["waldo-test-left"]);
    }

    #[test]
    fn folders_of_others_are_left_alone() {
        let temp = tempfile::tempdir().unwrap();
        drop(PrivateDir::make(temp.path(), KIND).unwrap());
        let user = rustix::process::geteuid().as_raw();
        assert!(abandoned_of(temp.path(), KIND, user + 1).is_empty());
        assert_eq!(abandoned_of(temp.path(), KIND, user).len(), 1);
    }
}
