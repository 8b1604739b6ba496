//! The screen as it moves, for whoever watches: its updates, ten times a second at most.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::AbortOnDropHandle;

use super::rfb::RfbClient;
use waldo_devices::{Deadline, Frame, Frames, Picture};

/// The least time between two frames.
const PACE: Duration = Duration::from_millis(100);
/// A wait that is begun anew when it ends.
const WAIT: Duration = Duration::from_secs(3600);

pub(crate) fn start(screen: Arc<RfbClient>, to: Frames) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut pace = interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut seen = None;
        loop {
            to.watched().await;
            pace.tick().await;
            if let Some(revision) = seen {
                tokio::select! {
                    changed = screen.changed(revision, Deadline::after(WAIT)) => match changed {
                        Ok(true) => {}
                        Ok(false) => continue,
                        Err(_) => return,
                    },
                    () = to.unwatched() => {
                        // Who comes next is shown the screen as it is then.
                        seen = None;
                        continue;
                    }
                }
            }
            let Ok(shot) = screen.shot(Deadline::after(WAIT)).await else { return };
            seen = Some(shot.revision);
            to.put(Frame::Pixels(Picture::new(shot.picture)));
        }
    }))
}
