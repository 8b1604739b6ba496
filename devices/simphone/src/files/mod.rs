//! The phone's virtual file system: what `adb push`, `screencap FILE`, `cat` and the apps see.
//!
//! Invariants: everything lives in memory and ends with the phone; paths are absolute and normalised before they
//! are stored; the sum of the file sizes never exceeds [`Vfs::capacity`] (a full phone is a fault one can switch on);
//! a node's parent always exists and is a directory.
//!
//! The plain operations act as the system does (no permission check). What comes through the shell or the sync
//! service acts as uid 2000 and must go through [`Vfs::as_shell`].

mod access;
mod error;
mod layout;
mod path;

pub use error::FsError;
pub(crate) use path::base_name;
pub use path::{join, normalise, parent};

use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest file name in bytes, as on ext4 and f2fs.
pub const NAME_MAX: usize = 255;

const LINK_HOPS: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Dir,
    File(Arc<[u8]>),
    Link(String),
    /// A character device such as `/dev/null`.
    Device,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inode {
    pub kind: Kind,
    /// Time of the last change, seconds since 1970 UTC on the phone's clock.
    pub mtime: i64,
}

impl Inode {
    /// Size in bytes, as `stat` gives it.
    pub fn size(&self) -> u64 {
        match &self.kind {
            Kind::File(bytes) => bytes.len() as u64,
            Kind::Link(to) => to.len() as u64,
            Kind::Dir => 4096,
            Kind::Device => 0,
        }
    }

    /// The whole `st_mode`: type bits and permission bits, which are those of shared storage everywhere.
    pub(crate) fn st_mode(&self) -> u32 {
        match self.kind {
            Kind::Dir => 0o042_770,
            Kind::File(_) => 0o100_660,
            Kind::Link(_) => 0o120_777,
            Kind::Device => 0o020_666,
        }
    }

    pub fn is_dir(&self) -> bool {
        self.kind == Kind::Dir
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub total: u64,
    /// Bytes in use by files.
    pub used: u64,
}

/// The file system. Cheap to clone: contents are shared.
#[derive(Debug, Clone)]
pub struct Vfs {
    nodes: BTreeMap<String, Inode>,
    now: i64,
    capacity: u64,
    used: u64,
}

impl Default for Vfs {
    fn default() -> Self {
        Self::new()
    }
}

impl Vfs {
    /// Size of the data partition of a fresh phone, bytes.
    pub(crate) const CAPACITY: u64 = 512 * 1024 * 1024;

    /// A fresh phone's files: the usual directories, nothing of the user's.
    pub fn new() -> Self {
        let mut vfs = Self { nodes: BTreeMap::new(), now: 0, capacity: Self::CAPACITY, used: 0 };
        layout::lay(&mut vfs);
        vfs
    }

    /// Tells the time (seconds since 1970 UTC on the phone's clock); later changes carry it.
    pub(crate) fn set_now(&mut self, seconds: i64) {
        self.now = seconds;
    }

    /// Sets the room for files, bytes. Below what is in use: every further write fails with "no space left".
    pub(crate) fn set_capacity(&mut self, bytes: u64) {
        self.capacity = bytes;
    }

    pub fn room(&self) -> Room {
        Room { total: self.capacity, used: self.used }
    }

    /// The path with links resolved; the last part too when `follow` says so. The last part need not exist.
    fn resolve(&self, path: &str, last: Last) -> Result<String, FsError> {
        let mut todo: Vec<String> = path::parts(&normalise("/", path)).map(str::to_owned).rev().collect();
        let mut done = String::new();
        let mut hops = 0;
        while let Some(part) = todo.pop() {
            if part.len() > NAME_MAX {
                return Err(FsError::NameTooLong);
            }
            let here = format!("{done}/{part}");
            let is_last = todo.is_empty();
            match self.nodes.get(&here).map(|n| &n.kind) {
                Some(Kind::Link(to)) if !is_last || last == Last::Follow => {
                    hops += 1;
                    if hops > LINK_HOPS {
                        return Err(FsError::Loop);
                    }
                    let base = if done.is_empty() { "/" } else { done.as_str() };
                    let target = normalise(base, to);
                    todo.extend(
                        path::parts(&target).map(str::to_owned).collect::<Vec<_>>().into_iter().rev(),
                    );
                    done.clear();
                }
                Some(Kind::Dir) => done = here,
                Some(_) if is_last => done = here,
                Some(_) => return Err(FsError::NotDir),
                None if is_last => done = here,
                None => return Err(FsError::NotFound),
            }
        }
        Ok(if done.is_empty() { "/".to_owned() } else { done })
    }

