//! Waiting for a quiet screen, which no update has changed for a moment. A blinking text cursor does not count.

use std::time::Duration;

use super::rfb::RfbClient;
use super::screen::Shot;
use waldo_desktop::change::change;
use waldo_devices::{Deadline, DeviceError, Settled};

/// How long nothing may change.
const QUIET: Duration = Duration::from_millis(150);

/// Waits until the screen is quiet, `bound` at most; gives its picture.
pub(crate) async fn settle(
    screen: &RfbClient,
    bound: Deadline,
    deadline: Deadline,
) -> Result<(Shot, Settled), DeviceError> {
    // What was under way is in the picture then.
    screen.sync(deadline).await?;
    let mut last = screen.shot(deadline).await?;
    let mut quiet = Deadline::after(QUIET);
    loop {
        if !screen.changed(last.revision, quiet.at_most(bound.left())).await? {
            let settled = if quiet.passed() { Settled::Quiet } else { Settled::StillMoving };
            return Ok((last, settled));
        }
        let now = screen.shot(deadline).await?;
        if change(&last.picture, &now.picture).is_some_and(|change| !change.is_caret()) {
            quiet = Deadline::after(QUIET);
        }
        last = now;
        if quiet.passed() {
            return Ok((last, Settled::Quiet));
        }
        if bound.passed() {
            return Ok((last, Settled::StillMoving));
        }
    }
}
