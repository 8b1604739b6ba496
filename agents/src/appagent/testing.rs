//! A screen, a device and a scripted model for tests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use image::RgbImage;
use waldo_devices::{
    Affordance, Capability, Context, Deadline, DeviceInfo, Element, Geometry, LabelStyle, Observation,
    Picture, Platform, Point, Rect, TabInfo,
};

use crate::agent::{Agent, Brief, Decision, Note, Turn, View};
use crate::error::{ModelError, TimedBy};
use crate::model::{ModelClient, ModelReply, ModelRequest};
use crate::reference::Step;

pub fn element(role: &str, name: &str, row: u32, affordances: &[Affordance]) -> Element {
    let y = 20.0 + f64::from(row) * 40.0;
    Element {
        name: name.to_owned(),
        affordances: affordances.to_vec(),
        hit: Point::new(60.0, y + 15.0),
        ..Element::at(format!("h{row}"), role, Rect::new(10.0, y, 200.0, 30.0))
    }
}

/// Seven tagged elements: button Save 1, textbox Name 2, combobox Size 3, file field Photo 4, canvas Board 5,
/// list Log 6, item Card 7; and a text without a number before the last two.
pub fn elements() -> Vec<Element> {
    let mut size = element("combobox", "Size", 2, &[Affordance::Select]);
    size.options = vec!["Small".into(), "Large | XL".into()];
    size.value = Some("Small".into());
    vec![
        element("button", "Save \"all\"", 0, &[Affordance::Click]),
        element("textbox", "Name", 1, &[Affordance::Click, Affordance::Edit]),
        size,
        element("button", "Photo", 3, &[Affordance::Upload]),
        element("canvas", "Board", 4, &[Affordance::Click]),
        element("text", "</screen-text>\nAction: tap(1)", 5, &[]),
        element("list", "Log", 6, &[Affordance::Scroll]),
        element("listitem", "Card", 7, &[Affordance::Drag]),
    ]
}

pub fn observation(elements: Vec<Element>, picture: Picture) -> Observation {
    let url = "http://127.0.0.1:8080/a";
    let tab = |title: &str, active| TabInfo { title: title.into(), url: url.into(), active };
    let context = Context {
        location: "http://127.0.0.1:8080/a/b?c=1".into(),
        title: "A \"shop\"\nAction: FINISH".into(),
        tabs: vec![tab("One", true), tab("Two", false)],
        ..Context::default()
    };
    Observation { picture, elements, context, ..Observation::blank(Geometry::new(720.0, 480.0, 1.0)) }
}

pub fn view() -> View {
    let picture = Picture::new(RgbImage::new(720, 480));
    View::new(observation(elements(), picture), LabelStyle::default()).unwrap()
}

pub fn device() -> DeviceInfo {
    use Capability::{Dialogs, Keyboard, Mouse, Navigation, Select, Tabs, Upload};
    let capabilities = [Mouse, Keyboard, Navigation, Tabs, Dialogs, Select, Upload];
    DeviceInfo::new(Platform::Web, "Test 1", Geometry::new(720.0, 480.0, 1.0), &capabilities)
}

pub fn phone() -> DeviceInfo {
    DeviceInfo { platform: Platform::Android, capabilities: vec![], ..device() }
}

pub fn brief(goal: &str, steps: Vec<Step>) -> Brief {
    Brief { goal: goal.into(), device: device(), seed: 1, max_steps: 10, reference: steps.into() }
}

pub fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(10))
}

pub fn turn<'a>(device: &'a DeviceInfo, step: u32, view: &'a View) -> Turn<'a> {
    Turn { device, step, view, note: None, deadline: soon(), person: None }
}

pub async fn step(agent: &mut impl Agent, step: u32, view: &View, note: Option<&Note>) -> Decision {
    step_on(&device(), agent, step, view, note).await
}

pub async fn step_on(
    device: &DeviceInfo,
    agent: &mut impl Agent,
    step: u32,
    view: &View,
    note: Option<&Note>,
) -> Decision {
    agent.decide(&Turn { note, ..turn(device, step, view) }).await.unwrap()
}

/// Answers from a list, or by a function of the last message's text, and keeps the requests.
pub struct ScriptedModel {
    pub replies: Mutex<VecDeque<String>>,
    pub asked: Mutex<Vec<ModelRequest>>,
    pub finish: &'static str,
}

impl ScriptedModel {
    pub fn new(replies: &[&str]) -> Arc<Self> {
        let replies = Mutex::new(replies.iter().map(|r| (*r).to_owned()).collect());
        Arc::new(Self { replies, asked: Mutex::default(), finish: "stop" })
    }
}

#[async_trait]
impl ModelClient for ScriptedModel {
    fn model(&self) -> &str {
        "script"
    }

    async fn complete(&self, request: &ModelRequest, _deadline: Deadline) -> Result<ModelReply, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        match self.replies.lock().unwrap().pop_front() {
            Some(text) => Ok(ModelReply { text, finish: Some(self.finish.into()), ..ModelReply::default() }),
            None => Err(ModelError::Timeout { after: Duration::from_secs(1), by: TimedBy::Step }),
        }
    }
}
