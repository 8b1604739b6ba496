//! The pages of the settings: rows as `assets/settings.txt` has them, and what only the phone knows to say in them.

use std::sync::LazyLock;

use super::{Msg, Over, SettingsApp, is_dark, places, sign};
use crate::{
    apps::prelude::*,
    lists::{self, List},
    world::{props::ADDRESS, settings::Namespace::Global},
};

static PAGES: LazyLock<Vec<List>> =
    LazyLock::new(|| lists::read(include_str!("../../../assets/settings.txt")));

/// A row, and the title that it is found by.
pub(super) type SettingRow = (String, Node);

/// A setting with the values that it can be chosen from, each with its label.
pub(super) struct SettingChoice {
    pub(super) table: Namespace,
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) values: Vec<(&'static str, &'static str)>,
}

impl SettingChoice {
    /// The value in force; the first where nothing was chosen yet.
    pub(super) fn chosen<'a>(&'a self, settings: &'a Settings) -> &'a str {
        settings.get(self.table, self.key).or(self.values.first().map(|(v, _)| *v)).unwrap_or("")
    }
}

/// A page's title and entries. An unknown page is empty.
fn entries(page: &str) -> (&'static str, &'static [&'static str]) {
    let name = if page.is_empty() { "first" } else { page };
    let mut pages = PAGES.iter().map(|(heading, rows)| (lists::fields(heading), rows.as_slice()));
    pages.find(|([own, _], _)| *own == name).map_or(("Settings", &[][..]), |([_, title], rows)| (title, rows))
}

/// A setting's table and key.
fn place(text: &'static str) -> (Namespace, &'static str) {
    let (table, key) = text.split_once(' ').unwrap_or((text, ""));
    (table.parse().unwrap_or(Global), key)
}

fn choice(place_title_values: [&'static str; 3]) -> SettingChoice {
    let [at, title, values] = place_title_values;
    let (table, key) = place(at);
    SettingChoice {
        table,
        key,
        title,
        values: values.split("; ").filter_map(|v| v.split_once(' ')).collect(),
    }
}

/// The choice of a key as a page offers it.
pub(super) fn choice_of(page: &str, key: &str) -> Option<SettingChoice> {
    let offered = entries(page).1.iter().filter_map(|entry| entry.strip_prefix("choice | "));
    offered.map(|rest| choice(lists::fields(rest))).find(|c| c.key == key)
}

fn named(icon: &str) -> Option<Node> {
    serde_json::from_value(icon.into()).ok().map(sign)
}

fn row(icon: Option<Node>, title: &str, below: &str, on: impl Into<String>) -> SettingRow {
    (title.to_owned(), kit::row(icon, title, below, None).tap(on))
}

/// Bytes in powers of ten, as the files app counts.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", f64::from(u32::try_from(bytes / 1000).unwrap_or(0)) / 1000.0)
}

impl SettingsApp {
    /// A page's title and rows.
    pub(super) fn page(&self, at: &Activity, cx: &Cx<'_>) -> (&'static str, Vec<SettingRow>) {
        let (title, entries) = entries(&places::page(at));
        (title, entries.iter().flat_map(|entry| self.lines(entry, at, cx)).collect())
    }

    /// The rows that an entry stands for.
    fn lines(&self, entry: &'static str, at: &Activity, cx: &Cx<'_>) -> Vec<SettingRow> {
        let s = cx.settings;
        let [kind, a, b, c, d] = lists::fields(entry);
        let say = |text: &str| self.told(text, at, cx);
        let line = match kind {
            "page" => row(named(a), c, &say(d), Msg::Go(b.to_owned())),
            "act" => row(named(a), c, &say(d), b),
            "info" => (say(a), kit::row(None, &say(a), &say(b), None)),
            "night" => (a.to_owned(), kit::switch_row(None, a, "", is_dark(s), Msg::Night)),
            "flip" => {
                let (table, key) = place(a);
                let on = Msg::Flip(table, key.to_owned());
                (b.to_owned(), kit::switch_row(None, b, c, s.on(table, key), on))
            }
            "level" => {
                let (table, key) = place(a);
                let value = i32::try_from(s.int(table, key).unwrap_or(0)).unwrap_or(0);
                let on = Msg::Level(table, key.to_owned());
                let slider = Node::slider("android:id/seekbar", value, d.parse().unwrap_or(0), on).desc(b);
                let mut parts: Vec<Node> = named(c).into_iter().collect();
                parts.push(Node::column(vec![Node::label("android:id/title", b, 16.0), slider]));
                (b.to_owned(), Node::row(parts).gap(16.0).pad(20.0, 8.0))
            }
            "choice" => {
                let choice = choice([a, b, c]);
                let now = choice.chosen(s);
                let label = choice.values.iter().find(|(v, _)| *v == now).map_or(now, |(_, l)| l);
                row(None, b, label, show(Over::Choose(choice.key.to_owned())))
            }
            "bar" => {
                let text = Node::label("usage_summary", say(b), 22.0);
                let done = Node::progress(say(a).parse().unwrap_or(0)).high(8.0);
                (say(b), Node::column(vec![text, done]).gap(12.0).pad(20.0, 14.0))
            }
            _ => return self.list(kind, cx),
        };
        vec![line]
    }

    /// Rows that are as many as there is something.
    fn list(&self, kind: &str, cx: &Cx<'_>) -> Vec<SettingRow> {
        let s = cx.settings;
        match kind {
            "networks" if s.on(Global, "wifi_on") => {
                let network = |n: &super::Network| {
                    let below = match (n.name == self.network, n.saved, n.locked) {
                        (true, ..) => "Connected",
                        (_, true, _) => "Saved",
                        (.., true) => "Secured",
                        _ => "Open",
                    };
                    let icon = if n.locked { Icon::Lock } else { Icon::Wifi };
                    row(Some(sign(icon)), &n.name, below, Msg::Join(n.name.clone()))
                };
                self.networks.iter().map(network).collect()
            }
            "devices" if s.on(Global, "bluetooth_on") => {
                let name = kit::row(None, "Device name", s.get(Global, "device_name").unwrap_or(""), None);
                let heading = "Paired devices".to_owned();
                let device =
                    |p: &String| row(Some(sign(Icon::Bluetooth)), p, "Tap to forget", Msg::Unpair(p.clone()));
                let mut rows =
                    vec![("Device name".to_owned(), name), (heading.clone(), kit::heading(&heading))];
                rows.extend(self.paired.iter().map(device));
                rows
            }
            "apps" => {
                let shown = cx.installed.iter().filter(|m| m.entry != LauncherEntry::Hidden);
                let app = |m: &Manifest| {
                    row(Some(sign(m.icon)), m.label, m.package, Msg::App(m.package.to_owned()))
                };
                shown.map(app).collect()
            }
            "developer" if s.on(Global, "development_settings_enabled") => {
                vec![row(Some(sign(Icon::Edit)), "Developer options", "", Msg::Go("developer".to_owned()))]
            }
            _ => vec![],
        }
    }

    /// A text, or what the phone tells where it stands in braces.
    fn told(&self, text: &str, at: &Activity, cx: &Cx<'_>) -> String {
        let Some(what) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) else {
            return text.to_owned();
        };
        let s = cx.settings;
        let room = cx.files.room();
        let on = |key: &str| s.on(Global, key);
        match what {
            "internet" if on("wifi_on") => format!("Wi-Fi, {}", self.network),
            "internet" => "Wi-Fi is off".to_owned(),
            "wifi" if on("wifi_on") => self.network.clone(),
            "wifi" => "Off".to_owned(),
            "bluetooth" => if on("bluetooth_on") { "Bluetooth is on" } else { "Bluetooth is off" }.to_owned(),
            "hotspot" => if on("tether_on") { "On" } else { "Off" }.to_owned(),
            "address" => if on("wifi_on") { ADDRESS } else { "Unavailable" }.to_owned(),
            "date" => cx.civil().short(),
            "time" => cx.time(cx.civil()),
            "package" => places::package(at),
            "label" => {
                let package = places::package(at);
                cx.installed.iter().find(|m| m.package == package).map_or("", |m| m.label).to_owned()
            }
            "share used" => (room.used.saturating_mul(1000) / room.total.max(1)).to_string(),
            "used" => format!("{} used of {}", megabytes(room.used), megabytes(room.total.max(1))),
            "free" => megabytes(room.total.max(1).saturating_sub(room.used)),
            _ => match what.split_once(' ') {
                Some((table, key)) => {
                    table.parse().ok().and_then(|table| s.get(table, key)).unwrap_or("").to_owned()
                }
                None => cx.props.get(what).unwrap_or("").to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::message::Message as _;

    #[test]
    fn every_row_has_a_kind_a_sign_and_a_setting_that_there_are() {
        for entry in PAGES.iter().flat_map(|(_, rows)| rows) {
            let [kind, a, b, _] = lists::fields(entry);
            match kind {
                "page" => assert!(named(a).is_some() && !entries(b).1.is_empty(), "{entry}"),
                "act" => {
                    assert!(Msg::parse(b).is_some() || Common::parse(b).is_some(), "{entry}");
                    assert!(a.is_empty() || named(a).is_some(), "{entry}");
                }
                "flip" | "level" | "choice" => {
                    assert!(a.split_once(' ').unwrap().0.parse::<Namespace>().is_ok(), "{entry}");
                }
                known => assert!(
                    ["info", "night", "bar", "networks", "devices", "apps", "developer"].contains(&known),
                    "{entry}"
                ),
            }
        }
    }
}
