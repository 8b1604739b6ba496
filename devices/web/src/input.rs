//! Mouse and keyboard.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use futures::future::{MaybeDone, maybe_done};
use serde_json::{Value, json};

use super::keys::{self, MODIFIERS, WebChord, WebKey, modifier_key};
use super::live::{BrowserSession, PageAnswer};
use super::state::{ContextState, Front};
use waldo_devices::geometry::along;
use waldo_devices::{Button, Clicks, Deadline, Logical, Modifiers, Point, Result, ScrollNotches};

/// Logical pixels of one notch.
const NOTCH: f64 = 120.0;
/// Text up to this many characters is typed key by key; longer text is inserted.
const KEYED_MAX: usize = 200;
const HOLD: Duration = Duration::from_secs(1);
/// How long the answer to a key may take once a tab has come or gone: a browser with windows that takes a chord for
/// itself, and opens a tab for it, answers nothing.
const TAKEN: Duration = Duration::from_secs(1);
/// How long what is carried rests where it is dropped: as often a browser tells of a pointer that rests.
const DROP_RESTS: Duration = Duration::from_millis(50);
/// How long a drag of something draggable may take to begin.
const DRAG_BEGINS: Duration = Duration::from_millis(300);

pub(crate) type InputResult = Result<PageAnswer<()>>;
type CallAnswer = Result<PageAnswer<Value>>;

pub(crate) const KEY_EVENT: &str = "Input.dispatchKeyEvent";

struct InputCall<F: Future> {
    is_key: bool,
    answer: Pin<Box<MaybeDone<F>>>,
}

