//! Events of mouse, finger and keyboard, put together to inputs.
//!
//! A press and its release are a tap; keys that enter text, one after the other, are one text. So the first events of an
//! input are kept until the rest is there, and clients, which send the rest only then, are answered at once.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::cdp::{SessionId, text};
use crate::keys::{ALT, CTRL, META, SHIFT};
use waldo_devices::action::{Action, Button, Clicks, Modifiers, ScrollNotches};
use waldo_devices::geometry::{Physical, Point};

/// How long after a key the next one still belongs to the same text.
const KEYS_WITHIN: Duration = Duration::from_millis(250);
/// How long a button may be down until that is an input of its own.
const HELD_AFTER: Duration = Duration::from_millis(500);
/// Logical pixels that a pressed pointer may move and still tap.
const SLOP: f64 = 4.0;
/// Logical pixels of one notch of the wheel.
const NOTCH: f64 = 120.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClientCall {
    pub(crate) session: SessionId,
    pub(crate) method: String,
    pub(crate) params: Value,
}

impl ClientCall {
    pub(super) fn told(&self) -> String {
        format!("{} {}", self.method, self.params)
    }
}

/// An input with the calls that it is made of.
#[derive(Debug, PartialEq)]
pub(super) struct WholeInput {
    pub(super) action: Action,
    pub(super) call: String,
    pub(super) calls: Vec<ClientCall>,
}

impl WholeInput {
    pub(super) fn new(action: Action, call: ClientCall) -> Self {
        Self { action, call: call.told(), calls: vec![call] }
    }
}

/// What becomes of an event.
#[derive(Debug, PartialEq)]
pub(super) enum Taken {
    /// It is none that is counted, and goes to the browser.
    Pass,
    /// It is answered, and carried out with what follows.
    Kept,
    /// It makes an input whole, whose answer is its own.
    Whole(WholeInput),
    /// What was kept comes first; then it is to be offered again.
    First(WholeInput),
    Refused(&'static str),
}

#[derive(Debug)]
enum Kept {
    Press {
        at: Point<Physical>,
        button: Button,
        clicks: Clicks,
        modifiers: Modifiers,
        calls: Vec<ClientCall>,
    },
    Text {
        text: String,
        keys: Vec<String>,
        calls: Vec<ClientCall>,
    },
}

/// What of a client's events waits for the rest.
#[derive(Debug)]
pub(super) struct Gestures {
    /// Physical pixels for each logical one.
    scale: f64,
    kept: Option<Kept>,
    due: Option<Instant>,
    is_down: bool,
    /// Where a finger was seen last.
    finger: Point<Physical>,
}

impl Gestures {
    pub(super) fn new(scale: f64) -> Self {
        Self { scale, kept: None, due: None, is_down: false, finger: Point::default() }
    }

    /// When what is kept is to be carried out without the rest.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due.filter(|_| self.kept.is_some())
    }

    /// What is kept, as the input that it is without the rest.
    pub(super) fn flush(&mut self) -> Option<WholeInput> {
        Some(match self.kept.take()? {
            Kept::Press { at, button, calls, .. } => {
                self.is_down = true;
                let call = calls.first().map(ClientCall::told).unwrap_or_default();
                WholeInput { action: Action::PointerDown { at, button }, call, calls }
            }
            Kept::Text { text, keys, calls } => {
                let call =
                    format!("Input.dispatchKeyEvent {}", json!({ "text": text, "events": calls.len() }));
                let action = match text.is_empty() {
                    true => Action::Key { chord: keys.join(" ") },
                    false => Action::Type { text },
                };
                WholeInput { action, call, calls }
            }
        })
    }

    fn place(&self, params: &Value) -> Point<Physical> {
        let at = |name: &str| params[name].as_f64().unwrap_or_default() * self.scale;
        Point::new(at("x"), at("y"))
    }

