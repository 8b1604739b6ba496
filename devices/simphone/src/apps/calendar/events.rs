//! Events: what a phone of a seed holds, when they occur, what they overlap, and their rows.

use crate::{
    apps::prelude::*,
    clock::{date_of, day_of},
};

/// An event. Moments are seconds since 1970; an event of whole days begins and ends at midnight.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarEvent {
    pub id: i64,
    pub calendar: i64,
    pub title: String,
    pub location: String,
    pub description: String,
    /// When it begins for the first time.
    pub start: i64,
    /// When it ends for the first time; not part of it.
    pub end: i64,
    pub all_day: bool,
    /// Minutes before it at which to remind; none below 0.
    pub reminder: i64,
    pub repeat: Recurrence,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recurrence {
    #[default]
    Never,
    Daily,
    Weekly,
    Monthly,
}

/// All ways to come again, with what the editor calls them, and the rules that say so.
pub(crate) const REPEATS: [(Recurrence, &str, &str); 4] = [
    (Recurrence::Never, "Does not repeat", ""),
    (Recurrence::Daily, "Every day", "FREQ=DAILY"),
    (Recurrence::Weekly, "Every week", "FREQ=WEEKLY"),
    (Recurrence::Monthly, "Every month", "FREQ=MONTHLY"),
];

/// The calendars: id, name, colour.
pub(crate) const CALENDARS: [(i64, &str, &str); 3] =
    [(1, "Personal", "#2f5da8"), (2, "Work", "#2e7d4f"), (3, "Family", "#a84b2f")];

pub(crate) const REMINDERS: [(i64, &str); 6] = [
    (-1, "No reminder"),
    (0, "At the time of the event"),
    (10, "10 minutes before"),
    (30, "30 minutes before"),
    (60, "1 hour before"),
    (1440, "1 day before"),
];

impl Recurrence {
    fn of_rule(rule: &str) -> Self {
        REPEATS.iter().skip(1).find(|r| rule.contains(r.2)).map(|r| r.0).unwrap_or_default()
    }
}

impl CalendarEvent {
    pub fn colour(&self) -> &'static str {
        CALENDARS.iter().find(|c| c.0 == self.calendar).map_or("Primary", |c| c.2)
    }

    /// `10:00 – 11:30`, or `All day`; with dates where it goes over several days.
    pub(super) fn span(&self, cx: &Cx<'_>, start: i64, end: i64) -> String {
        let last = day_of((end - 1).max(start));
        let (from, to) = (Civil::of(start), Civil::of(end));
        match (self.all_day, last > day_of(start)) {
            (true, true) => format!("{} – {}", from.short(), date_of(last).short()),
            (true, false) => "All day".to_owned(),
            (false, true) => {
                format!("{} {} – {} {}", from.short(), cx.time(from), to.short(), cx.time(to))
            }
            (false, false) => format!("{} – {}", cx.time(from), cx.time(to)),
        }
    }

    /// The days from its beginning to the day it ends on, counted from its first.
    fn days(&self) -> i64 {
        day_of((self.end - 1).max(self.start)) - day_of(self.start)
    }

    /// Where the occurrence that touches a day begins and ends.
    pub fn on(&self, day: i64) -> Option<(i64, i64)> {
        let first = day_of(self.start);
        // A span of some days touches the day if one of the days before begins it.
        let begun = (day - self.days()..=day).find(|d| self.begins(*d))?;
        let by = (begun - first) * 86_400;
        Some((self.start + by, self.end + by))
    }

    fn begins(&self, day: i64) -> bool {
        let first = day_of(self.start);
        match self.repeat {
            Recurrence::Never => day == first,
            _ if day < first => false,
            Recurrence::Daily => true,
            Recurrence::Weekly => (day - first) % 7 == 0,
            Recurrence::Monthly => date_of(day).day() == date_of(first).day(),
        }
    }

    /// Whether it takes time from another, on the day of its beginning. Events of whole days take none.
    pub(crate) fn clashes(&self, start: i64, end: i64) -> bool {
        !self.all_day
            && (day_of(start)..=day_of((end - 1).max(start)))
                .filter_map(|d| self.on(d))
                .any(|(s, e)| s < end && start < e)
    }

    /// Takes a row of `events` over.
    ///
    /// # Errors
    ///
    /// No beginning, or an end before it.
    pub fn set(&mut self, row: &ProviderRow) -> Result<(), String> {
        let seconds = |column: &str| row.int(column).map(|ms| ms.div_euclid(1000));
        let start = seconds("dtstart").ok_or("dtstart is required")?;
        let digits: String = row.text("duration").chars().filter(char::is_ascii_digit).collect();
        let length = digits.parse::<i64>().ok().map(|n| match row.text("duration") {
            d if d.ends_with('S') => n,
            d if d.ends_with('H') => n * 3600,
            d if d.ends_with('D') => n * 86_400,
            _ => n * 60,
        });
        let end = seconds("dtend").or(length.map(|l| start + l)).ok_or("dtend or duration is required")?;
        if end < start {
            return Err("the event ends before it begins".to_owned());
        }
        (self.start, self.end) = (start, end);
        self.title = row.text("title");
        self.location = row.text("eventLocation");
        self.description = row.text("description");
        self.all_day = row.int("allDay").unwrap_or(0) != 0;
        self.calendar = row.int("calendar_id").unwrap_or(1);
        self.repeat = Recurrence::of_rule(&row.text("rrule"));
        match row.int("hasAlarm") {
            Some(0) | None => self.reminder = -1,
            Some(_) if self.reminder < 0 => self.reminder = 10,
            Some(_) => {}
        }
        Ok(())
    }
}

