//! Many episodes: a queue of what is missing, workers, retries of invalid attempts, a watchdog.
//!
//! Invariant: an episode that has a valid `result.json` is never played again; results do not depend
//! on the number of workers or on the order in which episodes end.

use std::any::Any;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt as _;
use jiff::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use waldo_agents::{Agent, AgentError, ModelError};
use waldo_devices::labels::PicturePacking;
use waldo_devices::{Budget, Deadline, Device, DeviceError, Frames, LabelStyle, Secrets};

use crate::emitter::Emitter;
use crate::episode::{self, EpisodeSpec, Timeouts};
use crate::error::TaskError;
use crate::events::{Event, EventKind, EventSink, FORMAT, KeptPictures};
use crate::record::{EpisodeFolder, EpisodeKey, EpisodeResult, Manifest, RunFolder, TaskEntry};
use crate::suite::instance_seed;
use crate::task::{Goal, Task};

mod queue;

use queue::InMemory;
pub use queue::{Lease, Queue};

/// Makes fresh devices.
#[async_trait]
pub trait DeviceSource: Send + Sync {
    /// A fresh device that shares no state with any other.
    ///
    /// # Errors
    /// When none can be had.
    async fn device(&self, deadline: Deadline) -> Result<Box<dyn Device>, DeviceError>;

    /// The same for a task: with the screens that it needs, where it needs several.
    ///
    /// # Errors
    /// When none can be had.
    async fn device_for(
        &self,
        _task: &TaskEntry,
        deadline: Deadline,
    ) -> Result<Box<dyn Device>, DeviceError> {
        self.device(deadline).await
    }

    /// The values that its devices type by name: nothing that is kept of an episode shows them, why there was
    /// no device included.
    fn secrets(&self) -> Secrets;
}

/// Makes agents.
pub trait AgentSource: Send + Sync {
    /// A fresh agent for the contestant of this name.
    ///
    /// # Errors
    /// When the contestant is not known or lacks something.
    fn agent(&self, contestant: &str) -> Result<Box<dyn Agent>, TaskError>;

    /// The same, for the episode of this key.
    ///
    /// # Errors
    /// As [`AgentSource::agent`].
    fn agent_for(&self, key: &EpisodeKey) -> Result<Box<dyn Agent>, TaskError> {
        self.agent(&key.contestant)
    }

    /// Where pictures between observations of this episode go, where somebody may watch it.
    fn frames_for(&self, _key: &EpisodeKey) -> Option<Frames> {
        None
    }
}

/// Called with each goal before its episode starts.
pub type GoalHook = dyn Fn(&Goal) + Send + Sync;

/// How a run is carried out. Nothing here changes a result.
#[derive(Clone, Debug)]
pub struct Options {
    /// Episodes at once.
    pub workers: usize,
    /// Attempts at an episode before it counts as invalid.
    pub attempts: u32,
    /// Limits on top of each task's own.
    pub budget: Budget,
    /// How tags look; `None` for the style that belongs to the agent's tag scheme.
    pub style: Option<LabelStyle>,
    /// How pictures are packed for model and record.
    pub packing: PicturePacking,
    /// Which pictures are taken and kept.
    pub pictures: KeptPictures,
    /// Limits of single calls.
    pub timeouts: Timeouts,
    /// The watchdog: no attempt lasts longer.
    pub watchdog: Duration,
    /// Episodes of a contestant in a row that its model's endpoint may fail before the run stops.
    pub endpoint_failures: u32,
    /// Limits of contestants that have limits of their own, by name, in place of those above.
    pub own: BTreeMap<String, Limits>,
}

/// What an attempt of one contestant may use up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// As [`Options::budget`].
    pub budget: Budget,
    /// As [`Options::timeouts`].
    pub timeouts: Timeouts,
    /// As [`Options::watchdog`].
    pub watchdog: Duration,
    /// As [`Options::packing`].
    pub packing: PicturePacking,
}

