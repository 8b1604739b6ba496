//! Processes of a private desktop, found by a mark in their environment and ended with it.
//!
//! Invariants: whatever a program starts inherits the mark, so nothing that runs there escapes the end,
//! whether it left its process group or not; the folder and the X server's socket go too; an owner that
//! is killed is survived by a keeper, which does the same and then ends itself.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::mounts;
use super::sandbox::{Sandbox, first_process, tool};
use waldo_devices::child;
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;
use waldo_devices::private_dir::{DirKind, PrivateDir, abandoned};

/// The variable that marks every process of a desktop; its value is the desktop's folder.
pub(crate) const MARK: &str = "WALDO_DESKTOP";
/// The folder of a desktop.
const FOLDER: DirKind = DirKind { prefix: "waldo-desktop-", owner: "owner" };
/// How long the end may take before what is left is left to the keeper.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// Ends a display when its standard input ends: its owner is gone. The first line there names the folder, whose
/// mark all processes bear, the second the X server, which gets the time to remove its socket.
const KEEPER: &str = r#"
trap '' INT TERM HUP QUIT
read -r folder || exit
server=0
while read -r line; do server=$line; done
set -- "$folder" "$server"
inodes() {
  for e in /proc/[0-9]*/environ; do
    p=${e#/proc/}; p=${p%/environ}
    grep -qsaF "WALDO_DESKTOP=$1" "$e" && ls -l "/proc/$p/fd" 2>/dev/null
  done | sed -n 's/.*socket:\[\([0-9]*\)\]$/\1/p'
}
sockets=$(inodes "$1" | awk 'NR==FNR { i[$1]; next } $7 in i && index($8, "/tmp/OSL_PIPE_") == 1 { print $8 }' - /proc/net/unix)
left() {
  found=
  for e in /proc/[0-9]*/environ; do
    p=${e#/proc/}; p=${p%/environ}
    [ "$p" != "$3" ] && { grep -qsaF "WALDO_DESKTOP=$1" "$e" || grep -qsaF "=$1/" "/proc/$p/cmdline"; } && { kill -"$2" "$p" 2>/dev/null; found=1; }
  done
  [ -n "$found" ]
}
n=0; while left "$1" KILL "$2" && [ $n -lt 50 ]; do n=$((n+1)); done
n=0; while left "$1" TERM 0 && [ $n -lt 50 ]; do n=$((n+1)); sleep 0.02; done
left "$1" KILL 0
[ -n "$sockets" ] && rm -f $sockets
mounts() {
  while read -r _ _ _ _ at _; do
    at=$(printf %b "$at")
    case $at in "$1"/*) printf '%s\n' "$at" ;; esac
  done </proc/self/mountinfo
}
mounts "$1" | while IFS= read -r at; do
  umount -l "$at" || fusermount3 -u -z "$at" || fusermount -u -z "$at"
done 2>/dev/null
# What is still mounted there must not go with it.
n=0; while [ -z "$(mounts "$1")" ] && [ -e "$1" ] && ! rm -rf "$1" && [ $n -lt 50 ]; do n=$((n+1)); left "$1" KILL 0; sleep 0.02; done
"#;

/// How the path of LibreOffice's socket begins: it goes there whatever TMPDIR says, and stays when its program
/// is killed.
const OFFICE_SOCKET: &str = "/tmp/OSL_PIPE_";

pub(crate) fn io(what: &str) -> impl FnOnce(std::io::Error) -> DeviceError + use<> {
    let what = what.to_owned();
    move |source| DeviceError::Io { what, source }
}

/// A folder, what runs in it, and who sees to their end. Dropping it ends all.
pub(crate) struct ProcessHome {
    folder: PrivateDir,
    keeper: Option<(Child, ChildStdin)>,
    server: Option<Child>,
    socket: Option<PathBuf>,
    sandbox: Option<Sandbox>,
    children: Vec<Child>,
}

/// A process that was started, with its pipes.
pub(crate) struct Started {
    pub(crate) pid: u32,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) out: Option<ChildStdout>,
}

impl ProcessHome {
    pub(crate) fn new() -> Result<Self, DeviceError> {
        Self::new_in(&std::env::temp_dir())
    }

    fn new_in(temp: &Path) -> Result<Self, DeviceError> {
        sweep(temp);
        // It watches before there is anything to leave behind.
        let mut keeper = child::bare("sh");
        keeper
            .args(["-c", KEEPER, "waldo-keeper"])
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let mut keeper = start(&mut keeper)?;
        let pipe = keeper.stdin.take();
        let folder = PrivateDir::make(temp, FOLDER).map_err(io("the desktop's folder"))?;
        let mut house = Self {
            folder,
            keeper: pipe.map(|pipe| (keeper, pipe)),
            server: None,
            socket: None,
            sandbox: None,
            children: Vec::new(),
        };
        let folder = house.folder().as_os_str().as_encoded_bytes().to_owned();
        house.tell_keeper(&folder)?;
        Ok(house)
    }

    fn tell_keeper(&mut self, line: &[u8]) -> Result<(), DeviceError> {
        let Some((_, pipe)) = &mut self.keeper else { return Ok(()) };
        pipe.write_all(&[line, b"\n"].concat()).map_err(io("the display's keeper"))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A folder in it, for its owner only.
    pub(crate) fn make(&self, name: &str) -> Result<PathBuf, DeviceError> {
        let path = self.folder().join(name);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(io("a folder of the desktop"))?;
        Ok(path)
    }

    /// A file for what a program prints.
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

    /// The sandbox, where there is one.
    pub(crate) fn sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_ref()
    }

    /// Starts a command that lives in the house.
    pub(crate) fn spawn(&mut self, command: &mut Command) -> Result<u32, DeviceError> {
        self.spawn_piped(command).map(|started| started.pid)
    }

    /// As [`Self::spawn`]; also gives its standard input and output where they are pipes.
    pub(crate) fn spawn_piped(&mut self, command: &mut Command) -> Result<Started, DeviceError> {
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

    /// Whether a process that was started here still runs.
    pub(crate) fn runs(&mut self, pid: u32) -> bool {
        self.children.iter_mut().any(|child| child.id() == pid && matches!(child.try_wait(), Ok(None)))
    }

    /// Takes note of those that ended, but for what [`Self::ended`] is still asked of.
    fn reap(&mut self) {
        self.children.retain_mut(|child| !matches!(child.try_wait(), Ok(Some(_))));
    }

    /// Takes in the X server.
    pub(crate) fn keep(&mut self, server: Child, socket: PathBuf) -> Result<(), DeviceError> {
        let pid = server.id();
        self.server = Some(server);
        self.socket = Some(socket);
        self.tell_keeper(pid.to_string().as_bytes())
    }

    /// The X server's process.
    pub(crate) fn server_pid(&self) -> Option<u32> {
        self.server.as_ref().map(Child::id)
    }

    /// Processes of the house but the X server.
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
            for child in &mut self.children {
                let _ = child.try_wait();
            }
            if left.is_empty() || Instant::now() > end {
                break;
            }
            std::thread::yield_now();
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
        if let Some((mut keeper, pipe)) = self.keeper.take() {
            signal_group(keeper.id(), Signal::KILL);
            let _ = keeper.wait();
            drop(pipe);
        }
    }
}

impl Drop for ProcessHome {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts a command, with what helps when its program is missing.
pub(crate) fn start(command: &mut Command) -> Result<Child, DeviceError> {
    command.spawn().map_err(|error| {
        let what = command.get_program().to_string_lossy().into_owned();
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!(
                    "install it; a private desktop needs Xvfb, openbox, dbus-daemon and at-spi2-core (and {what})"
                )
            }
            _ => "check that it can be run".to_owned(),
        };
        DeviceError::Start { what, message: error.to_string(), hint }
    })
}

/// Waits until a child is gone, without taking more than a moment's time of the processor.
pub(crate) fn gone_by(child: &mut Child, end: Instant) -> bool {
    // A process's own descriptor becomes readable when it ends.
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let watched =
        pid.and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok());
    if let Some(watched) = watched {
        let mut fds = [PollFd::new(&watched, PollFlags::IN)];
        let _ = rustix::event::poll(&mut fds, Some(&timespec(end.saturating_duration_since(Instant::now()))));
    }
    matches!(child.try_wait(), Ok(Some(_)))
}

fn timespec(left: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(left.subsec_nanos()),
    }
}

/// The first line that a program prints; `None` when it ends or the time is up before.
pub(crate) fn first_line(out: &mut ChildStdout, deadline: Deadline) -> Option<String> {
    let mut line = Vec::new();
    loop {
        let mut fds = [PollFd::new(&*out, PollFlags::IN)];
        match rustix::event::poll(&mut fds, Some(&timespec(deadline.left()))) {
            Ok(0) => return None,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
        if deadline.passed() {
            return None;
        }
        let mut byte = [0];
        match out.read(&mut byte) {
            Ok(0) | Err(_) => return None,
            Ok(_) if byte[0] == b'\n' => return String::from_utf8(line).ok(),
            Ok(_) => line.push(byte[0]),
        }
    }
}

/// Sends a signal to a process.
pub(crate) fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Sends a signal to a process group.
pub(crate) fn signal_group(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, signal);
    }
}

/// Living processes whose environment bears the mark of `folder`, or that were told to keep something in it:
/// a browser writes its title over its environment, but its profile stands in its arguments.
fn marked(folder: &Path) -> Vec<u32> {
    let mut mark = format!("{MARK}={}", folder.display()).into_bytes();
    mark.push(0);
    let told = format!("={}/", folder.display()).into_bytes();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            // A dead one that nobody has asked after has no environment left.
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let has = |text: &[u8], wanted: &[u8]| text.windows(wanted.len()).any(|part| part == wanted);
            has(&environ, &mark) || has(&fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default(), &told)
        })
        .collect()
}

/// The sockets of LibreOffice that these processes hold.
fn office_sockets(pids: &[u32]) -> Vec<PathBuf> {
    let Ok(table) = fs::read_to_string("/proc/net/unix") else { return Vec::new() };
    let sockets: Vec<(&str, &str)> = table
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace().skip(6);
            Some((words.next()?, words.next().filter(|path| path.starts_with(OFFICE_SOCKET))?))
        })
        .collect();
    if sockets.is_empty() {
        return Vec::new();
    }
    let held: Vec<PathBuf> = pids
        .iter()
        .filter_map(|pid| fs::read_dir(format!("/proc/{pid}/fd")).ok())
        .flat_map(|fds| fds.flatten().filter_map(|fd| fs::read_link(fd.path()).ok()))
        .collect();
    let is_held = |inode: &str| held.contains(&PathBuf::from(format!("socket:[{inode}]")));
    sockets.into_iter().filter(|(inode, _)| is_held(inode)).map(|(_, path)| path.into()).collect()
}

/// Removes a display's folder, but nothing that is mounted in it. Dying programs may still write for a moment.
fn remove(folder: &Path, end: Instant) {
    while folder.exists() && (!mounts::clear(folder) || fs::remove_dir_all(folder).is_err()) {
        if Instant::now() > end {
            tracing::warn!("the folder {} cannot be removed", folder.display());
            return;
        }
        std::thread::yield_now();
    }
}

/// Ends and removes what an owner left behind that was killed together with its keeper.
fn sweep(temp: &Path) {
    for left in abandoned(temp, FOLDER) {
        let members = marked(&left.path);
        let sockets = office_sockets(&members);
        for pid in members {
            signal(pid, Signal::TERM);
            signal(pid, Signal::KILL);
        }
        for socket in sockets {
            let _ = fs::remove_file(socket);
        }
        remove(&left.path, Instant::now() + ENDS_WITHIN);
        tracing::debug!(path = %left.path.display(), "a desktop was left behind");
    }
}

/// A part of a display that is installed did not come up this time: the next time it may.
pub(crate) fn broken(part: &str, why: String) -> DeviceError {
    DeviceError::Gone { reason: format!("a private display's {part} did not start: {why}") }
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

    #[test]
    fn the_offices_socket_goes_with_what_holds_it() {
        let path = format!("{OFFICE_SOCKET}waldo_test_{}", std::process::id());
        let other = format!("{OFFICE_SOCKET}waldo_other_{}", std::process::id());
        let held = std::os::unix::net::UnixListener::bind(&path).unwrap();
        drop(std::os::unix::net::UnixListener::bind(&other).unwrap());
        assert_eq!(office_sockets(&[std::process::id()]), [PathBuf::from(&path)]);
        assert!(office_sockets(&[]).is_empty());
        drop(held);
        fs::remove_file(path).unwrap();
        fs::remove_file(other).unwrap();
    }
}
