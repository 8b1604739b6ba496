//! What packages say of themselves, read from `assets/apps.txt`.

use std::sync::LazyLock;

use crate::{
    lists::{self, List},
    ui::{icon::Icon, markup, theme::Tone},
};

static APPS: LazyLock<Vec<List>> = LazyLock::new(|| lists::read(include_str!("../../assets/apps.txt")));

#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub package: &'static str,
    pub label: &'static str,
    pub icon: Icon,
    pub colour: Tone,
    /// Activities (`.MainActivity`), the main one first.
    pub activities: Vec<&'static str>,
    pub entry: LauncherEntry,
    pub authorities: Vec<&'static str>,
    /// Tables that it stores (`authority/path`), without those that show rows of another table once more.
    pub tables: Vec<&'static str>,
    pub filters: Vec<IntentFilter>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LauncherEntry {
    System,
    User,
    Hidden,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IntentFilter {
    pub activity: &'static str,
    pub action: &'static str,
    /// What the data begins with (`tel:`); empty takes an intent without data too.
    pub data: &'static str,
    /// What the type begins with (`text/`); empty takes any.
    pub mime: &'static str,
    pub page: &'static str,
}

impl Manifest {
    pub(crate) fn of(package: &'static str) -> Self {
        let mut manifest = Self {
            package,
            label: package,
            icon: Icon::Square,
            colour: Tone::Line,
            activities: Vec::new(),
            entry: LauncherEntry::Hidden,
            authorities: Vec::new(),
            tables: Vec::new(),
            filters: Vec::new(),
        };
        for entry in lists::entries(&APPS, package) {
            // A field that is empty stands between two bars alone.
            let mut fields = entry.split('|').map(str::trim);
            let kind = fields.next().unwrap_or_default();
            let [a, b, c, d, e] = std::array::from_fn(|_| fields.next().unwrap_or_default());
            let words = || a.split_ascii_whitespace().collect();
            match kind {
                "activities" => manifest.activities = words(),
                "authorities" => manifest.authorities = words(),
                "tables" => manifest.tables = words(),
                "intent" => {
                    manifest.filters.push(IntentFilter { activity: a, action: b, data: c, mime: d, page: e })
                }
                _ => {
                    manifest.entry = match a {
                        "system" => LauncherEntry::System,
                        "user" => LauncherEntry::User,
                        _ => LauncherEntry::Hidden,
                    };
                    manifest.label = b;
                    manifest.icon = markup::named(c).unwrap_or(manifest.icon);
                    manifest.colour = markup::tone(d).unwrap_or(manifest.colour);
                }
            }
        }
        manifest
    }

    pub(crate) fn facts(&self) -> serde_json::Value {
        serde_json::json!({
            "package": self.package, "label": self.label, "icon": self.icon, "colour": self.colour.hex(),
            "shown": self.entry != LauncherEntry::Hidden,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_app_names_what_there_is_and_every_setting_of_an_intent_its_page() {
        for (package, _) in APPS.iter() {
            let app = Manifest::of(package);
            assert!(
                app.label != *package && app.colour != Tone::Line && !app.activities.is_empty(),
                "{package}"
            );
            for filter in &app.filters {
                assert!(app.activities.contains(&filter.activity), "{filter:?}");
                assert_eq!(filter.activity == ".SubSettings", !filter.page.is_empty(), "{filter:?}");
            }
        }
    }
}
