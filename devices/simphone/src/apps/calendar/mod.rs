//! The calendar: a month, a day, the coming events, an event's own page, and the editor.
//!
//! What `content` shows, as on a device (times in milliseconds, the time zone is UTC):
//! - `content://com.android.calendar/events`: `calendar_id title eventLocation description dtstart dtend
//!   duration allDay eventTimezone rrule hasAlarm deleted`; an event that repeats has a `duration` (`PT60M`)
//!   and no `dtend`; takes inserts, updates, deletes
//! - `content://com.android.calendar/calendars`: `calendar_displayName account_name visible`
//! - `content://com.android.calendar/reminders`: `event_id minutes method`

pub mod events;
#[cfg(test)]
mod tests;

use serde_json::json;

use crate::{
    apps::prelude::*,
    clock::{day_of, first_of, month_of},
};
use events::{CALENDARS, CalendarEvent, REMINDERS, REPEATS, side_by_side};

messages! {
    enum Msg {
        /// The day's hours are scrolled to the morning.
        Morning = "morning",
    }
}

pub const PACKAGE: &str = "com.android.calendar";
/// The height of an hour in the day's view.
const HOUR_DP: f32 = 58.0;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Calendar {
    events: Vec<CalendarEvent>,
    next: i64,
    /// What the main screen shows: 0 month, 1 day, 2 schedule.
    mode: usize,
    /// The last minute whose reminders were given.
    reminded: i64,
}

impl Calendar {
    fn event(&self, id: i64) -> Option<&CalendarEvent> {
        self.events.iter().find(|e| e.id == id)
    }

    /// Events that touch a day with their occurrence, whole days first, then by beginning.
    fn on(&self, day: i64) -> Vec<(&CalendarEvent, i64, i64)> {
        let mut out: Vec<_> =
            self.events.iter().filter_map(|e| e.on(day).map(|(s, end)| (e, s, end))).collect();
        out.sort_by_key(|(e, s, end)| (!e.all_day, *s, *end, e.id));
        out
    }

    fn clashes(&self, but: i64, start: i64, end: i64) -> Vec<&CalendarEvent> {
        self.events.iter().filter(|e| e.id != but && e.clashes(start, end)).collect()
    }

    fn day(at: &Activity, now: i64) -> i64 {
        at.local("day").parse().unwrap_or_else(|_| day_of(now))
    }

    /// Scrolls the day's hours so that the morning, or its first event, is at the top.
    fn to_morning(&self, at: &mut Activity, sys: &mut Sys<'_>) {
        let day = Self::day(at, sys.now());
        let first = self.on(day).iter().filter(|e| !e.0.all_day).map(|e| e.1).min();
        let hour = first.map_or(8, |s| (s - day * 86_400).max(0) / 3600).min(8);
        let offset = (hour as f32 * HOUR_DP * sys.world().display.scale()) as i32;
        at.scroll.insert("day_view".to_owned(), offset);
    }

    /// What the editor began with: the event, or what the intent asks for.
    fn original(&self, at: &Activity, now: i64) -> CalendarEvent {
        self.event(at.about()).cloned().unwrap_or_else(|| {
            let given = |key: &str| at.extra(key).parse::<i64>().ok().map(|ms| ms / 1000);
            let day = at.extra_int("day").unwrap_or_else(|| day_of(now));
            // The next whole hour, as of the time of day that it is now.
            let hour = (now.rem_euclid(86_400) / 3600 + 1).min(22);
            let start = given("beginTime").unwrap_or(day * 86_400 + hour * 3600);
            CalendarEvent {
                title: at.extra("title"),
                location: at.extra("eventLocation"),
                description: at.extra("description"),
                start,
                end: given("endTime").unwrap_or(start + 3600),
                calendar: 1,
                reminder: 10,
                ..CalendarEvent::default()
            }
        })
    }

    fn edited(mut e: CalendarEvent, at: &Activity) -> CalendarEvent {
        for (id, slot) in
            [("title", &mut e.title), ("location", &mut e.location), ("description", &mut e.description)]
        {
            if let Some(text) = at.field(id) {
                text.trim().clone_into(slot);
            }
        }
        for (key, slot) in [
            ("start", &mut e.start),
            ("end", &mut e.end),
            ("calendar", &mut e.calendar),
            ("reminder", &mut e.reminder),
        ] {
            if let Ok(value) = at.local(key).parse() {
                *slot = value;
            }
        }
        if !at.local("all_day").is_empty() {
            e.all_day = at.is_on("all_day");
        }
        let repeat = serde_json::from_value(at.local("repeat").into());
        e.repeat = repeat.unwrap_or(e.repeat);
        e
    }

