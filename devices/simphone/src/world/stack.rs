//! Tasks and the activities in them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::intent::{Component, Extra, Intent};
pub use crate::ui::laid::Editing;
use crate::ui::{layout::InputState, message::Message};

/// One activity: a screen of an app, with what belongs to this very screen and dies with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// Unique in the phone's life.
    pub token: u64,
    pub component: Component,
    /// The intent that started it.
    pub intent: Intent,
    /// Text typed into fields, by the field's id. A field not in here shows what the app gave it.
    pub fields: BTreeMap<String, String>,
    /// What else the app keeps with this screen.
    pub locals: BTreeMap<String, String>,
    /// The dialog, menu or sheet in front; the app draws it in its view.
    pub overlay: Option<String>,
    /// How far each scrolling container is scrolled, in pixels, by id.
    pub scroll: BTreeMap<String, i32>,
    pub editing: Option<Editing>,
}

impl Activity {
    pub fn new(token: u64, component: Component, intent: Intent) -> Self {
        Self {
            token,
            component,
            intent,
            fields: BTreeMap::new(),
            locals: BTreeMap::new(),
            overlay: None,
            scroll: BTreeMap::new(),
            editing: None,
        }
    }

    /// What layout has to know of it.
    pub(crate) fn input_state(&self) -> InputState<'_> {
        InputState { fields: &self.fields, scroll: &self.scroll, editing: self.editing.as_ref() }
    }

    /// The activity's short class without its dot: `MainActivity`.
    pub fn name(&self) -> &str {
        let short = self.component.short_class();
        short.strip_prefix('.').unwrap_or(short)
    }

    /// An extra as text; empty where there is none.
    pub fn extra(&self, key: &str) -> String {
        self.intent.extras.get(key).map(Extra::text).unwrap_or_default()
    }

    /// What was typed into a field, if anything was.
    pub fn field(&self, id: &str) -> Option<&str> {
        self.fields.get(id).map(String::as_str)
    }

    /// What the app keeps under a name; empty where nothing.
    pub fn local(&self, key: &str) -> &str {
        self.locals.get(key).map_or("", String::as_str)
    }

    /// Keeps something with this screen.
    pub(crate) fn set_local(&mut self, key: &str, value: impl Into<String>) {
        self.locals.insert(key.to_owned(), value.into());
    }

    /// An extra that is a number.
    pub(crate) fn extra_int(&self, key: &str) -> Option<i64> {
        self.extra(key).parse().ok()
    }

    /// The id of what the screen is about, by extra or else at the end of the intent's data; 0 where none is named.
    pub fn about(&self) -> i64 {
        let data = self.intent.data.as_deref().unwrap_or("");
        let last = || data.rsplit('/').next().and_then(|id| id.parse().ok());
        self.extra_int("id").or_else(last).unwrap_or(0)
    }

    /// What was typed into a field, without spaces around it.
    pub fn typed(&self, id: &str) -> String {
        self.field(id).unwrap_or("").trim().to_owned()
    }

    /// Whether something is on that the app keeps under a name.
    pub fn is_on(&self, key: &str) -> bool {
        self.local(key) == "1"
    }

    /// Turns on or off what the app keeps under a name.
    pub fn turn(&mut self, key: &str) {
        let other = if self.is_on(key) { "0" } else { "1" };
        self.set_local(key, other);
    }

    /// Whether the search bar is open.
    pub(crate) fn searching(&self) -> bool {
        self.is_on("searching")
    }

    /// Opens the search bar.
    pub(crate) fn begin_search(&mut self) {
        self.set_local("searching", "1");
    }

    /// Closes the search bar and forgets what was searched for.
    pub(crate) fn end_search(&mut self) {
        self.set_local("searching", "");
        self.fields.remove("search_src_text");
        self.editing = None;
    }

    /// What lies over the screen, as the app's own type has it.
    pub(crate) fn over<M: Message>(&self) -> Option<M> {
        M::parse(self.overlay.as_deref()?)
    }

    /// Puts text into a field.
    pub(crate) fn set_field(&mut self, id: &str, value: impl Into<String>) {
        self.fields.insert(id.to_owned(), value.into());
        if let Some(e) = &mut self.editing
            && e.field == id
        {
            let end = self.fields.get(id).map_or(0, |t| t.chars().count());
            (e.caret, e.anchor) = (end, end);
        }
    }
}

/// A task: one entry of the recents screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Unique in the phone's life.
    pub id: u64,
    /// The package that the task belongs to.
    pub package: String,
    /// Bottom first; never empty.
    pub activities: Vec<Activity>,
}

impl Task {
    /// The activity in front.
    pub fn top(&self) -> Option<&Activity> {
        self.activities.last()
    }
}
