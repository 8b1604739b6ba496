//! The driver against a double that speaks RFB as no honest server does, and against x11vnc and TigerVNC.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]
#![allow(clippy::disallowed_methods, reason = "tests start programs as they need them")]

mod double;
mod drawing;
mod encodings;
mod hostile;
mod kept;
mod machine;
mod real;
mod secure;

use std::time::Duration;

use waldo_devices::{
    AppRule, Capture, Deadline, Device as _, DeviceError, GuardPolicy, Observation, ResetTo, Secrets,
};
use waldo_vnc::{VncAddress, VncDevice, VncOptions};

pub fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

pub fn everything() -> ResetTo {
    let policy = GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() };
    ResetTo { policy, ..ResetTo::default() }
}

pub fn options(password: Option<&str>) -> VncOptions {
    let pairs = password.map(|word| (waldo_vnc::PASSWORD.to_owned(), word.to_owned()));
    VncOptions { secrets: Secrets::new(pairs), ..VncOptions::default() }
}

pub fn device(address: &VncAddress, password: Option<&str>) -> VncDevice {
    VncDevice::new(address.clone(), options(password))
}

pub async fn taken(address: &VncAddress) -> VncDevice {
    let mut device = device(address, None);
    device.reset(&everything(), soon()).await.unwrap();
    device
}

pub async fn refused(address: &VncAddress, password: Option<&str>) -> DeviceError {
    device(address, password).reset(&everything(), soon()).await.unwrap_err()
}

pub async fn see(device: &mut VncDevice) -> Observation {
    device.observe(Capture::All, soon()).await.unwrap()
}
