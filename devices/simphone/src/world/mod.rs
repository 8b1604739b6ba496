//! What holds the phone together: activities, windows, input, settings, providers.

mod actions;
mod activities;
pub(crate) mod app;
pub(crate) mod compose;
mod configuration;
pub mod display;
mod edit;
pub(crate) mod evdev;
pub(crate) mod ime;
mod installed;
pub mod intent;
mod lock;
mod manifest;
mod packages;
pub(crate) mod props;
pub mod providers;
mod query;
pub(crate) mod second;
pub(crate) mod seed;
pub mod settings;
pub(crate) mod stack;
mod stores;
pub(crate) mod system_ui;
pub(crate) mod tables;
mod touch;
mod types;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use image::RgbaImage;

pub use crate::ui::node::TouchPhase;
use crate::{
    fault::{Faults, PhoneFault},
    files::Vfs,
    options::{ColorScheme, PhoneOptions},
    ui::{paint::Signs, text::TextFaces},
};
use display::{Display, Rotation};
use ime::{ImeError, ImeState};
pub(crate) use installed::{Installed, SystemImage};
use intent::{Component, Intent, StartError, Started};
use props::Props;
use second::Second;
use settings::{Namespace, Settings};
use stack::{Activity, Task};
use system_ui::KeyboardPage;
pub(crate) use types::NoKey;
pub use types::{DumpError, Notification, PackageInfo, Shade, WindowInfo};

pub const LAUNCHER: &str = "com.android.launcher3";
pub const SETTINGS: &str = "com.android.settings";
const TOAST_MS: u64 = 2_000;
/// How long a change of screens is under way at animation scale 1.
const MOVE_MS: f64 = 250.0;

/// The whole phone but its clock and its wires.
#[derive(Debug)]
pub struct World {
    options: PhoneOptions,
    image: SystemImage,
    /// Uptime in milliseconds as of the last tick.
    pub now_ms: u64,
    pub display: Display,
    pub settings: Settings,
    pub props: Props,
    pub files: Vfs,
    pub faults: Faults,
    installed: Installed,
    tasks: Vec<Task>,
    ids: u64,
    pub notifications: Vec<Notification>,
    toast: Option<(String, u64)>,
    pub shade: Shade,
    shade_state: Activity,
    ime_current: String,
    ime_enabled: Vec<String>,
    ime_wanted: bool,
    keys: KeyboardPage,
    clipboard: String,
    pub interactive: bool,
    pub inputs: evdev::Inputs,
    second: Option<Second>,
    gesture: Option<touch::Gesture>,
    fling: Option<touch::Fling>,
    last_tap: Option<(u64, i32, i32)>,
    reveal: bool,
    generation: u64,
    last_event_ms: u64,
    last_second: u64,
    last_minute: i64,
    scene: Option<(u64, Arc<compose::WindowStack>)>,
    picture: Option<(u64, Arc<RgbaImage>)>,
    last_dump: Option<String>,
    text: TextFaces,
    signs: Signs,
}

impl World {
    pub(crate) fn new(options: &PhoneOptions, image: SystemImage) -> Self {
        let mut settings = Settings::fresh();
        let night = if options.look == ColorScheme::Dark { "2" } else { "1" };
        settings.put(Namespace::Secure, "ui_night_mode", night);
        settings.put(Namespace::Global, "device_name", &options.model);
        let mut world = Self {
            options: options.clone(),
            image,
            now_ms: 0,
            display: Display {
                physical: (options.width, options.height),
                size_override: None,
                density: options.density_dpi,
                density_override: None,
                rotation: Rotation::R0,
            },
            settings,
            props: Props::of(options),
            files: Vfs::default(),
            faults: Faults::default(),
            installed: (image.install)(options.seed, options.start_time),
            tasks: Vec::new(),
            ids: 0,
            notifications: Vec::new(),
            toast: None,
            shade: Shade::Closed,
            shade_state: Activity::new(
                0,
                Component::new("com.android.systemui", ".Shade"),
                Intent::default(),
            ),
            ime_current: ime::LATIN_IME.to_owned(),
            ime_enabled: vec![ime::LATIN_IME.to_owned()],
            ime_wanted: false,
            keys: KeyboardPage::Small,
            clipboard: String::new(),
            interactive: true,
            inputs: evdev::Inputs::built_in((options.width, options.height)),
            second: options.second.map(Second::of),
            gesture: None,
            fling: None,
            last_tap: None,
            reveal: false,
            generation: 0,
            last_event_ms: 0,
            last_second: 0,
            last_minute: 0,
            scene: None,
            picture: None,
            last_dump: None,
            text: TextFaces::default(),
            signs: Signs::default(),
        };
        world.files.set_now(options.start_time);
        world.put_boot_id(&lock::new_boot_id());
        (image.lay)(&mut world.files, options.seed, options.start_time);
        world.go_home();
        world.last_event_ms = 0;
        world
    }

    /// Something on the screen is different: an accessibility event, and a picture to paint.
    pub(crate) fn changed(&mut self) {
        self.generation += 1;
        self.last_event_ms = self.last_event_ms.max(self.now_ms);
    }

    /// The screen is another: as `changed`, and the change takes its time.
    pub(crate) fn moved(&mut self) {
        self.changed();
        let scale = self.settings.real(Namespace::Global, "transition_animation_scale").unwrap_or(1.0);
        let takes = (MOVE_MS * scale.clamp(0.0, 10.0)) as u64;
        self.last_event_ms = self.now_ms + takes;
    }

