//! Actions on one element of the last observation: fill, clear, select, upload.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::cdp::text;
use super::device::WebDevice;
use super::effect::{Ignore, not_as_asked};
use super::elements::ElementFrame;
use super::input::Input;
use super::keys::WebChord;
use super::live::{BrowserSession, PageAnswer};
use super::perform::bad;
use super::state::Front;
use waldo_devices::{Button, Clicks, Deadline, DeviceError, Effect, ElementRef, Modifiers, Point, Result};

/// How long a page may take to ask for a file after its button was pressed.
const ASKS_WITHIN: Duration = Duration::from_secs(2);

struct KnownElement {
    place: ElementFrame,
    generation: u64,
    index: usize,
}

impl WebDevice {
    fn known(&self, element: &ElementRef) -> Result<KnownElement> {
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

    pub(crate) fn field<'a>(
        &self,
        live: &'a BrowserSession,
        front: &'a Front,
        element: &'a ElementRef,
        deadline: Deadline,
    ) -> Result<Field<'a>> {
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

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn confirmed(evidence: &str) -> Effect {
    Effect::Confirmed { evidence: evidence.to_owned() }
}

/// Options that an error names, and characters of each.
const NAMED_MAX: usize = 20;
const NAME_MAX: usize = 40;

/// The page's own names of options, as a list: those that are plain words. The others stand in the list of elements,
/// where they are marked as the page's.
fn names(options: &Value) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " -_.,:;/()&+%€$£".contains(c);
    let all = options.as_array().into_iter().flatten().filter_map(Value::as_str);
    let plain = all.filter(|name| name.chars().all(is_plain) && name.chars().count() <= NAME_MAX);
    let names: Vec<String> = plain.take(NAMED_MAX).map(|name| format!("'{name}'")).collect();
    if names.is_empty() { "what the list of elements tells".to_owned() } else { names.join(", ") }
}

impl Field<'_> {
    async fn script(&self, call: &str, more: &str) -> Result<PageAnswer<Value>> {
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

    pub(crate) async fn select(&self, option: &str) -> Result<Effect> {
        let PageAnswer::Done(value) = self.script("select", &format!(", {}", json!(option))).await? else {
            return Ok(confirmed("a dialog opened"));
        };
        if value.get("not").is_some() {
            return Err(bad("select", "the element is not a list of options: tap it instead"));
        }
        if value.get("disabled").is_some() {
            return Err(bad("select", "the list or the option is disabled"));
        }
        if let Some(options) = value.get("options") {
            return Err(bad(
                "option",
                format!("the list has no option '{option}'; it has {}", names(options)),
            ));
        }
        if let Some(several) = value.get("several") {
            let message = format!("the list has several options '{option}': take one of {}", names(several));
            return Err(bad("option", message));
        }
        if value["same"] == Value::Bool(true) {
            return Ok(Effect::SuspectedNoop);
        }
        self.unless_other("__waldo.choiceGone()", confirmed("the option is selected")).await
    }

    /// `effect`, unless a look at the element finds something else there than was asked.
    async fn unless_other(&self, script: &str, effect: Effect) -> Result<Effect> {
        let place = &self.known.place;
        let target = &self.front.target;
        match self.live.evaluate(target, &place.frame, &place.parent, script, self.deadline).await {
            Ok(PageAnswer::Done(value)) => Ok(not_as_asked(&value).unwrap_or(effect)),
            Ok(PageAnswer::Dialog) => Ok(confirmed("a dialog opened")),
            // The page has moved on: that is what came of it.
            Err(DeviceError::Call { .. }) => Ok(effect),
            Err(error) => Err(error),
        }
    }

    /// Fills a field that is set whole (a date, a colour, a list); `None` for one that takes text.
    pub(crate) async fn set_whole(&self, text: &str) -> Result<Option<Effect>> {
        let PageAnswer::Done(value) = self.script("setWhole", &format!(", {}", json!(text))).await? else {
            return Ok(Some(confirmed("a dialog opened")));
        };
        if value.get("text").is_some() {
            return Ok(None);
        }
        if value.get("select").is_some() {
            return self.select(text).await.map(Some);
        }
        if value.get("disabled").is_some() {
            return Err(bad("fill", "the element cannot be edited"));
        }
        if let (Some(form), holds) = (value.get("form").and_then(Value::as_str), text_of(&value["holds"])) {
            let message =
                format!("'{text}' was not taken: write it as {form}; the field still holds '{holds}'");
            return Err(bad("fill", message));
        }
        if value.get("same").is_some() {
            return Ok(Some(Effect::SuspectedNoop));
        }
        if let Some(key) = value.get("press").and_then(Value::as_str) {
            let input = Input::new(self.live, self.front, self.deadline);
            let pressed = input.press(&WebChord::parse(key)?).await?.done();
            let mended = self.script("mendWhole", &format!(", {}", json!(text))).await?.done();
            if pressed.is_none() || mended.is_none() {
                return Ok(Some(confirmed("a dialog opened")));
            }
        }
        self.compared(text, confirmed("the field holds it")).await.map(Some)
    }

    /// `effect`, unless something else than `text` stands in the field that was filled with it.
    pub(crate) async fn compared(&self, text: &str, effect: Effect) -> Result<Effect> {
        let KnownElement { generation, index, .. } = &self.known;
        let script = format!("__waldo.standsOther({generation}, {index}, {})", json!(text));
        self.unless_other(&script, effect).await
    }

    pub(crate) async fn clear(&self) -> Result<Effect> {
        let PageAnswer::Done(value) = self.script("prepareClear", "").await? else {
            return Ok(confirmed("a dialog opened"));
        };
        if value.get("not").is_some() {
            return Err(bad("clear", "the element takes no text"));
        }
        if value.get("disabled").is_some() {
            return Err(bad("clear", "the element cannot be edited"));
        }
        if let Some(holds) = value.get("holds") {
            return Ok(Effect::NotAsAsked { found: text_of(holds).to_owned() });
        }
        if value.get("empty").is_some() {
            let set = value.get("set").is_some();
            return Ok(if set { confirmed("the field is empty") } else { Effect::SuspectedNoop });
        }
        let input = Input::new(self.live, self.front, self.deadline);
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

    pub(crate) async fn upload(&self, files: &[PathBuf]) -> Result<Effect> {
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

    fn session(&self) -> super::cdp::SessionId {
        let place = &self.known.place;
        self.live
            .tab(self.front, |tab| tab.worlds.get(&place.frame).map(|world| world.session.clone()))
            .flatten()
            .unwrap_or_else(|| place.parent.clone())
    }

    async fn object(&self) -> Result<Option<String>> {
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
    async fn ask(&self) -> Result<Option<i64>> {
        let target = &self.front.target;
        let point = self.script("pointOf", "").await?.done().unwrap_or_default();
        let (Some(x), Some(y)) = (point[0].as_f64(), point[1].as_f64()) else { return Ok(None) };
        self.live.shared().update(|state| {
            if let Some(tab) = state.tab(target) {
                tab.chooser = None;
            }
        });
        let input = Input::new(self.live, self.front, self.deadline);
        input.tap(Point::new(x, y), Clicks::Single, Button::Left, Modifiers::default()).await?;
        let asked = self.live.shared().until(self.deadline.at_most(ASKS_WITHIN).instant(), |state| {
            state.tabs.iter().find(|tab| &tab.target == target)?.chooser
        });
        Ok(asked.await)
    }
}
