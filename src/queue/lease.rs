//! An episode that a worker was handed, until its result is in.
//!
//! Invariants: the lease is kept up by a task of its own, not by whoever plays, and no longer than an episode may last;
//! the result is put before the episode is acknowledged, so that whoever is killed in between costs time and no result.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use async_trait::async_trait;
use bytes::Bytes;
use tokio::task::AbortHandle;
use waldo_tasks::record::EpisodeFolder;
use waldo_tasks::runner::Lease;
use waldo_tasks::{EpisodeKey, EpisodeResult, Outcome, TaskError};

use super::bundle::Bundle;
use super::error::{QueueError, Result};
use super::intake::keep;
use super::server::{Put, RESULTS};
use super::serving::Serving;
use super::wire::{FORMAT, PlayedEpisode, Work, episode_id, read, written};

const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(10);
/// How long an episode that was given back rests, so that it does not come to the same worker at once.
const RESTS: Duration = Duration::from_secs(1);

pub(super) struct Leased {
    work: Work,
    message: Arc<Message>,
    serving: Arc<Serving>,
    heart: AbortHandle,
}

impl Leased {
    pub(super) fn new(work: Work, message: Message, serving: Arc<Serving>) -> Self {
        let message = Arc::new(message);
        let beat = (serving.lease / 4).max(Duration::from_millis(100));
        let beats = message.clone();
        let longest = serving.longest;
        let heart = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(beat);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            // What lasts longer than an episode can hangs, and is somebody else's.
            let _ = tokio::time::timeout(longest, async {
                loop {
                    ticks.tick().await;
                    if let Err(e) = beats.ack_with(AckKind::Progress).await {
                        tracing::debug!(error = %e, "a lease cannot be renewed");
                    }
                }
            })
            .await;
        })
        .abort_handle();
        serving.presence.plays(&work.key);
        Self { work, message, serving, heart }
    }

    async fn hand_in(&self, folder: &EpisodeFolder) -> Result<()> {
        let Serving { server, store, offer, .. } = self.serving.as_ref();
        let path = folder.path();
        let bundle = match Bundle::of(path, offer.max_artifact) {
            Err(QueueError::Foreign(why)) => {
                // Nobody would take it: the episode is invalid, for a reason that can be read.
                let result = folder.result()?.ok_or_else(|| {
                    TaskError::Internal(format!("{}: a complete episode has no result", path.display()))
                })?;
                keep(folder, &without_score(result, why))?;
                Bundle::of(path, offer.max_artifact)?
            }
            bundle => bundle?,
        };
        let upload = self.serving.fresh_name();
        store.send(&self.work.run, &upload, &bundle).await?;
        let played = PlayedEpisode {
            v: FORMAT,
            run: self.work.run.clone(),
            key: self.work.key.clone(),
            ticket: self.work.ticket.clone(),
            worker: self.serving.presence.id.to_owned(),
            upload: upload.clone(),
            files: bundle.files,
            device: self.serving.device.clone(),
        };
        let subject = format!("waldo.result.{}.{}", self.work.run, episode_id(&self.work.key));
        let payload = Bytes::from(written("a result", &played)?);
        if server.put_first(&subject, payload).await? == Put::Taken
            // A server that was away may have taken it without a word.
            && !self.is_ours(&subject, &upload).await?
        {
            tracing::info!(episode = %self.work.key, "somebody else was first");
            store.remove(&self.work.run, &upload).await?;
        }
        self.acknowledge(AckKind::Ack).await;
        Ok(())
    }

    async fn is_ours(&self, subject: &str, upload: &str) -> Result<bool> {
        let server = &self.serving.server;
        let Some(kept) = server.patiently(|| server.last(RESULTS, subject)).await? else { return Ok(false) };
        Ok(read::<PlayedEpisode>("a result", &kept.payload).is_ok_and(|played| played.upload == upload))
    }

    /// Where it does not arrive, the episode is handed out once more, and its result is found then.
    async fn acknowledge(&self, kind: AckKind) {
        let done = tokio::time::timeout(ACKNOWLEDGED_WITHIN, self.message.double_ack_with(kind)).await;
        if !matches!(done, Ok(Ok(()))) {
            tracing::debug!(episode = %self.work.key, "not acknowledged");
        }
    }
}

impl Drop for Leased {
    fn drop(&mut self) {
        self.heart.abort();
        self.serving.presence.plays_no_more(&self.work.key);
    }
}

#[async_trait]
impl Lease for Leased {
    fn key(&self) -> &EpisodeKey {
        &self.work.key
    }

    async fn done(self: Box<Self>, folder: &EpisodeFolder) -> Result<(), TaskError> {
        let done = self.hand_in(folder).await;
        if done.is_err() {
            self.acknowledge(AckKind::Nak(Some(RESTS))).await;
        } else {
            self.serving.presence.handed_in();
        }
        // What is handed in is of no more use here; what is not, is played anew.
        let path = folder.path();
        if let Err(e) = std::fs::remove_dir_all(path) {
            tracing::debug!(path = %path.display(), error = %e, "not removed");
        }
        done.map_err(Into::into)
    }

    async fn give_back(self: Box<Self>) {
        self.acknowledge(AckKind::Nak(Some(RESTS))).await;
    }
}

fn without_score(result: EpisodeResult, reason: String) -> EpisodeResult {
    EpisodeResult { outcome: Outcome::Invalid { reason }, success: None, ..result }
}
