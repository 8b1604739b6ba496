//! The table against itself.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::*;
use crate::action::{Button, Clicks};
use crate::effects::tests::samples;
use crate::geometry::Point;
use crate::labels::Tag;

#[test]
fn no_two_tools_have_one_name() {
    let mut names = BTreeSet::new();
    for tool in Tool::ALL {
        let spec = tool.spec();
        for name in [bare(spec.name)].iter().map(String::as_str).chain(spec.aliases.iter().copied()) {
            assert_eq!(name, bare(name), "{name} is not written as it is compared");
            assert!(names.insert(name.to_owned()), "two tools are called {name}");
            assert_eq!(Tool::meant(name), Some(*tool), "{name}");
        }
        assert_eq!(Tool::named(spec.name), Some(*tool));
    }
}

#[test]
fn every_example_is_a_call_of_its_own_row() {
    for tool in Tool::ALL {
        let spec = tool.spec();
        assert!(spec.sentence.ends_with('.'), "{}", spec.name);
        if !spec.example.parameters.is_empty() {
            let parameters: Map<String, Value> = serde_json::from_str(spec.example.parameters).unwrap();
            let call = tool.call(&parameters).unwrap_or_else(|e| panic!("{}: {e}", spec.name));
            assert_eq!(call.parameters(), parameters, "{}", spec.name);
            assert_eq!(tool.example(), Some(call));
        }
        let names: BTreeSet<_> = spec.params.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), spec.params.len(), "{}", spec.name);
        for param in spec.params {
            assert!(!param.what.is_empty() && !param.aliases.contains(&param.name), "{}", spec.name);
        }
    }
}

#[test]
fn what_is_wrong_with_a_call_is_named() {
    for (tool, parameters, want) in [
        (Tool::Tap, json!({}), "tap needs the parameter element"),
        (Tool::Tap, json!({"element": 1, "far": 2}), "tap has no parameter 'far'; it has element"),
        (Tool::Back, json!({"steps": 2}), "back has no parameters, and 'steps' is given"),
        (
            Tool::Swipe,
            json!({"element": 1, "direction": "sideways"}),
            "direction must be up, down, left, right",
        ),
        (Tool::Pinch, json!({"element": 1, "percent": 5}), "percent must be a whole number from 10 to 1000"),
        (Tool::Wait, json!({"seconds": 11}), "seconds must be a number from 0 to 10"),
        (Tool::DragPath, json!({"element": 1, "path": [[1, 2]]}), "path must be two places or more"),
        (Tool::SwitchTab, json!({"tab": 0}), "tab must be a whole number from 1"),
    ] {
        let Value::Object(parameters) = parameters else { panic!("no object") };
        let error = tool.call(&parameters).unwrap_err();
        assert!(error.contains(want), "{error}");
    }
}

#[test]
fn every_action_says_what_it_does() {
    for action in samples() {
        let told = action.describe();
        let has_words = action.kind() == ActionKind::Key || !told.contains('_');
        assert!(!told.is_empty() && has_words, "{}: {told}", action.name());
    }
    let at = Point::new(3.4, 9.6);
    let double = Action::Tap { at, clicks: Clicks::Double, button: Button::Left };
    assert_eq!(double.describe(), "double tap at (3, 10)");
    let swipe = Action::Swipe { from: at, to: Point::new(5.0, 6.0), ms: 1 };
    assert_eq!(swipe.describe(), "swipe (3, 10) to (5, 6)");
}

/// Actions of recordings made before the catalogue.
#[test]
fn what_was_recorded_before_opens() {
    for (recorded, want) in [
        (
            r#"{"do":"tap","at":{"x":282.5,"y":410.0},"clicks":"single","button":"left"}"#,
            Action::tap(Point::new(282.5, 410.0)),
        ),
        (r#"{"do":"tap","at":{"x":1.0,"y":2.0}}"#, Action::tap(Point::new(1.0, 2.0))),
        (
            r#"{"do":"dialog","reply":"accept","text":"Ada"}"#,
            Action::Dialog { reply: crate::action::DialogReply::Accept { text: Some("Ada".into()) } },
        ),
        (r#"{"do":"new_tab"}"#, Action::NewTab { url: None }),
        (r#"{"do":"back"}"#, Action::Back),
        (r#"{"do":"switch_tab","tab":1}"#, Action::SwitchTab { tab: crate::action::TabIndex(1) }),
        (
            r#"{"do":"select","element":"e7","option":"Large"}"#,
            Action::Select { element: crate::element::ElementRef("e7".into()), option: "Large".into() },
        ),
        (r#"{"do":"rotate","to":"inverted"}"#, Action::Rotate { to: crate::action::Orientation::Inverted }),
    ] {
        assert_eq!(serde_json::from_str::<Action>(recorded).unwrap(), want, "{recorded}");
    }
    for action in samples() {
        let written = serde_json::to_value(&action).unwrap();
        assert_eq!(written["do"], action.name());
        assert_eq!(serde_json::from_value::<Action>(written).unwrap(), action);
    }
}

#[test]
fn all_places_and_elements_of_an_action_can_be_moved() {
    for mut action in samples() {
        let (mut places, mut elements) = (0, 0);
        let count = action.placed(crate::device::Platform::Web).target.points.len();
        let moved: Result<(), ()> = action.move_targets(
            &mut |p| {
                places += 1;
                p.x += 1.0;
                Ok(())
            },
            &mut |_| {
                elements += 1;
                Ok(())
            },
        );
        assert_eq!((moved, places), (Ok(()), count), "{}", action.name());
        let wants_element = matches!(
            action.kind(),
            ActionKind::Clear | ActionKind::Fill | ActionKind::Select | ActionKind::Upload
        );
        assert_eq!(elements, usize::from(wants_element), "{}", action.name());
    }
}

#[test]
fn a_call_says_what_it_names() {
    let call = ToolCall::on(Tool::Drag, Tag(4), Some([10.0, 20.0])).with("to", Tag(9));
    assert_eq!((call.tag(), call.targets().count(), call.missing()), (Some(Tag(4)), 2, None));
    assert_eq!(ToolCall::new(Tool::Drag).missing().map(|p| p.name), Some("from"));
    assert_eq!(ToolCall::new(Tool::Type).with("text", "x").text("text"), Some("x"));
}
