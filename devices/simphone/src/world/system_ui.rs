//! The system's own windows: status bar, navigation bar, shade, keyboard, toast.

use crate::{
    fault::Lock,
    ui::{
        icon::Icon,
        kit,
        message::messages,
        node::{Align, Len, Node},
        theme::{Tone, colour_of},
    },
    world::{
        Notification,
        app::Cx,
        settings::{Namespace, Settings},
    },
};

messages! {
    /// What the navigation bar's buttons send.
    pub(crate) enum NavMsg {
        Back = "back",
        Home = "home",
        Recents = "recents",
    }
}

messages! {
    /// What the shade's widgets send.
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
    /// What the keyboard's keys send.
    pub(crate) enum KeyMsg {
        /// A character is typed.
        Type(c: char) = "k",
        Shift = "shift",
        Marks = "marks",
        Letters = "abc",
        Delete = "del",
        Enter = "enter",
    }
}

/// Height of the status bar in dp.
pub(crate) const STATUS_DP: f32 = 28.0;
/// Height of the navigation bar in dp.
pub(crate) const NAV_DP: f32 = 48.0;

fn on(settings: &Settings, key: &str) -> bool {
    settings.on(Namespace::Global, key)
}

/// The status bar: the time, who has sent something, and what is switched on.
pub fn status_bar(cx: &Cx<'_>, notifications: &[Notification]) -> Node {
    let sign = |icon| Node::icon(icon, 16.0).tone(Tone::OnSurface);
    let mut left = vec![Node::label("clock", cx.time(cx.civil()), 14.5).bold().lines(1)];
    left.extend(notifications.iter().take(4).map(|n| {
        let icon = cx.installed.iter().find(|m| m.package == n.package).map_or(Icon::Bell, |m| m.icon);
        sign(icon)
    }));
    let mut right = vec![];
    let s = cx.settings;
    if s.get(Namespace::Global, "zen_mode").is_some_and(|z| z != "0") {
        right.push(sign(Icon::BellOff));
    }
    if on(s, "airplane_mode_on") {
        right.push(sign(Icon::Plane));
    } else {
        if on(s, "bluetooth_on") {
            right.push(sign(Icon::Bluetooth));
        }
        if on(s, "wifi_on") {
            right.push(sign(Icon::Wifi));
        }
        if on(s, "mobile_data") {
            right.push(sign(Icon::Signal));
        }
    }
    right.push(sign(Icon::Battery));
    Node::row(vec![Node::row(left).gap(8.0).snug(), Node::spring(), Node::row(right).gap(5.0).snug()])
        .pad(20.0, 0.0)
        .tall()
}

/// The navigation bar: back, home, recents.
pub(crate) fn nav_bar() -> Node {
    let button = |id: &str, icon, desc: &str, on: NavMsg| {
        Node::stack(vec![Node::icon(icon, 20.0).muted()])
            .id(id)
            .desc(desc)
            .tap(on)
            .centred()
            .size(Len::Fill(1.0), Len::Fill(1.0))
    };
    Node::row(vec![
        button("back", Icon::Left, "Back", NavMsg::Back),
        button("home", Icon::Home, "Home", NavMsg::Home),
        button("recent_apps", Icon::Square, "Overview", NavMsg::Recents),
    ])
    .tall()
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
    let civil = cx.civil();
    let tiles = TILES.iter().enumerate().map(|(i, (name, icon, ns, key, yes, _))| {
        let lit = cx.settings.get(*ns, key) == Some(*yes);
        let (ground, ink) =
            if lit { (Tone::Primary, Tone::OnPrimary) } else { (Tone::Line, Tone::OnSurface) };
        let state = if lit { "On" } else { "Off" };
        let mut tile = Node::row(vec![
            Node::icon(*icon, 22.0).tone(ink),
            Node::column(vec![
                Node::label("tile_label", *name, 14.5).bold().tone(ink).lines(1),
                Node::label("tile_state", state, 12.5).tone(ink).lines(1),
            ]),
        ])
        .class("android.widget.Switch")
        .desc(format!("{name}, {state}"))
        .gap(10.0)
        .pad(14.0, 0.0)
        .high(60.0)
        .margin(4.0, 4.0)
        .radius(22.0)
        .bg(ground)
        .tap(ShadeMsg::Tile(i));
        tile.selected = lit;
        tile
    });
    let brightness = cx.settings.int(Namespace::System, "screen_brightness").unwrap_or(128);
    let columns = if cx.landscape() { 4 } else { 2 };
    let mut rows = vec![
        Node::row(vec![
            Node::label("clock", cx.time(civil), 30.0),
            Node::spring().high(1.0),
            Node::label("date", civil.short(), 15.0).muted(),
        ])
        .pad(8.0, 10.0),
        Node::grid("quick_settings", columns, tiles.collect()).h(Len::Wrap),
        Node::row(vec![
            Node::icon(Icon::Sun, 22.0).muted(),
            Node::slider("slider", i32::try_from(brightness).unwrap_or(128), 255, ShadeMsg::Brightness)
                .desc("Display brightness"),
        ])
        .gap(10.0)
        .pad(10.0, 6.0),
    ];
    if notifications.is_empty() {
        rows.push(Node::text("No notifications").id("no_notifications").muted().pad(8.0, 16.0).sp(15.0));
    }
    for n in notifications {
        let app = cx.installed.iter().find(|m| m.package == n.package);
        let icon = kit::badge(
            app.map_or(Icon::Bell, |m| m.icon),
            app.map_or_else(|| colour_of(&n.package), |m| m.colour),
            36.0,
        );
        let head = format!(
            "{} · {}",
            app.map_or(n.package.as_str(), |m| m.label),
            cx.time(crate::clock::Civil::of(n.when))
        );
        let mut card = Node::row(vec![
            icon,
            Node::column(vec![
                Node::label("android:id/app_name_text", head, 12.5).muted().lines(1),
                Node::label("android:id/title", &n.title, 15.5).bold().lines(1),
                Node::label("android:id/text", &n.text, 14.5).muted().lines(2),
            ]),
        ])
        .class("android.widget.FrameLayout")
        .id("expandableNotificationRow")
        .gap(14.0)
        .pad(16.0, 12.0)
        .margin(0.0, 4.0)
        .bg(Tone::Raised)
        .radius(18.0)
        .tap(ShadeMsg::Open(n.package.clone(), n.id));
        if !n.ongoing {
            card = card.dismiss(ShadeMsg::Dismiss(n.package.clone(), n.id));
        }
        rows.push(card);
    }
    if notifications.iter().any(|n| !n.ongoing) {
        rows.push(
            Node::row(vec![kit::text_button("dismiss_text", "Clear all", ShadeMsg::Clear)]).main(Align::End),
        );
    }
    let panel = Node::scroll("notification_stack_scroller", vec![Node::column(rows).pad(14.0, 8.0)])
        .h(Len::Wrap)
        .bg(Tone::Card)
        .radius(24.0);
    Node::column(vec![Node::space(0.0, STATUS_DP), panel]).tall().tap(ShadeMsg::Close)
}

