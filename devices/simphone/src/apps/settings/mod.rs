//! Settings: nested pages whose rows read and write the settings tables.

mod pages;
mod places;

use serde::{Deserialize, Serialize};

use super::{App, Cx, Entry, Manifest, Overlay, Screen, Seed, Sys, kit};
use crate::{
    ui::{
        icon::Icon,
        node::{Event, Len, Node, UiEventKind},
        theme::Tone,
    },
    world::{settings::Namespace, stack::Activity},
};
use pages::{Pref, page};

/// The package of this app.
pub const PACKAGE: &str = crate::world::SETTINGS;

/// What is not in the settings tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettingsApp {
    /// Networks in reach.
    networks: Vec<Network>,
    /// The network in use.
    network: String,
    /// Paired devices.
    paired: Vec<String>,
    /// Taps on the build number.
    taps: u32,
}

/// A Wi-Fi network.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Network {
    name: String,
    locked: bool,
    saved: bool,
}

fn namespace(word: &str) -> Namespace {
    word.parse().unwrap_or(Namespace::System)
}

fn word(ns: Namespace) -> &'static str {
    match ns {
        Namespace::System => "system",
        Namespace::Secure => "secure",
        Namespace::Global => "global",
    }
}

impl SettingsApp {
    fn row(&self, pref: &Pref, cx: &Cx<'_>) -> Vec<Node> {
        let s = cx.settings;
        match pref {
            Pref::Head(text) => vec![kit::heading(text)],
            Pref::Page(icon, to, title, below) => {
                let front = Node::icon(*icon, 24.0).id("android:id/icon").tone(Tone::Muted);
                vec![kit::row(Some(front), title, below, None).tap(format!("go/{to}"))]
            }
            Pref::Flip(ns, key, title, below) => {
                vec![kit::switch_row(None, title, below, s.on(*ns, key), format!("flip/{}/{key}", word(*ns)))]
            }
            Pref::Night => vec![kit::switch_row(
                None,
                "Dark theme",
                "",
                s.get(Namespace::Secure, "ui_night_mode") == Some("2"),
                "night",
            )],
            Pref::Level(icon, ns, key, max, title) => {
                let value = i32::try_from(s.int(*ns, key).unwrap_or(0)).unwrap_or(0);
                vec![
                    Node::row(vec![
                        Node::icon(*icon, 24.0).id("android:id/icon").tone(Tone::Muted),
                        Node::column(vec![
                            Node::text(*title).id("android:id/title").sp(16.0),
                            Node::slider(
                                "android:id/seekbar",
                                value,
                                *max,
                                &format!("level/{}/{key}", word(*ns)),
                            )
                            .desc(*title),
                        ]),
                    ])
                    .gap(16.0)
                    .pad(20.0, 8.0),
                ]
            }
            Pref::Choice(ns, key, title, values) => {
                // Where nothing was chosen yet the first holds.
                let now = s.get(*ns, key).or(values.first().map(|(v, _)| *v)).unwrap_or("");
                let label = values.iter().find(|(v, _)| *v == now).map_or(now, |(_, l)| *l);
                vec![kit::row(None, title, label, None).tap(format!("choose/{key}"))]
            }
            Pref::Info(title, below) => vec![kit::row(None, title, below, None)],
            Pref::Act(icon, title, below, on) => {
                let front = icon.map(|i| Node::icon(i, 24.0).id("android:id/icon").tone(Tone::Muted));
                vec![kit::row(front, title, below, None).tap(on.clone())]
            }
            Pref::Bar(done, text) => vec![
                Node::column(vec![
                    Node::text(text.clone()).id("usage_summary").sp(22.0),
                    Node::progress(*done).h(Len::Dp(8.0)),
                ])
                .gap(12.0)
                .pad(20.0, 14.0),
            ],
        }
    }

