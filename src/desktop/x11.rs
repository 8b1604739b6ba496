//! Displays of X servers: a private one for each episode, or one that is there already.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use waldo_desktop::{DesktopDevice, DesktopOptions, PanicKey, Screen, Secrets};
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, ResetTo, Want};
use waldo_tasks::runner::DeviceSource;

use super::{LAUNCH, Listener, OnTaken, Owned, is_there};

/// The chord that takes a display back, when no other is named.
pub const PANIC_KEY: &str = "ctrl+alt+space";

/// What a private display needs, by program: the package of Debian, and what it is for.
pub const NEEDS: [(&str, &str, &str); 4] = [
    ("Xvfb", "xvfb", "the display itself"),
    ("openbox", "openbox", "its window manager"),
    ("dbus-daemon", "dbus", "its session bus"),
    ("/usr/libexec/at-spi-bus-launcher", "at-spi2-core", "names and places of elements"),
];

/// Which displays, and how they are taken.
#[derive(Clone, Debug)]
pub struct Desktops {
    /// A private one for each device, or somebody's.
    pub screen: Screen,
    /// A video of each episode.
    pub record: Option<PathBuf>,
    /// Seconds before somebody's display is taken.
    pub countdown: u32,
    /// The chord that takes it back.
    pub panic_key: String,
}

/// The programs of [`NEEDS`] that are not here.
pub fn missing() -> Vec<(&'static str, &'static str, &'static str)> {
    NEEDS.into_iter().filter(|(program, ..)| !is_there(program)).collect()
}

/// Desktops, each for one device.
pub struct DesktopSource {
    options: DesktopOptions,
    approver: Option<Arc<dyn Approver>>,
    panic_key: String,
    /// The display, where it is somebody's.
    taken: Option<(String, Owned)>,
}

impl DesktopSource {
    /// Desktops as `desktops` says.
    pub fn new(desktops: Desktops, secrets: Secrets, approver: Option<Arc<dyn Approver>>) -> Self {
        let taken = match &desktops.screen {
            Screen::Own { .. } => None,
            Screen::Take { display } => {
                let name = format!("the display {display}");
                let owned = Owned::new(name, desktops.panic_key.clone(), desktops.countdown);
                Some((display.clone(), owned))
            }
        };
        let options = DesktopOptions {
            screen: desktops.screen,
            record: desktops.record,
            // An office program on a fresh HOME takes its time, the more so beside others.
            launch: LAUNCH,
            secrets,
            ..DesktopOptions::default()
        };
        Self { options, approver, panic_key: desktops.panic_key, taken }
    }

    /// What its devices are. Nothing is started for it.
    pub fn info(&self) -> DeviceInfo {
        DesktopDevice::new(self.options.clone()).info()
    }

    /// How many can be driven at once; `None` is as many as are asked for.
    pub fn count(&self) -> Option<usize> {
        self.taken.as_ref().map(|_| 1)
    }
}

#[async_trait]
impl DeviceSource for DesktopSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        let device = Box::new(DesktopDevice::new(self.options.clone()));
        let Some((display, owned)) = &self.taken else {
            return Ok(Box::new(Guarded::new(device, self.approver.clone())));
        };
        let (display, chord) = (display.clone(), self.panic_key.clone());
        let listen = move || {
            let key = PanicKey::listen(&display, &chord)?;
            Ok(Listener { called: key.pressed(), _ears: Box::new(key) })
        };
        let (seat, called) = owned.take(listen, deadline).await?;
        let device = OnTaken { device, called, chord: Some(self.panic_key.clone()), _seat: seat };
        Ok(Box::new(Guarded::new(Box::new(device), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

/// Starts a private display and takes its picture: the proof that desktops work here.
///
/// # Errors
/// What stood in the way.
pub async fn try_out(deadline: Deadline) -> Result<String, DeviceError> {
    let begun = std::time::Instant::now();
    let mut device = DesktopDevice::new(DesktopOptions::default());
    device.reset(&ResetTo::default(), deadline).await?;
    let seen = device.observe(Want::All, deadline).await;
    device.close(Deadline::after(Duration::from_secs(5))).await?;
    let size = seen?.geometry.physical;
    Ok(format!("a private display of {:.0}x{:.0} in {} ms", size.w, size.h, begun.elapsed().as_millis()))
}