impl Options {
    /// The limits of this contestant.
    pub fn limits(&self, contestant: &str) -> Limits {
        let common = || Limits {
            budget: self.budget,
            timeouts: self.timeouts,
            watchdog: self.watchdog,
            packing: self.packing,
        };
        self.own.get(contestant).copied().unwrap_or_else(common)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: 1,
            attempts: 3,
            budget: Budget::default(),
            style: None,
            packing: PicturePacking::default(),
            pictures: KeptPictures::default(),
            timeouts: Timeouts::default(),
            watchdog: Duration::from_secs(30 * 60),
            endpoint_failures: 3,
            own: BTreeMap::new(),
        }
    }
}

/// A run.
pub struct Run {
    /// Where it is kept.
    pub folder: RunFolder,
    /// Its tasks, as the manifest orders them.
    pub tasks: Vec<Arc<dyn Task>>,
    /// Its devices.
    pub devices: Arc<dyn DeviceSource>,
    /// Its agents.
    pub agents: Arc<dyn AgentSource>,
    /// Takes every event.
    pub sink: Arc<dyn EventSink>,
    /// Told of every goal.
    pub on_goal: Arc<GoalHook>,
    /// How it is carried out.
    pub options: Options,
    /// Stops the run: what is under way is dropped, what is complete is kept.
    pub cancel: CancellationToken,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Episodes played now.
    pub played: usize,
    /// Episodes that were complete before.
    pub kept: usize,
    /// Episodes still missing.
    pub missing: usize,
}

