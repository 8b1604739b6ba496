//! A worker's side of the queue: it takes episodes of the lanes that it can play.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use async_trait::async_trait;
use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;
use waldo_devices::count::count;
use waldo_tasks::TaskError;
use waldo_tasks::runner::{Lease, Queue};

use super::error::{QueueError, Result};
use super::intake::keep_invalid;
use super::lease::Leased;
use super::offers::find;
use super::server::{RESULTS, RUNS};
use super::serving::Serving;
use super::wire::{QueueState, Work, episode_id, read};

/// How long one look for an episode lasts.
const LOOKS_FOR: Duration = Duration::from_secs(1);
/// How long an offer is taken for what it was.
const OFFER_HOLDS: Duration = Duration::from_secs(1);
/// How long nothing has to come before other runs are looked at.
const IDLE: Duration = Duration::from_secs(5);
/// The longest answer of the server.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// Episodes of one run, of the lanes that a worker can play.
pub struct WorkQueue {
    serving: Arc<Serving>,
    lanes: Vec<(HashSet<String>, String, PullConsumer)>,
    turn: AtomicUsize,
    drain: CancellationToken,
    checked: Mutex<Instant>,
    idle_since: Mutex<Option<Instant>>,
    /// How long nothing has to come before there will be nothing.
    ends_after: Option<Duration>,
}

impl WorkQueue {
    /// Takes from `lanes`, by their ids, until `drain`, or until nothing came for `ends_after`.
    pub async fn new(
        serving: Serving,
        lanes: &[String],
        drain: CancellationToken,
        ends_after: Option<Duration>,
    ) -> Result<Self> {
        let mut found = Vec::new();
        for lane in serving.offer.lanes.iter().filter(|lane| lanes.contains(&lane.id)) {
            let consumer = serving.server.lane(&serving.offer.run, &lane.id).await?;
            let suite = serving.offer.suites.iter().find(|suite| suite.id == lane.suite);
            let tasks = suite.map(|suite| suite.tasks.iter().cloned().collect()).unwrap_or_default();
            found.push((tasks, lane.contestant.clone(), consumer));
        }
        Ok(Self {
            serving: Arc::new(serving),
            lanes: found,
            turn: AtomicUsize::new(0),
            drain,
            checked: Mutex::new(Instant::now()),
            idle_since: Mutex::new(None),
            ends_after,
        })
    }

    /// One look at a lane, as long as `wait`.
    async fn look(&self, lane: usize, wait: Option<Duration>) -> Option<Message> {
        let (_, _, consumer) = &self.lanes[lane];
        let look = async {
            let mut batch = match wait {
                Some(wait) => consumer.batch().max_messages(1).expires(wait).messages().await.ok()?,
                None => consumer.fetch().max_messages(1).messages().await.ok()?,
            };
            batch.next().await?.ok()
        };
        // A server that went away answers nothing.
        tokio::time::timeout(wait.unwrap_or_default() + ANSWERS_WITHIN, look).await.ok().flatten()
    }

    /// The lease of a message; none where the episode is not to be played.
    async fn leased(&self, lane: usize, message: Message) -> Result<Option<Leased>> {
        let Serving { server, offer, .. } = self.serving.as_ref();
        let (tasks, contestant, _) = &self.lanes[lane];
        let work = read::<Work>("an episode of the queue", &message.payload).and_then(|work| {
            let last = message.subject.rsplit('.').next().unwrap_or_default();
            let is_ours = work.run == offer.run
                && work.key.contestant == *contestant
                && work.key.repeat < offer.repeats
                && tasks.contains(&work.key.task)
                && last == episode_id(&work.key);
            match is_ours {
                true => Ok(work),
                false => Err(QueueError::Foreign(
                    "a message in the work queue does not belong to this run".to_owned(),
                )),
            }
        });
        let work = match work {
            Ok(work) => work,
            Err(e) => {
                eprintln!("{e}: it is not played, and is removed from the queue");
                let _ = message.double_ack_with(AckKind::Term).await;
                return Ok(None);
            }
        };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        if deliveries > 1 {
            let subject = format!("waldo.result.{}.{}", work.run, episode_id(&work.key));
            if server.patiently(|| server.last(RESULTS, &subject)).await?.is_some() {
                let _ = message.double_ack().await;
                return Ok(None);
            }
        }
        let leased = Leased::new(work, message, self.serving.clone());
        if deliveries <= i64::from(offer.deliveries) {
            return Ok(Some(leased));
        }
        let reason = format!(
            "it was handed out {} and no worker returned a result: each died or lost its lease of {} s",
            count(offer.deliveries, "time"),
            offer.lease
        );
        let key = leased.key().clone();
        let folder = self.serving.folder.episode(&key);
        keep_invalid(&self.serving.folder, &key, offer.deliveries, reason)?;
        Box::new(leased).done(&folder).await?;
        Ok(None)
    }

    /// Whether there may be anything more of the run for this worker.
    async fn goes_on(&self) -> Result<bool> {
        let is_fresh = |checked: &Mutex<Instant>| {
            let mut checked = checked.lock().unwrap_or_else(PoisonError::into_inner);
            let fresh = checked.elapsed() < OFFER_HOLDS;
            if !fresh {
                *checked = Instant::now();
            }
            fresh
        };
        if is_fresh(&self.checked) {
            return Ok(true);
        }
        let Serving { server, offer, .. } = self.serving.as_ref();
        let now = server.patiently(|| find(server, &offer.run)).await?;
        if now.is_none_or(|now| now.state != QueueState::Open) {
            return Ok(false);
        }
        let idle = {
            let since = self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
            since.map(|since| since.elapsed()).unwrap_or_default()
        };
        if self.ends_after.is_some_and(|most| idle >= most) {
            return Ok(false);
        }
        // With one run alone there is nothing to go to.
        Ok(idle < IDLE || server.patiently(|| server.count(RUNS, "waldo.run.*")).await? < 2)
    }

    fn idle(&self, is: bool) {
        let mut since = self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        match (is, *since) {
            (true, None) => *since = Some(Instant::now()),
            (false, Some(_)) => *since = None,
            _ => {}
        }
    }
}

#[async_trait]
impl Queue for WorkQueue {
    async fn next(&self) -> Result<Option<Box<dyn Lease>>, TaskError> {
        let lanes = self.lanes.len();
        if lanes == 0 {
            return Ok(None);
        }
        loop {
            let first = self.turn.fetch_add(1, Ordering::Relaxed);
            for turn in 0..lanes {
                if self.drain.is_cancelled() {
                    return Ok(None);
                }
                let lane = (first + turn) % lanes;
                // The last look of a round waits: there was nothing elsewhere.
                let wait = (turn + 1 == lanes).then_some(LOOKS_FOR);
                let Some(message) = self.look(lane, wait).await else { continue };
                self.idle(false);
                if let Some(leased) = self.leased(lane, message).await? {
                    return Ok(Some(Box::new(leased)));
                }
            }
            self.idle(true);
            if !self.goes_on().await? {
                return Ok(None);
            }
        }
    }
}
