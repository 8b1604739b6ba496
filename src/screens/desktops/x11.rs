//! Displays of X servers: a private one for each episode, or one that is there already.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use waldo_desktop::{
    DesktopDevice, DesktopOptions, DisplayChoice, PanicKey, SandboxChoice, Sandboxing, Secrets,
};
use waldo_devices::{Approver, Capture, Deadline, Device, DeviceError, DeviceInfo, Guarded, ResetTo};
use waldo_tasks::runner::DeviceSource;

use super::owned::{COUNTDOWN, LAUNCH, Listener, OwnedDisplay, ReclaimableDevice};
use super::programs::{SCREEN, is_there};
use crate::screens::error::ScreenError;
use crate::screens::kind::{ScreenRequest, ScreenSource};
use crate::screens::sandbox_choice::SandboxFlag;

/// The chord that takes a display back, when no other is named.
pub const PANIC_KEY: &str = "ctrl+alt+space";

/// What a private display needs, by program: the package of Debian, and what it is for.
pub const NEEDS: [(&str, &str, &str); 4] = [
    ("Xvfb", "xvfb", "the display itself"),
    ("openbox", "openbox", "its window manager"),
    ("dbus-daemon", "dbus", "its session bus"),
    ("/usr/libexec/at-spi-bus-launcher", "at-spi2-core", "names and places of elements"),
];

/// The programs of [`NEEDS`] that are not here.
pub fn missing() -> Vec<(&'static str, &'static str, &'static str)> {
    NEEDS.into_iter().filter(|(program, ..)| !is_there(program)).collect()
}

/// Desktops, each for one device.
pub struct DesktopSource {
    options: DesktopOptions,
    approver: Option<Arc<dyn Approver>>,
    panic_key: String,
    taken: Option<(String, OwnedDisplay)>,
}

impl DesktopSource {
    /// Desktops as they are wanted.
    ///
    /// # Errors
    /// When a video is wanted that cannot be made, or would show a secret.
    pub fn of(wanted: ScreenRequest<'_>) -> Result<Self, ScreenError> {
        let record = video(&wanted)?;
        let flags = wanted.flags;
        let panic_key = flags.panic_key.clone().unwrap_or_else(|| PANIC_KEY.to_owned());
        let (screen, taken) = match wanted.address() {
            None => {
                let (width, height) = flags.size().unwrap_or(SCREEN);
                (DisplayChoice::Own { width, height }, None)
            }
            Some(display) => {
                let countdown = flags.countdown.unwrap_or(COUNTDOWN);
                let owned = OwnedDisplay::new(format!("the display {display}"), panic_key.clone(), countdown);
                (DisplayChoice::Take { display: display.to_owned() }, Some((display.to_owned(), owned)))
            }
        };
        let sandbox = match flags.sandbox {
            None | Some(SandboxFlag::Auto) => SandboxChoice::Auto,
            Some(SandboxFlag::Required) => SandboxChoice::Required,
            Some(SandboxFlag::Off) => SandboxChoice::Off,
        };
        if taken.is_none() {
            match sandbox.decide() {
                Ok(Sandboxing::Off { why }) if sandbox == SandboxChoice::Auto => tracing::warn!(
                    "programs of private displays run without a sandbox and can reach your files: {why}"
                ),
                Ok(_) => {}
                Err(why) => return Err(ScreenError::Input(format!("--sandbox required: {why}"))),
            }
        }
        let options = DesktopOptions {
            screen,
            sandbox,
            record,
            // An office program on a fresh HOME takes its time, the more so beside others.
            launch: LAUNCH,
            secrets: wanted.secrets,
            ..DesktopOptions::default()
        };
        Ok(Self { options, approver: wanted.approver, panic_key, taken })
    }
}

fn video(wanted: &ScreenRequest<'_>) -> Result<Option<PathBuf>, ScreenError> {
    let Some(file) = wanted.flags.record.as_deref() else { return Ok(None) };
    if !wanted.secrets.is_empty() {
        return Err(ScreenError::Input(
            "--record films what programs show, secrets too, and nothing in a video is painted over: leave out \
             --record or --secret"
                .into(),
        ));
    }
    if !is_there("ffmpeg") {
        return Err(DeviceError::Start {
            what: "a video".to_owned(),
            message: "ffmpeg is not on the path".to_owned(),
            hint: "--record needs ffmpeg (Debian, Ubuntu: sudo apt install ffmpeg)".to_owned(),
        }
        .into());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let told =
            format!("--record {}: there is no folder {}; make it first", file.display(), folder.display());
        return Err(ScreenError::Input(told));
    }
    if file.extension().is_none() || file.is_dir() {
        let told =
            format!("--record {}: name a file with the ending of a video, such as {0}.mp4", file.display());
        return Err(ScreenError::Input(told));
    }
    // Programs of an episode run elsewhere than this one.
    Ok(Some(std::path::absolute(file).unwrap_or_else(|_| file.to_owned())))
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
            Ok(Listener { reclaimed: key.pressed(), _source: Box::new(key) })
        };
        let (permit, reclaimed) = owned.take(listen, deadline).await?;
        let device =
            ReclaimableDevice { device, reclaimed, chord: Some(self.panic_key.clone()), _permit: permit };
        Ok(Box::new(Guarded::new(Box::new(device), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for DesktopSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(DesktopDevice::new(self.options.clone()).info())
    }

    fn workers(&self, workers: usize) -> usize {
        if self.taken.is_some() { workers.min(1) } else { workers }
    }
}

/// Whether private displays have a sandbox here; where not, why, and what allows it.
pub fn sandboxing() -> Sandboxing {
    SandboxChoice::Auto.decide().unwrap_or_else(|why| Sandboxing::Off { why })
}

/// Starts a private display and takes its picture: the proof that desktops work here.
pub async fn try_out(deadline: Deadline) -> Result<String, DeviceError> {
    let begun = std::time::Instant::now();
    let mut device = DesktopDevice::new(DesktopOptions::default());
    device.reset(&ResetTo::default(), deadline).await?;
    let seen = device.observe(Capture::All, deadline).await;
    device.close(Deadline::after(Duration::from_secs(5))).await?;
    let size = seen?.geometry.physical;
    Ok(format!("a private display of {:.0}x{:.0} in {} ms", size.w, size.h, begun.elapsed().as_millis()))
}
