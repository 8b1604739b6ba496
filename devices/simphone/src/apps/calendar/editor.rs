//! The editor of an event. What is chosen so far lives in the screen's locals until it is saved.

use super::{
    Calendar, CalendarEvent,
    events::{CALENDARS, REMINDERS, REPEATS},
    screens::notice,
};
use crate::{
    apps::{pickers, prelude::*},
    ui::node,
};
use pickers::day_of;

messages! {
    /// What the editor's widgets send; `which` is `start` or `end`.
    enum Msg {
        Save = "save",
        /// Whole days or hours.
        AllDay = "all_day",
        /// A date is asked for.
        Date(which: String) = "date",
        /// A time of day is asked for.
        Time(which: String) = "time",
        /// A widget of the date picker.
        PickDate(pick: pickers::DateMsg) = "dp",
        /// A widget of the time picker.
        PickTime(pick: pickers::TimeMsg) = "tp",
        /// One of several is chosen.
        Set(what: String, value: String) = "set",
    }
}

messages! {
    /// What lies over the editor; `which` is `start` or `end`.
    enum Over {
        Date(which: String) = "date",
        Time(which: String) = "time",
        Repeat = "repeat",
        Calendar = "calendar",
        Reminder = "reminder",
        Discard = "discard",
    }
}

impl Calendar {
    /// What the editor began with.
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

    fn edited(&self, at: &Activity, now: i64) -> CalendarEvent {
        let mut e = self.original(at, now);
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
            e.all_day = at.local("all_day") == "1";
        }
        if let Some(r) = at.local("repeat").parse().ok().and_then(|i: usize| REPEATS.get(i)) {
            e.repeat = r.0;
        }
        e
    }

    pub(super) fn editor(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        let (e, was) = (self.edited(at, cx.now), self.original(at, cx.now));
        let title = if was.id == 0 { "New event" } else { "Edit event" };
        let bar = kit::editor_bar("action_cancel", title, ("action_done", Msg::Save));
        let mut rows = vec![
            Node::row(vec![Node::field("title", "Add title").with_text(was.title.clone()).sp(20.0)])
                .pad(20.0, 6.0),
            kit::switch_row(
                Some(Node::icon(Icon::Clock, 24.0).muted()),
                "All day",
                "",
                e.all_day,
                Msg::AllDay,
            )
            .id("is_all_day"),
            moment("From", "start", e.start, e.all_day, cx),
            moment("To", "end", if e.all_day { e.end - 1 } else { e.end }, e.all_day, cx),
        ];
        let clashes = if e.all_day { vec![] } else { self.clashes(e.id, e.start, e.end) };
        if !clashes.is_empty() {
            rows.push(notice(&clashes));
        }
        let entry =
            |icon, field| Node::row(vec![Node::icon(icon, 24.0).muted(), field]).gap(16.0).pad(20.0, 6.0);
        let choice = |icon, id: &str, label: &str, what: Over| {
            kit::row(Some(Node::icon(icon, 24.0).muted()), label, "", None).id(id).tap(show(what))
        };
        let name = |i: Option<&&str>| (*i.unwrap_or(&"")).to_owned();
        let repeat = name(REPEATS.iter().find(|r| r.0 == e.repeat).map(|r| &r.1));
        let calendar = name(CALENDARS.iter().find(|c| c.0 == e.calendar).map(|c| &c.1));
        let reminder = REMINDERS
            .iter()
            .find(|r| r.0 == e.reminder)
            .map_or_else(|| format!("{} minutes before", e.reminder), |r| r.1.to_owned());
        rows.push(choice(Icon::Refresh, "repeat_row", &repeat, Over::Repeat));
        rows.push(entry(Icon::Pin, Node::field("location", "Add location").with_text(was.location.clone())));
        rows.push(choice(Icon::Calendar, "calendars_row", &calendar, Over::Calendar));
        rows.push(choice(Icon::Bell, "reminders_row", &reminder, Over::Reminder));
        rows.push(entry(
            Icon::Note,
            Node::field("description", "Add description").with_text(was.description).input(FieldInput::Lines),
        ));
        rows.push(Node::space(1.0, 24.0));
        let over = at.over().map(|o| over(o, &e, at, cx));
        parts::screen(bar, Node::scroll("scroll_view", rows)).over(over)
    }

    pub(super) fn editor_event(&mut self, at: &mut Activity, ev: &node::UiEvent, sys: &mut Sys<'_>) {
        let now = sys.now();
        if ev.kind == UiEventKind::Back && self.edited(at, now) != self.original(at, now) {
            at.overlay = Some(Over::Discard.into());
            sys.consume();
        }
        let e = self.edited(at, now);
        let Some(message) = ev.message() else { return };
        match message {
            Msg::AllDay => {
                at.set_local("all_day", if e.all_day { "0" } else { "1" });
                let (first, last) = (day_of(e.start), day_of((e.end - 1).max(e.start)));
                let (start, end) = if e.all_day {
                    (first * 86_400 + 9 * 3600, last * 86_400 + 10 * 3600)
                } else {
                    (first * 86_400, (last + 1) * 86_400)
                };
                at.set_local("start", start.to_string());
                at.set_local("end", end.to_string());
            }
            Msg::Date(which) => {
                let moment = if which == "start" { e.start } else { e.end - i64::from(e.all_day) };
                pickers::open_date(at, day_of(moment));
                at.overlay = Some(Over::Date(which).into());
            }
            Msg::Time(which) => {
                let c = Civil::of(if which == "start" { e.start } else { e.end });
                pickers::open_time(at, c.hour, c.minute);
                at.overlay = Some(Over::Time(which).into());
            }
            Msg::PickDate(pick) => {
                let which = overlay_of(at);
                if let Some(day) = pickers::on_date(at, &pick) {
                    let old = if which == "start" { e.start } else { e.end };
                    // An end of whole days is the midnight after the day that was chosen.
                    let late = i64::from(e.all_day && which == "end");
                    move_to(at, &e, &which, (day + late) * 86_400 + old.rem_euclid(86_400));
                }
            }
            Msg::PickTime(pick) => {
                let which = overlay_of(at);
                if let Some((hour, minute)) = pickers::on_time(at, &pick, pickers::twelve(sys.settings())) {
                    let old = if which == "start" { e.start } else { e.end };
                    let moment = day_of(old) * 86_400 + i64::from(hour) * 3600 + i64::from(minute) * 60;
                    move_to(at, &e, &which, moment);
                }
            }
            Msg::Set(key, value) => {
                at.set_local(&key, value);
                at.overlay = None;
            }
            Msg::Save => self.save(e, sys),
        }
    }

    fn save(&mut self, mut e: CalendarEvent, sys: &mut Sys<'_>) {
        if e.end < e.start {
            sys.toast("The event ends before it begins");
            return;
        }
        if e.title.is_empty() {
            "(No title)".clone_into(&mut e.title);
        }
        sys.toast("Event saved");
        if let Some(kept) = self.events.iter_mut().find(|k| k.id == e.id) {
            *kept = e;
        } else {
            e.id = self.next;
            self.next += 1;
            self.events.push(e);
        }
        sys.finish();
    }
}

