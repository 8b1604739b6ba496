//! The time picker: a dial, or two fields to type into.

use super::local;
use crate::apps::prelude::*;

messages! {
    /// What the time picker's widgets send.
    pub(crate) enum TimeMsg {
        /// The dial shows the hours.
        Hours = "hours",
        /// The dial shows the minutes.
        Minutes = "minutes",
        /// A number of the dial is chosen.
        Set(value: i64) = "set",
        Am = "am",
        Pm = "pm",
        Mode = "mode",
        Cancel = "cancel",
        Ok = "ok",
    }
}

/// A message of the time picker as its app sends it.
fn sent(message: &TimeMsg) -> String {
    format!("tp/{message}")
}

const HOUR_FIELD: &str = "material_hour_text_input";
const MINUTE_FIELD: &str = "material_minute_text_input";

/// Whether times of day go to 12 and start again.
pub fn twelve(settings: &Settings) -> bool {
    settings.get(Namespace::System, "time_12_24") == Some("12")
}

/// Begins to choose a time; the app opens its overlay itself.
pub(crate) fn open_time(at: &mut Activity, hour: u32, minute: u32) {
    at.set_local("pick_hour", hour.to_string());
    at.set_local("pick_minute", minute.to_string());
    at.set_local("pick_part", "hour");
    at.set_local("pick_mode", "dial");
    at.set_local("pick_wrong", "");
}

fn clock_hour(hour: i64, cx12: bool) -> i64 {
    if cx12 { (hour + 11) % 12 + 1 } else { hour }
}

/// The time picker: a dial, or two fields to type into.
pub(crate) fn time_dialog(at: &Activity, cx: &Cx<'_>) -> Node {
    let cx12 = twelve(cx.settings);
    let typed = at.local("pick_mode") == "text";
    let wide = cx.landscape() && !typed;
    let header = header(at, cx12, typed, wide);
    let dial = dial(at, cx12, if cx.landscape() { 184.0 } else { 264.0 });
    let mut body = vec![
        Node::label("header_title", if typed { "Enter time" } else { "Select time" }, 14.0)
            .muted()
            .margins(0.0, 0.0, 0.0, 10.0),
    ];
    if typed {
        body.push(header);
        if at.local("pick_wrong") == "1" {
            body.push(Node::label("error", "Enter a valid time", 14.0).tone(Tone::Danger));
        }
    } else if wide {
        body.push(Node::row(vec![header.snug(), Node::space(1.0, 1.0).fill(), dial]));
    } else {
        body.push(header);
        body.push(Node::row(vec![dial]).main(Align::Centre).margins(0.0, 18.0, 0.0, 0.0));
    }
    let mode = if typed { Icon::Clock } else { Icon::Edit };
    body.push(
        Node::row(vec![
            // As on many phones, what this sign does is left to be found out.
            kit::icon_button("material_timepicker_mode_button", mode, "", sent(&TimeMsg::Mode)),
            Node::space(1.0, 1.0).fill(),
            kit::text_button("material_timepicker_cancel_button", "Cancel", sent(&TimeMsg::Cancel)),
            kit::text_button("material_timepicker_ok_button", "OK", sent(&TimeMsg::Ok)),
        ])
        .margins(0.0, 12.0, 0.0, 0.0),
    );
    Node::column(body).bg(Tone::Raised).radius(28.0).pad(24.0, 20.0)
}

