//! A file system of FUSE without a program behind it, as one leaves that was killed.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// Mounts it. It is there until it is taken out.
pub fn dead_mount(at: &Path) {
    std::fs::create_dir(at).unwrap();
    // The program hands its end over a socket that nobody reads from.
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut mount = Command::new("fusermount3");
    mount.env("_FUSE_COMMFD", "0").arg("--").arg(at).stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)));
    let done = mount.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    drop((ours, mount));
    assert!(std::fs::read_dir(at).is_err(), "a file system that nobody serves is read");
}
