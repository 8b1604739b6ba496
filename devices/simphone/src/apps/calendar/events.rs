//! Events: what a phone of a seed holds, when they occur, what they overlap, and their rows.

use crate::apps::{
    pickers::{date_of, day_of},
    prelude::*,
};

/// An event. Moments are seconds since 1970; an event of whole days begins and ends at midnight.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarEvent {
    pub id: i64,
    /// The calendar it is in.
    pub calendar: i64,
    pub title: String,
    pub location: String,
    /// What else there is to say.
    pub description: String,
    /// When it begins for the first time.
    pub start: i64,
    /// When it ends for the first time; not part of it.
    pub end: i64,
    /// Whether it takes whole days.
    pub all_day: bool,
    /// Minutes before it at which to remind; none below 0.
    pub reminder: i64,
    pub repeat: Recurrence,
}

/// How an event comes again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recurrence {
    /// Not at all.
    #[default]
    Never,
    Daily,
    Weekly,
    /// On the same date each month.
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
pub(crate) const CALENDARS: [(i64, &str, Tone); 3] = [
    (1, "Personal", Tone::Rgb(0x2f, 0x5d, 0xa8)),
    (2, "Work", Tone::Rgb(0x2e, 0x7d, 0x4f)),
    (3, "Family", Tone::Rgb(0xa8, 0x4b, 0x2f)),
];

/// Reminders the editor offers, in minutes.
pub(crate) const REMINDERS: [(i64, &str); 6] = [
    (-1, "No reminder"),
    (0, "At the time of the event"),
    (10, "10 minutes before"),
    (30, "30 minutes before"),
    (60, "1 hour before"),
    (1440, "1 day before"),
];

impl Recurrence {
    fn rule(self) -> Option<&'static str> {
        REPEATS.iter().find(|r| r.0 == self).map(|r| r.2).filter(|rule| !rule.is_empty())
    }

    fn of_rule(rule: &str) -> Self {
        REPEATS.iter().skip(1).find(|r| rule.contains(r.2)).map(|r| r.0).unwrap_or_default()
    }
}

impl CalendarEvent {
    pub fn colour(&self) -> Tone {
        CALENDARS.iter().find(|c| c.0 == self.calendar).map_or(Tone::Primary, |c| c.2)
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
            Recurrence::Monthly => date_of(day).day == date_of(first).day,
        }
    }

    /// Whether it takes time away from another, on the day of the other's beginning. Events of whole days
    /// are in nobody's way.
    pub(crate) fn clashes(&self, start: i64, end: i64) -> bool {
        !self.all_day
            && (day_of(start)..=day_of((end - 1).max(start)))
                .filter_map(|d| self.on(d))
                .any(|(s, e)| s < end && start < e)
    }

    /// Its row in `events`.
    pub fn row(&self) -> ProviderRow {
        let rule = self.repeat.rule().map_or(ProviderValue::Null, ProviderValue::from);
        let repeats = rule != ProviderValue::Null;
        let minutes = (self.end - self.start) / 60;
        row! {
            _id: self.id, calendar_id: self.calendar, title: &self.title, eventLocation: &self.location,
            description: &self.description, dtstart: self.start * 1000,
            dtend: if repeats { ProviderValue::Null } else { ProviderValue::Int(self.end * 1000) },
            duration: if repeats { ProviderValue::Text(format!("PT{minutes}M")) } else { ProviderValue::Null },
            allDay: i64::from(self.all_day), eventTimezone: "UTC", rrule: rule,
            hasAlarm: i64::from(self.reminder >= 0), eventStatus: 1, deleted: 0,
        }
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
