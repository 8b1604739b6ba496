//! AppAgent's own reading of a reply, defects included, for comparisons with it.
//!
//! Each part is what follows its name and one blank on the same line, wherever in a line that stands; all
//! four must be there. Whatever does not fit is an error, and an error ends the run. `FINISH` anywhere in
//! the action finishes. A text ends at its first closing parenthesis.

use waldo_devices::labels::{Grid, Subarea};
use waldo_devices::{Action, Capability, DeviceInfo, Element, Physical, Point, ScrollNotches};

use super::Mode;
use super::call::{PARTS, part_name};
use crate::agent::{Choice, TagScheme, View};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompatReply {
    /// `FINISH` stands somewhere in the action.
    Finish,
    Error,
    /// The next picture has a grid. AppAgent loses the summary.
    Grid,
    Act(Act, String),
}

/// A call as AppAgent reads it: numbers are unchecked, and so are directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Tap { area: i64 },
    Text { text: String },
    LongPress { area: i64 },
    Swipe { area: i64, direction: String, distance: String },
    TapGrid { area: i64, part: String },
    LongPressGrid { area: i64, part: String },
    SwipeGrid { from: i64, from_part: String, to: i64, to_part: String },
}

pub(crate) fn parse_elements(reply: &str) -> CompatReply {
    read(reply, |name, inside| {
        Some(match name {
            "tap" => Act::Tap { area: int(inside)? },
            "text" => Act::Text { text: inner(inside).to_owned() },
            "long_press" => Act::LongPress { area: int(inside)? },
            "swipe" => {
                let [area, direction, distance] = exactly(inside)?;
                let [direction, distance] = [direction, distance].map(|text| inner(text.trim()).to_owned());
                Act::Swipe { area: int(area)?, direction, distance }
            }
            _ => return None,
        })
    })
}

pub(crate) fn parse_areas(reply: &str) -> CompatReply {
    read(reply, |name, inside| {
        let place = || {
            let mut params = inside.split(',');
            Some((int(params.next()?)?, inner(params.next()?.trim()).to_owned()))
        };
        Some(match name {
            "tap" => {
                let (area, part) = place()?;
                Act::TapGrid { area, part }
            }
            "long_press" => {
                let (area, part) = place()?;
                Act::LongPressGrid { area, part }
            }
            "swipe" => {
                let [from, from_part, to, to_part] = exactly(inside)?;
                Act::SwipeGrid {
                    from: int(from)?,
                    from_part: inner(from_part.trim()).to_owned(),
                    to: int(to)?,
                    to_part: inner(to_part.trim()).to_owned(),
                }
            }
            _ => return None,
        })
    })
}

fn read(reply: &str, act: impl Fn(&str, &str) -> Option<Act>) -> CompatReply {
    let parts = (
        line(reply, "Observation: "),
        line(reply, "Thought: "),
        line(reply, "Action: "),
        line(reply, "Summary: "),
    );
    let (Some(_), Some(_), Some(action), Some(summary)) = parts else { return CompatReply::Error };
    if action.contains("FINISH") {
        return CompatReply::Finish;
    }
    let (name, rest) = action.split_once('(').unwrap_or((action, ""));
    if name == "grid" {
        return CompatReply::Grid;
    }
    match rest.split_once(')').and_then(|(inside, _)| act(name, inside)) {
        Some(act) => CompatReply::Act(act, summary.to_owned()),
        None => CompatReply::Error,
    }
}

/// What follows the first `name` up to the end of its line.
pub(crate) fn line<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(name)?;
    Some(rest.split('\n').next().unwrap_or(rest))
}

/// A whole number as Python's `int` reads it.
fn int(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sound = !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    let all = digits.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    (sound && all && !digits.is_empty()).then(|| text.replace('_', "").parse().ok()).flatten()
}

/// The text without its first and last character.
fn inner(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.next_back();
    chars.as_str()
}

fn exactly<const N: usize>(inside: &str) -> Option<[&str; N]> {
    let parts: Vec<&str> = inside.split(',').take(N + 1).collect();
    parts.try_into().ok()
}