    fn overlay(&self, name: &str, at: &Activity, cx: &Cx<'_>) -> Option<Overlay> {
        let (kind, rest) = name.split_once('/').unwrap_or((name, ""));
        match kind {
            "choose" => {
                let prefs = page(&places::page(at), self.facts(at), cx);
                let (ns, key, title, values) = prefs.1.into_iter().find_map(|p| match p {
                    Pref::Choice(ns, key, title, values) if key == rest => Some((ns, key, title, values)),
                    _ => None,
                })?;
                let now = cx.settings.get(ns, key).or(values.first().map(|(v, _)| *v)).unwrap_or("");
                let rows = values
                    .iter()
                    .map(|(v, l)| {
                        let on = format!("set/{}/{key}/{v}", word(ns));
                        kit::radio("android:id/text1", *v == now, l, &on).pad(0.0, 0.0)
                    })
                    .collect();
                Some(Overlay::Dialog(kit::dialog(title, rows, &[("android:id/button2", "Cancel", "cancel")])))
            }
            "password" => Some(Overlay::Dialog(kit::dialog(
                rest,
                vec![
                    Node::field("password", "Password")
                        .input(crate::ui::node::Input::Password)
                        .submit(format!("connect/{rest}")),
                ],
                &[
                    ("android:id/button2", "Cancel", "cancel"),
                    ("android:id/button1", "Connect", &format!("connect/{rest}")),
                ],
            ))),
            "name" => Some(Overlay::Dialog(kit::dialog(
                "Device name",
                vec![
                    Node::field("device_name", "Device name")
                        .with_text(cx.settings.get(Namespace::Global, "device_name").unwrap_or("")),
                ],
                &[("android:id/button2", "Cancel", "cancel"), ("android:id/button1", "OK", "rename")],
            ))),
            "wipe" => Some(Overlay::Dialog(kit::confirm(
                "Delete app data?",
                "This app's data will be permanently deleted.",
                "Delete",
                "wiped",
            ))),
            "stop" => Some(Overlay::Dialog(kit::confirm(
                "Force stop?",
                "If you force stop an app, it may misbehave.",
                "OK",
                "stopped",
            ))),
            _ => None,
        }
    }

    fn facts<'a>(&'a self, at: &Activity) -> pages::Facts<'a> {
        pages::Facts { app: self, package: places::package(at) }
    }
}