    pub(crate) fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    pub fn tick(&mut self, now_ms: u64) {
        self.now_ms = self.now_ms.max(now_ms);
        self.files.set_now(self.wall());
        // Apps write at once when an event comes: the fault must hold before it does.
        self.files.set_capacity(if self.faults.has("low-storage") { 0 } else { Vfs::CAPACITY });
        self.hold(self.now_ms);
        self.run_fling();
        if self.toast.as_ref().is_some_and(|(_, until)| *until <= self.now_ms) {
            self.toast = None;
            self.generation += 1;
        }
        if self.wall() / 60 != self.last_minute {
            // The clock's minute is painted, but is not an accessibility event of the active window.
            self.last_minute = self.wall() / 60;
            self.generation += 1;
        }
        if self.now_ms / 1000 != self.last_second {
            self.last_second = self.now_ms / 1000;
            self.seconds();
        }
        if let Some(every) = self.animation() {
            let now = self.now_ms / every.max(1);
            if self.last_event_ms / every.max(1) != now {
                self.changed();
            }
        }
    }

    /// Milliseconds between pictures of the front app's endless animation, if it has one.
    fn animation(&self) -> Option<u64> {
        let top = self.top()?;
        self.installed.apps.get(top.component.package.as_str())?.frame_ms(top)
    }

    /// The wall clock: seconds since 1970 UTC.
    pub fn wall(&self) -> i64 {
        self.options.start_time + i64::try_from(self.now_ms / 1000).unwrap_or(0)
    }

    /// Milliseconds since the last accessibility event; 0 while an animation runs.
    pub(crate) fn quiet_for_ms(&self) -> u64 {
        if self.fling.is_some() || self.animation().is_some() {
            return 0;
        }
        self.now_ms.saturating_sub(self.last_event_ms)
    }

    /// Makes all anew, from a seed: contents, settings, overrides, faults, files. Uptime and boot go on.
    pub fn reset(&mut self, seed: u64) {
        let options = PhoneOptions { seed, ..self.options.clone() };
        let (now_ms, generation) = (self.now_ms, self.generation);
        let boot = self.boot_id();
        *self = Self::new(&options, self.image);
        self.put_boot_id(&boot);
        (self.now_ms, self.generation, self.last_event_ms) = (now_ms, generation + 1, now_ms);
    }

    /// Off and on again: contents, files and settings stay; tasks, notifications, the clipboard and gestures are gone.
    pub fn reboot(&mut self) {
        self.tasks.clear();
        self.notifications.clear();
        self.clipboard.clear();
        (self.toast, self.gesture, self.fling, self.last_tap) = (None, None, None, None);
        (self.ime_wanted, self.interactive) = (false, true);
        self.inputs = evdev::Inputs::built_in((self.options.width, self.options.height));
        self.put_boot_id(&lock::new_boot_id());
        self.go_home();
        self.moved();
    }

    /// All that can be known of the phone, as JSON: for `simctl state` and for checks.
    pub(crate) fn state_json(&self) -> serde_json::Value {
        let table = |ns| {
            self.settings
                .list(ns)
                .map(|(k, v)| (k.to_owned(), serde_json::Value::from(v)))
                .collect::<serde_json::Map<_, _>>()
        };
        let apps: serde_json::Map<String, serde_json::Value> =
            self.installed.apps.iter().map(|(k, a)| ((*k).to_owned(), a.save())).collect();
        serde_json::json!({
            "seed": self.options.seed,
            "wall": self.wall(),
            "uptime_ms": self.now_ms,
            "foreground": self.foreground().to_string(),
            "front": self.top(),
            "tasks": self.stack(),
            "shade": self.shade,
            "toast": self.toast.as_ref().map(|t| &t.0),
            "interactive": self.interactive,
            "ime": self.ime(),
            "display": self.display,
            "settings": {
                "system": table(Namespace::System),
                "secure": table(Namespace::Secure),
                "global": table(Namespace::Global),
            },
            "notifications": self.notifications,
            "faults": self.faults,
            "apps": apps,
        })
    }

    pub(crate) fn set_interactive(&mut self, on: bool) {
        self.interactive = on;
        self.changed();
    }

    /// The activity in front (under the shade or a dialog, too).
    pub fn foreground(&self) -> Component {
        self.top().map_or_else(|| Component::new(LAUNCHER, ".Launcher"), |t| t.component.clone())
    }

    pub fn stack(&self) -> Vec<&Task> {
        self.tasks.iter().rev().collect()
    }

    /// Posts a notification, in place of one with its package and id.
    pub(crate) fn notify(&mut self, notification: Notification) {
        self.cancel_notification(&notification.package.clone(), notification.id);
        self.notifications.insert(0, notification);
    }

    fn cancel_notification(&mut self, package: &str, id: u64) {
        self.notifications.retain(|n| n.package != package || n.id != id);
        self.changed();
    }

    pub(crate) fn toast(&mut self, text: String) {
        self.toast = Some((text, self.now_ms + TOAST_MS));
        self.changed();
    }

    /// `cmd statusbar expand-notifications` and `collapse`.
    pub(crate) fn set_shade(&mut self, shade: Shade) {
        self.shade = shade;
        self.shade_state.scroll.clear();
        self.moved();
    }

    pub fn faults_mut(&mut self) -> &mut Faults {
        self.generation += 1;
        &mut self.faults
    }

    /// The first fault that `wanted` takes, counting one use of it.
    pub(crate) fn take_fault(&mut self, wanted: impl Fn(&PhoneFault) -> bool) -> Option<PhoneFault> {
        self.faults.take(wanted)
    }
}
