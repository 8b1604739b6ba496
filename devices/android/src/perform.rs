//! Actions, and the guard on apps around each of them.
//!
//! The rule: fingers and keys reach an app only while it is in front and allowed. Home, back, recents,
//! waiting and turning the screen are always allowed, since they lead away. What comes to the front
//! through an action must be allowed too, or be the phone's own (home screen, shade, recents, dialogs of
//! the system): those may be looked at, but acting on them needs a rule of their own, such as
//! `com.android.systemui` or the launcher's package. Anything else is left by the back key, or the home
//! key where that does not help, and the action is reported as refused.

#![warn(clippy::wildcard_enum_match_arm, reason = "a new action has to be named by every driver")]

use std::time::{Duration, Instant};

use super::adb::RepeatRule;
use super::apps;
use super::device::AndroidDevice;
use super::effect::PhoneBefore;
use super::input::{AndroidChord, Pinch, Touch, pinches, quote, scroll_swipes};
use super::state::Front;
use waldo_devices::{
    Action, ActionReport, Button, Deadline, DeviceError, Effect, Element, ElementRef, Native, Orientation,
    Physical, Point, RefusalKind, Result,
};

const WAIT_MAX: Duration = Duration::from_secs(10);
const SWIPE_MAX: u64 = 10_000;

pub(super) fn bad(what: &str, message: impl Into<String>) -> DeviceError {
    DeviceError::BadArgument { what: what.to_owned(), message: message.into() }
}

fn unsupported(action: &str) -> DeviceError {
    DeviceError::unsupported("android", action)
}

