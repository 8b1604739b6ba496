//! Many episodes: a queue of what is missing, workers, retries of invalid attempts, a watchdog.
//!
//! Invariant: an episode that has a valid `result.json` is never played again; results do not depend
//! on the number of workers or on the order in which episodes end.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use jiff::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use waldo_agents::AgentError;
use waldo_devices::{Deadline, DeviceError};

use crate::emitter::Emitter;
use crate::episode::{self, EpisodeSpec};
use crate::error::{Result, TaskError};
use crate::events::{Event, EventKind, EventSink, FORMAT};
use crate::record::{EpisodeFolder, EpisodeKey, EpisodeResult, Manifest, RunFolder, TaskEntry};
use crate::suite::instance_seed;
use crate::task::{Goal, Task};

mod endpoints;
mod options;
mod queue;
mod recorder;
mod sources;

use endpoints::Endpoints;
use options::tighter;
pub use options::{Limits, Options};
use queue::InMemory;
pub use queue::{Lease, Queue};
pub use recorder::Recorder;
pub use sources::{AgentSource, DeviceSource};

/// Called with each goal before its episode starts.
pub type GoalHook = dyn Fn(&Goal) + Send + Sync;

pub struct Run {
    pub folder: RunFolder,
    pub tasks: Vec<Arc<dyn Task>>,
    pub devices: Arc<dyn DeviceSource>,
    pub agents: Arc<dyn AgentSource>,
    pub sink: Arc<dyn EventSink>,
    pub on_goal: Arc<GoalHook>,
    pub options: Options,
    /// Stops the run: what is under way is dropped, what is complete is kept.
    pub cancel: CancellationToken,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    pub played: usize,
    /// Episodes that were complete before.
    pub kept: usize,
    pub missing: usize,
}

impl Run {
    /// Plays every episode of `keys` that is missing.
    ///
    /// # Errors
    /// When results cannot be kept (a full disk) or agents cannot be made: everything complete so far
    /// is kept, and the same call goes on from there.
    pub async fn play(self, keys: Vec<EpisodeKey>) -> Result<RunProgress> {
        let mut queue = VecDeque::new();
        let mut progress = RunProgress::default();
        for key in keys {
            match self.folder.episode(&key).result()? {
                Some(result) if !result.is_invalid() => progress.kept += 1,
                _ => queue.push_back(key),
            }
        }
        let total = queue.len();
        let workers = self.options.workers.clamp(1, total.max(1));
        progress.played = self.play_from(Arc::new(InMemory::new(queue)), workers).await?;
        progress.missing = total.saturating_sub(progress.played);
        Ok(progress)
    }

    /// Plays what `queue` hands out, so many episodes at once, until it has no more; how many were played.
    pub async fn play_from(self, queue: Arc<dyn Queue>, at_once: usize) -> Result<usize> {
        let endpoints = Arc::new(Endpoints::new(self.sink.clone()));
        let events = Arc::new(Emitter::start(endpoints.clone())?);
        let stop = self.cancel.child_token();
        let run = Arc::new(self);
        let mut workers = JoinSet::new();
        for _ in 0..at_once {
            let (run, queue, stop) = (run.clone(), queue.clone(), stop.clone());
            let (endpoints, events) = (endpoints.clone(), events.clone());
            workers.spawn(async move { run.work(queue.as_ref(), &stop, &endpoints, &events).await });
        }
        let mut played = 0;
        let mut failed = None;
        while let Some(ended) = workers.join_next().await {
            match ended {
                Ok(Ok(own)) => played += own,
                Ok(Err(e)) => {
                    // One worker's disk or agent is every worker's: stop the others in good order.
                    stop.cancel();
                    failed.get_or_insert(e);
                }
                Err(e) => {
                    stop.cancel();
                    failed.get_or_insert(TaskError::Internal(format!("a worker ended abnormally: {e}")));
                }
            }
        }
        // No worker is left that could have an event.
        if let Some(events) = Arc::into_inner(events) {
            events.finish().await;
        }
        failed.map_or(Ok(played), Err)
    }

    async fn work(
        &self,
        queue: &dyn Queue,
        stop: &CancellationToken,
        endpoints: &Endpoints,
        events: &Emitter,
    ) -> Result<usize> {
        let mut played = 0;
        while !stop.is_cancelled() {
            let lease = tokio::select! {
                () = stop.cancelled() => break,
                next = queue.next() => next?,
            };
            let Some(lease) = lease else { break };
            let done = tokio::select! {
                () = stop.cancelled() => None,
                done = self.episode(lease.key(), lease.instance(), endpoints, events) => Some(done),
            };
            match done {
                Some(Ok(())) => {
                    let folder = self.folder.episode(lease.key());
                    lease.done(&folder).await?;
                    played += 1;
                }
                Some(Err(e)) => {
                    lease.give_back().await;
                    return Err(e);
                }
                None => {
                    lease.give_back().await;
                    break;
                }
            }
        }
        Ok(played)
    }

