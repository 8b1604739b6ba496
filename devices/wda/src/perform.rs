//! Actions, each looked over after it.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::time::{Duration, Instant};

use image::RgbImage;
use serde_json::json;

use super::command::{PhoneCommand, bad, cannot};
use super::device::WdaDevice;
use super::touch::{Finger, actions, pinch, scroll};
use super::{keys, names};
use waldo_desktop::change::change;
use waldo_desktop::effect::{SHOWS_WITHIN, report};
use waldo_devices::action::{Action, ActionReport, Button, DialogReply, Effect, Orientation, RefusalKind};
use waldo_devices::device::Deadline;
use waldo_devices::error::DeviceError;
use waldo_devices::geometry::{Native, Physical, Point};

/// The longest [`Action::Wait`].
const WAIT_MAX: Duration = Duration::from_secs(10);
/// The longest [`Action::Swipe`], in milliseconds.
const SWIPE_MAX: u64 = 10_000;
/// How often it is looked whether an app came to the front.
const LOOKS: Duration = Duration::from_millis(250);

impl WdaDevice {
    pub(crate) async fn act(
        &mut self,
        action: &Action,
        deadline: Deadline,
    ) -> Result<ActionReport, DeviceError> {
        let began = Instant::now();
        let done = self.effect_of(action, deadline).await;
        report(began, done)
    }

    async fn effect_of(&mut self, action: &Action, deadline: Deadline) -> Result<Effect, DeviceError> {
        let refused = |reason: String| DeviceError::Refused { kind: RefusalKind::Origin, reason };
        let hand = self.hand(action)?;
        if let PhoneCommand::Wait(time) = hand {
            let left = deadline.left().saturating_sub(Duration::from_millis(50));
            tokio::time::sleep(time.min(WAIT_MAX).min(left)).await;
            return Ok(Effect::Unverifiable);
        }
        let front = self.front(deadline).await?;
        if let Some(reason) = self.refusal(action, &hand, front.as_ref(), deadline).await? {
            return Err(refused(reason));
        }
        let before = self.server.picture(deadline).await?;
        let told = self.carry_out(&hand, deadline).await?;
        let effect = match told {
            Some(effect) => effect,
            None => self.shown_since(&before, deadline).await?,
        };
        match self.leave_foreign(front.as_ref(), deadline).await? {
            Some(reason) => Err(refused(reason)),
            None => Ok(effect),
        }
    }

    /// A point of the picture as the phone counts.
    fn point(&self, at: Point<Physical>) -> Result<Point<Native>, DeviceError> {
        self.screen.geometry().check(at).map(|at| self.screen.to_native(at))
    }

