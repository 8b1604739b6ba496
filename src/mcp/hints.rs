//! What a tool's annotations say of it, from the effects of the action that it comes to.
//!
//! Invariant: what has an effect that is not known to be harmless is destructive.

use rmcp::model::ToolAnnotations;
use waldo_devices::catalogue::Reply;
use waldo_devices::catalogue::{Arg, ParamKind};
use waldo_devices::{
    ActionEffect as E, ActionPlace, Button, CallTarget, Clicks, Context, DeviceInfo, Direction, Distance,
    Effects, Element, ElementRef, Geometry, GroundContext, Modifiers, Observation, Orientation, Point, Rect,
    Role, States, TabInfo, Tag, Tool, ToolCall, WindowInfo,
};

/// Effects that change nothing but the view.
const VIEWS: &[E] = &[E::Point, E::Scroll, E::Zoom, E::Wait];
/// Effects after which all is still there.
const MOVES: &[E] = &[
    E::Back,
    E::Forward,
    E::Reload,
    E::Navigate,
    E::NewTab,
    E::SwitchTab,
    E::LeaveApp,
    E::Home,
    E::Recents,
    E::OpenApp,
    E::FocusWindow,
    E::Rotate,
];

/// The annotations of a tool; only what differs from the protocol's defaults is said.
pub fn annotations(tool: Tool, device: &DeviceInfo) -> Option<ToolAnnotations> {
    let effects = effects(tool, device)?;
    let within = |known: &[&[E]]| {
        E::ALL
            .iter()
            .filter(|effect| effects.contains(**effect))
            .all(|effect| known.iter().any(|k| k.contains(effect)))
    };
    if within(&[VIEWS]) {
        Some(ToolAnnotations::new().read_only(true))
    } else if within(&[VIEWS, MOVES]) {
        Some(ToolAnnotations::new().destructive(false))
    } else {
        None
    }
}

/// What the action does that a call of this tool comes to.
fn effects(tool: Tool, device: &DeviceInfo) -> Option<Effects> {
    let mut call = ToolCall::new(tool);
    for (place, param) in tool.spec().params.iter().enumerate() {
        call.set(place, Some(sample(param.kind)));
    }
    let seen = scene();
    let element = seen.elements.first()?;
    let locate = |_: usize, _: &CallTarget| Ok(ActionPlace::on(element, None));
    let action = call.ground(&GroundContext { seen: &seen, device, locate: &locate }).ok()?;
    Some(action.effects(device.platform))
}

fn sample(kind: ParamKind) -> Arg {
    match kind {
        ParamKind::Place | ParamKind::PlaceWithin | ParamKind::Element | ParamKind::Field(_) => {
            Arg::Target(CallTarget::Element { tag: Tag(1), at: None })
        }
        ParamKind::Path => Arg::Path(vec![[0.0, 0.0], [1.0, 1.0]]),
        ParamKind::Text | ParamKind::Words | ParamKind::Name => Arg::Text("x".to_owned()),
        ParamKind::Object => Arg::Text("{}".to_owned()),
        ParamKind::Address => Arg::Text("https://example.org/".to_owned()),
        ParamKind::Keys => Arg::Text("Enter".to_owned()),
        ParamKind::Files => Arg::Files(vec!["x".to_owned()]),
        ParamKind::Direction => Arg::Direction(Direction::Down),
        ParamKind::Distance => Arg::Distance(Distance::Medium),
        ParamKind::Whole(min, _) => Arg::Number(min),
        ParamKind::Tab | ParamKind::Window => Arg::Number(1),
        ParamKind::Seconds => Arg::Millis(1000),
        ParamKind::Side => Arg::Side(Orientation::Left),
        ParamKind::Reply => Arg::Reply(Reply::Accept),
        ParamKind::Clicks => Arg::Clicks(Clicks::Single),
        ParamKind::Button => Arg::Button(Button::Left),
        ParamKind::Modifiers => Arg::Modifiers(Modifiers::default()),
    }
}

/// A screen with one element, one tab and one window.
fn scene() -> Observation {
    let bounds = Rect::new(10.0, 10.0, 20.0, 20.0);
    let element = Element {
        handle: ElementRef("x".to_owned()),
        role: Role::new("button"),
        name: "x".to_owned(),
        value: None,
        states: States::default(),
        affordances: Vec::new(),
        bounds,
        hit: Point::new(20.0, 20.0),
        options: Vec::new(),
        frame: 0,
        uid: None,
        id: None,
        source: waldo_devices::Source::Tree,
    };
    let tab = TabInfo { title: String::new(), url: String::new(), active: true };
    let window = WindowInfo {
        id: 1,
        title: String::new(),
        program: String::new(),
        bounds,
        focused: true,
        minimised: false,
    };
    Observation {
        elements: vec![element],
        context: Context { tabs: vec![tab], windows: vec![window], ..Context::default() },
        ..Observation::blank(Geometry::new(100.0, 100.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use waldo_devices::Platform;

    use super::*;
    use crate::mcp::screen::testing::device;

    #[test]
    fn every_tool_of_every_device_has_effects() {
        for platform in [Platform::Web, Platform::Android, Platform::Desktop] {
            let device = device(platform);
            for tool in Tool::ALL.iter().filter(|tool| tool.offered(&device)) {
                assert!(effects(*tool, &device).is_some(), "{} on {}", tool.name(), platform.as_str());
            }
        }
    }

    #[test]
    fn annotations_come_from_effects() {
        let web = device(Platform::Web);
        let read_only = |tool| annotations(tool, &web).and_then(|a| a.read_only_hint);
        let destructive = |tool| annotations(tool, &web).and_then(|a| a.destructive_hint);
        assert_eq!([Tool::Scroll, Tool::Hover].map(read_only), [Some(true); 2]);
        assert_eq!([Tool::Back, Tool::Navigate, Tool::NewTab].map(destructive), [Some(false); 3]);
        for tool in [Tool::Tap, Tool::Type, Tool::Key, Tool::Fill, Tool::CloseTab, Tool::Drag, Tool::Upload] {
            assert_eq!(annotations(tool, &web), None, "{}", tool.name());
        }
        // On a phone a finger that scrolls may press.
        assert_eq!(annotations(Tool::Scroll, &device(Platform::Android)), None);
    }
}
