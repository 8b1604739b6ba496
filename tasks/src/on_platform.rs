//! How the tasks of a suite are played on the platform that the suite is of. A platform is registered here and in
//! `staged.rs`.

use std::sync::Arc;

use waldo_devices::Platform;

use crate::devices_task::DevicesTask;
use crate::one_screen_task::OneScreenTask;
use crate::suite::{SiteHost, Suite};
use crate::{RealPhone, Task};

impl Suite {
    /// Every task, in the declared order: pages are served by `host`, and `real` says whether phones are played on that
    /// are not simulated.
    pub fn tasks(self: &Arc<Self>, host: &Arc<dyn SiteHost>, real: RealPhone) -> Vec<Arc<dyn Task>> {
        match self.platform {
            Platform::Android | Platform::Desktop | Platform::Web => OneScreenTask::all(self, host, real),
            Platform::Devices => DevicesTask::all(self, host, real),
            // No suite is of it: its file is refused.
            Platform::Ios => Vec::new(),
        }
    }
}