/// Sends all events in their order, and waits for the answers but those of the last `missing` key events.
async fn answered<F: Future<Output = CallAnswer>>(calls: &mut [InputCall<F>], missing: usize) {
    let keys = calls.iter().filter(|call| call.is_key).count();
    poll_fn(|cx| {
        let mut key = 0;
        let mut waits = false;
        for call in calls.iter_mut() {
            key += usize::from(call.is_key);
            let is_due = !call.is_key || key + missing <= keys;
            // Each is polled, whether its answer is due or not: that sends it.
            waits |= call.answer.as_mut().poll(cx).is_pending() && is_due;
        }
        if waits { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

fn outcome<F: Future<Output = CallAnswer>>(calls: Vec<InputCall<F>>) -> InputResult {
    for mut call in calls {
        if matches!(call.answer.as_mut().take_output().transpose()?, Some(PageAnswer::Dialog)) {
            return Ok(PageAnswer::Dialog);
        }
    }
    Ok(PageAnswer::Done(()))
}

#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) live: &'a BrowserSession,
    pub(crate) front: &'a Front,
    pub(crate) deadline: Deadline,
    pub(crate) modifiers: u8,
}

/// A button by its name, and its bit among those that are down.
pub(crate) fn named(button: Button) -> (&'static str, u8) {
    match button {
        Button::Left => ("left", 1),
        Button::Right => ("right", 2),
        Button::Middle => ("middle", 4),
        Button::Back => ("back", 8),
        Button::Forward => ("forward", 16),
    }
}

pub(crate) fn mouse(kind: &str, at: Point<Logical>, button: &str, buttons: u8, clicks: u8) -> Value {
    json!({
        "type": kind, "x": at.x, "y": at.y, "button": button, "buttons": buttons,
        "clickCount": clicks, "pointerType": "mouse",
    })
}

pub(crate) fn key_event(kind: &str, key: &WebKey, modifiers: u8) -> Value {
    let mut event = json!({
        "type": kind, "modifiers": modifiers, "key": key.key, "code": key.code,
        "windowsVirtualKeyCode": key.vk, "nativeVirtualKeyCode": key.vk,
    });
    if key.code.starts_with("Numpad") {
        event["isKeypad"] = true.into();
        event["location"] = 3.into();
    }
    if kind == "keyDown" && !key.text.is_empty() {
        event["text"] = Value::from(key.text.as_str());
        event["unmodifiedText"] = Value::from(key.text.as_str());
    }
    event
}

impl<'a> Input<'a> {
    pub(crate) fn new(live: &'a BrowserSession, front: &'a Front, deadline: Deadline) -> Self {
        Self { live, front, deadline, modifiers: 0 }
    }

    /// Sends events in one go; the browser keeps their order.
    pub(crate) async fn send(&self, events: Vec<(&'static str, Value)>) -> InputResult {
        let mut calls = self.calls(events);
        answered(&mut calls, self.unanswered_keys()).await;
        outcome(calls)
    }

    fn calls(&self, events: Vec<(&'static str, Value)>) -> Vec<InputCall<impl Future<Output = CallAnswer>>> {
        let call = |(method, mut params): (&'static str, Value)| {
            if self.modifiers != 0 && method != KEY_EVENT {
                params["modifiers"] = self.modifiers.into();
            }
            (method, params)
        };
        let call = |event| {
            let (method, params) = call(event);
            InputCall {
                is_key: method == KEY_EVENT,
                answer: Box::pin(maybe_done(self.live.call(self.front, method, params, self.deadline))),
            }
        };
        events.into_iter().map(call).collect()
    }

    /// How many answers to key events the browser is behind in this tab.
    ///
    /// It answers key events in turn, and never one that it takes for itself and opens a tab for. So from then on an
    /// answer is that of an earlier event, and as many of the last events have none until further ones come.
    fn unanswered_keys(&self) -> usize {
        let tab = |state: &ContextState| {
            state.tabs.iter().find(|tab| tab.target == self.front.target).map(|tab| tab.unanswered_keys)
        };
        self.live.shared().with(tab).unwrap_or(0)
    }

    pub(crate) async fn mouse(&self, event: Value) -> InputResult {
        self.send(vec![("Input.dispatchMouseEvent", event)]).await
    }

    pub(crate) async fn tap(
        &self,
        at: Point<Logical>,
        clicks: Clicks,
        button: Button,
        modifiers: Modifiers,
    ) -> InputResult {
        let (name, bit) = named(button);
        let times = match clicks {
            Clicks::Single => 1,
            Clicks::Double => 2,
            Clicks::Triple => 3,
        };
        let mut events = vec![mouse("mouseMoved", at, "none", 0, 0)];
        for n in 1..=times {
            events.push(mouse("mousePressed", at, name, bit, n));
            events.push(mouse("mouseReleased", at, name, 0, n));
        }
        let events: Vec<_> = events.into_iter().map(|event| ("Input.dispatchMouseEvent", event)).collect();
        self.with_keys(modifiers, |input| async move { input.send(events).await }).await
    }

    pub(crate) async fn long_press(&self, at: Point<Logical>) -> InputResult {
        let move_there = mouse("mouseMoved", at, "none", 0, 0);
        let press = mouse("mousePressed", at, "left", 1, 1);
        let events = vec![("Input.dispatchMouseEvent", move_there), ("Input.dispatchMouseEvent", press)];
        if let PageAnswer::Dialog = self.send(events).await? {
            return Ok(PageAnswer::Dialog);
        }
        // The holding is the action itself.
        tokio::time::sleep(HOLD.min(self.deadline.left() / 2)).await;
        self.mouse(mouse("mouseReleased", at, "left", 0, 1)).await
    }

    pub(crate) async fn hover(&self, at: Point<Logical>) -> InputResult {
        self.mouse(mouse("mouseMoved", at, "none", 0, 0)).await
    }

    pub(crate) async fn scroll(
        &self,
        at: Point<Logical>,
        by: ScrollNotches,
        modifiers: Modifiers,
    ) -> InputResult {
        let mut wheel = mouse("mouseWheel", at, "none", 0, 0);
        wheel["deltaX"] = Value::from(f64::from(by.right) * NOTCH);
        wheel["deltaY"] = Value::from(f64::from(by.down) * NOTCH);
        self.with_keys(modifiers, |input| async move { input.mouse(wheel).await }).await
    }

    /// Drags along `path`; what the page gives to drag and drop is carried to the last point.
    pub(crate) async fn drag(
        &self,
        path: &[Point<Logical>],
        button: Button,
        modifiers: Modifiers,
    ) -> InputResult {
        let (Some(&start), Some(&end)) = (path.first(), path.last()) else { return Ok(PageAnswer::Done(())) };
        let script = format!("__waldo.draggableAt({}, {})", start.x, start.y);
        let (target, session) = (&self.front.target, &self.front.session);
        let draggable = self.live.evaluate(target, target, session, &script, self.deadline).await?;
        let PageAnswer::Done(draggable) = draggable else { return Ok(PageAnswer::Dialog) };
        let draggable = draggable == Value::Bool(true) && button.is_main();
        self.live.shared().update(|state| {
            if let Some(tab) = state.tab(target) {
                tab.drag = None;
            }
        });
        let intercept = async |enabled: bool| {
            let params = json!({ "enabled": enabled });
            self.live.call(self.front, "Input.setInterceptDrags", params, self.deadline).await
        };
        intercept(true).await?;
        let drag = |input: Self| async move { input.drag_held(path, (start, end), button, draggable).await };
        let result = self.with_keys(modifiers, drag).await;
        // Also after a failure: a later drag decides for itself.
        intercept(false).await?;
        result
    }

    async fn drag_held(
        &self,
        path: &[Point<Logical>],
        (start, end): (Point<Logical>, Point<Logical>),
        button: Button,
        draggable: bool,
    ) -> InputResult {
        let (name, bit) = named(button);
        let events = vec![
            ("Input.dispatchMouseEvent", mouse("mouseMoved", start, "none", 0, 0)),
            ("Input.dispatchMouseEvent", mouse("mousePressed", start, name, bit, 1)),
        ];
        if let PageAnswer::Dialog = self.send(events).await? {
            return Ok(PageAnswer::Dialog);
        }
        let mut carried: Option<Value> = None;
        for (n, at) in steps(path).into_iter().enumerate() {
            match &carried {
                Some(data) => {
                    let over = json!({ "type": "dragOver", "x": at.x, "y": at.y, "data": data });
                    if let PageAnswer::Dialog = self.send(vec![("Input.dispatchDragEvent", over)]).await? {
                        return Ok(PageAnswer::Dialog);
                    }
                }
                None => {
                    if let PageAnswer::Dialog = self.mouse(mouse("mouseMoved", at, name, bit, 1)).await? {
                        return Ok(PageAnswer::Dialog);
                    }
                    // The browser tells of a drag a moment after the move that began it.
                    let wait = if draggable && n == 2 { DRAG_BEGINS } else { Duration::ZERO };
                    let until = self.deadline.at_most(wait).instant();
                    let target = &self.front.target;
                    carried = self
                        .live
                        .shared()
                        .until(until, |state| {
                            state
                                .tabs
                                .iter()
                                .find(|tab| &tab.target == target)
                                .and_then(|tab| tab.drag.clone())
                        })
                        .await;
                    if let Some(data) = &carried {
                        let enter = json!({ "type": "dragEnter", "x": at.x, "y": at.y, "data": data });
                        let over = json!({ "type": "dragOver", "x": at.x, "y": at.y, "data": data });
                        let both =
                            vec![("Input.dispatchDragEvent", enter), ("Input.dispatchDragEvent", over)];
                        if let PageAnswer::Dialog = self.send(both).await? {
                            return Ok(PageAnswer::Dialog);
                        }
                    }
                }
            }
        }
        if let Some(data) = carried {
            // Lists that make room for what is carried look away for a moment after it (SortableJS for 30 ms); a browser
            // tells again and again where a pointer rests.
            tokio::time::sleep(DROP_RESTS).await;
            for kind in ["dragOver", "drop"] {
                let event = json!({ "type": kind, "x": end.x, "y": end.y, "data": data });
                if let PageAnswer::Dialog = self.send(vec![("Input.dispatchDragEvent", event)]).await? {
                    return Ok(PageAnswer::Dialog);
                }
            }
        }
        self.mouse(mouse("mouseReleased", end, name, 0, 1)).await
    }

    pub(crate) async fn press_all(&self, chords: &[WebChord]) -> InputResult {
        for chord in chords {
            if let PageAnswer::Dialog = self.press(chord).await? {
                return Ok(PageAnswer::Dialog);
            }
        }
        Ok(PageAnswer::Done(()))
    }

    pub(crate) async fn press(&self, chord: &WebChord) -> InputResult {
        let mut events = Vec::new();
        let mut held = 0;
        let pressed = MODIFIERS.iter().filter(|(bit, ..)| chord.modifiers & bit != 0);
        let key_of = modifier_key;
        for modifier in pressed.clone() {
            held |= modifier.0;
            events.push(key_event("rawKeyDown", &key_of(modifier), held));
        }
        if let Some(key) = &chord.key {
            let kind = if key.text.is_empty() { "rawKeyDown" } else { "keyDown" };
            let mut down = key_event(kind, key, held);
            if let Some(command) = editing_command(chord) {
                down["commands"] = json!([command]);
            }
            events.push(down);
            events.push(key_event("keyUp", key, held));
        }
        for modifier in pressed.rev() {
            held &= !modifier.0;
            events.push(key_event("keyUp", &key_of(modifier), held));
        }
        let shared = self.live.shared();
        let tabs = |state: &ContextState| (state.tab_changes, state.turned_away);
        let before = shared.with(|state| tabs(state));
        let missing = self.unanswered_keys();
        let mut calls = self.calls(events.into_iter().map(|event| (KEY_EVENT, event)).collect());
        let changed = shared.until(self.deadline.instant(), |state| (tabs(state) != before).then_some(()));
        let taken = tokio::select! {
            () = answered(&mut calls, missing) => None,
            Some(()) = changed => Some(tokio::time::timeout(TAKEN, answered(&mut calls, missing)).await),
        };
        if let Some(Err(_)) = taken {
            let open = calls.iter().filter(|call| matches!(*call.answer, MaybeDone::Future(_))).count();
            shared.update(|state| {
                if let Some(tab) = state.tab(&self.front.target) {
                    tab.unanswered_keys = tab.unanswered_keys.max(open);
                }
            });
        }
        outcome(calls)
    }

    pub(crate) async fn type_text(&self, text: &str) -> InputResult {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let keyed = text.chars().count() <= KEYED_MAX;
        let mut events = Vec::new();
        let mut run = String::new();
        let flush = |run: &mut String, events: &mut Vec<(&'static str, Value)>| {
            if !run.is_empty() {
                events.push(("Input.insertText", json!({ "text": std::mem::take(run) })));
            }
        };
        for c in text.chars() {
            match keys::of_char(c).filter(|_| keyed || matches!(c, '\n' | '\t')) {
                Some((key, shift)) => {
                    flush(&mut run, &mut events);
                    let kind = if key.text.is_empty() { "rawKeyDown" } else { "keyDown" };
                    events.push((KEY_EVENT, key_event(kind, &key, shift)));
                    events.push((KEY_EVENT, key_event("keyUp", &key, shift)));
                }
                None => run.push(c),
            }
        }
        flush(&mut run, &mut events);
        self.send(events).await
    }
}

/// The editing command of a chord, where the platform's keyboard does not make it itself.
fn editing_command(chord: &WebChord) -> Option<&'static str> {
    let main = if cfg!(target_os = "macos") { keys::META } else { keys::CTRL };
    let key = chord.key.as_ref()?;
    match (key.key.as_str(), chord.modifiers) {
        ("a", m) if m == main => Some("selectAll"),
        _ => None,
    }
}

/// The points of a drag after the first: corners and enough between them for pages that watch the way. A page answers each of
/// them with a frame, so a drag from one place to another has fewer than a line that is drawn.
pub(crate) fn steps(path: &[Point<Logical>]) -> Vec<Point<Logical>> {
    let (apart, most) = if path.len() == 2 { (40.0, 12) } else { (15.0, 24) };
    // Drop targets look where the pointer rests.
    along(path, apart, 4, most).chain(path.last().copied()).collect()
}
