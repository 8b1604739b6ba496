//! Folders in the temporary directory that admit their owner alone, and the sweeping up of those whose owner died.
//!
//! Invariants: everybody may make files there under any name, so nothing found there is believed, waited for or
//! followed: a folder counts as ours when it belongs to this user and nobody else may write in it, and its lock file
//! when it is a plain file of this user; a folder whose lock is held is never touched.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// The lock file before it bears its name: who sweeps meanwhile sees no owner, or one that lives.
const UNNAMED: &str = ".owner";

/// A kind of folder.
pub(crate) struct PrivateDirs {
    /// How the names of its folders begin.
    pub(crate) prefix: &'static str,
    /// The file in each that its owner keeps locked.
    pub(crate) owner: &'static str,
}

impl PrivateDirs {
    /// Makes a folder in `temp`. It is its owner's as long as the file stays open, however the owner ends.
    pub(crate) fn make_in(&self, temp: &Path) -> io::Result<(PathBuf, File)> {
        let folder = tempfile::Builder::new()
            .prefix(self.prefix)
            .permissions(PermissionsExt::from_mode(0o700))
            .tempdir_in(temp)?;
        let unnamed = folder.path().join(UNNAMED);
        let owner = File::create_new(&unnamed)?;
        owner.try_lock()?;
        fs::rename(&unnamed, folder.path().join(self.owner))?;
        Ok((folder.keep(), owner))
    }

    /// The folders in `temp` whose owner is gone. Each is this process's own as long as its file stays open.
    pub(crate) fn left_in(&self, temp: &Path) -> Vec<(PathBuf, File)> {
        let Ok(entries) = fs::read_dir(temp) else { return Vec::new() };
        entries
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(self.prefix))
            .filter_map(|entry| {
                let owner = self.lock_of(&entry.path())?;
                owner.try_lock().ok()?;
                Some((entry.path(), owner))
            })
            .collect()
    }

    /// The lock file of a folder of ours; `None` for a folder that is about to get one, too.
    fn lock_of(&self, folder: &Path) -> Option<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let folder: File = openat(CWD, folder, flags | OFlags::DIRECTORY, Mode::empty()).ok()?.into();
        let told = folder.metadata().ok()?;
        let ours = rustix::process::geteuid().as_raw();
        if told.uid() != ours || told.mode() & 0o022 != 0 {
            return None;
        }
        let owner: File = openat(&folder, self.owner, flags, Mode::empty()).ok()?.into();
        let told = owner.metadata().ok()?;
        (told.is_file() && told.uid() == ours).then_some(owner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const DIRS: PrivateDirs = PrivateDirs { prefix: "waldo-test-", owner: "lock" };

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn left(temp: &Path) -> Vec<String> {
        let mut names: Vec<_> = DIRS
            .left_in(temp)
            .into_iter()
            .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_admits_its_owner_alone_and_is_left_when_that_is_gone() {
        let temp = tempfile::tempdir().unwrap();
        let (folder, owner) = DIRS.make_in(temp.path()).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        assert!(left(temp.path()).is_empty());
        drop(owner);
        let found = DIRS.left_in(temp.path());
        assert_eq!(found[0].0, folder);
        // Who sweeps owns it: nobody else does meanwhile.
        assert!(left(temp.path()).is_empty());
    }

    #[test]
    fn what_others_laid_there_is_neither_waited_for_nor_followed() {
        let temp = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let folder = temp.path().join(name);
            fs::create_dir(&folder).unwrap();
            mode(&folder, 0o700);
            folder
        };
        let fifo = |path: PathBuf| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        fifo(make("waldo-test-fifo").join("lock"));
        fifo(temp.path().join("waldo-test-itself"));
        fs::create_dir(make("waldo-test-folder").join("lock")).unwrap();
        let ours = make("other");
        File::create(ours.join("lock")).unwrap();
        std::os::unix::fs::symlink(&ours, temp.path().join("waldo-test-link")).unwrap();
        std::os::unix::fs::symlink(ours.join("lock"), make("waldo-test-linked").join("lock")).unwrap();
        let open = make("waldo-test-open");
        File::create(open.join("lock")).unwrap();
        mode(&open, 0o777);
        make("waldo-test-new");
        File::create(make("waldo-test-left").join("lock")).unwrap();
        let (told, tells) = mpsc::channel();
        let path = temp.path().to_owned();
        std::thread::spawn(move || told.send(left(&path)));
        assert_eq!(tells.recv_timeout(Duration::from_secs(20)).unwrap(), ["waldo-test-left"]);
    }
}
