//! A task that is played on one screen: pages that waldo serves itself, a phone, or a private desktop.
//!
//! How it starts is the suite's to say ([`Suite::stage`]). A desktop's end is looked at again for a moment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use waldo_devices::{Action, Deadline, Device, Platform};

use crate::beside::{Answered, Beside};
use crate::error::{Result, TaskError};
use crate::grace::{Rejudged, with_grace};
use crate::staged::{Staged, SuiteTask};
use crate::state::DeviceState;
use crate::suite::{
    Evidence, Instance, Judgement, Looks, PendingEvents, SiteLease, feasibility, judge, judge_checks,
};
use crate::task::{EpisodeEnd, Goal, RunningTask, SetUp, Verdict};

pub(crate) async fn set_up(task: &SuiteTask, to: SetUp<'_>) -> Result<Box<dyn RunningTask>> {
    let SetUp { device, seed, folder, deadline } = to;
    let staged = task.suite.stage(&task.def, seed, task.host.as_ref(), task.real, deadline).await?;
    let Staged { instance, mut stage, pages } = staged;
    let beside = Beside::start(&task.def, &instance, deadline).await?;
    let mut goal = Goal { beside: beside.offer(), ..Goal::of(&instance) };
    if let Some(lease) = &pages {
        goal.uploads = write_uploads(&instance.state, folder)?;
        goal.origin = Some(lease.origin().to_owned());
        stage.to.downloads = Some(folder.join("downloads"));
    }
    stage.set(device, deadline).await?;
    let state = pages.as_deref().map(SiteLease::state);
    let mut start = instance.start_state(device, state.as_ref(), deadline).await?;
    if let Some(start) = &mut start {
        start.0.extend(beside.stores()?);
        if let Some(lease) = &pages {
            start.0.extend(lease.stores().await?);
        }
    }
    let pending = PendingEvents::of(&instance);
    Ok(Box::new(RunningOnOneScreen { pending, goal, instance, start, pages, beside }))
}

/// The files of `state.uploads`, written where the episode may offer them to a page.
fn write_uploads(state: &Value, folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let Some(uploads) = state.get("uploads").and_then(Value::as_object) else {
        return Ok(Vec::new());
    };
    let dir = folder.join("uploads");
    std::fs::create_dir_all(&dir).map_err(TaskError::io("make", &dir))?;
    let mut written = Vec::new();
    for (name, text) in uploads {
        // A name that is more than a name could leave the folder.
        let Some(file) = Path::new(name).file_name() else { continue };
        let path = dir.join(file);
        let bytes = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
        std::fs::write(&path, bytes).map_err(TaskError::io("write", &path))?;
        written.push((name.clone(), path));
    }
    Ok(written)
}

struct RunningOnOneScreen {
    pending: PendingEvents,
    goal: Goal,
    instance: Instance,
    start: Option<DeviceState>,
    pages: Option<Arc<dyn SiteLease>>,
    beside: Beside,
}

#[async_trait]
impl RunningTask for RunningOnOneScreen {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn between(
        &mut self,
        step: u32,
        device: &mut dyn Device,
        deadline: Deadline,
    ) -> Result<Vec<String>> {
        if let Some(lease) = &self.pages {
            lease.health().await?;
        }
        self.pending.after(step, device, self.pages.as_deref(), deadline).await
    }

    async fn turn_to(&mut self, action: &Action, deadline: Deadline) -> Result<Answered> {
        self.beside.turn_to(action, deadline).await
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict> {
        let EpisodeEnd { device, outcome, answer, deadline } = end;
        let (state, requests) =
            self.pages.as_ref().map(|lease| (lease.state(), lease.requests())).unwrap_or_default();
        let mut stores = self.beside.stores()?;
        if let Some(lease) = &self.pages {
            lease.health().await?;
            stores.extend(lease.stores().await?);
        }
        let evidence = Evidence {
            state: &state,
            requests: &requests,
            outcome,
            answer,
            start: self.start.as_ref(),
            stores: Some(&stores),
        };
        if self.instance.platform == Platform::Desktop {
            let mut ended = Ended { instance: &self.instance, device, evidence, deadline };
            return with_grace(outcome, deadline, &mut ended).await;
        }
        let verdict = Verdict::from(judge(&self.instance, device, &evidence, deadline).await?);
        if let Some(lease) = self.pages.as_ref().filter(|_| verdict.success < 1.0) {
            lease.answers().await?;
        }
        Ok(verdict)
    }
}

struct Ended<'a> {
    instance: &'a Instance,
    device: &'a mut dyn Device,
    evidence: Evidence<'a>,
    deadline: Deadline,
}

#[async_trait]
impl Rejudged for Ended<'_> {
    async fn judge(&mut self, looks: Looks) -> Result<Judgement> {
        let Self { instance, device, evidence, deadline } = self;
        let mut found = judge_checks(instance, *device, evidence, looks, *deadline).await?;
        found.checks.extend(feasibility(instance, evidence));
        Ok(found)
    }
}
