//! A task that is played on several screens at once.
//!
//! Each screen is set up as a task of its platform would be ([`Stage`]), all at the same time. Checks stand with the
//! screen that they ask; what is asked of the answer stands with the task.
//!
//! Invariant: a screen's set-up and checks reach that screen alone.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use serde_json::Value;
use waldo_devices::{Deadline, Device, DeviceError};

use crate::error::TaskError;
use crate::grace::{Rejudged, with_grace};
use crate::record::{CheckResult, Outcome, TaskEntry};
use crate::stage::{RealPhone, Stage};
use crate::state::{DeviceState, Difference};
use crate::suite::{
    Evidence, Instance, InstanceContext, Judgement, Looks, PendingEvents, SiteHost, SiteLease, Suite,
    TaskDef, feasibility, judge_checks,
};
use crate::task::{Goal, RunningTask, Task, Verdict};

/// A task with the suite it belongs to, and the server of its pages.
pub(crate) struct DevicesTask {
    suite: Arc<Suite>,
    def: TaskDef,
    host: Arc<dyn SiteHost>,
    real: RealPhone,
}

impl DevicesTask {
    /// Every task of `suite`, in its declared order; `real` says whether phones that are not simulated may be among the
    /// screens.
    pub fn all(suite: &Arc<Suite>, host: &Arc<dyn SiteHost>, real: RealPhone) -> Vec<Arc<dyn Task>> {
        let task = |def: &TaskDef| {
            Arc::new(Self { suite: suite.clone(), def: def.clone(), host: host.clone(), real })
                as Arc<dyn Task>
        };
        suite.tasks.iter().map(task).collect()
    }

    /// The instance on each screen, with how the screen starts.
    fn stages(
        &self,
        seed: u64,
        context: &InstanceContext,
        lease: Option<&dyn SiteLease>,
    ) -> Result<Vec<(ScreenTask, Stage)>, TaskError> {
        let staged = self.def.screens.iter().map(|screen| {
            let instance = screen.def.instance(seed, context)?;
            let stage = match lease.filter(|_| instance.platform.has_pages()) {
                Some(lease) => Stage::on_site(&instance, lease)?,
                None if instance.platform.has_packages() => Stage::on_phone(&instance, self.real),
                None => Stage::on_desktop(&instance),
            };
            Ok((ScreenTask { screen: screen.name.clone(), instance, start: None }, stage))
        });
        staged.collect()
    }
}

/// The task on one of its screens.
struct ScreenTask {
    screen: String,
    instance: Instance,
    start: Option<DeviceState>,
}

/// Why a device does not fit: it lacks a screen of the task.
fn no_screen(name: &str) -> TaskError {
    let message = "the device has no screen of this name".to_owned();
    TaskError::Device(DeviceError::BadArgument { what: format!("screen '{name}'"), message })
}

#[async_trait]
impl Task for DevicesTask {
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
        let pages = self.def.screens.iter().any(|screen| screen.def.platform.has_pages());
        let lease = if pages { Some(self.host.lease(self.suite.site.clone()).await?) } else { None };
        let context = lease.as_deref().map_or_else(InstanceContext::default, |lease| InstanceContext {
            origin: lease.origin().to_owned(),
            other_origin: lease.other_origin().to_owned(),
        });
        let instance = self.def.instance(seed, &context)?;
        let mut parts = Vec::new();
        let mut screens = device.screens();
        let mut set = Vec::new();
        for (part, mut stage) in self.stages(seed, &context, lease.as_deref())? {
            let at = screens.iter().position(|(name, _)| *name == part.screen);
            let (_, screen) = screens.swap_remove(at.ok_or_else(|| no_screen(&part.screen))?);
            if part.instance.platform.has_pages() {
                stage.to.downloads = Some(folder.join("downloads").join(&part.screen));
            }
            parts.push(part);
            set.push(async move { stage.set(screen, deadline).await });
        }
        join_all(set).await.into_iter().collect::<Result<(), _>>()?;
        let pages = lease.as_deref().map(SiteLease::state);
        for part in &mut parts {
            let screen = device.screen(&part.screen).ok_or_else(|| no_screen(&part.screen))?;
            part.start = part.instance.start_state(screen, pages.as_ref(), deadline).await?;
        }
        let goal =
            Goal { origin: lease.as_deref().map(|lease| lease.origin().to_owned()), ..Goal::of(&instance) };
        Ok(Box::new(RunningOnDevices { pending: PendingEvents::of(&instance), goal, instance, parts, lease }))
    }
}

struct RunningOnDevices {
    pending: PendingEvents,
    goal: Goal,
    instance: Instance,
    parts: Vec<ScreenTask>,
    lease: Option<Box<dyn SiteLease>>,
}

/// The screens as an episode left them.
struct Ended<'a> {
    running: &'a RunningOnDevices,
    device: &'a mut dyn Device,
    outcome: &'a Outcome,
    answer: Option<&'a str>,
    deadline: Deadline,
}

#[async_trait]
impl Rejudged for Ended<'_> {
    async fn judge(&mut self, looks: Looks) -> Result<Judgement, TaskError> {
        let Self { running, device, outcome, answer, deadline } = self;
        let (state, requests) = match &running.lease {
            Some(lease) => (lease.state(), lease.requests()),
            None => (Value::Null, Vec::new()),
        };
        let evidence = Evidence { state: &state, requests: &requests, outcome, answer: *answer, start: None };
        let mut all = judge_checks(&running.instance, *device, &evidence, looks, *deadline).await?;
        for part in &running.parts {
            let screen = device.screen(&part.screen).ok_or_else(|| no_screen(&part.screen))?;
            let evidence = Evidence { start: part.start.as_ref(), ..evidence };
            let found = judge_checks(&part.instance, screen, &evidence, looks, *deadline).await?;
            let named = |what: String| format!("{}: {what}", part.screen);
            all.checks.extend(
                found.checks.into_iter().map(|check| CheckResult { what: named(check.what), ..check }),
            );
            let changes = found.changes.into_iter();
            all.changes.extend(changes.map(|one| Difference { store: named(one.store), ..one }));
        }
        all.checks.extend(feasibility(&running.instance, &evidence));
        Ok(all)
    }
}

#[async_trait]
impl RunningTask for RunningOnDevices {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn between(
        &mut self,
        step: u32,
        device: &mut dyn Device,
        deadline: Deadline,
    ) -> Result<Vec<String>, TaskError> {
        self.pending.after(step, device, self.lease.as_deref(), deadline).await
    }

    async fn judge(
        &mut self,
        device: &mut dyn Device,
        outcome: &Outcome,
        answer: Option<&str>,
        deadline: Deadline,
    ) -> Result<Verdict, TaskError> {
        let mut ended = Ended { running: self, device, outcome, answer, deadline };
        with_grace(outcome, deadline, &mut ended).await
    }
}
