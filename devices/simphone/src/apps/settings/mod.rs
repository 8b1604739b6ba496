//! Settings: nested pages whose rows read and write the settings tables.

use crate::{apps::prelude::*, world::props::ADDRESS};

messages! {
    enum Msg {
        /// A network is chosen; one that is locked and not known asks for its password.
        Join(network: String) = "join",
        Connect(network: String) = "connect",
        Rename = "rename",
        Build = "build",
        Wiped = "wiped",
        Stopped = "stopped",
    }
}

pub const PACKAGE: &str = crate::world::SETTINGS;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SettingsApp {
    networks: Vec<Network>,
    network: String,
    paired: Vec<String>,
    taps: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Network {
    name: String,
    locked: bool,
    saved: bool,
}

impl App for SettingsApp {
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
        let paired = self.paired.iter().map(String::as_str).collect();
        vec![
            ("network", self.network.as_str().into()),
            ("saved networks", saved.collect()),
            ("paired devices", paired),
        ]
    }

    fn facts(&self, at: &Activity, cx: &Cx<'_>) -> serde_json::Value {
        let about = package(at);
        let label = cx.installed.iter().find(|m| m.package == about).map_or("", |m| m.label);
        let room = cx.files.room();
        let props = [
            "ro.product.model",
            "ro.serialno",
            "ro.build.version.release",
            "ro.build.version.security_patch",
            "ro.build.id",
        ];
        let props: serde_json::Map<_, _> =
            props.map(|key| (key.to_owned(), cx.props.get(key).into())).into_iter().collect();
        serde_json::json!({
            "page": page(at), "package": about, "label": label, "settings": cx.settings, "props": props,
            "room": { "used": room.used, "total": room.total.max(1) }, "address": ADDRESS,
            "apps": cx.installed.iter().map(Manifest::facts).collect::<Vec<_>>(),
        })
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let Some(message) = ev.message() else { return };
        match message {
            Msg::Join(name) => {
                if self.networks.iter().any(|n| n.name == name && (n.saved || !n.locked)) {
                    self.network = name;
                } else {
                    at.fields.remove("password");
                    at.overlay = Some(format!("password/{name}"));
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
            Msg::Rename => {
                if let Some(name) = at.field("device_name") {
                    sys.put(Namespace::Global, "device_name", name);
                }
                at.overlay = None;
            }
            Msg::Build => self.tap_build(sys),
            Msg::Wiped => {
                at.overlay = None;
                sys.world().clear_data(&package(at));
                sys.toast("Data cleared");
            }
            Msg::Stopped => {
                at.overlay = None;
                sys.world().force_stop(&package(at));
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

/// The page that an activity shows; the first one where none is named.
fn page(at: &Activity) -> String {
    let filters = Manifest::of(PACKAGE).filters;
    let action = at.intent.action.as_deref();
    let named = filters.iter().find(|f| !f.page.is_empty() && action == Some(f.action));
    named.map_or_else(|| at.extra("page"), |f| f.page.to_owned())
}

fn package(at: &Activity) -> String {
    let data = at.intent.data.as_deref().and_then(|data| data.strip_prefix("package:"));
    data.map_or_else(|| at.extra("package"), str::to_owned)
}