/// What is to be done, once its arguments were found to make sense.
enum PhoneCommand<'a> {
    Fingers(Vec<Touch>),
    Pinch(Vec<Pinch>),
    Keys(AndroidChord),
    Type(&'a str),
    Clear(&'a ElementRef),
    Fill(&'a ElementRef, &'a str),
    View(&'a str),
    OpenApp(super::state::Component),
    StopApp(super::state::Component),
    Rotate(Orientation),
    Wait(Duration),
}

impl AndroidDevice {
    pub(crate) async fn act(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        let began = Instant::now();
        let done = |effect| Ok(ActionReport { effect, took: began.elapsed() });
        let secret = if let Action::TypeSecret { name } = action {
            Some(self.options.secrets.typed(name)?.into_owned())
        } else {
            None
        };
        let hand = self.hand(action, secret.as_deref(), deadline).await?;
        if let PhoneCommand::Wait(time) = hand {
            let left = deadline.left().saturating_sub(Duration::from_millis(50));
            tokio::time::sleep(time.min(WAIT_MAX).min(left)).await;
            return done(Effect::Unverifiable);
        }
        let before = self.before(deadline).await?;
        if let Some(reason) = self.refusal(action, &hand, &before.front) {
            return done(Effect::Refused { kind: RefusalKind::Origin, reason });
        }
        if !matches!(hand, PhoneCommand::Type(_) | PhoneCommand::Clear(_) | PhoneCommand::Fill(..)) {
            // Another field may have the focus after it.
            self.seen.focused = None;
        }
        let told = self.carry_out(&hand, &before, deadline).await?;
        let (effect, front) = match told {
            Some(effect) => (effect, self.front(deadline).await?),
            None => self.after(&before, deadline).await?,
        };
        if let Some(reason) = self.leave_foreign(&front, deadline).await? {
            return done(Effect::Refused { kind: RefusalKind::Origin, reason });
        }
        if let Some(package) = front.package().filter(|package| self.policy.allows_app(package)) {
            self.touched.insert(package.to_owned());
        }
        done(effect)
    }

    fn phone_point(&self, at: Point<Physical>) -> Result<Point<Native>> {
        self.screen.geometry().check(at).map(|at| self.screen.to_native(at))
    }

    async fn hand<'a>(
        &self,
        action: &'a Action,
        secret: Option<&'a str>,
        deadline: Deadline,
    ) -> Result<PhoneCommand<'a>> {
        let key = |name: &str| AndroidChord::parse(name).map(PhoneCommand::Keys);
        let finger = |touch| Ok(PhoneCommand::Fingers(vec![touch]));
        match action {
            Action::Tap { at, clicks, button: Button::Left } => {
                finger(Touch::Tap(self.phone_point(*at)?, *clicks))
            }
            Action::Tap { .. } => Err(unsupported("press another button than a finger")),
            Action::TapAt { at, clicks, button: Button::Left, modifiers } if modifiers.is_empty() => {
                finger(Touch::Tap(self.phone_point(*at)?, *clicks))
            }
            Action::TapAt { .. } => Err(unsupported("press another button than a finger, or hold keys")),
            Action::LongPress { at } => finger(Touch::LongPress(self.phone_point(*at)?)),
            Action::Swipe { from, to, ms } => {
                let time = Duration::from_millis((*ms).clamp(1, SWIPE_MAX));
                finger(Touch::Swipe(self.phone_point(*from)?, self.phone_point(*to)?, time))
            }
            Action::Drag { path, button: Button::Left, modifiers } if modifiers.is_empty() => {
                if path.len() < 2 {
                    return Err(bad("drag", "a path needs two points or more"));
                }
                finger(Touch::Drag(path.iter().map(|at| self.phone_point(*at)).collect::<Result<_, _>>()?))
            }
            Action::Drag { .. } => Err(unsupported("drag with another button than a finger, or hold keys")),
            Action::Scroll { at, by, modifiers } if modifiers.is_empty() => {
                Ok(PhoneCommand::Fingers(scroll_swipes(self.phone_point(*at)?, *by, &self.screen)))
            }
            Action::Scroll { .. } => Err(unsupported("hold keys while it scrolls")),
            Action::Pinch { at, percent } => pinches(self.phone_point(*at)?, *percent, &self.screen)
                .map(PhoneCommand::Pinch)
                .map_err(|message| bad("pinch", message)),
            Action::Type { text } => Ok(PhoneCommand::Type(text)),
            Action::TypeSecret { .. } => Ok(PhoneCommand::Type(secret.unwrap_or_default())),
            Action::Key { chord } => key(chord),
            Action::Clear { element } => Ok(PhoneCommand::Clear(element)),
            Action::Fill { element, text } => Ok(PhoneCommand::Fill(element, text)),
            Action::Back => key("back"),
            Action::Home => key("KEYCODE_HOME"),
            Action::Recents => key("recents"),
            Action::Navigate { url } => Ok(PhoneCommand::View(url)),
            Action::OpenApp { app } => Ok(PhoneCommand::OpenApp(
                apps::resolve(&self.link, app, &self.options.app_names, deadline).await?,
            )),
            Action::StopApp { app } => Ok(PhoneCommand::StopApp(
                apps::resolve(&self.link, app, &self.options.app_names, deadline).await?,
            )),
            Action::Rotate { .. } if self.other_display().is_some() => {
                Err(unsupported("turn another display than the first"))
            }
            Action::Rotate { to } => Ok(PhoneCommand::Rotate(*to)),
            Action::Wait { ms } => Ok(PhoneCommand::Wait(Duration::from_millis(*ms))),
            Action::Hover { .. }
            | Action::PointerDown { .. }
            | Action::PointerMove { .. }
            | Action::PointerUp { .. }
            | Action::Select { .. }
            | Action::Upload { .. }
            | Action::Forward
            | Action::Reload
            | Action::NewTab { .. }
            | Action::SwitchTab { .. }
            | Action::CloseTab
            | Action::Dialog { .. }
            | Action::FocusWindow { .. }
            | Action::CloseWindow { .. }
            | Action::Shell { .. }
            | Action::AskUser { .. }
            | Action::CallTool { .. }
            | Action::Paste { .. }
            | Action::SwitchScreen { .. } => Err(unsupported(action.name())),
        }
    }

    /// Why the guard on apps says no, if it does.
    fn refusal(&self, action: &Action, hand: &PhoneCommand<'_>, front: &Front) -> Option<String> {
        let package = match (action, hand) {
            (
                Action::Back
                | Action::Home
                | Action::Recents
                | Action::Rotate { .. }
                | Action::Navigate { .. },
                _,
            ) => {
                return None;
            }
            (_, PhoneCommand::OpenApp(app) | PhoneCommand::StopApp(app)) => app.package.as_str(),
            _ => match front.package() {
                Some(package) => package,
                None => return Some("waldo cannot tell which app is in front".to_owned()),
            },
        };
        let named = matches!(hand, PhoneCommand::OpenApp(_) | PhoneCommand::StopApp(_));
        (!self.policy.allows_app(package)).then(|| match named {
            true => format!("{package} is not an allowed app"),
            false => format!("{package} is in front, which is not an allowed app"),
        })
    }

    /// Leaves an app that came to the front and is not allowed; says so.
    async fn leave_foreign(&mut self, front: &Front, deadline: Deadline) -> Result<Option<String>> {
        let foreign = |front: &Front| {
            front.package().filter(|p| !self.policy.allows_app(p) && !self.is_system(p)).map(str::to_owned)
        };
        let Some(package) = foreign(front) else { return Ok(None) };
        let deadline = if deadline.left() < Duration::from_secs(1) { Self::grace() } else { deadline };
        let mut way = "went back";
        for key in ["KEYCODE_BACK", "KEYCODE_HOME"] {
            let command = format!("{} keyevent {key}", self.input());
            self.link.shell(&command, RepeatRule::Never, deadline).await?;
            let mut left = false;
            let bound = deadline.at_most(Duration::from_secs(1));
            while !left && !bound.passed() {
                left = foreign(&self.front(deadline).await?).is_none();
                if !left {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            if left {
                break;
            }
            way = "went home";
        }
        Ok(Some(format!("it brought {package} to the front, which is not an allowed app; {way}")))
    }

    /// Does it. An effect that it can tell by itself is returned.
    async fn carry_out(
        &mut self,
        hand: &PhoneCommand<'_>,
        before: &PhoneBefore,
        deadline: Deadline,
    ) -> Result<Option<Effect>> {
        let input = self.input();
        match hand {
            PhoneCommand::Fingers(touches) => {
                for touch in touches {
                    self.run_input(&touch.command(&input, self.facts.sdk), deadline).await?;
                }
                Ok(None)
            }
            PhoneCommand::Pinch(pinches) => {
                self.pinch(pinches, deadline).await?;
                Ok(None)
            }
            PhoneCommand::Keys(chord) => {
                self.run_input(&chord.command(&input, self.facts.sdk)?, deadline).await?;
                Ok(None)
            }
            PhoneCommand::Type(text) => self.type_text(text, deadline).await,
            PhoneCommand::Clear(handle) => {
                let element = self.element(handle)?;
                self.clear(&element, deadline).await.map(Some)
            }
            PhoneCommand::Fill(handle, text) => {
                let element = self.element(handle)?;
                let cleared = self.clear(&element, deadline).await?;
                if text.is_empty() { Ok(Some(cleared)) } else { self.type_text(text, deadline).await }
            }
            PhoneCommand::View(url) => {
                self.view(url, deadline).await?;
                Ok(None)
            }
            PhoneCommand::OpenApp(app) => {
                let front = apps::start(&self.link, app, self.options.display, deadline).await?;
                Ok(Some(if front.package() == Some(app.package.as_str()) {
                    Effect::Confirmed { evidence: format!("{} is in front", front.place()) }
                } else if front.app == before.front.app {
                    Effect::SuspectedNoop
                } else {
                    Effect::Confirmed { evidence: format!("{} came to the front instead", front.place()) }
                }))
            }
            PhoneCommand::StopApp(app) => {
                let package = quote(&app.package);
                let command = format!("am force-stop {package}; pidof {package}");
                let out = self.link.shell(&command, RepeatRule::Safe, deadline).await?;
                let runs = out.text().split_whitespace().any(|word| word.parse::<u32>().is_ok());
                let evidence = format!("no process of {} runs", app.package);
                Ok(Some(if runs { Effect::SuspectedNoop } else { Effect::Confirmed { evidence } }))
            }
            PhoneCommand::Rotate(to) => {
                self.rotate(*to, deadline).await?;
                Ok(None)
            }
            PhoneCommand::Wait(_) => Ok(None),
        }
    }

    /// Runs an `input` command, which may fail and still end with 0.
    pub(crate) async fn run_input(&self, command: &str, deadline: Deadline) -> Result<()> {
        let out = self.link.shell(command, RepeatRule::Never, deadline).await?;
        let said = out.both();
        let complaint = said.lines().map(str::trim).find(|line| {
            line.starts_with("Error")
                || line.contains("Exception")
                || line.starts_with("Usage:")
                || line.contains("SecurityException")
        });
        match complaint {
            Some(line) if line.contains("INJECT_EVENTS") => Err(DeviceError::Start {
                what: "input".to_owned(),
                message: self.options.secrets.brief(line, 160),
                hint: "allow 'USB debugging (Security settings)' in the phone's developer options".to_owned(),
            }),
            Some(line) => Err(DeviceError::call("input", self.options.secrets.brief(line, 160))),
            None => out.ok("input").map(drop),
        }
    }

    fn element(&self, handle: &ElementRef) -> Result<Element> {
        handle.among(&self.seen.elements).cloned()
    }

    pub(crate) async fn view(&self, url: &str, deadline: Deadline) -> Result<()> {
        let on = self.options.display.map(|display| format!(" --display {display}")).unwrap_or_default();
        let command = format!("am start{on} -a android.intent.action.VIEW -d {}", quote(url));
        let out = self.link.shell(&command, RepeatRule::Never, deadline).await?;
        let said = out.both();
        match said.lines().find(|line| line.starts_with("Error") || line.contains("unable to resolve")) {
            Some(line) => Err(bad("url", self.options.secrets.brief(line, 200))),
            None => Ok(()),
        }
    }

    async fn rotate(&self, to: Orientation, deadline: Deadline) -> Result<()> {
        let quarter = match to {
            Orientation::Natural => 0,
            Orientation::Left => 1,
            Orientation::Inverted => 2,
            Orientation::Right => 3,
        };
        let get = "settings get system accelerometer_rotation; settings get system user_rotation";
        let text = self.link.shell(get, RepeatRule::Safe, deadline).await?.text();
        let values: Vec<u8> = text.lines().map(|line| line.trim().parse().unwrap_or(0)).collect();
        if let [auto, user, ..] = values[..] {
            self.restore.note(
                "rotation",
                format!("settings put system user_rotation {user}; settings put system accelerometer_rotation {auto}"),
            );
        }
        let put = format!(
            "{}; settings put system accelerometer_rotation 0; settings put system user_rotation {quarter}",
            self.restore.keep()
        );
        self.link.shell(&put, RepeatRule::Safe, deadline).await?.ok("settings put").map(drop)
    }
}
