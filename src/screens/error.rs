//! What goes wrong before there is a device.

use waldo_devices::DeviceError;

/// What a kind of screen may fail with before there is a device.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    #[error("{0}")]
    Input(String),
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A kind of screen that this build has not.
    #[error(transparent)]
    Absent(#[from] crate::absent::Absent),
}
