//! The table of actions and effects, and the ways around a denied name.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;

use super::*;
use crate::action::{
    ActionReport, Button, Clicks, DialogReply, Effect, Modifiers, Orientation, RefusalKind, ScrollNotches,
    TabIndex,
};
use crate::device::{Deadline, Device, DeviceInfo, ResetTo};
use crate::element::ElementRef;
use crate::error::Result;
use crate::geometry::Geometry;
use crate::guard::{GuardPolicy, Guarded, OriginRule};
use crate::layer::DeviceLayer;
use crate::placing::Placing;
use crate::secrets::Secrets;

/// One action of each kind, and some more with other parameters.
pub(crate) fn samples() -> Vec<Action> {
    let at = Point::new(10.0, 20.0);
    let element = ElementRef("e1".to_owned());
    let mut all = vec![
        Action::tap(at),
        Action::Tap { at, clicks: Clicks::Single, button: Button::Middle },
        Action::TapAt { at, clicks: Clicks::Double, button: Button::Right, modifiers: Modifiers::default() },
        Action::LongPress { at },
        Action::Hover { at },
        Action::drag(vec![at, at]),
        Action::pointer_down(at),
        Action::PointerMove { at },
        Action::PointerUp { at },
        Action::scroll(at, ScrollNotches { right: 0, down: 1 }),
        Action::Type { text: "x".into() },
        Action::Type { text: "x\n".into() },
        Action::TypeSecret { name: "pw".into() },
        Action::Clear { element: element.clone() },
        Action::Fill { element: element.clone(), text: "x".into() },
        Action::Select { element: element.clone(), option: "a".into() },
        Action::Upload { element, files: Vec::new() },
        Action::Navigate { url: "http://a.test/".into() },
        Action::Back,
        Action::Forward,
        Action::Reload,
        Action::NewTab { url: None },
        Action::NewTab { url: Some("http://a.test/".into()) },
        Action::SwitchTab { tab: TabIndex(0) },
        Action::CloseTab,
        Action::Dialog { reply: DialogReply::Accept { text: None } },
        Action::Dialog { reply: DialogReply::Accept { text: Some("x".into()) } },
        Action::Dialog { reply: DialogReply::Dismiss },
        Action::Swipe { from: at, to: at, ms: 1 },
        Action::Pinch { at, percent: 50 },
        Action::Home,
        Action::Recents,
        Action::OpenApp { app: "a".into() },
        Action::StopApp { app: "a".into() },
        Action::FocusWindow { window: 1 },
        Action::SwitchScreen { screen: "phone".to_owned() },
        Action::CloseWindow { window: 1 },
        Action::Shell { command: "true".into() },
        Action::AskUser { question: "which?".into() },
        Action::CallTool { tool: "t".into(), arguments: serde_json::Map::new() },
        Action::Paste { text: "x".into() },
        Action::Rotate { to: Orientation::Left },
        Action::Wait { ms: 1 },
    ];
    let chords = ["h", "Enter", "space", "ctrl+w", "F5", "alt+Left", "ctrl+l", "F9", "KEYCODE_HOME", "Tab"];
    all.extend(chords.map(|chord| Action::Key { chord: chord.into() }));
    all
}

struct RecordingDevice {
    on: Platform,
    done: Arc<Mutex<Vec<Action>>>,
}

#[async_trait]
impl DeviceLayer for RecordingDevice {
    fn inner(&self) -> &dyn Device {
        panic!("nothing else is asked")
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        panic!("nothing else is asked")
    }

    fn info(&self) -> DeviceInfo {
        DeviceInfo::new(self.on, "keeps", Geometry::new(100.0, 100.0, 1.0), &[])
    }

    async fn reset(&mut self, _: &ResetTo, _: Deadline) -> Result<()> {
        Ok(())
    }

    async fn perform(&mut self, action: &Action, _: Deadline) -> Result<ActionReport> {
        self.done.lock().unwrap().push(action.clone());
        Ok(ActionReport { effect: Effect::Unverifiable, took: Duration::ZERO })
    }

    fn secrets(&self) -> Secrets {
        Secrets::default()
    }
}

