//! The pointer, over the XTEST extension. Coordinates are physical pixels of the screen.

use x11rb::protocol::xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, MOTION_NOTIFY_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;

use crate::x11::x::Answered as _;
use crate::x11::x::X;
use waldo_devices::{Button, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    Down,
    Up,
}

/// Numbers of the wheel's four directions as buttons.
const UP: u8 = 4;
const DOWN: u8 = 5;
const LEFT: u8 = 6;
const RIGHT: u8 = 7;

fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
        Button::Back => 8,
        Button::Forward => 9,
    }
}

#[derive(Debug)]
pub(crate) struct Pointer;

impl Pointer {
    pub(crate) fn to(&self, x: &X, (px, py): (i16, i16)) -> Result<()> {
        x.conn.xtest_fake_input(MOTION_NOTIFY_EVENT, 0, 0, x.root, px, py, 0).answered()?;
        Ok(())
    }

    pub(crate) fn button(&self, x: &X, button: Button, press: Press) -> Result<()> {
        let kind = match press {
            Press::Down => BUTTON_PRESS_EVENT,
            Press::Up => BUTTON_RELEASE_EVENT,
        };
        x.conn.xtest_fake_input(kind, number(button), 0, x.root, 0, 0, 0).answered()?;
        Ok(())
    }

    pub(crate) fn wheel(&self, x: &X, right: i32, down: i32) -> Result<()> {
        let turns = [
            (if down < 0 { UP } else { DOWN }, down.unsigned_abs()),
            (if right < 0 { LEFT } else { RIGHT }, right.unsigned_abs()),
        ];
        for (button, count) in turns {
            for _ in 0..count {
                x.conn.xtest_fake_input(BUTTON_PRESS_EVENT, button, 0, x.root, 0, 0, 0).answered()?;
                x.conn.xtest_fake_input(BUTTON_RELEASE_EVENT, button, 0, x.root, 0, 0, 0).answered()?;
            }
        }
        Ok(())
    }
}
