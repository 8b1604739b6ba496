//! A program that the tests of the desktop start: an owner of a display that dies.

#![cfg_attr(not(target_os = "linux"), allow(unused))]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod mount;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;

    use waldo_desktop::{DesktopDevice, DesktopOptions, DisplayChoice};
    use waldo_devices::{AppRule, Deadline, Device, GuardPolicy, ResetTo};

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(60))
    }

    /// Starts a display, leaves a file system in it where that is wanted, and dies.
    pub async fn owner(mounts: bool) {
        let screen = DisplayChoice::Own { width: 800, height: 600 };
        let mut device = DesktopDevice::new(DesktopOptions { screen, ..DesktopOptions::default() });
        let policy = GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() };
        let to = ResetTo { start: "galculator".to_owned(), policy, ..ResetTo::default() };
        device.reset(&to, soon()).await.unwrap();
        let (folder, display) = (device.folder().unwrap(), device.display().unwrap());
        let socket = format!("/tmp/.X11-unix/X{}", display.trim_start_matches(':'));
        let s = std::fs::metadata(socket).unwrap();
        let stamp = format!("{}.{}.{}", s.ino(), s.mtime(), s.mtime_nsec());
        if mounts {
            super::mount::dead_mount(&folder.join("home/mounted"));
        }
        println!("FOLDER={} DISPLAY={display} SOCKET={stamp}", folder.display());
        std::process::abort();
    }
}

#[cfg(target_os = "linux")]
#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["owner"] => linux::owner(false).await,
        ["owner", "mount"] => linux::owner(true).await,
        ref other => panic!("owner [mount], not {other:?}"),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
