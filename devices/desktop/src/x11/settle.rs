//! Waiting for a quiet screen: woken by what the server says was drawn, and bounded.
//!
//! Quiet is a screen on which nothing was drawn for a moment while no program behind a window wanted the
//! processor, or on which what is drawn again and again stays the same.

use std::time::{Duration, Instant};

use image::RgbImage;
use tokio::sync::watch;

use super::display_state::DisplayThread;
use super::program::work_of;
use super::watch::{Signs, wait_for};
use crate::change::change;
use waldo_devices::{Deadline, DeviceError, Settled};

/// How long nothing may be drawn for a screen to count as quiet.
const STILL: Duration = Duration::from_millis(50);
/// How long programs are watched for whether they are about to draw.
const GLANCE: Duration = Duration::from_millis(15);
/// Programs that draw nothing but compute are waited for this long at most.
const COMPUTES: Duration = Duration::from_millis(800);
/// The part of the time that programs may want the processor and still count as idle.
const IDLE_SHARE: u32 = 4;

/// Waits until the screen is quiet, `bound` at most, and no earlier than a reaction to the last input is due.
/// `pids` are the programs behind the windows.
pub(crate) async fn settle(
    thread: &DisplayThread,
    signs: &mut watch::Receiver<Signs>,
    pids: &[u32],
    due: Option<Instant>,
    bound: Deadline,
    deadline: Deadline,
) -> Result<Settled, DeviceError> {
    let began = Instant::now();
    let awaited = || due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()));
    let mut sample: Option<(RgbImage, Instant)> = None;
    loop {
        let seen = *signs.borrow_and_update();
        let (work, since) = (wanted(pids), Instant::now());
        let calm = STILL.saturating_sub(seen.drawn.elapsed()).max(GLANCE).max(awaited());
        let drawn = wait_for(signs, bound.at_most(calm), |now| now.draws != seen.draws || now.gone).await;
        if signs.borrow().gone {
            return Err(super::x::gone("it ended"));
        }
        if !drawn && !bound.passed() {
            let busy = wanted(pids).saturating_sub(work) > since.elapsed() / IDLE_SHARE;
            if !busy || began.elapsed() > COMPUTES {
                return Ok(Settled::Quiet);
            }
            continue;
        }
        // Drawing goes on: is it the same again and again?
        let due = sample.as_ref().is_none_or(|(_, at)| at.elapsed() >= STILL);
        if due || bound.passed() {
            let now = thread.ask("a picture", deadline, |s| s.camera.take(&s.x)).await?;
            let same = sample.as_ref().is_some_and(|(before, _)| change(before, &now).is_none());
            if same && awaited().is_zero() {
                return Ok(Settled::Quiet);
            }
            sample = Some((now, Instant::now()));
        }
        if bound.passed() {
            return Ok(Settled::StillMoving);
        }
    }
}

/// How much the programs have wanted the processor so far.
pub(crate) fn wanted(pids: &[u32]) -> Duration {
    pids.iter().filter_map(|pid| work_of(*pid)).map(|(work, _)| work).sum()
}
