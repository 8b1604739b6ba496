//! The phone's screen as it moves, for whoever watches.
//!
//! Invariants: a picture is taken only while somebody watches and the device is asked nothing, at most two a second; one
//! that is under way is given up as soon as the device is asked something.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::AbortOnDropHandle;

use super::adb::PhoneLink;
use super::screen::{self, Camera};
use waldo_devices::{Deadline, Frame, Frames};

/// The least time between two pictures.
const PACE: Duration = Duration::from_millis(500);
/// How long one picture may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the device is asked something now. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Work(Arc<watch::Sender<usize>>);

impl Default for Work {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl Work {
    /// The device is at work until what is given back is dropped.
    pub(crate) fn begin(&self) -> AtWork {
        self.0.send_modify(|calls| *calls += 1);
        AtWork(self.clone())
    }

    async fn is(&self, wanted: impl Fn(usize) -> bool) {
        // The sender lives as long as this does.
        let _ = self.0.subscribe().wait_for(|calls| wanted(*calls)).await;
    }
}

pub(crate) struct AtWork(Work);

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.0.send_modify(|calls| *calls = calls.saturating_sub(1));
    }
}

/// Films until what it gives is dropped.
pub(crate) fn start(link: Arc<PhoneLink>, camera: Camera, work: Work, to: Frames) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(roll(link, camera, work, to)))
}

async fn roll(link: Arc<PhoneLink>, camera: Camera, work: Work, to: Frames) {
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut shown: Option<screen::CellMeans> = None;
    loop {
        pace.tick().await;
        if !to.is_watched() {
            // Who comes later is shown what is there then.
            shown = None;
            to.watched().await;
        }
        work.is(|calls| calls == 0).await;
        let taken = tokio::select! {
            biased;
            () = work.is(|calls| calls > 0) => continue,
            () = to.unwatched() => continue,
            taken = camera.glimpse(&link, Deadline::after(PATIENCE)) => taken,
        };
        match taken {
            Ok(picture) => {
                let frame = screen::CellMeans::of(&picture, 0);
                if shown.as_ref() != Some(&frame) {
                    shown = Some(frame);
                    to.put(Frame::Pixels(picture));
                }
            }
            // The device itself finds out what is wrong with the phone.
            Err(error) => tracing::debug!(%error, "no picture between observations"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_over_when_every_call_is() {
        let work = Work::default();
        let one = work.begin();
        let two = work.begin();
        let rests = work.is(|calls| calls == 0);
        tokio::pin!(rests);
        drop(one);
        assert!(tokio::time::timeout(Duration::ZERO, &mut rests).await.is_err());
        drop(two);
        rests.await;
    }
}
