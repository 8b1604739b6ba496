//! What a task is to the episode loop: it prepares a device, states a goal, and judges the end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use waldo_agents::reference::Step;
use waldo_devices::{Action, Budget, Deadline, Device, DeviceError};

use crate::beside::{Answered, BesideOffer};
use crate::error::Result;
use crate::record::{CheckResult, Outcome, Scoring, TaskEntry};
use crate::state::Difference;
use crate::suite::{Instance, Judgement};

#[derive(Clone, Debug, Default)]
pub struct Goal {
    pub text: String,
    pub params: serde_json::Value,
    /// The reference solution; empty when the task has none.
    pub reference: Arc<[Step]>,
    /// Files that the agent may upload, by name: everything else of the host is out of its reach.
    pub uploads: Vec<(String, PathBuf)>,
    /// The origin of the instance's own pages, which no other instance has; absent for real sites.
    pub origin: Option<String>,
    /// What an agent may turn to beside the screen.
    pub beside: BesideOffer,
    /// The archetype and seed of a widget, for a stand-in that has to know how it is drawn.
    pub widget: Option<(String, u64)>,
}

impl Goal {
    /// What `instance` asks for, with nothing to upload and no pages of its own.
    pub fn of(instance: &Instance) -> Self {
        Self {
            text: instance.goal.clone(),
            params: instance.params.clone(),
            reference: instance.reference.clone().into(),
            ..Self::default()
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// 0 to 1; without any check it says nothing.
    pub success: f64,
    /// Partial credit, 0 to 1, where there are checkpoints.
    pub partial: Option<f64>,
    pub checks: Vec<CheckResult>,
    pub scoring: Scoring,
    /// What became different on the screens between the start and the end, where that was read.
    pub changes: Vec<Difference>,
}

impl Verdict {
    pub fn scored(success: f64, checks: Vec<CheckResult>) -> Self {
        Self { scoring: Scoring::SomeChecks, success, ..Self::all(checks) }
    }

    pub fn all(checks: Vec<CheckResult>) -> Self {
        let success = if checks.iter().all(|check| check.passed) { 1.0 } else { 0.0 };
        let partial = CheckResult::partial(&checks);
        Self { success, partial, checks, scoring: Scoring::AllChecks, changes: Vec::new() }
    }
}

impl From<Judgement> for Verdict {
    fn from(judgement: Judgement) -> Self {
        Self { changes: judgement.changes, ..Self::all(judgement.checks) }
    }
}

/// The start of an episode.
pub struct SetUp<'a> {
    pub device: &'a mut dyn Device,
    pub seed: u64,
    /// The episode's own.
    pub folder: &'a Path,
    pub deadline: Deadline,
}

/// What an episode came to: what the agent claims is only evidence where the task asks for an answer.
pub struct EpisodeEnd<'a> {
    pub device: &'a mut dyn Device,
    pub outcome: &'a Outcome,
    pub answer: Option<&'a str>,
    pub deadline: Deadline,
}

#[async_trait]
pub trait Task: Send + Sync {
    fn entry(&self) -> TaskEntry;

    /// Limits of its own beside the step budget; the tighter of these and the command line's holds.
    fn budget(&self) -> Budget {
        Budget::default()
    }

    /// Brings the device to the start of the instance with this seed.
    ///
    /// # Errors
    /// When the world could not be prepared: the attempt is invalid.
    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>>;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureMode {
    #[default]
    All,
    /// Blank pictures, as a control: what is solved all the same was not seen.
    Blank,
}

#[async_trait]
pub trait RunningTask: Send {
    fn goal(&self) -> &Goal;

    fn sight(&self) -> PictureMode {
        PictureMode::All
    }

    async fn ended(&mut self, _device: &mut dyn Device, _deadline: Deadline) -> Result<bool> {
        Ok(false)
    }

    /// Lets happen what the task says to happen after `step` decisions; in words what did. Most tasks have no such
    /// events.
    ///
    /// # Errors
    /// When the device cannot be asked, or an event cannot be carried out: the attempt is invalid.
    async fn between(
        &mut self,
        _step: u32,
        _device: &mut dyn Device,
        _deadline: Deadline,
    ) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Asks the task's person, or calls one of its tools, where the device does not do so itself.
    ///
    /// # Errors
    /// What the agent did wrong as an error of a device that is its mistake; else the attempt is invalid.
    async fn turn_to(&mut self, action: &Action, _deadline: Deadline) -> Result<Answered> {
        Err(DeviceError::unsupported("this task", action.name()).into())
    }

    /// Judges the final state.
    ///
    /// # Errors
    /// When the device cannot be asked: the attempt is invalid.
    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict>;
}
