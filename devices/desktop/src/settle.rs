//! Waiting for a quiet screen of which there are pictures alone.

use image::RgbImage;

use crate::change::change;
use waldo_devices::{Deadline, Result, Settled};

/// Takes pictures until two in a row are the same, a text cursor aside, or `bound` has passed; the last of them.
pub async fn settle<Taken>(take: impl Fn() -> Taken, bound: Deadline) -> Result<(RgbImage, Settled)>
where
    Taken: Future<Output = Result<RgbImage>>,
{
    let mut last = take().await?;
    loop {
        let now = take().await?;
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