/// The action for a call; `None` where AppAgent's run ends by an exception or an error.
pub(crate) fn ground(act: &Act, view: &View, device: &DeviceInfo, grid: Option<&Grid>) -> Option<Choice> {
    let size = view.observation.picture.size();
    let tapped = grid.map(|drawn| match Mode::Compat.numbering(device) {
        TagScheme::AppAgent => drawn.tapped_by_appagent(size.0, size.1),
        TagScheme::Waldo => *drawn,
    });
    let grid = tapped.as_ref();
    let element = |area: i64| nth(view, area);
    let action = match act {
        Act::Tap { area } => tap(center(element(*area)?)),
        // Its controller takes them for quotes of the shell.
        Act::Text { text } => Action::Type { text: text.replace('\'', "") },
        Act::LongPress { area } => Action::LongPress { at: center(element(*area)?) },
        Act::Swipe { area, direction, distance } => {
            swipe(center(element(*area)?), direction, distance, view, device)?
        }
        Act::TapGrid { area, part } => match place(grid?, *area, part) {
            Some(at) => tap(at),
            None => return Some(off(*area)),
        },
        Act::LongPressGrid { area, part } => match place(grid?, *area, part) {
            Some(at) => Action::LongPress { at },
            None => return Some(off(*area)),
        },
        Act::SwipeGrid { from, from_part, to, to_part } => {
            match (place(grid?, *from, from_part), place(grid?, *to, to_part)) {
                // Its controller takes the start's x for its y.
                (Some(start), Some(end)) => Action::drag(vec![Point::new(start.x, start.x), end]),
                _ => return Some(off(*from)),
            }
        }
    };
    Some(Choice::Act { action })
}

/// A press beside the screen does nothing, and the run goes on.
fn off(area: i64) -> Choice {
    Choice::Pass { reason: format!("area {area} is not on the screen") }
}

/// `list[area - 1]` as Python indexes: 0 is the last element.
fn nth(view: &View, area: i64) -> Option<&Element> {
    let len = i64::try_from(view.tagged.len()).ok()?;
    let index = area.checked_sub(1)?;
    let index = if index < 0 { index.checked_add(len)? } else { index };
    let tagged = view.tagged.get(usize::try_from(index).ok()?)?;
    view.observation.elements.get(tagged.element)
}

fn center(element: &Element) -> Point<Physical> {
    let p = element.bounds.center();
    Point::new(p.x.floor(), p.y.floor())
}

fn tap(at: Point<Physical>) -> Action {
    Action::tap(at)
}

fn swipe(
    at: Point<Physical>,
    direction: &str,
    distance: &str,
    view: &View,
    device: &DeviceInfo,
) -> Option<Action> {
    let units = match distance {
        "medium" => 2,
        "long" => 3,
        _ => 1,
    };
    let (x, y): (i32, i32) = match direction {
        "up" => (0, -1),
        "down" => (0, 1),
        "left" => (-1, 0),
        "right" => (1, 0),
        _ => return None,
    };
    if device.capabilities.contains(&Capability::Mouse) {
        let by = ScrollNotches { right: -x * 3 * units, down: -y * 3 * units };
        return Some(Action::scroll(at, by));
    }
    let unit = (view.observation.geometry.physical.w / 10.0).trunc() * f64::from(units);
    let end = Point::new(at.x + f64::from(x) * unit, at.y + f64::from(y) * 2.0 * unit);
    Some(Action::drag(vec![at, end]))
}

/// The place of a part of an area; a part that it does not know is the centre.
fn place(grid: &Grid, area: i64, part: &str) -> Option<Point<Physical>> {
    let part = PARTS.into_iter().find(|p| part_name(*p) == part).unwrap_or(Subarea::Center);
    let at = grid.point(u32::try_from(area).ok()?, part)?;
    Some(Point::new(at.x.floor(), at.y.floor()))
}

#[cfg(test)]
#[path = "compat_tests.rs"]
mod tests;
