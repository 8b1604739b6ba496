//! What the phone writes down as it goes: the lines of `logcat`.

use std::collections::VecDeque;

use tokio::sync::watch;

use super::World;

/// Lines that are kept.
const KEPT: usize = 2_000;
/// The system's own process.
pub(crate) const SYSTEM_PID: u32 = 1_432;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// Seconds since 1970 on the phone's clock, UTC.
    pub wall: i64,
    /// Thousandths of that second.
    pub ms: u64,
    /// The process that wrote it.
    pub pid: u32,
    /// `V`, `D`, `I`, `W`, `E` or `F`.
    pub level: char,
    /// What part of the system speaks.
    pub tag: String,
    pub text: String,
}

/// The lines, and their count since the phone was switched on.
#[derive(Debug)]
pub struct Log {
    lines: VecDeque<LogLine>,
    count: watch::Sender<u64>,
}

impl Default for Log {
    fn default() -> Self {
        Self { lines: VecDeque::new(), count: watch::Sender::new(0) }
    }
}

impl Log {
    /// The lines from number `from` on that are still kept, and the number of the next one.
    pub fn since(&self, from: u64) -> (Vec<LogLine>, u64) {
        let next = *self.count.borrow();
        let new = usize::try_from(next.saturating_sub(from)).unwrap_or(usize::MAX).min(self.lines.len());
        (self.lines.iter().skip(self.lines.len() - new).cloned().collect(), next)
    }

    /// Tells of each new line.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    pub fn clear(&mut self) {
        self.lines.clear();
    }
}

impl World {
    /// Writes a line down.
    pub fn note(&mut self, pid: u32, level: char, tag: &str, text: &str) {
        let line = LogLine {
            wall: self.wall(),
            ms: self.now_ms % 1000,
            pid,
            level,
            tag: tag.to_owned(),
            text: text.to_owned(),
        };
        self.log.lines.push_back(line);
        if self.log.lines.len() > KEPT {
            self.log.lines.pop_front();
        }
        self.log.count.send_modify(|n| *n += 1);
    }
}
