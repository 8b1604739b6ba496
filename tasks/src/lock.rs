//! The right to write into a folder.
//!
//! Whoever writes for long holds `writer.lock` in the folder meanwhile. It is a lock of the system, which a
//! process loses with its life; the file stays, and names who held it last.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use jiff::Timestamp;
use rustix::fs::OFlags;
use waldo_devices::locked_file::LockedFile;

use crate::error::{Result, TaskError};

/// The right to write into a folder, given back when it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: LockedFile,
}

pub(crate) fn open(path: &Path) -> Result<File> {
    // The folder may come from somebody else: a link is not followed, a pipe not waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    let file = options.open(path).map_err(TaskError::io("open", path))?;
    if file.metadata().map_err(TaskError::io("open", path))?.is_file() {
        Ok(file)
    } else {
        let message = "is not a regular file, and holds no lock; remove it".to_owned();
        Err(TaskError::record(path, message))
    }
}

/// Makes a folder that admits its owner alone, with those above it; one that is there stays as it is.
fn make_folder(path: &Path) -> Result<()> {
    let in_the_way = |message: &str| TaskError::record(path, message);
    let made = match path.parent().filter(|_| !path.exists()) {
        None => fs::create_dir_all(path),
        Some(above) => fs::create_dir_all(above)
            .map_err(|source| match source.kind() {
                ErrorKind::AlreadyExists => ErrorKind::NotADirectory.into(),
                _ => source,
            })
            .and_then(|()| DirBuilder::new().mode(0o700).create(path))
            .or_else(|source| if path.is_dir() { Ok(()) } else { Err(source) }),
    };
    made.map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => {
            in_the_way("it is a file, and a folder is needed; name another place, or move the file away")
        }
        ErrorKind::NotADirectory => {
            in_the_way("a part of its path is a file, and cannot hold a folder; name another place")
        }
        _ => TaskError::io("make", path)(source),
    })
}

/// Whether a file that was opened at `path` is still the one that lies there.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(here), Ok(there)) = (rustix::fs::fstat(file), rustix::fs::stat(path)) else { return false };
    (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
}

impl FolderLock {
    /// Takes the lock for `who`, such as `waldo explore`; `hint` says what to do but wait when somebody else
    /// has it. Makes the folder where there is none.
    pub fn take(folder: &Path, who: &str, hint: &str) -> Result<Self> {
        make_folder(folder)?;
        let path = folder.join("writer.lock");
        let mut file = match LockedFile::take(open(&path)?) {
            Ok(file) if is_at(&file, &path) => file,
            // Its holder ended in between, had kept nothing, and took it along; another may be there since.
            Ok(_) => return Self::take(folder, who, hint),
            Err((file, TryLockError::WouldBlock)) => {
                let mut owner = String::new();
                // Who it is helps; that it is locked is known already.
                let _ = file.take(500).read_to_string(&mut owner);
                let owner = match owner.trim() {
                    "" => "another waldo",
                    owner => owner,
                };
                let message = format!("{owner} is writing into it; wait for that to end, or {hint}");
                return Err(TaskError::record(folder, message));
            }
            Err((_, TryLockError::Error(source))) => return Err(TaskError::io("lock", &path)(source)),
        };
        let since = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{who} (process {}, since {since})", std::process::id()))
            .map_err(TaskError::io("write", &path))?;
        Ok(Self { _file: file })
    }
}
