//! Writing into folders that somebody else may have prepared: through no link.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use super::{EntryKind, FOLDER, below, enter, refused};

/// What new files and folders may be used for, before the process's mask.
const FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// Opens the folder that `parts` lead to from `root`; what is missing of the way is made.
fn made(root: &Path, parts: &[&OsStr]) -> io::Result<OwnedFd> {
    std::fs::create_dir_all(root)?;
    let mut at = openat(CWD, root, FOLDER, Mode::empty())?;
    for part in parts {
        match mkdirat(&at, *part, FOLDER_MODE) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(e) => return Err(e.into()),
        }
        at = enter(&at, part)?;
    }
    Ok(at)
}

/// The folder of the file `path`, made where it is missing, and the file's name.
fn place<'a>(root: &Path, path: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
    let parts = below(root, path)?;
    let Some((name, before)) = parts.split_last() else {
        return Err(io::Error::new(ErrorKind::IsADirectory, "is the folder itself"));
    };
    Ok((made(root, before)?, name))
}

fn writable(kind: EntryKind) -> io::Result<()> {
    match kind {
        EntryKind::File => Ok(()),
        EntryKind::Folder => Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder")),
        EntryKind::Other(what) => Err(refused(format!(
            "it is {what}, and only regular files are written; remove it, or name another folder"
        ))),
    }
}

/// Makes the folder at `path`, which is relative to `root` or begins with it, and `root` itself.
///
/// # Errors
/// When it leads out of `root`, a part of the way is a link or no folder, or the disk refuses.
pub fn make_folder(root: &Path, path: &Path) -> io::Result<()> {
    made(root, &below(root, path)?).map(|_| ())
}

/// Writes the file at `path`, which is relative to `root` or begins with it, as a whole: readers see the former content
/// or the new. Missing folders are made.
///
/// # Errors
/// As [`make_folder`], and when something that is not a regular file has the name.
pub fn write(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let (at, name) = place(root, path)?;
    match statat(&at, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => writable(EntryKind::of(FileType::from_raw_mode(found.st_mode)))?,
        Err(Errno::NOENT) => {}
        Err(e) => return Err(e.into()),
    }
    // Short, since the name itself may be as long as a name can be.
    let temp = format!(".waldo-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    // Left by a process of this number, or put there.
    let _ = unlinkat(&at, &temp, AtFlags::empty());
    let written = (|| {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&at, &temp, flags, FILE_MODE)?);
        file.write_all(bytes)?;
        file.sync_data()?;
        renameat(&at, &temp, &at, name).map_err(io::Error::from)
    })();
    if written.is_err() {
        let _ = unlinkat(&at, &temp, AtFlags::empty());
    }
    written
}

/// Opens the file at `path`, relative to `root` or beginning with it, to append to it, made with its folders.
pub fn append(root: &Path, path: &Path) -> io::Result<File> {
    let (at, name) = place(root, path)?;
    // Without waiting for a reader of a pipe.
    let flags = OFlags::WRONLY
        | OFlags::CREATE
        | OFlags::APPEND
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    let opened = openat(&at, name, flags, FILE_MODE);
    if opened.is_err()
        && let Ok(found) = statat(&at, name, AtFlags::SYMLINK_NOFOLLOW)
    {
        writable(EntryKind::of(FileType::from_raw_mode(found.st_mode)))?;
    }
    let file = opened?;
    writable(EntryKind::of(FileType::from_raw_mode(fstat(&file)?.st_mode)))?;
    Ok(File::from(file))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "kept").unwrap();
        symlink(&outside, root.join("up")).unwrap();
        symlink(outside.join("kept"), root.join("link")).unwrap();
        symlink(outside.join("new"), root.join("dangling")).unwrap();
        rustix::fs::mknodat(CWD, root.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        type Way = fn(&Path, &Path) -> io::Result<()>;
        let ways: [Way; 2] =
            [|root, path| write(root, path, b"x"), |root, path| append(root, path)?.write_all(b"x")];
        for way in ways {
            for (path, why) in [
                ("up/kept", "up is a link"),
                ("up/sub/new", "up is a link"),
                ("link", "it is a link"),
                ("dangling", "it is a link"),
                ("pipe", "it is a pipe"),
                ("../outside/kept", "leads out of"),
            ] {
                let said = way(&root, Path::new(path)).unwrap_err().to_string();
                assert!(said.contains(why), "{path}: {said}");
            }
        }
        assert!(make_folder(&root, Path::new("up/sub")).unwrap_err().to_string().contains("up is a link"));
        assert_eq!(fs::read(outside.join("kept")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 4, "nothing half-written stays");
    }

    #[test]
    fn files_and_folders_are_made_where_they_are_missing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("a/b");
        let long = "u".repeat(255);
        write(&root, &root.join("c").join(&long), b"one").unwrap();
        write(&root, &Path::new("c").join(&long), b"two").unwrap();
        assert_eq!(fs::read(root.join("c").join(&long)).unwrap(), b"two");
        for _ in 0..2 {
            append(&root, Path::new("d/log")).unwrap().write_all(b"line\n").unwrap();
        }
        assert_eq!(fs::read(root.join("d/log")).unwrap(), b"line\nline\n");
        make_folder(&root, &root.join("e/f")).unwrap();
        assert!(root.join("e/f").is_dir());
        assert!(write(&root, Path::new("e/f"), b"x").is_err(), "a folder is not replaced");
    }
}
