//! The pages of the settings, as rows.

use super::{Cx, Msg, Over, SettingsApp};
use crate::{
    apps::Entry,
    ui::{icon::Icon, message::show},
    world::{
        props::ADDRESS,
        settings::Namespace::{self, Global, Secure, System},
    },
};

use Pref::{Bar, Choice, Flip, Head, Level, Night, Page};

type Values = &'static [(&'static str, &'static str)];

/// One row of a page.
#[derive(Debug, Clone)]
pub(super) enum Pref {
    Head(&'static str),
    Page(Icon, &'static str, &'static str, String),
    Flip(Namespace, &'static str, &'static str, &'static str),
    Night,
    Level(Icon, Namespace, &'static str, i32, &'static str),
    Choice(Namespace, &'static str, &'static str, Values),
    Info(String, String),
    Act(Option<Icon>, String, String, String),
    Bar(i32, String),
}

impl Pref {
    pub(super) fn title(&self) -> &str {
        match self {
            Self::Head(t)
            | Self::Page(_, _, t, _)
            | Self::Flip(_, _, t, _)
            | Self::Level(_, _, _, _, t)
            | Self::Choice(_, _, t, _) => t,
            Self::Info(t, _) | Self::Act(_, t, _, _) | Self::Bar(_, t) => t,
            Self::Night => "Dark theme",
        }
    }
}

/// What a page is about besides the settings tables.
pub(super) struct Facts<'a> {
    pub(super) app: &'a SettingsApp,
    pub(super) package: String,
}

fn info(title: &str, below: impl Into<String>) -> Pref {
    Pref::Info(title.to_owned(), below.into())
}

fn act(icon: Option<Icon>, title: &str, below: impl Into<String>, on: impl Into<String>) -> Pref {
    Pref::Act(icon, title.to_owned(), below.into(), on.into())
}

const TIMEOUTS: Values = &[
    ("15000", "15 seconds"),
    ("30000", "30 seconds"),
    ("60000", "1 minute"),
    ("120000", "2 minutes"),
    ("300000", "5 minutes"),
    ("600000", "10 minutes"),
];
const FONTS: Values = &[("0.85", "Small"), ("1.0", "Default"), ("1.15", "Large"), ("1.3", "Largest")];
const RINGS: Values =
    &[("Horizon", "Horizon"), ("Pebble", "Pebble"), ("Lantern", "Lantern"), ("Tide", "Tide")];
const ALARMS: Values = &[("Sunrise", "Sunrise"), ("Bells", "Bells"), ("Rooster", "Rooster")];
const HOURS: Values = &[("12", "12-hour"), ("24", "24-hour")];
const SCALES: Values = &[
    ("0", "Animation off"),
    ("0.5", "Animation scale .5x"),
    ("1.0", "Animation scale 1x"),
    ("1.5", "Animation scale 1.5x"),
    ("2", "Animation scale 2x"),
];
const LANGUAGES: Values = &[
    ("en-US", "English (United States)"),
    ("de-DE", "Deutsch (Deutschland)"),
    ("fr-FR", "Français (France)"),
    ("es-ES", "Español (España)"),
    ("el-GR", "Ελληνικά (Ελλάδα)"),
    ("uk-UA", "Українська (Україна)"),
];
const ZONES: Values = &[
    ("UTC", "Coordinated Universal Time"),
    ("Europe/Berlin", "Berlin"),
    ("America/New_York", "New York"),
    ("Asia/Tokyo", "Tokyo"),
];
const ZEN: Values = &[("0", "Off"), ("1", "Priority only"), ("2", "Total silence"), ("3", "Alarms only")];
const SHOWN: Values = &[("1", "Show all notification content"), ("0", "Don't show notifications at all")];

/// A page's title and rows. An unknown page is empty.
pub(super) fn page(name: &str, facts: Facts<'_>, cx: &Cx<'_>) -> (String, Vec<Pref>) {
    let s = cx.settings;
    let state = |on: bool| if on { "On" } else { "Off" }.to_owned();
    let app = facts.app;
    let (title, prefs) = match name {
        "" => ("Settings", root(app, cx)),
        "network" => {
            let wifi = if s.on(Global, "wifi_on") { app.network.clone() } else { "Off".to_owned() };
            (
                "Network & internet",
                vec![
                    Page(Icon::Wifi, "wifi", "Internet", wifi),
                    Flip(Global, "mobile_data", "Mobile data", "Use data over the mobile network"),
                    Flip(Global, "data_roaming", "Roaming", "Use data when travelling"),
                    Flip(Global, "airplane_mode_on", "Airplane mode", ""),
                    Page(Icon::Signal, "hotspot", "Hotspot & tethering", state(s.on(Global, "tether_on"))),
                    Flip(Secure, "vpn_always_on", "Always-on VPN", ""),
                ],
            )
        }
        "hotspot" => (
            "Hotspot & tethering",
            vec![
                Flip(Global, "tether_on", "Wi-Fi hotspot", "Share the connection with other devices"),
                Flip(Global, "tether_bluetooth_on", "Bluetooth tethering", ""),
            ],
        ),
        "wifi" => {
            let mut rows = vec![Flip(Global, "wifi_on", "Wi-Fi", "")];
            if s.on(Global, "wifi_on") {
                rows.extend(app.networks.iter().map(|n| {
                    let below = match (n.name == app.network, n.saved, n.locked) {
                        (true, ..) => "Connected",
                        (_, true, _) => "Saved",
                        (.., true) => "Secured",
                        _ => "Open",
                    };
                    let icon = if n.locked { Icon::Lock } else { Icon::Wifi };
                    act(Some(icon), &n.name, below, Msg::Join(n.name.clone()))
                }));
            }
            ("Internet", rows)
        }
        "bluetooth" => {
            let mut rows = vec![Flip(Global, "bluetooth_on", "Use Bluetooth", "")];
            if s.on(Global, "bluetooth_on") {
                rows.push(info("Device name", s.get(Global, "device_name").unwrap_or("")));
                rows.push(Head("Paired devices"));
                rows.extend(
                    app.paired
                        .iter()
                        .map(|p| act(Some(Icon::Bluetooth), p, "Tap to forget", Msg::Unpair(p.clone()))),
                );
            }
            ("Connected devices", rows)
        }
        "apps" => {
            let rows = cx
                .installed
                .iter()
                .filter(|m| m.entry != Entry::Hidden)
                .map(|m| act(Some(m.icon), m.label, m.package, Msg::App(m.package.to_owned())));
            ("Apps", rows.collect())
        }
        "app" => {
            let m = cx.installed.iter().find(|m| m.package == facts.package);
            (
                "App info",
                vec![
                    info(m.map_or("", |m| m.label), facts.package.clone()),
                    act(Some(Icon::Close), "Force stop", "", show(Over::Stop)),
                    act(
                        Some(Icon::Trash),
                        "Clear storage",
                        "Delete all of this app's data",
                        show(Over::Wipe),
                    ),
                    info("Version", "1.0"),
                ],
            )
        }
        "notifications" => (
            "Notifications",
            vec![
                Choice(Secure, "lock_screen_show_notifications", "Notifications on lock screen", SHOWN),
                Choice(Global, "zen_mode", "Do Not Disturb", ZEN),
                Flip(
                    Global,
                    "heads_up_notifications_enabled",
                    "Pop on screen",
                    "Show new ones over other apps",
                ),
                Flip(Secure, "notification_bubbles", "Bubbles", "Let conversations float"),
                Flip(Secure, "notification_badging", "Notification dot on app icon", ""),
            ],
        ),
        "battery" => (
            "Battery",
            vec![
                Bar(870, "87%".to_owned()),
                Flip(Global, "low_power", "Battery Saver", "Turns off what is not needed"),
                Flip(
                    System,
                    "status_bar_show_battery_percent",
                    "Battery percentage",
                    "Show in the status bar",
                ),
                Flip(Global, "adaptive_battery_management_enabled", "Adaptive Battery", ""),
            ],
        ),
        "display" => (
            "Display",
            vec![
                Level(Icon::Sun, System, "screen_brightness", 255, "Brightness level"),
                Flip(System, "screen_brightness_mode", "Adaptive brightness", ""),
                Night,
                Flip(Secure, "night_display_activated", "Night Light", "Tints the screen amber"),
                Choice(System, "screen_off_timeout", "Screen timeout", TIMEOUTS),
                Choice(System, "font_scale", "Font size", FONTS),
                Flip(System, "accelerometer_rotation", "Auto-rotate screen", ""),
                Flip(Secure, "screensaver_enabled", "Screen saver", ""),
            ],
        ),
        "sound" => (
            "Sound & vibration",
            vec![
                Level(Icon::Music, System, "volume_music", 15, "Media volume"),
                Level(Icon::Phone, System, "volume_voice", 7, "Call volume"),
                Level(Icon::Bell, System, "volume_ring", 7, "Ring volume"),
                Level(Icon::Message, System, "volume_notification", 7, "Notification volume"),
                Level(Icon::Alarm, System, "volume_alarm", 7, "Alarm volume"),
                Flip(System, "vibrate_when_ringing", "Vibrate for calls", ""),
                Choice(System, "ringtone", "Phone ringtone", RINGS),
                Choice(System, "alarm_alert", "Default alarm sound", ALARMS),
                Flip(System, "haptic_feedback_enabled", "Touch feedback", "Vibrate on tap"),
                Flip(System, "sound_effects_enabled", "Touch sounds", ""),
            ],
        ),
        "storage" => {
            let room = cx.files.room();
            let (used, total) = (room.used, room.total.max(1));
            let done = i32::try_from(used.saturating_mul(1000) / total).unwrap_or(0);
            // In powers of ten, as the files app counts.
            let mb = |v: u64| format!("{:.1} MB", f64::from(u32::try_from(v / 1000).unwrap_or(0)) / 1000.0);
            (
                "Storage",
                vec![
                    Bar(done, format!("{} used of {}", mb(used), mb(total))),
                    info("Free", mb(total.saturating_sub(used))),
                ],
            )
        }
        "location" => (
            "Location",
            vec![
                Choice(Secure, "location_mode", "Use location", &[("3", "On"), ("0", "Off")]),
                Flip(Global, "wifi_scan_always_enabled", "Wi-Fi scanning", ""),
                Flip(Global, "ble_scan_always_enabled", "Bluetooth scanning", ""),
            ],
        ),
        "security" => (
            "Security & privacy",
            vec![
                Flip(Secure, "lock_pattern_visible", "Make pattern visible", ""),
                Flip(System, "show_password", "Show passwords", "Show characters briefly as they are typed"),
                Flip(Secure, "camera_access", "Camera access", "For all apps"),
                Flip(Secure, "mic_access", "Microphone access", "For all apps"),
            ],
        ),
        "system" => {
            let mut rows = vec![
                Page(Icon::Language, "languages", "Languages & input", String::new()),
                Page(Icon::Clock, "datetime", "Date & time", cx.time(cx.civil())),
            ];
            if s.on(Global, "development_settings_enabled") {
                rows.push(Page(Icon::Edit, "developer", "Developer options", String::new()));
            }
            ("System", rows)
        }
        "languages" => (
            "Languages & input",
            vec![
                Choice(System, "system_locales", "System language", LANGUAGES),
                info("On-screen keyboard", s.get(Secure, "default_input_method").unwrap_or("")),
                Flip(Secure, "spell_checker_enabled", "Spell checker", ""),
            ],
        ),
        "datetime" => (
            "Date & time",
            vec![
                Flip(Global, "auto_time", "Set time automatically", ""),
                info("Date", cx.civil().short()),
                info("Time", cx.time(cx.civil())),
                Flip(Global, "auto_time_zone", "Set time zone automatically", ""),
                Choice(Global, "time_zone", "Time zone", ZONES),
                Choice(System, "time_12_24", "Time format", HOURS),
            ],
        ),
        "developer" => (
            "Developer options",
            vec![
                Flip(Global, "development_settings_enabled", "Use developer options", ""),
                Flip(Global, "adb_enabled", "USB debugging", "Debug mode when USB is connected"),
                Flip(Global, "stay_on_while_plugged_in", "Stay awake", "Screen never sleeps while charging"),
                Flip(System, "show_touches", "Show taps", "Show visual feedback for taps"),
                Choice(Global, "window_animation_scale", "Window animation scale", SCALES),
                Choice(Global, "transition_animation_scale", "Transition animation scale", SCALES),
                Choice(Global, "animator_duration_scale", "Animator duration scale", SCALES),
            ],
        ),
        "about" => {
            let prop = |k: &str| cx.props.get(k).unwrap_or("").to_owned();
            (
                "About phone",
                vec![
                    act(None, "Device name", s.get(Global, "device_name").unwrap_or(""), show(Over::Name)),
                    info("Model", prop("ro.product.model")),
                    info("Serial number", prop("ro.serialno")),
                    info("Android version", prop("ro.build.version.release")),
                    info("Android security update", prop("ro.build.version.security_patch")),
                    info("IP address", if s.on(Global, "wifi_on") { ADDRESS } else { "Unavailable" }),
                    act(None, "Build number", prop("ro.build.id"), Msg::Build),
                ],
            )
        }
        _ => ("Settings", vec![]),
    };
    (title.to_owned(), prefs)
}

fn root(app: &SettingsApp, cx: &Cx<'_>) -> Vec<Pref> {
    let s = cx.settings;
    let page = |icon, to, title, below: &str| Page(icon, to, title, below.to_owned());
    let wifi =
        if s.on(Global, "wifi_on") { format!("Wi-Fi, {}", app.network) } else { "Wi-Fi is off".into() };
    let bluetooth = if s.on(Global, "bluetooth_on") { "Bluetooth is on" } else { "Bluetooth is off" };
    vec![
        Page(Icon::Wifi, "network", "Network & internet", wifi),
        page(Icon::Bluetooth, "bluetooth", "Connected devices", bluetooth),
        page(Icon::Menu, "apps", "Apps", "Recent apps, default apps"),
        page(Icon::Bell, "notifications", "Notifications", "Notification history, conversations"),
        page(Icon::Battery, "battery", "Battery", "87%"),
        page(Icon::Storage, "storage", "Storage", "What takes the room"),
        page(Icon::Volume, "sound", "Sound & vibration", "Volume, haptics, Do Not Disturb"),
        page(Icon::Sun, "display", "Display", "Dark theme, font size, brightness"),
        page(Icon::Pin, "location", "Location", "Who may know where you are"),
        page(Icon::Lock, "security", "Security & privacy", "App security, device lock"),
        page(Icon::Info, "system", "System", "Languages, time, developer options"),
        page(Icon::Phone, "about", "About phone", s.get(Global, "device_name").unwrap_or("")),
    ]
}
