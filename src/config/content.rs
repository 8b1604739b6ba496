//! The bytes that a program of a found configuration runs, as one hash.
//!
//! Invariant: what cannot be read whole, or is too much to be hashed at each start, has no hash, and so no trust.

use std::fs::{DirEntry, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// The most entries and bytes of all files together.
const ENTRIES: usize = 10_000;
const BYTES: u64 = 1 << 30;
/// Folders whose files the system's packages brought.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/snap", "/nix/store", "/Applications"];

/// Whether a file lies where packages of the system put theirs: its path says enough of it.
pub fn is_of_the_system(path: &Path) -> bool {
    !path.components().any(|part| part == Component::ParentDir)
        && SYSTEM.iter().any(|folder| path.starts_with(folder))
}

pub(super) fn of_file(path: &Path) -> io::Result<String> {
    let mut content = Content::default();
    content.file(path)?;
    Ok(content.end())
}

/// The hash of what a program runs that is started in `dir` by `exec`: every file below `dir`, and every file that a word
/// of the command names, or folder of these where it lies below `around`, unless it is of the system.
pub(super) fn of_program(dir: &Path, exec: &[String], around: &Path) -> io::Result<String> {
    let mut content = Content::default();
    content.folder(dir)?;
    content.words(dir, exec, around)?;
    Ok(content.end())
}

/// The hash of what a command runs that is started by `exec`, whose words lie in `dir` where they name files; none where no
/// word does. With a file come those of its kind beside and below it, which it may load: but for what is hidden, and what
/// package managers put there.
pub(super) fn of_command(dir: &Path, exec: &[String]) -> io::Result<Option<String>> {
    let mut content = Content::default();
    let files = content.words(dir, exec, dir)?;
    for file in &files {
        if let (Some(folder), Some(kind)) = (file.parent(), file.extension()) {
            content.kind(folder, kind)?;
        }
    }
    Ok((content.bytes > 0).then(|| content.end()))
}

impl Content {
    /// Every file that a word names, and folder of these below `around`; the files.
    fn words(&mut self, dir: &Path, exec: &[String], around: &Path) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let content = self;
        let parts = |c: char| c.is_whitespace() || "'\"`;|&<>()=,".contains(c);
        for word in exec.iter().flat_map(|word| std::iter::once(word.as_str()).chain(word.split(parts))) {
            let path = dir.join(word);
            if word.is_empty() || is_of_the_system(&path) {
                continue;
            }
            let Ok(metadata) = path.metadata() else { continue };
            if metadata.is_file() {
                content.part(word.as_bytes());
                content.file(&path)?;
                files.push(path);
            } else if metadata.is_dir() {
                let (path, around) = (path.canonicalize()?, around.canonicalize()?);
                if path.starts_with(&around) && path != around && path != dir.canonicalize()? {
                    content.part(word.as_bytes());
                    content.folder(&path)?;
                }
            }
        }
        Ok(files)
    }

    fn kind(&mut self, dir: &Path, kind: &std::ffi::OsStr) -> io::Result<()> {
        for entry in self.listed(dir)? {
            let (path, name) = (entry.path(), entry.file_name());
            let installed = name == "node_modules" || path.join("pyvenv.cfg").exists();
            let metadata = path.metadata().ok();
            if name.as_encoded_bytes().starts_with(b".") || installed {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.kind(&path, kind)?;
            } else if path.extension() == Some(kind) && metadata.is_some_and(|metadata| metadata.is_file()) {
                self.part(path.as_os_str().as_encoded_bytes());
                self.file(&path)?;
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Content {
    hash: Sha256,
    entries: usize,
    bytes: u64,
}

impl Content {
    fn part(&mut self, part: &[u8]) {
        self.hash.update(part.len().to_le_bytes());
        self.hash.update(part);
    }

    /// What is in a folder, by name.
    fn listed(&mut self, dir: &Path) -> io::Result<Vec<DirEntry>> {
        let mut found: Vec<_> = std::fs::read_dir(dir)?.collect::<io::Result<_>>()?;
        found.sort_by_key(DirEntry::file_name);
        self.entries += found.len();
        if self.entries > ENTRIES { Err(too_much()) } else { Ok(found) }
    }

    fn folder(&mut self, dir: &Path) -> io::Result<()> {
        let mut waiting = vec![(dir.to_owned(), PathBuf::new())];
        while let Some((at, name)) = waiting.pop() {
            for entry in self.listed(&at)? {
                let (path, name) = (entry.path(), name.join(entry.file_name()));
                self.part(name.as_os_str().as_encoded_bytes());
                let kind = entry.file_type()?;
                // What a link leads to is run as well; a link that leads nowhere is its own text.
                let target = if kind.is_symlink() { path.metadata().ok() } else { None };
                if kind.is_dir() {
                    waiting.push((path, name));
                } else if kind.is_file() || target.as_ref().is_some_and(Metadata::is_file) {
                    self.file(&path)?;
                } else if target.is_some_and(|target| target.is_dir()) {
                    return Err(io::Error::other(format!("{} is a link to a folder", path.display())));
                } else if kind.is_symlink() {
                    self.part(std::fs::read_link(&path)?.as_os_str().as_encoded_bytes());
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        self.bytes = self.bytes.saturating_add(length);
        if self.bytes > BYTES {
            return Err(too_much());
        }
        self.hash.update(length.to_le_bytes());
        let (mut file, mut buffer) = (file.take(length), vec![0; 64 << 10]);
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(()),
                n => self.hash.update(&buffer[..n]),
            }
        }
    }

    fn end(self) -> String {
        HEXLOWER.encode(&self.hash.finalize())
    }
}

fn too_much() -> io::Error {
    io::Error::other(format!("there are more than {ENTRIES} files, or more than {} MiB", BYTES >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_program_may_run_counts() {
        let around = tempfile::tempdir().unwrap();
        let dir = around.path().join("mine");
        std::fs::create_dir_all(dir.join("deep")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
        for name in ["hook.py", "deep/part.py", "../beside.py"] {
            write(name, "1");
        }
        std::os::unix::fs::symlink("../beside.py", dir.join("linked.py")).unwrap();
        let exec = ["sh".to_owned(), "-c".to_owned(), "exec python3 '../beside.py'".to_owned()];
        let now = || of_program(&dir, &exec, around.path()).unwrap();
        let mut before = now();
        assert_eq!(now(), before);
        for name in ["hook.py", "deep/part.py", "../beside.py", "deep/new.py"] {
            write(name, "2");
            assert_ne!(now(), before, "{name}");
            before = now();
        }
        std::os::unix::fs::symlink("..", dir.join("up")).unwrap();
        assert!(of_program(&dir, &exec, around.path()).is_err());
    }

    #[test]
    fn what_packages_bring_is_of_the_system() {
        assert!(is_of_the_system(Path::new("/usr/bin/chromium")));
        assert!(
            !is_of_the_system(Path::new("/usr/../home/a/x")) && !is_of_the_system(Path::new("/home/usr/x"))
        );
    }
}
