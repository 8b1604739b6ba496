//! Applications that tasks are played on: installed from packages, and run as instances.
//!
//! Duty: install what an [`AppDef`] names into a folder of the user's, run an instance of it for an episode in a sandbox of
//! its own, and read what it keeps.
//!
//! Invariants: nothing outside that folder is changed; an installation bears its name only once it is whole; an instance
//! has a copy of the data, a network of its own without a way out, and ends with its owner, also when that is killed.

mod install;
mod instance;
mod keeps;
mod room;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use waldo_devices::foreign;

pub use install::Progress;
pub use instance::AppInstance;
pub(crate) use keeps::files_below;
pub(crate) use room::{AppFolder, Room};

use crate::TaskError;
use crate::suite::AppDef;

/// The file that says what an installation is; written last.
const RECORD: &str = "installed.json";
const RECORD_BYTES: u64 = 64 << 10;

#[derive(Clone, Debug)]
pub struct Apps {
    root: PathBuf,
    /// Variables that clients of package registries get.
    handed: Vec<(OsString, OsString)>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Installed {
    pub name: String,
    pub version: String,
    pub bytes: u64,
    pub seconds: f64,
    /// Folders of interpreters that its programs need beside the system's.
    runtimes: Vec<PathBuf>,
    #[serde(skip)]
    folder: PathBuf,
}

/// An error of an application, with the step and what helps.
fn failed(app: &AppDef, step: &str, message: impl Into<String>, fix: impl Into<String>) -> TaskError {
    TaskError::App { app: app.name.clone(), step: step.to_owned(), message: message.into(), fix: fix.into() }
}

impl Apps {
    /// Applications in `root`. `handed` are variables for the clients of package registries.
    pub fn new(root: PathBuf, handed: Vec<(OsString, OsString)>) -> Self {
        Self { root, handed }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Another definition is another installation.
    fn folder(&self, app: &AppDef) -> PathBuf {
        self.root.join(format!("{}-{}", app.name, app.hash.get(..12).unwrap_or_default()))
    }

    /// The installation of an application, if there is one and its interpreter is still there.
    pub fn installed(&self, app: &AppDef) -> Option<Installed> {
        let folder = self.folder(app);
        let record = foreign::read(&folder, &folder.join(RECORD), RECORD_BYTES).ok()?;
        let installed: Installed = serde_json::from_slice(&record).ok()?;
        installed.runtimes.iter().all(|path| path.is_dir()).then_some(Installed { folder, ..installed })
    }

    /// The installation of an application that is to be played.
    ///
    /// # Errors
    /// How to install it.
    pub fn need(&self, app: &Arc<AppDef>) -> Result<Installed, TaskError> {
        self.installed(app).ok_or_else(|| failed(app, "start", "it is not installed", app.how_to_install()))
    }
}

impl AppDef {
    /// What installs it, and what that takes.
    pub fn how_to_install(&self) -> String {
        let install = &self.file.install;
        format!(
            "`waldo apps install {}` does (about {} MB, {} s)",
            self.name, install.megabytes, install.seconds
        )
    }
}
