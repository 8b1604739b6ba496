//! `--real-phone-may-be-wiped`: whether a suite may be played on a phone that is somebody's.

use waldo_tasks::RealPhone;

use super::CliError;
use crate::screens::DeviceArgs;

/// Whether a suite may be played on a phone that is not simulated.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RealPhoneArgs {
    /// Play tasks of a suite also on a real phone, whose contacts, messages, events, files and settings they delete and
    /// overwrite.
    #[arg(long)]
    pub real_phone_may_be_wiped: bool,
}

impl RealPhoneArgs {
    pub fn fits(self, device: &DeviceArgs) -> bool {
        device.family().may_be_wiped(device.spec().as_str()).is_ok()
    }

    /// What was said.
    pub fn on(self, device: &DeviceArgs) -> Result<RealPhone, CliError> {
        match self.real_phone_may_be_wiped {
            false => Ok(RealPhone::Refused),
            true => Ok(device.family().may_be_wiped(device.spec().as_str())?),
        }
    }
}
