//! Actions on one element of the last observation: clear, select, upload.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::cdp::text;
use super::device::WebDevice;
use super::effect::Ignore;
use super::elements::ElementFrame;
use super::input::Input;
use super::keys::WebChord;
use super::live::{BrowserSession, PageAnswer};
use super::perform::bad;
use super::state::Front;
use waldo_devices::action::{Button, Clicks, Effect, Modifiers};
use waldo_devices::device::Deadline;
use waldo_devices::element::ElementRef;
use waldo_devices::error::DeviceError;
use waldo_devices::geometry::Point;

/// How long a page may take to ask for a file after its button was pressed.
const ASKS_WITHIN: Duration = Duration::from_secs(2);

/// An element as its frame's script knows it.
struct KnownElement {
    place: ElementFrame,
    generation: u64,
    index: usize,
}

impl WebDevice {
    fn known(&self, element: &ElementRef) -> Result<KnownElement, DeviceError> {
        let stale = || DeviceError::StaleElement { what: element.0.clone() };
        let mut parts = element.0.split('.').map(str::parse::<u64>);
        let mut next = || parts.next().and_then(Result::ok).ok_or_else(stale);
        let (generation, world, index) = (next()?, next()?, next()?);
        if generation != self.generation {
            return Err(stale());
        }
        let place = usize::try_from(world).ok().and_then(|at| self.places.get(at)).ok_or_else(stale)?;
        Ok(KnownElement {
            place: place.clone(),
            generation,
            index: usize::try_from(index).map_err(|_| stale())?,
        })
    }

    /// A field of the page as it was seen last.
    pub(crate) fn field<'a>(
        &self,
        live: &'a BrowserSession,
        front: &'a Front,
        element: &'a ElementRef,
        deadline: Deadline,
    ) -> Result<Field<'a>, DeviceError> {
        Ok(Field { live, front, known: self.known(element)?, name: &element.0, deadline })
    }
}

/// A field of a page, while it is filled in.
pub(crate) struct Field<'a> {
    live: &'a BrowserSession,
    front: &'a Front,
    known: KnownElement,
    name: &'a str,
    deadline: Deadline,
}

fn confirmed(evidence: &str) -> Effect {
    Effect::Confirmed { evidence: evidence.to_owned() }
}

