//! One of us per phone: two that tap on one screen would both be wrong.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::error::DeviceError;

/// The lock on a phone; let go when it is dropped, and by the system when the process dies.
#[derive(Debug)]
pub(crate) struct DeviceLock {
    _file: File,
}

impl DeviceLock {
    /// Takes the lock of this key on the phone of this name.
    pub(crate) fn take(dir: Option<&Path>, key: &str, phone: &str) -> Result<Self, DeviceError> {
        let dir = dir.map_or_else(runtime_dir, Path::to_owned);
        let name: String = key
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' })
            .take(120)
            .collect();
        let path = dir.join(format!("waldo-android-{name}.lock"));
        let io = |source| DeviceError::Io { what: format!("lock {}", path.display()), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
            .open(&path)
            .map_err(io)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim();
                let by = match holder.split_once(' ') {
                    Some((process, name)) if name != phone => format!(" (process {process}, as {name})"),
                    Some((process, _)) => format!(" (process {process})"),
                    None => String::new(),
                };
                return Err(DeviceError::Start {
                    what: format!("the phone {phone}"),
                    message: format!("another waldo{by} is using it"),
                    mend: "wait for it to end, or name another phone".to_owned(),
                });
            }
            Err(errno) => return Err(io(errno.into())),
        }
        let written = file.set_len(0).and_then(|()| file.rewind());
        written.and_then(|()| writeln!(file, "{} {phone}", std::process::id())).map_err(io)?;
        Ok(Self { _file: file })
    }
}

/// The user's runtime folder where there is one.
fn runtime_dir() -> PathBuf {
    let uid = rustix::process::getuid().as_raw();
    let dir = PathBuf::from(format!("/run/user/{uid}"));
    match dir.metadata() {
        Ok(meta) if meta.is_dir() && meta.uid() == uid => dir,
        _ => std::env::temp_dir(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_holds_the_phone() {
        let dir = std::env::temp_dir().join(format!("waldo-lock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let first = DeviceLock::take(Some(&dir), "tcp:127.0.0.1:5601", "tcp:127.0.0.1:5601").unwrap();
        let message =
            DeviceLock::take(Some(&dir), "tcp:127.0.0.1:5601", "tcp:127.0.0.1:5601").unwrap_err().to_string();
        assert!(
            message.contains(&std::process::id().to_string()) && message.contains("another waldo"),
            "{message}"
        );
        DeviceLock::take(Some(&dir), "other", "other").unwrap();
        drop(first);
        DeviceLock::take(Some(&dir), "tcp:127.0.0.1:5601", "tcp:127.0.0.1:5601").unwrap();
        std::fs::remove_dir_all(dir).unwrap();
    }
}
