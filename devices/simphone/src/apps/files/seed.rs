//! The files on a new phone's shared storage.

use crate::{
    apps::prelude::*,
    files::{Vfs, join},
};

/// Lays the user's files. The same for a seed, whatever the apps do.
pub(crate) fn lay(fs: &mut Vfs, seed: u64, start: i64) {
    let mut seed = Seed::of(seed, "sdcard", start);
    let mut put = |dir: &str, name: &str, bytes: Vec<u8>, seed: &mut Seed| {
        let dir = join(super::ROOT, dir);
        let path = join(&dir, name);
        // A fresh phone has room for all of them; a folder that is there already is as good.
        let done = fs.mkdir_all(&dir).and_then(|()| fs.write(&path, bytes));
        let when = start - seed.int(3_600, 45 * 86_400);
        let done = done.and_then(|()| fs.set_mtime(&path, when));
        debug_assert!(done.is_ok(), "{path}: {done:?}");
    };
    let texts = usize::try_from(seed.int(10, 13)).unwrap_or(12);
    for [dir, name, text] in seed.sample(&contents::records("texts"), texts) {
        put(dir, name, contents::lines(text).into_bytes(), &mut seed);
    }
    let blobs = usize::try_from(seed.int(9, 12)).unwrap_or(10);
    for [dir, name, size] in seed.sample(&contents::records("blobs"), blobs) {
        let least: i64 = size.parse().unwrap_or(0);
        let size = usize::try_from(least + seed.int(0, 4_000)).unwrap_or(4_096);
        // Bytes that are no UTF-8, so that nothing takes them for text.
        let mut bytes = vec![0xfe, 0xff, 0x00, 0x80];
        bytes.resize(size, 0x9c);
        put(dir, name, bytes, &mut seed);
    }
    for dir in ["Documents/Archive", "Documents/Taxes", "Pictures/Family"] {
        let done = fs.mkdir_all(&join(super::ROOT, dir));
        debug_assert!(done.is_ok(), "{dir}: {done:?}");
    }
}
