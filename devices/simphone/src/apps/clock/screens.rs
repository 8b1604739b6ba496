//! What the clock shows: three tabs, and the dialogs of the alarms.

use super::{Alarm, Clock, Msg, Over, WEEKDAYS, pickers, time::Timer};
use crate::{apps::prelude::*, clock::DAYS};

/// The days of an alarm in words.
fn days(a: &Alarm, now: i64) -> String {
    match a.days {
        0 => {
            let today = now.div_euclid(86_400) == (now / 60 * 60 + a.wait(now) * 60).div_euclid(86_400);
            if !a.enabled {
                "Not scheduled".to_owned()
            } else if today {
                "Today".to_owned()
            } else {
                "Tomorrow".to_owned()
            }
        }
        0x7f => "Every day".to_owned(),
        WEEKDAYS => "Weekdays".to_owned(),
        0b110_0000 => "Weekend".to_owned(),
        bits => {
            let short: Vec<&str> = DAYS
                .iter()
                .enumerate()
                .filter(|(i, _)| bits >> i & 1 == 1)
                .map(|(_, n)| n.get(..3).unwrap_or(n))
                .collect();
            short.join(", ")
        }
    }
}

/// `1:02:03` or `02:03`.
fn clock_face(seconds: i64) -> String {
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m:02}:{s:02}") }
}

fn watch_face(ms: u64) -> String {
    let s = i64::try_from(ms / 1000).unwrap_or(0);
    format!("{}.{:02}", clock_face(s), ms / 10 % 100)
}

fn round(id: &str, icon: Icon, side: f32, on: Msg) -> Node {
    // The clock's round buttons say nothing of what they do.
    kit::sign_button(id, side, (icon, side * 0.44, Tone::OnPrimary), on).bg(Tone::Primary).radius(side / 2.0)
}

/// A line of an open card: sign and its side, text, description, and what a tap does.
fn act(id: &str, (icon, side, text): (Icon, f32, &str), desc: &str, on: Msg) -> Node {
    Node::row(vec![Node::mark(icon, side, Tone::Muted), Node::text(text).sp(15.0).lines(1).fill()])
        .class("android.widget.TextView")
        .id(id)
        .desc(desc)
        .gap(12.0)
        .tap(on)
}

impl Clock {
    pub(super) fn screen(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let (title, body, fab) = match self.tab {
            1 => ("Timer", self.timer_tab(at, cx), None),
            2 => ("Stopwatch", self.stopwatch_tab(cx), None),
            _ => ("Alarm", self.alarm_tab(cx), Some(kit::fab("fab", Icon::Plus, "Add alarm", Msg::Add))),
        };
        let bar = kit::bottom_bar(
            &[
                ("tab_menu_alarm", Icon::Alarm, "Alarm", Msg::Tab(0)),
                ("tab_menu_timer", Icon::Timer, "Timer", Msg::Tab(1)),
                ("tab_menu_stopwatch", Icon::Clock, "Stopwatch", Msg::Tab(2)),
            ],
            self.tab,
        );
        let page = kit::page(kit::app_bar(title, vec![]), body, fab);
        let over = at.over().map(|over| match over {
            Over::Label(_) => Overlay::Dialog(kit::dialog(
                "Label",
                vec![Node::field("alarm_label_field", "Label").submit(Msg::Named)],
                &[("android:id/button2", "Cancel", Msg::Unnamed), ("android:id/button1", "OK", Msg::Named)],
            )),
            Over::Time(_) => Overlay::Dialog(pickers::time_dialog(at, cx)),
        });
        AppScreen::new(Node::column(vec![page, bar]).tall()).over(over)
    }

    fn alarm_tab(&self, cx: &Cx<'_>) -> Node {
        let rows = self.alarms.iter().map(|a| self.card(a, cx)).collect();
        kit::list_under_fab("alarm_recycler_view", rows, 92.0, (Icon::Alarm, "No alarms"))
    }

