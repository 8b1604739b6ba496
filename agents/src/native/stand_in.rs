//! The reference *model* for the agent native: it knows the task's solution and where its elements are, and answers in
//! the form and the coordinates of a profile.
//!
//! Everything between a profile and the device is thus run without a model: the picture as it is sent, the messages, the
//! reply, its places. What its coordinates count is read from the picture that came in the request, never from the
//! screen. Where the actions of a profile do not cover a solution, the episode is given up at once, with the reason.

use std::io::Cursor as Bytes;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};
use waldo_devices::{
    ActionPlace, Arg, Button, Clicks, Deadline, DeviceInfo, Direction, Distance, Modifiers, Tag, Tool,
};
use waldo_native::{PlaceShares, Profile, Wish, WriteError};

use super::agent::{Native, NativeOptions};
use crate::agent::{Agent, Brief, Choice, Decision, Fence, Turn, View};
use crate::error::{ModelError, Result};
use crate::model::{MessagePart, ModelClient, ModelReply, ModelRequest};
use crate::reference::agent::{LOOKS, items, patience};
use crate::reference::{Move, ReferenceProgress, Step, Verb};

/// Logical pixels of a notch, for a finger.
const NOTCH: f64 = 120.0;
/// The picture in which it is tried whether a profile covers a solution.
const TRIAL: (u32, u32) = (1000, 1000);

pub struct ReferenceNative {
    inner: Native,
    model: Arc<ReferenceSight>,
    steps: Arc<[Step]>,
    /// Why the profile cannot play the task.
    not_covered: Option<String>,
}

impl ReferenceNative {
    pub fn new(options: NativeOptions) -> Self {
        let model =
            Arc::new(ReferenceSight { profile: Arc::clone(&options.profile), known: Mutex::default() });
        let inner = Native::new(Arc::clone(&model) as Arc<dyn ModelClient>, options);
        Self { inner, model, steps: Arc::default(), not_covered: None }
    }
}

#[async_trait]
impl Agent for ReferenceNative {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn fence(&self) -> Fence {
        self.inner.fence()
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        self.steps = Arc::clone(&brief.reference);
        self.not_covered = uncovered(&self.model.profile, &brief.device, &self.steps);
        *self.model.known() = Known { device: Some(brief.device.clone()), ..Known::default() };
        self.inner.begin(brief)
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        if let Some(reason) = &self.not_covered {
            return Ok(Decision::of(Choice::GiveUp { reason: reason.clone() }));
        }
        // What it answers counts as done only where it is asked: a reply may have been of several calls.
        let next = next(&self.model.profile, &self.steps, self.model.known().progress, turn);
        self.model.known().next = Some(next);
        self.inner.decide(turn).await
    }
}

/// What the stand-in answers next, and where the solution stands after it.
type Next = (Vec<Wish>, ReferenceProgress);

#[derive(Default)]
struct Known {
    device: Option<DeviceInfo>,
    progress: ReferenceProgress,
    next: Option<Next>,
}

/// A model that knows what is to be done, and sees of the screen what it is sent.
struct ReferenceSight {
    profile: Arc<Profile>,
    known: Mutex<Known>,
}

impl ReferenceSight {
    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &ModelRequest) -> Result<String, String> {
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let png = parts
            .filter_map(|part| if let MessagePart::Png(png) = part { Some(png) } else { None })
            .next_back();
        let png = png.ok_or("the request has no picture")?;
        let picture = image::ImageReader::with_format(Bytes::new(&png[..]), image::ImageFormat::Png);
        let sent = picture.into_dimensions().map_err(|error| error.to_string())?;
        let mut known = self.known();
        let Some((wishes, progress)) = known.next.take() else {
            let last = request.messages.last().and_then(|message| message.parts.last());
            let words = if let Some(MessagePart::Text(words)) = last {
                words.as_str()
            } else {
                "asked twice for one step"
            };
            return Err(words.to_owned());
        };
        let device = known.device.as_ref().ok_or("no episode has begun")?;
        let text = self.profile.write(&wishes, device, sent).map_err(|error| error.to_string())?;
        known.progress = progress;
        Ok(text)
    }
}

