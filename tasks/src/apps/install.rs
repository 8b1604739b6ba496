//! Installing applications from packages.
//!
//! Invariants: an installation is made under another name and renamed once it is whole, so that a half of one is never
//! used; one process at a time installs an application; every package is checked against its hash; nothing is installed
//! into the system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use waldo_devices::{Deadline, child, foreign};

use super::room::{AppFolder, Room, beside_system, ends_with_waldo, output};
use super::{Apps, Installed, RECORD, failed};
use crate::suite::{AppDef, DebPackage};
use crate::{FolderLock, TaskError};

const DEB_BYTES: u64 = 1 << 30;
/// How long one step may take.
const STEP: Duration = Duration::from_secs(900);
/// What an interpreter of Python has to be, and tells of itself.
const PYTHON: &str = "import sys, venv, ensurepip; assert sys.version_info >= (3, 9); print(sys.base_prefix)";
const ONLINE: &str = "look whether this machine reaches the registry, then run the command again";

/// Hears what is being done.
pub type Progress<'a> = &'a (dyn Fn(&str) + Send + Sync);

struct Work<'a> {
    app: &'a AppDef,
    /// The folder that becomes it.
    to: PathBuf,
    handed: &'a [(OsString, OsString)],
    runtimes: Vec<PathBuf>,
    progress: Progress<'a>,
}

impl Apps {
    /// Installs an application, unless it is.
    ///
    /// # Errors
    /// The step that failed, what was said, and what helps. Nothing half-done is left.
    pub async fn install(&self, app: &AppDef, progress: Progress<'_>) -> Result<Installed, TaskError> {
        let _lock = self.lock(app)?;
        if let Some(installed) = self.installed(app) {
            return Ok(installed);
        }
        let start = Instant::now();
        self.remove_all(app)?;
        self.has_room(app)?;
        let aside = tempfile::Builder::new().prefix(&format!(".{}-", app.name)).tempdir_in(&self.root);
        let aside = aside.map_err(TaskError::io("make a folder in", &self.root))?;
        let to = aside.path().join("app");
        let mut work = Work { app, to, handed: &self.handed, runtimes: Vec::new(), progress };
        work.all().await?;
        let record = Installed {
            name: app.name.clone(),
            version: app.file.version.clone(),
            bytes: bytes_of(&work.to),
            seconds: start.elapsed().as_secs_f64(),
            runtimes: work.runtimes,
            folder: PathBuf::new(),
        };
        let json = serde_json::to_vec(&record).map_err(|error| TaskError::Internal(error.to_string()))?;
        let written =
            fs::write(work.to.join(RECORD), json).and_then(|()| fs::rename(&work.to, self.folder(app)));
        written.map_err(TaskError::io("finish", &self.folder(app)))?;
        self.installed(app)
            .ok_or_else(|| TaskError::Internal(format!("{} was installed and is not", app.name)))
    }

    /// Removes every installation of an application; the bytes that it took.
    ///
    /// # Errors
    /// When somebody installs it, or the disk refuses.
    pub fn remove(&self, app: &AppDef) -> Result<u64, TaskError> {
        let _lock = self.lock(app)?;
        self.remove_all(app)
    }

    fn lock(&self, app: &AppDef) -> Result<FolderLock, TaskError> {
        let folder = self.root.join("locks").join(&app.name);
        FolderLock::take(&folder, "waldo apps install", "end that process")
    }

