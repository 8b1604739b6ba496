//! The run's side of the queue: it offers the run, puts what is missing into the queue, and takes in what comes back.
//!
//! Invariants: killed at any moment and started again it goes on, from the run's folder and from what the server kept;
//! an episode that has neither a result nor a place in the queue gets one again; only what was handed out by this run,
//! and has been checked, is kept.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use waldo_devices::random::random_bytes;
use waldo_devices::{DeviceInfo, foreign};
use waldo_tasks::record::Claim;
use waldo_tasks::{EpisodeKey, EventSink, RunFolder};

use super::args::QueueArgs;
use super::error::{QueueError, Result};
use super::intake;
use super::offers::find;
use super::server::{QueueServer, RESULTS, RUNS, StoredMessage, WORK};
use super::serving::fresh_name;
use super::store::BundleStore;
use super::wire::{
    FORMAT, Lane, OfferedSuite, PlayedEpisode, QueueState, RunOffer, Work, episode_id, hash, read, written,
};

/// Folders that are refused before the episode is invalid.
const REFUSALS: u32 = 3;
/// The file that says which run of the queue a folder belongs to, while it is played.
const FILE: &str = "queue.json";
/// The most characters that are kept of why a result was refused, and of what a worker says it plays on: others choose them.
const SAID: usize = 400;
/// What a run is played on as long as no result was taken.
const UNKNOWN: &str = "not known before a result is taken";
/// The longest wait between two looks.
const LOOKS: Duration = Duration::from_secs(5);

#[derive(Debug, Serialize, Deserialize)]
struct RunIdentity {
    run: String,
    secret: String,
    /// What was offered, but for its name and its state.
    offer: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueEnd {
    Complete,
    Stopped(usize),
}

pub struct Coordinator {
    server: QueueServer,
    store: BundleStore,
    offer: RunOffer,
    secret: String,
    sink: Arc<dyn EventSink>,
    at_once: Option<u32>,
    refused: HashMap<EpisodeKey, u32>,
}

/// The folder of the run, which is made when it is known what it is played on.
enum FolderState {
    Claimed(Box<Claim>),
    Made(Box<RunFolder>),
    Lost,
}

impl Coordinator {
    /// Of the run that `offer` tells of; its name is found or given here, by the folder `out`, which is claimed.
    pub async fn new(
        server: QueueServer,
        artifacts: Option<&Path>,
        mut offer: RunOffer,
        out: &Path,
        sink: Arc<dyn EventSink>,
        at_once: Option<u32>,
    ) -> Result<Self> {
        server.set_up().await?;
        let store = BundleStore::of(&server, artifacts);
        let identity = identity(out, &offer)?;
        offer.run = identity.run;
        if let Some(before) = find(&server, &offer.run).await? {
            offer.since = before.since;
        }
        Ok(Self { server, store, offer, secret: identity.secret, sink, at_once, refused: HashMap::new() })
    }

    /// Has `missing` played by whoever takes it; the folder, where anything came of it.
    ///
    /// # Errors
    /// When the server is away for too long, or the disk refuses; what came so far is kept, and the same command goes on.
    pub async fn play(
        mut self,
        claim: Claim,
        missing: Vec<EpisodeKey>,
        cancel: CancellationToken,
    ) -> Result<(Option<RunFolder>, QueueEnd)> {
        let out = claim.folder().path().to_owned();
        let mut place = match claim.new {
            true => FolderState::Claimed(Box::new(claim)),
            false => FolderState::Made(Box::new(claim.write()?)),
        };
        let mut missing: BTreeMap<String, EpisodeKey> =
            missing.into_iter().map(|key| (episode_id(&key), key)).collect();
        let run = self.offer.run.clone();
        let results = format!("waldo.result.{run}.*");
        let mut news = self.server.hear(results.clone()).await?;
        for lane in &self.offer.lanes {
            self.server
                .make_lane(&run, &lane.id, Duration::from_secs(self.offer.lease), self.at_once)
                .await?;
        }
        self.hand_out(missing.values()).await?;
        self.announce(QueueState::Open).await?;
        let (mut from, mut lost) = (1, false);
        while !missing.is_empty() && !cancel.is_cancelled() {
            let next = self.server.patiently(|| self.server.next(RESULTS, &results, from)).await?;
            if let Some(kept) = next {
                from = kept.sequence + 1;
                self.take(kept, &mut place, &mut missing).await?;
                continue;
            }
            tokio::select! {
                () = cancel.cancelled() => break,
                _ = news.next() => {}
                () = tokio::time::sleep(LOOKS) => lost = self.search(&missing, lost).await?,
            }
            while news.next().now_or_never().flatten().is_some() {}
        }
        let ended = match missing.len() {
            0 => {
                self.retract(&out).await?;
                QueueEnd::Complete
            }
            left => {
                self.announce(QueueState::Paused).await?;
                QueueEnd::Stopped(left)
            }
        };
        self.server.flush().await;
        match place {
            FolderState::Made(folder) => Ok((Some(*folder), ended)),
            FolderState::Claimed(_) | FolderState::Lost => Ok((None, ended)),
        }
    }