    /// The node itself: a link is not followed.
    pub(crate) fn lstat(&self, path: &str) -> Result<&Inode, FsError> {
        let at = self.resolve(path, Last::Keep)?;
        self.nodes.get(&at).ok_or(FsError::NotFound)
    }

    pub fn stat(&self, path: &str) -> Result<&Inode, FsError> {
        let at = self.resolve(path, Last::Follow)?;
        self.nodes.get(&at).ok_or(FsError::NotFound)
    }

    pub fn exists(&self, path: &str) -> bool {
        self.stat(path).is_ok()
    }

    pub fn read(&self, path: &str) -> Result<Arc<[u8]>, FsError> {
        match &self.stat(path)?.kind {
            Kind::File(bytes) => Ok(bytes.clone()),
            Kind::Device => Ok(Arc::from(&b""[..])),
            Kind::Dir => Err(FsError::IsDir),
            Kind::Link(_) => Err(FsError::Loop),
        }
    }

    /// Writes a whole file, creating it if need be. The parent must exist.
    pub fn write(&mut self, path: &str, bytes: impl Into<Arc<[u8]>>) -> Result<(), FsError> {
        let bytes: Arc<[u8]> = bytes.into();
        let at = self.resolve(path, Last::Follow)?;
        let old = match self.nodes.get(&at).map(|n| &n.kind) {
            Some(Kind::Dir) => return Err(FsError::IsDir),
            Some(Kind::Device) => return Ok(()),
            Some(Kind::File(old)) => old.len() as u64,
            Some(Kind::Link(_)) => return Err(FsError::Loop),
            None => 0,
        };
        self.need_dir(parent(&at))?;
        let size = bytes.len() as u64;
        let used = self.used - old + size;
        if size > old && used > self.capacity {
            return Err(FsError::NoSpace);
        }
        self.used = used;
        let now = self.now;
        match self.nodes.get_mut(&at) {
            Some(node) => {
                node.kind = Kind::File(bytes);
                node.mtime = now;
            }
            None => {
                self.nodes.insert(at.clone(), Inode { kind: Kind::File(bytes), mtime: now });
                self.touch_parent(&at);
            }
        }
        Ok(())
    }

    /// Adds bytes to the end of a file, creating it if need be.
    pub fn append(&mut self, path: &str, more: &[u8]) -> Result<(), FsError> {
        let mut all = match self.read(path) {
            Ok(old) => old.to_vec(),
            Err(FsError::NotFound) => Vec::new(),
            Err(other) => return Err(other),
        };
        all.extend_from_slice(more);
        self.write(path, all)
    }

    pub fn mkdir(&mut self, path: &str) -> Result<(), FsError> {
        let at = self.resolve(path, Last::Follow)?;
        if self.nodes.contains_key(&at) {
            return Err(FsError::Exists);
        }
        self.need_dir(parent(&at))?;
        self.nodes.insert(at.clone(), Inode { kind: Kind::Dir, mtime: self.now });
        self.touch_parent(&at);
        Ok(())
    }