    /// Removes whole and half installations, which nobody works on while the lock is held.
    fn remove_all(&self, app: &AppDef) -> Result<u64, TaskError> {
        let mut bytes = 0;
        let entries = fs::read_dir(&self.root).map_err(TaskError::io("read", &self.root))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let rest =
                name.trim_start_matches('.').strip_prefix(&app.name).and_then(|rest| rest.strip_prefix('-'));
            if rest.is_some_and(|rest| !rest.contains('-')) {
                bytes += bytes_of(&path);
                fs::remove_dir_all(&path).map_err(TaskError::io("remove", &path))?;
            }
        }
        Ok(bytes)
    }

    fn has_room(&self, app: &AppDef) -> Result<(), TaskError> {
        let Ok(disk) = rustix::fs::statvfs(&self.root) else { return Ok(()) };
        let free = disk.f_bavail.saturating_mul(disk.f_frsize) / 1_000_000;
        let needed = app.file.install.megabytes.saturating_mul(2);
        if free >= needed {
            return Ok(());
        }
        let message =
            format!("{} has {free} MB free, and {needed} are needed meanwhile", self.root.display());
        Err(failed(app, "make room", message, "free some, or set XDG_CACHE_HOME to another disk"))
    }
}

impl Work<'_> {
    async fn all(&mut self) -> Result<(), TaskError> {
        let disk = |path: &Path| TaskError::io("write", path);
        let def = self.to.join("def");
        for (path, content) in &self.app.parts {
            let path = def.join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all).map_err(disk(&path))?;
            fs::write(&path, content).map_err(disk(&path))?;
        }
        let install = &self.app.file.install;
        for need in &install.system {
            let [program, arguments @ ..] = need.probe.as_slice() else { continue };
            let mut probe = child::command(program);
            probe.args(arguments);
            self.run("system packages", probe, format!("Debian, Ubuntu: sudo apt install {}", need.packages))
                .await?;
        }
        if let Some(requirements) = &install.pip {
            self.pip(&def.join(requirements)).await?;
        }
        for package in &install.deb {
            self.deb(package).await?;
        }
        if let Some(lock) = &install.npm {
            self.npm(&def.join(lock)).await?;
        }
        self.make().await
    }

    /// Runs a step that writes in the folder; its processes end with waldo, or they would write into a folder that is removed.
    async fn write(&self, step: &str, command: &Command, fix: impl Into<String>) -> Result<(), TaskError> {
        self.run(step, ends_with_waldo(command), fix).await.map(drop)
    }

    /// Runs one step to its end.
    async fn run(
        &self,
        step: &str,
        mut command: Command,
        fix: impl Into<String>,
    ) -> Result<String, TaskError> {
        if command.get_current_dir().is_none() {
            command.current_dir(&self.to);
        }
        command.envs(self.handed.iter().map(|(name, value)| (name, value)));
        let said = output(command, "", Deadline::after(STEP)).await;
        let said = said.map_err(|message| failed(self.app, step, message, fix))?;
        Ok(String::from_utf8_lossy(&said).trim().to_owned())
    }

    async fn pip(&mut self, requirements: &Path) -> Result<(), TaskError> {
        (self.progress)("Python packages");
        let mut found = None;
        for python in ["/usr/bin/python3", "python3"] {
            let mut ask = child::command(python);
            ask.args(["-c", PYTHON]);
            let fix = "Debian, Ubuntu: sudo apt install python3-venv (Python 3.9 or later)";
            match self.run("find Python", ask, fix).await {
                Ok(prefix) => {
                    self.runtimes.extend(beside_system(prefix.into()));
                    found = Some(Ok(python));
                    break;
                }
                Err(error) => found = Some(Err(error)),
            }
        }
        let Some(python) = found.transpose()? else { return Ok(()) };
        let mut venv = child::command(python);
        venv.args(["-m", "venv", "venv"]);
        self.write("make an environment of Python", &venv, "install python3-venv").await?;
        let mut pip = child::command(self.to.join("venv/bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]);
        pip.args(["--require-hashes", "--only-binary", ":all:", "-r"]).arg(requirements);
        self.write("pip packages", &pip, ONLINE).await
    }

    async fn deb(&self, package: &DebPackage) -> Result<(), TaskError> {
        let DebPackage { name, version, sha256 } = package;
        (self.progress)(&format!("{name} {version}"));
        let step = format!("Debian package {name}");
        let debs = self.to.join("debs");
        fs::create_dir_all(&debs).map_err(TaskError::io("make", &debs))?;
        let mut get = child::command("apt-get");
        get.args(["-qq", "download", &format!("{name}={version}")]).current_dir(&debs);
        // Where the lists are empty or old the package is not known.
        let fix = "run `sudo apt-get update`, then this command again; this wants Debian 12 (bookworm)";
        if let Err(error) = self.write(&step, &get, fix).await {
            return Err(self.nearest(&step, package, error).await);
        }
        let mut files =
            fs::read_dir(&debs).map_err(TaskError::io("read", &debs))?.flatten().map(|entry| entry.path());
        let file = files.find(|path| path.extension().is_some_and(|ending| ending == "deb"));
        let file = file.ok_or_else(|| failed(self.app, &step, "apt-get left no file", ONLINE))?;
        let bytes = foreign::read(&debs, &file, DEB_BYTES).map_err(TaskError::io("read", &file))?;
        let found = HEXLOWER.encode(&Sha256::digest(&bytes));
        if found != *sha256 {
            let message = format!("its SHA-256 is {found}, and {sha256} is wanted");
            return Err(failed(
                self.app,
                &step,
                message,
                "it is not used: look where this machine gets packages from",
            ));
        }
        let mut lay = child::command("dpkg-deb");
        lay.arg("-x").arg(&file).arg("root");
        self.write(&step, &lay, "dpkg-deb is a part of Debian's dpkg").await?;
        fs::remove_file(&file).map_err(TaskError::io("remove", &file))
    }

    /// The error for a version that is not offered, with the one that is.
    async fn nearest(&self, step: &str, package: &DebPackage, error: TaskError) -> TaskError {
        let mut ask = child::command("apt-cache");
        ask.args(["madison", &package.name]);
        let offered = self.run(step, ask, "").await.unwrap_or_default();
        let offered: Vec<&str> =
            offered.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim).collect();
        match offered.first().filter(|_| !offered.contains(&package.version.as_str())) {
            None => error,
            Some(nearest) => {
                let message =
                    format!("version {} is not offered here any more; {nearest} is", package.version);
                failed(self.app, step, message, "a waldo whose app.toml has that version plays on it")
            }
        }
    }

    async fn npm(&mut self, lock: &Path) -> Result<(), TaskError> {
        (self.progress)("npm packages");
        for name in ["package-lock.json", "package.json"] {
            let to = self.to.join(name);
            fs::copy(lock.with_file_name(name), &to).map_err(TaskError::io("write", &to))?;
        }
        let mut node = child::command("node");
        node.args(["-p", "process.execPath"]);
        let fix = "Debian, Ubuntu: sudo apt install nodejs npm";
        let node = PathBuf::from(self.run("find Node.js", node, fix).await?);
        self.runtimes.extend(node.ancestors().nth(2).map(Path::to_owned).and_then(beside_system));
        let mut npm = child::command("npm");
        npm.args(["ci", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"]);
        self.write("npm packages", &npm, ONLINE).await
    }

    /// Makes the data that every instance is a copy of.
    async fn make(&self) -> Result<(), TaskError> {
        let data = self.to.join("data");
        fs::create_dir_all(&data).map_err(TaskError::io("make", &data))?;
        let make = &self.app.file.install.make;
        if make.is_empty() {
            return Ok(());
        }
        (self.progress)("its data");
        let (app, runtimes) = (self.to.clone(), self.runtimes.clone());
        let room = Room { app, data, runtimes, app_folder: AppFolder::Writable };
        let made = room.run(make, "", Deadline::after(STEP)).await.map(drop);
        made.map_err(|message| {
            failed(self.app, "make its data", message, "docs/apps.md says what a sandbox needs")
        })
    }
}

fn bytes_of(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(told) if told.is_dir() => bytes_of(&entry.path()),
        Ok(told) => told.len(),
        Err(_) => 0,
    };
    entries.flatten().map(of).sum()
}
