//! Tasks and activities: starting, going back, going home, and handing events to the apps.

use super::{
    Component, Intent, LAUNCHER, StartError, Started, World,
    app::{Effect, LauncherEntry, Manifest, Sys},
    compose::WindowLayer,
    ime,
    intent::{ACTION_MAIN, CATEGORY_HOME, CATEGORY_LAUNCHER, StartKind},
    stack::{Activity, Task},
    system_ui::{NavMsg, ShadeMsg, TILES},
};
use crate::ui::{
    message::Common,
    node::{UiEvent, UiEventKind},
};
use base64::Engine as _;

fn component_of(m: &Manifest, activity: &str) -> Component {
    Component::new(m.package, activity)
}

impl World {
    pub(crate) fn top(&self) -> Option<&Activity> {
        self.tasks.last()?.activities.last()
    }

    pub(crate) fn top_mut(&mut self) -> Option<&mut Activity> {
        self.tasks.last_mut()?.activities.last_mut()
    }

    fn activity_mut(&mut self, token: u64) -> Option<&mut Activity> {
        self.tasks.iter_mut().flat_map(|t| t.activities.iter_mut()).find(|a| a.token == token)
    }

    fn exists(&self, component: &Component) -> bool {
        self.installed
            .manifest(&component.package)
            .is_some_and(|m| m.activities.iter().any(|a| component_of(m, a) == *component))
    }

    /// All activities that answer an intent (`cmd package query-activities`).
    pub(crate) fn query_activities(&self, intent: &Intent) -> Vec<Component> {
        if let Some(c) = &intent.component {
            return self.exists(c).then(|| c.clone()).into_iter().collect();
        }
        let fits = |m: &&Manifest| intent.package.as_ref().is_none_or(|p| p == m.package);
        let has = |c: &str| intent.categories.iter().any(|k| k == c);
        let action = intent.action.as_deref().unwrap_or("");
        let of = |entry: fn(&Manifest) -> bool| {
            self.installed
                .manifests
                .iter()
                .filter(fits)
                .filter(|m| entry(m))
                .filter_map(|m| Some(component_of(m, m.activities.first()?)))
                .collect::<Vec<_>>()
        };
        if has(CATEGORY_HOME) {
            return of(|m| m.package == LAUNCHER);
        }
        if action == ACTION_MAIN && (has(CATEGORY_LAUNCHER) || intent.package.is_some()) {
            return of(|m| m.entry != LauncherEntry::Hidden);
        }
        let data = intent.data.as_deref().unwrap_or("");
        let mime = intent.mime.as_deref().unwrap_or("");
        self.installed
            .manifests
            .iter()
            .filter(fits)
            .flat_map(|m| {
                m.filters
                    .iter()
                    .filter(|f| f.action == action && data.starts_with(f.data) && mime.starts_with(f.mime))
                    .map(|f| component_of(m, f.activity))
            })
            .collect()
    }

    pub fn resolve(&self, intent: &Intent) -> Option<Component> {
        self.query_activities(intent).into_iter().next()
    }

    pub fn start(&mut self, intent: &Intent) -> Result<Started, StartError> {
        if let Some(c) = &intent.component
            && !self.exists(c)
        {
            return Err(StartError::NoSuchActivity(c.clone()));
        }
        let component = self.resolve(intent).ok_or(StartError::Unresolved)?;
        self.shade = super::Shade::Closed;
        self.moved();
        if component.package == LAUNCHER && !component.class.contains("Recents") {
            self.go_home();
            return Ok(Started { component, how: StartKind::BroughtToFront });
        }
        let main = self
            .installed
            .manifest(&component.package)
            .and_then(|m| Some(component_of(m, m.activities.first()?)));
        let plain = intent.action.as_deref() == Some(ACTION_MAIN) || *intent == Intent::to(component.clone());
        let entry = plain && main.as_ref() == Some(&component);
        let at = self.tasks.iter().position(|t| t.package == component.package);
        let how = match at {
            Some(at) if entry => {
                let in_front = at + 1 == self.tasks.len();
                self.front(at);
                if in_front { StartKind::DeliveredToTop } else { StartKind::BroughtToFront }
            }
            Some(at) => {
                self.front(at);
                if self.top().is_some_and(|t| t.component == component && t.intent == *intent) {
                    StartKind::DeliveredToTop
                } else {
                    self.push(component.clone(), intent.clone());
                    StartKind::New
                }
            }
            None => {
                let id = self.next_id();
                self.tasks.push(Task { id, package: component.package.clone(), activities: Vec::new() });
                self.push(component.clone(), intent.clone());
                StartKind::New
            }
        };
        let kind = if how == StartKind::DeliveredToTop { UiEventKind::NewIntent } else { UiEventKind::Shown };
        self.lifecycle(kind);
        Ok(Started { component, how })
    }

