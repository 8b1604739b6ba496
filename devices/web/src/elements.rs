//! Elements of a tab, gathered over all its frames.

use std::collections::HashMap;

use futures::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};

use super::cdp::{SessionId, text};
use super::live::{BrowserSession, PageAnswer};
use super::options::Secrets;
use super::state::Front;
use waldo_devices::observation::PageScroll;
use waldo_devices::{
    Affordance, Deadline, DeviceError, Element, Physical, Point, Rect, Result, States, StaticText,
};

/// Characters of a name, a value or an option that are told, and of a title.
const NAME_MAX: usize = 200;
const TITLE_MAX: usize = 300;
const VALUE_MAX: usize = 1000;
/// Characters of each that are read where there are secrets: they are masked before they are cut.
const READ_MAX: usize = 20_000;
/// Frames within frames deeper than this are left out.
const DEPTH_MAX: usize = 8;

const TEXT_CHARS: usize = 300;

#[derive(Clone, Debug)]
pub(crate) struct ElementFrame {
    pub(crate) frame: String,
    pub(crate) parent: SessionId,
}

#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) elements: Vec<Element>,
    pub(crate) texts: Vec<StaticText>,
    pub(crate) places: Vec<ElementFrame>,
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) scroll: PageScroll,
    pub(crate) truncated: usize,
    pub(crate) texts_left_out: usize,
}

#[derive(Deserialize)]
struct Report {
    items: Vec<ScriptItem>,
    refused: Vec<String>,
    frames: u32,
    truncated: usize,
    unread: usize,
    title: String,
    url: String,
    above: u32,
    below: u32,
}

/// An element, a text, or the place of a frame that the script could not enter. Keys are short: pages have many.
#[derive(Deserialize)]
struct ScriptItem {
    #[serde(default)]
    i: usize,
    #[serde(default)]
    r: String,
    b: Vec<f64>,
    #[serde(default)]
    h: [f64; 2],
    #[serde(default)]
    n: Value,
    v: Option<String>,
    #[serde(default)]
    a: u8,
    #[serde(default)]
    s: u8,
    k: Option<bool>,
    l: Option<bool>,
    e: Option<bool>,
    #[serde(default)]
    o: Vec<String>,
    #[serde(default)]
    m: u32,
    f: Option<u32>,
    c: Option<[f64; 4]>,
    t: Option<String>,
}

/// What a frame shows, in the order of reading.
#[derive(Default)]
struct FrameContent {
    elements: Vec<Element>,
    texts: Vec<StaticText>,
}

const AFFORDANCES: [Affordance; 8] = [
    Affordance::Click,
    Affordance::Edit,
    Affordance::Select,
    Affordance::Scroll,
    Affordance::Drag,
    Affordance::Upload,
    Affordance::Drop,
    Affordance::Hover,
];

/// Ids of frames by the world and key under which a script knows their element.
pub(crate) type FrameIds = HashMap<(i64, u32), String>;

/// When a gathering looks at the top page.
#[derive(Clone, Copy)]
pub(crate) enum Pace {
    AtOnce,
    /// In pieces, beside a page that is drawn or waited for.
    Beside,
}

impl BrowserSession {
    /// Whether every frame that the gathering of this generation looked at is as it found it.
    pub(crate) async fn is_still(
        &self,
        front: &Front,
        generation: u64,
        places: &[ElementFrame],
        deadline: Deadline,
    ) -> bool {
        let script = format!("__waldo.still({generation})");
        let asked = places
            .iter()
            .map(|place| self.evaluate(&front.target, &place.frame, &place.parent, &script, deadline));
        let told = join_all(asked).await;
        told.iter().all(|still| matches!(still, Ok(PageAnswer::Done(Value::Bool(true)))))
    }
}