#[async_trait]
impl ModelClient for ReferenceSight {
    fn model(&self) -> &str {
        "reference"
    }

    async fn complete(&self, request: &ModelRequest, _: Deadline) -> Result<ModelReply, ModelError> {
        let text = self.answer(request).map_err(|why| ModelError::StandIn { message: why })?;
        Ok(ModelReply { text, ..ModelReply::default() })
    }
}

/// Why a profile's actions do not cover a solution on a device; `None` where they do.
fn uncovered(profile: &Profile, device: &DeviceInfo, steps: &[Step]) -> Option<String> {
    let trial = Places { at: [0.5; 2], to: [0.5; 2], path: vec![[0.5; 2]; 2], notch: [0.1; 2] };
    let all = steps.iter().map(|step| {
        let path = step.path.as_ref().map_or(2, Vec::len);
        wishes(step, &Places { path: vec![[0.5; 2]; path], ..trial.clone() }, profile, device)
    });
    let ends = std::iter::once(vec![Wish::Finish { answer: None }]);
    all.chain(ends).find_map(|wishes| match profile.write(&wishes, device, TRIAL) {
        Err(error @ WriteError::NotCovered { .. }) => Some(error.to_string()),
        _ => None,
    })
}

fn next(profile: &Profile, steps: &[Step], progress: ReferenceProgress, turn: &Turn<'_>) -> Next {
    let (view, device) = (turn.view, turn.device);
    let (next, after) = progress.cursor.next(steps, &items(view));
    let moved = ReferenceProgress { cursor: after, looks: 0 };
    match next {
        Move::Done => (vec![Wish::Finish { answer: None }], moved),
        Move::Missing { .. } if progress.looks >= LOOKS => (vec![Wish::Finish { answer: None }], progress),
        Move::Missing { .. } => {
            let look = ReferenceProgress { looks: progress.looks + 1, ..progress };
            #[expect(clippy::cast_precision_loss, reason = "seconds")]
            let seconds = patience(progress.looks) as f64 / 1000.0;
            (vec![Wish::Wait { seconds }], look)
        }
        Move::Free(step) => (wishes(&step, &Places::of(&step, None, None, view), profile, device), moved),
        Move::On { step, tag, to } => {
            (wishes(&step, &Places::of(&step, Some(tag), to, view), profile, device), moved)
        }
    }
}

/// Where a step's elements are, as shares of the picture.
#[derive(Clone)]
struct Places {
    at: PlaceShares,
    to: PlaceShares,
    path: Vec<PlaceShares>,
    notch: PlaceShares,
}

impl Places {
    fn of(step: &Step, tag: Option<Tag>, to: Option<Tag>, view: &View) -> Self {
        let geometry = view.observation.geometry;
        let (w, h) = (geometry.physical.w.max(1.0), geometry.physical.h.max(1.0));
        let place = |tag: Option<Tag>, at: Option<[f64; 2]>| {
            let element = tag.and_then(|tag| view.element(tag))?;
            let point = ActionPlace::on(element, at.map(|[x, y]| [x * 100.0, y * 100.0])).point;
            Some([point.x / w, point.y / h])
        };
        let path = step.path.iter().flatten().filter_map(|at| place(tag, Some(*at))).collect();
        Self {
            at: place(tag, step.at).unwrap_or([0.5; 2]),
            to: place(to, step.to.as_ref().and_then(|to| to.at)).unwrap_or([0.5; 2]),
            path,
            notch: [NOTCH * geometry.scale / w, NOTCH * geometry.scale / h],
        }
    }
}

