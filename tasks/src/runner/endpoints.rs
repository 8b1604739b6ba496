//! How the endpoints of models do, and when the run waits for one no longer.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use waldo_agents::ModelError;

use crate::error::TaskError;
use crate::events::{Event, EventKind, EventSink};
use crate::record::EpisodeKey;

#[derive(Clone, Copy, Debug, Default)]
struct Health {
    answered: bool,
    failed: u32,
}

/// Hears of every answer of a model on its way to the run's sink.
pub(super) struct Endpoints {
    inner: Arc<dyn EventSink>,
    health: Mutex<HashMap<String, Health>>,
    /// Reasons of invalid attempts that were told.
    told: Mutex<HashSet<String>>,
}

impl Endpoints {
    pub(super) fn new(inner: Arc<dyn EventSink>) -> Self {
        Self { inner, health: Mutex::default(), told: Mutex::default() }
    }

    fn with<T>(&self, contestant: &str, act: impl FnOnce(&mut Health) -> T) -> T {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        act(health.entry(contestant.to_owned()).or_default())
    }

    /// Whether an attempt was never before invalid for this reason.
    pub(super) fn is_news(&self, reason: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(reason.to_owned())
    }

    pub(super) fn answered(&self, contestant: &str) -> bool {
        self.with(contestant, |health| health.answered)
    }

    pub(super) fn good(&self, contestant: &str) {
        self.with(contestant, |health| health.failed = 0);
    }

    /// An episode was given up for it.
    ///
    /// # Errors
    /// Where it is the last of `most` in a row: `source`.
    pub(super) fn bad(&self, contestant: &str, most: u32, source: ModelError) -> Result<(), TaskError> {
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
