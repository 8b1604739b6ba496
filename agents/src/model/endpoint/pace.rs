//! How fast an endpoint is asked: requests and tokens within any minute.
//!
//! Invariant: what is sent within a minute stays below both limits, as far as tokens can be known: those of a request
//! are estimated until the endpoint tells them. A request above the limit goes when nothing else does.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use waldo_devices::Deadline;

use crate::model::{Message, ModelRequest, Usage};

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Pace {
    requests: Option<u32>,
    tokens: Option<u64>,
    over: Duration,
    sent: Mutex<Sent>,
}

#[derive(Debug, Default)]
struct Sent {
    next: u64,
    all: VecDeque<One>,
}

#[derive(Debug)]
struct One {
    number: u64,
    at: Instant,
    tokens: u64,
}

impl Pace {
    pub(super) fn new(requests: Option<u32>, tokens: Option<u64>) -> Self {
        Self { requests, tokens, over: MINUTE, sent: Mutex::default() }
    }

    /// Waits until a request of so many tokens may go, and counts it. Its number, or `None` at the deadline.
    pub(super) async fn turn(&self, request: &ModelRequest, deadline: Deadline) -> Option<u64> {
        if self.requests.is_none() && self.tokens.is_none() {
            return Some(0);
        }
        let tokens: u64 = request.messages.iter().map(Message::tokens).sum();
        loop {
            let wait = match self.take(tokens, Instant::now()) {
                Ok(number) => return Some(number),
                Err(wait) => wait,
            };
            if wait >= deadline.left() {
                return None;
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Counts a request, or says how long it has to wait.
    fn take(&self, tokens: u64, now: Instant) -> Result<u64, Duration> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        while sent.all.front().is_some_and(|one| now.saturating_duration_since(one.at) >= self.over) {
            sent.all.pop_front();
        }
        let full = |kept: &VecDeque<One>, from: usize| {
            let left = kept.iter().skip(from);
            let count = u32::try_from(left.clone().count()).unwrap_or(u32::MAX);
            let total: u64 = left.map(|one| one.tokens).sum();
            self.requests.is_some_and(|most| count >= most)
                || count > 0 && self.tokens.is_some_and(|most| total.saturating_add(tokens) > most)
        };
        if !full(&sent.all, 0) {
            let number = sent.next;
            sent.next += 1;
            sent.all.push_back(One { number, at: now, tokens });
            return Ok(number);
        }
        // The first that has to be forgotten so that there is room.
        let until = (0..sent.all.len()).find(|gone| !full(&sent.all, gone + 1));
        let at = until.and_then(|gone| sent.all.get(gone)).map_or(now, |one| one.at);
        Err((at + self.over).saturating_duration_since(now).max(Duration::from_millis(1)))
    }

    /// Puts what the endpoint told in place of the estimate.
    pub(super) fn record_usage(&self, number: u64, usage: &Usage) {
        let (Some(prompt), Some(completion)) = (usage.prompt, usage.completion) else { return };
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = sent.all.iter_mut().find(|one| one.number == number) {
            one.tokens = prompt.saturating_add(completion);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_minute_holds_more_than_its_limits() {
        let pace = Pace::new(Some(2), Some(100));
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(pace.take(30, at(0)), Ok(0));
        assert_eq!(pace.take(30, at(10)), Ok(1));
        // Two are enough, until the first is a minute old.
        assert_eq!(pace.take(30, at(20)), Err(Duration::from_secs(40)));
        assert_eq!(pace.take(30, at(60)), Ok(2));
        // And so are a hundred tokens, as they were told.
        let told = Usage { prompt: Some(80), completion: Some(10), ..Usage::default() };
        pace.record_usage(2, &told);
        assert_eq!(pace.take(30, at(71)), Err(Duration::from_secs(49)));
        assert_eq!(pace.take(10, at(71)), Ok(3));
        // What is larger than all goes alone.
        assert_eq!(pace.take(5000, at(140)), Ok(4));
        assert!(pace.take(1, at(141)).is_err());
    }

    #[tokio::test]
    async fn a_turn_waits_and_ends_at_the_deadline() {
        let pace = Pace { over: Duration::from_millis(80), ..Pace::new(Some(1), None) };
        let request = ModelRequest::default();
        let soon = || Deadline::after(Duration::from_secs(5));
        let started = Instant::now();
        assert_eq!(pace.turn(&request, soon()).await, Some(0));
        assert_eq!(pace.turn(&request, Deadline::after(Duration::from_millis(5))).await, None);
        assert_eq!(pace.turn(&request, soon()).await, Some(1));
        assert!(started.elapsed() >= Duration::from_millis(80));
        assert_eq!(Pace::new(None, None).turn(&request, Deadline::after(Duration::ZERO)).await, Some(0));
    }
}
