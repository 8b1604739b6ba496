//! One of us per phone: two that tap on one screen would both be wrong.

use std::fs::{DirBuilder, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::options::Locks;
use waldo_devices::error::{DeviceError, Result};
use waldo_devices::locked_file::LockedFile;

/// The lock on a phone; let go when it is dropped, and by the system when the process dies.
#[derive(Debug)]
pub(crate) struct DeviceLock {
    _file: LockedFile,
}

impl DeviceLock {
    pub(crate) fn take(locks: &Locks, key: &str, phone: &str) -> Result<Option<Self>> {
        let dir = match locks {
            Locks::Folder(dir) => dir.to_owned(),
            Locks::User => runtime_dir()?,
            Locks::None => return Ok(None),
        };
        let name: String = key
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' })
            .take(120)
            .collect();
        let path = dir.join(format!("waldo-android-{name}.lock"));
        let io = |source| DeviceError::Io { what: format!("lock {}", path.display()), source };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            // What somebody else put there is neither followed nor waited for.
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
            .open(&path)
            .map_err(io)?;
        if !file.metadata().map_err(io)?.is_file() {
            return Err(io(std::io::Error::other("it is not a file; remove it")));
        }
        let mut file = match LockedFile::take(file) {
            Ok(file) => file,
            Err((mut file, TryLockError::WouldBlock)) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim();
                let by = match holder.split_once(' ') {
                    Some((process, name)) if name != phone => format!(" (process {process}, as {name})"),
                    Some((process, _)) => format!(" (process {process})"),
                    None => String::new(),
                };
                let (what, hint) =
                    (format!("the phone {phone}"), "wait for it to end, or name another phone");
                return Err(DeviceError::start(what, format!("another waldo{by} is using it"), hint));
            }
            Err((_, TryLockError::Error(error))) => return Err(io(error)),
        };
        let written = file.set_len(0).and_then(|()| file.rewind());
        written.and_then(|()| writeln!(file, "{} {phone}", std::process::id())).map_err(io)?;
        Ok(Some(Self { _file: file }))
    }
}

/// The user's runtime folder where there is one, else a folder of the user's alone in the temporary one.
fn runtime_dir() -> Result<PathBuf> {
    let uid = rustix::process::getuid().as_raw();
    let dir = PathBuf::from(format!("/run/user/{uid}"));
    match dir.metadata() {
        Ok(meta) if meta.is_dir() && meta.uid() == uid => Ok(dir),
        _ => own_dir(&std::env::temp_dir(), uid),
    }
}

/// This user's folder for locks in `temp`. Its name is known: one of another user, or open to others, is refused.
fn own_dir(temp: &Path, uid: u32) -> Result<PathBuf> {
    let dir = temp.join(format!("waldo-locks-{uid}"));
    let io = |source| DeviceError::Io { what: format!("the folder for locks {}", dir.display()), source };
    match DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(io(error)),
        _ => {}
    }
    // A link is none.
    let told = dir.symlink_metadata().map_err(io)?;
    if told.is_dir() && told.uid() == uid && told.mode() & 0o077 == 0 {
        return Ok(dir);
    }
    Err(io(std::io::Error::other("other users can access it; remove it, or set TMPDIR to a folder of yours")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_or_lock_that_somebody_laid_there_is_refused() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let temp = std::env::temp_dir().join(format!("waldo-locks-test-{}", std::process::id()));
        std::fs::create_dir_all(&temp).unwrap();
        let uid = rustix::process::getuid().as_raw();
        let own = own_dir(&temp, uid).unwrap();
        assert_eq!(own.metadata().unwrap().mode() & 0o777, 0o700);
        assert_eq!(own_dir(&temp, uid).unwrap(), own);
        // Another's, one that is open to others, and a link.
        std::fs::create_dir(temp.join(format!("waldo-locks-{}", uid + 1))).unwrap();
        assert!(own_dir(&temp, uid + 1).is_err());
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(own_dir(&temp, uid).unwrap_err().to_string().contains("TMPDIR"));
        std::fs::remove_dir(&own).unwrap();
        symlink(&temp, &own).unwrap();
        assert!(own_dir(&temp, uid).is_err());
        let fifo = temp.join("waldo-android-trap.lock");
        assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
        assert!(
            DeviceLock::take(&Locks::Folder(temp.clone()), "trap", "trap")
                .unwrap_err()
                .to_string()
                .contains("is not a file")
        );
        std::fs::remove_dir_all(temp).unwrap();
    }

    #[test]
    fn the_second_is_told_who_holds_the_phone() {
        let dir = std::env::temp_dir().join(format!("waldo-lock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let first = DeviceLock::take(&Locks::Folder(dir.clone()), "tcp:127.0.0.1:5601", "tcp:127.0.0.1:5601")
            .unwrap();
        let message =
            DeviceLock::take(&Locks::Folder(dir.clone()), "tcp:127.0.0.1:5601", "tcp:127.0.0.1:5601")
                .unwrap_err()
                .to_string();
        assert!(
            message.contains(&std::process::id().to_string()) && message.contains("another waldo"),
            "{message}"
        );
        DeviceLock::take(&Locks::Folder(dir.clone()), "other", "other").unwrap();
        drop(first);
        DeviceLock::take(&Locks::Folder(dir.clone()), "tcp:127.0.0.1:5601", "tcp:127.0.0.1:5601").unwrap();
        std::fs::remove_dir_all(dir).unwrap();
    }
}
