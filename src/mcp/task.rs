//! The task that a session is.

use std::path::Path;

use async_trait::async_trait;
use waldo_devices::{Deadline, Device, ResetTo};
use waldo_tasks::record::TaskEntry;
use waldo_tasks::{Goal, Outcome, RunningTask, Task, TaskError, Verdict};

/// What a client does: nothing is prepared and nothing is checked.
pub struct ByClient {
    pub entry: TaskEntry,
    /// Its words, and the files that may be uploaded.
    pub goal: Goal,
    /// How the device starts and what may be touched.
    pub to: ResetTo,
}

#[async_trait]
impl Task for ByClient {
    fn entry(&self) -> TaskEntry {
        self.entry.clone()
    }

    async fn set_up(
        &self,
        device: &mut dyn Device,
        _seed: u64,
        folder: &Path,
        deadline: Deadline,
    ) -> Result<Box<dyn RunningTask>, TaskError> {
        let to = ResetTo { downloads: Some(folder.join("downloads")), ..self.to.clone() };
        device.reset(&to, deadline).await?;
        Ok(Box::new(OpenRun { goal: self.goal.clone() }))
    }
}

struct OpenRun {
    goal: Goal,
}

#[async_trait]
impl RunningTask for OpenRun {
    fn goal(&self) -> &Goal {
        &self.goal
    }

    async fn judge(
        &mut self,
        _device: &mut dyn Device,
        _outcome: &Outcome,
        _answer: Option<&str>,
        _deadline: Deadline,
    ) -> Result<Verdict, TaskError> {
        Ok(Verdict::scored(0.0, Vec::new()))
    }
}