    async fn episode(
        &self,
        key: &EpisodeKey,
        instance: u32,
        endpoints: &Endpoints,
        events: &Emitter,
    ) -> Result<()> {
        let Some(task) = self.tasks.iter().find(|t| t.entry().id == key.task) else {
            return Err(TaskError::UnknownTask {
                name: key.task.clone(),
                suite: self.folder.manifest.suite.clone(),
            });
        };
        let folder = self.folder.episode(key);
        let entry = task.entry();
        let limits = self.options.limits(&key.contestant);
        let (seed, max_steps) = instance_of(&self.folder.manifest, &entry, instance);
        let mut spec = EpisodeSpec {
            key: key.clone(),
            attempt: 0,
            seed,
            max_steps,
            budget: tighter(task.budget(), limits.budget),
            style: self.options.style,
            packing: limits.packing,
            pictures: self.options.pictures,
            timeouts: limits.timeouts,
            frames: self.agents.frames_for(key),
        };
        loop {
            spec.attempt += 1;
            let emptied = folder.clone();
            events.write(move || emptied.begin()).await?;
            // A fault of ours in one episode is that episode's: device and agent are dropped, and made afresh.
            let attempt =
                AssertUnwindSafe(self.attempt(task.as_ref(), &spec, &folder, events)).catch_unwind();
            let (reason, fault) = match tokio::time::timeout(limits.watchdog, attempt).await {
                Ok(Ok(Ok(result))) => {
                    if result.model_calls > 0 {
                        endpoints.good(&key.contestant);
                    }
                    return events.write(move || folder.complete(&result)).await;
                }
                Ok(Ok(Err(e))) if ends_the_run(&e) => return Err(e),
                Ok(Ok(Err(TaskError::Agent(AgentError::Model(e))))) => {
                    // To ask again is to wait for nothing where no call was ever answered, or where the endpoint
                    // asks for more patience than a step has.
                    let patience = spec.timeouts.decide;
                    if !endpoints.answered(&key.contestant)
                        || e.retry_after().is_some_and(|asked| asked > patience)
                    {
                        return Err(AgentError::Model(e).into());
                    }
                    (e.to_string(), Some(e))
                }
                // Further episodes would wait for it as long, and come to as little.
                Ok(Ok(Err(e @ TaskError::Device(DeviceError::Absent { .. }))))
                    if spec.attempt >= self.options.attempts.max(1) =>
                {
                    return Err(e);
                }
                Ok(Ok(Err(e))) => (e.to_string(), None),
                Ok(Err(panic)) => {
                    (format!("waldo broke: {}; please report it", panic_text(panic.as_ref())), None)
                }
                Err(_) => (
                    format!(
                        "the watchdog ended it after {:?}; an attempt has longer with a longer --model-timeout",
                        limits.watchdog
                    ),
                    None,
                ),
            };
            let reason = self.devices.secrets().mask(reason);
            // The table counts them; the log need not say the same a hundred times.
            if endpoints.is_news(&reason) {
                tracing::warn!(episode = %key, attempt = spec.attempt, %reason, "invalid attempt");
            } else {
                tracing::info!(episode = %key, attempt = spec.attempt, %reason, "invalid attempt, as before");
            }
            if spec.attempt >= self.options.attempts.max(1) {
                let result = invalid(&spec, reason);
                let kind = EventKind::Ended { result: Box::new(result.clone()) };
                let event = Event { v: FORMAT, at: Timestamp::now(), episode: key.clone(), kind };
                events.emit(event, None).await?;
                events.write(move || folder.complete(&result)).await?;
                return match fault {
                    Some(source) => endpoints.bad(&key.contestant, self.options.endpoint_failures, source),
                    None => Ok(()),
                };
            }
        }
    }

    async fn attempt(
        &self,
        task: &dyn Task,
        spec: &EpisodeSpec,
        folder: &EpisodeFolder,
        events: &Emitter,
    ) -> Result<EpisodeResult> {
        let mut agent = self.agents.agent_for(&spec.key)?;
        let deadline = Deadline::after(spec.timeouts.set_up);
        let mut device = self.devices.device_for(&task.entry(), deadline).await?;
        let played = episode::play(
            task,
            device.as_mut(),
            agent.as_mut(),
            spec,
            folder.path(),
            events,
            self.on_goal.as_ref(),
        )
        .await;
        // A device that does not close in time is dropped, which ends whatever it started.
        if let Err(e) = device.close(Deadline::after(Duration::from_secs(10))).await {
            tracing::debug!(episode = %spec.key, error = %e, "closing the device");
        }
        played
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it did not say why")
}

/// Whether every other episode would meet the same error: a full disk, a key that is refused.
fn ends_the_run(error: &TaskError) -> bool {
    match error {
        TaskError::Io { .. }
        | TaskError::Record { .. }
        | TaskError::Template { .. }
        | TaskError::RealPhone { .. }
        | TaskError::Internal(_)
        | TaskError::Agent(AgentError::Setup { .. } | AgentError::Prompt(_)) => true,
        TaskError::Agent(AgentError::Model(e)) => !e.is_retryable(),
        TaskError::Device(DeviceError::Start { .. }) => true,
        _ => false,
    }
}

/// The seed of an episode's instance, and its step budget; `None` for a task that is not in the run.
pub fn instance(run: &Manifest, key: &EpisodeKey) -> Option<(u64, u32)> {
    let task = run.tasks.iter().find(|task| task.id == key.task)?;
    Some(instance_of(run, task, key.repeat))
}

fn instance_of(run: &Manifest, task: &TaskEntry, repeat: u32) -> (u64, u32) {
    let drawn = if run.same_instance { 0 } else { repeat };
    (instance_seed(run.seed, task.own_id(), drawn), run.max_steps.unwrap_or(task.max_steps))
}

pub fn invalid(spec: &EpisodeSpec, reason: String) -> EpisodeResult {
    EpisodeResult::invalid(spec.key.clone(), spec.seed, spec.max_steps, spec.attempt, reason)
}

#[cfg(test)]
mod tests;
