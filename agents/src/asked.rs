//! What a decision has asked of models so far, for who gives the decision up before it is made.
//!
//! Invariant: a request whose reply nobody waits for any more is kept, with the time that it was waited for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::agent::Exchange;

tokio::task_local! {
    static ASKED: AskedLog;
}

/// The requests of a decision that is under way. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct AskedLog(Arc<Mutex<Vec<Exchange>>>);

impl AskedLog {
    /// Keeps what is asked while `decides` runs, and what is under way when it is dropped.
    pub async fn during<F: Future>(&self, decides: F) -> F::Output {
        ASKED.scope(self.clone(), decides).await
    }

    pub fn take(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A task of its own keeps its requests where the decision does that starts it.
pub(crate) async fn by_task<F: Future>(log: Option<AskedLog>, task: F) -> F::Output {
    match log {
        Some(log) => log.during(task).await,
        None => task.await,
    }
}

pub(crate) fn log() -> Option<AskedLog> {
    ASKED.try_with(Clone::clone).ok()
}

pub(crate) fn answered(exchange: &Exchange) {
    keep(|| exchange.clone());
}

fn keep(exchange: impl FnOnce() -> Exchange) {
    let Some(log) = log() else { return };
    log.0.lock().unwrap_or_else(PoisonError::into_inner).push(exchange());
}

/// A request under way; dropped before [`RequestUnderWay::ended`], it is kept as such.
pub(crate) struct RequestUnderWay<'a> {
    purpose: &'a str,
    prompt: &'a str,
    pictures: u32,
    sent: Instant,
    has_ended: bool,
}

impl<'a> RequestUnderWay<'a> {
    pub(crate) fn new(purpose: &'a str, prompt: &'a str, pictures: u32) -> Self {
        Self { purpose, prompt, pictures, sent: Instant::now(), has_ended: false }
    }

    pub(crate) fn ended(mut self) {
        self.has_ended = true;
    }
}

impl Drop for RequestUnderWay<'_> {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        keep(|| Exchange {
            purpose: self.purpose.to_owned(),
            prompt: self.prompt.to_owned(),
            pictures: self.pictures,
            took: self.sent.elapsed(),
            dropped: Some("nobody waited for it any more".to_owned()),
            ..Exchange::default()
        });
    }
}
