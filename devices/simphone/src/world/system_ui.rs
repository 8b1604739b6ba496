//! The system's own windows: status bar, navigation bar, shade, keyboard, toast.

use crate::{
    fault::Lock,
    ui::{
        icon::Icon,
        kit,
        node::{Align, Len, Node},
        theme::{Tone, colour_of},
    },
    world::{
        Notification,
        app::Cx,
        settings::{Namespace, Settings},
    },
};

/// Height of the status bar in dp.
pub const STATUS_DP: f32 = 28.0;
/// Height of the navigation bar in dp.
pub const NAV_DP: f32 = 48.0;

fn on(settings: &Settings, key: &str) -> bool {
    settings.on(Namespace::Global, key)
}

/// The status bar: the time, who has sent something, and what is switched on.
#[must_use]
pub fn status_bar(cx: &Cx<'_>, notifications: &[Notification]) -> Node {
    let sign = |icon| Node::icon(icon, 16.0).tone(Tone::OnSurface);
    let mut left = vec![Node::text(cx.time(cx.civil())).id("clock").sp(14.5).bold().lines(1)];
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
        .h(Len::Fill(1.0))
}

/// The navigation bar: back, home, recents.
#[must_use]
pub fn nav_bar() -> Node {
    let button = |id: &str, icon, desc: &str, on: &str| {
        Node::stack(vec![Node::icon(icon, 20.0).tone(Tone::Muted)])
            .id(id)
            .desc(desc)
            .tap(on)
            .centred()
            .size(Len::Fill(1.0), Len::Fill(1.0))
    };
    Node::row(vec![
        button("back", Icon::Left, "Back", "back"),
        button("home", Icon::Home, "Home", "home"),
        button("recent_apps", Icon::Square, "Overview", "recents"),
    ])
    .h(Len::Fill(1.0))
}

/// The tiles of the shade: name, sign, namespace, key, and the values for on and off.
pub const TILES: [(&str, Icon, Namespace, &str, &str, &str); 8] = [
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
#[must_use]
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
                Node::text(*name).id("tile_label").sp(14.5).bold().tone(ink).lines(1),
                Node::text(state).id("tile_state").sp(12.5).tone(ink).lines(1),
            ]),
        ])
        .class("android.widget.Switch")
        .desc(format!("{name}, {state}"))
        .gap(10.0)
        .pad(14.0, 0.0)
        .h(Len::Dp(60.0))
        .margin(4.0, 4.0)
        .radius(22.0)
        .bg(ground)
        .tap(format!("tile/{i}"));
        tile.selected = lit;
        tile
    });
    let brightness = cx.settings.int(Namespace::System, "screen_brightness").unwrap_or(128);
    let columns = if cx.landscape() { 4 } else { 2 };
    let mut rows = vec![
        Node::row(vec![
            Node::text(cx.time(civil)).id("clock").sp(30.0),
            Node::spring().h(Len::Dp(1.0)),
            Node::text(civil.short()).id("date").sp(15.0).tone(Tone::Muted),
        ])
        .pad(8.0, 10.0),
        Node::grid("quick_settings", columns, tiles.collect()).h(Len::Wrap),
        Node::row(vec![
            Node::icon(Icon::Sun, 22.0).tone(Tone::Muted),
            Node::slider("slider", i32::try_from(brightness).unwrap_or(128), 255, "brightness")
                .desc("Display brightness"),
        ])
        .gap(10.0)
        .pad(10.0, 6.0),
    ];
    if notifications.is_empty() {
        rows.push(
            Node::text("No notifications").id("no_notifications").tone(Tone::Muted).pad(8.0, 16.0).sp(15.0),
        );
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
        let key = format!("{}/{}", n.package, n.id);
        let mut card = Node::row(vec![
            icon,
            Node::column(vec![
                Node::text(head).id("android:id/app_name_text").sp(12.5).tone(Tone::Muted).lines(1),
                Node::text(&n.title).id("android:id/title").sp(15.5).bold().lines(1),
                Node::text(&n.text).id("android:id/text").sp(14.5).tone(Tone::Muted).lines(2),
            ]),
        ])
        .class("android.widget.FrameLayout")
        .id("expandableNotificationRow")
        .gap(14.0)
        .pad(16.0, 12.0)
        .margin(0.0, 4.0)
        .bg(Tone::Raised)
        .radius(18.0)
        .tap(format!("open/{key}"));
        if !n.ongoing {
            card = card.dismiss(format!("dismiss/{key}"));
        }
        rows.push(card);
    }
    if notifications.iter().any(|n| !n.ongoing) {
        rows.push(Node::row(vec![kit::text_button("dismiss_text", "Clear all", "clear")]).main(Align::End));
    }
    let panel = Node::scroll("notification_stack_scroller", vec![Node::column(rows).pad(14.0, 8.0)])
        .h(Len::Wrap)
        .bg(Tone::Card)
        .radius(24.0);
    Node::column(vec![Node::space(0.0, STATUS_DP), panel]).h(Len::Fill(1.0)).tap("close")
}

