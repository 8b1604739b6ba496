use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::adb::AdbOptions;
use super::screen::PictureWay;
use waldo_devices::{DeviceError, Secrets};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PhoneTarget {
    #[default]
    Only,
    Serial(String),
    /// The one at this TCP port, without an adb server.
    Tcp(SocketAddr),
    /// The only one on a USB cable, or the one of this serial, without an adb server. Needs the feature `usb`.
    Usb(Option<String>),
}

impl PhoneTarget {
    /// Reads `tcp:HOST:PORT` and `usb[:SERIAL]` (straight to the phone), a serial, or nothing (the only one).
    pub fn parse(text: &str) -> Result<Self, DeviceError> {
        match text.trim() {
            "" => Ok(Self::Only),
            "usb" => Ok(Self::Usb(None)),
            text if text.starts_with("usb:") => Ok(Self::Usb(Some(text["usb:".len()..].to_owned()))),
            text => match text.strip_prefix("tcp:") {
                None => Ok(Self::Serial(text.to_owned())),
                Some(address) => {
                    let numeric = address.replace("localhost", "127.0.0.1");
                    numeric.parse().map(Self::Tcp).map_err(|_| DeviceError::BadArgument {
                        what: format!("device '{text}'"),
                        message: "write a numeric address and a port such as tcp:127.0.0.1:5601".to_owned(),
                    })
                }
            },
        }
    }
}

/// Whether apps may animate while a phone is driven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Animations {
    /// Switched off, and back as they were at the end.
    #[default]
    Off,
    Keep,
}

/// Where the lock is kept that keeps two of us off one phone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Locks {
    /// In the user's runtime folder, or one of the user's in the folder for temporary files.
    #[default]
    User,
    Folder(PathBuf),
    /// Nowhere: the phone is one of this process, which lends it to one device at a time.
    None,
}

#[derive(Clone, Debug)]
pub struct AndroidOptions {
    pub target: PhoneTarget,
    pub adb: AdbOptions,
    /// The display, as `input -d` counts; `None` is the main one. Others are known by their picture alone.
    pub display: Option<u32>,
    /// The longest wait for a quiet screen before an observation.
    pub settle: Duration,
    /// The longest wait for the tree of elements; a phone itself gives up after about 11 s.
    pub tree: Duration,
    /// The most elements of one observation; the rest is counted in `Context::truncated`.
    pub element_cap: usize,
    /// The way to pictures; `None` finds the fastest.
    pub picture: Option<PictureWay>,
    /// A file that remembers the fastest way to pictures of each phone across runs.
    pub picture_memory: Option<PathBuf>,
    /// What keeps two of us off one phone.
    pub locks: Locks,
    pub animations: Animations,
    pub secrets: Secrets,
    /// Packages of apps by name, for names that cannot be guessed from packages.
    pub app_names: BTreeMap<String, String>,
}

impl Default for AndroidOptions {
    fn default() -> Self {
        Self {
            target: PhoneTarget::Only,
            adb: AdbOptions::default(),
            display: None,
            settle: Duration::from_secs(3),
            tree: Duration::from_secs(6),
            element_cap: 1_500,
            picture: None,
            picture_memory: None,
            locks: Locks::User,
            animations: Animations::Off,
            secrets: Secrets::default(),
            app_names: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read() {
        assert_eq!(PhoneTarget::parse("").unwrap(), PhoneTarget::Only);
        assert_eq!(
            PhoneTarget::parse("127.0.0.1:5601").unwrap(),
            PhoneTarget::Serial("127.0.0.1:5601".to_owned())
        );
        assert_eq!(
            PhoneTarget::parse("tcp:localhost:5601").unwrap(),
            PhoneTarget::Tcp(([127, 0, 0, 1], 5601).into())
        );
        assert_eq!(PhoneTarget::parse("usb").unwrap(), PhoneTarget::Usb(None));
        assert_eq!(PhoneTarget::parse("usb:A1").unwrap(), PhoneTarget::Usb(Some("A1".to_owned())));
        assert!(PhoneTarget::parse("tcp:here").is_err());
    }
}
