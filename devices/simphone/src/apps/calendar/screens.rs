//! What the calendar shows: month, day, schedule, and one event.

use super::{Calendar, CalendarEvent, InfoMsg, InfoOver, MainMsg};
use crate::apps::{pickers, prelude::*};
use pickers::{date_of, day_of, month_of, month_title};

/// The height of an hour in the day's view.
pub(super) const HOUR_DP: f32 = 58.0;

/// `10:00 – 11:30`, or `All day`; with dates where it goes over several days.
pub(super) fn span(cx: &Cx<'_>, e: &CalendarEvent, start: i64, end: i64) -> String {
    let last = day_of((end - 1).max(start));
    if e.all_day {
        return if last > day_of(start) {
            format!("{} – {}", Civil::of(start).short(), date_of(last).short())
        } else {
            "All day".to_owned()
        };
    }
    let (from, to) = (Civil::of(start), Civil::of(end));
    if last > day_of(start) {
        format!("{} {} – {} {}", from.short(), cx.time(from), to.short(), cx.time(to))
    } else {
        format!("{} – {}", cx.time(from), cx.time(to))
    }
}

impl Calendar {
    pub(super) fn main(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let day = Self::day(at, cx.now);
        let date = date_of(day);
        let title = if self.mode == 1 {
            format!("{:.3}, {:.3} {}", date.weekday_name(), date.month_name(), date.day)
        } else {
            month_title(month_of(day))
        };
        let mut buttons = Vec::new();
        if self.mode < 2 {
            // Arrows as they often are: without a word.
            buttons.push(kit::icon_button("action_previous", Icon::Left, "", MainMsg::Turn(-1)));
            buttons.push(kit::icon_button("action_next", Icon::Right, "", MainMsg::Turn(1)));
        }
        buttons.push(kit::icon_button("action_today", Icon::Target, "Today", MainMsg::Today));
        let tabs = kit::tabs(
            &[("Month", MainMsg::Mode(0)), ("Day", MainMsg::Mode(1)), ("Schedule", MainMsg::Mode(2))],
            self.mode,
        );
        let body = match self.mode {
            1 => self.hours(day, cx),
            2 => self.schedule(day, cx),
            _ => self.month(month_of(day), cx),
        };
        let top = Node::column(vec![kit::app_bar(&title, buttons), tabs]);
        let fab = kit::fab("floating_action_button", Icon::Plus, "", MainMsg::New);
        AppScreen::new(kit::page(top, body, Some(fab)))
    }

    fn month(&self, month: i64, cx: &Cx<'_>) -> Node {
        let today = day_of(cx.now);
        let weeks = pickers::weeks(month).into_iter().map(|week| {
            let cells = week.into_iter().map(|day| match day {
                Some(day) => self.cell(day, today, cx.landscape()),
                None => Node::stack(vec![]).class("android.view.View"),
            });
            Node::row(cells.collect()).tall().class("android.view.ViewGroup")
        });
        let mut rows = vec![pickers::weekday_letters()];
        rows.extend(weeks);
        Node::column(rows).id("month_view").tall().pad(4.0, 2.0)
    }

    fn cell(&self, day: i64, today: i64, wide: bool) -> Node {
        let events = self.on(day);
        let date = date_of(day);
        let now = day == today;
        let number = Node::text(date.day.to_string())
            .sp(14.0)
            .dp(28.0, if wide { 20.0 } else { 28.0 })
            .radius(14.0)
            .centred();
        let number = if now { number.bg(Tone::Primary).tone(Tone::OnPrimary).bold() } else { number };
        let mut parts = vec![number];
        if wide {
            // There is no room for names: a mark for each event, beside the number.
            let marks = events
                .iter()
                .take(5)
                .map(|(e, ..)| Node::space(10.0, 10.0).class("android.view.View").bg(e.colour()).radius(5.0));
            parts.extend(marks);
            parts = vec![Node::row(parts).gap(4.0).main(Align::Centre)];
        } else {
            parts.extend(events.iter().take(3).map(|(e, ..)| {
                Node::text(e.title.clone())
                    .class("android.view.View")
                    .sp(11.0)
                    .lines(1)
                    .fill()
                    .pad(3.0, 1.0)
                    .radius(4.0)
                    .bg(e.colour())
                    .tone(Tone::WHITE)
            }));
            if events.len() > 3 {
                parts.push(Node::text(format!("+{}", events.len() - 3)).sp(11.0).muted());
            }
        }
        let count = match events.len() {
            0 => "no events".to_owned(),
            1 => "1 event".to_owned(),
            n => format!("{n} events"),
        };
        Node::column(parts)
            .class("android.view.ViewGroup")
            .desc(format!("{} {} {}, {count}", date.weekday_name(), date.day, date.month_name()))
            .tall()
            .gap(2.0)
            .pad(2.0, 2.0)
            .cross(Align::Centre)
            .tap(MainMsg::Day(day))
    }