/// What a step comes to for somebody who has a picture, a pointer and keys.
fn wishes(step: &Step, places: &Places, profile: &Profile, device: &DeviceInfo) -> Vec<Wish> {
    let text = || step.text.clone().unwrap_or_default();
    let tool = match step.verb {
        Verb::Answer => return vec![Wish::Finish { answer: Some(text()) }],
        Verb::Infeasible => return vec![Wish::Fail { reason: text() }],
        Verb::Do(tool) => tool,
    };
    let at = places.at;
    let press = |clicks, button| Wish::Press { at, clicks, button, modifiers: Modifiers::default() };
    let plain = || press(Clicks::Single, Button::Left);
    let keys = |chord: &str| Wish::Keys { chord: chord.to_owned() };
    let own = |at: Option<&'static str>, with: Vec<(&'static str, Value)>| {
        vec![Wish::Do { tool, at: at.map(|parameter| (parameter, places.at)), with }]
    };
    let call = step.call(Some(Tag(0)), step.to.as_ref().map(|_| Tag(0)));
    let arg = |name: &str| call.as_ref().and_then(|call| call.arg(name)).cloned();
    match tool {
        Tool::Tap => vec![plain()],
        Tool::DoubleTap => vec![press(Clicks::Double, Button::Left)],
        Tool::TripleTap => vec![press(Clicks::Triple, Button::Left)],
        Tool::RightTap => vec![press(Clicks::Single, Button::Right)],
        Tool::TapAt => {
            let clicks = if let Some(Arg::Clicks(clicks)) = arg("clicks") { clicks } else { Clicks::Single };
            let button = if let Some(Arg::Button(button)) = arg("button") { button } else { Button::Left };
            let held = arg("modifiers");
            let modifiers = if let Some(Arg::Modifiers(held)) = held { held } else { Modifiers::default() };
            vec![Wish::Press { at, clicks, button, modifiers }]
        }
        Tool::Type => vec![Wish::Type { text: text() }],
        Tool::Key => vec![keys(step.chord.as_deref().unwrap_or_default())],
        Tool::Enter => vec![keys("Enter")],
        Tool::Clear => vec![plain(), keys("ctrl+a"), keys("Delete")],
        Tool::Fill => vec![plain(), keys("ctrl+a"), Wish::Type { text: text() }],
        Tool::Drag | Tool::DragPath => {
            let path = if places.path.is_empty() { vec![at, places.to] } else { places.path.clone() };
            vec![Wish::Drag { path }]
        }
        Tool::Scroll | Tool::Swipe => {
            let towards =
                call.as_ref().and_then(waldo_devices::ToolCall::direction).unwrap_or(Direction::Down);
            let (direction, notches) = match (tool, arg("notches")) {
                // The content follows the finger, so the view moves the other way.
                (Tool::Swipe, _) => {
                    (towards.opposite(), u32::from(step.far.unwrap_or(Distance::Medium).units()) * 3)
                }
                (_, Some(Arg::Number(notches))) => (towards, notches),
                _ => (towards, 5),
            };
            vec![Wish::Scroll { at, direction, notches, notch: places.notch }]
        }
        Tool::Wait => vec![Wish::Wait { seconds: 0.5 }],
        Tool::Select => {
            let option = step.option.clone().unwrap_or_default();
            let named = own(Some("element"), vec![("option", json!(option))]);
            match profile.write(&named, device, TRIAL) {
                Ok(_) => named,
                // As people do it by keys: the list goes to what begins with the letters.
                Err(_) => vec![plain(), Wish::Type { text: option }, keys("Enter")],
            }
        }
        Tool::LongPress | Tool::Hover => own(Some("element"), Vec::new()),
        Tool::OpenApp => own(None, vec![("app", json!(step.app))]),
        Tool::Navigate => own(None, vec![("url", json!(step.url))]),
        Tool::AskUser | Tool::CallTool => {
            let names = tool.spec().params.iter().map(|param| param.name);
            own(None, names.filter_map(|name| Some((name, step.with.get(name)?.clone()))).collect())
        }
        _ => own(None, Vec::new()),
    }
}

#[cfg(test)]
#[path = "stand_in_tests.rs"]
mod tests;
