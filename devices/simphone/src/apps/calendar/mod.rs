//! The calendar: a month, a day, the coming events, an event's own page, and the editor.
//!
//! What `content` shows, as on a device (times in milliseconds, the time zone is UTC):
//! - `content://com.android.calendar/events`: `calendar_id title eventLocation description dtstart dtend
//!   duration allDay eventTimezone rrule hasAlarm deleted`; an event that repeats has a `duration` (`PT60M`)
//!   and no `dtend`; takes inserts, updates, deletes
//! - `content://com.android.calendar/calendars`: `calendar_displayName account_name visible`
//! - `content://com.android.calendar/reminders`: `event_id minutes method`; takes inserts and deletes

mod editor;
pub mod events;
mod screens;
#[cfg(test)]
mod tests;

use super::pickers::day_of;
use crate::{apps::prelude::*, ui::node};
use events::{CALENDARS, CalendarEvent};

messages! {
    /// What the widgets of the main screen send.
    enum MainMsg {
        /// Month, day or schedule is shown.
        Mode(mode: usize) = "mode",
        Day(day: i64) = "day",
        Today = "today",
        /// So many days or months later.
        Turn(by: i64) = "turn",
        /// An event is opened as it is on a day.
        Occurs(id: i64, day: i64) = "occurs",
        /// A new event is asked for.
        New = "new",
    }
}

messages! {
    /// What lies over an event's page.
    enum InfoOver {
        Delete = "delete",
    }
}

messages! {
    /// What the widgets of an event's page send.
    enum InfoMsg {
        Edit = "edit",
        Delete = "delete",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.android.calendar";

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

    /// Events in the way of a span of time.
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
        let offset = (hour as f32 * screens::HOUR_DP * sys.world().display().scale()) as i32;
        at.scroll.insert("day_view".to_owned(), offset);
    }

    fn main_event(&mut self, at: &mut Activity, ev: &node::UiEvent, sys: &mut Sys<'_>) {
        let day = Self::day(at, sys.now());
        match ev.message() {
            None if ev.kind == UiEventKind::Back && self.mode == 1 && at.local("from_month") == "1" => {
                self.mode = 0;
                at.set_local("from_month", "0");
                sys.consume();
            }
            Some(MainMsg::Mode(mode)) => {
                self.mode = mode;
                at.set_local("from_month", "0");
                self.to_morning(at, sys);
            }
            Some(MainMsg::Day(day)) => {
                at.set_local("day", day.to_string());
                at.set_local("from_month", "1");
                self.mode = 1;
                self.to_morning(at, sys);
            }
            Some(MainMsg::Today) => {
                at.locals.remove("day");
                self.to_morning(at, sys);
            }
            Some(MainMsg::Turn(by)) => {
                let to = if self.mode == 1 {
                    day + by
                } else {
                    super::pickers::first_of(super::pickers::month_of(day) + by)
                };
                at.set_local("day", to.to_string());
                self.to_morning(at, sys);
            }
            Some(MainMsg::Occurs(id, day)) => {
                sys.open(".EventInfoActivity", &[("id", &id), ("day", &day)]);
            }
            Some(MainMsg::New) => sys.open(".EditEventActivity", &[("day", &day)]),
            None => {}
        }
    }

    fn info_event(&mut self, at: &mut Activity, ev: &node::UiEvent, sys: &mut Sys<'_>) {
        let id = at.about();
        match ev.message() {
            Some(InfoMsg::Edit) => sys.open(".EditEventActivity", &[("id", &id)]),
            Some(InfoMsg::Delete) => {
                at.overlay = None;
                self.events.retain(|e| e.id != id);
                sys.toast("Event deleted");
                sys.finish();
            }
            None => {}
        }
    }
}

impl App for Calendar {
    fn manifest() -> Manifest {
        const EVENTS: &str = "content://com.android.calendar/events";
        const INSERT: &str = "android.intent.action.INSERT";
        Manifest {
            activities: &[".AllInOneActivity", ".EventInfoActivity", ".EditEventActivity"],
            authorities: &["com.android.calendar"],
            tables: &[
                "com.android.calendar/events",
                "com.android.calendar/reminders",
                "com.android.calendar/calendars",
            ],
            filters: const {
                &[
                    IntentFilter::new(ACTION_VIEW, EVENTS, ".EventInfoActivity"),
                    IntentFilter::new(INSERT, "", ".EditEventActivity")
                        .of_type("vnd.android.cursor.item/event"),
                    IntentFilter::new(INSERT, EVENTS, ".EditEventActivity"),
                ]
            },
            ..Manifest::system(PACKAGE, "Calendar", Icon::Calendar, Tone::Rgb(0x2e, 0x7d, 0x4f))
        }
    }

    fn fresh(seed: &mut Seed) -> Self {
        let events = events::events(seed);
        let next = i64::try_from(events.len()).unwrap_or(0) + 1;
        Self { events, next, mode: 0, reminded: seed.start / 60 }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        match at.name() {
            "EventInfoActivity" => self.info(at, cx),
            "EditEventActivity" => self.editor(at, cx),
            _ => self.main(at, cx),
        }
    }

    fn on_event(&mut self, at: &mut Activity, ev: &node::UiEvent, sys: &mut Sys<'_>) {
        match at.name() {
            "EventInfoActivity" => self.info_event(at, ev, sys),
            "EditEventActivity" => self.editor_event(at, ev, sys),
            _ => self.main_event(at, ev, sys),
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

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        match table {
            "com.android.calendar/events" => Some(self.events.iter().map(CalendarEvent::row).collect()),
            "com.android.calendar/calendars" => {
                let row = |(id, name, _): &(i64, &str, Tone)| {
                    row! {
                        _id: *id, account_name: "local", account_type: "LOCAL", name: *name,
                        calendar_displayName: *name, visible: 1,
                    }
                };
                Some(CALENDARS.iter().map(row).collect())
            }
            "com.android.calendar/reminders" => {
                let row = |e: &CalendarEvent| {
                    row! { _id: e.id, event_id: e.id, minutes: e.reminder, method: 1 }
                };
                Some(self.events.iter().filter(|e| e.reminder >= 0).map(row).collect())
            }
            _ => None,
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
                let mut event = CalendarEvent { id: self.next, reminder: -1, ..CalendarEvent::default() };
                event.set(row)?;
                self.events.push(event);
                self.next += 1;
                Ok(self.next - 1)
            }
            "com.android.calendar/reminders" => {
                let id = row.int("event_id").ok_or("event_id is required")?;
                let kept = self.events.iter_mut().find(|e| e.id == id);
                kept.ok_or_else(|| format!("no event {id}"))?.reminder = row.int("minutes").unwrap_or(10);
                Ok(id)
            }
            _ => Err(format!("{table} is read-only")),
        }
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        match table {
            "com.android.calendar/events" => parts::remove(&mut self.events, |e| e.id == id),
            "com.android.calendar/reminders" => self
                .events
                .iter_mut()
                .find(|e| e.id == id && e.reminder >= 0)
                .map(|e| e.reminder = -1)
                .is_some(),
            _ => false,
        }
    }
}