    fn hours(&self, day: i64, cx: &Cx<'_>) -> Node {
        let events = self.on(day);
        let mut all_day = Vec::new();
        for (e, ..) in events.iter().filter(|(e, ..)| e.all_day) {
            all_day.push(
                Node::label("all_day_event", e.title.clone(), 14.0)
                    .lines(1)
                    .fill()
                    .pad(10.0, 5.0)
                    .radius(8.0)
                    .bg(e.colour())
                    .tone(Tone::WHITE)
                    .tap(MainMsg::Occurs(e.id, day)),
            );
        }
        let mut layers: Vec<Node> = (0..24_u8)
            .map(|h| {
                let at = Civil { hour: u32::from(h), ..date_of(day) };
                Node::row(vec![
                    Node::text(cx.time(at)).sp(12.0).muted().wide(58.0).main(Align::End),
                    Node::line(),
                ])
                .gap(8.0)
                .high(16.0)
                .margins(0.0, f32::from(h) * HOUR_DP, 0.0, 0.0)
            })
            .collect();
        let left = 66.0;
        let width = cx.width - left - 8.0;
        for (e, s, end, column, columns) in side_by_side(&events) {
            let midnight = day * 86_400;
            let (from, to) = ((s - midnight).max(0), (end - midnight).min(86_400));
            let y = |seconds: i64| seconds as f32 / 3600.0 * HOUR_DP + 8.0;
            let (one, l) = (width / columns as f32, left + width / columns as f32 * column as f32);
            let high = (y(to) - y(from) - 2.0).max(22.0);
            let time = span(cx, e, s, end);
            let mut texts = vec![Node::label("event_title", e.title.clone(), 13.5).bold().lines(1)];
            if high > 38.0 {
                texts.push(Node::text(time.clone()).sp(12.0).lines(1));
            }
            if high > 62.0 && !e.location.is_empty() {
                texts.push(Node::text(e.location.clone()).sp(12.0).lines(1));
            }
            let white = Tone::WHITE;
            layers.push(
                Node::column(texts.into_iter().map(|t| t.tone(white)).collect())
                    .class("android.view.View")
                    .id("event_block")
                    .desc(format!("{}, {time}", e.title))
                    .dp(one - 3.0, high)
                    .pad(8.0, if high < 30.0 { 1.0 } else { 4.0 })
                    .radius(8.0)
                    .bg(e.colour())
                    .margins(l, y(from), 0.0, 0.0)
                    .tap(MainMsg::Occurs(e.id, day)),
            );
        }
        let day = Node::stack(layers).high(HOUR_DP * 24.0 + 90.0);
        let mut parts = Vec::new();
        if !all_day.is_empty() {
            parts.push(Node::column(all_day).gap(3.0).pad(12.0, 6.0));
        }
        parts.push(Node::scroll("day_view", vec![day]));
        Node::column(parts).tall()
    }

    fn schedule(&self, from: i64, cx: &Cx<'_>) -> Node {
        let mut rows = Vec::new();
        for day in from..from + 45 {
            let events = self.on(day);
            if events.is_empty() {
                continue;
            }
            let date = date_of(day);
            let name =
                if day == day_of(cx.now) { "Today".to_owned() } else { date.weekday_name().to_owned() };
            rows.push(kit::heading(&format!("{name}, {} {}", date.month_name(), date.day)));
            for (e, s, end) in events {
                let mark = Node::space(8.0, 40.0).class("android.view.View").bg(e.colour()).radius(4.0);
                let below = [span(cx, e, s, end), e.location.clone()];
                let below: Vec<String> = below.into_iter().filter(|t| !t.is_empty()).collect();
                rows.push(
                    kit::row(Some(mark), &e.title, &below.join(" · "), None).tap(MainMsg::Occurs(e.id, day)),
                );
            }
        }
        rows.push(Node::space(1.0, 88.0));
        Node::list("agenda_events_list", rows)
    }

