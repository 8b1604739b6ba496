//! What uid 2000 (`shell`), which adbd runs everything as, may do: read most of it, and write shared storage, its own
//! folder `/data/local/tmp` and plain devices.

use super::{FsError, Inode, Kind, Last, Vfs, parent};
use std::sync::Arc;

const SHARED: &str = "/storage/emulated/0";
const OWN: &str = "/data/local/tmp";

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether the shell user may not even look at it: other apps' data, and the devices below the system.
fn is_closed(path: &str) -> bool {
    is_below(path, "/data") && !is_below(path, OWN)
        || path.starts_with("/dev/input/")
        || path == "/dev/uinput"
}

/// Whether the shell user may change what lies there.
fn is_open(path: &str) -> bool {
    is_below(path, SHARED) || is_below(path, OWN)
}

/// The system image is mounted read-only; everything else is a matter of rights.
fn refusal(path: &str) -> FsError {
    let mounts = ["/data", "/storage", "/dev", "/mnt", "/cache", "/proc", "/sys"];
    if mounts.iter().any(|mount| is_below(path, mount)) { FsError::Denied } else { FsError::ReadOnly }
}

impl Vfs {
    pub(crate) fn as_shell(&mut self) -> ShellFiles<'_> {
        ShellFiles { vfs: self }
    }
}

/// Operations with the shell user's rights checked first. Errors are those of [`Vfs`] plus the rights.
#[derive(Debug)]
pub(crate) struct ShellFiles<'a> {
    vfs: &'a mut Vfs,
}

impl ShellFiles<'_> {
    pub fn read(&self, path: &str) -> Result<Arc<[u8]>, FsError> {
        self.may_read(path)?;
        self.vfs.read(path)
    }

    pub fn list(&self, path: &str) -> Result<Vec<(String, Inode)>, FsError> {
        self.may_read(path)?;
        self.vfs.list(path)
    }

    fn may_read(&self, path: &str) -> Result<(), FsError> {
        let at = self.vfs.resolve(path, Last::Follow)?;
        self.vfs.nodes.get(&at).ok_or(FsError::NotFound)?;
        if is_closed(&at) { Err(FsError::Denied) } else { Ok(()) }
    }

    /// Can a file be written here? (Asked before a command runs, as a shell opens its redirections first.)
    pub fn may_write(&self, path: &str) -> Result<(), FsError> {
        let at = self.vfs.resolve(path, Last::Follow)?;
        match self.vfs.nodes.get(&at).map(|node| &node.kind) {
            Some(Kind::Device) if !is_closed(&at) => Ok(()),
            Some(Kind::Dir) if is_open(&at) => Err(FsError::IsDir),
            None => self.may_change(&at),
            Some(_) if is_open(&at) => Ok(()),
            Some(_) => Err(refusal(&at)),
        }
    }

    /// Can something come to be, or go, at a path without links?
    fn may_change(&self, at: &str) -> Result<(), FsError> {
        self.vfs.need_dir(parent(at))?;
        if is_open(parent(at)) { Ok(()) } else { Err(refusal(parent(at))) }
    }

    pub fn write(&mut self, path: &str, bytes: impl Into<Arc<[u8]>>) -> Result<(), FsError> {
        self.may_write(path)?;
        self.vfs.write(path, bytes)
    }

    pub fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), FsError> {
        self.may_write(path)?;
        self.vfs.append(path, bytes)
    }

    pub fn mkdir(&mut self, path: &str) -> Result<(), FsError> {
        let at = self.vfs.resolve(path, Last::Follow)?;
        if self.vfs.nodes.contains_key(&at) {
            return Err(FsError::Exists);
        }
        self.may_change(&at)?;
        self.vfs.mkdir(path)
    }

    /// Makes a directory and what is missing above it.
    pub(crate) fn mkdir_all(&mut self, path: &str) -> Result<(), FsError> {
        let mut at = String::new();
        for part in super::path::parts(path) {
            at = format!("{at}/{part}");
            match self.mkdir(&at) {
                Err(FsError::Exists) if self.vfs.stat(&at)?.is_dir() => {}
                made => made?,
            }
        }
        Ok(())
    }

    pub fn remove(&mut self, path: &str) -> Result<(), FsError> {
        self.may_unlink(path)?;
        self.vfs.remove(path)
    }

    pub(crate) fn remove_all(&mut self, path: &str) -> Result<(), FsError> {
        self.may_unlink(path)?;
        self.vfs.remove_all(path)
    }

    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        self.may_unlink(from)?;
        self.may_change(&self.vfs.resolve(to, Last::Keep)?)?;
        self.vfs.rename(from, to)
    }

    fn may_unlink(&self, path: &str) -> Result<(), FsError> {
        let at = self.vfs.resolve(path, Last::Keep)?;
        self.vfs.lstat(&at)?;
        self.may_change(&at)
    }
}
