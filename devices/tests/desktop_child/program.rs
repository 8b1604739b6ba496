//! A program that the tests of the desktop start: a driver in a process of its own, since its libraries know
//! only the display of their environment, and an owner that dies.

#![cfg_attr(not(target_os = "linux"), allow(unused))]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a helper of tests fails as tests do"
)]

mod mount;
mod protocol;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::Duration;

    use waldo_devices::desktop::portable::{PortableDevice, PortableOptions, monitors};
    use waldo_devices::desktop::{CaptureWay, DesktopDevice, DesktopOptions, InputWay, Screen};
    use waldo_devices::{AppRule, Deadline, Device, GuardPolicy, ResetTo, Want};

    use super::protocol::{Answer, Ask, Failed, Saw};

    fn soon() -> Deadline {
        Deadline::after(Duration::from_secs(60))
    }

    /// Starts a display, leaves a file system in it where that is wanted, and dies.
    pub async fn owner(mounts: bool) {
        let screen = Screen::Own { width: 800, height: 600 };
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

    /// Looks at the display of its environment with the portable way, once.
    pub async fn look(out: &str) {
        let mut device = taken(CaptureWay::Portable, InputWay::default());
        device.reset(&ResetTo::default(), soon()).await.unwrap();
        let seen = device.observe(Want::All, soon()).await.unwrap();
        seen.picture.pixels().save(out).unwrap();
        println!("WINDOWS={}", seen.context.windows.len());
    }

    fn taken(capture: CaptureWay, input: InputWay) -> DesktopDevice {
        let screen = Screen::Take { display: std::env::var("DISPLAY").unwrap() };
        DesktopDevice::new(DesktopOptions { screen, capture, input, ..DesktopOptions::default() })
    }

    /// A device on the display of this environment.
    fn device(which: &str, monitor: Option<String>) -> Box<dyn Device> {
        match which {
            "portable" => {
                Box::new(PortableDevice::new(PortableOptions { monitor, ..PortableOptions::default() }))
            }
            "input" => Box::new(taken(CaptureWay::default(), InputWay::Portable)),
            other => panic!("no driver '{other}'"),
        }
    }

    /// Does as it is told, line by line.
    pub async fn driver(which: &str) {
        let mut driven = device(which, None);
        for line in std::io::stdin().lines() {
            let answer = match serde_json::from_str(&line.unwrap()).unwrap() {
                Ask::Reset { policy, start, monitor } => {
                    driven = device(which, monitor);
                    let to = ResetTo { policy, start, ..ResetTo::default() };
                    driven.reset(&to, soon()).await.map(|()| serde_json::Value::Null)
                }
                Ask::Look { picture, within } => {
                    driven.observe(Want::All, Deadline::after(within)).await.map(|seen| {
                        seen.picture.pixels().save(picture).unwrap();
                        let saw =
                            Saw { elements: seen.elements, context: seen.context, geometry: seen.geometry };
                        serde_json::json!(saw)
                    })
                }
                Ask::Act { action } => {
                    driven.perform(&action, soon()).await.map(|report| serde_json::json!(report))
                }
                Ask::Monitors => monitors(soon()).await.map(|names| serde_json::json!(names)),
                Ask::Close => driven.close(soon()).await.map(|()| serde_json::Value::Null),
            };
            let answer: Answer = answer.map_err(|error| {
                let class = format!("{:?}", error.class());
                Failed { told: error.to_string(), class }
            });
            println!("{}", serde_json::to_string(&answer).unwrap());
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["owner"] => linux::owner(false).await,
        ["owner", "mount"] => linux::owner(true).await,
        ["look", out] => linux::look(out).await,
        ["driver", which] => linux::driver(which).await,
        ref other => panic!("owner [mount], look FILE or driver KIND, not {other:?}"),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
