//! Files that somebody else made: runs, suites, benchmarks, documentation, cassettes.
//!
//! Invariants: a folder that was named is the caller's own word, and may be a link; below it no link is followed, only
//! regular files are read (no pipe, no device), and never more than a limit. A name in such a file becomes a part of
//! a path only as a [`PathName`]. What is written below such a folder goes through no link either.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, linkat, openat, statat, unlinkat};

mod write;

pub use write::{append, make_folder, write};

/// The most bytes of a text file (a manifest, a result, a task).
pub const TEXT_BYTES: u64 = 64 << 20;
/// The most bytes of a record of events, a picture or another large file.
pub const LARGE_BYTES: u64 = 1 << 30;
pub const PICTURE_BYTES: u64 = 128 << 20;
const ENTRIES: usize = 200_000;
/// The most bytes of a name; file systems take 255.
const NAME_BYTES: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} cannot be the name of a file or folder: it {why}")]
pub struct BadName {
    name: String,
    why: &'static str,
}

/// A name that is exactly one part of a path: not empty, not `.` or `..`, without separators and control characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathName(String);

impl PathName {
    pub fn new(name: &str) -> Result<Self, BadName> {
        let why = if name.is_empty() {
            "is empty"
        } else if matches!(name, "." | "..") {
            "leads to another folder"
        } else if name.contains(['/', '\\']) {
            "has a separator of paths"
        } else if name.chars().any(char::is_control) {
            "has a control character"
        } else if name.len() > NAME_BYTES {
            "is longer than 200 bytes"
        } else {
            return Ok(Self(name.to_owned()));
        };
        Err(BadName { name: name.chars().take(80).collect(), why })
    }

    /// The name where it can be a part of a path, and else one that is like it.
    pub fn like(name: &str) -> Self {
        Self::new(name).unwrap_or_else(|_| {
            let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '+' | '-') { c } else { '_' };
            let like: String = name.chars().map(safe).take(NAME_BYTES).collect();
            Self(if like.is_empty() { "_".to_owned() } else { like })
        })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For `serde(deserialize_with)` of a name that is kept as text.
    pub fn text<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        let name = <String as serde::Deserialize>::deserialize(from)?;
        Self::new(&name).map(|name| name.0).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for PathName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<Path> for PathName {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    /// A link, a pipe, a device or a socket: nothing that is read.
    Other(&'static str),
}

impl EntryKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Other("a link"),
            FileType::Fifo => Self::Other("a pipe"),
            FileType::Socket => Self::Other("a socket"),
            _ => Self::Other("a device"),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Other(what) => what,
        }
    }
}

#[derive(Clone, Debug)]
pub struct FolderEntry {
    pub name: OsString,
    pub path: PathBuf,
    pub kind: EntryKind,
}

fn refused(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

/// `path` as seen from `root`, which it may begin with.
fn below<'a>(root: &Path, path: &'a Path) -> io::Result<Vec<&'a std::ffi::OsStr>> {
    let rest = path.strip_prefix(root).unwrap_or(path);
    rest.components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(refused(format!("{} leads out of {}", rest.display(), root.display()))),
        })
        .collect()
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Without waiting for the other end of a pipe, and without becoming a terminal's owner.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

fn folder(root: &Path, parts: &[&std::ffi::OsStr]) -> io::Result<OwnedFd> {
    let mut at = openat(CWD, root, FOLDER, Mode::empty())?;
    for part in parts {
        at = enter(&at, part)?;
    }
    Ok(at)
}

/// Opens the folder `part` of the folder `at`, unless it is a link.
fn enter(at: &OwnedFd, part: &std::ffi::OsStr) -> io::Result<OwnedFd> {
    openat(at, part, FOLDER | OFlags::NOFOLLOW, Mode::empty()).map_err(|e| {
        match statat(at, part, AtFlags::SYMLINK_NOFOLLOW)
            .map(|s| EntryKind::of(FileType::from_raw_mode(s.st_mode)))
        {
            Ok(kind) if kind != EntryKind::Folder => {
                refused(format!("{} is {}, no folder", part.display(), kind.noun()))
            }
            _ => e.into(),
        }
    })
}