impl Run {
    /// Plays every episode of `keys` that is missing.
    ///
    /// # Errors
    /// When results cannot be kept (a full disk) or agents cannot be made: everything complete so far
    /// is kept, and the same call goes on from there.
    pub async fn play(self, keys: Vec<EpisodeKey>) -> Result<RunProgress, TaskError> {
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
    ///
    /// # Errors
    /// As [`Run::play`], and when the queue fails.
    pub async fn play_from(self, queue: Arc<dyn Queue>, at_once: usize) -> Result<usize, TaskError> {
        let endpoints = Arc::new(Endpoints {
            inner: self.sink.clone(),
            health: Mutex::default(),
            told: Mutex::default(),
        });
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
    ) -> Result<usize, TaskError> {
        let mut played = 0;
        while !stop.is_cancelled() {
            let lease = tokio::select! {
                () = stop.cancelled() => break,
                next = queue.next() => next?,
            };
            let Some(lease) = lease else { break };
            let done = tokio::select! {
                () = stop.cancelled() => None,
                done = self.episode(lease.key(), endpoints, events) => Some(done),
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
        endpoints: &Endpoints,
        events: &Emitter,
    ) -> Result<(), TaskError> {
        let Some(task) = self.tasks.iter().find(|t| t.entry().id == key.task) else {
            return Err(TaskError::UnknownTask {
                name: key.task.clone(),
                suite: self.folder.manifest().suite.clone(),
            });
        };
        let folder = self.folder.episode(key);
        let entry = task.entry();
        let limits = self.options.limits(&key.contestant);
        let (seed, max_steps) = instance_of(self.folder.manifest(), &entry, key.repeat);
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
    ) -> Result<EpisodeResult, TaskError> {
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

/// How the endpoint of one contestant's model does.
#[derive(Clone, Copy, Debug, Default)]
struct Health {
    /// Whether any call was ever answered.
    answered: bool,
    /// Episodes in a row that it has failed.
    failed: u32,
}

/// Hears of every answer of a model on its way to the run's sink.
struct Endpoints {
    inner: Arc<dyn EventSink>,
    health: Mutex<HashMap<String, Health>>,
    /// Reasons of invalid attempts that were told.
    told: Mutex<HashSet<String>>,
}

impl Endpoints {
    fn with<T>(&self, contestant: &str, act: impl FnOnce(&mut Health) -> T) -> T {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        act(health.entry(contestant.to_owned()).or_default())
    }

    /// Whether an attempt was never before invalid for this reason.
    fn is_news(&self, reason: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(reason.to_owned())
    }

    fn answered(&self, contestant: &str) -> bool {
        self.with(contestant, |health| health.answered)
    }

    fn good(&self, contestant: &str) {
        self.with(contestant, |health| health.failed = 0);
    }

    fn bad(&self, contestant: &str, most: u32, source: ModelError) -> Result<(), TaskError> {
        let episodes = self.with(contestant, |health| {
            health.failed += 1;
            health.failed
        });
        if episodes < most.max(1) {
            return Ok(());
        }
        Err(TaskError::Endpoint { contestant: contestant.to_owned(), episodes, source: Box::new(source) })
    }
}

impl EventSink for Endpoints {
    fn emit(&self, event: &Event, picture: Option<&[u8]>) {
        if let EventKind::Decided { decision, .. } = &event.kind
            && !decision.exchanges.is_empty()
        {
            self.with(&event.episode.contestant, |health| health.answered = true);
        }
        self.inner.emit(event, picture);
    }

    fn write_error(&self, episode: &EpisodeKey) -> Option<TaskError> {
        self.inner.write_error(episode)
    }
}

/// What a panic said.
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

fn tighter(a: Budget, b: Budget) -> Budget {
    fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
    Budget {
        steps: least(a.steps, b.steps),
        tokens: least(a.tokens, b.tokens),
        micro_usd: least(a.micro_usd, b.micro_usd),
        wall: least(a.wall, b.wall),
    }
}

/// The seed of an episode's instance, and its step budget; `None` for a task that is not in the run.
pub fn instance(run: &Manifest, key: &EpisodeKey) -> Option<(u64, u32)> {
    let task = run.tasks.iter().find(|task| task.id == key.task)?;
    Some(instance_of(run, task, key.repeat))
}

fn instance_of(run: &Manifest, task: &TaskEntry, repeat: u32) -> (u64, u32) {
    (instance_seed(run.seed, task.own_id(), repeat), run.max_steps.unwrap_or(task.max_steps))
}

/// The result of an episode that could not be carried out.
pub fn invalid(spec: &EpisodeSpec, reason: String) -> EpisodeResult {
    EpisodeResult::invalid(spec.key.clone(), spec.seed, spec.max_steps, spec.attempt, reason)
}

/// Writes every event into the run folder. The first that cannot be written ends the episode
/// ([`EventSink::write_error`]), and with it the run.
#[derive(Debug)]
pub struct Recorder {
    folder: RunFolder,
    /// The latest picture of each episode that is being played, with its name: one that is the same is stored once.
    latest: Mutex<HashMap<EpisodeKey, (String, Vec<u8>)>>,
}

impl Recorder {
    /// A recorder into `folder`.
    pub fn new(folder: RunFolder) -> Self {
        Self { folder, latest: Mutex::default() }
    }

    /// Keeps a picture of an episode.
    fn keep(
        &self,
        folder: &EpisodeFolder,
        key: &EpisodeKey,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), TaskError> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        match latest.get(key) {
            Some((first, same)) if same == bytes && first != name => folder.same_picture(first, name),
            _ => {
                latest.insert(key.clone(), (name.to_owned(), bytes.to_owned()));
                drop(latest);
                folder.picture(name, bytes)
            }
        }
    }
}

impl EventSink for Recorder {
    fn emit(&self, event: &Event, picture: Option<&[u8]>) {
        let folder = self.folder.episode(&event.episode);
        if folder.write_error().is_some() {
            return;
        }
        let mut written = folder.append(std::slice::from_ref(event));
        match (&event.kind, picture) {
            (EventKind::Observed(seen), Some(bytes)) => {
                if let Some(name) = &seen.picture {
                    written = written.and_then(|()| self.keep(&folder, &event.episode, name, bytes));
                }
            }
            (EventKind::Pictured { picture, .. }, Some(bytes)) => {
                written = written.and_then(|()| folder.picture(picture, bytes));
            }
            _ => {}
        }
        if matches!(event.kind, EventKind::Started { .. } | EventKind::Ended { .. }) {
            self.latest.lock().unwrap_or_else(PoisonError::into_inner).remove(&event.episode);
        }
        if let Err(e) = written {
            tracing::debug!(episode = %event.episode, error = %e, "cannot record");
        }
    }

    fn write_error(&self, episode: &EpisodeKey) -> Option<TaskError> {
        self.folder.episode(episode).write_error()
    }
}

#[cfg(test)]
mod tests;
