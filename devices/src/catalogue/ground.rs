//! From a call to an action on what is on the screen.
//!
//! Invariant: a number that is not on this screen, and a place outside of it, never become an action.

use url::Url;

use super::Action;
use super::value::{Value, Values};
use super::{Arg, CallTarget, Direction, Distance, Param, ParamKind, Percent, ToolCall};
use crate::action_parts::{ScrollNotches, TabIndex};
use crate::element::Element;
use crate::geometry::{Physical, Point};
use crate::observation::Observation;
use crate::platform::{Capability, DeviceInfo};

/// The wait that says no time, in milliseconds.
pub const WAIT_MS: u64 = 1000;

/// Notches of a scroll that does not say how many.
pub(super) const NOTCHES: u32 = 5;

#[derive(Clone, Copy, Debug)]
pub struct ActionPlace<'a> {
    pub element: Option<&'a Element>,
    pub point: Point<Physical>,
}

impl<'a> ActionPlace<'a> {
    /// An element at its best place, or at percent of its bounds, the far edges just inside.
    pub fn on(element: &'a Element, at: Option<Percent>) -> Self {
        Self { element: Some(element), point: at.map_or(element.hit, |at| within(element, at)) }
    }
}

fn within(element: &Element, [x, y]: Percent) -> Point<Physical> {
    let b = &element.bounds;
    let p = b.at(x / 100.0, y / 100.0);
    Point::new(p.x.min(b.right() - 0.5).max(b.x), p.y.min(b.bottom() - 0.5).max(b.y))
}

pub struct GroundContext<'a> {
    pub seen: &'a Observation,
    pub device: &'a DeviceInfo,
    /// What a target stands for, or why it stands for nothing, as a fragment for the player. The number counts the
    /// targets of the call from 0.
    pub locate: &'a dyn Fn(usize, &CallTarget) -> Result<ActionPlace<'a>, String>,
}

impl ToolCall {
    pub fn ground(&self, scene: &GroundContext<'_>) -> Result<Action, String> {
        if let Some(param) = self.missing() {
            return Err(format!("{} needs {}", self.tool.name(), param.name));
        }
        let mut values = Vec::new();
        let mut targets = 0;
        for (param, arg) in self.args() {
            let value = match arg {
                Some(Arg::Target(target)) => {
                    targets += 1;
                    Some(scene.target(param, targets - 1, target)?)
                }
                Some(Arg::Path(path)) => Some(self.path(path, scene)?),
                Some(arg) => Some(scene.value(param, arg)?),
                None => None,
            };
            values.push((param.name, value));
        }
        self.tool.action(&Values(values), scene)
    }

    /// Places within the element that the call names.
    fn path(&self, path: &[Percent], scene: &GroundContext<'_>) -> Result<Value, String> {
        let target = self.targets().next().ok_or("a path needs the element that it lies in")?;
        let element = (scene.locate)(0, target)?.element.ok_or("a path lies within an element")?;
        Ok(Value::Path(path.iter().map(|at| within(element, *at)).collect()))
    }
}

