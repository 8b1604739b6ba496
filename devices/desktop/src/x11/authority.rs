//! Who may use a private display: whoever holds its cookie, and nobody else.
//!
//! Invariant: the cookie lies in a file of the display's owner alone, never on a command line, never shown.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::process::io;
use waldo_devices::error::DeviceError;
use waldo_devices::random::random_bytes;

/// The only way of proof that is used.
const WAY: &str = "MIT-MAGIC-COOKIE-1";
/// An entry for any address and any display number: which one it will be is not known when it is written.
const ANY: u16 = 0xffff;
const LENGTH: usize = 16;

#[derive(Clone)]
pub(crate) struct Authority {
    file: PathBuf,
    cookie: [u8; LENGTH],
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Authority {
    /// Makes a new cookie, and writes it to a file in `folder`.
    pub(crate) fn make(folder: &Path) -> Result<Self, DeviceError> {
        let cookie = random_bytes::<LENGTH>().map_err(io("a cookie"))?;
        let file = folder.join("Xauthority");
        let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
        written.and_then(|mut out| out.write_all(&entry(&cookie))).map_err(io("the display's cookie"))?;
        Ok(Self { file, cookie })
    }

    /// The file, as the variable XAUTHORITY names it.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    pub(crate) fn proof(&self) -> (Vec<u8>, Vec<u8>) {
        (WAY.as_bytes().to_vec(), self.cookie.to_vec())
    }
}

/// The entry of a file of cookies: kind of address, address, number, way and cookie, each after its length.
fn entry(cookie: &[u8; LENGTH]) -> Vec<u8> {
    let mut entry = ANY.to_be_bytes().to_vec();
    for part in [b"".as_slice(), b"", WAY.as_bytes(), cookie] {
        // Each is shorter than a byte can count.
        entry.extend([0, u8::try_from(part.len()).unwrap_or(u8::MAX)]);
        entry.extend(part);
    }
    entry
}

/// A display: its name, such as `:1`, and what lets one in where that is not the user's own to know.
#[derive(Clone, Debug)]
pub(crate) struct DisplayAddress {
    pub(crate) name: String,
    pub(crate) authority: Option<Authority>,
}

impl DisplayAddress {
    pub(crate) fn users(name: &str) -> Self {
        Self { name: name.to_owned(), authority: None }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn each_cookie_is_new_and_holds_for_any_display() {
        let folders = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let one = Authority::make(folders.0.path()).unwrap();
        let two = Authority::make(folders.1.path()).unwrap();
        assert_ne!(one.cookie, two.cookie);
        assert_eq!(std::fs::metadata(one.file()).unwrap().permissions().mode() & 0o777, 0o600);
        // Nor is a file taken over that lies there already.
        assert!(Authority::make(folders.0.path()).is_err());
        assert!(!format!("{one:?}").contains("cookie"), "{one:?}");
        let entry = entry(&[7; LENGTH]);
        assert_eq!(entry[..6], [0xff, 0xff, 0, 0, 0, 0]);
        assert_eq!(entry[6..8], [0, 18]);
        assert_eq!(&entry[8..26], WAY.as_bytes());
        assert_eq!(entry[26..28], [0, 16]);
        assert_eq!(entry[28..], [7; LENGTH]);
    }
}
