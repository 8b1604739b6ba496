//! Hands: what pointer and keyboard do, by `enigo`. Each act blocks until it is done or its deadline passes;
//! whatever happens, no key stays down, and no
//! button but the one that an action of its own pressed.

use std::thread::sleep;
use std::time::Duration;

use enigo::{Axis, Coordinate, Direction, Enigo, InputError, Key, Keyboard as _, Mouse as _, Settings};

use super::keys::{key, modifier};
use super::system::System;
use waldo_desktop::chord::{Chord, Modifier};
use waldo_desktop::display_thread::JobCaller;
use waldo_desktop::hand::{LONG, REST, STEP, bounded, nothing_held, presses, steps};
use waldo_devices::{Button, Clicks, DeviceError, Modifiers, Physical, Point, Result, ScrollNotches};

/// Notches that are turned before it is looked at the time.
const NOTCHES: i32 = 10;
/// How often a long press looks whether it is still wanted.
const PARTS: u32 = 20;
/// Characters that are typed before it is looked who has the keyboard.
const RUN: usize = 40;

pub(crate) struct EnigoHands {
    enigo: Enigo,
    /// The button that is down, and where the pointer went with it.
    held: Option<(Button, (i32, i32))>,
}

impl Drop for EnigoHands {
    fn drop(&mut self) {
        // A session that is gone has no button that is down.
        let _: Result<()> = self.let_go();
    }
}

pub(crate) fn connect() -> Result<Enigo> {
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
        Button::Back => enigo::Button::Back,
        Button::Forward => enigo::Button::Forward,
    }
}

impl EnigoHands {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self { enigo: connect()?, held: None })
    }

    pub(crate) fn hover(&mut self, (x, y): (i32, i32)) -> Result<()> {
        self.enigo.move_mouse(x, y, Coordinate::Abs).map_err(failed)
    }

    /// Moves the pointer there; with a button down as slowly as a drag.
    pub(crate) fn go(&mut self, at: (i32, i32), caller: &JobCaller<'_>) -> Result<()> {
        let Some((button, from)) = self.held else { return self.hover(at) };
        let point = |(x, y): (i32, i32)| Point::<Physical>::new(f64::from(x), f64::from(y));
        for step in steps(&[point(from), point(at)]) {
            caller.go_on("a drag")?;
            // Between two places of whole numbers.
            self.hover((step.x.round() as i32, step.y.round() as i32))?;
            sleep(STEP);
        }
        self.held = Some((button, at));
        self.hover(at)
    }

    pub(crate) fn press_down(&mut self, at: (i32, i32), button: Button) -> Result<()> {
        self.hover(at)?;
        // Noted before it is sent: a press that may have arrived has to be let go.
        self.held = Some((button, at));
        self.enigo.button(of(button), Direction::Press).map_err(failed)
    }

    pub(crate) fn release(&mut self, at: (i32, i32), caller: &JobCaller<'_>) -> Result<()> {
        if self.held.is_none() {
            return Err(nothing_held());
        }
        let moved = self.go(at, caller);
        self.let_go()?;
        moved
    }

    pub(crate) fn let_go(&mut self) -> Result<()> {
        let Some((button, _)) = self.held.take() else { return Ok(()) };
        self.enigo.button(of(button), Direction::Release).map_err(failed)
    }

    fn holding(&mut self, keys: &[Key], act: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let mut done = Ok(());
        for key in keys {
            done = done.and_then(|()| self.enigo.key(*key, Direction::Press).map_err(failed));
        }
        done = done.and_then(|()| act(self));
        for key in keys.iter().rev() {
            done = done.and(self.enigo.key(*key, Direction::Release).map_err(failed));
        }
        done
    }

    pub(crate) fn tap(
        &mut self,
        at: (i32, i32),
        clicks: Clicks,
        button: Button,
        keys: &ChordKeys,
    ) -> Result<()> {
        self.hover(at)?;
        self.holding(&keys.held, |hands| {
            (0..presses(clicks)).try_for_each(|_| hands.pressed(button, |_| Ok(())))
        })
    }

    fn pressed(&mut self, button: Button, meanwhile: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let button = of(button);
        let done = match self.enigo.button(button, Direction::Press) {
            Ok(()) => meanwhile(self),
            Err(error) => Err(failed(error)),
        };
        let released = self.enigo.button(button, Direction::Release).map_err(failed);
        done.and(released)
    }

    pub(crate) fn long_press(&mut self, at: (i32, i32), caller: &JobCaller<'_>) -> Result<()> {
        self.hover(at)?;
        self.pressed(Button::Left, |_| {
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
        keys: &ChordKeys,
        caller: &JobCaller<'_>,
    ) -> Result<()> {
        self.hover(at)?;
        let by = bounded(by);
        self.holding(&keys.held, |hands| {
            for (all, axis) in [(by.down, Axis::Vertical), (by.right, Axis::Horizontal)] {
                let mut left = all;
                while left != 0 {
                    caller.go_on("the wheel")?;
                    let now = left.clamp(-NOTCHES, NOTCHES);
                    hands.enigo.scroll(now, axis).map_err(failed)?;
                    left -= now;
                }
            }
            Ok(())
        })
    }

    /// Drags along `path`, which has its first point first; `steps` are all points after it.
    pub(crate) fn drag(
        &mut self,
        first: (i32, i32),
        steps: &[(i32, i32)],
        (button, keys): (Button, &ChordKeys),
        caller: &JobCaller<'_>,
    ) -> Result<()> {
        self.hover(first)?;
        let along = |hands: &mut Self| {
            sleep(REST);
            for at in steps {
                caller.go_on("a drag")?;
                hands.hover(*at)?;
                sleep(STEP);
            }
            sleep(REST);
            Ok(())
        };
        self.holding(&keys.held, |hands| hands.pressed(button, along))
    }

    pub(crate) fn type_run(&mut self, run: &Keystrokes) -> Result<()> {
        match run {
            Keystrokes::Text(text) => self.enigo.text(text).map_err(failed),
            Keystrokes::Key(key) => self.click(*key),
        }
    }

    fn click(&mut self, key: Key) -> Result<()> {
        self.enigo.key(key, Direction::Click).map_err(failed)
    }

    pub(crate) fn press(&mut self, keys: &ChordKeys) -> Result<()> {
        self.holding(&keys.held, |hands| {
            let Some(key) = keys.key else { return Ok(()) };
            // On X11 the first key after another keyboard's has the window manager take its shortcuts anew, and
            // what ends when Alt is let go has to have begun.
            let shortcut = !keys.held.is_empty() && System::here() == System::X11;
            let rest = if shortcut { REST } else { Duration::ZERO };
            sleep(rest);
            let done = hands.click(key);
            sleep(rest);
            done
        })
    }
}

pub(crate) struct ChordKeys {
    held: Vec<Key>,
    key: Option<Key>,
}

impl ChordKeys {
    pub(crate) fn held(modifiers: Modifiers) -> Self {
        Self { held: Modifier::of(modifiers).into_iter().map(modifier).collect(), key: None }
    }

    pub(crate) fn of(chord: &Chord) -> Result<Self> {
        let key = chord.key.map(|number| key(System::here(), number)).transpose()?;
        Ok(Self { held: chord.modifiers.iter().map(|known| modifier(*known)).collect(), key })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Keystrokes {
    Text(String),
    Key(Key),
}

impl Keystrokes {
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
