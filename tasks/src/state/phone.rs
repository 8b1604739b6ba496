//! What is durable on a phone.

use std::collections::BTreeMap;

use waldo_devices::{Deadline, Device, DeviceError};

use super::Store;

pub(super) async fn read(
    _device: &mut dyn Device,
    _deadline: Deadline,
) -> Result<BTreeMap<String, Store>, DeviceError> {
    Ok(BTreeMap::new())
}
