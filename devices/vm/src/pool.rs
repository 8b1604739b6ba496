//! The machines of a run: one is started and kept as it then is, all others begin as copies of it.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use waldo_devices::private_dir::{DirKind, ScratchDir};
use waldo_devices::{Deadline, DeviceError, Result, child};

use super::command_line::OVERLAY;
use super::image::{chain, need_programs, overlay, settled, start_error};
use super::machine::{Hands, Machine};
use super::ready::ready;
use super::settings::{Acceleration, VmOptions};

const FOLDER: DirKind = DirKind { prefix: "waldo-vm-", owner: "owner" };
/// How long a snapshot may take, beside the start.
const SAVES_WITHIN: Duration = Duration::from_secs(300);
/// Removes the folder `$1` once its owner has let go of the standard input, however that ended.
const KEEPER: &str = r#"cat >/dev/null; rm -rf "$1" || rm -rf "$1""#;

/// Machines of one image. Dropping it ends those that nobody has.
#[derive(Debug)]
pub struct VmPool {
    pub options: VmOptions,
    pub acceleration: Acceleration,
    files: Vec<PathBuf>,
    pub hands: Hands,
    /// How long it took until the first machine was kept.
    pub took: Duration,
    free: Mutex<Vec<Machine>>,
    next: AtomicU32,
    folder: ScratchDir,
    /// Ends last.
    _keeper: Keeper,
}

impl VmPool {
    /// Starts the first machine, waits until it is ready, and keeps it as it is.
    ///
    /// # Errors
    /// [`DeviceError::Start`] with what to do about it.
    pub async fn start(options: VmOptions) -> Result<Arc<Self>> {
        need_programs()?;
        let began = Instant::now();
        let deadline = Deadline::after(options.settings.boot);
        let acceleration = settled(options.settings.acceleration)?;
        let image = std::fs::canonicalize(&options.image).unwrap_or_else(|_| options.image.clone());
        let files = chain(&image, deadline).await?;
        let io = |error: std::io::Error| {
            start_error(error.to_string(), "check that the temporary folder (TMPDIR) can be written")
        };
        let folder = ScratchDir::make(&std::env::temp_dir(), FOLDER).map_err(io)?;
        let keeper = Keeper::start(folder.path()).map_err(io)?;
        let first = folder.path().join("0");
        std::fs::create_dir(&first).map_err(io)?;
        overlay(&image, &first.join(OVERLAY), deadline).await?;
        let machine = Machine::start(&options, acceleration, &first, &files).await?;
        machine.go_on(deadline).await?;
        let hands = ready(&machine, options.settings.wanted, deadline).await?;
        tracing::info!(?hands, seconds = began.elapsed().as_secs(), "the virtual machine is ready");
        let saved = Deadline::after(SAVES_WITHIN);
        machine.save(saved).await?;
        // What is copied is nobody's to write.
        let kept = folder.path().join(OVERLAY);
        std::fs::hard_link(first.join(OVERLAY), &kept).map_err(io)?;
        machine.quit(saved).await?;
        let (free, next) = (Mutex::default(), AtomicU32::new(1));
        let took = began.elapsed();
        Ok(Arc::new(Self { options, acceleration, files, hands, took, free, next, folder, _keeper: keeper }))
    }

    /// A machine, whoever had it before; a new one where none is free. What it holds is decided by [`Lease::fresh`].
    ///
    /// # Errors
    /// Where none can be started.
    pub async fn lend(self: &Arc<Self>) -> Result<Lease> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let machine = match free {
            Some(machine) if machine.lives().is_ok() => machine,
            _ => self.another().await?,
        };
        Ok(Lease { machine: Some(machine), pool: self.clone(), spoiled: false })
    }

    async fn another(&self) -> Result<Machine> {
        let folder = self.folder.path().join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        let (kept, copy) = (self.folder.path().join(OVERLAY), folder.clone());
        let copied = tokio::task::spawn_blocking(move || {
            std::fs::create_dir(&copy)?;
            std::fs::copy(kept, copy.join(OVERLAY))
        });
        copied.await?.map_err(|source| DeviceError::Io {
            what: "the copy of a virtual machine's disk: make room in the temporary folder (TMPDIR)"
                .to_owned(),
            source,
        })?;
        Machine::start(&self.options, self.acceleration, &folder, &self.files).await
    }
}

/// A machine that was lent; given back when it is dropped, unless something is wrong with it.
#[derive(Debug)]
pub struct Lease {
    machine: Option<Machine>,
    pool: Arc<VmPool>,
    spoiled: bool,
}

impl Lease {
    /// The machine; nothing where it was lost and none came in its place.
    ///
    /// # Errors
    /// [`DeviceError::Gone`].
    pub fn machine(&self) -> Result<&Machine> {
        let gone = || DeviceError::Gone { reason: "the virtual machine is gone".to_owned() };
        self.machine.as_ref().ok_or_else(gone)
    }

    /// Never lends this machine again.
    pub(crate) fn spoil(&mut self) {
        self.spoiled = true;
    }

    /// Brings the machine to the state that was kept.
    ///
    /// # Errors
    /// Where that fails; the machine is not lent again then.
    pub async fn fresh(&mut self, deadline: Deadline) -> Result<()> {
        let restored = self.machine()?.restore(deadline).await;
        self.spoiled |= restored.is_err();
        restored
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(machine) = self.machine.take() else { return };
        if !self.spoiled && machine.lives().is_ok() {
            self.pool.free.lock().unwrap_or_else(PoisonError::into_inner).push(machine);
        }
    }
}

/// Removes the folder after an owner that was killed.
#[derive(Debug)]
struct Keeper(Child);

impl Keeper {
    fn start(folder: &Path) -> std::io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        let mut shell = child::bare("/bin/sh");
        shell.args(["-c", KEEPER, "waldo-vm-keeper"]).arg(folder).env("PATH", "/usr/bin:/bin");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        shell.spawn().map(Self)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
