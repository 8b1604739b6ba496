//! Where sessions are reached: a folder that this user alone may enter.

use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use waldo_devices::foreign;

use crate::cli::CliError;
use crate::environment;

/// The socket of a session and what lies beside it.
#[derive(Debug)]
pub(super) struct SessionPlace {
    folder: PathBuf,
    name: String,
}

pub(super) fn failed(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> CliError {
    let what = format!("cannot {what} {}", path.display());
    move |source| CliError::Io { what, source }
}

impl SessionPlace {
    /// Of a session of this name.
    pub(super) fn of(name: &str) -> Result<Self, CliError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || name.len() > 40 || !name.chars().all(plain) {
            return Err(CliError::Input(
                "--session: give a name of 1 to 40 letters, digits, - and _".to_owned(),
            ));
        }
        let user = rustix::process::geteuid().as_raw();
        let folder = match environment::var_os("XDG_RUNTIME_DIR").filter(|dir| Path::new(dir).is_dir()) {
            Some(dir) => PathBuf::from(dir).join("waldo"),
            None => std::env::temp_dir().join(format!("waldo-{user}")),
        };
        Ok(Self { folder, name: name.to_owned() })
    }

    /// Makes the folder, or sees that it is this user's alone.
    ///
    /// # Errors
    /// When it is somebody else's, or can be entered by others.
    pub(super) fn make(&self) -> Result<(), CliError> {
        let made = std::fs::DirBuilder::new().mode(0o700).create(&self.folder);
        match made {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(failed("create", &self.folder)(error));
            }
            _ => {}
        }
        let found = std::fs::symlink_metadata(&self.folder).map_err(failed("read", &self.folder))?;
        let own = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
        if !own || found.permissions().mode() & 0o077 != 0 {
            return Err(CliError::Input(format!(
                "{} is not a folder of yours alone: remove it, or set XDG_RUNTIME_DIR to one that is",
                self.folder.display()
            )));
        }
        Ok(())
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join(format!("{}.sock", self.name))
    }

    /// What the session says to standard error.
    pub(super) fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.name))
    }

    pub(super) fn said(&self) -> String {
        let bytes = foreign::read_in_its_folder(&self.log(), foreign::TEXT_BYTES).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_within_the_folder() {
        for bad in ["", "a/b", "..", "a b", &"x".repeat(41)] {
            assert!(SessionPlace::of(bad).is_err(), "{bad}");
        }
        assert!(SessionPlace::of("docs-2").unwrap().socket().ends_with("docs-2.sock"));
    }

    #[test]
    fn a_folder_that_others_may_enter_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let place = SessionPlace { folder: dir.path().join("own"), name: "a".to_owned() };
        place.make().unwrap();
        place.make().unwrap();
        std::fs::set_permissions(&place.folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(place.make().unwrap_err().to_string().contains("yours alone"));
    }
}
