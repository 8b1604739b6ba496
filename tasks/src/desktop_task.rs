//! A task that is played on a private desktop.
//!
//! The stage is set by the device (`Stage::on_desktop`). Checks are put again for a moment: a program that
//! was told to save writes its file when it gets to it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::{Deadline, Device};

use crate::error::TaskError;
use crate::record::{Outcome, TaskEntry};
use crate::stage::Stage;
use crate::state::DeviceState;
use crate::suite::{Evidence, Instance, InstanceContext, PendingEvents, Suite, TaskDef, judge};
use crate::task::{Goal, RunningTask, Task, Verdict};

/// How long a check that does not hold yet is put again.
const GRACE: Duration = Duration::from_secs(5);
/// Between two rounds of checks.
const ROUND: Duration = Duration::from_millis(250);

/// A task with the suite it belongs to.
pub(crate) struct DesktopTask {
    suite: Arc<Suite>,
    def: TaskDef,
}

impl DesktopTask {
    /// Every task of `suite`, in its declared order.
    pub fn all(suite: &Arc<Suite>) -> Vec<Arc<dyn Task>> {
        let task = |def: &TaskDef| Arc::new(Self { suite: suite.clone(), def: def.clone() }) as Arc<dyn Task>;
        suite.tasks.iter().map(task).collect()
    }
}

#[async_trait]
impl Task for DesktopTask {
    fn entry(&self) -> TaskEntry {
        self.def.entry(&self.suite)
    }

    async fn set_up(
        &self,
        device: &mut dyn Device,
        seed: u64,
        _folder: &Path,
        deadline: Deadline,
    ) -> Result<Box<dyn RunningTask>, TaskError> {
        let instance = self.def.instance(seed, &InstanceContext::default())?;
        Stage::on_desktop(&instance).set(device, deadline).await?;
        let start = instance.start_state(device, None, deadline).await?;
        Ok(Box::new(RunningOnDesktop {
            start,
            pending: PendingEvents::of(&instance),
            goal: Goal::of(&instance),
            instance,
        }))
    }
}

struct RunningOnDesktop {
    pending: PendingEvents,
    goal: Goal,
    instance: Instance,
    start: Option<DeviceState>,
}

#[async_trait]
impl RunningTask for RunningOnDesktop {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn between(
        &mut self,
        step: u32,
        device: &mut dyn Device,
        deadline: Deadline,
    ) -> Result<Vec<String>, TaskError> {
        self.pending.after(step, device, None, deadline).await
    }

    async fn judge(
        &mut self,
        device: &mut dyn Device,
        outcome: &Outcome,
        answer: Option<&str>,
        deadline: Deadline,
    ) -> Result<Verdict, TaskError> {
        let evidence =
            Evidence { state: &Value::Null, requests: &[], outcome, answer, start: self.start.as_ref() };
        let end = tokio::time::Instant::now() + GRACE;
        let mut round = tokio::time::interval(ROUND);
        loop {
            round.tick().await;
            let verdict = Verdict::from(judge(&self.instance, device, &evidence, deadline).await?);
            // What the agent itself said does not change by waiting.
            let given_up = *outcome != Outcome::Finished;
            if verdict.success == 1.0 || given_up || tokio::time::Instant::now() >= end || deadline.passed() {
                return Ok(verdict);
            }
        }
    }
}
