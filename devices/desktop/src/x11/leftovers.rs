//! What belongs to a private desktop, found by its mark and its folder, and ended or removed: by its owner, by its keeper,
//! and by the next owner where both were killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memchr::memmem;
use rustix::process::Signal;

use super::mounts;
use super::process::signal;
use waldo_devices::private_dir::{DirKind, abandoned};

/// The variable that marks every process of a desktop; its value is the desktop's folder.
pub(super) const MARK: &str = "WALDO_DESKTOP";
pub(super) const FOLDER: DirKind = DirKind { prefix: "waldo-desktop-", owner: "owner" };
/// How long the end may take before what is left is left to the keeper.
pub(super) const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// Ends a display when its standard input ends: its owner is gone. The first line there names the folder, whose
/// mark all processes bear, the second the X server, which gets the time to remove its socket.
pub(super) const KEEPER: &str = include_str!("keeper.sh");

/// The beginning of LibreOffice's socket's path: it ignores TMPDIR, and stays when its program is killed.
const OFFICE_SOCKET: &str = "/tmp/OSL_PIPE_";

/// Living processes whose environment bears the mark of `folder`, or that were told to keep something in it:
/// a browser writes its title over its environment, but its profile stands in its arguments.
pub(super) fn marked(folder: &Path) -> Vec<u32> {
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
            let has = |text: &[u8], wanted: &[u8]| memmem::find(text, wanted).is_some();
            has(&environ, &mark) || has(&fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default(), &told)
        })
        .collect()
}

pub(super) fn office_sockets(pids: &[u32]) -> Vec<PathBuf> {
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
pub(super) fn remove(folder: &Path, end: Instant) {
    while folder.exists() && (!mounts::clear(folder) || fs::remove_dir_all(folder).is_err()) {
        if Instant::now() > end {
            tracing::warn!("the folder {} cannot be removed", folder.display());
            return;
        }
        std::thread::yield_now();
    }
}

/// Ends and removes what an owner left behind that was killed together with its keeper.
pub(super) fn sweep(temp: &Path) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
