//! Hands: what pointer and keyboard do, by `enigo`. Each act blocks until it is done or its deadline passes;
//! whatever happens, no button and no key stays down.

use std::thread::sleep;
use std::time::Duration;

use enigo::{Axis, Coordinate, Direction, Enigo, InputError, Key, Keyboard as _, Mouse as _, Settings};

use super::keys::{key, modifier};
use super::system::System;
use waldo_desktop::chord::Chord;
use waldo_desktop::display_thread::JobCaller;
use waldo_desktop::hand::{LONG, REST, STEP, bounded, presses};
use waldo_devices::action::{Button, Clicks, ScrollNotches};
use waldo_devices::error::DeviceError;

/// Notches that are turned before it is looked at the time.
const NOTCHES: i32 = 10;
/// How often a long press looks whether it is still wanted.
const PARTS: u32 = 20;
/// Characters that are typed before it is looked who has the keyboard.
const RUN: usize = 40;

pub(crate) struct EnigoHands(Enigo);

/// A connection to pointer and keyboard.
///
/// # Errors
/// [`DeviceError::Start`] when there is none to be had.
pub(crate) fn connect() -> Result<Enigo, DeviceError> {
    // A pause of its own before each press of a button is of no use: what is too early is seen to be so.
    let settings = Settings { linux_delay: 1, ..Settings::default() };
    Enigo::new(&settings).map_err(|error| DeviceError::Start {
        what: "pointer and keyboard".to_owned(),
        message: error.to_string(),
        hint: "start waldo within a session with a screen; on macOS allow it under Privacy & Security, \
               Accessibility"
            .to_owned(),
    })
}

fn failed(error: InputError) -> DeviceError {
    DeviceError::Call { call: "input".to_owned(), message: error.to_string() }
}

fn of(button: Button) -> enigo::Button {
    match button {
        Button::Left => enigo::Button::Left,
        Button::Middle => enigo::Button::Middle,
        Button::Right => enigo::Button::Right,
    }
}

impl EnigoHands {
    pub(crate) fn new() -> Result<Self, DeviceError> {
        connect().map(Self)
    }

    pub(crate) fn hover(&mut self, (x, y): (i32, i32)) -> Result<(), DeviceError> {
        self.0.move_mouse(x, y, Coordinate::Abs).map_err(failed)
    }

    pub(crate) fn tap(
        &mut self,
        at: (i32, i32),
        clicks: Clicks,
        button: Button,
        keys: &ChordKeys,
    ) -> Result<(), DeviceError> {
        self.hover(at)?;
        let mut done = Ok(());
        for key in &keys.held {
            done = done.and_then(|()| self.0.key(*key, Direction::Press).map_err(failed));
        }
        for _ in 0..presses(clicks) {
            done = done.and_then(|()| self.held(button, |_| Ok(())));
        }
        for key in keys.held.iter().rev() {
            done = done.and(self.0.key(*key, Direction::Release).map_err(failed));
        }
        done
    }

    /// Does something while a button is down.
    fn held(
        &mut self,
        button: Button,
        meanwhile: impl FnOnce(&mut Self) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let button = of(button);
        let done = match self.0.button(button, Direction::Press) {
            Ok(()) => meanwhile(self),
            Err(error) => Err(failed(error)),
        };
        let released = self.0.button(button, Direction::Release).map_err(failed);
        done.and(released)
    }

    pub(crate) fn long_press(&mut self, at: (i32, i32), caller: &JobCaller<'_>) -> Result<(), DeviceError> {
        self.hover(at)?;
        self.held(Button::Left, |_| {
            (0..PARTS).try_for_each(|_| {
                caller.go_on("a long press")?;
                sleep(LONG / PARTS);
                Ok(())
            })
        })
    }

    pub(crate) fn scroll(
        &mut self,
        at: (i32, i32),
        by: ScrollNotches,
        caller: &JobCaller<'_>,
    ) -> Result<(), DeviceError> {
        self.hover(at)?;
        let by = bounded(by);
        for (all, axis) in [(by.down, Axis::Vertical), (by.right, Axis::Horizontal)] {
            let mut left = all;
            while left != 0 {
                caller.go_on("the wheel")?;
                let now = left.clamp(-NOTCHES, NOTCHES);
                self.0.scroll(now, axis).map_err(failed)?;
                left -= now;
            }
        }
        Ok(())
    }