    /// Takes an event of the domain `Input`.
    pub(super) fn take(&mut self, call: ClientCall) -> Taken {
        let kind = text(&call.params, "type").to_owned();
        match call.method.as_str() {
            "Input.dispatchMouseEvent" => {
                let at = self.place(&call.params);
                match kind.as_str() {
                    "mousePressed" => self.press(at, call),
                    "mouseMoved" => self.moved(at, call),
                    "mouseReleased" => self.released(at, call),
                    "mouseWheel" => {
                        let by = ["deltaX", "deltaY"].map(|name| notches(&call.params[name], 1.0));
                        self.scroll(at, by, call)
                    }
                    _ => Taken::Refused("there is no such event of a mouse"),
                }
            }
            "Input.dispatchTouchEvent" => {
                let points = call.params["touchPoints"].as_array().map(Vec::as_slice).unwrap_or_default();
                match points {
                    [] => {}
                    [one] => self.finger = self.place(one),
                    _ => return Taken::Refused("one finger is served"),
                }
                match kind.as_str() {
                    "touchStart" => self.press(self.finger, call),
                    "touchMove" => self.moved(self.finger, call),
                    _ => self.released(self.finger, call),
                }
            }
            "Input.dispatchDragEvent" => {
                if call.params["data"]["files"].as_array().is_some_and(|files| !files.is_empty()) {
                    return Taken::Refused("files can only be given to a file field");
                }
                if kind != "drop" {
                    return self.first().unwrap_or(Taken::Pass);
                }
                let at = self.place(&call.params);
                self.first().unwrap_or_else(|| {
                    self.is_down = false;
                    let told = format!("{} {}", call.method, json!({ "type": kind, "x": at.x, "y": at.y }));
                    Taken::Whole(WholeInput {
                        action: Action::PointerUp { at },
                        call: told,
                        calls: vec![call],
                    })
                })
            }
            "Input.dispatchKeyEvent" => self.key(&kind, call),
            "Input.insertText" => self.first().unwrap_or_else(|| {
                let text = text(&call.params, "text").to_owned();
                Taken::Whole(WholeInput::new(Action::Type { text }, call))
            }),
            "Input.synthesizeTapGesture" => self.first().unwrap_or_else(|| {
                let clicks = clicks(&call.params["tapCount"]);
                let action = Action::Tap { at: self.place(&call.params), clicks, button: Button::Left };
                Taken::Whole(WholeInput::new(action, call))
            }),
            "Input.synthesizeScrollGesture" => {
                // A distance is that of the content, which goes the other way.
                let by = ["xDistance", "yDistance"].map(|name| notches(&call.params[name], -1.0));
                self.scroll(self.place(&call.params), by, call)
            }
            "Input.setInterceptDrags" | "Input.cancelDragging" => Taken::Pass,
            _ => Taken::Refused("it is not among the inputs that are served"),
        }
    }

    fn first(&mut self) -> Option<Taken> {
        self.flush().map(Taken::First)
    }

    fn press(&mut self, at: Point<Physical>, call: ClientCall) -> Taken {
        if let Some(first) = self.first() {
            return first;
        }
        let (button, clicks) = (button(&call.params), clicks(&call.params["clickCount"]));
        let modifiers = held(&call.params);
        self.kept = Some(Kept::Press { at, button, clicks, modifiers, calls: vec![call] });
        self.due = Some(Instant::now() + HELD_AFTER);
        Taken::Kept
    }

    fn moved(&mut self, to: Point<Physical>, call: ClientCall) -> Taken {
        match &mut self.kept {
            Some(Kept::Press { at, calls, .. }) if at.distance(to) <= SLOP * self.scale => {
                calls.push(call);
                Taken::Kept
            }
            _ => self.first().unwrap_or(Taken::Pass),
        }
    }

    fn released(&mut self, at: Point<Physical>, call: ClientCall) -> Taken {
        match self.kept.take() {
            Some(Kept::Press { at, button, clicks, modifiers, mut calls }) => {
                let action = match modifiers.is_empty() {
                    true => Action::Tap { at, clicks, button },
                    false => Action::TapAt { at, clicks, button, modifiers },
                };
                let told = calls.first().map(ClientCall::told).unwrap_or_default();
                calls.push(call);
                Taken::Whole(WholeInput { action, call: told, calls })
            }
            kept @ Some(Kept::Text { .. }) => {
                self.kept = kept;
                self.first().unwrap_or(Taken::Pass)
            }
            None if std::mem::take(&mut self.is_down) => {
                Taken::Whole(WholeInput::new(Action::PointerUp { at }, call))
            }
            None => Taken::Pass,
        }
    }

