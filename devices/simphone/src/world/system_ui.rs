//! The system's own windows: status bar, navigation bar, shade, keyboard, toast.

use serde_json::{Value, json};

use crate::{
    fault::Lock,
    ui::{icon::Icon, markup, message::messages, node::Node},
    world::{Notification, app::Cx, settings::Namespace},
};

messages! {
    pub(crate) enum NavMsg {
        Back = "back",
        Home = "home",
        Recents = "recents",
    }
}

messages! {
    pub(crate) enum ShadeMsg {
        Close = "close",
        Clear = "clear",
        Brightness = "brightness",
        /// A tile is turned, by its place among [`TILES`].
        Tile(tile: usize) = "tile",
        Open(package: String, notification: u64) = "open",
        Dismiss(package: String, notification: u64) = "dismiss",
    }
}

messages! {
    pub(crate) enum KeyMsg {
        Type(c: char) = "k",
        Shift = "shift",
        Marks = "marks",
        Letters = "abc",
        Delete = "del",
        Enter = "enter",
    }
}

pub(crate) const STATUS_DP: f32 = 28.0;
pub(crate) const NAV_DP: f32 = 48.0;

/// A window of the system, with what its layout is told beside the phone's state.
fn window(part: &str, mut facts: Value) -> Node {
    facts["part"] = part.into();
    match markup::screen("system", &facts, &|_, _, _| Vec::new()) {
        Ok(screen) => screen.root,
        Err(error) => {
            tracing::error!("{part}: {error}");
            Node::text(error.to_string())
        }
    }
}

/// The phone's state, and what was sent.
fn told(cx: &Cx<'_>, notifications: &[Notification]) -> Value {
    let notifications = notifications.iter().map(|n| {
        let app = cx.installed.iter().find(|m| m.package == n.package);
        let mut facts = json!(n);
        facts["icon"] = json!(app.map_or(Icon::Bell, |m| m.icon));
        facts["colour"] = json!(app.map(|m| m.colour.hex()));
        facts["label"] = app.map_or(n.package.as_str(), |m| m.label).into();
        facts
    });
    let mut facts = cx.facts();
    facts["notifications"] = notifications.collect();
    facts
}

/// The status bar: the time, who has sent something, and what is switched on.
pub fn status_bar(cx: &Cx<'_>, notifications: &[Notification]) -> Node {
    let on = |key: &str| cx.settings.on(Namespace::Global, key);
    let quiet = cx.settings.get(Namespace::Global, "zen_mode").is_some_and(|z| z != "0");
    let plane = on("airplane_mode_on");
    let signs = [
        (quiet, "BellOff"),
        (plane, "Plane"),
        (!plane && on("bluetooth_on"), "Bluetooth"),
        (!plane && on("wifi_on"), "Wifi"),
        (!plane && on("mobile_data"), "Signal"),
        (true, "Battery"),
    ];
    let mut facts = told(cx, notifications);
    facts["signs"] = signs.iter().filter(|(on, _)| *on).map(|(_, sign)| *sign).collect();
    window("status", facts)
}

pub(crate) fn nav_bar() -> Node {
    window("nav", json!({}))
}

/// The tiles of the shade: name, sign, namespace, key, and the values for on and off.
pub(crate) const TILES: [(&str, Icon, Namespace, &str, &str, &str); 8] = [
    ("Internet", Icon::Wifi, Namespace::Global, "wifi_on", "1", "0"),
    ("Bluetooth", Icon::Bluetooth, Namespace::Global, "bluetooth_on", "1", "0"),
    ("Do Not Disturb", Icon::BellOff, Namespace::Global, "zen_mode", "1", "0"),
    ("Auto-rotate", Icon::Rotate, Namespace::System, "accelerometer_rotation", "1", "0"),
    ("Airplane mode", Icon::Plane, Namespace::Global, "airplane_mode_on", "1", "0"),
    ("Dark theme", Icon::Moon, Namespace::Secure, "ui_night_mode", "2", "1"),
    ("Battery Saver", Icon::Battery, Namespace::Global, "low_power", "1", "0"),
    ("Flashlight", Icon::Flash, Namespace::Secure, "flashlight_enabled", "1", "0"),
];

/// The shade: tiles, brightness, and what was sent.
pub fn shade(cx: &Cx<'_>, notifications: &[Notification]) -> Node {
    let lit = |(name, icon, ns, key, yes, _): &(&str, Icon, Namespace, &str, &str, &str)| {
        json!([name, icon, cx.settings.get(*ns, key) == Some(*yes)])
    };
    let mut facts = told(cx, notifications);
    facts["tiles"] = TILES.iter().map(lit).collect();
    facts["brightness"] = cx.settings.int(Namespace::System, "screen_brightness").unwrap_or(128).into();
    facts["status_dp"] = STATUS_DP.into();
    window("shade", facts)
}

/// The lock screen, which lies where the shade does.
pub fn keyguard(cx: &Cx<'_>, lock: Lock) -> Node {
    let mut facts = cx.facts();
    facts["how"] = match lock {
        Lock::Swipe => "Swipe up to open".into(),
        Lock::Pin => "Enter your PIN".into(),
    };
    window("keyguard", facts)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum KeyboardPage {
    Small,
    Capital,
    Marks,
}

pub fn keyboard(page: KeyboardPage, row_dp: f32) -> Node {
    window("keyboard", json!({ "page": page, "row_dp": row_dp }))
}

/// What the input method by broadcast shows of itself.
pub(crate) fn adb_keyboard() -> Node {
    window("adb_keyboard", json!({}))
}

pub(crate) fn toast(text: &str) -> Node {
    window("toast", json!({ "text": text }))
}
