//! A task that is played with an eye on what it changes: the device and the pages' state at its start and at its end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use waldo_agents::{Choice, Note};
use waldo_devices::{Deadline, Device};
use waldo_tasks::draft::Snapshot;
use waldo_tasks::record::TaskEntry;
use waldo_tasks::suite::{AppDef, SiteFiles, SiteHost, SiteLease};
use waldo_tasks::{
    EpisodeEnd, Event, EventKind, EventSink, Goal, PictureMode, RunningTask, SetUp, Task, TaskError, Verdict,
};

/// How long the end of a task is looked at again while it still changes: programs write when they get to it.
const CALMS_WITHIN: Duration = Duration::from_secs(4);
const ROUND: Duration = Duration::from_millis(400);

#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) before: Option<Snapshot>,
    pub(super) after: Option<Snapshot>,
    /// Where the solution could not be carried out.
    pub(super) stuck: Option<String>,
}

pub(super) type SharedSeen = Arc<Mutex<Seen>>;

pub(super) fn lock(seen: &SharedSeen) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands out pages, and keeps an eye on the last that it gave.
pub(super) struct Host {
    inner: Arc<dyn SiteHost>,
    last: Mutex<Option<Arc<dyn SiteLease>>>,
}

impl Host {
    pub(super) fn new(inner: Arc<dyn SiteHost>) -> Arc<Self> {
        Arc::new(Self { inner, last: Mutex::new(None) })
    }

    fn state(&self) -> Option<Value> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|lease| lease.state())
    }
}

#[async_trait]
impl SiteHost for Host {
    async fn lease(&self, files: SiteFiles) -> Result<Arc<dyn SiteLease>, TaskError> {
        let lease = self.inner.lease(files).await?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(lease.clone());
        Ok(lease)
    }

    async fn app(&self, app: &Arc<AppDef>) -> Result<Arc<dyn SiteLease>, TaskError> {
        self.inner.app(app).await
    }
}

pub(super) struct Watched {
    pub(super) inner: Arc<dyn Task>,
    pub(super) host: Arc<Host>,
    pub(super) seen: SharedSeen,
}

#[async_trait]
impl Task for Watched {
    fn entry(&self) -> TaskEntry {
        self.inner.entry()
    }

    async fn set_up(&self, to: SetUp<'_>) -> Result<Box<dyn RunningTask>, TaskError> {
        let SetUp { device, seed, folder, deadline } = to;
        let inner = self.inner.set_up(SetUp { device: &mut *device, seed, folder, deadline }).await?;
        let before = Snapshot::take(device, self.host.state().as_ref(), deadline).await?;
        lock(&self.seen).before = Some(before);
        Ok(Box::new(WatchedRun { inner, host: self.host.clone(), seen: self.seen.clone() }))
    }
}

struct WatchedRun {
    inner: Box<dyn RunningTask>,
    host: Arc<Host>,
    seen: SharedSeen,
}

#[async_trait]
impl RunningTask for WatchedRun {
    fn goal(&self) -> &Goal {
        self.inner.goal()
    }

    fn sight(&self) -> PictureMode {
        self.inner.sight()
    }

    async fn between(
        &mut self,
        step: u32,
        device: &mut dyn Device,
        deadline: Deadline,
    ) -> Result<Vec<String>, TaskError> {
        self.inner.between(step, device, deadline).await
    }

    async fn judge(&mut self, end: EpisodeEnd<'_>) -> Result<Verdict, TaskError> {
        let calms = tokio::time::Instant::now() + CALMS_WITHIN;
        let mut round = tokio::time::interval(ROUND);
        let mut last: Option<Snapshot> = None;
        loop {
            round.tick().await;
            let now = Snapshot::take(end.device, self.host.state().as_ref(), end.deadline).await?;
            let calm = last.as_ref() == Some(&now);
            last = Some(now);
            if calm || tokio::time::Instant::now() >= calms || end.deadline.passed() {
                break;
            }
        }
        lock(&self.seen).after = last;
        self.inner.judge(end).await
    }
}

pub(super) struct Ear(pub(super) SharedSeen);

impl EventSink for Ear {
    fn emit(&self, event: &Event, _: Option<&[u8]>) {
        let stuck = match &event.kind {
            EventKind::Decided { step, decision, .. } => match (&decision.choice, &decision.thought) {
                (Choice::Finish { .. }, Some(thought)) if thought.starts_with("gave up") => {
                    Some(format!("step {step}: it {thought}"))
                }
                (Choice::Pass { reason }, _) => Some(format!("step {step}: {reason}")),
                _ => None,
            },
            EventKind::Acted {
                step,
                note: Some(Note::Failed { reason, .. } | Note::Refused { reason, .. }),
                ..
            } => Some(format!("step {step}: {reason}")),
            _ => None,
        };
        let mut seen = lock(&self.0);
        if let (None, Some(stuck)) = (&seen.stuck, stuck) {
            seen.stuck = Some(stuck);
        }
    }
}
