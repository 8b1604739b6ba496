//! Who plays, and what of a run: what leases and the queue of a worker share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use waldo_devices::DeviceInfo;
use waldo_tasks::{EpisodeKey, RunFolder};

use super::server::QueueServer;
use super::store::BundleStore;
use super::wire::{FORMAT, Refusal, RunOffer, WorkerState, hash, written};

/// How often a worker says that it lives.
const SIGNS: Duration = Duration::from_secs(3);

pub struct Presence {
    pub id: String,
    state: Mutex<WorkerState>,
}

impl Presence {
    pub fn new(host: &str, lanes: Vec<String>, slots: usize) -> Self {
        let id = fresh_name(host, 0);
        let state = WorkerState {
            v: FORMAT,
            id: id.clone(),
            host: host.to_owned(),
            waldo: env!("WALDO_VERSION").to_owned(),
            lanes,
            slots,
            playing: Vec::new(),
            played: 0,
            refuses: Vec::new(),
            drains: false,
            at: Timestamp::now(),
        };
        Self { id, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, WorkerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it takes nothing of. Whether that is news.
    pub fn refuses(&self, all: Vec<Refusal>) -> Vec<Refusal> {
        let mut state = self.state();
        let news = all.iter().filter(|one| !state.refuses.contains(one)).cloned().collect();
        state.refuses = all;
        news
    }

    /// It takes nothing any more.
    pub fn drains(&self) {
        self.state().drains = true;
    }

    pub fn played(&self) -> u64 {
        self.state().played
    }

    pub(super) fn plays(&self, key: &EpisodeKey) {
        self.state().playing.push(key.to_string());
    }

    pub(super) fn plays_no_more(&self, key: &EpisodeKey) {
        let key = key.to_string();
        self.state().playing.retain(|one| *one != key);
    }

    pub(super) fn handed_in(&self) {
        self.state().played += 1;
    }

    /// Says that it lives, for as long as this is awaited.
    pub async fn tell(&self, server: &QueueServer) {
        let mut ticks = tokio::time::interval(SIGNS);
        loop {
            ticks.tick().await;
            let said = {
                let mut state = self.state();
                state.at = Timestamp::now();
                written("a sign of life", &*state)
            };
            let Ok(said) = said else { return };
            if let Err(e) = server.put(format!("waldo.worker.{}", self.id), said).await {
                tracing::debug!(error = %e, "no sign of life");
            }
        }
    }
}

pub struct Serving {
    pub(super) server: QueueServer,
    pub(super) store: BundleStore,
    pub(super) offer: RunOffer,
    pub(super) presence: Arc<Presence>,
    pub(super) device: DeviceInfo,
    pub(super) lease: Duration,
    /// No episode lasts longer, all its attempts together.
    pub(super) longest: Duration,
    pub(super) folder: RunFolder,
    uploads: AtomicU64,
}

impl Serving {
    /// Of the run of `offer`, in `folder` on a device like `device`; `artifacts` is the folder that all machines share,
    /// where there is one.
    pub fn new(
        server: &QueueServer,
        artifacts: Option<&std::path::Path>,
        offer: RunOffer,
        presence: Arc<Presence>,
        folder: RunFolder,
        device: DeviceInfo,
        longest: Duration,
    ) -> Self {
        Self {
            server: server.clone(),
            store: BundleStore::of(server, artifacts),
            lease: Duration::from_secs(offer.lease),
            offer,
            presence,
            device,
            longest,
            folder,
            uploads: AtomicU64::new(0),
        }
    }

    pub(super) fn fresh_name(&self) -> String {
        fresh_name(&self.presence.id, 1 + self.uploads.fetch_add(1, Ordering::Relaxed))
    }
}

/// A name that nobody else has given.
pub(super) fn fresh_name(who: &str, number: u64) -> String {
    let now = jiff::Timestamp::now().as_nanosecond().to_le_bytes();
    hash(&[who.as_bytes(), &std::process::id().to_le_bytes(), &number.to_le_bytes(), &now])
}
