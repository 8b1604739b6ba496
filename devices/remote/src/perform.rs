//! Actions, each looked over after it.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::time::Duration;

use image::RgbImage;

use super::device::{NAME, RemoteDevice};
use super::hands;
use waldo_desktop::effect::{SHOWS_WITHIN, in_pictures};
use waldo_desktop::hand::{DesktopAction, InputOp, bad, wait};
use waldo_desktop::launch::words;
use waldo_devices::{Action, Deadline, DeviceError, Effect, ElementRef, Result};
use waldo_http::OperatingSystem;

/// The longest that one program of input may run: the server ends it then.
const PROGRAM_MAX: Duration = Duration::from_secs(110);

impl RemoteDevice {
    pub(crate) async fn effect_of(&mut self, action: &Action, deadline: Deadline) -> Result<Effect> {
        let live = self.live()?;
        match DesktopAction::read(action, &live.geometry, self.secrets_of(), NAME)? {
            DesktopAction::Hand(op) => {
                if let InputOp::Keys(chords) = &op {
                    live.guard.chords(chords)?;
                }
                let before = self.frame(deadline).await?;
                self.run(&op, deadline).await?;
                self.seen_since(&before, deadline).await.map(op.judged())
            }
            DesktopAction::Wait(ms) => Ok(wait(ms, deadline).await),
            DesktopAction::Fill(element, text) => self.fill(element, text, deadline).await,
            DesktopAction::Open(app) => {
                let before = self.frame(deadline).await?;
                self.server().launch(&words(app), deadline).await?;
                self.seen_since(&before, deadline).await
            }
            DesktopAction::Focus(window) => self.window("-a", window, deadline).await,
            DesktopAction::Close(window) => self.window("-c", window, deadline).await,
            DesktopAction::Stop(_) | DesktopAction::Shell(_) | DesktopAction::Paste(_) => {
                Err(DeviceError::unsupported(NAME, action.name()))
            }
        }
    }

    async fn run(&mut self, op: &InputOp, deadline: Deadline) -> Result<()> {
        let system = self.live()?.system;
        for program in hands::programs(system, op)? {
            self.python(&program, deadline.at_most(PROGRAM_MAX)).await?;
        }
        Ok(())
    }

    async fn fill(&mut self, element: &ElementRef, text: &str, deadline: Deadline) -> Result<Effect> {
        let at = element.among(&self.elements)?.hit;
        let mac = self.live()?.system == OperatingSystem::Mac;
        let away = if mac { "cmd+a Backspace" } else { "ctrl+a Backspace" };
        let before = self.frame(deadline).await?;
        for op in InputOp::filling(at, away, text)? {
            self.run(&op, deadline).await?;
        }
        self.seen_since(&before, deadline).await
    }

    /// Has the window manager do something with a window, which it knows by its title.
    async fn window(&mut self, what: &str, id: u32, deadline: Deadline) -> Result<Effect> {
        let live = self.live()?;
        if live.system != OperatingSystem::Linux {
            let action = "bring windows to the front and close them by name".to_owned();
            return Err(DeviceError::unsupported(NAME, action));
        }
        let title = live.guard.window(&self.windows, id)?.title.clone();
        let before = self.frame(deadline).await?;
        let done = self.server().run(&["wmctrl", "-F", what, &title], deadline).await?;
        if done.returncode != 0 {
            let why =
                if done.error.is_empty() { "the window manager knows no such window" } else { &done.error };
            return Err(bad(&format!("window {id}"), why));
        }
        self.seen_since(&before, deadline).await
    }

    /// What the picture says to have come of an action, within a moment.
    async fn seen_since(&mut self, before: &RgbImage, deadline: Deadline) -> Result<Effect> {
        let end = deadline.at_most(SHOWS_WITHIN);
        loop {
            let now = self.frame(deadline).await?;
            if let Some(evidence) = in_pictures(before, &now) {
                return Ok(Effect::Confirmed { evidence });
            }
            if end.passed() {
                return Ok(if self.moving { Effect::Unverifiable } else { Effect::SuspectedNoop });
            }
        }
    }
}
