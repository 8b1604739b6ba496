//! Waiting for a quiet screen: two pictures in a row that are the same, a text cursor aside.

use image::RgbImage;

use super::agent::WdaServer;
use waldo_desktop::change::change;
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;
use waldo_devices::observation::Settled;

/// Waits until the screen is quiet, `bound` at most; gives its picture.
pub(crate) async fn settle(
    server: &WdaServer,
    bound: Deadline,
    deadline: Deadline,
) -> Result<(RgbImage, Settled), DeviceError> {
    let mut last = server.picture(deadline).await?;
    loop {
        let now = server.picture(deadline).await?;
        let still = change(&last, &now).is_none_or(|change| change.is_caret());
        last = now;
        if still {
            return Ok((last, Settled::Quiet));
        }
        if bound.passed() {
            return Ok((last, Settled::StillMoving));
        }
    }
}