fn header(at: &Activity, cx12: bool, typed: bool, small: bool) -> Node {
    let (hour, minute) = (local(at, "pick_hour"), local(at, "pick_minute"));
    let shown = clock_hour(hour, cx12);
    let (wide, high, sp) = if small { (60.0, 56.0, 30.0) } else { (86.0, 74.0, 44.0) };
    let mut parts = Vec::new();
    let colon = || Node::text(":").sp(sp);
    if typed {
        let field = |id: &str, hint: &str, value: i64| {
            Node::field(id, hint)
                .input(FieldInput::Number)
                .with_text(format!("{value:02}"))
                .sp(32.0)
                .wide(86.0)
                .submit(sent(&TimeMsg::Ok))
        };
        parts.extend([field(HOUR_FIELD, "Hour", shown), colon(), field(MINUTE_FIELD, "Minute", minute)]);
    } else {
        let chip = |id: &str, text: String, desc: String, part: &TimeMsg| {
            let mine = (at.local("pick_part") == "hour") == (*part == TimeMsg::Hours);
            let (ground, ink) = if mine { (Tone::Tint, Tone::OnTint) } else { (Tone::Line, Tone::OnSurface) };
            Node::text(text)
                .id(id)
                .desc(desc)
                .sp(sp)
                .lines(1)
                .dp(wide, high)
                .centred()
                .radius(10.0)
                .bg(ground)
                .tone(ink)
                .tap(sent(part))
                .selected_if(|| mine)
        };
        parts.push(chip(
            "material_hour_tv",
            format!("{shown:02}"),
            format!("{shown} hours"),
            &TimeMsg::Hours,
        ));
        parts.push(colon());
        let says = format!("{minute} minutes shown");
        parts.push(chip("material_minute_tv", format!("{minute:02}"), says, &TimeMsg::Minutes));
    }
    let half = |id: &str, text: &str, on: &TimeMsg, mine: bool| {
        let c = Node::text(text)
            .class("android.widget.Button")
            .id(id)
            .sp(15.0)
            .dp(52.0, 36.0)
            .centred()
            .radius(8.0)
            .border(Tone::Outline)
            .tap(sent(on))
            .selected_if(|| mine);
        if mine { c.bg(Tone::Tint).tone(Tone::OnTint) } else { c.muted() }
    };
    let halves = vec![
        half("material_clock_period_am_button", "AM", &TimeMsg::Am, hour < 12),
        half("material_clock_period_pm_button", "PM", &TimeMsg::Pm, hour >= 12),
    ];
    let time = |parts| Node::row(parts).main(Align::Centre).gap(6.0);
    match (cx12, small) {
        (false, _) => time(parts),
        (true, true) => {
            let halves = Node::row(halves).snug().gap(6.0);
            Node::column(vec![time(parts).snug(), halves]).gap(12.0).cross(Align::Centre)
        }
        (true, false) => {
            parts.push(Node::column(halves).snug().gap(2.0));
            time(parts)
        }
    }
}

fn dial(at: &Activity, cx12: bool, side: f32) -> Node {
    let hours = at.local("pick_part") == "hour";
    let chosen = local(at, if hours { "pick_hour" } else { "pick_minute" });
    let middle = side / 2.0;
    let cell = if side > 200.0 { 40.0 } else { 28.0 };
    let place = |turn: f32, inner: bool| {
        let r = middle - cell / 2.0 - 4.0 - if inner { cell * 0.95 } else { 0.0 };
        let a = (turn * 360.0 - 90.0).to_radians();
        (middle + r * a.cos(), middle + r * a.sin())
    };
    let mut marks: Vec<(i64, String, f32, bool)> = Vec::new();
    for i in 0..12_i64 {
        let turn = i as f32 / 12.0;
        if !hours {
            marks.push((i * 5, format!("{:02}", i * 5), turn, false));
        } else if cx12 {
            marks.push((i + if chosen >= 12 { 12 } else { 0 }, ((i + 11) % 12 + 1).to_string(), turn, false));
        } else {
            marks.push(((i + 11) % 12 + 1, ((i + 11) % 12 + 1).to_string(), turn, false));
            let late = (i + 12) % 24;
            let late = if i == 0 { 0 } else { late };
            marks.push((late, format!("{late:02}"), turn, true));
        }
    }
    let hand = marks
        .iter()
        .find(|m| m.0 == chosen)
        .map_or_else(|| place(chosen as f32 / 60.0, false), |m| place(m.2, m.3));
    let mut children = vec![
        Node::canvas(
            "android.view.View",
            vec![
                Shape::new(Outline::Stroke(vec![(middle, middle), hand], 2.0), Tone::Primary),
                Shape::new(Outline::Disc(middle, middle, 4.0), Tone::Primary),
                Shape::new(Outline::Disc(hand.0, hand.1, cell / 2.0), Tone::Primary),
            ],
        )
        .dp(side, side),
    ];
    for (value, text, turn, inner) in marks {
        let (x, y) = place(turn, inner);
        let mine = value == chosen;
        let says = if hours { format!("{value} o'clock") } else { format!("{value} minutes") };
        children.push(
            Node::text(text)
                .desc(says)
                .sp(if inner || cell < 40.0 { 12.5 } else { 15.0 })
                .dp(cell, cell)
                .centred()
                .lines(1)
                .tone(if mine { Tone::OnPrimary } else { Tone::OnSurface })
                .margins(x - cell / 2.0, y - cell / 2.0, 0.0, 0.0)
                .tap(sent(&TimeMsg::Set(value)))
                .selected_if(|| mine),
        );
    }
    Node::stack(children).id("material_clock_face").dp(side, side).bg(Tone::Line).radius(middle)
}

