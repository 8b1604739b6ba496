//! Time on the phone: milliseconds since it was switched on, and the civil calendar of its wall clock.
//!
//! The wall clock starts at a date the options fix, so that two phones of one seed show the same; from
//! there it runs with real time. The phone's time zone is UTC. Tests drive the clock by hand.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

/// Milliseconds since the phone was switched on.
#[derive(Debug)]
pub struct Clock {
    born: Option<Instant>,
    skipped: AtomicU64,
}

impl Clock {
    pub fn running() -> Self {
        Self { born: Some(Instant::now()), skipped: AtomicU64::new(0) }
    }

    /// Stands still but for [`Clock::skip`].
    pub fn manual() -> Self {
        Self { born: None, skipped: AtomicU64::new(0) }
    }

    pub fn now_ms(&self) -> u64 {
        let run = self.born.map_or(0, |b| u64::try_from(b.elapsed().as_millis()).unwrap_or(u64::MAX));
        run.saturating_add(self.skipped.load(Ordering::Relaxed))
    }

    pub fn skip(&self, ms: u64) {
        self.skipped.fetch_add(ms, Ordering::Relaxed);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Civil {
    pub year: i64,
    /// Month, from 1.
    pub month: u32,
    /// Day of the month, from 1.
    pub day: u32,
    /// Hour, 0 to 23.
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
}

const MONTHS: &str = "January February March April May June July August September October November December";
pub(crate) const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl Civil {
    /// Of seconds since 1970 UTC.
    pub fn of(unix: i64) -> Self {
        let (days, rest) = (unix.div_euclid(86_400), unix.rem_euclid(86_400));
        // Days are counted from 1 March of year 0, so that the leap day comes last in its year.
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let doe = z.rem_euclid(146_097);
        let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
        let mp = (5 * doy + 2) / 153;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        let year = yoe + era * 400 + i64::from(month <= 2);
        let small = |v: i64| u32::try_from(v).unwrap_or(0);
        Self {
            year,
            month: small(month),
            day: small(doy - (153 * mp + 2) / 5 + 1),
            hour: small(rest / 3600),
            minute: small(rest / 60 % 60),
            second: small(rest % 60),
        }
    }

    /// Midnight of a date. Months and days out of range are carried over.
    pub fn date(year: i64, month: u32, day: u32) -> Self {
        let (months, day) = (i64::from(month) - 1, i64::from(day));
        let first = Self {
            year: year + months.div_euclid(12),
            month: u32::try_from(months.rem_euclid(12) + 1).unwrap_or(1),
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
        };
        Self::of(first.unix() + (day - 1) * 86_400)
    }

    /// Seconds since 1970 UTC.
    pub fn unix(self) -> i64 {
        let y = self.year - i64::from(self.month <= 2);
        let era = y.div_euclid(400);
        let yoe = y.rem_euclid(400);
        let mp = (i64::from(self.month) + 9) % 12;
        let doy = (153 * mp + 2) / 5 + i64::from(self.day) - 1;
        let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
        let days = era * 146_097 + doe - 719_468;
        days * 86_400 + i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }

    /// Monday is 0.
    pub(crate) fn weekday(self) -> usize {
        usize::try_from((self.unix().div_euclid(86_400) + 3).rem_euclid(7)).unwrap_or(0)
    }

    /// `Monday`.
    pub(crate) fn weekday_name(self) -> &'static str {
        DAYS.get(self.weekday()).copied().unwrap_or("Monday")
    }

    /// `March`.
    pub(crate) fn month_name(self) -> &'static str {
        MONTHS.split(' ').nth(self.month.saturating_sub(1) as usize).unwrap_or("January")
    }

    /// `Mon, Mar 2`.
    pub fn short(self) -> String {
        format!("{:.3}, {:.3} {}", self.weekday_name(), self.month_name(), self.day)
    }

    /// `9:05 AM`.
    pub(crate) fn clock12(self) -> String {
        let half = if self.hour < 12 { "AM" } else { "PM" };
        format!("{}:{:02} {half}", (self.hour + 11) % 12 + 1, self.minute)
    }

    /// `09:05`.
    pub(crate) fn clock24(self) -> String {
        format!("{:02}:{:02}", self.hour, self.minute)
    }

    /// `2026-03-02`.
    pub(crate) fn iso_date(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

// Days are counted since 1970, months as `year * 12 + month - 1`.

pub(crate) fn day_of(unix: i64) -> i64 {
    unix.div_euclid(86_400)
}

pub(crate) fn date_of(day: i64) -> Civil {
    Civil::of(day * 86_400)
}

pub(crate) fn month_of(day: i64) -> i64 {
    let c = date_of(day);
    c.year * 12 + i64::from(c.month) - 1
}

pub(crate) fn first_of(month: i64) -> i64 {
    let number = u32::try_from(month.rem_euclid(12) + 1).unwrap_or(1);
    day_of(Civil::date(month.div_euclid(12), number, 1).unix())
}

/// `March 2026`.
pub(crate) fn month_title(month: i64) -> String {
    let c = date_of(first_of(month));
    format!("{} {}", c.month_name(), c.year)
}

/// The weeks of a month, Monday first; nothing where a day belongs to another month.
pub(crate) fn weeks(month: i64) -> Vec<[Option<i64>; 7]> {
    let (first, next) = (first_of(month), first_of(month + 1));
    let mut monday = first - i64::try_from(date_of(first).weekday()).unwrap_or(0);
    let mut out = Vec::new();
    while monday < next {
        out.push([0, 1, 2, 3, 4, 5, 6].map(|i| Some(monday + i).filter(|d| (first..next).contains(d))));
        monday += 7;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday_and_dates_go_both_ways() {
        let march = month_of(day_of(1_772_442_000));
        assert_eq!(month_title(march), "March 2026");
        let weeks = weeks(march);
        assert_eq!(weeks.len(), 6, "the first is a Sunday, the 31st a Tuesday");
        assert_eq!(weeks[0][..6], [None; 6]);
        assert_eq!(date_of(weeks[0][6].unwrap()).iso_date(), "2026-03-01");
        assert_eq!(weeks.iter().flatten().flatten().count(), 31);
        assert_eq!(month_title(month_of(first_of(march) - 1)), "February 2026");
        assert_eq!(month_title(march + 10), "January 2027");
        for unix in [0, 951_782_400, 1_772_442_000, 4_102_444_799, -1] {
            assert_eq!(Civil::of(unix).unix(), unix);
        }
        assert_eq!(Civil::of(951_782_400).iso_date(), "2000-02-29");
        assert_eq!(Civil::of(1_772_442_000).weekday_name(), "Monday");
        assert_eq!(Civil::date(2026, 13, 32).iso_date(), "2027-02-01");
        assert_eq!(Civil::of(0).clock12(), "12:00 AM");
        let clock = Clock::manual();
        assert_eq!(clock.now_ms(), 0);
        clock.skip(40);
        assert_eq!(clock.now_ms(), 40);
    }
}