/// Whether the guard lets an action through where `deny` is denied.
async fn passes(action: &Action, deny: &str, on: Platform) -> bool {
    let done = Arc::new(Mutex::new(Vec::new()));
    let mut guarded = Guarded::new(Box::new(RecordingDevice { on, done: done.clone() }), None);
    let origins = vec![OriginRule::parse("*").unwrap()];
    let denied = BTreeSet::from([GuardName::parse(deny).unwrap()]);
    let policy = GuardPolicy { origins, deny: denied, ..GuardPolicy::default() };
    let to = ResetTo { policy, ..ResetTo::default() };
    let deadline = Deadline::after(Duration::from_secs(5));
    Device::reset(&mut guarded, &to, deadline).await.unwrap();
    let report = Device::perform(&mut guarded, action, deadline).await.unwrap();
    let through = !done.lock().unwrap().is_empty();
    let refused = matches!(report.effect, Effect::Refused { kind: RefusalKind::Denied, .. });
    assert_eq!(through, !refused, "{action:?} under {deny}: {report:?}");
    through
}

fn key(chord: &str) -> Action {
    Action::Key { chord: chord.to_owned() }
}

#[test]
fn every_action_has_its_name_and_does_what_it_is_denied_for() {
    for action in samples() {
        let serialised = serde_json::to_value(&action).unwrap();
        assert_eq!(serialised["do"], action.name(), "{action:?}");
        for on in [Platform::Web, Platform::Android, Platform::Desktop] {
            assert!(action.effects(on).contains(action.kind().characteristic()), "{action:?} on {on:?}");
        }
    }
    let sampled: BTreeSet<ActionKind> = samples().iter().map(Action::kind).collect();
    assert_eq!(sampled.len(), ActionKind::ALL.len(), "a kind has no sample");
    assert!(ActionEffect::ALL.len() <= 64);
}