    fn scroll(&mut self, at: Point<Physical>, [right, down]: [i32; 2], call: ClientCall) -> Taken {
        self.first().unwrap_or_else(|| {
            let (by, modifiers) = (ScrollNotches { right, down }, held(&call.params));
            Taken::Whole(WholeInput::new(Action::Scroll { at, by, modifiers }, call))
        })
    }

    fn key(&mut self, kind: &str, call: ClientCall) -> Taken {
        let key = text(&call.params, "key");
        let entered = text(&call.params, "text");
        let commands = bits(&call.params) & (CTRL | META) != 0;
        let is_printed = !entered.is_empty() && !entered.chars().any(char::is_control);
        let enters = !commands && (is_printed || entered.is_empty() && key.chars().count() == 1);
        let is_modifier = matches!(key, "Shift" | "Control" | "Alt" | "AltGraph" | "Meta");
        if matches!(self.kept, Some(Kept::Press { .. })) {
            return self.first().unwrap_or(Taken::Pass);
        }
        let is_press = matches!(kind, "keyDown" | "rawKeyDown");
        if enters && (is_press || kind == "char") {
            let (entered, key) = (entered.to_owned(), is_press.then(|| key.to_owned()));
            let none = || Kept::Text { text: String::new(), keys: Vec::new(), calls: Vec::new() };
            if let Kept::Text { text, keys, calls } = self.kept.get_or_insert_with(none) {
                text.push_str(&entered);
                keys.extend(key);
                calls.push(call);
            }
            self.due = Some(Instant::now() + KEYS_WITHIN);
            return Taken::Kept;
        }
        if is_press && !is_modifier {
            return self.first().unwrap_or_else(|| {
                Taken::Whole(WholeInput::new(Action::Key { chord: chord(&call.params) }, call))
            });
        }
        match &mut self.kept {
            Some(Kept::Text { calls, .. }) => {
                calls.push(call);
                Taken::Kept
            }
            _ => Taken::Pass,
        }
    }
}

fn bits(params: &Value) -> u8 {
    params["modifiers"].as_u64().and_then(|bits| u8::try_from(bits).ok()).unwrap_or_default()
}

fn held(params: &Value) -> Modifiers {
    let has = |bit: u8| bits(params) & bit != 0;
    Modifiers { ctrl: has(CTRL), alt: has(ALT), shift: has(SHIFT), meta: has(META) }
}

fn button(params: &Value) -> Button {
    match text(params, "button") {
        "right" => Button::Right,
        "middle" => Button::Middle,
        "back" => Button::Back,
        "forward" => Button::Forward,
        _ => Button::Left,
    }
}

fn clicks(count: &Value) -> Clicks {
    match count.as_u64() {
        Some(2) => Clicks::Double,
        Some(3..) => Clicks::Triple,
        _ => Clicks::Single,
    }
}

fn notches(pixels: &Value, sign: f64) -> i32 {
    let pixels = pixels.as_f64().unwrap_or_default() * sign;
    let whole = (pixels / NOTCH).round();
    let least = if pixels == 0.0 { 0.0 } else { pixels.signum() };
    let count = if whole == 0.0 { least } else { whole };
    count.clamp(-1000.0, 1000.0) as i32
}

