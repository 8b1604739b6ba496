//! Waiting for a quiet screen by its pictures alone: quiet is a screen of which three in a row are the same.

use std::time::Duration;

use super::display_state::DisplayThread;
use waldo_desktop::change::change;
use waldo_devices::{Deadline, Result, Settled};

/// The pause between two pictures.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// How often in a row nothing may have changed.
const QUIET: u32 = 2;

/// Waits until the screen is quiet, `bound` at most. A text cursor that blinks does not count.
pub(crate) async fn settle(thread: &DisplayThread, bound: Deadline, deadline: Deadline) -> Result<Settled> {
    let mut looks = looks();
    let mut before = None;
    let mut quiet = 0;
    loop {
        looks.tick().await;
        let now = thread.ask("a picture", deadline, |s| s.display.take()).await?;
        let same = before.is_some_and(|before| change(&before, &now).is_none_or(|change| change.is_caret()));
        quiet = if same { quiet + 1 } else { 0 };
        if quiet == QUIET {
            return Ok(Settled::Quiet);
        }
        if bound.passed() {
            return Ok(Settled::StillMoving);
        }
        before = Some(now);
    }
}

/// Looks at a steady pace; one that took long puts off the next.
pub(crate) fn looks() -> tokio::time::Interval {
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    looks
}
