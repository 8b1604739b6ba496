//! Timers, counted by the wall clock in seconds, and the stopwatch, counted by uptime in milliseconds.

use crate::apps::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Timer {
    pub(super) id: i64,
    /// Seconds it was set to.
    pub(super) length: i64,
    /// Seconds left as of its last start or pause.
    left: i64,
    /// When it runs out, while it runs.
    until: Option<i64>,
}

impl Timer {
    pub(super) fn begun(id: i64, length: i64, now: i64) -> Self {
        Self { id, length, left: length, until: Some(now + length) }
    }

    pub(super) fn runs(&self) -> bool {
        self.until.is_some()
    }

    pub(super) fn left(&self, now: i64) -> i64 {
        self.until.map_or(self.left, |u| (u - now).max(0))
    }

    pub(super) fn turn(&mut self, now: i64) {
        if self.runs() {
            self.left = self.left(now);
            self.until = None;
        } else {
            if self.left == 0 {
                self.left = self.length;
            }
            self.until = Some(now + self.left);
        }
    }

    pub(super) fn more(&mut self, now: i64) {
        self.left = self.left(now) + 60;
        self.until = self.until.map(|_| now + self.left);
    }

    pub(super) fn reset(&mut self) {
        self.left = self.length;
        self.until = None;
    }

    /// Whether it has run out since it was asked last.
    pub(super) fn expires(&mut self, now: i64) -> bool {
        let out = self.until.is_some_and(|u| u <= now);
        if out {
            self.left = 0;
            self.until = None;
        }
        out
    }
}

/// Seconds that digits typed from the right mean: `130` is a minute and a half.
pub(super) fn seconds_of(digits: &str) -> i64 {
    let n: i64 = digits.parse().unwrap_or(0);
    n / 10_000 * 3600 + n / 100 % 100 * 60 + n % 100
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stopwatch {
    since: Option<u64>,
    before: u64,
    pub(super) laps: Vec<u64>,
}

impl Stopwatch {
    pub(super) fn runs(&self) -> bool {
        self.since.is_some()
    }

    pub(super) fn total(&self, now_ms: u64) -> u64 {
        self.before + self.since.map_or(0, |s| now_ms.saturating_sub(s))
    }

    pub(super) fn turn(&mut self, now_ms: u64) {
        if self.runs() {
            self.before = self.total(now_ms);
            self.since = None;
        } else {
            self.since = Some(now_ms);
        }
    }

    pub(super) fn lap(&mut self, now_ms: u64) {
        if self.runs() {
            self.laps.push(self.total(now_ms));
        }
    }
}
