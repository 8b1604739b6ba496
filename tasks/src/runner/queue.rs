//! Between a run and who plays it: where the next episode comes from, and what becomes of one that was played.
//!
//! Invariant: an episode is out on one lease at a time as far as its queue can tell, and a lease ends in one of two ways:
//! its result is kept, or somebody else gets the episode.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::error::Result;
use crate::record::{EpisodeFolder, EpisodeKey};

#[async_trait]
pub trait Queue: Send + Sync {
    /// The next episode; `None` where there will be none for this player any more.
    async fn next(&self) -> Result<Option<Box<dyn Lease>>>;
}

#[async_trait]
pub trait Lease: Send + Sync {
    fn key(&self) -> &EpisodeKey;

    /// Which of its task's instances it is; by [`crate::suite::instance_seed`] in place of its number.
    fn instance(&self) -> u32 {
        self.key().repeat
    }

    /// It was played: its folder is complete.
    ///
    /// # Errors
    /// When the result cannot be handed in; the episode is somebody else's then.
    async fn done(self: Box<Self>, folder: &EpisodeFolder) -> Result<()>;

    /// It was not: somebody else may have it.
    async fn give_back(self: Box<Self>);
}

/// The episodes of a run that one process plays alone: no server, no lease that could be lost.
#[derive(Debug)]
pub(super) struct InMemory(Mutex<VecDeque<EpisodeKey>>);

impl InMemory {
    pub(super) fn new(keys: VecDeque<EpisodeKey>) -> Self {
        Self(Mutex::new(keys))
    }
}

#[async_trait]
impl Queue for InMemory {
    async fn next(&self) -> Result<Option<Box<dyn Lease>>> {
        let key = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Ok(key.map(|key| -> Box<dyn Lease> { Box::new(Own(key)) }))
    }
}

/// What is in the run's own folder is kept already; what is not is missing, and the same command plays it.
struct Own(EpisodeKey);

#[async_trait]
impl Lease for Own {
    fn key(&self) -> &EpisodeKey {
        &self.0
    }

    async fn done(self: Box<Self>, _: &EpisodeFolder) -> Result<()> {
        Ok(())
    }

    async fn give_back(self: Box<Self>) {}
}