    /// Drags along `path`, which has its first point first; `steps` are all points after it.
    pub(crate) fn drag(
        &mut self,
        first: (i32, i32),
        steps: &[(i32, i32)],
        caller: &JobCaller<'_>,
    ) -> Result<(), DeviceError> {
        self.hover(first)?;
        self.held(Button::Left, |hands| {
            sleep(REST);
            for at in steps {
                caller.go_on("a drag")?;
                hands.hover(*at)?;
                sleep(STEP);
            }
            sleep(REST);
            Ok(())
        })
    }

    /// Types a run of text.
    pub(crate) fn type_run(&mut self, run: &Keystrokes) -> Result<(), DeviceError> {
        match run {
            Keystrokes::Text(text) => self.0.text(text).map_err(failed),
            Keystrokes::Key(key) => self.click(*key),
        }
    }

    fn click(&mut self, key: Key) -> Result<(), DeviceError> {
        self.0.key(key, Direction::Click).map_err(failed)
    }

    pub(crate) fn press(&mut self, keys: &ChordKeys) -> Result<(), DeviceError> {
        let mut done = Ok(());
        for key in &keys.held {
            done = done.and_then(|()| self.0.key(*key, Direction::Press).map_err(failed));
        }
        if let (Ok(()), Some(key)) = (&done, keys.key) {
            // On X11 the first key after another keyboard's has the window manager take its shortcuts anew, and
            // what ends when Alt is let go has to have begun.
            let shortcut = !keys.held.is_empty() && System::here() == System::X11;
            let rest = if shortcut { REST } else { Duration::ZERO };
            sleep(rest);
            done = self.click(key);
            sleep(rest);
        }
        for key in keys.held.iter().rev() {
            done = done.and(self.0.key(*key, Direction::Release).map_err(failed));
        }
        done
    }
}

/// A chord as it is pressed.
pub(crate) struct ChordKeys {
    held: Vec<Key>,
    key: Option<Key>,
}

impl ChordKeys {
    /// The keys of a chord.
    ///
    /// # Errors
    /// [`DeviceError::BadArgument`] for a key that this system has not.
    pub(crate) fn of(chord: &Chord) -> Result<Self, DeviceError> {
        let key = chord.key.map(|number| key(System::here(), number)).transpose()?;
        Ok(Self { held: chord.modifiers.iter().map(|known| modifier(*known)).collect(), key })
    }
}

/// What is typed between two looks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Keystrokes {
    Text(String),
    Key(Key),
}

impl Keystrokes {
    /// Whether it may close what has the keyboard.
    pub(crate) fn enters(&self) -> bool {
        *self == Self::Key(Key::Return)
    }
}

/// Text as it is typed: Enter and Tab are keys, other control characters are none.
pub(crate) fn runs(text: &str) -> Vec<Keystrokes> {
    let mut all = Vec::new();
    let mut run = String::new();
    let mut count = 0;
    for c in text.replace("\r\n", "\n").chars() {
        let key = match c {
            '\n' | '\r' => Some(Key::Return),
            '\t' => Some(Key::Tab),
            c if c.is_control() => continue,
            c => {
                run.push(c);
                count += 1;
                None
            }
        };
        if (key.is_some() || count == RUN) && !run.is_empty() {
            all.push(Keystrokes::Text(std::mem::take(&mut run)));
            count = 0;
        }
        all.extend(key.map(Keystrokes::Key));
    }
    if !run.is_empty() {
        all.push(Keystrokes::Text(run));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_typed_in_runs_with_keys_between() {
        let text = |text: &str| Keystrokes::Text(text.to_owned());
        let key = Keystrokes::Key;
        assert_eq!(
            runs("a\r\nbé\u{7}\tc\n"),
            [text("a"), key(Key::Return), text("bé"), key(Key::Tab), text("c"), key(Key::Return)]
        );
        assert_eq!(runs(""), []);
        let long: String = "x".repeat(RUN + 1);
        assert_eq!(runs(&long), [text(&"x".repeat(RUN)), text("x")]);
        assert_eq!(runs(&"x".repeat(RUN)).len(), 1);
    }
}
