//! A task that is played on several screens at once.
//!
//! Each screen is set up as a task of its platform would be ([`Stage`]), all at the same time. Checks stand with the
//! screen that they ask; what is asked of the answer stands with the task.
//!
//! Invariant: a screen's set-up and checks reach that screen alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::join_all;
use waldo_devices::{Action, Deadline, Device, DeviceError};

use crate::beside::{Answered, Beside};
use crate::error::{Result, TaskError};
use crate::grace::{Rejudged, with_grace};
use crate::record::{CheckResult, Outcome};
use crate::stage::Stage;
use crate::staged::SuiteTask;
use crate::state::{DeviceState, Difference, Store};
use crate::suite::{
    Evidence, Instance, InstanceContext, Judgement, Looks, PendingEvents, ScreenDef, SiteLease, feasibility,
    judge_checks,
};
use crate::task::{EpisodeEnd, Goal, RunningTask, SetUp, Verdict};

/// The instance on a screen, with how the screen starts; its application runs from here on.
async fn stage(
    task: &SuiteTask,
    screen: &ScreenDef,
    seed: u64,
    pages: Option<&dyn SiteLease>,
    deadline: Deadline,
) -> Result<(ScreenTask, Stage)> {
    let app = match screen.def.application() {
        Some(app) => Some(task.host.app(app).await?),
        None => None,
    };
    let shown = app.as_deref().or(pages);
    let context = shown.map(InstanceContext::of).unwrap_or_default();
    let instance = screen.def.instance(seed, &context)?;
    let stage = match shown.filter(|_| instance.platform.has_pages()) {
        Some(lease) => Stage::on_site(&instance, lease)?,
        None if instance.platform.has_packages() => Stage::on_phone(&instance, task.real),
        None => Stage::on_desktop(&instance),
    };
    if let Some(app) = &app {
        app.open(&instance.seeds, deadline).await?;
    }
    Ok((ScreenTask { screen: screen.name.clone(), instance, start: None, app }, stage))
}

struct ScreenTask {
    screen: String,
    instance: Instance,
    start: Option<DeviceState>,
    /// The application that it shows, where it shows one.
    app: Option<Arc<dyn SiteLease>>,
}

impl ScreenTask {
    /// What its application keeps. One that has ended is an error.
    async fn stores(&self) -> Result<Option<BTreeMap<String, Store>>> {
        let Some(app) = &self.app else { return Ok(None) };
        app.health().await?;
        app.stores().await.map(Some)
    }
}

/// Why a device does not fit: it lacks a screen of the task.
fn no_screen(name: &str) -> TaskError {
    let message = "the device has no screen of this name".to_owned();
    TaskError::Device(DeviceError::BadArgument { what: format!("screen '{name}'"), message })
}

pub(crate) async fn set_up(task: &SuiteTask, to: SetUp<'_>) -> Result<Box<dyn RunningTask>> {
    let SetUp { device, seed, folder, deadline } = to;
    let own = |screen: &ScreenDef| screen.def.platform.has_pages() && screen.def.application().is_none();
    let pages = task.def.screens.iter().any(own);
    let lease = if pages { Some(task.host.lease(task.suite.site.clone()).await?) } else { None };
    let context = lease.as_deref().map(InstanceContext::of).unwrap_or_default();
    let instance = task.def.instance(seed, &context)?;
    let beside = Beside::start(&task.def, &instance, deadline).await?;
    let mut parts = Vec::new();
    let mut screens = device.screens();
    let mut set = Vec::new();
    let staged = task.def.screens.iter();
    let staged = join_all(staged.map(|screen| stage(task, screen, seed, lease.as_deref(), deadline))).await;
    for staged in staged {
        let (part, mut stage) = staged?;
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
        let of_app = part.app.as_deref().map(SiteLease::state);
        part.start = part.instance.start_state(screen, of_app.as_ref().or(pages.as_ref()), deadline).await?;
        let stores = part.stores().await?;
        if let (Some(start), Some(stores)) = (&mut part.start, stores) {
            start.0.extend(stores);
        }
    }
    let first = lease.as_deref().or_else(|| parts.iter().find_map(|part| part.app.as_deref()));
    let origin = first.map(|lease| lease.origin().to_owned());
    let goal = Goal { origin, beside: beside.offer(), ..Goal::of(&instance) };
    let pending = PendingEvents::of(&instance);
    Ok(Box::new(RunningOnDevices { pending, goal, instance, parts, lease, beside }))
}

struct RunningOnDevices {
    pending: PendingEvents,
    goal: Goal,
    instance: Instance,
    parts: Vec<ScreenTask>,
    lease: Option<Arc<dyn SiteLease>>,
    beside: Beside,
}

struct Ended<'a> {
    running: &'a RunningOnDevices,
    device: &'a mut dyn Device,
    outcome: &'a Outcome,
    answer: Option<&'a str>,
    deadline: Deadline,
}

#[async_trait]
impl Rejudged for Ended<'_> {
    async fn judge(&mut self, looks: Looks) -> Result<Judgement> {
        let Self { running, device, outcome, answer, deadline } = self;
        let (state, requests) =
            running.lease.as_ref().map(|lease| (lease.state(), lease.requests())).unwrap_or_default();
        let evidence = Evidence {
            state: &state,
            requests: &requests,
            outcome,
            answer: *answer,
            start: None,
            stores: None,
        };
        let mut all = judge_checks(&running.instance, *device, &evidence, looks, *deadline).await?;
        for part in &running.parts {
            let screen = device.screen(&part.screen).ok_or_else(|| no_screen(&part.screen))?;
            let (stores, of_app) = (part.stores().await?, part.app.as_deref().map(SiteLease::state));
            let state = of_app.as_ref().unwrap_or(&state);
            let evidence =
                Evidence { start: part.start.as_ref(), stores: stores.as_ref(), state, ..evidence };
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
    ) -> Result<Vec<String>> {
        for app in self.parts.iter().filter_map(|part| part.app.as_ref()) {
            app.health().await?;
        }
        self.pending.after(step, device, self.lease.as_deref(), deadline).await
    }

    async fn turn_to(&mut self, action: &Action, deadline: Deadline) -> Result<Answered> {
        self.beside.turn_to(action, deadline).await
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict> {
        let EpisodeEnd { device, outcome, answer, deadline } = end;
        let mut ended = Ended { running: self, device, outcome, answer, deadline };
        let verdict = with_grace(outcome, deadline, &mut ended).await?;
        for app in self.parts.iter().filter_map(|part| part.app.as_ref()).filter(|_| verdict.success < 1.0) {
            app.answers().await?;
        }
        Ok(verdict)
    }
}
