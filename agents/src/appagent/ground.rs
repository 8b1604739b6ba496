//! Turns a call into an action on what is on the screen.
//!
//! Invariant: a number that is not on this screen, and a place outside of it, never become an action.

use url::Url;
use waldo_devices::labels::Grid;
use waldo_devices::{
    Action, Button, Capability, Clicks, DeviceInfo, Element, Physical, Point, ScrollNotches, TabIndex, Tag,
};

use super::call::{Call, Direction, Distance, Percent, Press, Spot};
use crate::agent::{Choice, View};

/// Notches of a `scroll` that does not say how many.
const NOTCHES: u32 = 5;

/// A call turned into a choice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grounded {
    pub(crate) choice: Choice,
    pub(crate) tag: Option<Tag>,
}

/// Turns a call into a choice, or says what is wrong with it as a fragment for the model.
pub(crate) fn ground(
    call: &Call,
    view: &View,
    device: &DeviceInfo,
    grid: Option<&Grid>,
) -> Result<Grounded, String> {
    let find = |tag: Tag| element(view, tag, grid.is_some());
    let mut named = None;
    let action = match call {
        Call::Finish => return Ok(ends(Choice::Finish { answer: None })),
        Call::Answer { text } => return Ok(ends(Choice::Finish { answer: Some(text.clone()) })),
        Call::Infeasible { reason } => return Ok(ends(Choice::Infeasible { reason: reason.clone() })),
        Call::Grid if view.observation.picture.is_empty() => {
            return Err("there is no picture now that a grid could be laid over".to_owned());
        }
        Call::Grid => return Ok(ends(Choice::Pass { reason: "grid".to_owned() })),
        Call::Press { how, tag, at } => {
            named = Some(*tag);
            pressed(*how, spot(find(*tag)?, *at))
        }
        Call::PressArea { how, spot } => pressed(*how, area(grid, *spot)?),
        Call::SwipeAreas { from, to } => Action::Drag { path: vec![area(grid, *from)?, area(grid, *to)?] },
        Call::Text { text } => Action::Type { text: text.clone() },
        Call::Secret { name } => Action::TypeSecret { name: name.clone() },
        Call::Swipe { tag, towards, distance } => {
            named = Some(*tag);
            let at = find(*tag)?.hit;
            if device.capabilities.contains(&Capability::Mouse) {
                // The content follows the finger, so the view moves the other way.
                let by = notches(opposite(*towards), u32::from(distance.units()) * 3);
                Action::Scroll { at, by }
            } else {
                Action::Drag { path: vec![at, swiped(at, *towards, *distance, view)] }
            }
        }
        Call::Scroll { tag, towards, notches: n } => {
            named = *tag;
            let at = match tag {
                Some(tag) => find(*tag)?.hit,
                None => view.observation.geometry.screen().center(),
            };
            Action::Scroll { at, by: notches(*towards, n.unwrap_or(NOTCHES)) }
        }
        Call::Drag { from, start, to, end } => {
            named = Some(*from);
            Action::Drag { path: vec![spot(find(*from)?, *start), spot(find(*to)?, *end)] }
        }
        Call::DragPath { tag, path } => {
            named = Some(*tag);
            let on = find(*tag)?;
            Action::Drag { path: path.iter().map(|at| spot(on, Some(*at))).collect() }
        }
        Call::Pinch { tag, percent } => {
            named = Some(*tag);
            Action::Pinch { at: find(*tag)?.hit, percent: *percent }
        }
        Call::Clear { tag } => {
            named = Some(*tag);
            Action::Clear { element: find(*tag)?.handle.clone() }
        }
        Call::Select { tag, option } => {
            named = Some(*tag);
            Action::Select { element: find(*tag)?.handle.clone(), option: option.clone() }
        }
        Call::Upload { tag, files } => {
            named = Some(*tag);
            // Files come from the task by name; a path would reach into the host.
            if let Some(bad) =
                files.iter().find(|f| f.is_empty() || f.contains(['/', '\\', '\0']) || *f == "..")
            {
                return Err(format!(
                    "'{bad}' is no file name: write the name that the task gives, without a path"
                ));
            }
            Action::Upload {
                element: find(*tag)?.handle.clone(),
                files: files.iter().map(Into::into).collect(),
            }
        }
        Call::Key { chord } => Action::Key { chord: chord.clone() },
        Call::Enter => Action::Key { chord: "Enter".to_owned() },
        Call::Open { url } => Action::Navigate { url: address(url, view)? },
        Call::Back => Action::Back,
        Call::Forward => Action::Forward,
        Call::Reload => Action::Reload,
        Call::NewTab { url } => {
            Action::NewTab { url: url.as_ref().map(|url| address(url, view)).transpose()? }
        }
        Call::SwitchTab { tab } => Action::SwitchTab { tab: open_tab(*tab, view)? },
        Call::CloseTab => Action::CloseTab,
        Call::Dialog { reply } => Action::Dialog { reply: reply.clone() },
        Call::Home => Action::Home,
        Call::Recents => Action::Recents,
        Call::OpenApp { app } | Call::StopApp { app } if app.is_empty() => {
            return Err("the app has no name".to_owned());
        }
        Call::OpenApp { app } => Action::OpenApp { app: app.clone() },
        Call::StopApp { app } => Action::StopApp { app: app.clone() },
        Call::Rotate { to } => Action::Rotate { to: *to },
        Call::Wait { ms } => Action::Wait { ms: *ms },
    };
    Ok(Grounded { choice: Choice::Act { action }, tag: named })
}

