//! A file that one process at a time holds.

use std::fs::{File, TryLockError};
use std::ops::{Deref, DerefMut};

/// An open file with the system's lock on it: let go when it is dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Locks a file.
    ///
    /// # Errors
    /// Why it cannot be locked, with the file: another holds it, or the system refuses.
    pub fn take(file: File) -> Result<Self, (File, TryLockError)> {
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(error) => Err((file, error)),
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // To close it is not enough: a child that another thread has forked, and that has not executed its program yet,
        // holds the same open file, and the lock with it.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_open_file_does_not_keep_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let first = LockedFile::take(File::create(&path).unwrap()).unwrap();
        // As a child that was forked, and has not executed its program yet, holds it.
        let _copy = first.try_clone().unwrap();
        let again = || LockedFile::take(File::open(&path).unwrap());
        assert!(matches!(again(), Err((_, TryLockError::WouldBlock))));
        drop(first);
        again().unwrap();
    }
}
