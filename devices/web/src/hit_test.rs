//! What an input would reach, asked of the browser and of isolated worlds: nothing that a page overrides,
//! hides in closed shadow trees or lays over another is believed or missed.
//!
//! Invariant: asking changes nothing, and waits for no dialog.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use super::cdp::text;
use super::device::WebDevice;
use super::input::steps;
use super::live::{BrowserSession, PageAnswer};
use super::script::CallError;
use super::state::Front;
use waldo_devices::{Deadline, DeviceError, Focus, HitTest, InputTarget, Logical, Point, Result};

/// Characters of a page's text that are read.
const TEXT_MAX: usize = 1_000_000;
/// Elements that may hold a document of their own.
const OWNERS: &[&str] = &["iframe", "frame", "fencedframe", "object", "embed", "portal"];

impl WebDevice {
    /// As [`waldo_devices::Device::hit_test`].
    pub(crate) async fn aimed(&self, target: &InputTarget, deadline: Deadline) -> Result<HitTest> {
        let live = self.live()?;
        let front = live.front(deadline).await?;
        // A page that is on its way would take the input, or keep back the answers of the one before it.
        if live.awaits_page(&front) {
            let _ = live.loaded(&front, deadline.at_most(live.load)).await;
        }
        if live.awaits_page(&front) {
            live.excuse_late(&front)?;
            live.stop_loading(&front, deadline).await;
        }
        let geometry = self.geometry();
        let points: Vec<_> = target.points.iter().map(|at| geometry.to_logical(*at)).collect();
        let way = if target.pressed { live.way(&front, &points) } else { Vec::new() };
        let page = match live.page_at(&front, (&points, &way), target.focus, deadline).await? {
            PageAnswer::Done(page) => Some(page),
            PageAnswer::Dialog => None,
        };
        // Last, so that it is as late as can be.
        let mut aimed = live.shared().with(|state| HitTest {
            location: state.front().map(|tab| tab.url.clone()).unwrap_or_default(),
            tabs: state.tabs.iter().map(|tab| tab.url.clone()).collect(),
            dialog: page.is_none() || state.tabs.iter().any(|tab| tab.dialog.is_some()),
            ..HitTest::default()
        });
        aimed.blocked = live.blocked().seen();
        if let Some(page) = page {
            // The events of a page that has just come may still be on their way.
            aimed.location = page.url;
            aimed.text = page.text;
            aimed.origins = page.origins;
            aimed.way = page.way;
        }
        Ok(aimed)
    }
}

struct PageFacts {
    url: String,
    text: Vec<String>,
    origins: Vec<Option<String>>,
    way: Vec<Option<String>>,
}

/// Takes an answer, or ends the function where a dialog came between.
macro_rules! done {
    ($answer:expr) => {
        match $answer {
            PageAnswer::Done(value) => value,
            PageAnswer::Dialog => return Ok(PageAnswer::Dialog),
        }
    };
}

impl BrowserSession {
    /// The places where the page gets an event of a pressed pointer on its way to and between these.
    fn way(&self, front: &Front, points: &[Point<Logical>]) -> Vec<Point<Logical>> {
        let held = self.shared().with(|state| state.held.clone()).filter(|held| held.tab == front.target);
        let from = held.map(|held| held.point()).or(points.first().copied());
        steps(&from.into_iter().chain(points.iter().copied()).collect::<Vec<_>>())
    }

    /// What the page says of itself, and whose documents lie at the points and along the way.
    async fn page_at(
        &self,
        front: &Front,
        (points, way): (&[Point<Logical>], &[Point<Logical>]),
        focus: Focus,
        deadline: Deadline,
    ) -> Result<PageAnswer<PageFacts>> {
        let tree = self.call(front, "Page.getFrameTree", json!({}), deadline);
        let metrics = self.call(front, "Page.getLayoutMetrics", json!({}), deadline);
        let (tree, metrics, words) = tokio::join!(tree, metrics, self.words(front, deadline));
        let (tree, metrics, text_drawn) = (done!(tree?), done!(metrics?), done!(words?));
        let mut origins_of = HashMap::new();
        gather(&tree["frameTree"], &mut origins_of);
        let scroll = &metrics["cssVisualViewport"];
        let (left, top) =
            (scroll["pageX"].as_f64().unwrap_or_default(), scroll["pageY"].as_f64().unwrap_or_default());
        let places: Vec<_> = points.iter().chain(way).map(|at| (at.x + left, at.y + top)).collect();
        let mut origins = done!(self.hits(front, &places, &origins_of, deadline).await?);
        let way = origins.split_off(points.len());
        if focus == Focus::Used {
            origins.push(done!(self.focused(front, deadline).await?));
        }
        let url = text(&tree["frameTree"]["frame"], "url").to_owned();
        Ok(PageAnswer::Done(PageFacts { url, text: text_drawn, origins, way }))
    }