fn ends(choice: Choice) -> Grounded {
    Grounded { choice, tag: None }
}

fn element(view: &View, tag: Tag, grid: bool) -> Result<&Element, String> {
    if grid {
        return Err("the elements bear no numbers on this picture: name an area and a part of it".to_owned());
    }
    view.element(tag).ok_or_else(|| match view.tagged.last() {
        None => format!("no element has the number {}; this screen has no numbered elements", tag.0),
        Some(last) => {
            format!("no element has the number {}; the numbers on this screen are 1 to {}", tag.0, last.tag.0)
        }
    })
}

/// A place within an element: its hit point, or percent of its bounds, the far edges just inside.
fn spot(element: &Element, at: Option<Percent>) -> Point<Physical> {
    let Some([x, y]) = at else { return element.hit };
    let b = &element.bounds;
    let p = b.at(x / 100.0, y / 100.0);
    Point::new(p.x.min(b.right() - 0.5).max(b.x), p.y.min(b.bottom() - 0.5).max(b.y))
}

fn area(grid: Option<&Grid>, spot: Spot) -> Result<Point<Physical>, String> {
    let grid =
        grid.ok_or("there is no grid on this picture: name an element by its number, or call grid() first")?;
    grid.point(spot.area, spot.part)
        .ok_or_else(|| format!("there is no area {}; the areas are 1 to {}", spot.area, grid.areas()))
}

fn pressed(how: Press, at: Point<Physical>) -> Action {
    let tap = |clicks, button| Action::Tap { at, clicks, button };
    match how {
        Press::Tap => tap(Clicks::Single, Button::Left),
        Press::DoubleTap => tap(Clicks::Double, Button::Left),
        Press::TripleTap => tap(Clicks::Triple, Button::Left),
        Press::RightTap => tap(Clicks::Single, Button::Right),
        Press::LongPress => Action::LongPress { at },
        Press::Hover => Action::Hover { at },
    }
}

const fn opposite(towards: Direction) -> Direction {
    match towards {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
    }
}

pub(crate) fn notches(towards: Direction, n: u32) -> ScrollNotches {
    let n = i32::try_from(n).unwrap_or(i32::MAX);
    match towards {
        Direction::Up => ScrollNotches { right: 0, down: -n },
        Direction::Down => ScrollNotches { right: 0, down: n },
        Direction::Left => ScrollNotches { right: -n, down: 0 },
        Direction::Right => ScrollNotches { right: n, down: 0 },
    }
}

/// Where a finger's swipe ends: AppAgent's lengths, tenths of the screen's width sideways and twice that
/// up and down; the end stays on the screen.
pub(crate) fn swiped(
    from: Point<Physical>,
    towards: Direction,
    distance: Distance,
    view: &View,
) -> Point<Physical> {
    let screen = view.observation.geometry.physical;
    let unit = (screen.w / 10.0).trunc() * f64::from(distance.units());
    let (dx, dy) = match towards {
        Direction::Up => (0.0, -2.0 * unit),
        Direction::Down => (0.0, 2.0 * unit),
        Direction::Left => (-unit, 0.0),
        Direction::Right => (unit, 0.0),
    };
    Point::new((from.x + dx).min(screen.w - 1.0).max(0.0), (from.y + dy).min(screen.h - 1.0).max(0.0))
}

pub(crate) fn open_tab(tab: u32, view: &View) -> Result<TabIndex, String> {
    let open = view.observation.context.tabs.len();
    match usize::try_from(tab).ok().and_then(|n| n.checked_sub(1)) {
        Some(n) if n < open => Ok(TabIndex(n)),
        _ => Err(format!("there is no tab {tab}; {open} are open")),
    }
}

/// An absolute address. What has no scheme is a path of this site, or a host.
pub(crate) fn address(written: &str, view: &View) -> Result<String, String> {
    let bad = || format!("'{written}' is no address");
    if written.is_empty() {
        return Err("the address is empty".to_owned());
    }
    if written.contains("://") || written.starts_with("about:") || written.starts_with("data:") {
        return Url::parse(written).map(|_| written.to_owned()).map_err(|_| bad());
    }
    let here = Url::parse(&view.observation.context.location).ok();
    if written.starts_with(['/', '?', '#', '.']) {
        let here =
            here.ok_or_else(|| format!("'{written}' needs a page to start from: write the whole address"))?;
        return here.join(written).map(Into::into).map_err(|_| bad());
    }
    let host = written.split(['/', '?', '#']).next().unwrap_or_default();
    let same = here.as_ref().and_then(|u| u.host_str()).is_some_and(|h| host.split(':').next() == Some(h));
    let scheme = here.as_ref().filter(|_| same).map_or("https", Url::scheme);
    Url::parse(&format!("{scheme}://{written}")).map(Into::into).map_err(|_| bad())
}
