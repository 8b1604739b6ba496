//! Actions, each guarded before it is done and looked over after it.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::path::Path;
use std::time::Duration;

use image::RgbImage;

use super::carry::{ActionTarget, carry_out, intruder};
use super::device::{PortableDevice, ScreenSession, cannot};
use super::display_state::DisplayState;
use super::hands::ChordKeys;
use super::programs;
use super::settle::looks;
use super::system::System;
use waldo_desktop::chord::{Chord, Modifier};
use waldo_desktop::display_thread::JobCaller;
use waldo_desktop::effect::{ChangeScope, SHOWS_WITHIN, evidence, foreign, opened};
use waldo_desktop::hand::{DesktopAction, InputOp, wait};
use waldo_desktop::keysyms;
use waldo_desktop::launch::resolve;
use waldo_desktop::visible::{fragments, pixel};
use waldo_desktop::window::Window;
use waldo_devices::{Action, Deadline, Effect, ElementRef, RefusalKind, Result};

const CLOSES_WITHIN: Duration = Duration::from_secs(2);

struct ScreenBefore {
    windows: Vec<Window>,
    frame: RgbImage,
}

impl PortableDevice {
    pub(crate) async fn effect_of(&mut self, action: &Action, deadline: Deadline) -> Result<Effect> {
        let live = self.live()?;
        match DesktopAction::read(action, &live.geometry, &self.options.secrets, "desktop")? {
            DesktopAction::Hand(hand) => {
                let judged = hand.judged();
                self.with_hands(vec![hand], deadline).await.map(judged)
            }
            DesktopAction::Wait(ms) => Ok(wait(ms, deadline).await),
            DesktopAction::Focus(window) => self.focus(window, deadline).await,
            DesktopAction::Close(window) => self.close_window(window, deadline).await,
            DesktopAction::Open(app) => self.open(app, deadline).await,
            DesktopAction::Stop(app) => self.stop(app, deadline).await,
            DesktopAction::Fill(element, text) => self.fill(element, text, deadline).await,
            DesktopAction::Shell(_) => {
                Err(cannot("run shell commands", "they are not held to a group of processes here"))
            }
            DesktopAction::Paste(_) => Err(cannot("paste", "it has no clipboard; type the text")),
        }
    }

    async fn before(&self, deadline: Deadline) -> Result<ScreenBefore> {
        let (windows, frame) = self.live()?.thread.ask("a look", deadline, |s| s.look()).await?;
        Ok(ScreenBefore { windows, frame })
    }

