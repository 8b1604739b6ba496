//! File systems that programs mounted in the folder of a private display, such as those of FUSE: what they
//! hold is elsewhere, and must not go with the folder.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use waldo_devices::child;

/// Takes out all that is mounted below `folder`; whether nothing is left there.
pub(crate) fn clear(folder: &Path) -> bool {
    // The last one may lie in another.
    for at in below(folder).into_iter().rev() {
        // Only root may by itself; a user's own mount is taken out by a program that may.
        for line in [&["umount", "-l"][..], &["fusermount3", "-u", "-z"], &["fusermount", "-u", "-z"]] {
            let mut command = child::command(line[0]);
            command.args(&line[1..]).arg(&at);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if command.status().is_ok_and(|status| status.success()) {
                break;
            }
        }
    }
    below(folder).is_empty()
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let table = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    places(&table).filter(|at| at.starts_with(folder) && at != folder).collect()
}

fn places(table: &[u8]) -> impl Iterator<Item = PathBuf> {
    let place = |line: &[u8]| line.split(|byte| *byte == b' ').nth(4).map(plain);
    table.split(|byte| *byte == b'\n').filter_map(place)
}

/// A path of the table: blanks and the like are written there as three octal digits.
fn plain(text: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        let code = match (first, after) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', end @ ..]) => {
                rest = end;
                (a - b'0') * 64 + (b - b'0') * 8 + (c - b'0')
            }
            _ => *first,
        };
        bytes.push(code);
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_with_their_odd_names() {
        let table = b"22 27 0:21 / /proc rw - proc proc rw\n\
            30 27 0:50 / /tmp/a\\040b/run/gvfs rw,nosuid - fuse.gvfsd-fuse gvfsd-fuse rw\n\
            31 27 0:51 / /tmp/a\\134x rw - tmpfs t rw\n\n";
        let all: Vec<PathBuf> = places(table).collect();
        assert_eq!(all, [Path::new("/proc"), Path::new("/tmp/a b/run/gvfs"), Path::new("/tmp/a\\x")]);
        assert!(below(Path::new("/")).contains(&PathBuf::from("/proc")));
        assert!(clear(Path::new("/nowhere")));
    }
}
