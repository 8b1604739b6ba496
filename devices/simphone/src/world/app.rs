//! What an app is: what it says of itself, what it shows, what an event may do.
//!
//! Invariant: the world knows apps by this alone; which there are is said where they are installed.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

pub use super::manifest::{LauncherEntry, Manifest};
pub use crate::ui::markup::AppScreen;

use super::{
    Notification, World,
    intent::{Component, Intent},
    providers::ProviderRow,
    seed::Seed,
    settings::{Namespace, Settings},
    stack::Activity,
    tables,
};
use crate::{
    clock::Civil,
    files::Vfs,
    ui::{
        markup::{self, LayoutError},
        node::{Node, UiEvent},
        shape::Shape,
    },
};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaskCard {
    pub id: u64,
    pub app: Manifest,
}

/// What a view may know besides its app's own state.
#[derive(Debug)]
pub(crate) struct Cx<'a> {
    /// Wall clock, seconds since 1970.
    pub now: i64,
    pub now_ms: u64,
    /// Width in dp, between the edges of the screen.
    pub width: f32,
    /// Height in dp, between the system's bars.
    pub height: f32,
    pub settings: &'a Settings,
    pub installed: &'a [Manifest],
    /// Tasks but the launcher's, the last used first.
    pub tasks: &'a [TaskCard],
    pub files: &'a Vfs,
    /// The phone's model, release and the like.
    pub props: &'a super::props::Props,
}

impl Cx<'_> {
    pub fn time(&self, at: Civil) -> String {
        if self.settings.get(Namespace::System, "time_12_24") == Some("12") {
            at.clock12()
        } else {
            at.clock24()
        }
    }

    pub(crate) fn facts(&self) -> serde_json::Value {
        let twelve = self.settings.get(Namespace::System, "time_12_24") == Some("12");
        let room = self.files.room();
        serde_json::json!({
            "full": room.used >= room.total, "now": self.now, "now_ms": self.now_ms, "width": self.width, "height": self.height, "wide": self.landscape(), "twelve": twelve,
        })
    }

    pub(crate) fn landscape(&self) -> bool {
        self.width > self.height
    }
}

pub(crate) enum Effect {
    Start(Intent),
    Finish,
    EndTask(u64),
    FrontTask(u64),
}

/// What an event may do to the phone besides its app's own state.
pub(crate) struct Sys<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) package: &'static str,
    pub(crate) effects: Vec<Effect>,
    pub(crate) consumed: bool,
}

impl Sys<'_> {
    /// Wall clock, seconds since 1970.
    pub fn now(&self) -> i64 {
        self.world.wall()
    }

    pub fn now_ms(&self) -> u64 {
        self.world.now_ms
    }

    /// Starts something, once the event is done with.
    pub fn start(&mut self, intent: Intent) {
        self.effects.push(Effect::Start(intent));
    }

    pub fn open(&mut self, activity: &str, extras: impl IntoIterator<Item = (String, String)>) {
        let to = Intent::to(Component::new(self.package, activity));
        self.start(Intent { extras: extras.into_iter().collect(), ..to });
    }

    pub fn finish(&mut self) {
        self.effects.push(Effect::Finish);
    }

    pub(crate) fn end_task(&mut self, id: u64) {
        self.effects.push(Effect::EndTask(id));
    }

    pub(crate) fn front_task(&mut self, id: u64) {
        self.effects.push(Effect::FrontTask(id));
    }

    /// Back has been dealt with: the activity stays.
    pub(crate) fn consume(&mut self) {
        self.consumed = true;
    }

    pub(crate) fn toast(&mut self, text: impl Into<String>) {
        self.world.toast(text.into());
    }

    pub(crate) fn notify(&mut self, id: u64, title: &str, text: &str, intent: Option<Intent>) {
        let when = self.now();
        self.world.notify(Notification {
            id,
            package: self.package.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            when,
            intent,
            ongoing: false,
        });
    }

    pub(crate) fn unnotify(&mut self, id: u64) {
        let package = self.package;
        self.world.cancel_notification(package, id);
    }

    pub fn settings(&self) -> &Settings {
        &self.world.settings
    }

    pub fn put(&mut self, ns: Namespace, key: &str, value: &str) {
        self.world.put_setting(ns, key, value);
    }

    /// Whether nothing more can be kept: the `low-storage` fault, or files up to the brim.
    pub(crate) fn storage_full(&self) -> bool {
        let room = self.world.files.room();
        room.used >= room.total
    }

    /// Width and height of the room between the system's bars in dp: what [`Cx`] tells a view.
    pub(crate) fn canvas_size(&self) -> (f32, f32) {
        self.world.room_dp()
    }

    /// The whole phone but this app: files, other apps' providers.
    pub fn world(&mut self) -> &mut World {
        self.world
    }
}

/// What is kept of an app: all that serde knows of it.
pub trait Kept {
    fn save(&self) -> serde_json::Value;

    fn load(&mut self, state: serde_json::Value) -> Result<(), serde_json::Error>;
}

impl<A: Serialize + DeserializeOwned> Kept for A {
    fn save(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn load(&mut self, state: serde_json::Value) -> Result<(), serde_json::Error> {
        *self = serde_json::from_value(state)?;
        Ok(())
    }
}

pub trait App: Kept + Send + Debug + 'static {
    fn fresh(seed: &mut Seed) -> Self
    where
        Self: Sized;

    /// What its layout is told beside its state, in an object.
    fn facts(&self, _at: &Activity, _cx: &Cx<'_>) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// What is drawn on a canvas of its layout, of so many dp.
    fn draw(&self, _canvas: &str, _size: (f32, f32), _at: &Activity, _cx: &Cx<'_>) -> Vec<Shape> {
        Vec::new()
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let mut facts = self.save();
        for more in [self.facts(at, cx), cx.facts(), serde_json::json!({ "at": at.facts() })] {
            if let (Some(facts), serde_json::Value::Object(more)) = (facts.as_object_mut(), more) {
                facts.extend(more);
            }
        }
        let draw = |canvas: &str, w: f32, h: f32| self.draw(canvas, (w, h), at, cx);
        markup::screen(&at.component.package, &facts, &draw).unwrap_or_else(|error: LayoutError| {
            tracing::error!("{}: {error}", at.component);
            AppScreen::new(Node::text(error.to_string()))
        })
    }

    fn on_event(&mut self, _at: &mut Activity, _ev: &UiEvent, _sys: &mut Sys<'_>) {}

    /// About once a second, in front or not: alarms, timers.
    fn second(&mut self, _sys: &mut Sys<'_>) {}

    /// Milliseconds between the pictures of an endless animation, during which the screen is never quiet.
    fn frame_ms(&self, _at: &Activity) -> Option<u64> {
        None
    }

    /// The rows of a table (`authority/path`), each with an `_id`; nothing where there is no such table.
    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        tables::rows(&self.save(), table)
    }

    /// What it stores outside of its tables, by name: settings of its own. Where its screen is does not belong here.
    fn stored(&self) -> Vec<(&'static str, serde_json::Value)> {
        Vec::new()
    }

    /// Puts a row: a new one where it has no `_id`. Gives the id.
    fn put_row(&mut self, table: &str, _row: &ProviderRow) -> Result<i64, String> {
        Err(format!("{table} is read-only"))
    }

    fn delete_row(&mut self, _table: &str, _id: i64) -> bool {
        false
    }
}
