//! The tab in front as it moves, for whoever watches: the browser's screencast.
//!
//! Invariants: the browser films only while somebody watches; it sends the next frame only once the last was
//! acknowledged, which is done ten times a second at most; no call of the device waits for any of it.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::task::AbortOnDropHandle;

use super::cdp::{Cdp, SessionId, text};
use super::state::{ContextState, SharedState};
use waldo_devices::frames::{Frame, Frames};

/// The least time between two frames.
const PACE: Duration = Duration::from_millis(100);
/// How long the first frame may take, which even a page that stands still sends. A screencast that begins while
/// another process takes over the drawing of its tab never sends one, and is begun anew.
const FIRST: Duration = Duration::from_secs(1);
/// Of a JPEG, in percent.
const QUALITY: u32 = 70;
/// A wait that is begun anew when it ends.
const WAIT: Duration = Duration::from_secs(3600);

pub(crate) fn start(cdp: Cdp, shared: Arc<SharedState>, to: Frames) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            to.watched().await;
            let tab = wait(&shared, ready).await;
            Take::start(&cdp, &shared, tab).roll(&to).await;
        }
    }))
}

async fn wait<T>(shared: &SharedState, check: impl Fn(&ContextState) -> Option<T>) -> T {
    loop {
        if let Some(found) = shared.until(Instant::now() + WAIT, &check).await {
            return found;
        }
    }
}

/// The session of the tab in front, once it can be filmed.
fn ready(state: &ContextState) -> Option<SessionId> {
    state.usable().map(|tab| tab.session.clone())
}

/// A tab that is filmed. Dropping it ends that.
struct Take<'a> {
    cdp: &'a Cdp,
    shared: &'a SharedState,
    tab: SessionId,
    tell: mpsc::UnboundedSender<Value>,
    frames: mpsc::UnboundedReceiver<Value>,
}

impl<'a> Take<'a> {
    fn start(cdp: &'a Cdp, shared: &'a SharedState, tab: SessionId) -> Self {
        let (tell, frames) = mpsc::unbounded_channel();
        shared.update(|state| state.cast = Some((tab.clone(), tell.clone())));
        let take = Self { cdp, shared, tab, tell, frames };
        take.begin();
        take
    }

    fn begin(&self) {
        let how = json!({ "format": "jpeg", "quality": QUALITY });
        self.cdp.fire(Some(&self.tab), "Page.startScreencast", how);
    }

    fn end(&self) {
        self.cdp.fire(Some(&self.tab), "Page.stopScreencast", json!({}));
    }

    /// Films until nobody watches or another tab is in front.
    async fn roll(mut self, to: &Frames) {
        let own = self.tab.clone();
        let other = wait(self.shared, |state| ready(state).is_none_or(|tab| tab != own).then_some(()));
        tokio::pin!(other);
        let mut pace = interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut filming = false;
        loop {
            let frame = tokio::select! {
                frame = self.frames.recv() => frame,
                () = sleep(FIRST), if !filming => {
                    self.end();
                    self.begin();
                    continue;
                }
                () = &mut other => return,
                () = to.unwatched() => return,
            };
            let Some(frame) = frame else { return };
            filming = true;
            if let Ok(bytes) = STANDARD.decode(text(&frame, "data")) {
                to.put(Frame::Packed(bytes.into()));
            }
            pace.tick().await;
            self.cdp.fire(
                Some(&self.tab),
                "Page.screencastFrameAck",
                json!({ "sessionId": frame["sessionId"] }),
            );
        }
    }
}

impl Drop for Take<'_> {
    fn drop(&mut self) {
        // A take that began meanwhile goes on.
        let own = self
            .shared
            .update(|state| state.cast.take_if(|(_, tell)| tell.same_channel(&self.tell)).is_some());
        if own {
            self.end();
        }
    }
}

pub(crate) fn take(state: &ContextState, session: &SessionId, frame: Value) {
    if let Some((filmed, tell)) = &state.cast
        && filmed == session
    {
        // Whoever filmed may have just stopped.
        let _ = tell.send(frame);
    }
}
