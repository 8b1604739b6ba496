//! How the tasks of a suite are played on the platform that the suite is of. A platform is registered here once.

use std::sync::Arc;

use waldo_devices::Platform;

use crate::desktop_task::DesktopTask;
use crate::devices_task::DevicesTask;
use crate::phone_task::PhoneTask;
use crate::site_task::SiteTask;
use crate::suite::{Instance, InstanceContext, SiteHost, SiteLease, Suite, TaskDef};
use crate::{RealPhone, Stage, Task, TaskError};

/// A task's instance as it is set up, without an episode: for exploring and demonstrating.
pub struct Staged {
    pub instance: Instance,
    pub stage: Stage,
    /// Who serves its pages, where it has some.
    pub pages: Option<Box<dyn SiteLease>>,
}

impl Suite {
    /// Every task, in the declared order: pages are served by `host`, and `real` says whether phones are played on that
    /// are not simulated.
    pub fn tasks(self: &Arc<Self>, host: &Arc<dyn SiteHost>, real: RealPhone) -> Vec<Arc<dyn Task>> {
        match self.platform {
            Platform::Android => PhoneTask::all(self, real),
            Platform::Desktop => DesktopTask::all(self),
            Platform::Web => SiteTask::all(self, host),
            Platform::Devices => DevicesTask::all(self, host, real),
            // No suite is of it: its file is refused.
            Platform::Ios => Vec::new(),
        }
    }

    /// How a task of this suite starts with the instance that `seed` draws.
    ///
    /// # Errors
    /// When pages cannot be served, or a template cannot be filled.
    pub async fn stage(
        &self,
        task: &TaskDef,
        seed: u64,
        host: &dyn SiteHost,
        real: RealPhone,
    ) -> Result<Staged, TaskError> {
        let plain = |start: &dyn Fn(&Instance) -> Stage| {
            let instance = task.instance(seed, &InstanceContext::default())?;
            let stage = start(&instance);
            Ok(Staged { instance, stage, pages: None })
        };
        match self.platform {
            Platform::Android => plain(&|instance| Stage::on_phone(instance, real)),
            Platform::Desktop => plain(&Stage::on_desktop),
            // Exploring and demonstrating are done on one screen.
            Platform::Devices | Platform::Ios => Err(TaskError::OneScreen { suite: self.id.clone() }),
            Platform::Web => {
                let lease = host.lease(self.site.clone()).await?;
                let origin = lease.origin().into();
                let context = InstanceContext { origin, other_origin: lease.other_origin().into() };
                let instance = task.instance(seed, &context)?;
                let stage = Stage::on_site(&instance, lease.as_ref())?;
                Ok(Staged { instance, stage, pages: Some(lease) })
            }
        }
    }
}
