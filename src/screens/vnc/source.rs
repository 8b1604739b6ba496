//! The one screen of a VNC server.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use waldo_devices::{Approver, Deadline, Device, DeviceError, DeviceInfo, Guarded, Secrets};
use waldo_tasks::runner::DeviceSource;
use waldo_vnc::{PlainVnc, VncAddress, VncDevice, VncOptions, VncTrust};

use crate::screens::error::ScreenError;
use crate::screens::flags::DeviceFlags;
use crate::screens::kind::{ScreenRequest, ScreenSource};

/// The longest that it may take to be let in when it is looked at.
const GREETS_WITHIN: Duration = Duration::from_secs(10);

pub struct VncSource {
    address: VncAddress,
    options: VncOptions,
    approver: Option<Arc<dyn Approver>>,
}

fn address(named: &str) -> Result<VncAddress, ScreenError> {
    named.parse().map_err(|error: waldo_vnc::BadVncAddress| ScreenError::Input(format!("--device: {error}")))
}

fn options(flags: &DeviceFlags) -> Result<VncOptions, ScreenError> {
    let clear = if flags.insecure { PlainVnc::Accepted } else { PlainVnc::Refused };
    let trust = match &flags.tls_ca {
        None => VncTrust::System,
        Some(file) => VncTrust::from_file(file)
            .map_err(|error| ScreenError::Input(format!("--tls-ca {}: {error}", file.display())))?,
    };
    Ok(VncOptions { clear, trust, ..VncOptions::default() })
}

pub async fn greet(named: &str, flags: &DeviceFlags) -> Result<String, ScreenError> {
    let device = VncDevice::new(address(named)?, options(flags)?);
    let (name, (width, height)) = device.greet(Deadline::after(GREETS_WITHIN)).await?;
    let name = crate::out::plain(&name, 100);
    Ok(format!("a screen of {width}x{height}, called '{name}'"))
}

impl VncSource {
    pub fn of(wanted: &ScreenRequest<'_>) -> Result<Self, ScreenError> {
        let address = address(wanted.named)?;
        let settle = Duration::from_millis(wanted.browser.settle);
        let options = VncOptions { settle, secrets: wanted.secrets.clone(), ..options(wanted.flags)? };
        Ok(Self { address, options, approver: wanted.approver.clone() })
    }

    fn make(&self) -> VncDevice {
        VncDevice::new(self.address.clone(), self.options.clone())
    }
}

#[async_trait]
impl DeviceSource for VncSource {
    async fn device(&self, _: Deadline) -> Result<Box<dyn Device>, DeviceError> {
        Ok(Box::new(Guarded::new(Box::new(self.make()), self.approver.clone())))
    }

    fn secrets(&self) -> Secrets {
        self.options.secrets.clone()
    }
}

#[async_trait]
impl ScreenSource for VncSource {
    async fn info(&self, _: Deadline) -> Result<DeviceInfo, DeviceError> {
        Ok(self.make().info())
    }

    fn workers(&self, workers: usize) -> usize {
        workers.min(1)
    }
}
