//! The event stream on standard output, for programs, and in the log: consumers of events like any other.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use waldo_tasks::{Event, EventKind, EventSink};

/// One JSON object a line. When nobody reads any more, the run goes on without it.
#[derive(Debug, Default)]
pub struct JsonLines {
    closed: AtomicBool,
}

impl EventSink for JsonLines {
    fn emit(&self, event: &Event, _picture: Option<&[u8]>) {
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        let Ok(line) = serde_json::to_string(event) else { return };
        let mut line = crate::masking::mask(line);
        line.push('\n');
        let mut out = crate::terminal::stdout();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }
}

/// The log of `-v` and `-vv`: episodes as they begin and end, and each step.
#[derive(Debug, Default)]
pub struct Log;

impl EventSink for Log {
    fn emit(&self, event: &Event, _picture: Option<&[u8]>) {
        let episode = &event.episode;
        match &event.kind {
            EventKind::Started { attempt, seed, goal, .. } => {
                tracing::info!(%episode, attempt, seed, goal, "began");
            }
            EventKind::Observed(seen) => tracing::debug!(
                %episode,
                step = seen.step,
                elements = seen.elements.len(),
                tags = seen.tagged.len(),
                settled = ?seen.settled,
                settle = ?seen.timings.settle,
                took = ?seen.timings.total,
                location = seen.context.location,
                "observed"
            ),
            EventKind::Decided { step, decision, took } => {
                tracing::debug!(%episode, step, choice = ?decision.choice, ?took, "decided");
            }
            EventKind::Acted { step, action, report, note } => {
                tracing::debug!(%episode, step, action = action.name(), ?report, ?note, "acted");
            }
            EventKind::Ended { result } => {
                tracing::info!(%episode, outcome = ?result.outcome, steps = result.steps, "ended");
            }
            _ => {}
        }
    }
}
