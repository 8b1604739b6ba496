use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::intent::{Component, Intent};
pub use crate::ui::laid::Editing;
use crate::ui::layout::InputState;

/// One activity: a screen of an app, with what belongs to this very screen and dies with it.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    pub token: u64,
    pub component: Component,
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
        Self { token, component, intent, ..Self::default() }
    }

    pub(crate) fn input_state(&self) -> InputState<'_> {
        InputState { fields: &self.fields, scroll: &self.scroll, editing: self.editing.as_ref() }
    }

    /// The activity's short class without its dot: `MainActivity`.
    pub fn name(&self) -> &str {
        let short = self.component.short_class();
        short.strip_prefix('.').unwrap_or(short)
    }

    /// What a layout is told of it; `over` is the overlay's name, then what it is about.
    pub(crate) fn facts(&self) -> serde_json::Value {
        let over = self.overlay.as_deref().map(|over| over.splitn(2, '/').collect::<Vec<_>>());
        serde_json::json!({
            "name": self.name(), "about": self.about(), "over": over, "locals": self.locals, "fields": self.fields,
            "extras": self.intent.extras, "data": self.intent.data,
        })
    }

    pub fn extra(&self, key: &str) -> String {
        self.intent.extras.get(key).cloned().unwrap_or_default()
    }

    pub fn field(&self, id: &str) -> Option<&str> {
        self.fields.get(id).map(String::as_str)
    }

    /// What the app keeps under a name; empty where nothing.
    pub fn local(&self, key: &str) -> &str {
        self.locals.get(key).map_or("", String::as_str)
    }

    pub(crate) fn set_local(&mut self, key: &str, value: impl Into<String>) {
        self.locals.insert(key.to_owned(), value.into());
    }

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

    pub(crate) fn searching(&self) -> bool {
        self.is_on("searching")
    }

    pub(crate) fn begin_search(&mut self) {
        self.set_local("searching", "1");
    }

    pub(crate) fn end_search(&mut self) {
        self.set_local("searching", "");
        self.fields.remove("search_src_text");
        self.editing = None;
    }

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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Unique in the phone's life.
    pub id: u64,
    pub package: String,
    /// Bottom first; never empty.
    pub activities: Vec<Activity>,
}

impl Task {
    pub fn top(&self) -> Option<&Activity> {
        self.activities.last()
    }
}
