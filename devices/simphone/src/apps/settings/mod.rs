//! Settings: nested pages whose rows read and write the settings tables.

mod pages;
mod places;

use crate::apps::prelude::*;

messages! {
    /// What its widgets send.
    enum Msg {
        Go(page: String) = "go",
        App(package: String) = "app",
        /// A setting that is 0 or 1 is turned.
        Flip(table: Namespace, key: String) = "flip",
        Night = "night",
        Level(table: Namespace, key: String) = "level",
        Set(table: Namespace, key: String, value: String) = "set",
        /// A network is chosen; one that is locked and not known asks for its password.
        Join(network: String) = "join",
        Connect(network: String) = "connect",
        Unpair(device: String) = "unpair",
        Rename = "rename",
        Build = "build",
        Wiped = "wiped",
        Stopped = "stopped",
    }
}

messages! {
    /// What lies over a page.
    enum Over {
        /// The values of a setting.
        Choose(key: String) = "choose",
        Password(network: String) = "password",
        Name = "name",
        Wipe = "wipe",
        Stop = "stop",
    }
}

/// The package of this app.
pub const PACKAGE: &str = crate::world::SETTINGS;

/// What is not in the settings tables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SettingsApp {
    networks: Vec<Network>,
    network: String,
    paired: Vec<String>,
    /// Taps on the build number.
    taps: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Network {
    name: String,
    locked: bool,
    saved: bool,
}

fn is_dark(settings: &Settings) -> bool {
    settings.get(Namespace::Secure, "ui_night_mode") == Some("2")
}

fn sign(icon: Icon) -> Node {
    Node::icon(icon, 24.0).id("android:id/icon").muted()
}

impl SettingsApp {
    fn over(&self, at: &Activity, cx: &Cx<'_>) -> Option<Overlay> {
        Some(match at.over()? {
            Over::Choose(wanted) => {
                let choice = pages::choice_of(&places::page(at), &wanted)?;
                let now = choice.chosen(cx.settings);
                let option = |(v, label): &(&str, &str)| {
                    let on = Msg::Set(choice.table, choice.key.to_owned(), (*v).to_owned());
                    dialogs::option(label, *v == now, on)
                };
                dialogs::choice(choice.title, choice.values.iter().map(option))
            }
            Over::Password(network) => {
                let field = Node::field("password", "Password").input(FieldInput::Password);
                dialogs::ask(&network, field, "Connect", Msg::Connect(network.clone()))
            }
            Over::Name => {
                let name = cx.settings.get(Namespace::Global, "device_name").unwrap_or("");
                let field = Node::field("device_name", "Device name").with_text(name);
                dialogs::question("Device name", vec![field], "OK", Msg::Rename)
            }
            Over::Wipe => {
                let text = "This app's data will be permanently deleted.";
                dialogs::confirm("Delete app data?", text, "Delete", Msg::Wiped)
            }
            Over::Stop => {
                let text = "If you force stop an app, it may misbehave.";
                dialogs::confirm("Force stop?", text, "OK", Msg::Stopped)
            }
        })
    }
}

impl App for SettingsApp {
    fn manifest() -> Manifest {
        Manifest {
            activities: &[".Settings", ".SubSettings"],
            authorities: &["settings"],
            filters: &places::FILTERS,
            ..Manifest::system(PACKAGE, "Settings", Icon::Gear, Tone::Rgb(0x5b, 0x63, 0x74))
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        let found = seed.sample(contents::list("networks"), 6);
        let networks: Vec<Network> = found
            .iter()
            .enumerate()
            .map(|(i, n)| Network { name: (*n).to_owned(), locked: i % 3 != 2, saved: i == 0 })
            .collect();
        Self {
            network: networks.first().map(|n| n.name.clone()).unwrap_or_default(),
            networks,
            paired: seed.sample(contents::list("devices"), 3).iter().map(|d| (*d).to_owned()).collect(),
            taps: 0,
        }
    }

    fn stored(&self) -> Vec<(&'static str, serde_json::Value)> {
        let saved = self.networks.iter().filter(|n| n.saved).map(|n| n.name.as_str());
        vec![
            ("network", self.network.as_str().into()),
            ("saved networks", saved.collect()),
            ("paired devices", self.paired.iter().map(String::as_str).collect()),
        ]
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let (title, lines) = self.page(at, cx);
        let wanted = at.field("search_src_text").unwrap_or("").to_lowercase();
        let found = lines.into_iter().filter(|(title, _)| title.to_lowercase().contains(&wanted));
        let body = Node::list("recycler_view", found.map(|(_, node)| node).collect());
        let bar = if places::page(at).is_empty() {
            let search = Node::field("search_src_text", "Search settings").radius(26.0);
            vec![kit::app_bar(title, vec![]), Node::row(vec![search]).pad(16.0, 4.0)]
        } else {
            vec![kit::up_bar(title, vec![])]
        };
        let parts = bar.into_iter().chain([body]).collect();
        AppScreen::new(Node::column(parts).tall()).over(self.over(at, cx))
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let Some(message) = ev.message() else { return };
        match message {
            Msg::Go(page) => sys.open(".SubSettings", &[("page", &page)]),
            Msg::App(package) => sys.open(".SubSettings", &[("page", &"app"), ("package", &package)]),
            Msg::Flip(table, key) => {
                sys.flip(table, &key);
                if key == "airplane_mode_on" {
                    let radios = if sys.settings().on(Namespace::Global, &key) { "0" } else { "1" };
                    sys.put(Namespace::Global, "wifi_on", radios);
                    sys.put(Namespace::Global, "bluetooth_on", radios);
                }
            }
            Msg::Night => {
                let other = if is_dark(sys.settings()) { "1" } else { "2" };
                sys.put(Namespace::Secure, "ui_night_mode", other);
            }
            Msg::Level(table, key) => {
                if let UiEventKind::Value(v) = ev.kind {
                    sys.put(table, &key, &v.to_string());
                }
            }
            Msg::Set(table, key, value) => {
                sys.put(table, &key, &value);
                at.overlay = None;
            }
            Msg::Join(name) => {
                if self.networks.iter().any(|n| n.name == name && (n.saved || !n.locked)) {
                    self.network = name;
                } else {
                    at.fields.remove("password");
                    at.overlay = Some(Over::Password(name).into());
                }
            }
            Msg::Connect(name) => {
                if at.field("password").is_none_or(|p| p.chars().count() < 8) {
                    return sys.toast("Password must have at least 8 characters");
                }
                if let Some(n) = self.networks.iter_mut().find(|n| n.name == name) {
                    n.saved = true;
                }
                self.network = name;
                at.overlay = None;
            }
            Msg::Unpair(device) => {
                self.paired.retain(|p| *p != device);
                sys.toast(format!("Forgot {device}"));
            }
            Msg::Rename => {
                if let Some(name) = at.field("device_name") {
                    sys.put(Namespace::Global, "device_name", name);
                }
                at.overlay = None;
            }
            Msg::Build => self.tap_build(sys),
            Msg::Wiped => {
                at.overlay = None;
                sys.world().clear_data(&places::package(at));
                sys.toast("Data cleared");
            }
            Msg::Stopped => {
                at.overlay = None;
                sys.world().force_stop(&places::package(at));
            }
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
