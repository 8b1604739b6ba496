//! Acts of two fingers, in whichever way this phone takes them.

use super::adb::RepeatRule;
use super::device::AndroidDevice;
use super::input::{Fingers, Held, Panel, Pinch, sendevent, uinput};
use waldo_devices::{Deadline, DeviceError, Result};

/// What of a phone is asked at once: how the screen is turned, whether there is `uinput`, and its panels.
const QUESTION: &str = "dumpsys input | grep 'Viewport INTERNAL'; which uinput; getevent -pl";

/// What would make it work, for every reason.
const MEND: &str = "Android 12 with uinput open to the shell, or `adb root`, would make it work; else zoom by the app's \
                    buttons or a double tap";

impl AndroidDevice {
    /// Carries out pinches, and remembers the way that this phone took.
    pub(crate) async fn pinch(&mut self, pinches: &[Pinch], deadline: Deadline) -> Result<()> {
        if self.options.display.is_some_and(|display| display != 0) {
            return Err(refused("a finger of its own reaches the phone's first display only"));
        }
        let told = self.link.shell(QUESTION, RepeatRule::Safe, deadline).await?.text();
        let held = Held { upright: self.facts.natural, quarter: self.quarter(&told) };
        let ways = match self.fingers.clone() {
            Some(way) => vec![way],
            None => {
                let made = told.lines().any(|line| line.trim().ends_with("/uinput")).then_some(Fingers::Made);
                made.into_iter().chain(Panel::first(&told).map(Fingers::Panel)).collect()
            }
        };
        let mut why = Vec::new();
        for way in ways {
            match self.pinch_by(&way, pinches, held, deadline).await? {
                None => {
                    self.fingers = Some(way);
                    return Ok(());
                }
                Some(reason) => why.push(reason),
            }
        }
        self.fingers = None;
        if why.is_empty() {
            why.push("it has no command uinput, and getevent shows no touch screen".to_owned());
        }
        Err(refused(&why.join("; ")))
    }

    /// Tries a way; why the phone does not take it, where it does not.
    async fn pinch_by(
        &self,
        way: &Fingers,
        pinches: &[Pinch],
        held: Held,
        deadline: Deadline,
    ) -> Result<Option<String>> {
        let command = match way {
            Fingers::Made => {
                let (command, takes) = uinput(pinches, held);
                if deadline.left() < takes {
                    let what = "two fingers".to_owned();
                    return Err(DeviceError::Timeout { what, after: deadline.left() });
                }
                command
            }
            Fingers::Panel(panel) => sendevent(pinches, held, panel, self.facts.sdk),
        };
        let out = self.link.shell(&command, RepeatRule::Never, deadline).await?;
        let said = out.both();
        let line = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line: String = line.chars().take(160).collect();
        let name = if *way == Fingers::Made { "uinput" } else { "sendevent" };
        // Older phones tell no status: there, what is said is all there is.
        let complains = ["denied", "not found", "Exception", "rror"].iter().any(|word| said.contains(word));
        let told = if line.starts_with(name) { line.clone() } else { format!("{name}: {line}") };
        match out.ok(name) {
            Ok(_) if !complains => Ok(None),
            Ok(_) => Ok(Some(told)),
            Err(DeviceError::Call { .. }) if !line.is_empty() => Ok(Some(told)),
            Err(error @ DeviceError::Call { .. }) => Ok(Some(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// By how many quarters the screen is turned, in the phone's words, else by its shape.
    fn quarter(&self, told: &str) -> u8 {
        let viewport = told.lines().find(|line| line.contains("Viewport INTERNAL"));
        let said = viewport.and_then(|line| line.split("orientation=").nth(1));
        let said = said.and_then(|rest| rest.chars().next()?.to_digit(10)).and_then(|n| u8::try_from(n).ok());
        let (w, h) = self.facts.natural;
        let size = self.screen.native_size();
        let sideways = (size.w > size.h) != (w > h);
        said.filter(|n| *n < 4).unwrap_or(u8::from(sideways))
    }
}

fn refused(why: &str) -> DeviceError {
    DeviceError::Unsupported {
        platform: "android",
        action: format!("pinch: `input` has one finger, and {why}; {MEND}"),
    }
}
