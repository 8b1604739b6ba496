//! The sandbox of a private display: a process namespace that all its programs share, and a file system that
//! holds the system's folders read-only, the display's own folders, and nothing else of this machine.
//!
//! Invariants: no process that can see the host's files lives in that namespace, so nothing in it can reach them
//! through `/proc`; the X server stays outside, so the processes that it names are the host's numbers; when the
//! first process of the namespace ends, the system ends all others, and it ends when waldo does.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;

use super::program::state_of;
pub(crate) use waldo_devices::system_view::tool;
use waldo_devices::system_view::{SYSTEM, system_folders};

/// Parts of a display's folder that programs may write to.
pub(crate) const WRITABLE: [&str; 3] = ["home", "run", "tmp"];

/// Parts that they only read.
const READABLE: [&str; 4] = ["Xauthority", "services", "bus.conf", "openbox.xml"];

/// What root may do there beyond other users: what files of others inside need, and terminals that give up rights.
const OF_ROOT: [&str; 5] = ["CAP_CHOWN", "CAP_FOWNER", "CAP_DAC_OVERRIDE", "CAP_SETUID", "CAP_SETGID"];

/// Starts the first process of the namespace: it tells its number, and that it runs.
const FIRST: &str = r#"exec "$@" 3>&1"#;

/// Starts a program in the namespaces of the process `$1`.
const ENTERS: &str = r#"exec 3<"/proc/$1/ns/pid"; shift; exec "$@""#;

/// The same for users other than root, who need a namespace of users as well.
const ENTERS_AS_USER: &str = r#"exec 3<"/proc/$1/ns/pid" 4<"/proc/$1/ns/user"; shift; exec "$@""#;

pub(crate) struct Sandbox {
    /// The first process, by the host's number.
    first: u32,
    space: PidSpace,
    folder: PathBuf,
    socket: PathBuf,
    /// The first process ends when this is closed.
    _open: ChildStdin,
}

impl Sandbox {
    /// The arguments of `sh` that make the first process. It tells on its standard output what [`first_process`]
    /// reads, and ends with its standard input.
    pub(crate) fn first() -> Vec<OsString> {
        let mut line: Vec<OsString> = ["-c", FIRST, "waldo-sandbox"].map(OsString::from).into();
        line.push(tool("bwrap").into());
        line.extend(["--info-fd", "3", "--unshare-pid", "--cap-drop", "ALL"].map(OsString::from));
        if !is_root() {
            line.extend(["--unshare-user", "--uid", "0", "--gid", "0"].map(OsString::from));
        }
        line.extend(system_folders());
        line.extend(
            ["--remount-ro", "/", "--", "sh", "-c", "echo; echo runs; read -r _"].map(OsString::from),
        );
        line
    }

    /// The sandbox whose first process is `first`, of the display in `folder` whose server listens at `socket`;
    /// `None` when that process is gone.
    pub(crate) fn of(first: u32, open: ChildStdin, folder: &Path, socket: &Path) -> Option<Self> {
        let (folder, socket) = (folder.to_owned(), socket.to_owned());
        Some(Self { first, space: PidSpace::of(first)?, folder, socket, _open: open })
    }

    /// The arguments of `setsid`, which starts `program` in here without a terminal; the program's own follow.
    pub(crate) fn line(&self, program: &Path) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec![tool("sh").into(), "-c".into()];
        line.push(if is_root() { ENTERS.into() } else { ENTERS_AS_USER.into() });
        line.push("waldo-sandbox".into());
        line.push(self.first.to_string().into());
        line.push(tool("bwrap").into());
        if !is_root() {
            line.extend(["--userns", "4"].map(OsString::from));
        }
        line.extend(["--pidns", "3", "--cap-drop", "ALL"].map(OsString::from));
        // Without it no user but its own root could be told to be somebody there.
        let kept = if is_root() { &OF_ROOT[..] } else { &["CAP_SETFCAP"] };
        line.extend(kept.iter().flat_map(|one| ["--cap-add", one]).map(OsString::from));
        line.extend(system_folders());
        let mut show = |how: &str, what: &Path, at: &Path| line.extend([how.into(), what.into(), at.into()]);
        let temp = self.folder.join("tmp");
        for at in ["/tmp", "/var/tmp"] {
            show("--bind", &temp, Path::new(at));
        }
        for part in WRITABLE {
            let part = self.folder.join(part);
            show("--bind", &part, &part);
        }
        for part in READABLE {
            let part = self.folder.join(part);
            show("--ro-bind-try", &part, &part);
        }
        show("--ro-bind", &self.socket, &self.socket);
        if program.is_absolute() && !self.shows(program) {
            show("--ro-bind", program, program);
        }
        line.extend(["--remount-ro", "/", "--"].map(OsString::from));
        if !is_root() {
            let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
            line.push(tool("unshare").into());
            line.push("--user".into());
            line.push(format!("--map-user={user}").into());
            line.push(format!("--map-group={group}").into());
            line.push("--".into());
        }
        line.push(program.into());
        line
    }

    /// Whether programs see what lies at `path`, once its links are followed; what does not exist is seen as such.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        let Ok(real) = fs::canonicalize(path) else { return true };
        let own = WRITABLE.iter().any(|part| real.starts_with(self.folder.join(part)));
        own || !real.starts_with(&self.folder) && SYSTEM.iter().any(|folder| real.starts_with(folder))
    }

    pub(crate) fn space(&self) -> &PidSpace {
        &self.space
    }
}

/// The host's number of the first process, from what it prints, line by line.
pub(crate) fn first_process(mut next: impl FnMut() -> Option<String>) -> Option<u32> {
    let mut first = None;
    loop {
        let line = next()?;
        if line == "runs" {
            return first;
        }
        if let Some((_, number)) = line.split_once("\"child-pid\":") {
            first = number.trim().trim_end_matches(',').parse().ok();
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PidSpace(PathBuf);

impl PidSpace {
    fn of(pid: u32) -> Option<Self> {
        fs::read_link(format!("/proc/{pid}/ns/pid")).ok().map(Self)
    }

    /// The living processes in it, by the host's numbers.
    pub(crate) fn members(&self) -> impl Iterator<Item = u32> {
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            .filter(|pid| Self::of(*pid).as_ref() == Some(self) && !is_dead(*pid))
    }

    /// The host's number of the process that has the number `inner` in it.
    pub(crate) fn outer(&self, inner: u32) -> Option<u32> {
        self.members().find(|pid| inner_number(*pid) == Some(inner))
    }
}

/// Whether it has ended, and its parent has not asked after it: the first process of a machine or container may take long.
fn is_dead(pid: u32) -> bool {
    state_of(pid).is_none_or(|state| matches!(state, 'Z' | 'X'))
}

/// The number of a process in the innermost namespace that it is in.
fn inner_number(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().next_back()?.parse().ok()
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::x11::process::wait_for_end;

    #[test]
    fn a_process_that_nobody_asked_after_is_dead() {
        let mut child = waldo_devices::child::bare("true").spawn().unwrap();
        wait_for_end(child.id(), Instant::now() + Duration::from_secs(10));
        assert!(is_dead(child.id()) && !is_dead(std::process::id()));
        child.wait().unwrap();
        assert!(is_dead(child.id()));
    }
}
