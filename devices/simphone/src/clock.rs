//! Time on the phone: the civil calendar of its wall clock.
//!
//! The wall clock starts at a date the options fix, so that two phones of one seed show the same; from
//! there it runs with real time. The phone's time zone is UTC.

use jiff::{
    Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};

pub(crate) const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Civil(DateTime);

impl Civil {
    /// Of seconds since 1970 UTC.
    pub fn of(unix: i64) -> Self {
        Self(TimeZone::UTC.to_datetime(Timestamp::from_second(unix).unwrap_or_default()))
    }

    pub(crate) fn day(self) -> i8 {
        self.0.day()
    }

    /// Monday is 0.
    pub(crate) fn weekday(self) -> usize {
        usize::try_from(self.0.weekday().to_monday_zero_offset()).unwrap_or(0)
    }

    /// As `strftime` writes it.
    pub(crate) fn written(self, format: &str) -> String {
        self.0.strftime(format).to_string()
    }

    /// `Mon, Mar 2`.
    pub fn short(self) -> String {
        self.written("%a, %b %-d")
    }

    /// `9:05 AM`.
    pub(crate) fn clock12(self) -> String {
        self.written("%-I:%M %p")
    }

    /// `09:05`.
    pub(crate) fn clock24(self) -> String {
        self.written("%H:%M")
    }

    pub(crate) fn facts(self) -> serde_json::Value {
        let at = self.0;
        serde_json::json!({
            "year": at.year(), "month": at.month(), "day": at.day(), "hour": at.hour(), "minute": at.minute(),
            "weekday": self.written("%A"), "month_name": self.written("%B"), "short": self.short(),
        })
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
    let Civil(at) = date_of(day);
    i64::from(at.year()) * 12 + i64::from(at.month()) - 1
}

pub(crate) fn first_of(month: i64) -> i64 {
    let year = i16::try_from(month.div_euclid(12)).ok();
    let date = year.zip(i8::try_from(month.rem_euclid(12) + 1).ok()).map(|(y, m)| Date::new(y, m, 1));
    let first = date.and_then(Result::ok).and_then(|date| date.to_zoned(TimeZone::UTC).ok());
    first.map_or(0, |first| day_of(first.timestamp().as_second()))
}

/// `March 2026`.
pub(crate) fn month_title(month: i64) -> String {
    date_of(first_of(month)).written("%B %Y")
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
        assert_eq!(date_of(weeks[0][6].unwrap()).written("%F"), "2026-03-01");
        assert_eq!(weeks.iter().flatten().flatten().count(), 31);
        assert_eq!(month_title(month_of(first_of(march) - 1)), "February 2026");
        assert_eq!(month_title(march + 10), "January 2027");
        assert_eq!(Civil::of(-1).written("%F %T"), "1969-12-31 23:59:59");
        assert_eq!(Civil::of(1_772_442_000).short(), "Mon, Mar 2");
        assert_eq!(Civil::of(0).clock12(), "12:00 AM");
    }
}
