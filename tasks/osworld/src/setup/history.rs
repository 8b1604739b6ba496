//! Visits written into a browser's history.

use std::path::Path;

use serde_json::Value;

use super::super::error::OsworldError;
use super::super::sqlite;

/// Microseconds from the browser's first day, 1601-01-01, to 1970-01-01.
const EPOCH: i64 = 11_644_473_600_000_000;

pub fn fill(path: &Path, visits: &[Value]) -> Result<(), OsworldError> {
    let now = jiff::Timestamp::now().as_microsecond() + EPOCH;
    for visit in visits {
        let text = |name: &str| visit[name].as_str().unwrap_or_default().to_owned();
        let ago = visit["visit_time_from_now_in_seconds"].as_f64().unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "microseconds of years")]
        let at = now - (ago * 1e6) as i64;
        sqlite::add_visit(path, &text("url"), &text("title"), at)
            .map_err(|fault| OsworldError::machine("update_browse_history", fault))?;
    }
    Ok(())
}