impl App for SettingsApp {
    fn manifest() -> Manifest {
        Manifest {
            package: PACKAGE,
            label: "Settings",
            icon: Icon::Gear,
            colour: Tone::Rgb(0x5b, 0x63, 0x74),
            activities: &[".Settings", ".SubSettings"],
            entry: Entry::System,
            authorities: &["settings"],
            filters: places::FILTERS,
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        let names = [
            "HomeNet",
            "Kestrel-5G",
            "CoffeeHouse",
            "Library Guest",
            "Linden 24",
            "Skylark",
            "Office-2F",
            "Harbour WiFi",
            "Maple_EXT",
            "TramFree",
        ];
        let found = seed.sample(&names, 6);
        let networks: Vec<Network> = found
            .iter()
            .enumerate()
            .map(|(i, n)| Network { name: (*n).to_owned(), locked: i % 3 != 2, saved: i == 0 })
            .collect();
        let devices =
            ["Headphones X2", "Car Kit", "Desk Speaker", "Fitness Band", "Keyboard Mini", "Hearing Aid L"];
        Self {
            network: networks.first().map(|n| n.name.clone()).unwrap_or_default(),
            networks,
            paired: seed.sample(&devices, 3).iter().map(|d| (*d).to_owned()).collect(),
            taps: 0,
        }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        let name = places::page(at);
        let (title, prefs) = page(&name, self.facts(at), cx);
        let wanted = at.field("search_src_text").unwrap_or("").to_lowercase();
        let rows: Vec<Node> = prefs
            .iter()
            .filter(|p| wanted.is_empty() || p.title().to_lowercase().contains(&wanted))
            .flat_map(|p| self.row(p, cx))
            .collect();
        let body = Node::list("recycler_view", rows);
        let root = if name.is_empty() {
            let search = Node::row(vec![
                Node::field("search_src_text", "Search settings").radius(26.0).change("search"),
            ])
            .pad(16.0, 4.0);
            Node::column(vec![kit::app_bar(&title, None, vec![]), search, body]).h(Len::Fill(1.0))
        } else {
            kit::page(kit::app_bar(&title, Some("up"), vec![]), body, None)
        };
        let over = at.overlay.as_deref().and_then(|o| self.overlay(o, at, cx));
        Screen::new(root).over(over)
    }

    fn on_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let mut parts = ev.on.splitn(4, '/');
        let (what, a, b, c) = (
            parts.next().unwrap_or(""),
            parts.next().unwrap_or(""),
            parts.next().unwrap_or(""),
            parts.next().unwrap_or(""),
        );
        match what {
            "up" => sys.finish(),
            "go" => sys.open(".SubSettings", &[("page", a)]),
            "app" => sys.open(".SubSettings", &[("page", "app"), ("package", a)]),
            "flip" => {
                sys.flip(namespace(a), b);
                if b == "airplane_mode_on" {
                    let radios = if sys.settings().on(Namespace::Global, b) { "0" } else { "1" };
                    sys.put(Namespace::Global, "wifi_on", radios);
                    sys.put(Namespace::Global, "bluetooth_on", radios);
                }
            }
            "night" => {
                let dark = sys.settings().get(Namespace::Secure, "ui_night_mode") == Some("2");
                sys.put(Namespace::Secure, "ui_night_mode", if dark { "1" } else { "2" });
            }
            "level" => {
                if let UiEventKind::Value(v) = ev.kind {
                    sys.put(namespace(a), b, &v.to_string());
                }
            }
            "choose" => at.overlay = Some(format!("choose/{a}")),
            "set" => {
                sys.put(namespace(a), b, c);
                at.overlay = None;
            }
            "cancel" => at.overlay = None,
            "join" => {
                let known = self.networks.iter().any(|n| n.name == a && (n.saved || !n.locked));
                if known {
                    a.clone_into(&mut self.network);
                } else {
                    at.fields.remove("password");
                    at.overlay = Some(format!("password/{a}"));
                }
            }
            "connect" => {
                if at.field("password").is_some_and(|p| p.chars().count() >= 8) {
                    a.clone_into(&mut self.network);
                    if let Some(n) = self.networks.iter_mut().find(|n| n.name == a) {
                        n.saved = true;
                    }
                    at.overlay = None;
                } else {
                    sys.toast("Password must have at least 8 characters");
                }
            }
            "unpair" => {
                self.paired.retain(|p| p != a);
                sys.toast(format!("Forgot {a}"));
            }
            "name" => at.overlay = Some("name".to_owned()),
            "rename" => {
                if let Some(name) = at.field("device_name").map(str::to_owned) {
                    sys.put(Namespace::Global, "device_name", &name);
                }
                at.overlay = None;
            }
            "build" => self.tap_build(sys),
            "wipe" | "stop" => at.overlay = Some(what.to_owned()),
            "wiped" => {
                at.overlay = None;
                let package = places::package(at);
                sys.world().clear_data(&package);
                sys.toast("Data cleared");
            }
            "stopped" => {
                at.overlay = None;
                let package = places::package(at);
                sys.world().force_stop(&package);
            }
            _ => {}
        }
    }
}

impl SettingsApp {
    fn tap_build(&mut self, sys: &mut Sys<'_>) {
        let on = sys.settings().on(Namespace::Global, "development_settings_enabled");
        if on {
            return sys.toast("No need, you are already a developer.");
        }
        self.taps += 1;
        match 7_u32.saturating_sub(self.taps) {
            0 => {
                sys.put(Namespace::Global, "development_settings_enabled", "1");
                self.taps = 0;
                sys.toast("You are now a developer!");
            }
            left if left < 4 => sys.toast(format!("You are now {left} steps away from being a developer.")),
            _ => {}
        }
    }
}