    fn push(&mut self, component: Component, intent: Intent) {
        let token = self.next_id();
        self.ime_wanted = false;
        if let Some(task) = self.tasks.last_mut() {
            task.activities.push(Activity::new(token, component, intent));
        }
    }

    fn front(&mut self, at: usize) {
        if at < self.tasks.len() {
            let task = self.tasks.remove(at);
            self.tasks.push(task);
            self.ime_wanted = false;
        }
    }

    pub(crate) fn lifecycle(&mut self, kind: UiEventKind) {
        self.hand(&UiEvent { on: String::new(), kind });
    }

    /// Home: the launcher in front, at its first page.
    pub(crate) fn go_home(&mut self) {
        self.shade = super::Shade::Closed;
        let at = self.tasks.iter().position(|t| t.package == LAUNCHER);
        if let Some(at) = at {
            self.front(at);
        } else {
            let id = self.next_id();
            self.tasks.push(Task { id, package: LAUNCHER.to_owned(), activities: Vec::new() });
        }
        let token = self.next_id();
        if let Some(task) = self.tasks.last_mut() {
            task.activities.truncate(1);
            if let Some(home) = task.activities.first_mut() {
                home.locals.clear();
                home.overlay = None;
                home.editing = None;
                home.fields.clear();
                home.scroll.clear();
            } else {
                let home = Component::new(LAUNCHER, ".Launcher");
                task.activities.push(Activity::new(token, home, Intent::default()));
            }
        }
        self.moved();
        self.lifecycle(UiEventKind::Shown);
    }

    pub(crate) fn go_recents(&mut self) {
        if self.foreground().class.ends_with("RecentsActivity") {
            // A second press goes back to the task that was left.
            if let Some(at) = self.tasks.len().checked_sub(2) {
                if let Some(launcher) = self.tasks.last_mut() {
                    launcher.activities.truncate(1);
                }
                self.front(at);
                self.moved();
                self.lifecycle(UiEventKind::Shown);
            }
            return;
        }
        self.go_home();
        self.push(Component::new(LAUNCHER, ".RecentsActivity"), Intent::default());
        self.moved();
    }

    /// Back: closes what is in front, the smallest thing first.
    pub(crate) fn go_back(&mut self) {
        if self.shade == super::Shade::Open {
            self.shade = super::Shade::Closed;
            return self.changed();
        }
        if self.ime_shown() {
            self.ime_wanted = false;
            return self.changed();
        }
        if self.top().is_some_and(|t| t.overlay.is_some()) {
            return self.close_overlay();
        }
        if !self.hand(&UiEvent { on: String::new(), kind: UiEventKind::Back }) {
            self.finish_top();
        }
    }

    pub(crate) fn close_overlay(&mut self) {
        if let Some(top) = self.top_mut() {
            top.overlay = None;
        }
        self.changed();
        self.lifecycle(UiEventKind::OverlayClosed);
    }

    fn finish_top(&mut self) {
        let Some(task) = self.tasks.last_mut() else { return };
        if task.activities.len() > 1 {
            task.activities.pop();
            self.ime_wanted = false;
            self.moved();
            self.lifecycle(UiEventKind::Shown);
        } else if task.package != LAUNCHER {
            // As since Android 12: the root of a launcher's entry goes to the back and stays as it is.
            self.go_home();
        }
    }

    /// Gives an event to the app in front. Tells whether it consumed it.
    pub(crate) fn hand(&mut self, event: &UiEvent) -> bool {
        let leaves = event.kind == UiEventKind::Back || event.message() == Some(Common::Up);
        let back = if leaves { self.scene().back.clone() } else { None };
        let Some(mut at) = self.top().cloned() else { return false };
        let package = at.component.package.clone();
        let Some((name, mut app)) = self.installed.apps.remove_entry(package.as_str()) else { return false };
        let before = at.overlay.clone();
        let mut sys = Sys { world: self, package: name, effects: Vec::new(), consumed: false };
        super::installed::give(app.as_mut(), &mut at, event, back.as_deref(), &mut sys);
        let (effects, consumed) = (sys.effects, sys.consumed);
        self.installed.apps.insert(name, app);
        if at.overlay != before {
            // The next dialog begins at its top.
            at.scroll.remove(super::compose::DIALOG_SCROLL);
        }
        let token = at.token;
        if let Some(kept) = self.activity_mut(token) {
            *kept = at;
        }
        self.changed();
        self.apply(effects, token);
        consumed
    }

