//! `--real-phone-may-be-wiped`: whether a suite may be played on a phone that is somebody's.

use waldo_devices::Platform;
use waldo_tasks::RealPhone;

use super::CliError;
use super::device::DeviceArgs;

/// Whether a suite may be played on a phone that is not simulated.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RealPhoneArgs {
    /// Play tasks of a suite also on a phone that is not simulated, whose contacts, messages, events, files
    /// and settings they delete and write over.
    #[arg(long)]
    pub real_phone_may_be_wiped: bool,
}

impl RealPhoneArgs {
    /// What was said.
    ///
    /// # Errors
    /// When it was said of another kind of device.
    pub fn on(self, device: &DeviceArgs) -> Result<RealPhone, CliError> {
        match (self.real_phone_may_be_wiped, device.platform()) {
            (false, _) => Ok(RealPhone::Refused),
            (true, Platform::Android) => Ok(RealPhone::MayBeWiped),
            (true, _) => Err(CliError::Input(format!(
                "--real-phone-may-be-wiped goes with --device android, tcp:HOST:PORT or usb, not with {}",
                device.spec()
            ))),
        }
    }
}