impl GroundContext<'_> {
    fn target(&self, param: &Param, nth: usize, target: &CallTarget) -> Result<Value, String> {
        let located = (self.locate)(nth, target)?;
        Ok(match param.kind {
            ParamKind::Field(_) => {
                let element = located.element.ok_or("there is no element at that place")?;
                Value::Element(element.handle.clone())
            }
            _ => Value::Point(located.point),
        })
    }

    fn value(&self, param: &Param, arg: &Arg) -> Result<Value, String> {
        Ok(match (param.kind, arg) {
            (ParamKind::Address, Arg::Text(url)) => Value::Text(address(url, &self.seen.context.location)?),
            (ParamKind::Name, Arg::Text(name)) if name.is_empty() => {
                return Err(format!("the {} has no name", param.name));
            }
            (_, Arg::Text(text)) => Value::Text(text.clone()),
            (_, Arg::Files(files)) => Value::Files(self.files(files)?),
            (ParamKind::Tab, Arg::Number(tab)) => Value::Tab(self.tab(*tab)?),
            (ParamKind::Window, Arg::Number(window)) => Value::Number(self.window(*window)?),
            (_, Arg::Number(number)) => Value::Number(*number),
            (_, Arg::Direction(direction)) => Value::Direction(*direction),
            (_, Arg::Distance(distance)) => Value::Distance(*distance),
            (_, Arg::Millis(ms)) => Value::Millis(*ms),
            (_, Arg::Side(side)) => Value::Side(*side),
            (_, Arg::Reply(reply)) => Value::Reply(*reply),
            (_, Arg::Clicks(clicks)) => Value::Clicks(*clicks),
            (_, Arg::Button(button)) => Value::Button(*button),
            (_, Arg::Modifiers(held)) => Value::Modifiers(*held),
            (_, Arg::Target(_) | Arg::Path(_)) => return Err(format!("{} stands for nothing", param.name)),
        })
    }

    /// Files come from the task by name; a path would reach into the host.
    fn files(&self, files: &[String]) -> Result<Vec<std::path::PathBuf>, String> {
        let bad = |f: &&String| f.is_empty() || f.contains(['/', '\\', '\0']) || **f == "..";
        match files.iter().find(bad) {
            Some(bad) => {
                Err(format!("'{bad}' is not a file name: write the name that the task gives, without a path"))
            }
            None => Ok(files.iter().map(Into::into).collect()),
        }
    }

    fn tab(&self, tab: u32) -> Result<TabIndex, String> {
        let open = self.seen.context.tabs.len();
        match usize::try_from(tab).ok().and_then(|n| n.checked_sub(1)) {
            Some(n) if n < open => Ok(TabIndex(n)),
            _ => Err(format!("there is no tab {tab}; {open} are open")),
        }
    }

    fn window(&self, place: u32) -> Result<u32, String> {
        let windows = &self.seen.context.windows;
        let index = usize::try_from(place).ok().and_then(|n| n.checked_sub(1));
        index
            .and_then(|n| windows.get(n))
            .map(|window| window.id)
            .ok_or_else(|| format!("there is no window {place}; {} are listed", windows.len()))
    }

    pub(super) fn center(&self) -> Point<Physical> {
        self.seen.geometry.screen().center()
    }

    /// What a finger's swipe is on this device: under a mouse the content is scrolled as far.
    pub(super) fn swipe(&self, at: Point<Physical>, towards: Direction, distance: Distance) -> Action {
        if self.device.capabilities.contains(&Capability::Mouse) {
            // The content follows the finger, so the view moves the other way.
            Action::scroll(at, notches(towards.opposite(), u32::from(distance.units()) * 3))
        } else {
            Action::drag(vec![at, self.swiped(at, towards, distance)])
        }
    }

    /// Where a finger's swipe ends: AppAgent's lengths, tenths of the screen's width sideways and twice that
    /// up and down; the end stays on the screen.
    fn swiped(&self, from: Point<Physical>, towards: Direction, distance: Distance) -> Point<Physical> {
        let screen = self.seen.geometry.physical;
        let unit = (screen.w / 10.0).trunc() * f64::from(distance.units());
        let (dx, dy) = match towards {
            Direction::Up => (0.0, -2.0 * unit),
            Direction::Down => (0.0, 2.0 * unit),
            Direction::Left => (-unit, 0.0),
            Direction::Right => (unit, 0.0),
        };
        Point::new((from.x + dx).min(screen.w - 1.0).max(0.0), (from.y + dy).min(screen.h - 1.0).max(0.0))
    }
}

pub(super) fn notches(towards: Direction, n: u32) -> ScrollNotches {
    let n = i32::try_from(n).unwrap_or(i32::MAX);
    match towards {
        Direction::Up => ScrollNotches { right: 0, down: -n },
        Direction::Down => ScrollNotches { right: 0, down: n },
        Direction::Left => ScrollNotches { right: -n, down: 0 },
        Direction::Right => ScrollNotches { right: n, down: 0 },
    }
}

/// An absolute address, written on the page at `location`. What has no scheme is a path of this site, or a host.
pub fn address(written: &str, location: &str) -> Result<String, String> {
    let bad = || format!("'{written}' is not an address");
    if written.is_empty() {
        return Err("the address is empty".to_owned());
    }
    if written.contains("://") || written.starts_with("about:") || written.starts_with("data:") {
        return Url::parse(written).map(|_| written.to_owned()).map_err(|_| bad());
    }
    let here = Url::parse(location).ok();
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
