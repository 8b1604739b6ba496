//! A task that is played on a private desktop.
//!
//! The stage is set by the device (`Stage::on_desktop`).

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::{Deadline, Device};

use crate::error::TaskError;
use crate::grace::{Rejudged, with_grace};
use crate::record::{Outcome, TaskEntry};
use crate::stage::Stage;
use crate::state::DeviceState;
use crate::suite::{
    Evidence, Instance, InstanceContext, Judgement, Looks, PendingEvents, Suite, TaskDef, feasibility,
    judge_checks,
};
use crate::task::{Goal, RunningTask, Task, Verdict};

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
        let mut ended = Ended { instance: &self.instance, device, evidence, deadline };
        with_grace(outcome, deadline, &mut ended).await
    }
}

/// The desktop as an episode left it.
struct Ended<'a> {
    instance: &'a Instance,
    device: &'a mut dyn Device,
    evidence: Evidence<'a>,
    deadline: Deadline,
}

#[async_trait]
impl Rejudged for Ended<'_> {
    async fn judge(&mut self, looks: Looks) -> Result<Judgement, TaskError> {
        let Self { instance, device, evidence, deadline } = self;
        let mut found = judge_checks(instance, *device, evidence, looks, *deadline).await?;
        found.checks.extend(feasibility(instance, evidence));
        Ok(found)
    }
}
