//! Processes of a private desktop, found by a mark in their environment and ended with it.
//!
//! Invariants: whatever a program starts inherits the mark, so nothing that runs there escapes the end,
//! whether it left its process group or not; the folder and the X server's socket go too; an owner that
//! is killed is survived by a keeper, which does the same and then ends itself.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::keeper::Keeper;
use super::leftovers::{ENDS_WITHIN, FOLDER, KEEPER, MARK, marked, office_sockets, remove, sweep};
use super::process::{first_line, gone_by, io, signal, signal_group, start, wait_for_end};
use super::sandbox::{Sandbox, first_process, tool};
use waldo_devices::private_dir::PrivateDir;
use waldo_devices::{Deadline, Result, child};

/// A folder, what runs in it, and who sees to their end. Dropping it ends all.
pub(crate) struct ProcessHome {
    folder: PrivateDir,
    keeper: Option<Keeper>,
    server: Option<Child>,
    socket: Option<PathBuf>,
    sandbox: Option<Sandbox>,
    children: Vec<Child>,
}

pub(crate) struct Started {
    pub(crate) pid: u32,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) out: Option<ChildStdout>,
}

impl ProcessHome {
    pub(crate) fn new() -> Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    fn new_in(temp: &Path) -> Result<Self> {
        sweep(temp);
        // It watches before there is anything to leave behind.
        let keeper = Keeper::start(KEEPER, "waldo-keeper", None)?;
        let folder = PrivateDir::make(temp, FOLDER).map_err(io("the desktop's folder"))?;
        let mut house = Self {
            folder,
            keeper: Some(keeper),
            server: None,
            socket: None,
            sandbox: None,
            children: Vec::new(),
        };
        let folder = house.folder().as_os_str().as_encoded_bytes().to_owned();
        house.tell_keeper(&folder)?;
        Ok(house)
    }

    fn tell_keeper(&mut self, line: &[u8]) -> Result<()> {
        self.keeper.as_mut().map_or(Ok(()), |keeper| keeper.tell(line)).map_err(io("the display's keeper"))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn make(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder().join(name);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(io("a folder of the desktop"))?;
        Ok(path)
    }

    fn log(&self, name: &str) -> Stdio {
        let log = self.make("log").ok().and_then(|folder| {
            // Programs of the display may have put something else there.
            let safe = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).ok()?;
            let mut log = OpenOptions::new();
            log.create(true).append(true).custom_flags(safe).open(folder.join(format!("{name}.log"))).ok()
        });
        log.map_or_else(Stdio::null, Stdio::from)
    }

