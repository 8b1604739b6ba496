//! How the tasks of a suite are played on the platform that the suite is of. A platform is registered here and in
//! `staged.rs`.

use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::Platform;

use crate::error::Result;
use crate::record::TaskEntry;
use crate::staged::SuiteTask;
use crate::suite::{SiteHost, Suite, TaskDef};
use crate::task::{RunningTask, SetUp, Task};
use crate::{RealPhone, devices_task, one_screen_task};

impl Suite {
    /// Every task, in the declared order: pages are served by `host`, and `real` says whether phones are played on that
    /// are not simulated.
    pub fn tasks(self: &Arc<Self>, host: &Arc<dyn SiteHost>, real: RealPhone) -> Vec<Arc<dyn Task>> {
        let task = |def: &TaskDef| {
            let task = SuiteTask { suite: self.clone(), def: def.clone(), host: host.clone(), real };
            Arc::new(task) as Arc<dyn Task>
        };
        self.tasks.iter().map(task).collect()
    }
}

#[async_trait]
impl Task for SuiteTask {
    fn entry(&self) -> TaskEntry {
        self.def.entry(&self.suite)
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>> {
        match self.suite.platform {
            Platform::Devices => devices_task::set_up(self, to).await,
            // No suite is of iPhones: its file is refused.
            Platform::Android | Platform::Desktop | Platform::Web | Platform::Ios => {
                one_screen_task::set_up(self, to).await
            }
        }
    }
}