    fn apply(&mut self, effects: Vec<Effect>, token: u64) {
        for effect in effects {
            match effect {
                Effect::Start(intent) => {
                    if self.start(&intent).is_err() {
                        self.toast("No app can perform this action".to_owned());
                    }
                }
                Effect::Finish => {
                    if self.top().is_some_and(|t| t.token == token) {
                        self.finish_top();
                    } else {
                        for t in &mut self.tasks {
                            t.activities.retain(|a| a.token != token);
                        }
                        self.tasks.retain(|t| !t.activities.is_empty());
                    }
                }
                Effect::EndTask(id) => {
                    self.tasks.retain(|t| t.id != id || t.package == LAUNCHER);
                    self.changed();
                }
                Effect::FrontTask(id) => {
                    if let Some(at) = self.tasks.iter().position(|t| t.id == id) {
                        if let Some(launcher) = self.tasks.iter_mut().find(|t| t.package == LAUNCHER) {
                            launcher.activities.truncate(1);
                        }
                        self.front(at);
                        self.moved();
                        self.lifecycle(UiEventKind::Shown);
                    }
                }
            }
        }
    }

    pub(crate) fn seconds(&mut self) {
        let names: Vec<&'static str> = self.installed.apps.keys().copied().collect();
        for name in names {
            let Some(mut app) = self.installed.apps.remove(name) else { continue };
            let mut sys = Sys { world: self, package: name, effects: Vec::new(), consumed: false };
            app.second(&mut sys);
            let effects = sys.effects;
            self.installed.apps.insert(name, app);
            self.apply(effects, 0);
        }
    }

    pub(crate) fn force_stop(&mut self, package: &str) {
        let was_front = self.foreground().package == package;
        self.tasks.retain(|t| t.package != package);
        self.notifications.retain(|n| n.package != package);
        if was_front || self.tasks.is_empty() {
            self.go_home();
        }
        self.changed();
    }

    /// Sends a broadcast. As on a device, the result does not tell whether anyone did something.
    pub fn broadcast(&mut self, intent: &Intent) {
        let action = intent.action.clone().unwrap_or_default();
        if self.ime_current == ime::ADB_IME && self.ime_shown() {
            match (action.as_str(), intent.extras.get("msg")) {
                ("ADB_INPUT_TEXT", Some(m)) => {
                    self.ime_commit(m);
                }
                ("ADB_INPUT_B64", Some(m)) => {
                    let bytes = base64::engine::general_purpose::STANDARD.decode(m.trim());
                    if let Some(text) = bytes.ok().and_then(|b| String::from_utf8(b).ok()) {
                        self.ime_commit(&text);
                    }
                }
                ("ADB_CLEAR_TEXT", _) => {
                    self.ime_clear();
                }
                _ => {}
            }
        }
    }

    pub(crate) fn deliver(&mut self, layer: WindowLayer, event: &UiEvent) {
        match layer {
            WindowLayer::App | WindowLayer::Overlay => {
                self.hand(event);
            }
            // The lock screen leaves none of its buttons.
            WindowLayer::Nav if self.lock().is_some() => {}
            WindowLayer::Nav => match event.message() {
                Some(NavMsg::Back) => self.go_back(),
                Some(NavMsg::Home) => self.go_home(),
                Some(NavMsg::Recents) => self.go_recents(),
                None => {}
            },
            WindowLayer::Ime => self.ime_key(event.message()),
            WindowLayer::Shade => self.shade_event(event),
            WindowLayer::Status | WindowLayer::Toast => {}
        }
    }

    fn shade_event(&mut self, event: &UiEvent) {
        self.changed();
        let place = |w: &Self, package: &str, id| {
            w.notifications.iter().position(|n| n.package == package && n.id == id)
        };
        match event.message() {
            Some(ShadeMsg::Close) => self.shade = super::Shade::Closed,
            Some(ShadeMsg::Clear) => {
                self.notifications.retain(|n| n.ongoing);
                self.shade = super::Shade::Closed;
            }
            Some(ShadeMsg::Brightness) => {
                if let UiEventKind::Value(v) = event.kind {
                    self.put_setting(super::Namespace::System, "screen_brightness", &v.to_string());
                }
            }
            Some(ShadeMsg::Tile(tile)) => {
                if let Some((_, _, ns, key, yes, no)) = TILES.get(tile) {
                    let new = if self.settings.get(*ns, key) == Some(*yes) { no } else { yes };
                    self.put_setting(*ns, key, new);
                }
            }
            Some(ShadeMsg::Dismiss(package, id)) => {
                if let Some(at) = place(self, &package, id) {
                    self.notifications.remove(at);
                }
            }
            Some(ShadeMsg::Open(package, id)) => {
                let Some(at) = place(self, &package, id) else { return };
                let Some(note) = self.notifications.get(at).cloned() else { return };
                if !note.ongoing {
                    self.notifications.remove(at);
                }
                self.shade = super::Shade::Closed;
                if let Some(intent) = note.intent {
                    let _ = self.start(&intent);
                }
            }
            None => {}
        }
    }
}
