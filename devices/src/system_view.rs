//! What a program in a sandbox sees of this machine's system, for those who make sandboxes by `bwrap`.
//!
//! Invariants: the system's folders are seen read-only; nothing of a user's is among them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::word_list::word_list;

/// What programs see of the system, where it exists; nothing of it can be written.
pub const SYSTEM: [&str; 20] = word_list(
    "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /gnu/store /snap /sys/class \
     /sys/devices /var/cache/fontconfig /var/lib/aspell /var/lib/dbus /var/lib/ghostscript \
     /run/systemd/resolve /run/NetworkManager/resolv.conf",
);

/// A program of the system that makes a sandbox. It runs outside, so what programs of the sandbox may have put on their
/// search path is not looked at.
pub fn tool(name: &str) -> PathBuf {
    let folders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"].map(Path::new);
    let found = folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| Path::new("/usr/bin").join(name))
}

/// The arguments of `bwrap` that make the system's part of the file system.
pub fn system_folders() -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    let mut add = |words: &[&Path]| all.extend(words.iter().map(|word| word.as_os_str().to_owned()));
    let word = Path::new;
    for folder in ["/run", "/var"] {
        add(&[word("--tmpfs"), word(folder)]);
    }
    add(&[word("--symlink"), word("/run"), word("/var/run")]);
    for at in SYSTEM.map(Path::new) {
        match fs::read_link(at) {
            Ok(target) => add(&[word("--symlink"), &target, at]),
            Err(_) => add(&[word("--ro-bind-try"), at, at]),
        }
    }
    add(&[word("--proc"), word("/proc"), word("--dev"), word("/dev")]);
    all
}