/// Opens the regular file at `file`, which is relative to `root` or begins with it.
pub fn open(root: &Path, file: &Path, max: u64) -> io::Result<File> {
    let parts = below(root, file)?;
    let Some((name, before)) = parts.split_last() else {
        return Err(io::Error::new(ErrorKind::IsADirectory, "is the folder itself"));
    };
    let at = folder(root, before)?;
    regular(EntryKind::of(FileType::from_raw_mode(statat(&at, *name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)))?;
    bounded(openat(&at, *name, FILE, Mode::empty())?, max)
}

fn regular(kind: EntryKind) -> io::Result<()> {
    match kind {
        EntryKind::File => Ok(()),
        EntryKind::Folder => Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder")),
        EntryKind::Other(what) => Err(refused(format!("it is {what}; only regular files are read"))),
    }
}

/// The opened file, when it is a regular one of at most `max` bytes.
fn bounded(fd: OwnedFd, max: u64) -> io::Result<File> {
    let found = fstat(&fd)?;
    regular(EntryKind::of(FileType::from_raw_mode(found.st_mode)))?;
    let size = u64::try_from(found.st_size).unwrap_or(u64::MAX);
    if size > max { Err(too_large(max)) } else { Ok(File::from(fd)) }
}

fn too_large(max: u64) -> io::Error {
    let max = if max >= 1 << 20 { format!("{} MiB", max >> 20) } else { format!("{max} bytes") };
    refused(format!("it has more than {max}"))
}

/// All of an opened file, which may grow meanwhile.
fn whole(file: File, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large(max)) } else { Ok(bytes) }
}

/// Reads the file at `file`, which is relative to `root` or begins with it.
///
/// # Errors
/// When it leads out of `root`, is behind a link, is not a regular file, has more than `max` bytes, or the disk refuses.
pub fn read(root: &Path, file: &Path, max: u64) -> io::Result<Vec<u8>> {
    whole(open(root, file, max)?, max)
}

/// Reads a file as [`read`] does, which must be UTF-8.
pub fn read_text(root: &Path, file: &Path, max: u64) -> io::Result<String> {
    String::from_utf8(read(root, file, max)?).map_err(|_| refused("it is not UTF-8 text".to_owned()))
}

/// Reads a file of a folder that was named: the folder it lies in may be a link, the file itself not.
pub fn read_in_its_folder(file: &Path, max: u64) -> io::Result<Vec<u8>> {
    let name = file.file_name().ok_or_else(|| refused("it has no name".to_owned()))?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    read(folder, Path::new(name), max)
}

/// Reads a file that a person named, which may be a link, as long as a regular file is behind it.
///
/// # Errors
/// When it is not a regular file, has more than `max` bytes, or the disk refuses.
pub fn read_named(file: &Path, max: u64) -> io::Result<Vec<u8>> {
    whole(bounded(openat(CWD, file, FILE.difference(OFlags::NOFOLLOW), Mode::empty())?, max)?, max)
}