impl Field<'_> {
    async fn script(&self, call: &str, more: &str) -> Result<PageAnswer<Value>, DeviceError> {
        let KnownElement { place, generation, index } = &self.known;
        let script = format!("__waldo.{call}({generation}, {index}{more})");
        let target = &self.front.target;
        let answer = self.live.evaluate(target, &place.frame, &place.parent, &script, self.deadline).await?;
        if let PageAnswer::Done(value) = &answer
            && value.get("gone").is_some()
        {
            return Err(DeviceError::StaleElement { what: self.name.to_owned() });
        }
        Ok(answer)
    }

    pub(crate) async fn select(&self, option: &str) -> Result<Effect, DeviceError> {
        let PageAnswer::Done(value) = self.script("select", &format!(", {}", json!(option))).await? else {
            return Ok(confirmed("a dialog opened"));
        };
        if value.get("not").is_some() {
            return Err(bad("select", "the element is not a list of options: tap it instead"));
        }
        if value.get("disabled").is_some() {
            return Err(bad("select", "the list or the option is disabled"));
        }
        if value.get("options").is_some() {
            // The page's own words stay in the list of elements, where they are marked as such.
            return Err(bad("option", format!("the list has no option '{option}'; take one that it lists")));
        }
        Ok(if value["same"] == Value::Bool(true) {
            Effect::SuspectedNoop
        } else {
            confirmed("the option is selected")
        })
    }

    pub(crate) async fn clear(&self) -> Result<Effect, DeviceError> {
        let PageAnswer::Done(value) = self.script("prepareClear", "").await? else {
            return Ok(confirmed("a dialog opened"));
        };
        if value.get("not").is_some() {
            return Err(bad("clear", "the element takes no text"));
        }
        if value.get("disabled").is_some() {
            return Err(bad("clear", "the element cannot be edited"));
        }
        if value.get("empty").is_some() {
            let set = value.get("set").is_some();
            return Ok(if set { confirmed("the field is empty") } else { Effect::SuspectedNoop });
        }
        let input = Input { live: self.live, front: self.front, deadline: self.deadline };
        let by_keys = value.get("keys").is_some();
        if by_keys && let PageAnswer::Dialog = input.press(&WebChord::parse("ctrl+a")?).await? {
            return Ok(confirmed("a dialog opened"));
        }
        // A key, so that pages that listen for it see it; the script only mends what it left.
        if let PageAnswer::Dialog = input.press(&WebChord::parse("Backspace")?).await? {
            return Ok(confirmed("a dialog opened"));
        }
        if by_keys {
            match self.script("emptied", "").await? {
                PageAnswer::Done(Value::Bool(false)) => {}
                PageAnswer::Done(_) => return Ok(confirmed("the editor is empty")),
                PageAnswer::Dialog => return Ok(confirmed("a dialog opened")),
            }
        }
        Ok(match self.script("forceClear", "").await? {
            PageAnswer::Done(Value::Bool(true)) => confirmed("the field is empty"),
            PageAnswer::Done(_) => Effect::SuspectedNoop,
            PageAnswer::Dialog => confirmed("a dialog opened"),
        })
    }

    pub(crate) async fn upload(&self, files: &[PathBuf]) -> Result<Effect, DeviceError> {
        let mut paths = Vec::new();
        for file in files {
            let whole = tokio::fs::canonicalize(file).await;
            paths.push(whole.map_err(|error| bad("file", format!("{}: {error}", file.display())))?);
        }
        let what = self.script("field", "").await?;
        let PageAnswer::Done(what) = what else { return Ok(confirmed("a dialog opened")) };
        let node = if what["file"] == Value::Bool(true) {
            self.object().await?.map(|id| json!({ "objectId": id, "files": paths }))
        } else {
            self.ask().await?.map(|id| json!({ "backendNodeId": id, "files": paths }))
        };
        let Some(params) = node else {
            return Err(bad("upload", "the element is not a file field and asks for no file"));
        };
        let session = Front { target: self.front.target.clone(), session: self.session() };
        let before =
            self.live.before(self.front, std::slice::from_ref(&self.known.place), self.deadline).await;
        self.live.call(&session, "DOM.setFileInputFiles", params, self.deadline).await?;
        Ok(match self.live.effect(&before, Ignore::Nothing, self.deadline).await {
            Effect::SuspectedNoop => Effect::Unverifiable,
            effect => effect,
        })
    }

    /// The session that the element's frame lives in.
    fn session(&self) -> super::cdp::SessionId {
        let place = &self.known.place;
        self.live
            .tab(self.front, |tab| tab.worlds.get(&place.frame).map(|world| world.session.clone()))
            .flatten()
            .unwrap_or_else(|| place.parent.clone())
    }

    async fn object(&self) -> Result<Option<String>, DeviceError> {
        let KnownElement { place, generation, index } = &self.known;
        let target = &self.front.target;
        let world = self.live.world(target, &place.frame, &place.parent, self.deadline).await;
        let Some(world) = world.map_err(DeviceError::from)?.done() else { return Ok(None) };
        let session = Front { target: target.clone(), session: world.session };
        let expression = format!("__waldo.element({generation}, {index})");
        let params = json!({ "expression": expression, "contextId": world.context });
        let answer = self.live.call(&session, "Runtime.evaluate", params, self.deadline).await?.done();
        Ok(answer.map(|answer| text(&answer["result"], "objectId").to_owned()).filter(|id| !id.is_empty()))
    }

    /// Presses the element and waits for the page to ask for a file.
    async fn ask(&self) -> Result<Option<i64>, DeviceError> {
        let target = &self.front.target;
        let point = self.script("pointOf", "").await?.done().unwrap_or_default();
        let (Some(x), Some(y)) = (point[0].as_f64(), point[1].as_f64()) else { return Ok(None) };
        self.live.shared().update(|state| {
            if let Some(tab) = state.tab(target) {
                tab.chooser = None;
            }
        });
        let input = Input { live: self.live, front: self.front, deadline: self.deadline };
        input.tap(Point::new(x, y), Clicks::Single, Button::Left, Modifiers::default()).await?;
        let asked = self.live.shared().until(self.deadline.at_most(ASKS_WITHIN).instant(), |state| {
            state.tabs.iter().find(|tab| &tab.target == target)?.chooser
        });
        Ok(asked.await)
    }
}
