//! One monitor: its picture, and how places on it are counted.

use image::{DynamicImage, RgbImage};
use xcap::Monitor;

use super::system::{MonitorInfo, System, Units};
use waldo_desktop::display_thread::DisplayThread;
use waldo_devices::{Deadline, DeviceError, Geometry, Result};

pub(crate) struct DrivenMonitor {
    monitor: Monitor,
    id: u32,
    pub(crate) units: Units,
    pub(crate) geometry: Geometry,
}

/// The names of the monitors, the main one first.
pub async fn monitors(deadline: Deadline) -> Result<Vec<String>> {
    let thread = DisplayThread::start("waldo-monitors", list, deadline).await?;
    let names = |all: &mut Vec<Monitor>| {
        all.sort_by_key(|monitor| !main(monitor));
        Ok(all.iter().filter_map(|monitor| monitor.name().ok()).collect())
    };
    thread.ask("the monitors", deadline, names).await
}

fn main(monitor: &Monitor) -> bool {
    monitor.is_primary().unwrap_or(false)
}

fn failed(error: impl ToString) -> DeviceError {
    DeviceError::Call { call: "the screen's picture".to_owned(), message: error.to_string() }
}

fn list() -> Result<Vec<Monitor>> {
    let no = |message: String, hint: &str| DeviceError::start("the portable desktop", message, hint);
    if System::here() == System::X11 {
        let set = |name: &str| std::env::var(name).unwrap_or_default();
        if set("DISPLAY").is_empty() {
            return Err(no(
                "DISPLAY names no display".to_owned(),
                "start waldo within an X11 session, or set DISPLAY (:0)",
            ));
        }
        // There pictures and pointer would be of two different worlds.
        if set("XDG_SESSION_TYPE") == "wayland" || set("WAYLAND_DISPLAY").to_lowercase().contains("wayland") {
            return Err(no(
                "this is a Wayland session".to_owned(),
                "log in to an X11 session; windows of Wayland cannot be seen from outside",
            ));
        }
    }
    let hint = "check that a screen is on, and that waldo may record it (macOS: Privacy & Security)";
    let found = Monitor::all().map_err(|error| no(error.to_string(), hint))?;
    if found.is_empty() {
        return Err(no("no monitor is on".to_owned(), hint));
    }
    Ok(found)
}

impl DrivenMonitor {
    pub(crate) fn open(name: Option<&str>) -> Result<Self> {
        let all = list()?;
        let chosen = match name {
            Some(name) => all.iter().find(|monitor| monitor.name().is_ok_and(|own| own == name)),
            None => all.iter().find(|monitor| main(monitor)).or_else(|| all.first()),
        };
        let Some(monitor) = chosen.cloned() else {
            let known: Vec<String> = all.iter().filter_map(|monitor| monitor.name().ok()).collect();
            return Err(DeviceError::BadArgument {
                what: format!("monitor '{}'", name.unwrap_or_default()),
                message: format!("there is no such monitor; there are {}", known.join(", ")),
            });
        };
        let scale = monitor.scale_factor().ok().map(f64::from).filter(|scale| *scale > 0.0).unwrap_or(1.0);
        let place = monitor.x().and_then(|x| monitor.y().map(|y| (x, y)));
        let told = MonitorInfo { at: place.map_err(failed)?, width: monitor.width().map_err(failed)?, scale };
        let id = monitor.id().map_err(failed)?;
        let (width, height) = monitor.capture_image().map_err(failed)?.dimensions();
        Ok(Self {
            units: System::here().units(told, width),
            geometry: Geometry::new(f64::from(width), f64::from(height), scale),
            monitor,
            id,
        })
    }

    pub(crate) fn take(&self) -> Result<RgbImage> {
        let taken = self.monitor.capture_image().map_err(|error| {
            let still =
                list().is_ok_and(|all| all.iter().any(|monitor| monitor.id().is_ok_and(|id| id == self.id)));
            let reason = error.to_string();
            if still { failed(reason) } else { DeviceError::Gone { reason: format!("the screen: {reason}") } }
        })?;
        let (width, height) = taken.dimensions();
        let size = self.geometry.physical;
        if (f64::from(width), f64::from(height)) != (size.w, size.h) {
            return Err(DeviceError::Gone {
                reason: format!(
                    "the screen has {width}x{height} pixels now, and had {:.0}x{:.0}",
                    size.w, size.h
                ),
            });
        }
        Ok(DynamicImage::ImageRgba8(taken).into_rgb8())
    }
}
