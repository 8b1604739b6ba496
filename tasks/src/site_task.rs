//! A task of a suite whose pages waldo serves itself.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{Deadline, Device};

use crate::error::TaskError;
use crate::record::{Outcome, TaskEntry};
use crate::stage::Stage;
use crate::state::DeviceState;
use crate::suite::{
    Evidence, Instance, InstanceContext, PendingEvents, SiteHost, SiteLease, Suite, TaskDef, judge,
};
use crate::task::{Goal, RunningTask, Task, Verdict};

/// A task with the suite it belongs to and the server of its pages.
pub(crate) struct SiteTask {
    suite: Arc<Suite>,
    def: TaskDef,
    host: Arc<dyn SiteHost>,
}

impl SiteTask {
    /// Every task of `suite`, in its declared order.
    pub fn all(suite: &Arc<Suite>, host: &Arc<dyn SiteHost>) -> Vec<Arc<dyn Task>> {
        suite
            .tasks
            .iter()
            .map(|def| {
                let (suite, host, def) = (suite.clone(), host.clone(), def.clone());
                Arc::new(Self { suite, def, host }) as Arc<dyn Task>
            })
            .collect()
    }
}

#[async_trait]
impl Task for SiteTask {
    fn entry(&self) -> TaskEntry {
        self.def.entry(&self.suite)
    }

    async fn set_up(
        &self,
        device: &mut dyn Device,
        seed: u64,
        folder: &Path,
        deadline: Deadline,
    ) -> Result<Box<dyn RunningTask>, TaskError> {
        let lease = self.host.lease(self.suite.site.clone()).await?;
        let context = InstanceContext {
            origin: lease.origin().to_owned(),
            other_origin: lease.other_origin().to_owned(),
        };
        let instance = self.def.instance(seed, &context)?;
        let mut stage = Stage::on_site(&instance, lease.as_ref())?;
        let uploads = write_uploads(&instance.state, folder)?;
        stage.to.downloads = Some(folder.join("downloads"));
        stage.set(device, deadline).await?;
        let start = instance.start_state(device, Some(&lease.state()), deadline).await?;
        let goal = Goal { uploads, origin: Some(lease.origin().to_owned()), ..Goal::of(&instance) };
        Ok(Box::new(RunningOnSite { pending: PendingEvents::of(&instance), goal, instance, start, lease }))
    }
}

/// The files of `state.uploads`, written where the episode may offer them to a page.
fn write_uploads(
    state: &serde_json::Value,
    folder: &Path,
) -> Result<Vec<(String, std::path::PathBuf)>, TaskError> {
    let Some(uploads) = state.get("uploads").and_then(serde_json::Value::as_object) else {
        return Ok(Vec::new());
    };
    let dir = folder.join("uploads");
    let io = |what: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| TaskError::Io { what, path, source }
    };
    std::fs::create_dir_all(&dir).map_err(io("make", &dir))?;
    let mut written = Vec::new();
    for (name, text) in uploads {
        // A name that is more than a name could leave the folder.
        let Some(file) = Path::new(name).file_name() else { continue };
        let path = dir.join(file);
        let bytes = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
        std::fs::write(&path, bytes).map_err(io("write", &path))?;
        written.push((name.clone(), path));
    }
    Ok(written)
}

struct RunningOnSite {
    pending: PendingEvents,
    goal: Goal,
    instance: Instance,
    start: Option<DeviceState>,
    lease: Box<dyn SiteLease>,
}

#[async_trait]
impl RunningTask for RunningOnSite {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn between(
        &mut self,
        step: u32,
        device: &mut dyn Device,
        deadline: Deadline,
    ) -> Result<Vec<String>, TaskError> {
        self.pending.after(step, device, Some(self.lease.as_ref()), deadline).await
    }

    async fn judge(
        &mut self,
        device: &mut dyn Device,
        outcome: &Outcome,
        answer: Option<&str>,
        deadline: Deadline,
    ) -> Result<Verdict, TaskError> {
        let (state, requests) = (self.lease.state(), self.lease.requests());
        let evidence =
            Evidence { state: &state, requests: &requests, outcome, answer, start: self.start.as_ref() };
        Ok(Verdict::from(judge(&self.instance, device, &evidence, deadline).await?))
    }
}
