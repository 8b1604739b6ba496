//! A task that is played on a phone.
//!
//! The stage is set over the device's own shell (`Stage::on_phone`): the simulated phone gets contents of
//! the instance's seed; a real one keeps its own, and is played on only where that was allowed.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::{Deadline, Device};

use crate::error::TaskError;
use crate::record::{Outcome, TaskEntry};
use crate::stage::{RealPhone, Stage};
use crate::state::DeviceState;
use crate::suite::{Evidence, Instance, InstanceContext, PendingEvents, Suite, TaskDef, judge};
use crate::task::{Goal, RunningTask, Task, Verdict};

/// A task with the suite it belongs to.
pub(crate) struct PhoneTask {
    suite: Arc<Suite>,
    def: TaskDef,
    real: RealPhone,
}

impl PhoneTask {
    /// Every task of `suite`, in its declared order; `real` says whether on phones that are not simulated too.
    pub fn all(suite: &Arc<Suite>, real: RealPhone) -> Vec<Arc<dyn Task>> {
        let task =
            |def: &TaskDef| Arc::new(Self { suite: suite.clone(), def: def.clone(), real }) as Arc<dyn Task>;
        suite.tasks.iter().map(task).collect()
    }
}

#[async_trait]
impl Task for PhoneTask {
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
        Stage::on_phone(&instance, self.real).set(device, deadline).await?;
        let start = instance.start_state(device, None, deadline).await?;
        Ok(Box::new(RunningOnPhone {
            start,
            pending: PendingEvents::of(&instance),
            goal: Goal::of(&instance),
            instance,
        }))
    }
}

struct RunningOnPhone {
    pending: PendingEvents,
    goal: Goal,
    instance: Instance,
    start: Option<DeviceState>,
}

#[async_trait]
impl RunningTask for RunningOnPhone {
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
        Ok(Verdict::from(judge(&self.instance, device, &evidence, deadline).await?))
    }
}
