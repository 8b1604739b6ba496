//! The directories a phone comes with, and the modes new nodes get there.

use super::{Kind, Node, Vfs};

/// Group of shared storage.
const MEDIA_RW: u32 = 1023;
/// The media provider's uid on a fresh phone (`u0_a171`).
const MEDIA_UID: u32 = 10171;
const SHELL: u32 = 2000;
const SYSTEM: u32 = 1000;

const SHARED: &str = "/storage/emulated/0";

const MEMORY: &str = "MemTotal:        5833284 kB
MemFree:          412032 kB
MemAvailable:    2874512 kB
Buffers:           12496 kB
Cached:          2531200 kB
SwapTotal:       3145724 kB
SwapFree:        3145724 kB
";

/// Is the path on shared storage, where modes and owners are the file system's own affair?
pub(super) fn is_shared(path: &str) -> bool {
    path == SHARED || path.starts_with("/storage/emulated/0/")
}

/// A new node with the owner and mode that belong to the place.
pub(super) fn new_node(path: &str, kind: Kind, now: i64) -> Node {
    let is_dir = kind == Kind::Dir;
    let (mode, uid, gid) = match &kind {
        Kind::Link(_) => (0o777, 0, 0),
        _ if is_shared(path) => (if is_dir { 0o2770 } else { 0o660 }, MEDIA_UID, MEDIA_RW),
        _ if path.starts_with("/data/local/tmp") => (if is_dir { 0o777 } else { 0o666 }, SHELL, SHELL),
        _ => (if is_dir { 0o755 } else { 0o644 }, 0, 0),
    };
    Node { kind, mode, uid, gid, mtime: now }
}

/// Lays the directories, links and the few files of the system image.
pub(super) fn lay(vfs: &mut Vfs) {
    vfs.nodes.insert("/".to_owned(), Node { kind: Kind::Dir, mode: 0o755, uid: 0, gid: 0, mtime: 0 });
    let dirs: [(&str, u32, u32, u32); 29] = [
        ("/data", 0o771, SYSTEM, SYSTEM),
        ("/data/app", 0o771, SYSTEM, SYSTEM),
        ("/data/data", 0o771, SYSTEM, SYSTEM),
        ("/data/local", 0o751, 0, 0),
        ("/data/local/tmp", 0o771, SHELL, SHELL),
        ("/dev", 0o755, 0, 0),
        ("/dev/input", 0o755, 0, 0),
        ("/mnt", 0o755, 0, SYSTEM),
        ("/proc", 0o555, 0, 0),
        ("/proc/sys", 0o555, 0, 0),
        ("/proc/sys/kernel", 0o555, 0, 0),
        ("/proc/sys/kernel/random", 0o555, 0, 0),
        ("/product", 0o755, 0, 0),
        ("/storage", 0o751, 0, 9997),
        ("/storage/emulated", 0o755, 0, 0),
        ("/storage/self", 0o755, 0, 0),
        (SHARED, 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/Alarms", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/Android", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/DCIM", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/Documents", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/Download", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/Movies", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/Music", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/storage/emulated/0/Pictures", 0o2770, MEDIA_UID, MEDIA_RW),
        ("/system", 0o755, 0, 0),
        ("/system/app", 0o755, 0, 0),
        ("/system/bin", 0o751, 0, SHELL),
        ("/vendor", 0o755, 0, SHELL),
    ];
    for (path, mode, uid, gid) in dirs {
        vfs.nodes.insert(path.to_owned(), Node { kind: Kind::Dir, mode, uid, gid, mtime: 0 });
    }
    for (path, to) in [
        ("/bin", "/system/bin"),
        ("/sdcard", "/storage/self/primary"),
        ("/storage/self/primary", SHARED),
        ("/mnt/sdcard", "/storage/self/primary"),
    ] {
        vfs.nodes.insert(
            path.to_owned(),
            Node { kind: Kind::Link(to.to_owned()), mode: 0o644, uid: 0, gid: 0, mtime: 0 },
        );
    }
    for path in
        ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/random", "/dev/urandom"]
    {
        vfs.nodes.insert(path.to_owned(), Node { kind: Kind::Device, mode: 0o666, uid: 0, gid: 0, mtime: 0 });
    }
    for (path, group) in [("/dev/input/event0", 1004), ("/dev/input/event1", 1004), ("/dev/uinput", 3011)] {
        let node = Node { kind: Kind::Device, mode: 0o660, uid: 0, gid: group, mtime: 0 };
        vfs.nodes.insert(path.to_owned(), node);
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
        let node = Node { kind: Kind::File(text.into()), mode: 0o444, uid: 0, gid: 0, mtime: 0 };
        vfs.used += node.size();
        vfs.nodes.insert(path.to_owned(), node);
    }
}