    /// Makes a directory and what is missing above it. An existing directory is fine.
    pub(crate) fn mkdir_all(&mut self, path: &str) -> Result<(), FsError> {
        let whole = normalise("/", path);
        let mut at = String::new();
        for part in path::parts(&whole) {
            at.push('/');
            at.push_str(part);
            match self.mkdir(&at) {
                Ok(()) => {}
                Err(FsError::Exists) if self.stat(&at)?.is_dir() => {}
                Err(FsError::Exists) => return Err(FsError::NotDir),
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    /// Makes a symbolic link at `path` that names `target`.
    pub fn link(&mut self, target: &str, path: &str) -> Result<(), FsError> {
        let at = self.resolve(path, Last::Keep)?;
        if self.nodes.contains_key(&at) {
            return Err(FsError::Exists);
        }
        self.need_dir(parent(&at))?;
        self.nodes.insert(at, Inode { kind: Kind::Link(target.to_owned()), mtime: self.now });
        Ok(())
    }

    pub fn remove(&mut self, path: &str) -> Result<(), FsError> {
        let at = self.resolve(path, Last::Keep)?;
        match self.nodes.get(&at) {
            None => Err(FsError::NotFound),
            Some(node) if node.is_dir() => Err(FsError::IsDir),
            Some(_) => {
                self.take(&at);
                self.touch_parent(&at);
                Ok(())
            }
        }
    }

    pub(crate) fn remove_all(&mut self, path: &str) -> Result<(), FsError> {
        let at = self.resolve(path, Last::Keep)?;
        if at == "/" {
            return Err(FsError::Denied);
        }
        if !self.nodes.contains_key(&at) {
            return Err(FsError::NotFound);
        }
        let all: Vec<String> = self.below(&at).map(|(p, _)| p.to_owned()).collect();
        for one in all {
            self.take(&one);
        }
        self.take(&at);
        self.touch_parent(&at);
        Ok(())
    }

    /// Moves a file or directory; an existing file at the target is replaced.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), FsError> {
        let from = self.resolve(from, Last::Keep)?;
        let to = self.resolve(to, Last::Keep)?;
        let node = self.nodes.get(&from).ok_or(FsError::NotFound)?.clone();
        self.need_dir(parent(&to))?;
        if from == to {
            return Ok(());
        }
        if to.starts_with(&format!("{from}/")) || from == "/" {
            return Err(FsError::Invalid);
        }
        match self.nodes.get(&to) {
            Some(old) if old.is_dir() && !node.is_dir() => return Err(FsError::IsDir),
            Some(old) if !old.is_dir() && node.is_dir() => return Err(FsError::NotDir),
            Some(old) if old.is_dir() && self.below(&to).next().is_some() => return Err(FsError::NotEmpty),
            Some(_) => self.take(&to),
            None => {}
        }
        let inside: Vec<String> = self.below(&from).map(|(p, _)| p.to_owned()).collect();
        for old in inside {
            if let Some(node) = self.nodes.remove(&old) {
                self.nodes.insert(format!("{to}{}", &old[from.len()..]), node);
            }
        }
        self.nodes.remove(&from);
        self.nodes.insert(to.clone(), node);
        self.touch_parent(&from);
        self.touch_parent(&to);
        Ok(())
    }

    /// The names in a directory with their nodes, sorted by name.
    pub fn list(&self, path: &str) -> Result<Vec<(String, Inode)>, FsError> {
        let at = self.resolve(path, Last::Follow)?;
        if !self.nodes.get(&at).ok_or(FsError::NotFound)?.is_dir() {
            return Err(FsError::NotDir);
        }
        let head = if at == "/" { 1 } else { at.len() + 1 };
        Ok(self
            .below(&at)
            .filter(|(p, _)| !p[head..].contains('/'))
            .map(|(p, n)| (p[head..].to_owned(), n.clone()))
            .collect())
    }

    /// Sets the time of the last change, seconds since 1970 UTC.
    pub(crate) fn set_mtime(&mut self, path: &str, mtime: i64) -> Result<(), FsError> {
        let at = self.resolve(path, Last::Follow)?;
        self.nodes.get_mut(&at).ok_or(FsError::NotFound)?.mtime = mtime;
        Ok(())
    }

    /// All that lies below a folder, by path.
    pub(crate) fn below<'a>(&'a self, at: &str) -> impl Iterator<Item = (&'a str, &'a Inode)> + use<'a> {
        let head = if at == "/" { "/".to_owned() } else { format!("{at}/") };
        self.nodes
            .range(head.clone()..)
            .take_while(move |(p, _)| p.starts_with(&head))
            .filter(|(p, _)| p.as_str() != "/")
            .map(|(p, n)| (p.as_str(), n))
    }

    fn need_dir(&self, path: &str) -> Result<(), FsError> {
        match self.nodes.get(path) {
            Some(node) if node.is_dir() => Ok(()),
            Some(_) => Err(FsError::NotDir),
            None => Err(FsError::NotFound),
        }
    }

    fn take(&mut self, at: &str) {
        if let Some(Inode { kind: Kind::File(bytes), .. }) = self.nodes.remove(at) {
            self.used -= bytes.len() as u64;
        }
    }

    fn touch_parent(&mut self, at: &str) {
        let now = self.now;
        if let Some(node) = self.nodes.get_mut(parent(at)) {
            node.mtime = now;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Follow,
    Keep,
}

#[cfg(test)]
mod tests;
