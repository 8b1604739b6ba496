//! The progress display of a run: a consumer of its events like any other.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use waldo_devices::count::noun;
use waldo_tasks::{Event, EventKind, EventSink};

use crate::progress_bar::ProgressBar;

/// Successes and scored episodes of one contestant.
type Tally = BTreeMap<String, (f64, u32, u32)>;

/// A bar with ETA and the live success rate of each contestant; a line per episode without a terminal.
pub struct Progress {
    bar: ProgressBar,
    tally: Mutex<Tally>,
}

impl Progress {
    pub fn new(total: usize) -> Self {
        Self { bar: ProgressBar::new(total), tally: Mutex::new(Tally::new()) }
    }

    pub fn finish(&self) {
        self.bar.clear();
    }
}

impl EventSink for Progress {
    fn emit(&self, event: &Event, _picture: Option<&[u8]>) {
        let EventKind::Ended { result } = &event.kind else { return };
        let message = {
            let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
            let entry = tally.entry(result.key.contestant.clone()).or_default();
            if result.is_invalid() {
                entry.2 += 1;
            } else if let Some(success) = result.success {
                entry.0 += success;
                entry.1 += 1;
            }
            tally.iter().map(|(name, t)| line(name, *t)).collect::<Vec<_>>().join("  ")
        };
        if self.bar.hidden {
            let outcome = result.outcome.name();
            eprintln!(
                "{:<52} {} in {:>2} {}, {outcome}",
                result.key.to_string(),
                match result.success {
                    Some(success) => format!("{success:.2}"),
                    None if result.is_invalid() => "unknown".to_owned(),
                    None => "not checked".to_owned(),
                },
                result.steps,
                noun(result.steps, "step")
            );
        }
        self.bar.advance(&message);
    }
}

fn line(name: &str, (sum, n, invalid): (f64, u32, u32)) -> String {
    let rate = if n == 0 { "\u{2013}".to_owned() } else { format!("{:.0} %", 100.0 * sum / f64::from(n)) };
    let invalid = if invalid == 0 { String::new() } else { format!(" ({invalid} invalid)") };
    format!("{name} {rate}{invalid}")
}
