//! An alarm: when it rings next, and its row.

use crate::{
    apps::prelude::*,
    clock::{DAYS, date_of, day_of},
};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Alarm {
    pub(super) id: i64,
    pub(super) hour: u32,
    pub(super) minute: u32,
    /// Weekdays, one bit each from Monday; none means once.
    pub(super) days: u8,
    pub(super) enabled: bool,
    pub(super) vibrate: bool,
    pub(super) label: String,
}

pub(super) const WEEKDAYS: u8 = 0b1_1111;

impl Alarm {
    /// Minutes from a moment until it rings next.
    pub(super) fn wait(&self, now: i64) -> i64 {
        let today = i64::from(self.hour) * 60 + i64::from(self.minute) - now.rem_euclid(86_400) / 60;
        let weekday = date_of(day_of(now)).weekday();
        let rings = |ahead: usize| self.days == 0 || self.days >> ((weekday + ahead) % 7) & 1 == 1;
        (0..=7_usize)
            .filter(|d| rings(*d))
            .map(|d| i64::try_from(d).unwrap_or(0) * 1440 + today)
            .find(|m| *m > 0)
            .unwrap_or(0)
    }

    pub(super) fn set(&mut self, row: &ProviderRow) -> Result<(), String> {
        let small = |column: &str, limit: u32| {
            let value = row.int(column).and_then(|v| u32::try_from(v).ok());
            value.filter(|v| *v < limit).ok_or_else(|| format!("{column} must be below {limit}"))
        };
        self.hour = small("hour", 24)?;
        self.minute = small("minutes", 60)?;
        let days = row.int("daysofweek").unwrap_or(0);
        self.days = u8::try_from(days).map_err(|_| "daysofweek must be below 128")? & 0x7f;
        self.enabled = row.int("enabled").unwrap_or(1) != 0;
        self.vibrate = row.int("vibrate").unwrap_or(1) != 0;
        self.label = row.text("label");
        Ok(())
    }

    pub(super) fn days_text(&self, now: i64) -> String {
        let today = day_of(now) == day_of(now / 60 * 60 + self.wait(now) * 60);
        let text = match self.days {
            0 if !self.enabled => "Not scheduled",
            0 if today => "Today",
            0 => "Tomorrow",
            0x7f => "Every day",
            WEEKDAYS => "Weekdays",
            0b110_0000 => "Weekend",
            bits => {
                let on = DAYS.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
                let short: Vec<&str> = on.map(|(_, name)| name.get(..3).unwrap_or(name)).collect();
                return short.join(", ");
            }
        };
        text.to_owned()
    }

    pub(super) fn announcement(&self, now: i64) -> String {
        let wait = self.wait(now);
        let (days, hours, minutes) = (wait / 1440, wait / 60 % 24, wait % 60);
        let part = |n: i64, one| usize::try_from(n).ok().filter(|n| *n > 0).map(|n| parts::count(n, one));
        let parts: Vec<String> =
            [part(days, "day"), part(hours, "hour"), part(minutes, "minute")].into_iter().flatten().collect();
        format!("Alarm set for {} from now.", parts.join(", "))
    }
}
