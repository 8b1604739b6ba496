//! An episode's folder on its way: its files, by name, size and hash, and the contents one after the other.
//!
//! Equal contents, such as pictures of a screen on which nothing happened, go once.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use waldo_devices::foreign::{self, EntryKind, PathName};

use super::error::{QueueError, Result};
use super::wire::{MOST_FILES, NamedFile};

/// The most parts of a name below an episode's folder.
const DEEPEST: usize = 6;
const DOWNLOADS: &str = "downloads";
const READ: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Bundle {
    folder: PathBuf,
    pub(super) files: Vec<NamedFile>,
}

impl Bundle {
    /// Reads the folder of an episode.
    ///
    /// # Errors
    /// When it holds what another machine would not take: links, odd names, too much.
    pub(super) fn of(folder: &Path, most: u64) -> Result<Self> {
        let mut files = Vec::new();
        walk(folder, folder, &mut Vec::new(), &mut files)?;
        check(&files, most)?;
        Ok(Self { folder: folder.to_owned(), files })
    }

    /// Where the contents are, each once, in the order in which they are sent.
    pub(super) fn contents(&self) -> Vec<PathBuf> {
        distinct(&self.files).map(|file| self.folder.join(&file.name)).collect()
    }

    pub(super) fn open(&self, path: &Path) -> io::Result<File> {
        foreign::open(&self.folder, path, foreign::LARGE_BYTES)
    }
}

/// The files whose contents come, in their order.
pub(super) fn distinct(files: &[NamedFile]) -> impl Iterator<Item = &NamedFile> {
    let mut seen = HashSet::new();
    files.iter().filter(move |file| seen.insert(&file.hash))
}

/// How many bytes come.
pub(super) fn length(files: &[NamedFile]) -> u64 {
    distinct(files).map(|file| file.size).sum()
}

/// Judges what a folder is said to hold.
///
/// # Errors
/// When a name leads anywhere, or twice to the same place, or there is too much of it.
pub(super) fn check(files: &[NamedFile], most: u64) -> Result<()> {
    let refused = |why: String| Err(QueueError::Foreign(why));
    if files.len() > MOST_FILES {
        return refused(format!("its folder has {} files, more than {MOST_FILES}", files.len()));
    }
    let mut names = HashSet::new();
    let mut folders = HashSet::new();
    let mut sum: u64 = 0;
    for file in files {
        let parts: Vec<&str> = file.name.split('/').collect();
        if parts.len() > DEEPEST {
            return refused(format!("a file of its folder lies deeper than {DEEPEST} folders"));
        }
        for part in &parts {
            PathName::new(part).map_err(|bad| QueueError::Foreign(format!("a file of its folder: {bad}")))?;
        }
        let mut around = file.name.as_str();
        while let Some((folder, _)) = around.rsplit_once('/') {
            folders.insert(folder);
            around = folder;
        }
        if !names.insert(file.name.as_str()) {
            return refused(format!("its folder has two files of the name {:?}", file.name));
        }
        if file.hash.len() != 64 || !file.hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return refused("a file of its folder has no SHA-256".to_owned());
        }
        sum = sum.saturating_add(file.size);
        if sum > most {
            return refused(format!("its folder has more than {} MiB (--max-artifact)", most >> 20));
        }
    }
    // An episode's folder has one of this name from its beginning.
    if names.contains(DOWNLOADS) {
        return refused(format!("{DOWNLOADS:?} is a file of its folder, not a folder"));
    }
    match folders.iter().find(|folder| names.contains(**folder)) {
        Some(both) => refused(format!("{both:?} is a file of its folder and a folder")),
        None => Ok(()),
    }
}

fn walk(root: &Path, at: &Path, way: &mut Vec<String>, files: &mut Vec<NamedFile>) -> Result<()> {
    for entry in foreign::list(root, at).map_err(QueueError::io("read", at))? {
        let Some(name) = entry.name.to_str() else {
            return Err(QueueError::Foreign("a file of its folder has a name that is not text".to_owned()));
        };
        way.push(name.to_owned());
        match entry.kind {
            EntryKind::Folder if way.len() < DEEPEST => walk(root, &entry.path, way, files)?,
            EntryKind::Folder => {
                return Err(QueueError::Foreign(format!("its folder is deeper than {DEEPEST} folders")));
            }
            EntryKind::File if files.len() > MOST_FILES => {
                return Err(QueueError::Foreign(format!("its folder has more than {MOST_FILES} files")));
            }
            EntryKind::File => {
                let (size, hash) = sum(root, &entry.path).map_err(QueueError::io("read", &entry.path))?;
                files.push(NamedFile { name: way.join("/"), size, hash });
            }
            EntryKind::Other(what) => {
                return Err(QueueError::Foreign(format!("{name:?} in its folder is {what}, no file")));
            }
        }
        way.pop();
    }
    Ok(())
}

fn sum(root: &Path, path: &Path) -> io::Result<(u64, String)> {
    let mut file = foreign::open(root, path, foreign::LARGE_BYTES)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; READ];
    let mut size = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((size, HEXLOWER.encode(&hash.finalize()))),
            n => {
                hash.update(&buffer[..n]);
                size += n as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn file(name: &str, size: u64) -> NamedFile {
        NamedFile { name: name.to_owned(), size, hash: HEXLOWER.encode(&Sha256::digest(name)) }
    }

    fn refused(files: &[NamedFile]) -> String {
        check(files, 1 << 30).unwrap_err().to_string()
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        for bad in ["../x", "a/../../x", "/etc/x", "", "a//b", "a/", "a\\b", "a\nb", "./a", "a/b/c/d/e/f/g"] {
            refused(&[file(bad, 1)]);
        }
        check(&[file("events.jsonl", 1), file("downloads/a b.txt", 1)], 9).unwrap();
    }

    #[test]
    fn what_is_said_twice_or_is_too_much_is_refused() {
        assert!(refused(&[file("a", 1), file("a", 1)]).contains("two files"));
        assert!(refused(&[file("downloads", 1)]).contains("not a folder"));
        assert!(refused(&[file("a", 1), file("a/b", 1)]).contains("and a folder"));
        assert!(refused(&[file("a", 1 << 30), file("b", 1)]).contains("1024 MiB"));
        assert!(refused(&[file("a", u64::MAX), file("b", u64::MAX)]).contains("MiB"));
        let many: Vec<NamedFile> = (0..=MOST_FILES).map(|n| file(&n.to_string(), 0)).collect();
        assert!(refused(&many).contains("20001 files"));
    }

    #[test]
    fn a_folder_is_told_as_it_is_and_equal_contents_go_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("downloads")).unwrap();
        fs::write(dir.path().join("a.png"), "same").unwrap();
        fs::write(dir.path().join("b.png"), "same").unwrap();
        fs::write(dir.path().join("downloads/c"), "other!").unwrap();
        let bundle = Bundle::of(dir.path(), 100).unwrap();
        let names: Vec<&str> = bundle.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["a.png", "b.png", "downloads/c"]);
        assert_eq!((bundle.contents().len(), length(&bundle.files)), (2, 10));
        assert!(Bundle::of(dir.path(), 9).is_err());
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("downloads/d")).unwrap();
        assert!(Bundle::of(dir.path(), 100).unwrap_err().to_string().contains("is a link"));
    }
}