    async fn hits(
        &self,
        front: &Front,
        places: &[(f64, f64)],
        origins: &HashMap<String, String>,
        deadline: Deadline,
    ) -> Result<PageAnswer<Vec<Option<String>>>> {
        let pixels: Vec<_> = places.iter().map(|(x, y)| (x.floor() as i64, y.floor() as i64)).collect();
        // A way crosses itself, and most of it lies on few nodes: each is asked about once.
        let asked: BTreeSet<_> = pixels.iter().copied().collect();
        let found = asked.iter().map(|at| self.node_at(front, *at, deadline));
        let found = futures::future::join_all(found).await;
        let mut at = HashMap::new();
        for (pixel, node) in asked.iter().zip(found) {
            at.insert(*pixel, done!(node?));
        }
        let nodes: BTreeSet<i64> = at.values().flatten().map(|(node, _)| *node).collect();
        let described = nodes.iter().map(|node| self.described(front, *node, deadline));
        let described = futures::future::join_all(described).await;
        let mut told = HashMap::new();
        for (node, answer) in nodes.iter().zip(described) {
            told.insert(*node, done!(answer?));
        }
        let origin = |pixel: &(i64, i64)| {
            let (node, within) = at.get(pixel)?.as_ref()?;
            let node = told.get(node)?.as_ref()?;
            // A frame whose own document was not entered is of another process, or its edge was hit.
            let frame = if owns(node) { text(node, "frameId") } else { within };
            origins.get(frame).cloned()
        };
        Ok(PageAnswer::Done(pixels.iter().map(origin).collect()))
    }

    /// The innermost node at a pixel of the page, and its document's frame; `None` where nothing can be told.
    async fn node_at(
        &self,
        front: &Front,
        (x, y): (i64, i64),
        deadline: Deadline,
    ) -> Result<PageAnswer<Option<(i64, String)>>> {
        let at =
            json!({ "x": x, "y": y, "includeUserAgentShadowDOM": false, "ignorePointerEventsNone": false });
        let found = match self.call(front, "DOM.getNodeForLocation", at, deadline).await {
            Err(DeviceError::Call { .. }) => return Ok(PageAnswer::Done(None)),
            found => done!(found?),
        };
        let node = found["backendNodeId"].as_i64();
        Ok(PageAnswer::Done(node.map(|node| (node, text(&found, "frameId").to_owned()))))
    }

    /// What a node is; `None` where that cannot be told.
    async fn described(
        &self,
        front: &Front,
        node: i64,
        deadline: Deadline,
    ) -> Result<PageAnswer<Option<Value>>> {
        match self.call(front, "DOM.describeNode", json!({ "backendNodeId": node }), deadline).await {
            Err(DeviceError::Call { .. }) => Ok(PageAnswer::Done(None)),
            found => Ok(PageAnswer::Done(Some(done!(found?)["node"].take()))),
        }
    }