    /// The days from one to another, each with its events as a layout shows them.
    fn days(&self, days: std::ops::Range<i64>, cx: &Cx<'_>) -> Vec<serde_json::Value> {
        let one = |day| {
            let events = side_by_side(self.on(day)).into_iter().map(|(e, from, to, column, columns)| {
                json!({
                    "id": e.id, "title": e.title, "location": e.location, "all_day": e.all_day, "colour": e.colour(),
                    "from": from, "to": to, "span": e.span(cx, from, to), "column": column, "columns": columns,
                })
            });
            json!({ "day": day, "events": events.collect::<Vec<_>>() })
        };
        days.map(one).collect()
    }
}

impl App for Calendar {
    fn fresh(seed: &mut Seed) -> Self {
        let events = events::events(seed);
        let next = i64::try_from(events.len()).unwrap_or(0);
        Self { events, next, mode: 0, reminded: seed.start / 60 }
    }

    fn facts(&self, at: &Activity, cx: &Cx<'_>) -> serde_json::Value {
        let clashes = |e: &CalendarEvent, start, end| {
            let clashes = if e.all_day { vec![] } else { self.clashes(e.id, start, end) };
            clashes.into_iter().map(|e| e.title.clone()).collect::<Vec<_>>()
        };
        let mut facts = match at.name() {
            "EventInfoActivity" => self.event(at.about()).map_or(json!({}), |e| {
                let day = at.extra_int("day").unwrap_or_else(|| day_of(e.start));
                let (start, end) = e.on(day).unwrap_or((e.start, e.end));
                let mut event = json!(e);
                event["colour"] = e.colour().into();
                let clashes = clashes(e, start, end);
                json!({ "event": event, "start": start, "span": e.span(cx, start, end), "clashes": clashes })
            }),
            "EditEventActivity" => {
                let original = self.original(at, cx.now);
                let e = Self::edited(original.clone(), at);
                json!({ "clashes": clashes(&e, e.start, e.end), "original": original, "edited": e })
            }
            _ => {
                let day = Self::day(at, cx.now);
                let days = match self.mode {
                    1 => day..day + 1,
                    2 => day..day + 45,
                    _ => first_of(month_of(day))..first_of(month_of(day) + 1),
                };
                json!({ "day": day, "days": self.days(days, cx) })
            }
        };
        facts["repeats"] = json!(REPEATS.map(|(repeat, name, _)| (repeat, name)));
        facts["reminders"] = json!(REMINDERS);
        facts["calendars"] = json!(CALENDARS.map(|(id, name, _)| (id, name)));
        facts
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        if ev.message() == Some(Msg::Morning) {
            self.to_morning(at, sys);
        }
    }

    fn second(&mut self, sys: &mut Sys<'_>) {
        let minute = sys.now() / 60;
        if minute == self.reminded {
            return;
        }
        let passed = (minute - 60).max(self.reminded)..minute;
        self.reminded = minute;
        for e in self.events.iter().filter(|e| e.reminder >= 0 && !e.all_day) {
            let due = passed.clone().map(|m| m + 1).find_map(|m| {
                let begin = (m + e.reminder) * 60;
                e.on(day_of(begin)).filter(|(s, _)| s / 60 * 60 == begin)
            });
            if let Some((start, _)) = due {
                let text = Civil::of(start).clock24();
                let to = crate::world::intent::Intent::view(&format!("content://{PACKAGE}/events/{}", e.id));
                sys.notify(u64::try_from(e.id).unwrap_or(0), &e.title, &text, Some(to));
            }
        }
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        match table {
            "com.android.calendar/events" => {
                let id = row.int("_id");
                if let Some(id) = id {
                    let kept = self.events.iter_mut().find(|e| e.id == id);
                    return kept.ok_or_else(|| format!("no event {id}"))?.set(row).map(|()| id);
                }
                let mut event = CalendarEvent { id: self.next + 1, reminder: -1, ..CalendarEvent::default() };
                event.set(row)?;
                self.events.push(event);
                self.next += 1;
                Ok(self.next)
            }
            _ => Err(format!("{table} is read-only")),
        }
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        table == "com.android.calendar/events" && parts::remove(&mut self.events, |e| e.id == id)
    }
}