/// The lock screen, which lies where the shade does.
#[must_use]
pub fn keyguard(cx: &Cx<'_>, lock: Lock) -> Node {
    let civil = cx.civil();
    let how = match lock {
        Lock::Swipe => "Swipe up to open",
        Lock::Pin => "Enter your PIN",
    };
    Node::column(vec![
        Node::space(0.0, 120.0),
        Node::text(cx.time(civil)).id("keyguard_clock").sp(64.0).centred(),
        Node::text(civil.short()).id("keyguard_date").sp(18.0).tone(Tone::Muted).centred(),
        Node::spring(),
        Node::text(how).id("keyguard_indication_text").sp(16.0).centred(),
        Node::space(0.0, NAV_DP + 24.0),
    ])
    .id("keyguard_root_view")
    .bg(Tone::Surface)
    .h(Len::Fill(1.0))
}

/// A page of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Keys {
    /// Small letters.
    Small,
    /// Capitals, for one letter.
    Capital,
    /// Digits and marks.
    Marks,
}

/// The keyboard, its rows so high in dp.
#[must_use]
pub fn keyboard(page: Keys, row_dp: f32) -> Node {
    let rows: [&str; 3] = match page {
        Keys::Small => ["qwertyuiop", "asdfghjkl", "zxcvbnm"],
        Keys::Capital => ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"],
        Keys::Marks => ["1234567890", "@#$%&-+()/", "*\"':;!?=_"],
    };
    let face = |n: Node, weight: f32| {
        n.size(Len::Fill(weight), Len::Fill(1.0)).margin(2.5, 4.0).radius(6.0).bg(Tone::Surface)
    };
    let key =
        |c: char| face(Node::text(c.to_string()).sp(21.0).centred().tap(format!("k/{c}")).lines(1), 1.0);
    let special = |icon: Icon, desc: &str, on: &str, weight: f32| {
        face(
            Node::stack(vec![Node::icon(icon, 22.0).tone(Tone::OnSurface)]).centred().tap(on).desc(desc),
            weight,
        )
        .bg(Tone::Line)
    };
    let word = |label: &str, on: &str, weight: f32| {
        face(Node::text(label).sp(15.0).centred().tap(on).lines(1), weight).bg(Tone::Line)
    };
    let line = |cs: &str| cs.chars().map(key).collect::<Vec<_>>();
    let side = if page == Keys::Marks { 0.01 } else { 0.5 };
    let mut second = vec![Node::space(0.0, 1.0).w(Len::Fill(side))];
    second.extend(line(rows[1]));
    second.push(Node::space(0.0, 1.0).w(Len::Fill(side)));
    let mut third = vec![if page == Keys::Marks {
        word("abc", "abc", 1.0)
    } else {
        special(Icon::Shift, "Shift", "shift", 1.5)
    }];
    third.extend(line(rows[2]));
    third.push(special(Icon::Backspace, "Delete", "del", 1.5));
    let fourth = vec![
        if page == Keys::Marks { word("ABC", "abc", 1.5) } else { word("?123", "marks", 1.5) },
        key(','),
        face(
            Node::text("English").sp(14.0).tone(Tone::Muted).centred().desc("Space").tap("k/ ").lines(1),
            4.5,
        ),
        key('.'),
        special(Icon::Enter, "Enter", "enter", 1.5).bg(Tone::Tint),
    ];
    let rows = [line(rows[0]), second, third, fourth]
        .into_iter()
        .map(|r| Node::row(r).h(Len::Dp(row_dp)).cross(Align::Start))
        .collect();
    Node::column(rows).pad(4.0, 6.0).bg(Tone::Card).h(Len::Fill(1.0)).id("keyboard_view")
}

/// What the input method by broadcast shows of itself.
#[must_use]
pub fn adb_keyboard() -> Node {
    Node::row(vec![Node::text("ADB Keyboard {ON}").sp(15.0).tone(Tone::Muted)])
        .main(Align::Centre)
        .bg(Tone::Card)
        .h(Len::Fill(1.0))
}

/// A toast.
#[must_use]
pub fn toast(text: &str) -> Node {
    Node::row(vec![
        Node::text(text)
            .id("android:id/message")
            .sp(14.5)
            .tone(Tone::Rgb(240, 240, 244))
            .bg(Tone::Rgb(50, 51, 56))
            .radius(22.0)
            .pad(22.0, 12.0)
            .lines(2),
    ])
    .main(Align::Centre)
    .pad(30.0, 0.0)
}
