//! An archetype as a task: an episode is one instance, and ends when a state is handed in.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use waldo_devices::{Deadline, Device, GuardPolicy, OriginRule, ResetTo};

use super::{Control, Truth, generate};
use crate::error::{Result, TaskError};
use crate::record::{CheckResult, TaskEntry};
use crate::suite::{SiteFiles, SiteHost, SiteLease};
use crate::task::{EpisodeEnd, Goal, PictureMode, RunningTask, SetUp, Task, Verdict};

const SUBMIT: &str = "/_waldo/log/submit";
/// How much of a state a check shows.
const SHOWN: usize = 300;

pub(super) struct WidgetTask {
    pub entry: TaskEntry,
    pub files: SiteFiles,
    pub host: Arc<dyn SiteHost>,
    pub control: Control,
}

#[async_trait]
impl Task for WidgetTask {
    fn entry(&self) -> TaskEntry {
        self.entry.clone()
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>> {
        let SetUp { device, seed, deadline, .. } = to;
        let instance = generate(&self.entry.id, seed)?;
        let lease = self.host.lease(self.files.clone()).await?;
        lease.start(0, &instance.render, &json!({}));
        let origin = OriginRule::parse(lease.origin())
            .map_err(|e| TaskError::Template { what: "origin".into(), message: e.to_string() })?;
        let to = ResetTo {
            start: format!("{}/", lease.origin()),
            policy: GuardPolicy { origins: vec![origin], ..GuardPolicy::default() },
            scale: Some(instance.pixel_ratio),
            ..ResetTo::default()
        };
        device.reset(&to, deadline).await?;
        let goal = Goal {
            text: instance.goal(),
            params: instance.facts.clone(),
            reference: instance.steps(self.control)?.into(),
            origin: Some(lease.origin().to_owned()),
            widget: Some((self.entry.id.clone(), seed)),
            ..Goal::default()
        };
        Ok(Box::new(LiveWidget { goal, truth: instance.truth, lease, control: self.control }))
    }
}

struct LiveWidget {
    goal: Goal,
    truth: Truth,
    lease: Arc<dyn SiteLease>,
    control: Control,
}

impl LiveWidget {
    /// The first state that was handed in; a page that is loaded again gives no second try.
    fn submitted(&self) -> Option<Value> {
        let requests = self.lease.requests();
        let first = requests.into_iter().find(|r| r.path == SUBMIT && r.method == "POST")?;
        Some(first.body.unwrap_or_default())
    }
}

#[async_trait]
impl RunningTask for LiveWidget {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    fn sight(&self) -> PictureMode {
        if self.control == Control::Blind { PictureMode::Blank } else { PictureMode::All }
    }

    async fn ended(&mut self, _device: &mut dyn Device, _deadline: Deadline) -> Result<bool> {
        Ok(self.submitted().is_some())
    }

    async fn judge(&mut self, _: EpisodeEnd<'_>) -> Result<Verdict> {
        let submitted = self.submitted();
        let passed = submitted.as_ref().is_some_and(|state| self.truth.holds(state));
        let found = match submitted {
            Some(state) => state.to_string().chars().take(SHOWN).collect(),
            None => "nothing was handed in".to_owned(),
        };
        let what = "the first state that is handed in is the right one";
        Ok(Verdict::all(vec![CheckResult::new(what, passed, found)]))
    }
}
