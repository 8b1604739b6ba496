//! The display that somebody sits at, through the portable parts of the driver.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use waldo_desktop::Secrets;
use waldo_devices::count::count;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded};
use waldo_portable::{PortableDevice, PortableOptions, ReclaimWatcher, monitors};
use waldo_tasks::runner::DeviceSource;

use super::owned::{LAUNCH, Listener, OwnedDisplay, ReclaimableDevice};
use crate::screens::kind::ScreenSource;

const LOOKS_WITHIN: Duration = Duration::from_secs(5);

/// Where it is, for one device at a time.
pub struct PortableSource {
    options: PortableOptions,
    approver: Option<Arc<dyn Approver>>,
    owned: OwnedDisplay,
}

impl PortableSource {
    /// The main monitor of this session; `countdown` are the seconds before it is taken.
    pub fn new(countdown: u32, secrets: Secrets, approver: Option<Arc<dyn Approver>>) -> Self {
        let options = PortableOptions { launch: LAUNCH, secrets, ..PortableOptions::default() };
        let by = "moving the pointer into the top left corner of the screen".to_owned();
        Self {
            options,
            approver,
            owned: OwnedDisplay::new("the screen of this session".to_owned(), by, countdown),
        }
    }
}

#[async_trait]
impl DeviceSource for PortableSource {
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        // Where there is no screen, nobody is told that one is taken.
        monitors(deadline.at_most(LOOKS_WITHIN)).await?;
        let listen = || {
            let corner = ReclaimWatcher::watch()?;
            Ok(Listener { reclaimed: corner.pushed(), _source: Box::new(corner) })
        };
        let (permit, reclaimed) = self.owned.take(listen, deadline).await?;
        let device = Box::new(PortableDevice::new(self.options.clone()));
        let device = ReclaimableDevice { device, reclaimed, chord: None, _permit: permit };
        Ok(Box::new(Guarded::new(Box::new(device), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for PortableSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(PortableDevice::new(self.options.clone()).info())
    }

    fn workers(&self, workers: usize) -> usize {
        workers.min(1)
    }
}

pub async fn screens() -> Result<String, DeviceError> {
    let names = monitors(Deadline::after(LOOKS_WITHIN)).await?;
    Ok(format!("{}: {}", count(names.len(), "monitor"), names.join(", ")))
}
