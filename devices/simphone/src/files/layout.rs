//! The directories a phone comes with.

use super::{Inode, Kind, Vfs};
use crate::lists;

/// Lays the directories, devices and links of the system image.
pub(super) fn lay(vfs: &mut Vfs) {
    let mut put = |path: &str, kind| vfs.nodes.insert(path.to_owned(), Inode { kind, mtime: 0 });
    for (list, kind) in [("directories", Kind::Dir), ("devices", Kind::Device)] {
        for [path] in lists::of_phone(list) {
            put(path, kind.clone());
        }
    }
    for [path, to] in lists::of_phone("links") {
        put(path, Kind::Link(to.to_owned()));
    }
}
