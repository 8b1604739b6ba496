//! How a task of one screen starts on the platform that its suite is of.

use std::sync::Arc;

use waldo_devices::{Deadline, Platform};

use crate::suite::{Instance, InstanceContext, SiteHost, SiteLease, Suite, TaskDef};
use crate::{RealPhone, Stage, TaskError};

/// A task's instance as it is set up: for an episode, for exploring and demonstrating.
pub struct Staged {
    pub instance: Instance,
    pub stage: Stage,
    pub pages: Option<Arc<dyn SiteLease>>,
}

/// A task with the suite it belongs to, and the server of its pages.
pub(crate) struct SuiteTask {
    pub suite: Arc<Suite>,
    pub def: TaskDef,
    pub host: Arc<dyn SiteHost>,
    pub real: RealPhone,
}

impl Suite {
    /// How a task of this suite starts with the instance that `seed` draws.
    pub async fn stage(
        &self,
        task: &TaskDef,
        seed: u64,
        host: &dyn SiteHost,
        real: RealPhone,
        deadline: Deadline,
    ) -> Result<Staged, TaskError> {
        let plain = |start: &dyn Fn(&Instance) -> Stage| {
            let instance = task.instance(seed, &InstanceContext::default())?;
            let stage = start(&instance);
            Ok(Staged { instance, stage, pages: None })
        };
        match self.platform {
            Platform::Android => plain(&|instance| Stage::on_phone(instance, real)),
            Platform::Desktop => plain(&Stage::on_desktop),
            // What is started so is of one screen.
            Platform::Devices | Platform::Ios => Err(TaskError::OneScreen { suite: self.id.clone() }),
            Platform::Web => {
                let lease = match task.application() {
                    Some(app) => host.app(app).await?,
                    None => host.lease(self.site.clone()).await?,
                };
                let instance = task.instance(seed, &InstanceContext::of(lease.as_ref()))?;
                let stage = Stage::on_site(&instance, lease.as_ref())?;
                lease.open(&instance.seeds, deadline).await?;
                Ok(Staged { instance, stage, pages: Some(lease) })
            }
        }
    }
}
