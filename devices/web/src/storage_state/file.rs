//! The file of a state: read where it is its owner's alone, written as such.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::StorageState;

/// The most bytes of a state's file.
const BYTES_MAX: u64 = 16 << 20;
/// Whoever may do more than its owner.
const OTHERS: u32 = 0o077;

/// Why a state could not be read or written. No message holds a value of it.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    #[error("{path} contains login data, and users other than its owner can read it: chmod 600 '{path}'")]
    Open { path: String },
    #[error(
        "{path} is not a storage state (the JSON of Playwright's storageState, or of waldo login): {why}"
    )]
    Format { path: String, why: String },
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
}

impl StorageState {
    /// Reads a file.
    ///
    /// # Errors
    /// When others than its owner can read it, when it is not a state or is too large, or when the disk refuses.
    pub fn read(path: &Path) -> Result<Self, StateFileError> {
        let shown = || path.display().to_string();
        let failed = |source| StateFileError::Io { path: shown(), source };
        let wrong = |why: String| StateFileError::Format { path: shown(), why };
        // A pipe would never answer.
        let nonblock = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(nonblock).open(path).map_err(failed)?;
        // Of the file that was opened: the name may be another's by now.
        let told = file.metadata().map_err(failed)?;
        if !told.is_file() {
            return Err(wrong("it is not a regular file".to_owned()));
        }
        if told.mode() & OTHERS != 0 {
            return Err(StateFileError::Open { path: shown() });
        }
        let mut bytes = Vec::new();
        file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(wrong(format!("it has more than {} MiB", BYTES_MAX >> 20)));
        }
        let state: Self = serde_json::from_slice(&bytes).map_err(|error| {
            // What the parser says may quote a value.
            wrong(format!("line {}, column {} is not valid", error.line(), error.column()))
        })?;
        match state.fault() {
            Some(why) => Err(wrong(why)),
            None => Ok(state),
        }
    }

    /// Writes a file that only its owner can read; one that was there is replaced as a whole.
    pub fn write(&self, path: &Path) -> Result<(), StateFileError> {
        let failed = |source| StateFileError::Io { path: path.display().to_string(), source };
        let text = serde_json::to_vec_pretty(self).map_err(|error| failed(io::Error::other(error)))?;
        replace(path, &text).map_err(failed)
    }
}

/// Writes a file of mode 0600 under another name, and gives it this one.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Made with mode 0600, under a name that nobody can foresee.
    let mut temp = tempfile::Builder::new().prefix(".waldo-state-").tempfile_in(folder)?;
    temp.write_all(bytes)?;
    temp.as_file().sync_data()?;
    temp.persist(path).map_err(|error| error.error)?;
    // The new name is on the disk with its folder.
    File::open(folder).and_then(|folder| folder.sync_all()).or(Ok(()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const SAMPLE: &str = r#"{
      "cookies": [{ "name": "sid", "value": "s3cr3t-session", "domain": "127.0.0.1", "path": "/", "expires": -1,
                    "httpOnly": true, "secure": false, "sameSite": "Lax" }],
      "origins": [{ "origin": "http://127.0.0.1:8080", "localStorage": [{ "name": "token", "value": "t0k3n" }] }]
    }"#;

    fn file(text: &str, mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        (dir, path)
    }

    #[test]
    fn a_state_is_read_and_written_alike_and_is_its_owners_alone() {
        let (_dir, path) = file(SAMPLE, 0o600);
        let state = StorageState::read(&path).unwrap();
        let to = path.with_file_name("again.json");
        // One that others could read is replaced, not filled.
        fs::write(&to, "old").unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o644)).unwrap();
        state.write(&to).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(StorageState::read(&to).unwrap(), state);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2, "nothing half-written stays");
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_the_mend() {
        for mode in [0o644, 0o640, 0o602, 0o660] {
            let (_dir, path) = file(SAMPLE, mode);
            let said = StorageState::read(&path).unwrap_err().to_string();
            assert!(said.contains(&format!("chmod 600 '{}'", path.display())), "{said}");
        }
    }

    #[test]
    fn what_is_no_state_is_refused_without_a_word_of_it() {
        for (bad, why) in [
            ("{\"cookies\": [\"s3cr3t-session\"]}", "line 1, column"),
            ("s3cr3t-session", "line 1"),
            ("{\"origins\": [{\"origin\": \"s3cr3t-session\"}]}", "origins[0].origin"),
        ] {
            let (_dir, path) = file(bad, 0o600);
            let said = StorageState::read(&path).unwrap_err().to_string();
            assert!(said.contains(why) && !said.contains("s3cr3t"), "{said}");
        }
        let (dir, path) = file("", 0o600);
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg("-m600").arg(&pipe).status().unwrap().success());
        assert!(StorageState::read(&pipe).unwrap_err().to_string().contains("regular file"));
        let many = serde_json::json!({ "name": "a", "value": "b", "domain": "c" });
        fs::write(&path, serde_json::json!({ "cookies": vec![many; 3_001] }).to_string()).unwrap();
        assert!(StorageState::read(&path).unwrap_err().to_string().contains("3000 cookies"));
        assert!(StorageState::read(&dir.path().join("none")).unwrap_err().to_string().contains("none"));
    }
}
