//! What an app is: what it says of itself, what it shows, what an event may do.
//!
//! Invariant: the world knows apps by this alone; which there are is said where they are installed.

use std::fmt::{Debug, Display};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Notification, World,
    intent::{Component, Intent},
    providers::ProviderRow,
    seed::Seed,
    settings::{Namespace, Settings},
    stack::Activity,
};
use crate::{
    clock::Civil,
    files::Vfs,
    ui::{
        icon::Icon,
        node::{Node, UiEvent},
        theme::Tone,
    },
};

/// What a package says of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manifest {
    pub package: &'static str,
    pub label: &'static str,
    pub icon: Icon,
    pub colour: Tone,
    /// Activities (`.MainActivity`), the main one first.
    pub activities: &'static [&'static str],
    /// Whether the launcher shows it.
    pub entry: LauncherEntry,
    /// Content authorities it answers for.
    pub authorities: &'static [&'static str],
    /// Tables that it stores (`authority/path`), without those that show rows of another table once more.
    pub tables: &'static [&'static str],
    pub filters: &'static [IntentFilter],
}

/// Whether the launcher shows a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LauncherEntry {
    /// As an app of the system.
    System,
    /// As an app that was installed.
    User,
    /// Not at all.
    Hidden,
}

impl Manifest {
    /// An app of an entry in the launcher, with what its sign's ground is; the rest is the caller's.
    const fn bare(
        entry: LauncherEntry,
        package: &'static str,
        label: &'static str,
        icon: Icon,
        colour: Tone,
    ) -> Self {
        Self {
            package,
            label,
            icon,
            colour,
            activities: &[],
            entry,
            authorities: &[],
            tables: &[],
            filters: &[],
        }
    }

    /// An app of the system, without activities yet.
    pub const fn system(package: &'static str, label: &'static str, icon: Icon, colour: Tone) -> Self {
        Self::bare(LauncherEntry::System, package, label, icon, colour)
    }

    /// An app that was installed, without activities yet.
    pub const fn user(package: &'static str, label: &'static str, icon: Icon, colour: Tone) -> Self {
        Self::bare(LauncherEntry::User, package, label, icon, colour)
    }
}

/// An implicit intent that an activity answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IntentFilter {
    pub action: &'static str,
    /// What the data begins with (`tel:`); empty takes an intent without data too.
    pub data: &'static str,
    /// What the type begins with (`text/`); empty takes any.
    pub mime: &'static str,
    pub activity: &'static str,
}

impl IntentFilter {
    /// An action, what the data begins with, and the activity that answers; of any type.
    pub const fn new(action: &'static str, data: &'static str, activity: &'static str) -> Self {
        Self { action, data, mime: "", activity }
    }

    /// With what the type begins with.
    pub(crate) const fn of_type(self, mime: &'static str) -> Self {
        Self { mime, ..self }
    }
}

/// What an app shows.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct AppScreen {
    pub root: Node,
    /// What lies over it, where [`Activity::overlay`] asks for something.
    pub overlay: Option<Overlay>,
    /// The ground behind it, also under the status bar.
    pub ground: Tone,
}

/// What lies over a screen, in a window of its own.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub(crate) enum Overlay {
    Dialog(Node),
    Sheet(Node),
    /// At the right of the top.
    Menu(Node),
}

impl AppScreen {
    pub fn new(root: Node) -> Self {
        Self { root, overlay: None, ground: Tone::Surface }
    }

    /// With something over it.
    pub fn over(mut self, overlay: Option<Overlay>) -> Self {
        self.overlay = overlay;
        self
    }

    /// The ground behind it.
    pub fn ground(mut self, tone: Tone) -> Self {
        self.ground = tone;
        self
    }
}

