//! What a person does, and what that means on the screen.

use waldo_agents::View;
use waldo_agents::appagent::FunctionCall;
use waldo_agents::appagent::docs::logs::Recorded;
use waldo_agents::appagent::learn::{action_of, focused};
use waldo_devices::{
    Action, Affordance, Button, Capability, Clicks, DeviceInfo, Direction, Element, Physical, Point,
    ScrollNotches, Tag, Tool, ToolCall,
};

/// Logical pixels of a wheel's notch.
const NOTCH: f64 = 120.0;
/// Milliseconds that a finger's way takes.
const SWIPE_MS: u64 = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Tap,
    LongPress,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DemoAction {
    Call(FunctionCall),
    /// Typing: into an element, which is tapped first unless it has the focus, or into what has the focus.
    Text {
        tag: Option<Tag>,
        text: String,
    },
    Point {
        how: Touch,
        at: Point<Physical>,
    },
    Stroke {
        from: Point<Physical>,
        to: Point<Physical>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeedPlan {
    /// What is done to the device, one after the other.
    pub(super) actions: Vec<Action>,
    pub(super) tag: Option<Tag>,
    pub(super) call: String,
    pub(super) recorded: Option<Recorded>,
}

/// The smallest numbered element around a point, of those that `fit`; a person who touches a screen means
/// what lies on top.
pub(crate) fn element_at(view: &View, at: Point<Physical>, fit: impl Fn(&Element) -> bool) -> Option<Tag> {
    let elements =
        view.tagged.iter().filter_map(|t| Some((t.tag, view.observation.elements.get(t.element)?)));
    elements
        .filter(|(_, e)| e.bounds.contains(at) && fit(e))
        .min_by(|(_, a), (_, b)| a.bounds.area().total_cmp(&b.bounds.area()))
        .map(|(tag, _)| tag)
}

impl DemoAction {
    /// What it means. `last` is the key of the element that was tapped last.
    pub(super) fn plan(
        &self,
        view: &View,
        keys: &[String],
        device: &DeviceInfo,
        last: Option<&str>,
    ) -> Result<DeedPlan, String> {
        let key = |tag: Tag| {
            let at = view.tagged.iter().position(|t| t.tag == tag);
            at.and_then(|at| keys.get(at)).cloned().unwrap_or_default()
        };
        match self {
            Self::Call(call) => {
                let tool = call.tool().map(|call| call.tool);
                if let (Some(Tool::Type), Some(text)) = (tool, call.tool().and_then(|call| call.text("text")))
                {
                    return Self::text(None, text, view, keys, last);
                }
                let (action, tag) = action_of(call, view, device)?;
                let recorded = tag.and_then(|tag| {
                    let (n, uid) = (tag.0, key(tag));
                    match tool? {
                        Tool::Tap | Tool::TapAt => Some(Recorded::Tap { tag: n, uid }),
                        Tool::LongPress => Some(Recorded::LongPress { tag: n, uid }),
                        Tool::Swipe => {
                            let direction = call.tool()?.direction()?.name().into();
                            Some(Recorded::Swipe { tag: n, direction, uid })
                        }
                        _ => None,
                    }
                });
                Ok(DeedPlan { actions: vec![action], tag, call: call.to_string(), recorded })
            }
            Self::Text { tag, text } => Self::text(*tag, text, view, keys, last),
            Self::Point { how, at } => {
                let at = view.observation.geometry.check(*at).map_err(|e| e.to_string())?;
                let tag = element_at(view, at, |_| true);
                let (action, name) = match how {
                    Touch::Tap => {
                        (Action::Tap { at, clicks: Clicks::Single, button: Button::Left }, Tool::Tap)
                    }
                    Touch::LongPress => (Action::LongPress { at }, Tool::LongPress),
                };
                let recorded = tag.map(|tag| match how {
                    Touch::Tap => Recorded::Tap { tag: tag.0, uid: key(tag) },
                    Touch::LongPress => Recorded::LongPress { tag: tag.0, uid: key(tag) },
                });
                let call = match tag {
                    Some(tag) => FunctionCall::on(name, tag).to_string(),
                    None => format!("{} at ({:.0}, {:.0})", name.name(), at.x, at.y),
                };
                Ok(DeedPlan { actions: vec![action], tag, call, recorded })
            }
            Self::Stroke { from, to } => recorded_stroke(*from, *to, view, device, key),
        }
    }

    fn text(
        tag: Option<Tag>,
        text: &str,
        view: &View,
        keys: &[String],
        last: Option<&str>,
    ) -> Result<DeedPlan, String> {
        if text.is_empty() {
            return Err("there is no text to type".to_owned());
        }
        let focus = focused(view);
        let at = match tag {
            Some(tag) => Some(view.tagged.iter().position(|t| t.tag == tag).ok_or_else(|| {
                format!("no element has the number {}; there are {}", tag.0, view.tagged.len())
            })?),
            // What has the focus may not say so; then it is what was tapped last.
            None => focus.or_else(|| keys.iter().position(|k| Some(k.as_str()) == last)),
        };
        let named = at.and_then(|at| view.tagged.get(at)).map(|t| t.tag);
        let mut actions = Vec::new();
        if let Some(element) = tag.filter(|_| at != focus).and_then(|tag| view.element(tag)) {
            actions.push(Action::Tap { at: element.hit, clicks: Clicks::Single, button: Button::Left });
        }
        actions.push(Action::Type { text: text.to_owned() });
        let recorded = at.zip(named).map(|(at, tag)| Recorded::Text {
            tag: tag.0,
            text: text.to_owned(),
            uid: keys.get(at).cloned().unwrap_or_default(),
        });
        let call = FunctionCall::Tool(ToolCall::new(Tool::Type).with("text", text)).to_string();
        Ok(DeedPlan { actions, tag: named, call, recorded })
    }
}

/// What moving from one place to another means: under a mouse what can be dragged is dragged, and the rest is scrolled
/// as far as it was pulled; a finger swipes. Gives the action, the number that it is done to, and the call in words.
pub fn stroke(
    from: Point<Physical>,
    to: Point<Physical>,
    view: &View,
    device: &DeviceInfo,
) -> Result<(Action, Option<Tag>, String), String> {
    let (action, tag, towards) = stroked(from, to, view, device)?;
    let call = match tag {
        Some(tag) => format!("swipe({}, \"{}\")", tag.0, towards.name()),
        None => format!("swipe {} at ({:.0}, {:.0})", towards.name(), from.x, from.y),
    };
    Ok((action, tag, call))
}

fn recorded_stroke(
    from: Point<Physical>,
    to: Point<Physical>,
    view: &View,
    device: &DeviceInfo,
    key: impl Fn(Tag) -> String,
) -> Result<DeedPlan, String> {
    let (_, _, towards) = stroked(from, to, view, device)?;
    let (action, tag, call) = stroke(from, to, view, device)?;
    let recorded =
        tag.map(|tag| Recorded::Swipe { tag: tag.0, direction: towards.name().into(), uid: key(tag) });
    Ok(DeedPlan { actions: vec![action], tag, call, recorded })
}

fn stroked(
    from: Point<Physical>,
    to: Point<Physical>,
    view: &View,
    device: &DeviceInfo,
) -> Result<(Action, Option<Tag>, Direction), String> {
    let geometry = &view.observation.geometry;
    let from = geometry.check(from).map_err(|e| e.to_string())?;
    let to = geometry.check(to).map_err(|e| e.to_string())?;
    let (right, down) = (to.x - from.x, to.y - from.y);
    let towards = match (right.abs() > down.abs(), right > 0.0, down > 0.0) {
        (true, true, _) => Direction::Right,
        (true, false, _) => Direction::Left,
        (false, _, true) => Direction::Down,
        (false, _, false) => Direction::Up,
    };
    let dragged = |e: &Element| e.can(Affordance::Drag) || e.role.as_str() == "slider";
    let mouse = device.capabilities.contains(&Capability::Mouse);
    let drags = element_at(view, from, dragged).filter(|_| mouse);
    let tag = drags
        .or_else(|| element_at(view, from, |e| e.can(Affordance::Scroll)))
        .or_else(|| element_at(view, from, |_| true));
    let action = if drags.is_some() {
        Action::drag(vec![from, to])
    } else if mouse {
        #[expect(clippy::cast_possible_truncation, reason = "a screen is some notches wide")]
        let notches = |px: f64| {
            // The content follows the hand, so the view moves the other way.
            -((px / geometry.scale.max(0.01) / NOTCH).round() as i32)
        };
        let by = match towards {
            Direction::Up => ScrollNotches { right: 0, down: notches(down).max(1) },
            Direction::Down => ScrollNotches { right: 0, down: notches(down).min(-1) },
            Direction::Left => ScrollNotches { right: notches(right).max(1), down: 0 },
            Direction::Right => ScrollNotches { right: notches(right).min(-1), down: 0 },
        };
        Action::scroll(from, by)
    } else {
        Action::Swipe { from, to, ms: SWIPE_MS }
    };
    Ok((action, tag, towards))
}