fn overlay_of(at: &Activity) -> String {
    at.overlay.as_deref().and_then(|o| o.split_once('/')).map_or("", |(_, w)| w).to_owned()
}

/// Moves the beginning with the end behind it, or the end alone.
fn move_to(at: &mut Activity, e: &CalendarEvent, which: &str, moment: i64) {
    at.set_local(which, moment.to_string());
    if which == "start" {
        at.set_local("end", (moment + (e.end - e.start).max(0)).to_string());
    }
}

fn moment(label: &str, which: &str, unix: i64, all_day: bool, cx: &Cx<'_>) -> Node {
    let c = Civil::of(unix);
    let pill = |id: String, text: String, on: Msg| {
        Node::text(text)
            .class("android.widget.Button")
            .id(&id)
            .sp(15.5)
            .lines(1)
            .high(44.0)
            .pad(14.0, 0.0)
            .radius(10.0)
            .bg(Tone::Card)
            .centred()
            .tap(on)
    };
    let date = format!("{}, {}", c.short(), c.year);
    let mut parts = vec![
        Node::space(24.0, 24.0),
        Node::text(label).sp(15.0).muted().wide(48.0),
        pill(format!("{which}_date"), date, Msg::Date(which.to_owned())).fill(),
    ];
    if !all_day {
        parts.push(pill(format!("{which}_time"), cx.time(c), Msg::Time(which.to_owned())));
    }
    Node::row(parts).gap(10.0).pad(20.0, 5.0)
}

fn over(over: Over, e: &CalendarEvent, at: &Activity, cx: &Cx<'_>) -> Overlay {
    let choices = |title, key: &str, items: Vec<(String, &str, bool)>| {
        let option = |(value, label, on)| dialogs::option(label, on, Msg::Set(key.to_owned(), value));
        dialogs::choice(title, items.into_iter().map(option))
    };
    match over {
        Over::Date(_) => Overlay::Dialog(pickers::date_dialog(at, cx)),
        Over::Time(_) => Overlay::Dialog(pickers::time_dialog(at, cx)),
        Over::Repeat => {
            let items = REPEATS.iter().enumerate().map(|(i, r)| (i.to_string(), r.1, r.0 == e.repeat));
            choices("Repeat", "repeat", items.collect())
        }
        Over::Calendar => {
            let items = CALENDARS.iter().map(|c| (c.0.to_string(), c.1, c.0 == e.calendar));
            choices("Calendar", "calendar", items.collect())
        }
        Over::Reminder => {
            let items = REMINDERS.iter().map(|r| (r.0.to_string(), r.1, r.0 == e.reminder));
            choices("Reminder", "reminder", items.collect())
        }
        Over::Discard => dialogs::discard("Discard this event?"),
    }
}