/// The entries of the folder at `path`, which is `root`, relative to it or begins with it, by name.
///
/// # Errors
/// As [`read`], and where there are too many.
pub fn list(root: &Path, path: &Path) -> io::Result<Vec<FolderEntry>> {
    let parts = below(root, path)?;
    let at = folder(root, &parts)?;
    let base: PathBuf = std::iter::once(root.as_os_str()).chain(parts).collect();
    let mut entries = Vec::new();
    for entry in Dir::read_from(&at)? {
        use std::os::unix::ffi::OsStrExt as _;
        let entry = entry?;
        let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if entries.len() == ENTRIES {
            return Err(refused(format!("it has more than {ENTRIES} entries")));
        }
        let kind =
            EntryKind::of(FileType::from_raw_mode(statat(&at, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode));
        entries.push(FolderEntry { name: name.to_owned(), path: base.join(name), kind });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Copies a file, which is relative to `root` or begins with it, to `to`, where nothing may be yet.
///
/// # Errors
/// As [`read`], and where there is something at `to`.
pub fn copy(root: &Path, file: &Path, to: &Path, max: u64) -> io::Result<u64> {
    let from = open(root, file, max)?;
    let mut to = File::options().write(true).create_new(true).open(to)?;
    let copied = io::copy(&mut from.take(max.saturating_add(1)), &mut to)?;
    if copied > max { Err(too_large(max)) } else { Ok(copied) }
}

/// Has a file, which is relative to `root` or begins with it, at `to` as well, where nothing may be yet: as a second name
/// of it where the disk is one and the file this user's, so that nobody else can change it; else a copy.
pub fn link_or_copy(root: &Path, file: &Path, to: &Path, max: u64) -> io::Result<()> {
    let parts = below(root, file)?;
    let Some((name, before)) = parts.split_last() else {
        return Err(io::Error::new(ErrorKind::IsADirectory, "is the folder itself"));
    };
    let at = folder(root, before)?;
    let own = statat(&at, *name, AtFlags::SYMLINK_NOFOLLOW)?.st_uid == rustix::process::geteuid().as_raw();
    // The flags do not say to follow, so a link that was put there meanwhile would get the second name itself.
    if !own || linkat(&at, *name, CWD, to, AtFlags::empty()).is_err() {
        return copy(root, file, to, max).map(|_| ());
    }
    let named = statat(CWD, to, AtFlags::SYMLINK_NOFOLLOW)?;
    let checked = regular(EntryKind::of(FileType::from_raw_mode(named.st_mode))).and_then(|()| {
        if u64::try_from(named.st_size).is_ok_and(|size| size <= max) { Ok(()) } else { Err(too_large(max)) }
    });
    if checked.is_err() {
        unlinkat(CWD, to, AtFlags::empty())?;
    }
    checked
}

/// Whether a path below `root` can be written or emptied without leaving it: what is there already of the way to it are
/// folders. What `path` itself is does not matter, unless it is a link.
///
/// # Errors
/// Where a part of the way is a link or no folder, or the disk refuses.
pub fn check_way(root: &Path, path: &Path) -> io::Result<()> {
    match folder(root, &below(root, path)?) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn outcome<T>(result: io::Result<T>) -> String {
        result.map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn a_second_name_is_given_to_nothing_that_would_not_be_copied() {
        use std::os::unix::fs::MetadataExt as _;
        let dir = tempfile::tempdir().unwrap();
        let (root, to) = (dir.path().join("root"), dir.path().join("to"));
        fs::create_dir(&root).unwrap();
        fs::write(root.join("file"), "12345").unwrap();
        fs::write(dir.path().join("outside"), "1").unwrap();
        symlink(dir.path().join("outside"), root.join("link")).unwrap();
        fs::create_dir(root.join("folder")).unwrap();
        let take = |file: &str, max| link_or_copy(&root, Path::new(file), &to, max);
        for (file, max, why) in [
            ("link", 9, "is a link"),
            ("folder", 9, "folder"),
            ("file", 4, "more than 4"),
            ("../outside", 9, "leads out"),
        ] {
            let said = outcome(take(file, max));
            assert!(said.contains(why) && fs::symlink_metadata(&to).is_err(), "{file}: {said}");
        }
        take("file", 5).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().ino(), fs::metadata(root.join("file")).unwrap().ino());
        // What is there already stays.
        fs::write(root.join("other"), "9").unwrap();
        assert!(take("other", 9).is_err() && fs::read_to_string(&to).unwrap() == "12345");
    }

    #[test]
    fn only_regular_files_below_the_folder_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(dir.path().join("secret"), "outside").unwrap();
        fs::write(root.join("sub/a"), "inside").unwrap();
        symlink("../../secret", root.join("sub/link")).unwrap();
        symlink(dir.path(), root.join("up")).unwrap();
        symlink("/dev/zero", root.join("zero")).unwrap();
        rustix::fs::mknodat(CWD, root.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let get = |path: &str| read(&root, Path::new(path), 100);
        assert_eq!(get("sub/a").unwrap(), b"inside");
        assert_eq!(read(&root, &root.join("sub/./a"), 100).unwrap(), b"inside");
        assert!(outcome(get("sub/link")).contains("it is a link"));
        assert!(outcome(get("zero")).contains("it is a link"));
        assert!(outcome(get("up/secret")).contains("up is a link, no folder"));
        assert!(outcome(get("../secret")).contains("leads out of"));
        assert!(outcome(read(&root, &dir.path().join("secret"), 100)).contains("leads out of"));
        assert!(outcome(get("pipe")).contains("it is a pipe"));
        assert_eq!(get("sub").unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(get("none").unwrap_err().kind(), ErrorKind::NotFound);
        assert!(outcome(read(Path::new("/dev"), Path::new("zero"), 100)).contains("it is a device"));
        assert_eq!(read_named(&root.join("sub/link"), 100).unwrap(), b"outside");
        assert!(outcome(read_named(&root.join("zero"), 100)).contains("it is a device"));
        assert!(outcome(read_named(&root.join("pipe"), 100)).contains("it is a pipe"));
        // The folder that was named may itself be a link.
        assert_eq!(read(&root.join("up/root"), Path::new("sub/a"), 100).unwrap(), b"inside");
    }

    #[test]
    fn a_file_is_read_up_to_its_limit_only() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("five"), "12345").unwrap();
        assert_eq!(read(dir.path(), Path::new("five"), 5).unwrap().len(), 5);
        assert!(outcome(read(dir.path(), Path::new("five"), 4)).contains("more than 4 bytes"));
        let sparse = fs::File::create(dir.path().join("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        assert!(outcome(read(dir.path(), Path::new("sparse"), LARGE_BYTES)).contains("more than 1024 MiB"));
        assert!(
            outcome(copy(dir.path(), Path::new("sparse"), &dir.path().join("to"), 9)).contains("9 bytes")
        );
    }

    #[test]
    fn entries_are_told_as_what_they_are_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("b")).unwrap();
        fs::write(dir.path().join("a"), "").unwrap();
        symlink("b", dir.path().join("c")).unwrap();
        let found: Vec<_> =
            list(dir.path(), dir.path()).unwrap().into_iter().map(|e| (e.name, e.kind)).collect();
        let want = [("a", EntryKind::File), ("b", EntryKind::Folder), ("c", EntryKind::Other("a link"))];
        assert_eq!(found, want.map(|(name, kind)| (OsString::from(name), kind)));
        assert!(outcome(list(dir.path(), Path::new("c"))).contains("c is a link"));
        assert!(check_way(dir.path(), Path::new("b/new")).is_ok());
        assert!(outcome(check_way(dir.path(), Path::new("c/new"))).contains("c is a link"));
        assert!(outcome(check_way(dir.path(), Path::new("c"))).contains("c is a link"));
        assert!(
            copy(dir.path(), Path::new("a"), &dir.path().join("c"), 9).is_err(),
            "a link is not written through"
        );
    }

    #[test]
    fn a_name_is_one_part_of_a_path() {
        for bad in ["", ".", "..", "a/b", "/etc", "../x", "a\\b", "a\0b", "a\nb", &"x".repeat(201)] {
            assert!(PathName::new(bad).is_err(), "{bad:?}");
            let like = PathName::like(bad);
            assert!(PathName::new(like.as_str()).is_ok(), "{bad:?} became {like}");
        }
        for good in ["a", "...", ".hidden", "appagent+gpt-x.1", "höhe", "a b"] {
            assert_eq!(PathName::new(good).unwrap().as_str(), good);
            assert_eq!(PathName::like(good).as_str(), good);
        }
    }
}
