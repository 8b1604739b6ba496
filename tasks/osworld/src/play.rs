//! OSWorld's tasks as tasks of the episode loop, on a desktop device: a private display, or a machine elsewhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use waldo_devices::{
    AppRule, Deadline, DesktopSetup, Device, DeviceError, GuardPolicy, Platform, ResetTo, ShellUse,
    StateProbe, StateValue,
};

use super::browser::BrowserClient;
use super::cache::Cache;
use super::getters::GetterContext;
use super::guest;
use super::judge::{Ending, judge};
use super::machine::{Elsewhere, Machine, OnDevice, Reach};
use super::setup::SetupRunner;
use super::survey::files;
use super::task::OsTask;
use waldo_tasks::record::{CheckResult, TaskEntry};
use waldo_tasks::{EpisodeEnd, Goal, Outcome, RunningTask, SetUp, Task, TaskError, Verdict};

/// Steps per episode, as the original has them by default.
const MAX_STEPS: u32 = 15;
/// Characters of an instruction that are a title.
const TITLE: usize = 60;

/// How a virtual machine is reached by the sockets in this folder of the host.
pub type ReachIn = dyn Fn(&Path) -> Result<Reach, DeviceError> + Send + Sync;

/// The machines elsewhere that tasks are played on.
#[derive(Clone)]
pub enum Place {
    At(Box<Reach>),
    /// The virtual machine that the device of the episode is.
    OfDevice(Arc<ReachIn>),
}

#[derive(Clone)]
pub struct OsworldStage {
    pub cache: Cache,
    pub browser: Option<Arc<dyn BrowserClient>>,
    pub path: String,
    /// Whether the agent may run shell commands by an action of its own. The benchmark's agents may not:
    /// they open a terminal.
    pub shell: ShellUse,
    /// Nothing where each has a private display.
    pub elsewhere: Option<Place>,
}

impl OsworldStage {
    async fn machine<'a>(
        &self,
        device: &'a mut dyn Device,
        deadline: Deadline,
    ) -> Result<Box<dyn Machine + 'a>, TaskError> {
        let reach = match &self.elsewhere {
            None => return Ok(Box::new(OnDevice::new(device, self.browser.clone(), deadline).await?)),
            Some(Place::At(reach)) => Reach::clone(reach),
            Some(Place::OfDevice(reach_in)) => match device.probe(&StateProbe::Machine, deadline).await? {
                StateValue::Text(folder) => reach_in(Path::new(&folder))?,
                other => return Err(DeviceError::Internal(format!("{other:?} is no folder")).into()),
            },
        };
        Ok(Box::new(Elsewhere::new(reach, deadline).await?))
    }
}

pub struct PlayedTask {
    task: Arc<OsTask>,
    stage: OsworldStage,
}

impl PlayedTask {
    pub fn all(tasks: Vec<OsTask>, stage: &OsworldStage) -> Vec<Arc<dyn Task>> {
        let play = |task| Arc::new(Self { task: Arc::new(task), stage: stage.clone() }) as Arc<dyn Task>;
        tasks.into_iter().map(play).collect()
    }

    /// Sees to it that the task's documents are here, those that judge it, too: a download that fails costs
    /// no episode then.
    async fn fetch(&self, deadline: Deadline) -> Result<(), TaskError> {
        for file in files(&self.task) {
            self.stage.cache.ensure(&file.url, &self.task.id, &file.name, deadline).await?;
        }
        Ok(())
    }
}

pub fn entry(task: &OsTask) -> TaskEntry {
    let title: String = task.instruction.chars().take(TITLE).collect();
    TaskEntry {
        level: if task.domain == "multi_apps" { "L4" } else { "L3" }.into(),
        infeasible: task.evaluator.infeasible,
        ..TaskEntry::single(&task.id, &title, &task.domain, Platform::Desktop, MAX_STEPS)
    }
}

#[async_trait]
impl Task for PlayedTask {
    fn entry(&self) -> TaskEntry {
        entry(&self.task)
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>, TaskError> {
        let SetUp { device, folder, deadline, .. } = to;
        self.fetch(deadline).await?;
        // A private display holds nothing but the task, and so does a machine that was set back for it: its programs may
        // all be touched.
        let apps = vec![AppRule("*".to_owned())];
        let policy = GuardPolicy { apps, shell: self.stage.shell, ..GuardPolicy::default() };
        let desktop = match self.stage.elsewhere {
            Some(_) => DesktopSetup::default(),
            None => guest::desktop(&self.stage.path),
        };
        device.reset(&ResetTo { policy, desktop, ..ResetTo::default() }, deadline).await?;
        let scratch = folder.join("osworld");
        std::fs::create_dir_all(&scratch).map_err(TaskError::io("make", &scratch))?;
        let mut machine = self.stage.machine(device, deadline).await?;
        if self.stage.elsewhere.is_none() {
            guest::folders(&machine.home())?;
        }
        let cache = &self.stage.cache;
        SetupRunner { machine: &mut *machine, cache, task: &self.task.id, scratch: &scratch, deadline }
            .run(&self.task.config)
            .await?;
        let goal = Goal {
            text: self.task.instruction.clone(),
            params: serde_json::json!({ "snapshot": self.task.snapshot }),
            reference: self.task.reference.clone().into(),
            ..Goal::default()
        };
        Ok(Box::new(LiveTask { goal, task: self.task.clone(), stage: self.stage.clone(), scratch }))
    }
}

struct LiveTask {
    goal: Goal,
    task: Arc<OsTask>,
    stage: OsworldStage,
    scratch: PathBuf,
}

#[async_trait]
impl RunningTask for LiveTask {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict, TaskError> {
        let EpisodeEnd { device, outcome, deadline, .. } = end;
        let ending = if *outcome == Outcome::DeclaredInfeasible { Ending::Failed } else { Ending::Other };
        let mut machine = self.stage.machine(device, deadline).await?;
        let mut world = GetterContext {
            machine: &mut *machine,
            cache: &self.stage.cache,
            task: &self.task.id,
            scratch: &self.scratch,
            deadline,
        };
        let found = judge(&self.task, &mut world, ending).await?;
        let checks = found.parts.into_iter().map(|part| {
            let found = if part.note.is_empty() { part.score.to_string() } else { part.note };
            CheckResult::new(part.func, part.score >= 1.0, found)
        });
        Ok(Verdict::scored(found.score.clamp(0.0, 1.0), checks.collect()))
    }
}