/// The lock screen, which lies where the shade does.
pub fn keyguard(cx: &Cx<'_>, lock: Lock) -> Node {
    let civil = cx.civil();
    let how = match lock {
        Lock::Swipe => "Swipe up to open",
        Lock::Pin => "Enter your PIN",
    };
    Node::column(vec![
        Node::space(0.0, 120.0),
        Node::label("keyguard_clock", cx.time(civil), 64.0).centred(),
        Node::label("keyguard_date", civil.short(), 18.0).muted().centred(),
        Node::spring(),
        Node::label("keyguard_indication_text", how, 16.0).centred(),
        Node::space(0.0, NAV_DP + 24.0),
    ])
    .id("keyguard_root_view")
    .bg(Tone::Surface)
    .tall()
}

/// A page of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum KeyboardPage {
    Small,
    Capital,
    Marks,
}

/// The keyboard, its rows so high in dp.
pub fn keyboard(page: KeyboardPage, row_dp: f32) -> Node {
    let rows: [&str; 3] = match page {
        KeyboardPage::Small => ["qwertyuiop", "asdfghjkl", "zxcvbnm"],
        KeyboardPage::Capital => ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"],
        KeyboardPage::Marks => ["1234567890", "@#$%&-+()/", "*\"':;!?=_"],
    };
    let face = |n: Node, weight: f32| {
        n.size(Len::Fill(weight), Len::Fill(1.0)).margin(2.5, 4.0).radius(6.0).bg(Tone::Surface)
    };
    let key = |c: char| face(Node::text(c.to_string()).sp(21.0).centred().tap(KeyMsg::Type(c)).lines(1), 1.0);
    let special = |icon: Icon, desc: &str, on: KeyMsg, weight: f32| {
        face(
            Node::stack(vec![Node::icon(icon, 22.0).tone(Tone::OnSurface)]).centred().tap(on).desc(desc),
            weight,
        )
        .bg(Tone::Line)
    };
    let word = |label: &str, on: KeyMsg, weight: f32| {
        face(Node::text(label).sp(15.0).centred().tap(on).lines(1), weight).bg(Tone::Line)
    };
    let line = |cs: &str| cs.chars().map(key).collect::<Vec<_>>();
    let side = if page == KeyboardPage::Marks { 0.01 } else { 0.5 };
    let mut second = vec![Node::space(0.0, 1.0).w(Len::Fill(side))];
    second.extend(line(rows[1]));
    second.push(Node::space(0.0, 1.0).w(Len::Fill(side)));
    let mut third = vec![if page == KeyboardPage::Marks {
        word("abc", KeyMsg::Letters, 1.0)
    } else {
        special(Icon::Shift, "Shift", KeyMsg::Shift, 1.5)
    }];
    third.extend(line(rows[2]));
    third.push(special(Icon::Backspace, "Delete", KeyMsg::Delete, 1.5));
    let fourth = vec![
        if page == KeyboardPage::Marks {
            word("ABC", KeyMsg::Letters, 1.5)
        } else {
            word("?123", KeyMsg::Marks, 1.5)
        },
        key(','),
        face(
            Node::text("English").sp(14.0).muted().centred().desc("Space").tap(KeyMsg::Type(' ')).lines(1),
            4.5,
        ),
        key('.'),
        special(Icon::Enter, "Enter", KeyMsg::Enter, 1.5).bg(Tone::Tint),
    ];
    let rows = [line(rows[0]), second, third, fourth]
        .into_iter()
        .map(|r| Node::row(r).high(row_dp).cross(Align::Start))
        .collect();
    Node::column(rows).pad(4.0, 6.0).bg(Tone::Card).tall().id("keyboard_view")
}

/// What the input method by broadcast shows of itself.
pub(crate) fn adb_keyboard() -> Node {
    Node::row(vec![Node::text("ADB Keyboard {ON}").sp(15.0).muted()])
        .main(Align::Centre)
        .bg(Tone::Card)
        .tall()
}

pub(crate) fn toast(text: &str) -> Node {
    Node::row(vec![
        Node::label("android:id/message", text, 14.5)
            .tone(Tone::Rgb(240, 240, 244))
            .bg(Tone::Rgb(50, 51, 56))
            .radius(22.0)
            .pad(22.0, 12.0)
            .lines(2),
    ])
    .main(Align::Centre)
    .pad(30.0, 0.0)
}
