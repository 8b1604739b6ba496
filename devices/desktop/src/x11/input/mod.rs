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
use crate::hand::{LONG, REST, STEP, bounded, presses, steps};
use waldo_devices::action::{Button, Clicks, ScrollNotches};
use waldo_devices::error::DeviceError;
use waldo_devices::geometry::{Physical, Point};

/// How often a long press looks whether it is still wanted.
const PARTS: u32 = 20;

/// Pointer and keyboard of a display.
pub(crate) struct Hands {
    pointer: Pointer,
    pub(crate) keyboard: Keyboard,
}

/// A point as the server counts.
#[expect(clippy::cast_possible_truncation, reason = "points are checked to be on the screen")]
fn whole(at: Point<Physical>) -> (i16, i16) {
    (at.x.floor() as i16, at.y.floor() as i16)
}

impl Hands {
    pub(crate) fn new(x: &X, bindings: Bindings) -> Result<Self, DeviceError> {
        Ok(Self { pointer: Pointer, keyboard: Keyboard::new(x, bindings)? })
    }

    pub(crate) fn hover(&mut self, x: &X, at: Point<Physical>) -> Result<(), DeviceError> {
        self.pointer.to(x, whole(at))?;
        x.sync()
    }

    pub(crate) fn tap(
        &mut self,
        x: &X,
        at: Point<Physical>,
        clicks: Clicks,
        button: Button,
        modifiers: &[Modifier],
    ) -> Result<(), DeviceError> {
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

    pub(crate) fn long_press(
        &mut self,
        x: &X,
        at: Point<Physical>,
        caller: &JobCaller<'_>,
    ) -> Result<(), DeviceError> {
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
    ) -> Result<(), DeviceError> {
        self.pointer.to(x, whole(at))?;
        let by = bounded(by);
        self.pointer.wheel(x, by.right, by.down)?;
        x.sync()
    }

    pub(crate) fn drag(
        &mut self,
        x: &X,
        path: &[Point<Physical>],
        caller: &JobCaller<'_>,
    ) -> Result<(), DeviceError> {
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return Ok(()) };
        self.pointer.to(x, whole(*first))?;
        self.pointer.button(x, Button::Left, Press::Down)?;
        let moved = x.rest(REST).and_then(|()| {
            for at in steps(path) {
                caller.go_on("a drag")?;
                self.pointer.to(x, whole(at))?;
                x.rest(STEP)?;
            }
            self.pointer.to(x, whole(*last))?;
            x.rest(REST)
        });
        // Whatever happened, no button stays down.
        self.pointer.button(x, Button::Left, Press::Up)?;
        x.sync()?;
        moved
    }
}
