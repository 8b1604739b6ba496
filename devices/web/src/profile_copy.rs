//! A copy of somebody's own browser profile.
//!
//! Invariants: the profile itself is only read; of it cookies and local storage are copied, nothing else (no history, no
//! passwords, no extensions), into the browser's private folder, which ends with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use waldo_devices::error::DeviceError;

/// Files with cookies, by the places that versions have kept them in.
const COOKIES: [&str; 4] = ["Cookies", "Cookies-journal", "Network/Cookies", "Network/Cookies-journal"];
const STORED: &str = "Local Storage/leveldb";
const BYTES_MAX: u64 = 1 << 30;
const FILES_MAX: usize = 10_000;

/// Copies what tells who is logged in where from `own`, a profile or the folder of several, into the folder of a browser
/// that is about to start.
pub(super) fn copy(own: &Path, to: &Path) -> Result<(), DeviceError> {
    let from = profile_of(own).ok_or_else(|| DeviceError::Start {
        what: "the browser".to_owned(),
        message: format!(
            "{} is not a profile of Chromium: there are neither cookies nor local storage",
            own.display()
        ),
        hint: "name the folder that chrome://version calls the profile path".to_owned(),
    })?;
    let failed = |source| DeviceError::Io { what: format!("copying the profile {}", from.display()), source };
    let to = to.join("Default");
    let mut left = BYTES_MAX;
    for name in COOKIES {
        copy_file(&from.join(name), &to.join(name), &mut left).map_err(failed)?;
    }
    let Ok(entries) = fs::read_dir(from.join(STORED)) else { return Ok(()) };
    for entry in entries.flatten().take(FILES_MAX) {
        copy_file(&entry.path(), &to.join(STORED).join(entry.file_name()), &mut left).map_err(failed)?;
    }
    Ok(())
}

fn profile_of(own: &Path) -> Option<PathBuf> {
    let is_profile =
        |path: &Path| COOKIES.iter().any(|name| path.join(name).is_file()) || path.join(STORED).is_dir();
    [own.to_owned(), own.join("Default")].into_iter().find(|path| is_profile(path))
}

fn copy_file(from: &Path, to: &Path, left: &mut u64) -> io::Result<()> {
    let Ok(told) = fs::symlink_metadata(from) else { return Ok(()) };
    if !told.is_file() {
        return Ok(());
    }
    *left = left.checked_sub(told.len()).ok_or_else(|| {
        io::Error::other(format!("its cookies and local storage have more than {} MiB", BYTES_MAX >> 20))
    })?;
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cookies_and_local_storage_are_copied_and_no_link_is_followed() {
        let (own, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let put = |path: &str| {
            let path = own.path().join("Default").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        for path in ["Network/Cookies", "Local Storage/leveldb/000003.log", "Login Data", "History"] {
            put(path);
        }
        std::os::unix::fs::symlink("/etc/passwd", own.path().join("Default/Local Storage/leveldb/link"))
            .unwrap();
        for named in [own.path().to_owned(), own.path().join("Default")] {
            let to = to.path().join(if named == own.path() { "a" } else { "b" });
            copy(&named, &to).unwrap();
            let copied = to.join("Default");
            assert!(copied.join("Network/Cookies").is_file());
            assert!(copied.join("Local Storage/leveldb/000003.log").is_file());
            for not in ["Login Data", "History", "Local Storage/leveldb/link"] {
                assert!(!copied.join(not).exists(), "{not}");
            }
        }
    }

    #[test]
    fn a_folder_that_is_no_profile_is_refused() {
        let (own, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let said = copy(own.path(), to.path()).unwrap_err().to_string();
        assert!(said.contains("not a profile") && said.contains("chrome://version"), "{said}");
    }
}