    /// Says that the run is to be played, or that it is not for now.
    async fn announce(&mut self, state: QueueState) -> Result<()> {
        self.offer.state = state;
        let said = written("an offered run", &self.offer)?;
        let subject = format!("waldo.run.{}", self.offer.run);
        self.server.patiently(|| self.server.put(subject.clone(), said.clone())).await
    }

    async fn hand_out(&self, keys: impl Iterator<Item = &EpisodeKey>) -> Result<usize> {
        let mut all = Vec::new();
        for key in keys {
            let lane = self.lane(key)?;
            let id = episode_id(key);
            let work =
                Work { v: FORMAT, run: self.offer.run.clone(), key: key.clone(), ticket: self.ticket(&id) };
            let subject = format!("waldo.work.{}.{}.{id}", self.offer.run, lane.id);
            all.push((subject, written("an episode", &work)?));
        }
        self.server.put_all(all).await
    }

    fn lane(&self, key: &EpisodeKey) -> Result<&Lane> {
        let of_task = |lane: &&Lane| {
            let suite = self.offer.suites.iter().find(|suite| suite.id == lane.suite);
            lane.contestant == key.contestant && suite.is_some_and(|suite| suite.tasks.contains(&key.task))
        };
        self.offer.lanes.iter().find(of_task).ok_or_else(|| {
            QueueError::Task(waldo_tasks::TaskError::Internal(format!("no lane takes the episode {key}")))
        })
    }

    fn ticket(&self, episode: &str) -> String {
        hash(&[b"ticket", self.secret.as_bytes(), self.offer.run.as_bytes(), episode.as_bytes()])
    }

    async fn take(
        &mut self,
        kept: StoredMessage,
        place: &mut FolderState,
        missing: &mut BTreeMap<String, EpisodeKey>,
    ) -> Result<()> {
        let id = kept.subject.rsplit('.').next().unwrap_or_default().to_owned();
        let Some(key) = missing.get(&id).cloned() else { return Ok(()) };
        let played = match self.played(&kept, &id, &key) {
            Ok(played) => played,
            Err(QueueError::Foreign(why)) => return self.refuse(&kept, &key, &cut(&why)).await,
            Err(e) => return Err(e),
        };
        let why = match self.keep(&played, place).await {
            Ok(()) => {
                missing.remove(&id);
                return Ok(());
            }
            Err(QueueError::Foreign(why)) => cut(&why),
            Err(e) => return Err(e),
        };
        // It came from somebody who was handed the episode: to ask for ever would be of no use.
        let refused = self.refused.entry(key.clone()).or_default();
        *refused += 1;
        match place {
            FolderState::Made(folder) if *refused >= REFUSALS => {
                let reason = format!("{REFUSALS} results of workers were refused; at last: {why}");
                let event = intake::keep_invalid(folder, &key, REFUSALS, reason)?;
                self.sink.emit(&event, None);
                missing.remove(&id);
                Ok(())
            }
            _ => self.refuse(&kept, &key, &why).await,
        }
    }

    /// Takes a result away: its place is free again, and the episode is in the queue again.
    async fn refuse(&self, kept: &StoredMessage, key: &EpisodeKey, why: &str) -> Result<()> {
        eprintln!("{key}: a result is refused: {why}");
        let server = &self.server;
        server.patiently(|| server.remove(RESULTS, kept.sequence)).await?;
        self.hand_out(std::iter::once(key)).await.map(|_| ())
    }

    fn played(&self, kept: &StoredMessage, id: &str, key: &EpisodeKey) -> Result<PlayedEpisode> {
        let played: PlayedEpisode = read("a result", &kept.payload)?;
        let refused = |why: &str| Err(QueueError::Foreign(why.to_owned()));
        if played.run != self.offer.run {
            return refused("it is of another run");
        }
        if played.key != *key {
            return refused("it is of another episode");
        }
        if played.ticket != self.ticket(id) {
            return refused("its ticket is wrong: it does not come from a worker that was given the episode");
        }
        if played.device.product.chars().count() > SAID {
            return refused("it tells of its device in too many words");
        }
        Ok(played)
    }

    async fn keep(&self, played: &PlayedEpisode, place: &mut FolderState) -> Result<()> {
        if let FolderState::Claimed(_) = place
            && let FolderState::Claimed(claim) = std::mem::replace(place, FolderState::Lost)
        {
            let device = DeviceInfo { product: UNKNOWN.to_owned(), ..played.device.clone() };
            *place = FolderState::Made(Box::new(claim.on(device)?));
        }
        let FolderState::Made(folder) = place else { return Ok(()) };
        let events = intake::take(folder, played, &self.store, self.offer.max_artifact).await?;
        // Only what was taken tells what the run is played on.
        let old = folder.manifest.device.as_ref().filter(|device| device.product != UNKNOWN);
        let device = match old {
            None => Some(played.device.clone()),
            Some(old) => merged(Some(old), &played.device, &self.offer.suites),
        };
        if let Some(device) = device {
            folder.set_device(device)?;
        }
        for event in &events {
            self.sink.emit(event, None);
        }
        let store = &self.store;
        store.remove(&self.offer.run, &played.upload).await
    }