    fn hand<'a>(&self, action: &'a Action) -> Result<PhoneCommand<'a>, DeviceError> {
        use PhoneCommand::{Answer, Fill, Fingers, Home, OpenApp, Rotate, StopApp, TwoFingers, Type, Wait};
        let size = self.screen.native_size();
        Ok(match action {
            Action::Tap { at, clicks, button: Button::Left } => {
                Fingers(vec![Finger::tap(self.point(*at)?, *clicks)])
            }
            Action::TapAt { at, clicks, button: Button::Left, modifiers } if modifiers.is_empty() => {
                Fingers(vec![Finger::tap(self.point(*at)?, *clicks)])
            }
            Action::Tap { .. } | Action::TapAt { .. } => {
                return Err(cannot("press another button than a finger, or hold keys"));
            }
            Action::LongPress { at } => Fingers(vec![Finger::long_press(self.point(*at)?)]),
            Action::Swipe { from, to, ms } => {
                let (from, to) = (self.point(*from)?, self.point(*to)?);
                Fingers(vec![Finger::swipe(from, to, (*ms).clamp(1, SWIPE_MAX))])
            }
            Action::Drag { path } if path.len() < 2 => {
                return Err(bad("drag", "a path needs two points or more"));
            }
            Action::Drag { path } => {
                let path = path.iter().map(|at| self.point(*at)).collect::<Result<Vec<_>, _>>()?;
                Fingers(vec![Finger::drag(&path)])
            }
            Action::Scroll { at, by } => Fingers(scroll(self.point(*at)?, *by, size)),
            Action::Pinch { at, percent } => {
                TwoFingers(pinch(self.point(*at)?, *percent, size).map_err(|message| bad("pinch", message))?)
            }
            Action::Type { text } => Type(text.clone()),
            Action::TypeSecret { name } => Type(self.secret(name)?.to_owned()),
            Action::Key { chord } => Type(keys::character(chord)?.to_owned()),
            Action::Clear { element } => Fill(element, None),
            Action::Fill { element, text } => Fill(element, Some(text)),
            Action::Home => Home,
            Action::Recents => Fingers(vec![Finger::recents(size)]),
            Action::OpenApp { app } => OpenApp(names::bundle(app, &self.policy)?),
            Action::StopApp { app } => StopApp(names::bundle(app, &self.policy)?),
            Action::Rotate { to } => Rotate(*to),
            Action::Dialog { reply } => Answer(reply),
            Action::Wait { ms } => Wait(Duration::from_millis(*ms)),
            Action::Hover { .. }
            | Action::PointerDown { .. }
            | Action::PointerMove { .. }
            | Action::PointerUp { .. }
            | Action::Select { .. }
            | Action::Upload { .. }
            | Action::Navigate { .. }
            | Action::Back
            | Action::Forward
            | Action::Reload
            | Action::NewTab { .. }
            | Action::SwitchTab { .. }
            | Action::CloseTab
            | Action::FocusWindow { .. }
            | Action::CloseWindow { .. }
            | Action::Shell { .. }
            | Action::Paste { .. }
            | Action::SwitchScreen { .. } => return Err(cannot(action.name())),
        })
    }

    fn secret(&self, name: &str) -> Result<&str, DeviceError> {
        self.options.secrets.value(name).ok_or_else(|| {
            let names: Vec<&str> = self.options.secrets.names().collect();
            bad("secret", format!("'{name}' is unknown; there is {}", names.join(", ")))
        })
    }

    /// Does it. An effect that it can tell by itself is returned.
    async fn carry_out(
        &mut self,
        hand: &PhoneCommand<'_>,
        deadline: Deadline,
    ) -> Result<Option<Effect>, DeviceError> {
        let session = self.session()?.clone();
        let app = |bundle: &str| json!({ "bundleId": bundle });
        match hand {
            PhoneCommand::Fingers(fingers) => {
                for finger in fingers {
                    let body = actions(std::slice::from_ref(finger));
                    self.server.act(&session, "actions", &body, deadline).await?;
                }
                Ok(None)
            }
            PhoneCommand::TwoFingers(fingers) => {
                self.server.act(&session, "actions", &actions(fingers), deadline).await?;
                Ok(None)
            }
            PhoneCommand::Type(text) => {
                self.type_text(text, deadline).await?;
                Ok(None)
            }
            PhoneCommand::Fill(handle, text) => self.fill(handle, *text, deadline).await.map(Some),
            PhoneCommand::Home => {
                self.server.home(deadline).await?;
                Ok(None)
            }
            PhoneCommand::OpenApp(bundle) => {
                self.server.act(&session, "wda/apps/activate", &app(bundle), deadline).await?;
                self.in_front(bundle, deadline).await.map(Some)
            }
            PhoneCommand::StopApp(bundle) => {
                self.server.act(&session, "wda/apps/terminate", &app(bundle), deadline).await?;
                // 0 is one that is not there, 1 one that does not run.
                let runs = self.server.app_state(&session, bundle, deadline).await? > 1;
                let evidence = format!("{bundle} does not run");
                Ok(Some(if runs { Effect::SuspectedNoop } else { Effect::Confirmed { evidence } }))
            }
            PhoneCommand::Rotate(to) => {
                self.rotate(*to, deadline).await?;
                Ok(None)
            }
            PhoneCommand::Answer(DialogReply::Accept { text }) => {
                if let Some(text) = text {
                    let body = json!({ "value": keys::characters(text) });
                    self.server.act(&session, "alert/text", &body, deadline).await?;
                }
                self.server.act(&session, "alert/accept", &json!({}), deadline).await?;
                Ok(None)
            }
            PhoneCommand::Wait(_) => Ok(None),
            PhoneCommand::Answer(DialogReply::Dismiss) => {
                self.server.act(&session, "alert/dismiss", &json!({}), deadline).await?;
                Ok(None)
            }
        }
    }

    /// Waits until an app is in front, and says what came of it.
    pub(crate) async fn in_front(&self, bundle: &str, deadline: Deadline) -> Result<Effect, DeviceError> {
        let end = deadline.at_most(self.options.launch);
        let mut looks = tokio::time::interval(LOOKS);
        loop {
            looks.tick().await;
            let Some(front) = self.server.active(deadline).await? else { return Ok(Effect::Unverifiable) };
            if front.bundle == bundle {
                return Ok(Effect::Confirmed { evidence: format!("{bundle} is in front") });
            }
            if end.passed() {
                return Ok(Effect::SuspectedNoop);
            }
        }
    }

    pub(crate) async fn rotate(&mut self, to: Orientation, deadline: Deadline) -> Result<(), DeviceError> {
        let word = match to {
            Orientation::Natural => "PORTRAIT",
            Orientation::Left => "LANDSCAPE",
            Orientation::Right => "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT",
            Orientation::Inverted => "UIA_DEVICE_ORIENTATION_PORTRAIT_UPSIDEDOWN",
        };
        self.turned = true;
        let body = json!({ "orientation": word });
        self.server.act(self.session()?, "orientation", &body, deadline).await
    }

    /// What shows of an action within the time that effects may take.
    async fn shown_since(&self, before: &RgbImage, deadline: Deadline) -> Result<Effect, DeviceError> {
        let end = deadline.at_most(SHOWS_WITHIN);
        loop {
            let now = self.server.picture(deadline).await?;
            if let Some(changed) = change(before, &now).filter(|changed| !changed.is_caret()) {
                let share = changed.share * 100.0;
                let share = if share < 1.0 { "less than 1".to_owned() } else { format!("{share:.0}") };
                let evidence = format!("{share} % of the screen changed");
                return Ok(if self.seen.moving {
                    Effect::Unverifiable
                } else {
                    Effect::Confirmed { evidence }
                });
            }
            if end.passed() {
                return Ok(if self.seen.moving { Effect::Unverifiable } else { Effect::SuspectedNoop });
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}