/// A task, for the recents screen.
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
    /// Uptime in milliseconds; for animations.
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
    /// The date and time of the wall clock.
    pub fn civil(&self) -> Civil {
        Civil::of(self.now)
    }

    /// A time of day as the settings want it.
    pub fn time(&self, at: Civil) -> String {
        if self.settings.get(Namespace::System, "time_12_24") == Some("12") {
            at.clock12()
        } else {
            at.clock24()
        }
    }

    /// Whether it is wider than high.
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

    /// Uptime in milliseconds.
    pub fn now_ms(&self) -> u64 {
        self.world.now_ms()
    }

    /// Starts something, once the event is done with.
    pub fn start(&mut self, intent: Intent) {
        self.effects.push(Effect::Start(intent));
    }

    /// Opens another activity of this app (`.EditActivity`), with extras.
    pub fn open(&mut self, activity: &str, extras: &[(&str, &dyn Display)]) {
        let to = Intent::to(Component::new(self.package, activity));
        self.start(extras.iter().fold(to, |i, (k, v)| i.with(k, &v.to_string())));
    }

    pub fn finish(&mut self) {
        self.effects.push(Effect::Finish);
    }

    pub(crate) fn end_task(&mut self, id: u64) {
        self.effects.push(Effect::EndTask(id));
    }

    /// Brings a task to the front.
    pub(crate) fn front_task(&mut self, id: u64) {
        self.effects.push(Effect::FrontTask(id));
    }

    /// Back has been dealt with: the activity stays.
    pub(crate) fn consume(&mut self) {
        self.consumed = true;
    }

    /// A short message near the bottom.
    pub(crate) fn toast(&mut self, text: impl Into<String>) {
        self.world.toast(text.into());
    }

    /// Posts a notification of this app.
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

    /// Takes a notification of this app away.
    pub(crate) fn unnotify(&mut self, id: u64) {
        let package = self.package;
        self.world.cancel_notification(package, id);
    }

    pub fn settings(&self) -> &Settings {
        self.world.settings()
    }

    /// Puts a setting and does what it asks for.
    pub fn put(&mut self, ns: Namespace, key: &str, value: &str) {
        self.world.put_setting(ns, key, value);
    }

    /// Turns a setting that is `0` or `1`.
    pub fn flip(&mut self, ns: Namespace, key: &str) {
        let new = if self.settings().on(ns, key) { "0" } else { "1" };
        self.put(ns, key, new);
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

    /// From JSON.
    ///
    /// # Errors
    ///
    /// It is not this app's.
    #[cfg(test)]
    fn load(&mut self, state: serde_json::Value) -> Result<(), serde_json::Error>;
}

impl<A: Serialize + DeserializeOwned> Kept for A {
    fn save(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    #[cfg(test)]
    fn load(&mut self, state: serde_json::Value) -> Result<(), serde_json::Error> {
        *self = serde_json::from_value(state)?;
        Ok(())
    }
}

pub trait App: Kept + Send + Debug + 'static {
    /// What it says of itself.
    fn manifest() -> Manifest
    where
        Self: Sized;

    /// Its state on a new phone.
    fn fresh(seed: &mut Seed) -> Self
    where
        Self: Sized;

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen;

    /// What an event does.
    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>);

    /// About once a second, in front or not: alarms, timers.
    fn second(&mut self, sys: &mut Sys<'_>) {
        let _ = sys;
    }

    /// Milliseconds between the pictures of an animation without an end; while there is one, the screen is
    /// never quiet.
    fn frame_ms(&self, at: &Activity) -> Option<u64> {
        let _ = at;
        None
    }

    /// The rows of a table (`authority/path`), each with an `_id`; nothing where there is no such table.
    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        let _ = table;
        None
    }

    /// What it stores outside of its tables, by name: settings of its own. Where its screen is does not belong here.
    fn stored(&self) -> Vec<(&'static str, serde_json::Value)> {
        Vec::new()
    }

    /// Puts a row: a new one where it has no `_id`. Gives the id.
    ///
    /// # Errors
    ///
    /// Why the row is refused.
    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        let _ = row;
        Err(format!("{table} is read-only"))
    }

    /// Deletes a row; tells whether it was there.
    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        let _ = (table, id);
        false
    }
}
