//! Hands: what pointer and keyboard do, made of what they can do.

mod clipboard;
mod keyboard;
mod keymap;
mod manager;
mod pointer;

pub(crate) use clipboard::Clipboard;
pub(crate) use keyboard::{Bindings, Keyboard};
use pointer::{Pointer, Press};

use super::x::X;
use crate::chord::Modifier;
use crate::display_thread::JobCaller;
use crate::hand::{LONG, REST, STEP, bounded, nothing_held, presses, steps};
use waldo_devices::{Button, Clicks, Physical, Point, Result, ScrollNotches};

/// How often a long press looks whether it is still wanted.
const PARTS: u32 = 20;

/// Pointer and keyboard of a display.
///
/// Invariant: no key stays down after an action, and no button but the one that an action of its own pressed; that one
/// goes up before another press, and at the end.
pub(crate) struct Hands {
    pointer: Pointer,
    pub(crate) keyboard: Keyboard,
    /// The button that is down, and where the pointer went with it.
    held: Option<(Button, Point<Physical>)>,
}

#[expect(clippy::cast_possible_truncation, reason = "points are checked to be on the screen")]
fn whole(at: Point<Physical>) -> (i16, i16) {
    (at.x.floor() as i16, at.y.floor() as i16)
}

impl Hands {
    pub(crate) fn new(x: &X, bindings: Bindings) -> Result<Self> {
        Ok(Self { pointer: Pointer, keyboard: Keyboard::new(x, bindings)?, held: None })
    }

    /// Moves the pointer there; with a button down on a way that programs can watch.
    pub(crate) fn hover(&mut self, x: &X, at: Point<Physical>, caller: &JobCaller<'_>) -> Result<()> {
        if let Some((_, from)) = self.held {
            self.along(x, &[from, at], caller)?;
            self.held = self.held.map(|(button, _)| (button, at));
        }
        self.pointer.to(x, whole(at))?;
        x.sync()
    }

    pub(crate) fn press(&mut self, x: &X, at: Point<Physical>, button: Button) -> Result<()> {
        self.pointer.to(x, whole(at))?;
        // Noted before it is sent: a press that may have arrived has to be let go.
        self.held = Some((button, at));
        self.pointer.button(x, button, Press::Down)?;
        x.sync()
    }

    pub(crate) fn release(&mut self, x: &X, at: Point<Physical>, caller: &JobCaller<'_>) -> Result<()> {
        if self.held.is_none() {
            return Err(nothing_held());
        }
        let moved = self.hover(x, at, caller);
        self.let_go(x)?;
        moved
    }

    pub(crate) fn let_go(&mut self, x: &X) -> Result<()> {
        if let Some((button, _)) = self.held.take() {
            self.pointer.button(x, button, Press::Up)?;
            x.sync()?;
        }
        Ok(())
    }

    /// Moves the pointer along a way, slowly enough to be watched.
    fn along(&self, x: &X, path: &[Point<Physical>], caller: &JobCaller<'_>) -> Result<()> {
        for at in steps(path) {
            caller.go_on("a drag")?;
            self.pointer.to(x, whole(at))?;
            x.rest(STEP)?;
        }
        Ok(())
    }

    pub(crate) fn tap(
        &mut self,
        x: &X,
        at: Point<Physical>,
        clicks: Clicks,
        button: Button,
        modifiers: &[Modifier],
    ) -> Result<()> {
        self.pointer.to(x, whole(at))?;
        let pointer = &mut self.pointer;
        self.keyboard.holding(x, modifiers, || {
            for _ in 0..presses(clicks) {
                pointer.button(x, button, Press::Down)?;
                pointer.button(x, button, Press::Up)?;
            }
            x.sync()
        })
    }

    pub(crate) fn long_press(&mut self, x: &X, at: Point<Physical>, caller: &JobCaller<'_>) -> Result<()> {
        self.pointer.to(x, whole(at))?;
        self.pointer.button(x, Button::Left, Press::Down)?;
        let rested = (0..PARTS).try_for_each(|_| {
            caller.go_on("a long press")?;
            x.rest(LONG / PARTS)
        });
        self.pointer.button(x, Button::Left, Press::Up)?;
        rested?;
        x.sync()
    }

    pub(crate) fn scroll(
        &mut self,
        x: &X,
        at: Point<Physical>,
        by: ScrollNotches,
        modifiers: &[Modifier],
    ) -> Result<()> {
        self.pointer.to(x, whole(at))?;
        let (by, pointer) = (bounded(by), &self.pointer);
        self.keyboard.holding(x, modifiers, || {
            pointer.wheel(x, by.right, by.down)?;
            x.sync()
        })
    }

    pub(crate) fn drag(
        &mut self,
        x: &X,
        path: &[Point<Physical>],
        (button, modifiers): (Button, &[Modifier]),
        caller: &JobCaller<'_>,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return Ok(()) };
        self.pointer.to(x, whole(*first))?;
        self.keyboard.press_keys(x, modifiers)?;
        let pressed = self.pointer.button(x, button, Press::Down);
        let moved = pressed.and_then(|()| x.rest(REST)).and_then(|()| {
            self.along(x, path, caller)?;
            self.pointer.to(x, whole(*last))?;
            x.rest(REST)
        });
        // Whatever happened, no button and no key stays down.
        let released = self.pointer.button(x, button, Press::Up);
        self.keyboard.release_keys(x, modifiers)?;
        released?;
        x.sync()?;
        moved
    }
}