/// What a tap on the time picker does; gives hour and minute once they are confirmed.
pub(crate) fn on_time(at: &mut Activity, message: &TimeMsg, cx12: bool) -> Option<(u32, u32)> {
    let hour = local(at, "pick_hour");
    match message {
        TimeMsg::Hours => at.set_local("pick_part", "hour"),
        TimeMsg::Minutes => at.set_local("pick_part", "minute"),
        TimeMsg::Set(value) if at.local("pick_part") == "hour" => {
            at.set_local("pick_hour", value.to_string());
            at.set_local("pick_part", "minute");
        }
        TimeMsg::Set(value) => at.set_local("pick_minute", value.to_string()),
        TimeMsg::Am => at.set_local("pick_hour", (hour % 12).to_string()),
        TimeMsg::Pm => at.set_local("pick_hour", (hour % 12 + 12).to_string()),
        TimeMsg::Mode => {
            let to = if at.local("pick_mode") == "text" { "dial" } else { "text" };
            take_typed(at, cx12);
            at.set_local("pick_mode", to);
            at.set_local("pick_part", "hour");
            at.editing = None;
        }
        TimeMsg::Cancel => close_time(at),
        TimeMsg::Ok => {
            if !take_typed(at, cx12) {
                at.set_local("pick_wrong", "1");
                return None;
            }
            close_time(at);
            let number = |key| u32::try_from(local(at, key)).unwrap_or(0);
            return Some((number("pick_hour"), number("pick_minute")));
        }
    }
    None
}

fn close_time(at: &mut Activity) {
    at.overlay = None;
    at.editing = None;
    at.fields.remove(HOUR_FIELD);
    at.fields.remove(MINUTE_FIELD);
}

/// Takes over what was typed; false where it is not a time.
fn take_typed(at: &mut Activity, cx12: bool) -> bool {
    let number = |id: &str, or: i64| match at.field(id) {
        Some(text) => text.trim().parse::<i64>().ok(),
        None => Some(or),
    };
    let old = local(at, "pick_hour");
    let (hour, minute) =
        (number(HOUR_FIELD, clock_hour(old, cx12)), number(MINUTE_FIELD, local(at, "pick_minute")));
    let (Some(hour), Some(minute)) = (hour, minute) else { return false };
    let hours = if cx12 { 1..=12 } else { 0..=23 };
    if !hours.contains(&hour) || !(0..60).contains(&minute) {
        return false;
    }
    let hour = if cx12 { hour % 12 + if old >= 12 { 12 } else { 0 } } else { hour };
    at.set_local("pick_hour", hour.to_string());
    at.set_local("pick_minute", minute.to_string());
    at.set_local("pick_wrong", "");
    at.fields.remove(HOUR_FIELD);
    at.fields.remove(MINUTE_FIELD);
    true
}
