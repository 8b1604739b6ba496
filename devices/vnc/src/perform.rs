//! Actions, each looked over after it.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::time::{Duration, Instant};

use super::device::VncDevice;
use super::hands::NAME;
use super::options::PASSWORD;
use waldo_desktop::effect::{SHOWS_WITHIN, in_pictures, report};
use waldo_desktop::hand::{DesktopAction, InputOp, bad, wait};
use waldo_devices::{Action, ActionReport, Deadline, DeviceError, Effect, ElementRef, Result};

/// How long the server may take to have carried an action out, before it is looked what came of it.
const DONE_WITHIN: Duration = Duration::from_secs(3);

impl VncDevice {
    pub(crate) async fn act(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let began = Instant::now();
        self.keep_connected(deadline).await?;
        let done = self.effect_of(action, deadline).await;
        if done.is_err() && self.is_lost() {
            // Whether it got there nobody knows; the next look tells what it came to.
            self.keep_connected(deadline).await?;
            return report(began, Ok(Effect::Unverifiable));
        }
        report(began, done)
    }

    async fn effect_of(&mut self, action: &Action, deadline: Deadline) -> Result<Effect> {
        if matches!(action, Action::TypeSecret { name } if name == PASSWORD) {
            return Err(bad("secret", "this one lets waldo in, and is not typed"));
        }
        let live = self.live()?;
        match DesktopAction::read(action, &live.geometry, self.secrets_of(), NAME)? {
            DesktopAction::Hand(op) => {
                if let InputOp::Keys(chords) = &op {
                    live.guard.chords(chords)?;
                }
                let judged = op.judged();
                self.with_hands(&[op], deadline).await.map(judged)
            }
            DesktopAction::Wait(ms) => Ok(wait(ms, deadline).await),
            DesktopAction::Fill(element, text) => self.fill(element, text, deadline).await,
            DesktopAction::Open(_)
            | DesktopAction::Stop(_)
            | DesktopAction::Focus(_)
            | DesktopAction::Close(_)
            | DesktopAction::Shell(_)
            | DesktopAction::Paste(_) => Err(DeviceError::unsupported(NAME, action.name())),
        }
    }

    async fn fill(&mut self, element: &ElementRef, text: &str, deadline: Deadline) -> Result<Effect> {
        let at = element.among(&self.elements)?.hit;
        self.with_hands(&InputOp::filling(at, "ctrl+a BackSpace", text)?, deadline).await
    }

    /// Carries actions out, one right after the other, and tells what came of them.
    async fn with_hands(&mut self, ops: &[InputOp], deadline: Deadline) -> Result<Effect> {
        let moving = self.moving;
        let live = self.live_mut()?;
        let screen = live.screen.clone();
        let size = screen.size();
        if (f64::from(size.0), f64::from(size.1)) != (live.geometry.physical.w, live.geometry.physical.h) {
            let what = format!("the screen has another size now, {}x{}: look again", size.0, size.1);
            return Err(DeviceError::StaleElement { what });
        }
        let before = screen.shot(deadline).await?;
        for op in ops {
            live.hands.carry_out(op, &screen, deadline).await?;
        }
        // The server carries out what it was sent in its order, and answers what it was asked after it.
        match screen.sync(deadline.at_most(DONE_WITHIN)).await {
            Ok(()) | Err(DeviceError::Timeout { .. }) => {}
            Err(error) => return Err(error),
        }
        let end = deadline.at_most(SHOWS_WITHIN);
        loop {
            let now = screen.shot(deadline).await?;
            if let Some(evidence) = in_pictures(&before.picture, &now.picture) {
                return Ok(if moving { Effect::Unverifiable } else { Effect::Confirmed { evidence } });
            }
            if !screen.changed(now.revision, end).await? {
                return Ok(if moving { Effect::Unverifiable } else { Effect::SuspectedNoop });
            }
        }
    }
}