/// The events of a seed: three weeks around the phone's start, with some that overlap.
pub fn events(seed: &mut Seed) -> Vec<CalendarEvent> {
    let today = day_of(seed.start);
    let monday = today - i64::try_from(date_of(today).weekday()).unwrap_or(0);
    let mut out: Vec<CalendarEvent> = Vec::new();
    let mut put = |mut e: CalendarEvent, day: i64, hour: i64, minute: i64, length: i64| {
        e.start = day * 86_400 + hour * 3600 + minute * 60;
        e.end = e.start + length * 60;
        e.id = i64::try_from(out.len()).unwrap_or(0) + 1;
        out.push(e);
    };
    let event = |title: &str, calendar: i64, seed: &mut Seed| CalendarEvent {
        title: title.to_owned(),
        calendar,
        reminder: if seed.int(0, 1) == 0 { -1 } else { 10 },
        location: if seed.int(0, 2) == 0 {
            String::new()
        } else {
            seed.pick(contents::list("places")).unwrap_or_default().to_owned()
        },
        ..CalendarEvent::default()
    };
    for title in seed.sample(contents::list("events at work"), 8) {
        let e = event(title, 2, seed);
        let day = monday + seed.int(0, 2) * 7 + seed.int(0, 4);
        put(e, day, seed.int(8, 16), seed.int(0, 1) * 30, seed.int(1, 4) * 30);
    }
    for title in seed.sample(contents::list("events at home"), 7) {
        let e = event(title, seed.int(0, 1) * 2 + 1, seed);
        let day = monday + seed.int(0, 20);
        put(e, day, seed.int(9, 20), seed.int(0, 3) * 15, seed.int(2, 4) * 30);
    }
    // A day with a clash, for whoever is to find room on it.
    let day = today + seed.int(1, 3);
    let hour = seed.int(10, 14);
    let one = event("Project kick-off", 2, seed);
    put(one, day, hour, 0, 90);
    let two = event("Lunch with Omar", 1, seed);
    put(two, day, hour + 1, 0, 60);
    let mut weekly = event("Stand-up", 2, seed);
    weekly.repeat = Recurrence::Weekly;
    put(weekly, monday + seed.int(0, 4), 9, 15, 15);
    let mut whole = event("Public holiday", 3, seed);
    (whole.all_day, whole.reminder) = (true, -1);
    whole.location.clear();
    put(whole, monday + seed.int(4, 11), 0, 0, 1440);
    out
}

/// Events of a day with the column each stands in and how many columns its neighbours need.
pub(super) fn side_by_side(
    events: Vec<(&CalendarEvent, i64, i64)>,
) -> Vec<(&CalendarEvent, i64, i64, usize, usize)> {
    let mut out: Vec<(&CalendarEvent, i64, i64, usize, usize)> = Vec::new();
    let mut ends: Vec<i64> = Vec::new();
    let mut group = 0;
    for (e, s, end) in events {
        if e.all_day {
            out.push((e, s, end, 0, 1));
            continue;
        }
        if ends.iter().all(|x| *x <= s) {
            ends.clear();
            group = out.len();
        }
        let column = ends.iter().position(|x| *x <= s).unwrap_or(ends.len());
        match ends.get_mut(column) {
            Some(x) => *x = end,
            None => ends.push(end),
        }
        out.push((e, s, end, column, 1));
        for placed in out.iter_mut().skip(group) {
            placed.4 = ends.len();
        }
    }
    out
}
