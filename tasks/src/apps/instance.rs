//! An instance of an application: a copy of its data, its sandbox, and who sees to their end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use waldo_devices::door::DOOR_ARG;
use waldo_devices::private_dir::{DirKind, ScratchDir, in_memory};
use waldo_devices::{Deadline, child, foreign};

use super::room::{AppFolder, Room, last_lines};
use super::{Apps, failed, keeps};
use crate::TaskError;
use crate::error::Result;
use crate::state::Store;
use crate::suite::{AppDef, Seed};

const FOLDER: DirKind = DirKind { prefix: "waldo-app-", owner: "owner" };
/// The most bytes of what an application printed that are looked at.
const LOG_BYTES: u64 = 64 << 20;
/// Between two looks whether it is ready.
const LOOK: Duration = Duration::from_millis(40);
/// How long one answer of a ready page may take.
const ANSWER: Duration = Duration::from_secs(10);
/// How long the end may take before what is left is left to the keeper.
const ENDS_WITHIN: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// Runs the sandbox `$@` and says when it has ended; its folder `$1` goes once its owner has let go of the standard input,
/// however that ended.
const KEEPER: &str = r#"folder=$1; shift; "$@"; : >"$folder/ended"; cat >/dev/null; rm -rf "$folder""#;

/// An instance that runs. Dropping it ends it.
#[derive(Debug)]
pub struct AppInstance {
    app: Arc<AppDef>,
    room: Room,
    keeper: Child,
    folder: ScratchDir,
}

impl AppInstance {
    /// Starts an instance with `seeds` in its data, and waits until it is ready.
    ///
    /// # Errors
    /// With the step that failed.
    pub async fn start(apps: &Apps, app: &Arc<AppDef>, seeds: &[Seed], deadline: Deadline) -> Result<Self> {
        let installed = apps.need(app)?;
        let again = || format!("`waldo apps doctor {}` tries it out", app.name);
        let disk = |error: io::Error| {
            failed(app, "copy the data", error.to_string(), "make room in memory or on the disk")
        };
        let folder = ScratchDir::make(&in_memory(), FOLDER).map_err(disk)?;
        let data = folder.path().join("data");
        copy(&installed.folder.join("data"), &data).map_err(disk)?;
        let door = folder.path().join("door");
        fs::create_dir(&door).map_err(disk)?;
        let runtimes = installed.runtimes.clone();
        let room = Room { app: installed.folder, data, runtimes, app_folder: AppFolder::ReadOnly };
        for seed in seeds {
            let sown = match seed {
                Seed::Sqlite { database, statements } => {
                    keeps::apply(&room, database, statements, deadline).await
                }
                Seed::Files { folder, files } => {
                    lay(&room.data.join(folder), files).map_err(|error| error.to_string())
                }
            };
            sown.map_err(|message| failed(app, "seed the data", message, again()))?;
        }
        let keeper = spawn(app, &room, folder.path(), &door).map_err(disk)?;
        let instance = Self { app: app.clone(), room, keeper, folder };
        instance.await_ready(deadline).await?;
        Ok(instance)
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("door/socket")
    }

    /// What it keeps: stores by name.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn stores(&self, deadline: Deadline) -> Result<BTreeMap<String, Store>> {
        keeps::read(&self.app, &self.room, deadline).await
    }

    /// Whether it still runs.
    ///
    /// # Errors
    /// When it does not, with the last that it said.
    pub async fn health(&self) -> Result<()> {
        match UnixStream::connect(self.socket()).await {
            Ok(_) => Ok(()),
            Err(_) => Err(self.ended("run", "it ended in the middle of the episode")),
        }
    }

    /// Whether it answers.
    ///
    /// # Errors
    /// When it does not within ten seconds, with the last that it said.
    pub async fn responds(&self) -> Result<()> {
        match tokio::time::timeout(ANSWER, self.answers()).await {
            Ok(Ok(true)) => Ok(()),
            _ => Err(self.ended("run", "it gave no answer at the end of the episode")),
        }
    }

    fn ended(&self, step: &str, why: &str) -> TaskError {
        let log = self.folder.path().join("log");
        let said = last_lines(&foreign::read(self.folder.path(), &log, LOG_BYTES).unwrap_or_default());
        let message = if said.is_empty() { why.to_owned() } else { format!("{why}: {said}") };
        failed(&self.app, step, message, format!("`waldo apps doctor {}` tries it out", self.app.name))
    }

    async fn await_ready(&self, deadline: Deadline) -> Result<()> {
        let mut round = tokio::time::interval(LOOK);
        loop {
            round.tick().await;
            if matches!(tokio::time::timeout(ANSWER, self.answers()).await, Ok(Ok(true))) {
                return Ok(());
            }
            if self.folder.path().join("ended").exists() {
                return Err(self.ended("start", "it did not come up"));
            }
            if deadline.passed() {
                return Err(self.ended("start", "it was not ready in time"));
            }
        }
    }

    /// Whether the page that tells that it is ready is served.
    async fn answers(&self) -> io::Result<bool> {
        let mut stream = UnixStream::connect(self.socket()).await?;
        let ask = format!("GET {} HTTP/1.0\r\nHost: localhost\r\n\r\n", self.app.file.start.ready);
        stream.write_all(ask.as_bytes()).await?;
        let mut head = [0; 10];
        stream.read_exact(&mut head).await?;
        Ok(head.starts_with(b"HTTP/1.") && matches!(head[9], b'2' | b'3'))
    }
}

impl Drop for AppInstance {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        if let Some(alive) = self.keeper.stdout.take() {
            // Whatever runs in the sandbox holds the other end.
            let _ = rustix::event::poll(&mut [PollFd::new(&alive, PollFlags::IN)], Some(&ENDS_WITHIN));
        }
        // Its folder is removed here, too, should the keeper not come to it; the process is gone or about to go.
        let _ = self.keeper.try_wait();
    }
}

/// Starts the sandbox behind its keeper.
fn spawn(app: &AppDef, room: &Room, folder: &Path, door: &Path) -> io::Result<Child> {
    let own = std::env::current_exe()?;
    let more = [
        OsString::from("--bind"),
        door.into(),
        "/door".into(),
        "--ro-bind".into(),
        own.into_os_string(),
        "/waldo".into(),
    ];
    let start = &app.file.start;
    let mut run = ["/waldo", DOOR_ARG, "/door/socket", &start.port.to_string(), "--", "env"]
        .map(str::to_owned)
        .to_vec();
    run.extend(start.env.iter().map(|(name, value)| format!("{name}={value}")));
    run.extend(start.run.iter().cloned());
    let log = File::create(folder.join("log"))?;
    let mut keeper = child::bare("/bin/sh");
    keeper.args(["-c", KEEPER, "waldo-app-keeper"]).arg(folder).args(room.line(&more, &run));
    keeper.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).process_group(0).spawn()
}

/// Writes texts by their paths below a folder.
fn lay(folder: &Path, files: &BTreeMap<String, String>) -> io::Result<()> {
    for (path, text) in files {
        if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::other(format!("'{path}' is not below its folder")));
        }
        let path = folder.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, text)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (entry, to) = (entry?, to.to_owned());
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
