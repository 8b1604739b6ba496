//! The settings tables: `system`, `secure` and `global`.

use super::providers::Row;
use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// One of the three tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Namespace {
    /// `system`.
    System,
    /// `secure`.
    Secure,
    /// `global`.
    Global,
}

/// No such table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid namespace {0:?}; known: system, secure, global")]
pub struct UnknownNamespace(pub String);

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "system",
            Self::Secure => "secure",
            Self::Global => "global",
        })
    }
}

impl FromStr for Namespace {
    type Err = UnknownNamespace;

    fn from_str(s: &str) -> Result<Self, UnknownNamespace> {
        match s.to_ascii_lowercase().as_str() {
            "system" => Ok(Self::System),
            "secure" => Ok(Self::Secure),
            "global" => Ok(Self::Global),
            other => Err(UnknownNamespace(other.to_owned())),
        }
    }
}

/// All three tables. Values are text, as on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    system: BTreeMap<String, String>,
    secure: BTreeMap<String, String>,
    global: BTreeMap<String, String>,
}

impl Settings {
    /// What a new phone has.
    pub fn fresh() -> Self {
        let table = |rows: &[(&str, &str)]| rows.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        Self {
            system: table(&[
                ("accelerometer_rotation", "0"),
                ("user_rotation", "0"),
                ("screen_brightness", "128"),
                ("screen_brightness_mode", "0"),
                ("screen_off_timeout", "60000"),
                ("font_scale", "1.0"),
                ("time_12_24", "24"),
                ("haptic_feedback_enabled", "1"),
                ("sound_effects_enabled", "1"),
                ("vibrate_when_ringing", "0"),
                ("volume_music", "5"),
                ("volume_ring", "5"),
                ("volume_alarm", "6"),
                ("volume_notification", "5"),
                ("volume_voice", "4"),
                ("ringtone", "Horizon"),
                ("alarm_alert", "Sunrise"),
            ]),
            secure: table(&[
                ("android_id", "77616c646f303031"),
                ("default_input_method", super::ime::LATIN_IME),
                ("enabled_input_methods", super::ime::LATIN_IME),
                ("show_ime_with_hard_keyboard", "0"),
                ("location_mode", "3"),
                ("ui_night_mode", "1"),
                ("user_setup_complete", "1"),
                ("lock_screen_show_notifications", "1"),
                ("night_display_activated", "0"),
                ("icon_blacklist", ""),
            ]),
            global: table(&[
                ("adb_enabled", "1"),
                ("airplane_mode_on", "0"),
                ("auto_time", "1"),
                ("auto_time_zone", "1"),
                ("bluetooth_on", "1"),
                ("data_roaming", "0"),
                ("development_settings_enabled", "0"),
                ("device_name", "Waldo Phone"),
                ("device_provisioned", "1"),
                ("heads_up_notifications_enabled", "1"),
                ("low_power", "0"),
                ("mobile_data", "1"),
                ("mode_ringer", "2"),
                ("stay_on_while_plugged_in", "0"),
                ("wifi_on", "1"),
                ("zen_mode", "0"),
                ("window_animation_scale", "1.0"),
                ("transition_animation_scale", "1.0"),
                ("animator_duration_scale", "1.0"),
            ]),
        }
    }

    fn table(&self, ns: Namespace) -> &BTreeMap<String, String> {
        match ns {
            Namespace::System => &self.system,
            Namespace::Secure => &self.secure,
            Namespace::Global => &self.global,
        }
    }

    fn table_mut(&mut self, ns: Namespace) -> &mut BTreeMap<String, String> {
        match ns {
            Namespace::System => &mut self.system,
            Namespace::Secure => &mut self.secure,
            Namespace::Global => &mut self.global,
        }
    }

    /// One value.
    pub fn get(&self, ns: Namespace, key: &str) -> Option<&str> {
        self.table(ns).get(key).map(String::as_str)
    }

    /// One value as a whole number; nothing where it is not a number.
    pub fn int(&self, ns: Namespace, key: &str) -> Option<i64> {
        self.get(ns, key)?.trim().parse().ok()
    }

    /// One value as a fraction.
    pub fn real(&self, ns: Namespace, key: &str) -> Option<f64> {
        self.get(ns, key)?.trim().parse().ok()
    }

    /// Whether a value is `1`.
    pub fn on(&self, ns: Namespace, key: &str) -> bool {
        self.get(ns, key) == Some("1")
    }

    /// All rows of a table, by key.
    pub fn list(&self, ns: Namespace) -> impl Iterator<Item = (&str, &str)> {
        self.table(ns).iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The table of a provider's path (`settings/secure`), and the one setting where it names one.
    pub fn place(path: &str) -> Option<(Namespace, Option<&str>)> {
        let mut parts = path.split('/');
        let (authority, table, name) = (parts.next()?, parts.next()?, parts.next());
        let ns = match table {
            "system" => Namespace::System,
            "secure" => Namespace::Secure,
            "global" => Namespace::Global,
            _ => return None,
        };
        (authority == "settings").then_some((ns, name))
    }

    /// The rows of such a path; nothing where it is none.
    pub fn rows(&self, path: &str) -> Option<Vec<Row>> {
        let (ns, only) = Self::place(path)?;
        let rows = self.list(ns).zip(1_i64..).filter(|((name, _), _)| only.is_none_or(|only| only == *name));
        Some(
            rows.map(|((name, value), id)| {
                Row::default().with("_id", id).with("name", name).with("value", value)
            })
            .collect(),
        )
    }

    /// Puts a value. The world's own `put_setting` also does what the value asks for.
    pub fn put(&mut self, ns: Namespace, key: &str, value: &str) {
        self.table_mut(ns).insert(key.to_owned(), value.to_owned());
    }

    /// Takes a value out; tells whether it was there.
    pub fn delete(&mut self, ns: Namespace, key: &str) -> Option<String> {
        self.table_mut(ns).remove(key)
    }
}