    pub(super) fn info(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let Some(e) = self.event(at.about()) else {
            return parts::gone(Icon::Calendar, "This event is gone");
        };
        let day = at.extra_int("day").unwrap_or_else(|| day_of(e.start));
        let (start, end) = e.on(day).unwrap_or((e.start, e.end));
        let bar = kit::up_bar(
            "",
            vec![
                kit::icon_button("info_action_edit", Icon::Edit, "Edit event", InfoMsg::Edit),
                kit::icon_button("info_action_delete", Icon::Trash, "", show(InfoOver::Delete)),
            ],
        );
        let date = Civil::of(start);
        let on = format!("{}, {} {}, {}", date.weekday_name(), date.month_name(), date.day, date.year);
        let mark = Node::space(22.0, 22.0).class("android.view.View").bg(e.colour()).radius(6.0);
        let mut rows = vec![
            Node::row(vec![mark, Node::label("title", e.title.clone(), 24.0).fill()])
                .gap(18.0)
                .pad(20.0, 10.0),
        ];
        let line = |icon, id: &str, text: &str, below: &str| {
            let mut texts = vec![Node::label(id, text, 16.0)];
            if !below.is_empty() {
                texts.push(Node::text(below).sp(14.0).muted());
            }
            Node::row(vec![Node::icon(icon, 24.0).muted(), Node::column(texts).gap(2.0)])
                .gap(16.0)
                .pad(20.0, 10.0)
        };
        rows.push(line(Icon::Clock, "when_datetime", &on, &span(cx, e, start, end)));
        if let Some((_, name, _)) = super::events::REPEATS.iter().skip(1).find(|r| r.0 == e.repeat) {
            rows.push(line(Icon::Refresh, "when_repeat", name, ""));
        }
        if !e.location.is_empty() {
            rows.push(line(Icon::Pin, "where", &e.location, ""));
        }
        if let Some((_, name)) = super::events::REMINDERS.iter().skip(1).find(|r| r.0 == e.reminder) {
            rows.push(line(Icon::Bell, "reminder", name, ""));
        }
        let calendar = super::events::CALENDARS.iter().find(|c| c.0 == e.calendar).map_or("", |c| c.1);
        rows.push(line(Icon::Calendar, "calendar_name", calendar, ""));
        if !e.description.is_empty() {
            rows.push(line(Icon::Note, "description", &e.description, ""));
        }
        let clashes = if e.all_day { vec![] } else { self.clashes(e.id, start, end) };
        if !clashes.is_empty() {
            rows.push(notice(&clashes));
        }
        let over = at.over().map(|InfoOver::Delete| {
            let text = format!("{} will be removed from the calendar.", e.title);
            dialogs::confirm("Delete this event?", &text, "Delete", InfoMsg::Delete)
        });
        parts::screen(bar, Node::scroll("event_info_scroll_view", rows)).over(over)
    }
}

/// What is in the way, as a notice.
pub(super) fn notice(clashes: &[&CalendarEvent]) -> Node {
    let names: Vec<&str> = clashes.iter().map(|e| e.title.as_str()).collect();
    Node::row(vec![
        Node::icon(Icon::Warning, 22.0).tone(Tone::Danger),
        Node::label("conflict_notice", format!("Conflicts with {}", names.join(", ")), 14.5)
            .tone(Tone::Danger)
            .fill(),
    ])
    .gap(12.0)
    .margin(16.0, 8.0)
    .pad(14.0, 12.0)
    .radius(12.0)
    .border(Tone::Danger)
}

/// Events of a day with the column each stands in and how many columns its neighbours need.
fn side_by_side<'a>(
    events: &[(&'a CalendarEvent, i64, i64)],
) -> Vec<(&'a CalendarEvent, i64, i64, usize, usize)> {
    let mut out: Vec<(&CalendarEvent, i64, i64, usize, usize)> = Vec::new();
    let mut ends: Vec<i64> = Vec::new();
    let mut group = 0;
    for (e, s, end) in events.iter().filter(|(e, ..)| !e.all_day) {
        if ends.iter().all(|x| x <= s) {
            ends.clear();
            group = out.len();
        }
        let column = ends.iter().position(|x| x <= s).unwrap_or(ends.len());
        match ends.get_mut(column) {
            Some(x) => *x = *end,
            None => ends.push(*end),
        }
        out.push((*e, *s, *end, column, 1));
        for placed in out.iter_mut().skip(group) {
            placed.4 = ends.len();
        }
    }
    out
}