pub(crate) struct Gatherer<'a> {
    pub(crate) generation: u64,
    pub(crate) cap: usize,
    pub(crate) scale: f64,
    pub(crate) secrets: &'a Secrets,
    pub(crate) frame_ids: &'a mut FrameIds,
}

impl Gatherer<'_> {
    /// Gathers while the page is waited for; nothing where that fails, which whoever asks next will see.
    pub(crate) async fn ahead(
        &mut self,
        live: &BrowserSession,
        front: &Front,
        deadline: Deadline,
    ) -> Option<Collected> {
        self.gather(live, front, Pace::Beside, deadline).await.ok().and_then(PageAnswer::done)
    }

    pub(crate) async fn gather(
        &mut self,
        live: &BrowserSession,
        front: &Front,
        pace: Pace,
        deadline: Deadline,
    ) -> Result<PageAnswer<Collected>> {
        let gathering =
            ElementGatherer { by: self, live, front, deadline, frames: 0, out: Collected::default() };
        gathering.run(pace).await
    }
}

struct ElementGatherer<'a, 'b> {
    by: &'a mut Gatherer<'b>,
    live: &'a BrowserSession,
    front: &'a Front,
    deadline: Deadline,
    frames: u32,
    out: Collected,
}

impl ElementGatherer<'_, '_> {
    async fn run(mut self, pace: Pace) -> Result<PageAnswer<Collected>> {
        let top = ElementFrame { frame: self.front.target.clone(), parent: self.front.session.clone() };
        let function = match pace {
            Pace::AtOnce => "collect",
            Pace::Beside => "collectBeside",
        };
        match self.frame(top, None, 0, 0, function).await? {
            PageAnswer::Done(shown) => {
                self.out.elements = shown.elements;
                self.out.texts = shown.texts;
                Ok(PageAnswer::Done(self.out))
            }
            PageAnswer::Dialog => Ok(PageAnswer::Dialog),
        }
    }

