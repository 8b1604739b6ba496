//! Words of actions for reports.

use super::words::HasWords as _;
use crate::action_parts::{Button, Clicks, DialogReply, Modifiers, Orientation, ScrollNotches};
use crate::geometry::{Physical, Point};

/// A place in whole pixels.
pub(super) fn at(p: &Point<Physical>) -> String {
    format!("({:.0}, {:.0})", p.x, p.y)
}

pub(super) fn quoted(text: &str) -> String {
    format!("\u{201c}{text}\u{201d}")
}

pub(super) fn held(modifiers: Modifiers) -> String {
    if modifiers.is_empty() { String::new() } else { format!("{modifiers}+") }
}

pub(super) fn clicks(clicks: Clicks) -> &'static str {
    match clicks {
        Clicks::Single => "",
        Clicks::Double => "double ",
        Clicks::Triple => "triple ",
    }
}

pub(super) fn button(button: Button) -> &'static str {
    match button {
        Button::Left => "tap",
        Button::Right => "right click",
        Button::Middle => "middle click",
        Button::Back => "back button",
        Button::Forward => "forward button",
    }
}

/// The button before what is done with it; nothing for the main one.
pub(super) fn with(button: Button) -> String {
    if button.is_main() { String::new() } else { format!("{} ", button.word()) }
}

/// A chord; one that is pressed several times by how often.
pub(super) fn chord(chord: &str) -> String {
    let all: Vec<&str> = chord.split_whitespace().collect();
    match all.as_slice() {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|other| other == first) => {
            format!("press {first} {} times", all.len())
        }
        _ => format!("press {chord}"),
    }
}

pub(super) fn way(what: &str, path: &[Point<Physical>]) -> String {
    match (path.first(), path.last()) {
        (Some(from), Some(to)) => format!("{what} {} to {}", at(from), at(to)),
        _ => what.to_owned(),
    }
}

pub(super) fn scroll(by: ScrollNotches, p: &Point<Physical>) -> String {
    let mut way = Vec::new();
    for (n, plus, minus) in [(by.down, "down", "up"), (by.right, "right", "left")] {
        if n != 0 {
            way.push(format!("{} {}", if n > 0 { plus } else { minus }, n.unsigned_abs()));
        }
    }
    format!("scroll {} at {}", way.join(", "), at(p))
}

pub(super) fn reply(reply: &DialogReply) -> String {
    match reply {
        DialogReply::Accept { text: Some(text) } => format!("answer the dialog with {}", quoted(text)),
        DialogReply::Accept { text: None } => "accept the dialog".to_owned(),
        DialogReply::Dismiss => "dismiss the dialog".to_owned(),
    }
}

pub(super) fn side(side: Orientation) -> &'static str {
    side.word()
}