    /// The last that `name` printed, for a message.
    pub(crate) fn output_tail(&self, name: &str) -> String {
        let said = fs::read(self.folder().join("log").join(format!("{name}.log"))).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(3)..].join("; ").chars().take(400).collect()
    }

    /// A command that bears the mark, in a process group of its own, with no other environment.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, log: &str) -> Command {
        let mut command = self.bare(program, log);
        command.process_group(0);
        command
    }

    fn bare(&self, program: impl AsRef<OsStr>, log: &str) -> Command {
        let mut command = child::bare(program);
        command
            .env(MARK, self.folder())
            .env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()))
            .stdin(Stdio::null())
            .stdout(self.log(log))
            .stderr(self.log(log));
        command
    }

    /// The same for what belongs to the episode: in the sandbox, where there is one.
    pub(crate) fn inside(&self, program: &Path, log: &str) -> Command {
        let Some(sandbox) = &self.sandbox else { return self.command(program, log) };
        // It leads the group by itself, and has no terminal.
        let mut command = self.bare(tool("setsid"), log);
        command.args(sandbox.line(program));
        command
    }

    /// Makes the sandbox; what is started from now on by [`Self::inside`] lives in it.
    pub(crate) fn enclose(&mut self, socket: &Path, deadline: Deadline) -> Result<(), String> {
        let mut command = self.command(tool("sh"), "sandbox");
        command.args(Sandbox::first()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Started { input, out, .. } = self.spawn_piped(&mut command).map_err(|error| error.to_string())?;
        let first = out.and_then(|mut out| first_process(|| first_line(&mut out, deadline)));
        let made = first.zip(input).and_then(|(first, open)| Sandbox::of(first, open, self.folder(), socket));
        let Some(sandbox) = made else {
            let said = self.output_tail("sandbox");
            return Err(if said.is_empty() { "bwrap did not start".to_owned() } else { said });
        };
        self.sandbox = Some(sandbox);
        Ok(())
    }

    pub(crate) fn sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_ref()
    }

    pub(crate) fn spawn(&mut self, command: &mut Command) -> Result<u32> {
        self.spawn_piped(command).map(|started| started.pid)
    }

    /// As [`Self::spawn`]; also gives its standard input and output where they are pipes.
    pub(crate) fn spawn_piped(&mut self, command: &mut Command) -> Result<Started> {
        self.reap();
        let mut child = start(command)?;
        let started = Started { pid: child.id(), input: child.stdin.take(), out: child.stdout.take() };
        self.children.push(child);
        Ok(started)
    }

    /// How a process that was started ended; `None` while it runs or when it is unknown.
    pub(crate) fn ended(&mut self, pid: u32) -> Option<std::process::ExitStatus> {
        self.children.iter_mut().find(|child| child.id() == pid)?.try_wait().ok().flatten()
    }

    pub(crate) fn runs(&mut self, pid: u32) -> bool {
        self.children.iter_mut().any(|child| child.id() == pid && matches!(child.try_wait(), Ok(None)))
    }

    /// Takes note of those that ended, but for what [`Self::ended`] is still asked of.
    fn reap(&mut self) {
        self.children.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
    }

    pub(crate) fn keep(&mut self, server: Child, socket: PathBuf) -> Result<()> {
        let pid = server.id();
        self.server = Some(server);
        self.socket = Some(socket);
        self.tell_keeper(pid.to_string().as_bytes())
    }

    pub(crate) fn server_pid(&self) -> Option<u32> {
        self.server.as_ref().map(Child::id)
    }

    pub(crate) fn members(&self) -> Vec<u32> {
        let server = self.server_pid();
        let mut all = marked(self.folder());
        if let Some(sandbox) = &self.sandbox {
            // What hides its environment is in there all the same.
            all.extend(sandbox.space().members());
            all.sort_unstable();
            all.dedup();
        }
        all.retain(|pid| Some(*pid) != server);
        all
    }

    fn end(&mut self) {
        let end = Instant::now() + ENDS_WITHIN;
        let sockets = office_sockets(&self.members());
        for child in &self.children {
            signal_group(child.id(), Signal::KILL);
        }
        // What is killed may have started another meanwhile.
        loop {
            let left = self.members();
            for pid in &left {
                signal(*pid, Signal::KILL);
            }
            for pid in &left {
                wait_for_end(*pid, end);
            }
            for child in &mut self.children {
                let _ = child.try_wait();
            }
            if left.is_empty() || Instant::now() > end {
                break;
            }
        }
        for mut child in std::mem::take(&mut self.children) {
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(mut server) = self.server.take() {
            // It removes its socket when it is asked to go.
            signal(server.id(), Signal::TERM);
            if !gone_by(&mut server, (Instant::now() + Duration::from_millis(800)).min(end)) {
                let _ = server.kill();
            }
            let _ = server.wait();
        }
        // A server that was killed leaves it behind; another's answers.
        if let Some(socket) = self.socket.take()
            && UnixStream::connect(&socket).is_err()
        {
            let _ = fs::remove_file(&socket);
        }
        for socket in sockets {
            let _ = fs::remove_file(socket);
        }
        remove(self.folder(), end);
        drop(self.keeper.take());
    }
}

impl Drop for ProcessHome {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_its_group_ends_with_the_house() {
        let mut house = ProcessHome::new().unwrap();
        let folder = house.folder().to_owned();
        let mut command = house.command("sh", "t");
        // The last has nothing of its environment left.
        let hides = "mkfifo $WALDO_DESKTOP/f; env -i setsid dd if=$WALDO_DESKTOP/f & setsid sleep 300 & wait";
        command.args(["-c", hides]);
        house.spawn(&mut command).unwrap();
        let end = Instant::now() + Duration::from_secs(5);
        // One that is just being loaded shows nothing of itself for a moment.
        let mut most = 0;
        while most < 3 && Instant::now() < end {
            most = house.members().len();
            std::thread::yield_now();
        }
        assert_eq!(most, 3);
        drop(house);
        assert!(marked(&folder).is_empty());
        assert!(!folder.exists());
    }

    #[test]
    fn a_house_that_is_being_made_is_not_swept_away() {
        let temp = tempfile::tempdir().unwrap();
        let (temp, done) = (temp.path(), std::sync::atomic::AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        sweep(temp);
                    }
                });
            }
            let made = (0..300).map(|_| ProcessHome::new_in(temp).is_ok_and(|house| house.folder().is_dir()));
            let lost = made.filter(|lives| !lives).count();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(lost, 0);
        });
    }
}