    /// What one frame and those below it show, in its own CSS pixels.
    fn frame(
        &mut self,
        place: ElementFrame,
        clip: Option<[f64; 4]>,
        number: u32,
        depth: usize,
        function: &'static str,
    ) -> futures::future::BoxFuture<'_, Result<PageAnswer<FrameContent>>> {
        Box::pin(async move {
            if let PageAnswer::Dialog = self.live.hand_over_closed(self.front, &place, self.deadline).await? {
                return Ok(PageAnswer::Dialog);
            }
            let left = self.by.cap.saturating_sub(self.out.elements.len());
            let target = &self.front.target;
            let keep = if self.by.secrets.is_empty() { NAME_MAX } else { READ_MAX };
            let (generation, clip) = (self.by.generation, json!(clip));
            let script =
                format!("(__waldo.text.keep({keep}),__waldo.{function}({generation}, {clip}, {left}))");
            let answer =
                self.live.evaluate(target, &place.frame, &place.parent, &script, self.deadline).await?;
            let PageAnswer::Done(value) = answer else { return Ok(PageAnswer::Dialog) };
            let report: Report = serde_json::from_str(value.as_str().unwrap_or_default())
                .map_err(|error| DeviceError::call("collect", error))?;
            for scheme in &report.refused {
                self.live.blocked().record(scheme);
            }
            let world = self.out.places.len();
            self.out.places.push(place.clone());
            if depth == 0 {
                self.out.title = self.shown(report.title, TITLE_MAX);
                self.out.url = report.url;
                self.out.scroll = PageScroll { above: report.above, below: report.below };
            }
            self.out.truncated += report.truncated;
            self.out.texts_left_out += report.unread;
            let base = self.frames;
            self.frames += report.frames;
            let mut shown =
                FrameContent { elements: Vec::with_capacity(report.items.len()), texts: Vec::new() };
            for mut item in report.items {
                let own = if item.m == 0 { number } else { base + item.m };
                if let Some(text) = item.t.take() {
                    shown.texts.push(self.text(text, &item.b, shown.elements.len()));
                    continue;
                }
                match item.f {
                    None => shown.elements.push(self.element(item, world, own)),
                    Some(key) if depth < DEPTH_MAX => {
                        let number =
                            base + u32::try_from(item.n.as_u64().unwrap_or_default()).unwrap_or_default();
                        // A frame that comes and goes meanwhile is no reason to lose the page.
                        match self.foreign(&place, key, &item, number, depth).await {
                            Ok(PageAnswer::Done(inner)) => shown.append(inner),
                            Ok(PageAnswer::Dialog) => return Ok(PageAnswer::Dialog),
                            Err(DeviceError::Call { call, message }) => {
                                tracing::debug!(call, message, "a frame was left out");
                            }
                            Err(error) => return Err(error),
                        }
                    }
                    Some(_) => {}
                }
            }
            Ok(PageAnswer::Done(shown))
        })
    }

    /// What a frame shows that its parent's script cannot enter, in the parent's CSS pixels.
    async fn foreign(
        &mut self,
        place: &ElementFrame,
        key: u32,
        item: &ScriptItem,
        number: u32,
        depth: usize,
    ) -> Result<PageAnswer<FrameContent>> {
        let nothing = || Ok(PageAnswer::Done(FrameContent::default()));
        let ([x, y, k], Some(clip)) = (first_three(&item.b), item.c) else { return nothing() };
        let Some((frame, session)) = self.frame_of(place, key).await? else { return nothing() };
        let k = if k > 0.0 { k } else { 1.0 };
        let inner_clip = [(clip[0] - x) / k, (clip[1] - y) / k, clip[2] / k, clip[3] / k];
        let inner = ElementFrame { frame, parent: session };
        let PageAnswer::Done(mut shown) =
            self.frame(inner, Some(inner_clip), number, depth + 1, "collect").await?
        else {
            return Ok(PageAnswer::Dialog);
        };
        if shown.elements.is_empty() && shown.texts.is_empty() {
            return nothing();
        }
        let s = self.by.scale;
        let outward = |b: Rect<Physical>| Rect::new(x * s + b.x * k, y * s + b.y * k, b.w * k, b.h * k);
        for element in &mut shown.elements {
            element.bounds = outward(element.bounds);
            element.hit = Point::new(x * s + element.hit.x * k, y * s + element.hit.y * k);
        }
        for text in &mut shown.texts {
            text.bounds = outward(text.bounds);
        }
        let points: Vec<[f64; 2]> = shown
            .elements
            .iter()
            .map(|element| element.hit)
            .chain(shown.texts.iter().map(|text| text.bounds.center()))
            .map(|point| [point.x / s, point.y / s])
            .collect();
        let script = format!("__waldo.uncovered({key}, {})", json!(points));
        let target = &self.front.target;
        let seen = self.live.evaluate(target, &place.frame, &place.parent, &script, self.deadline).await?;
        let PageAnswer::Done(seen) = seen else { return Ok(PageAnswer::Dialog) };
        let covered: Vec<bool> = (0..points.len()).map(|at| seen[at] == Value::Bool(false)).collect();
        Ok(PageAnswer::Done(shown.without(&covered)))
    }

    /// The id of the frame that the script of `place` knows as `key`, and the session of that script.
    async fn frame_of(&mut self, place: &ElementFrame, key: u32) -> Result<Option<(String, SessionId)>> {
        let target = &self.front.target;
        let world = self.live.world(target, &place.frame, &place.parent, self.deadline).await;
        let Some(world) = world.map_err(DeviceError::from)?.done() else { return Ok(None) };
        if let Some(frame) = self.by.frame_ids.get(&(world.context, key)) {
            return Ok(Some((frame.clone(), world.session)));
        }
        let session = Front { target: target.clone(), session: world.session.clone() };
        let params = json!({ "expression": format!("__waldo.frame({key})"), "contextId": world.context });
        let object = self.live.call(&session, "Runtime.evaluate", params, self.deadline).await?.done();
        let Some(object) = object.as_ref().map(|object| text(&object["result"], "objectId")) else {
            return Ok(None);
        };
        let params = json!({ "objectId": object });
        let node = self.live.call(&session, "DOM.describeNode", params, self.deadline).await?.done();
        let frame = node.map(|node| text(&node["node"], "frameId").to_owned()).filter(|id| !id.is_empty());
        if let Some(frame) = &frame {
            self.by.frame_ids.insert((world.context, key), frame.clone());
        }
        Ok(frame.map(|frame| (frame, world.session)))
    }

    /// Text of the page as it is told.
    fn shown(&self, text: String, max: usize) -> String {
        if self.by.secrets.is_empty() { text } else { self.by.secrets.brief(&text, max) }
    }

    /// A value of the page as it is told, with its lines: masked, then cut.
    fn lines(&self, text: String) -> String {
        if self.by.secrets.is_empty() {
            return text;
        }
        self.by.secrets.mask(text).chars().take(VALUE_MAX).collect()
    }

    fn text(&self, text: String, bounds: &[f64], before: usize) -> StaticText {
        let s = self.by.scale;
        let [x, y, w, h] = [0, 1, 2, 3].map(|at| bounds.get(at).copied().unwrap_or_default() * s);
        StaticText { text: self.by.secrets.brief(&text, TEXT_CHARS), bounds: Rect::new(x, y, w, h), before }
    }

    fn element(&self, item: ScriptItem, world: usize, frame: u32) -> Element {
        let s = self.by.scale;
        let [x, y, w, h] = [0, 1, 2, 3].map(|at| item.b.get(at).copied().unwrap_or_default() * s);
        let told = |text: String| self.shown(text, NAME_MAX);
        Element {
            name: told(item.n.as_str().unwrap_or_default().to_owned()),
            value: item.v.map(|text| self.lines(text)),
            states: States {
                focused: item.s & 1 != 0,
                disabled: item.s & 2 != 0,
                readonly: item.s & 4 != 0,
                required: item.s & 8 != 0,
                invalid: item.s & 16 != 0,
                checked: item.k,
                selected: item.l,
                expanded: item.e,
            },
            affordances: AFFORDANCES
                .into_iter()
                .enumerate()
                .filter(|(bit, _)| item.a & (1 << bit) != 0)
                .map(|(_, affordance)| affordance)
                .collect(),
            hit: Point::new(item.h[0] * s, item.h[1] * s),
            options: item.o.into_iter().map(told).collect(),
            frame,
            ..Element::at(format!("{}.{world}.{}", self.by.generation, item.i), item.r, Rect::new(x, y, w, h))
        }
    }
}

impl FrameContent {
    fn append(&mut self, inner: Self) {
        let base = self.elements.len();
        self.texts
            .extend(inner.texts.into_iter().map(|text| StaticText { before: base + text.before, ..text }));
        self.elements.extend(inner.elements);
    }

    /// Without what is `covered`: the elements' places come first, then the texts'.
    fn without(self, covered: &[bool]) -> Self {
        let (of_elements, of_texts) = covered.split_at(self.elements.len().min(covered.len()));
        let kept_before =
            |before: usize| of_elements.iter().take(before).filter(|covered| !**covered).count();
        let texts = self.texts.into_iter().zip(of_texts).filter(|(_, covered)| !**covered);
        let texts = texts.map(|(text, _)| StaticText { before: kept_before(text.before), ..text }).collect();
        let elements = self.elements.into_iter().zip(of_elements).filter(|(_, covered)| !**covered);
        Self { elements: elements.map(|(element, _)| element).collect(), texts }
    }
}

fn first_three(values: &[f64]) -> [f64; 3] {
    [0, 1, 2].map(|at| values.get(at).copied().unwrap_or_default())
}