    /// Carries actions out, one right after the other, and tells what came of them.
    async fn with_hands(&self, hands: Vec<InputOp>, deadline: Deadline) -> Result<Effect> {
        let before = self.before(deadline).await?;
        let live = self.live()?;
        let places: Vec<ActionTarget> = hands.iter().map(ActionTarget::of).collect();
        let window_guard = live.window_guard.clone();
        let job = move |s: &mut DisplayState, caller: &JobCaller<'_>| {
            hands.into_iter().try_for_each(|hand| carry_out(hand, s, &window_guard, caller))
        };
        live.thread.ask_long("an action", deadline, job).await?;
        let (effect, windows) = self.after(live, &before, ChangeScope::All, SHOWS_WITHIN, deadline).await?;
        let came =
            places.iter().find_map(|place| intruder(&live.window_guard, place, &before.windows, &windows));
        Ok(match came {
            Some(reason) => Effect::Refused { kind: RefusalKind::Origin, reason },
            None => effect,
        })
    }

    /// Compares with `before`, waiting `within` at most for the first change; gives the windows as well.
    async fn after(
        &self,
        live: &ScreenSession,
        before: &ScreenBefore,
        look: ChangeScope,
        within: Duration,
        deadline: Deadline,
    ) -> Result<(Effect, Vec<Window>)> {
        let look = if self.moving { look.while_moving() } else { look };
        let mask = |text| self.options.secrets.mask(text);
        let bound = deadline.at_most(within);
        let mut looks = looks();
        loop {
            looks.tick().await;
            let (windows, frame) = live.thread.ask("a look", deadline, |s| s.look()).await?;
            let seen = evidence((&before.windows, &before.frame), (&windows, &frame), look, mask);
            if let Some(evidence) = seen {
                return Ok((Effect::Confirmed { evidence }, windows));
            }
            if bound.passed() {
                return Ok((if self.moving { Effect::Unverifiable } else { Effect::SuspectedNoop }, windows));
            }
        }
    }

    /// Neither library brings a window to the front; it is told how hands do it.
    async fn focus(&self, id: u32, deadline: Deadline) -> Result<Effect> {
        let live = self.live()?;
        let windows = live.windows(deadline).await?;
        let window = live.window_guard.window(&windows, id)?;
        if window.focused && !window.minimised {
            return Ok(Effect::Confirmed { evidence: "the window has the keyboard already".to_owned() });
        }
        let at = windows.iter().position(|other| other.id == id).unwrap_or_default();
        let above: Vec<_> = windows[at + 1..].iter().filter(|w| !w.minimised).map(|w| w.frame).collect();
        let seen = window.client.intersect(&live.geometry.screen()).filter(|_| !window.minimised);
        let largest = seen.and_then(|seen| {
            fragments(&seen, &above).into_iter().max_by(|a, b| a.area().total_cmp(&b.area()))
        });
        let how = match largest.map(|part| pixel(&part)) {
            Some(at) => format!("click on it, such as at ({:.0}, {:.0})", at.x, at.y),
            None => "use the task bar, or the keys that change windows".to_owned(),
        };
        Err(cannot("bring a window to the front", &format!("the libraries below have no call for it; {how}")))
    }

    async fn close_window(&self, id: u32, deadline: Deadline) -> Result<Effect> {
        let before = self.before(deadline).await?;
        let live = self.live()?;
        live.window_guard.window(&before.windows, id)?;
        let window_guard = live.window_guard.clone();
        let chord = match System::here() {
            System::Mac => Chord { modifiers: vec![Modifier::Super], key: Some(u32::from(b'w')) },
            System::X11 | System::Windows => {
                Chord { modifiers: vec![Modifier::Alt], key: Some(keysyms::F1 + 3) }
            }
        };
        let job = move |s: &mut DisplayState| {
            let keys = ChordKeys::of(&chord)?;
            if !window_guard.window(&s.windows()?, id)?.focused {
                return Err(cannot("close a window that has not the keyboard", "click on it first"));
            }
            s.hands.press(&keys)
        };
        live.thread.ask("a window", deadline, job).await?;
        let (effect, _) = self.after(live, &before, ChangeScope::Framed, CLOSES_WITHIN, deadline).await?;
        Ok(effect)
    }

    async fn open(&mut self, app: &str, deadline: Deadline) -> Result<Effect> {
        let program = resolve(app)?;
        let patience = self.options.launch;
        let live = self.live_mut()?;
        let name = programs::name(&program);
        live.window_guard.program(Path::new(&name))?;
        let (launched, guard) =
            (live.launch(&program, deadline.at_most(patience)).await, live.window_guard.clone());
        Ok(match opened(launched, &guard, &self.options.secrets)? {
            Ok(effect) => effect,
            Err(window) => {
                self.live_mut()?.programs.stop(&name, deadline).await;
                foreign(&window, ", and was ended")
            }
        })
    }

    async fn stop(&mut self, app: &str, deadline: Deadline) -> Result<Effect> {
        let name = programs::name(&resolve(app)?);
        let live = self.live_mut()?;
        live.window_guard.program(Path::new(&name))?;
        Ok(match live.programs.stop(&name, deadline).await {
            0 => Effect::SuspectedNoop,
            _ => Effect::Confirmed { evidence: format!("the {name} that was started here was ended") },
        })
    }

    async fn fill(&self, handle: &ElementRef, text: &str, deadline: Deadline) -> Result<Effect> {
        let away = if System::here() == System::Mac { "cmd+a Delete" } else { "ctrl+a Delete" };
        let hands = InputOp::filling(handle.among(&self.elements)?.hit, away, text)?;
        self.with_hands(hands, deadline).await
    }
}