    async fn focused(&self, front: &Front, deadline: Deadline) -> Result<PageAnswer<Option<String>>> {
        let (target, session) = (&front.target, &front.session);
        let origin = self.evaluate(target, target, session, "__waldo.focusOrigin()", deadline).await?;
        let origin = done!(origin).as_str().map(str::to_owned);
        let world = match self.world(target, target, session, deadline).await {
            Ok(world) => done!(world),
            Err(CallError::Lost) => return Ok(PageAnswer::Done(None)),
            Err(error) => return Err(error.into()),
        };
        let asked = json!({ "expression": "__waldo.active()", "contextId": world.context });
        let active = done!(self.call(front, "Runtime.evaluate", asked, deadline).await?);
        let Some(object) = active["result"]["objectId"].as_str() else {
            // Nothing has the focus: keys go to the page itself.
            let nothing = active["result"]["subtype"] == "null";
            return Ok(PageAnswer::Done(origin.filter(|_| nothing)));
        };
        let node = self.call(front, "DOM.describeNode", json!({ "objectId": object }), deadline).await;
        let mut hidden = match node {
            Ok(PageAnswer::Done(node)) => owns(&node["node"]) || has_closed(&node["node"]),
            Ok(PageAnswer::Dialog) => return Ok(PageAnswer::Dialog),
            Err(_) => true,
        };
        if hidden {
            // What a closed shadow tree hides may be a frame; without one the document itself gets the keys.
            let asked = json!({ "objectId": object, "depth": -1, "pierce": true });
            hidden = match self.call(front, "DOM.describeNode", asked, deadline).await {
                Ok(PageAnswer::Done(node)) => has_owner(&node["node"]),
                Ok(PageAnswer::Dialog) => return Ok(PageAnswer::Dialog),
                Err(_) => true,
            };
        }
        self.cdp().fire(Some(session), "Runtime.releaseObject", json!({ "objectId": object }));
        Ok(PageAnswer::Done(origin.filter(|_| !hidden)))
    }

    /// All that the page in front has drawn as text, frames of other processes included.
    async fn words(&self, front: &Front, deadline: Deadline) -> Result<PageAnswer<Vec<String>>> {
        let asked = json!({ "computedStyles": [] });
        let mut pieces = Vec::new();
        let own = done!(self.call(front, "DOMSnapshot.captureSnapshot", asked.clone(), deadline).await?);
        drawn(&own, &mut pieces);
        let others: Vec<_> =
            self.tab(front, |tab| tab.children.keys().cloned().collect()).unwrap_or_default();
        for session in others {
            let asked =
                self.raw(&front.target, &session, "DOMSnapshot.captureSnapshot", asked.clone(), deadline);
            match asked.await {
                Ok(PageAnswer::Done(found)) => drawn(&found, &mut pieces),
                Ok(PageAnswer::Dialog) => return Ok(PageAnswer::Dialog),
                // It went meanwhile.
                Err(_) => {}
            }
        }
        Ok(PageAnswer::Done(pieces))
    }
}

/// The origins of all frames of a tree, by their ids. What has none of its own (a sandbox) is told as `null`
/// or `://`, which no gate allows.
fn gather(tree: &Value, origins: &mut HashMap<String, String>) {
    let frame = &tree["frame"];
    origins.insert(text(frame, "id").to_owned(), text(frame, "securityOrigin").to_owned());
    for child in tree["childFrames"].as_array().into_iter().flatten() {
        gather(child, origins);
    }
}

fn owns(node: &Value) -> bool {
    let name = text(node, "nodeName").to_ascii_lowercase();
    !text(node, "frameId").is_empty() && name != "html" && name != "#document"
        || OWNERS.contains(&name.as_str())
}

fn has_closed(node: &Value) -> bool {
    node["shadowRoots"].as_array().into_iter().flatten().any(|root| root["shadowRootType"] == "closed")
}

/// Whether a node or anything below it, shadow trees included, holds a document of its own.
fn has_owner(node: &Value) -> bool {
    let below = ["children", "shadowRoots"].into_iter().filter_map(|name| node[name].as_array()).flatten();
    owns(node) || node.get("contentDocument").is_some() || below.into_iter().any(has_owner)
}

fn drawn(snapshot: &Value, pieces: &mut Vec<String>) {
    let Some(strings) = snapshot["strings"].as_array() else { return };
    let mut left = TEXT_MAX.saturating_sub(pieces.iter().map(String::len).sum());
    for document in snapshot["documents"].as_array().into_iter().flatten() {
        for at in document["layout"]["text"].as_array().into_iter().flatten() {
            let found = at.as_u64().and_then(|at| strings.get(usize::try_from(at).ok()?)?.as_str());
            let Some(piece) = found.filter(|piece| !piece.is_empty()) else { continue };
            if piece.len() > left {
                return;
            }
            left -= piece.len();
            pieces.push(piece.to_owned());
        }
    }
}