#[tokio::test]
async fn the_guard_refuses_what_the_table_says_and_nothing_else() {
    for on in [Platform::Web, Platform::Android, Platform::Desktop] {
        for action in samples() {
            for name in GuardName::all() {
                let refused = action.effects(on).contains(name.effect());
                assert_eq!(
                    passes(&action, name.name(), on).await,
                    !refused,
                    "{action:?} under {name} on {on:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn no_other_name_is_a_way_around_a_denied_one() {
    let at = Point::new(1.0, 1.0);
    let ctrl = Modifiers { ctrl: true, ..Modifiers::default() };
    let chords = [
        ("navigate", "ctrl+l|alt+d|alt+Home"),
        ("close_tab", "ctrl+w|Control_L + F4|ctrl-shift-w|ctrl+a ctrl+w"),
        ("reload", "F5|f05|ctrl+F5|CTRL-R"),
        ("back", "alt+Left|alt+ArrowLeft|option-left|KEYCODE_BACK"),
        ("forward", "Alt_R+Right"),
        ("home", "keycode_home"),
        ("recents", "KEYCODE_APP_SWITCH"),
        ("new_tab", "ctrl+t|ctrl+n"),
        ("switch_tab", "ctrl+Tab|ctrl+3"),
        ("focus_window", "alt+Tab"),
        ("close_window", "alt+F4"),
        ("type", "h|H|é|ctrl+v|shift+Insert"),
        ("clear", "Backspace|ctrl+x"),
        ("paste", "ctrl+V"),
        ("tap", "Enter|KP_Enter|space|alt+s"),
    ];
    let chords =
        chords.into_iter().flat_map(|(denied, all)| all.split('|').map(move |chord| (denied, key(chord))));
    let around = [
        ("navigate", Action::NewTab { url: Some("http://a.test/".into()) }),
        ("new_tab", Action::Tap { at, clicks: Clicks::Single, button: Button::Middle }),
        ("stop_app", Action::CloseWindow { window: 1 }),
        ("type", Action::Paste { text: "x".into() }),
        ("type", Action::TypeSecret { name: "pw".into() }),
        ("type", Action::Dialog { reply: DialogReply::Accept { text: Some("x".into()) } }),
        ("key", Action::Type { text: "a\n".into() }),
        ("tap", Action::pointer_down(at)),
        ("tap", Action::LongPress { at }),
        ("tap", Action::drag(vec![at, at])),
        ("tap", Action::Swipe { from: at, to: at, ms: 1 }),
        ("tap", Action::Type { text: "\n".into() }),
        ("tap", Action::Type { text: " ".into() }),
        ("tap", Action::Dialog { reply: DialogReply::Accept { text: None } }),
        ("drag", Action::pointer_down(at)),
        ("paste", Action::PointerDown { at, button: Button::Middle }),
        ("back", Action::Tap { at, clicks: Clicks::Single, button: Button::Back }),
        ("new_tab", Action::Drag { path: vec![at, at], button: Button::Left, modifiers: ctrl }),
        ("zoom", Action::Scroll { at, by: ScrollNotches::default(), modifiers: ctrl }),
        ("drag", Action::PointerMove { at }),
        ("drag", Action::Swipe { from: at, to: at, ms: 1 }),
        ("swipe", Action::drag(vec![at, at])),
        ("leave_app", Action::Home),
        ("wait", Action::Shell { command: "sleep 9".into() }),
    ];
    for (denied, action) in around.into_iter().chain(chords) {
        for on in [Platform::Web, Platform::Android, Platform::Desktop] {
            assert!(!passes(&action, denied, on).await, "{action:?} under {denied} on {on:?}");
        }
    }
    assert!(!passes(&Action::scroll(at, ScrollNotches::default()), "tap", Platform::Android).await);
    assert!(!passes(&key("Escape"), "back", Platform::Android).await);
}

#[tokio::test]
async fn what_does_something_else_passes() {
    let at = Point::new(1.0, 1.0);
    let free = [
        ("navigate", Action::NewTab { url: None }),
        ("navigate", Action::Reload),
        ("navigate", key("F5")),
        ("navigate", Action::tap(at)),
        ("back", key("Left")),
        ("close_tab", key("w")),
        ("type", key("Enter")),
        ("type", key("ctrl+a")),
        ("tap", Action::Type { text: "word".into() }),
        ("tap", Action::Hover { at }),
        ("tap", key("Tab")),
        ("drag", Action::Tap { at, clicks: Clicks::Double, button: Button::Left }),
        ("key", Action::Type { text: "two words".into() }),
        ("clear", Action::Type { text: "x".into() }),
    ];
    for (denied, action) in free {
        assert!(passes(&action, denied, Platform::Web).await, "{action:?} under {denied}");
    }
}

#[test]
fn a_chord_of_which_nothing_is_known_does_everything() {
    for chord in
        "|F9|F25|super|super+a|ctrl+alt+t|ctrl+shift+i|KEYCODE_POWER|KEYCODE_CALL|a+b|ctrl+".split('|')
    {
        for on in [Platform::Web, Platform::Android, Platform::Desktop] {
            assert_eq!(key(chord).effects(on), Effects::all(), "{chord}");
        }
    }
    assert_eq!(Action::Type { text: "\u{8}".into() }.effects(Platform::Desktop), Effects::all());
    assert_eq!(key("Tab F9").effects(Platform::Desktop), Effects::all());
}

#[test]
fn names_of_actions_and_effects_are_read_and_written() {
    let all = GuardName::all();
    let names: BTreeSet<&str> = all.iter().map(|name| name.name()).collect();
    assert_eq!(names.len(), all.len());
    for (name, effect) in
        [("tap", "press"), ("swipe", "drag"), ("leave_app", "leave_app"), ("shell", "run_command")]
    {
        assert_eq!(GuardName::parse(name).unwrap().effect().name(), effect);
    }
    let policy: GuardPolicy = serde_json::from_str(r#"{"deny":["navigate"],"ask":["press"]}"#).unwrap();
    assert_eq!(serde_json::to_value(&policy).unwrap()["ask"], serde_json::json!(["press"]));
    assert!(
        serde_json::from_str::<GuardPolicy>(r#"{"deny":["naviagte"]}"#)
            .unwrap_err()
            .to_string()
            .contains("naviagte")
    );
}

#[test]
fn keys_that_are_held_while_pressing_do_more() {
    let held = |text: &str| {
        let placing = Placing::by(Button::Left).held(Modifiers::parse(text).unwrap());
        Placed::of(ActionKind::Tap, placing).effects
    };
    assert_eq!(held(""), Effects::of(&[ActionEffect::Press]));
    assert!(held("ctrl").contains(ActionEffect::NewTab) && held("shift").contains(ActionEffect::NewTab));
    assert!(held("alt").contains(ActionEffect::Save));
    assert_eq!(held("super"), Effects::all());
    assert_eq!(Modifiers::parse("Ctrl+Shift").map(|held| held.to_string()).as_deref(), Some("ctrl+shift"));
    assert_eq!(Modifiers::parse("ctrl+q"), None);
}
