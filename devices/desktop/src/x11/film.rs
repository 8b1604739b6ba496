//! The display as it moves, for whoever watches: pictures on a connection of their own, taken when something was drawn.
//!
//! Invariants: pictures are taken only while somebody watches, at most five a second, off the device's thread.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::AbortOnDropHandle;

use super::authority::DisplayAddress;
use super::capture::Camera;
use super::watch::Signs;
use super::x::X;
use waldo_devices::{DeviceError, Frame, Frames, Picture, Result};

/// The least time between two pictures.
const PACE: Duration = Duration::from_millis(200);

/// Films until what it gives is dropped.
pub(super) fn start(
    place: DisplayAddress,
    signs: watch::Receiver<Signs>,
    to: Frames,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        if let Err(error) = roll(place, signs, &to).await {
            // The device itself finds out what is wrong with the display.
            tracing::debug!(%error, "the display is no longer filmed");
        }
    }))
}

struct Taking {
    x: X,
    camera: Camera,
}

impl Taking {
    fn open(place: &DisplayAddress) -> Result<Self> {
        let x = X::connect(place)?;
        let camera = Camera::new(&x)?;
        Ok(Self { x, camera })
    }

    fn take(mut self) -> Result<(Self, Picture)> {
        let picture = Picture::new(self.camera.take(&self.x)?);
        Ok((self, picture))
    }
}

async fn roll(place: DisplayAddress, mut signs: watch::Receiver<Signs>, to: &Frames) -> Result<()> {
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        to.watched().await;
        let there = place.clone();
        let mut taking = blocking(move || Taking::open(&there)).await?;
        let mut drawn = None;
        loop {
            let seen = drawn;
            let now = tokio::select! {
                signs = signs.wait_for(|signs| signs.gone || Some(signs.draws) != seen) => match signs {
                    Ok(signs) if !signs.gone => signs.draws,
                    _ => return Ok(()),
                },
                () = to.unwatched() => break,
            };
            drawn = Some(now);
            let (back, picture) = blocking(move || taking.take()).await?;
            taking = back;
            to.put(Frame::Pixels(picture));
            pace.tick().await;
        }
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let ended = |error: tokio::task::JoinError| DeviceError::call("a picture between observations", error);
    spawn_blocking(work).await.map_err(ended)?
}