/// A key with what is held, as actions name it.
fn chord(params: &Value) -> String {
    let key = match text(params, "key") {
        "" => text(params, "code"),
        " " => "Space",
        "+" => "plus",
        key => key,
    };
    let key = if key.is_empty() { "Unidentified" } else { key };
    let held = held(params).to_string();
    if held.is_empty() { key.to_owned() } else { format!("{held}+{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(method: &str, params: Value) -> ClientCall {
        ClientCall { session: "s".into(), method: format!("Input.{method}"), params }
    }

    fn mouse(kind: &str, x: f64) -> ClientCall {
        call("dispatchMouseEvent", json!({ "type": kind, "x": x, "y": 5, "button": "left", "clickCount": 1 }))
    }

    fn key(kind: &str, key: &str, text: &str, modifiers: u8) -> ClientCall {
        call("dispatchKeyEvent", json!({ "type": kind, "key": key, "text": text, "modifiers": modifiers }))
    }

    fn whole(taken: Taken) -> (Action, usize) {
        match taken {
            Taken::Whole(input) | Taken::First(input) => (input.action, input.calls.len()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_press_and_its_release_are_a_tap() {
        let mut gestures = Gestures::new(2.0);
        assert_eq!(gestures.take(mouse("mouseMoved", 9.0)), Taken::Pass);
        assert_eq!(gestures.take(mouse("mousePressed", 10.0)), Taken::Kept);
        assert_eq!(gestures.take(mouse("mouseMoved", 12.0)), Taken::Kept);
        let tap = Action::tap(Point::new(20.0, 10.0));
        assert_eq!(whole(gestures.take(mouse("mouseReleased", 12.0))), (tap, 3));
        assert_eq!(gestures.take(mouse("mouseReleased", 12.0)), Taken::Pass);
    }

    #[test]
    fn a_drag_is_held_from_its_first_move_to_its_release() {
        let mut gestures = Gestures::new(1.0);
        gestures.take(mouse("mousePressed", 10.0));
        let down = Action::PointerDown { at: Point::new(10.0, 5.0), button: Button::Left };
        assert_eq!(whole(gestures.take(mouse("mouseMoved", 30.0))), (down, 1));
        assert_eq!(gestures.take(mouse("mouseMoved", 30.0)), Taken::Pass);
        let up = Action::PointerUp { at: Point::new(40.0, 5.0) };
        assert_eq!(whole(gestures.take(mouse("mouseReleased", 40.0))), (up, 1));
    }

    #[test]
    fn keys_that_enter_text_run_together_and_others_do_not() {
        let mut gestures = Gestures::new(1.0);
        // As Playwright types, as browser-use does, and with Shift held.
        for event in [
            key("keyDown", "h", "h", 0),
            key("keyUp", "h", "", 0),
            key("keyDown", "i", "", 0),
            key("char", "i", "i", 0),
            key("keyUp", "i", "", 0),
            key("rawKeyDown", "Shift", "", 8),
            key("keyDown", "!", "!", 8),
        ] {
            assert_eq!(gestures.take(event), Taken::Kept);
        }
        let enter = || key("keyDown", "Enter", "\r", 0);
        assert_eq!(whole(gestures.take(enter())), (Action::Type { text: "hi!".to_owned() }, 7));
        assert_eq!(whole(gestures.take(enter())), (Action::Key { chord: "Enter".to_owned() }, 1));
        assert_eq!(gestures.take(key("char", "Enter", "\r", 0)), Taken::Pass);
        assert_eq!(gestures.take(key("rawKeyDown", "Control", "", 2)), Taken::Pass);
        let all = whole(gestures.take(key("keyDown", "a", "", 2)));
        assert_eq!(all, (Action::Key { chord: "ctrl+a".to_owned() }, 1));
    }

    #[test]
    fn files_fingers_and_what_is_unknown_are_refused() {
        let mut gestures = Gestures::new(1.0);
        let drop = json!({ "type": "drop", "x": 1, "y": 1, "data": { "files": ["/etc/passwd"] } });
        assert!(matches!(gestures.take(call("dispatchDragEvent", drop)), Taken::Refused(_)));
        let two = json!({ "type": "touchStart", "touchPoints": [{ "x": 1, "y": 1 }, { "x": 2, "y": 2 }] });
        assert!(matches!(gestures.take(call("dispatchTouchEvent", two)), Taken::Refused(_)));
        assert!(matches!(gestures.take(call("setIgnoreInputEvents", json!({}))), Taken::Refused(_)));
        let wheel = json!({ "type": "mouseWheel", "x": 1, "y": 1, "deltaX": 0, "deltaY": -30 });
        let (action, _) = whole(gestures.take(call("dispatchMouseEvent", wheel)));
        assert!(
            matches!(action, Action::Scroll { by: ScrollNotches { right: 0, down: -1 }, .. }),
            "{action:?}"
        );
    }
}