    fn card(&self, a: &Alarm, cx: &Cx<'_>) -> Node {
        let open = self.open == a.id;
        let ink = if a.enabled { Tone::OnSurface } else { Tone::Muted };
        let time = cx.time(Civil { hour: a.hour, minute: a.minute, ..Civil::of(0) });
        let arrow = if open { Icon::Up } else { Icon::Down };
        let mut parts = Vec::new();
        if open {
            let label = if a.label.is_empty() { "Add label" } else { a.label.as_str() };
            parts.push(act("edit_label", (Icon::Label, 20.0, label), label, Msg::Label(a.id)).high(40.0));
        } else if !a.label.is_empty() {
            parts.push(Node::label("label", a.label.clone(), 14.5).muted().lines(1));
        }
        parts.push(Node::row(vec![
            Node::label("digital_clock", time, 42.0).tone(ink).lines(1).tap(Msg::Change(a.id)),
            Node::space(1.0, 1.0).fill(),
            kit::icon_button("arrow", arrow, "", Msg::Expand(a.id)),
        ]));
        let switch = kit::switch("onoff", a.enabled, "", Msg::On(a.id));
        parts.push(Node::row(vec![
            Node::label("days_of_week", days(a, cx.now), 15.0).tone(ink).lines(1).fill(),
            switch,
        ]));
        if open {
            let chips = DAYS.iter().enumerate().map(|(i, name)| {
                let on = a.days >> i & 1 == 1;
                let chip = Node::text(name.get(..1).unwrap_or(name))
                    .class("android.widget.CheckBox")
                    .id(&format!("day_button_{i}"))
                    .desc(*name)
                    .sp(15.0)
                    .bold()
                    .dp(40.0, 40.0)
                    .radius(20.0)
                    .centred()
                    .tap(Msg::Day(a.id, i))
                    .selected_if(|| on);
                let chip = if on {
                    chip.bg(Tone::Primary).tone(Tone::OnPrimary)
                } else {
                    chip.border(Tone::Outline).muted()
                };
                Node::row(vec![chip]).main(Align::Centre)
            });
            parts.push(Node::row(chips.collect()).id("repeat_days").pad(0.0, 8.0));
            parts.push(
                kit::check("vibrate_onoff", a.vibrate, "Vibrate", Msg::Vibrate(a.id)).fill().high(44.0),
            );
            let delete = (Icon::Trash, 22.0, "Delete");
            parts.push(act("delete", delete, "Delete alarm", Msg::Delete(a.id)).pad(5.0, 0.0).high(44.0));
        }
        kit::card(parts)
    }

    fn timer_tab(&self, at: &Activity, cx: &Cx<'_>) -> Node {
        if self.timers.is_empty() || at.local("setup") == "1" {
            return setup(at.local("digits"), cx.landscape());
        }
        let mut rows: Vec<Node> = self.timers.iter().map(|t| timer_card(t, cx)).collect();
        rows.push(Node::space(1.0, 12.0));
        Node::column(vec![
            Node::list("recycler_view", rows),
            Node::row(vec![kit::fab("fab", Icon::Plus, "Add timer", Msg::Setup)])
                .main(Align::Centre)
                .margins(20.0, 8.0, 0.0, 0.0),
        ])
        .tall()
    }

    fn stopwatch_tab(&self, cx: &Cx<'_>) -> Node {
        let w = &self.stopwatch;
        let total = w.total(cx.now_ms);
        let mut laps = Vec::new();
        for (i, at) in w.laps.iter().enumerate().rev() {
            let before = i.checked_sub(1).and_then(|p| w.laps.get(p)).copied().unwrap_or(0);
            laps.push(
                Node::row(vec![
                    Node::label("lap_number", format!("# {}", i + 1), 15.0).muted().fill(),
                    Node::label("lap_time", watch_face(at - before), 15.0).fill(),
                    Node::label("lap_total", watch_face(*at), 15.0),
                ])
                .pad(48.0, 8.0),
            );
        }
        let go = if w.runs() { Icon::Pause } else { Icon::Play };
        let side = |id: &str, icon, on: Msg, shown: bool| {
            if shown { kit::icon_button(id, icon, "", on) } else { Node::space(48.0, 48.0) }
        };
        Node::column(vec![
            Node::label("stopwatch_time_text", watch_face(total), if cx.landscape() { 40.0 } else { 56.0 })
                .fill()
                .main(Align::Centre)
                .pad(0.0, if cx.landscape() { 4.0 } else { 48.0 })
                .lines(1),
            Node::list("laps_list", laps),
            Node::row(vec![
                side("left_button", Icon::Refresh, Msg::ResetWatch, total > 0),
                round("fab", go, 72.0, Msg::TurnWatch),
                side("right_button", Icon::Timer, Msg::Lap, w.runs()),
            ])
            .gap(32.0)
            .main(Align::Centre)
            .pad(0.0, 14.0),
        ])
        .tall()
    }
}

