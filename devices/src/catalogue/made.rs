//! Actions of the table, made from a few parameters.

use serde_json::{Map, Value};

use super::ground::notches;
use super::{Action, Direction};
use crate::action_parts::{Button, Clicks, Modifiers, ScrollNotches};
use crate::geometry::{Physical, Point};

impl Action {
    /// A click of the main button, or a finger's tap.
    pub fn tap(at: Point<Physical>) -> Self {
        Self::Tap { at, clicks: Clicks::Single, button: Button::Left }
    }

    /// A drag by the main button, without keys.
    pub fn drag(path: Vec<Point<Physical>>) -> Self {
        Self::Drag { path, button: Button::Left, modifiers: Modifiers::default() }
    }

    /// A turn of the wheel without keys.
    pub fn scroll(at: Point<Physical>, by: ScrollNotches) -> Self {
        Self::Scroll { at, by, modifiers: Modifiers::default() }
    }

    /// A press of the main button that is kept.
    pub fn pointer_down(at: Point<Physical>) -> Self {
        Self::PointerDown { at, button: Button::Left }
    }
}

pub(super) fn tap(at: Point<Physical>, clicks: Clicks, button: Button) -> Action {
    Action::Tap { at, clicks, button }
}

/// A scroll of so many notches, in a second direction besides where one is given.
pub(super) fn both(direction: Direction, also: Option<Direction>, n: u32) -> ScrollNotches {
    let (by, more) =
        (notches(direction, n), also.map_or_else(ScrollNotches::default, |also| notches(also, n)));
    let sum = |one: i32, two: i32| if one == 0 { two } else { one };
    ScrollNotches { right: sum(by.right, more.right), down: sum(by.down, more.down) }
}

/// The object that a text is; an empty one without a text.
pub(super) fn object(text: Option<String>) -> Result<Map<String, Value>, String> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(Map::new()) };
    serde_json::from_str(&text).map_err(|error| format!("arguments must be a JSON object: {error}"))
}

/// A tap at a place; with keys held it is an action of its own.
pub(super) fn tap_at(at: Point<Physical>, clicks: Clicks, button: Button, modifiers: Modifiers) -> Action {
    if modifiers.is_empty() {
        return tap(at, clicks, button);
    }
    Action::TapAt { at, clicks, button, modifiers }
}
