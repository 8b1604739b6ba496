//! The directories a phone comes with, and the modes new nodes get there.

use super::{Inode, Kind, Vfs};
use crate::lists;

/// Group of shared storage.
const MEDIA_RW: u32 = 1023;
/// The media provider's uid on a fresh phone (`u0_a171`).
const MEDIA_UID: u32 = 10171;
const SHELL: u32 = 2000;

const SHARED: &str = "/storage/emulated/0";

const MEMORY: &str = include_str!("../../assets/texts/meminfo.txt");

/// Is the path on shared storage, where modes and owners are the file system's own affair?
pub(super) fn is_shared(path: &str) -> bool {
    path == SHARED || path.starts_with("/storage/emulated/0/")
}

/// A new node with the owner and mode that belong to the place.
pub(super) fn new_node(path: &str, kind: Kind, now: i64) -> Inode {
    let is_dir = kind == Kind::Dir;
    let (mode, uid, gid) = match &kind {
        Kind::Link(_) => (0o777, 0, 0),
        _ if is_shared(path) => (if is_dir { 0o2770 } else { 0o660 }, MEDIA_UID, MEDIA_RW),
        _ if path.starts_with("/data/local/tmp") => (if is_dir { 0o777 } else { 0o666 }, SHELL, SHELL),
        _ => (if is_dir { 0o755 } else { 0o644 }, 0, 0),
    };
    Inode { kind, mode, uid, gid, mtime: now }
}

/// Lays the directories, links and the few files of the system image.
pub(super) fn lay(vfs: &mut Vfs) {
    let mut put = |path: &str, kind: Kind, mode: u32, uid: u32, gid: u32| {
        let node = Inode { kind, mode, uid, gid, mtime: 0 };
        vfs.used += if matches!(node.kind, Kind::File(_)) { node.size() } else { 0 };
        vfs.nodes.insert(path.to_owned(), node);
    };
    for (list, kind) in [("directories", Kind::Dir), ("devices", Kind::Device)] {
        for [path, mode, uid, gid] in lists::of_phone(list) {
            let number = |text: &str| text.parse().unwrap_or(0);
            let mode = u32::from_str_radix(mode, 8).unwrap_or(0);
            put(path, kind.clone(), mode, number(uid), number(gid));
        }
    }
    for [path, to] in lists::of_phone("links") {
        put(path, Kind::Link(to.to_owned()), 0o644, 0, 0);
    }
    let version = b"Linux version 6.1.75-android14-11 (build@sim) (clang) #1 SMP PREEMPT\n".to_vec();
    let cpus = (0..8).map(|n| format!("processor\t: {n}\nBogoMIPS\t: 38.40\nCPU implementer\t: 0x41\n\n"));
    let rows = std::iter::once("cpu".to_owned()).chain((0..8).map(|n| format!("cpu{n}")));
    let stat = rows.map(|name| format!("{name}  3357 0 4313 1362393 1024 0 210 0 0 0\n"));
    for (path, text) in [
        ("/proc/version", version),
        ("/proc/cpuinfo", cpus.collect::<String>().into_bytes()),
        ("/proc/stat", stat.collect::<String>().into_bytes()),
        ("/proc/meminfo", MEMORY.as_bytes().to_vec()),
    ] {
        put(path, Kind::File(text.into()), 0o444, 0, 0);
    }
}