fn setup(digits: &str, wide: bool) -> Node {
    let padded = format!("{digits:0>6}");
    let part = |from: usize| padded.get(from..from + 2).unwrap_or("00").to_owned();
    let shown = format!("{}h {}m {}s", part(0), part(2), part(4));
    let display = Node::label("timer_setup_time", shown, if wide { 32.0 } else { 46.0 })
        .tone(if digits.is_empty() { Tone::Muted } else { Tone::Primary })
        .fill()
        .main(Align::Centre)
        .lines(1)
        .pad(0.0, if wide { 4.0 } else { 20.0 });
    let (w, h) = if wide { (64.0, 38.0) } else { (92.0, 68.0) };
    let key = |id: String, text: &str, on: Msg| {
        Node::text(text)
            .class("android.widget.Button")
            .id(&id)
            .sp(24.0)
            .dp(w, h)
            .radius(h / 2.0)
            .centred()
            .bg(Tone::Card)
            .tap(on)
    };
    let digit = |d: &str| key(format!("timer_setup_digit_{d}"), d, Msg::Digit(d.to_owned()));
    let erase = kit::sign_button("timer_setup_delete", w, (Icon::Backspace, 26.0, Tone::OnTint), Msg::Erase)
        .high(h)
        .radius(h / 2.0)
        .bg(Tone::Tint);
    let line = |keys: Vec<Node>| Node::row(keys).gap(12.0).main(Align::Centre);
    let keys = Node::column(vec![
        line(vec![digit("1"), digit("2"), digit("3")]),
        line(vec![digit("4"), digit("5"), digit("6")]),
        line(vec![digit("7"), digit("8"), digit("9")]),
        line(vec![digit("00"), digit("0"), erase]),
    ])
    .gap(if wide { 6.0 } else { 10.0 });
    let start = if digits.is_empty() {
        Node::space(72.0, 72.0)
    } else {
        round("fab", Icon::Play, if wide { 56.0 } else { 72.0 }, Msg::Start)
    };
    if wide {
        let left = Node::column(vec![display, start]).cross(Align::Centre);
        return Node::row(vec![left, keys]).tall();
    }
    Node::column(vec![display, keys, Node::spring(), start]).tall().cross(Align::Centre).pad(12.0, 14.0)
}

fn timer_card(t: &Timer, cx: &Cx<'_>) -> Node {
    let left = t.left(cx.now);
    let done = i32::try_from(left * 1000 / t.length.max(1)).unwrap_or(0);
    let go = if t.runs() { Icon::Pause } else { Icon::Play };
    let tone = if left == 0 { Tone::Danger } else { Tone::OnSurface };
    let name = if left == 0 { "Time's up".to_owned() } else { format!("{} timer", clock_face(t.length)) };
    kit::card(vec![
        Node::row(vec![
            Node::label("timer_label", name, 15.0).muted().fill(),
            kit::icon_button("close", Icon::Close, "Delete timer", Msg::DeleteTimer(t.id)),
        ]),
        Node::label("timer_time_text", clock_face(left), 46.0).tone(tone).lines(1),
        Node::progress(done).high(6.0).margin(0.0, 8.0),
        Node::row(vec![
            kit::soft_button(
                "reset_add",
                if t.runs() { "+1:00" } else { "Reset" },
                if t.runs() { Msg::AddMinute(t.id) } else { Msg::ResetTimer(t.id) },
            ),
            Node::space(1.0, 1.0).fill(),
            round("play_pause", go, 56.0, Msg::TurnTimer(t.id)),
        ]),
    ])
}
