//! What the screen is set to: size, density, rotation, light or dark, and the settings that say so.
//!
//! Invariant: what a setting asks for holds as soon as it is written, whoever wrote it.

use super::World;
use super::display::Rotation;
use super::ime;
use super::settings::Namespace;
use crate::options::ColorScheme;

impl World {
    /// `wm size`: pixels, upright; nothing puts it back.
    pub(crate) fn set_size_override(&mut self, size: Option<(u32, u32)>) {
        self.display.size_override = size.filter(|(w, h)| *w > 0 && *h > 0);
        self.moved();
    }

    /// `wm density`: dots per inch; nothing puts it back.
    pub(crate) fn set_density_override(&mut self, dpi: Option<u32>) {
        self.display.density_override = dpi.filter(|d| *d > 0);
        self.moved();
    }

    /// Turned and locked, or free.
    pub fn set_user_rotation(&mut self, rotation: Option<Rotation>) {
        match rotation {
            Some(r) => {
                self.settings.put(Namespace::System, "user_rotation", &r.index().to_string());
                self.put_setting(Namespace::System, "accelerometer_rotation", "0");
            }
            None => self.put_setting(Namespace::System, "accelerometer_rotation", "1"),
        }
    }

    pub fn look(&self) -> ColorScheme {
        if self.settings.get(Namespace::Secure, "ui_night_mode") == Some("2") {
            ColorScheme::Dark
        } else {
            ColorScheme::Light
        }
    }

    /// Puts a setting and does what it asks for (rotation, look, input method…).
    pub fn put_setting(&mut self, ns: Namespace, key: &str, value: &str) {
        self.settings.put(ns, key, value);
        self.follow_settings();
    }

    pub(crate) fn delete_setting(&mut self, ns: Namespace, key: &str) -> bool {
        let was = self.settings.delete(ns, key).is_some();
        self.follow_settings();
        was
    }

    fn follow_settings(&mut self) {
        // The phone lies on its back: its sensor says upright.
        let rotation = if self.settings.on(Namespace::System, "accelerometer_rotation") {
            Rotation::R0
        } else {
            Rotation::of(self.settings.int(Namespace::System, "user_rotation").unwrap_or(0))
        };
        if rotation != self.display.rotation {
            self.display.rotation = rotation;
            self.gesture = None;
            self.moved();
        }
        if let Some(id) = self.settings.get(Namespace::Secure, "default_input_method")
            && (id == ime::LATIN_IME || id == ime::ADB_IME)
        {
            self.ime_current = id.to_owned();
        }
        self.changed();
    }
}