    /// Puts episodes into the queue that neither have a result nor are there, where that was so at the last look, too:
    /// a result may be on its way.
    async fn search(&self, missing: &BTreeMap<String, EpisodeKey>, lost: bool) -> Result<bool> {
        let server = &self.server;
        let run = &self.offer.run;
        let count = |stream: &'static str, subject: String| async move {
            server.patiently(|| server.count(stream, &subject)).await
        };
        let waiting = count(WORK, format!("waldo.work.{run}.>")).await?;
        if waiting >= missing.len() {
            return Ok(false);
        }
        if !lost {
            return Ok(true);
        }
        let put = self.hand_out(missing.values()).await?;
        if put > 0 {
            tracing::warn!(episodes = put, "were lost, and are in the queue again");
        }
        Ok(false)
    }

    async fn retract(&mut self, out: &Path) -> Result<()> {
        forget(&self.server, &self.store, &self.offer).await?;
        let file = out.join(FILE);
        fs::remove_file(&file).map_err(QueueError::io("remove", &file))
    }
}

fn cut(why: &str) -> String {
    why.chars().take(SAID).collect()
}

/// What a run of several suites is played on, where workers play different ones of them: each suite's device, in the
/// order of the suites; `None` where `new` adds nothing.
fn merged(old: Option<&DeviceInfo>, new: &DeviceInfo, suites: &[OfferedSuite]) -> Option<DeviceInfo> {
    let old = old.filter(|_| suites.len() > 1)?;
    let part = |info: &DeviceInfo, suite: &OfferedSuite| {
        let own = format!("{}: ", suite.id);
        info.product.split("; ").find(|part| part.starts_with(&own)).map(str::to_owned)
    };
    let parts: Vec<String> =
        suites.iter().filter_map(|suite| part(old, suite).or_else(|| part(new, suite))).collect();
    let product = parts.join("; ");
    let first = suites.first().is_some_and(|suite| part(old, suite).is_none() && part(new, suite).is_some());
    let geometry = if first { new.geometry } else { old.geometry };
    (product != old.product).then(|| DeviceInfo { product, geometry, ..old.clone() })
}

pub async fn forget_run(server: &QueueServer, queue: &QueueArgs, run: &str) -> Result<()> {
    let Some(offer) = find(server, run).await? else {
        return Err(QueueError::Input(format!("no run {run} is offered; waldo queue status lists them")));
    };
    forget(server, &BundleStore::of(server, queue.artifacts.as_deref()), &offer).await
}

async fn forget(server: &QueueServer, store: &BundleStore, offer: &RunOffer) -> Result<()> {
    let run = &offer.run;
    let purge = |stream: &'static str, subject: String| async move {
        server.patiently(|| server.purge(stream, &subject)).await
    };
    // First, so that nobody takes any more of it.
    purge(RUNS, format!("waldo.run.{run}")).await?;
    purge(WORK, format!("waldo.work.{run}.>")).await?;
    for lane in &offer.lanes {
        if let Err(e) = server.remove_lane(run, &lane.id).await {
            tracing::debug!(error = %e, "a lane stays");
        }
    }
    purge(RESULTS, format!("waldo.result.{run}.*")).await?;
    store.clear(run).await
}

/// The run of the queue that `out` belongs to; a new one where there is none, or where another was offered.
fn identity(out: &Path, offer: &RunOffer) -> Result<RunIdentity> {
    let file: PathBuf = out.join(FILE);
    let like = RunOffer {
        run: String::new(),
        state: QueueState::Open,
        since: jiff::Timestamp::UNIX_EPOCH,
        lanes: Vec::new(),
        lease: 0,
        deliveries: 0,
        max_artifact: 0,
        ..offer.clone()
    };
    let offered = hash(&[&written("an offered run", &like)?]);
    match foreign::read(out, &file, foreign::TEXT_BYTES) {
        Ok(bytes) => {
            let found: RunIdentity = serde_json::from_slice(&bytes).map_err(|e| {
                QueueError::Input(format!(
                    "{}: {e}; remove it, and what is missing is offered anew",
                    file.display()
                ))
            })?;
            if found.offer == offered {
                super::wire::check_token(&found.run)?;
                return Ok(found);
            }
            fs::remove_file(&file).map_err(QueueError::io("remove", &file))?;
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        Err(e) => return Err(QueueError::io("read", &file)(e)),
    }
    let secret = random_bytes::<32>().map_err(QueueError::io("read", Path::new("/dev/urandom")))?;
    let secret = hash(&[b"secret", &secret]);
    let identity = RunIdentity { run: fresh_name(&secret, 0), secret, offer: offered };
    let text = written("the run of the queue", &identity)?;
    // Who reads it could make results.
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file);
    made.and_then(|mut made| made.write_all(&text).and_then(|()| made.sync_data()))
        .map_err(QueueError::io("write", &file))?;
    Ok(identity)
}
