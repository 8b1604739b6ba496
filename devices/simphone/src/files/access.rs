//! What uid 2000 (`shell`), which adbd runs everything as, may do.

use super::{FsError, Inode, Kind, Last, Vfs, parent};
use std::sync::Arc;

/// Groups of the `shell` user that own things here: shell, sdcard_rw, media_rw, everybody.
const GROUPS: [u32; 4] = [2000, 1015, 1023, 9997];
const SHELL_UID: u32 = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read a file, list a directory.
    Read,
    /// Write a file, change a directory.
    Write,
    Search,
}

impl Inode {
    fn shell_may(&self, want: Access) -> bool {
        let class = if self.uid == SHELL_UID {
            self.mode >> 6
        } else if GROUPS.contains(&self.gid) {
            self.mode >> 3
        } else {
            self.mode
        };
        let bit = match want {
            Access::Read => 4,
            Access::Write => 2,
            Access::Search => 1,
        };
        class & bit != 0
    }
}

impl Vfs {
    /// May the shell user do this? Reading needs the node, writing an existing file needs the file, creating or
    /// removing needs the directory above; every directory on the way must be passable.
    pub fn access(&self, path: &str, want: Access) -> Result<(), FsError> {
        let at = self.resolve(path, Last::Follow)?;
        let mut above = parent(&at);
        loop {
            if let Some(node) = self.nodes.get(above)
                && !node.shell_may(Access::Search)
            {
                return Err(FsError::Denied);
            }
            if above == "/" {
                break;
            }
            above = parent(above);
        }
        let node = match self.nodes.get(&at) {
            Some(node) => node,
            None if want == Access::Write => return self.may_change_dir(parent(&at)),
            None => return Err(FsError::NotFound),
        };
        if node.shell_may(want) {
            return Ok(());
        }
        Err(if want == Access::Write { refusal(&at) } else { FsError::Denied })
    }

    fn may_change_dir(&self, dir: &str) -> Result<(), FsError> {
        let node = self.nodes.get(dir).ok_or(FsError::NotFound)?;
        if !node.is_dir() {
            return Err(FsError::NotDir);
        }
        if node.shell_may(Access::Write) { Ok(()) } else { Err(refusal(dir)) }
    }

    pub(crate) fn as_shell(&mut self) -> ShellFiles<'_> {
        ShellFiles { vfs: self }
    }
}

/// The system image is mounted read-only; everything else is a matter of rights.
fn refusal(path: &str) -> FsError {
    let writable_mount = ["/data", "/storage", "/dev", "/mnt", "/cache", "/proc", "/sys"]
        .iter()
        .any(|m| path == *m || path.starts_with(&format!("{m}/")));
    if writable_mount { FsError::Denied } else { FsError::ReadOnly }
}

/// Operations with the shell user's rights checked first. Errors are those of [`Vfs`] plus the rights.
#[derive(Debug)]
pub(crate) struct ShellFiles<'a> {
    vfs: &'a mut Vfs,
}

impl ShellFiles<'_> {
    pub fn read(&self, path: &str) -> Result<Arc<[u8]>, FsError> {
        self.vfs.access(path, Access::Read)?;
        self.vfs.read(path)
    }

    pub fn list(&self, path: &str) -> Result<Vec<(String, Inode)>, FsError> {
        self.vfs.access(path, Access::Read)?;
        self.vfs.list(path)
    }

    /// Can a file be written here? (Asked before a command runs, as a shell opens its redirections first.)
    pub fn may_write(&self, path: &str) -> Result<(), FsError> {
        self.vfs.access(path, Access::Write)?;
        match self.vfs.stat(path) {
            Ok(node) if node.is_dir() => Err(FsError::IsDir),
            _ => Ok(()),
        }
    }

    pub fn write(&mut self, path: &str, bytes: impl Into<Arc<[u8]>>) -> Result<(), FsError> {
        self.vfs.access(path, Access::Write)?;
        let fresh = !self.vfs.exists(path);
        self.vfs.write(path, bytes)?;
        self.own(path, fresh)
    }

    pub fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), FsError> {
        self.vfs.access(path, Access::Write)?;
        let fresh = !self.vfs.exists(path);
        self.vfs.append(path, bytes)?;
        self.own(path, fresh)
    }

    pub fn mkdir(&mut self, path: &str) -> Result<(), FsError> {
        match self.vfs.stat(path) {
            Ok(_) => return Err(FsError::Exists),
            Err(FsError::NotFound) => {}
            Err(other) => return Err(other),
        }
        self.vfs.access(path, Access::Write)?;
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
        let to_dir = parent(&super::normalise("/", to)).to_owned();
        self.vfs.access(&to_dir, Access::Write)?;
        self.vfs.rename(from, to)
    }

    fn may_unlink(&self, path: &str) -> Result<(), FsError> {
        let at = self.vfs.resolve(path, Last::Keep)?;
        self.vfs.lstat(&at)?;
        self.vfs.access(parent(&at), Access::Search)?;
        self.vfs.may_change_dir(parent(&at))
    }

    /// A node that the shell made belongs to it, unless the place has owners of its own.
    fn own(&mut self, path: &str, fresh: bool) -> Result<(), FsError> {
        if fresh {
            let at = self.vfs.resolve(path, Last::Follow)?;
            if let Some(node) = self.vfs.nodes.get_mut(&at)
                && !super::layout::is_shared(&at)
                && matches!(node.kind, Kind::File(_))
            {
                node.uid = SHELL_UID;
                node.gid = SHELL_UID;
            }
        }
        Ok(())
    }
}
