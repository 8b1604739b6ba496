//! The clock: alarms with their weekdays, timers, and a stopwatch whose screen is never quiet while it runs.
//!
//! What `content` shows; the first table is the one of Android's own clock, the others are this phone's:
//! - `content://com.android.deskclock/alarms`: `hour minutes daysofweek enabled vibrate label ringtone
//!   delete_after_use`; `daysofweek` adds 1 for Monday, 2 for Tuesday … 64 for Sunday, so weekdays are 31;
//!   takes inserts and deletes
//! - `content://com.android.deskclock/timers`: `length remaining state label`, in seconds; `remaining` is that of
//!   the last start or pause, `state` one of `running paused expired reset`
//! - `content://com.android.deskclock/stopwatch`: `state accumulated laps`, in milliseconds up to the last pause

mod alarm;
mod time;

use crate::apps::prelude::*;
use alarm::{Alarm, WEEKDAYS};
use time::{Stopwatch, Timer};

messages! {
    enum Msg {
        /// The time that was chosen for an alarm; 0 makes a new one.
        Time(alarm: i64, hour: u32, minute: u32) = "set_time",
        Start = "start",
        TurnTimer(id: i64) = "timer_turn",
        AddMinute(id: i64) = "timer_more",
        ResetTimer(id: i64) = "timer_reset",
        DeleteTimer(id: i64) = "timer_delete",
        TurnWatch = "watch_turn",
        Lap = "watch_lap",
        ResetWatch = "watch_reset",
    }
}

pub const PACKAGE: &str = "com.android.deskclock";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Clock {
    alarms: Vec<Alarm>,
    timers: Vec<Timer>,
    stopwatch: Stopwatch,
    /// The tab shown: 0 alarms, 1 timers, 2 stopwatch.
    tab: usize,
    open: i64,
    next: i64,
    /// The last minute whose alarms were rung.
    rung: i64,
}

impl Clock {
    fn id(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    fn alarm_mut(&mut self, id: i64) -> Option<&mut Alarm> {
        self.alarms.iter_mut().find(|a| a.id == id)
    }

    /// The time that a person chose, for the alarm that the dialog is about; 0 makes a new one.
    fn set_time(&mut self, about: i64, (hour, minute): (u32, u32), sys: &mut Sys<'_>) {
        let now = sys.now();
        let id = if about == 0 { self.id() } else { about };
        if about == 0 {
            self.alarms.push(Alarm { id, vibrate: true, ..Alarm::default() });
        }
        if let Some(a) = self.alarm_mut(id) {
            (a.hour, a.minute, a.enabled) = (hour, minute, true);
            sys.toast(a.announcement(now));
        }
        self.open = id;
        self.alarms.sort_by_key(|a| (a.hour, a.minute, a.id));
    }

    fn timer_event(&mut self, id: i64, message: &Msg, sys: &mut Sys<'_>) {
        let now = sys.now();
        sys.unnotify(u64::try_from(id).unwrap_or(0) + 10_000);
        let timer = self.timers.iter_mut().find(|t| t.id == id);
        match (message, timer) {
            (Msg::DeleteTimer(id), _) => self.timers.retain(|t| t.id != *id),
            (Msg::TurnTimer(_), Some(t)) => t.turn(now),
            (Msg::AddMinute(_), Some(t)) => t.more(now),
            (_, Some(t)) => t.reset(),
            (_, None) => {}
        }
    }
}

impl App for Clock {
    fn fresh(seed: &mut Seed) -> Self {
        let labels = ["", "Gym", "Medicine", "School run", "Call the bank", "Water the plants"];
        let mut alarms = Vec::new();
        for (id, label) in (1_i64..).zip(seed.sample(&labels, 3)) {
            let days = match seed.int(0, 3) {
                0 => 0,
                1 => WEEKDAYS,
                2 => 0b110_0000,
                _ => 0b1_0101,
            };
            let hour = u32::try_from(seed.int(5, 21)).unwrap_or(6);
            let minute = u32::try_from(seed.int(0, 11) * 5).unwrap_or(0);
            // Off at first, so that none rings into the middle of something.
            alarms.push(Alarm {
                id,
                hour,
                minute,
                days,
                label: label.to_owned(),
                vibrate: true,
                ..Alarm::default()
            });
        }
        alarms.sort_by_key(|a| (a.hour, a.minute, a.id));
        Self { alarms, next: 3, rung: seed.start / 60, ..Self::default() }
    }

    fn facts(&self, _: &Activity, cx: &Cx<'_>) -> serde_json::Value {
        let alarm = |a: &Alarm| {
            let mut facts = serde_json::to_value(a).unwrap_or_default();
            facts["days_text"] = a.days_text(cx.now).into();
            facts["announcement"] = a.announcement(cx.now).into();
            facts
        };
        serde_json::json!({ "alarms": self.alarms.iter().map(alarm).collect::<Vec<_>>() })
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let now = sys.now_ms();
        match ev.message() {
            None => {
                let shown = matches!(ev.kind, UiEventKind::Shown | UiEventKind::NewIntent);
                if shown && at.local("begun").is_empty() {
                    at.set_local("begun", "1");
                    let action = at.intent.action.as_deref().unwrap_or_default();
                    let tabs = ["SHOW_ALARMS", "SHOW_TIMERS"];
                    self.tab = tabs.iter().position(|tab| action.ends_with(tab)).unwrap_or(self.tab);
                }
            }
            Some(Msg::Time(alarm, hour, minute)) => self.set_time(alarm, (hour, minute), sys),
            Some(Msg::Start) => {
                let length = time::seconds_of(at.local("digits"));
                if length > 0 {
                    let id = self.id();
                    self.timers.push(Timer::begun(id, length, sys.now()));
                }
                at.set_local("digits", "");
                at.set_local("setup", "0");
            }
            Some(Msg::TurnWatch) => self.stopwatch.turn(now),
            Some(Msg::Lap) => self.stopwatch.lap(now),
            Some(Msg::ResetWatch) => self.stopwatch = Stopwatch::default(),
            Some(
                ref message @ (Msg::TurnTimer(id)
                | Msg::AddMinute(id)
                | Msg::ResetTimer(id)
                | Msg::DeleteTimer(id)),
            ) => self.timer_event(id, message, sys),
        }
    }

    fn second(&mut self, sys: &mut Sys<'_>) {
        let now = sys.now();
        for t in &mut self.timers {
            if t.expires(now) {
                let to = Intent::to(Component::new(PACKAGE, ".DeskClock"));
                sys.notify(u64::try_from(t.id).unwrap_or(0) + 10_000, "Time's up", "Timer", Some(to));
            }
        }
        let minute = now / 60;
        if minute == self.rung {
            return;
        }
        // Nobody may have asked the phone anything for a while: what fell due meanwhile rings late.
        let since = self.rung.max(minute - 1440);
        self.rung = minute;
        for a in &mut self.alarms {
            if a.enabled && a.wait(since * 60) <= minute - since {
                let to = Intent::to(Component::new(PACKAGE, ".DeskClock"));
                let text = if a.label.is_empty() { "Alarm" } else { a.label.as_str() };
                let title = format!("{:02}:{:02}", a.hour, a.minute);
                sys.notify(u64::try_from(a.id).unwrap_or(0), &title, text, Some(to));
                a.enabled = a.days != 0;
            }
        }
    }

    fn frame_ms(&self, at: &Activity) -> Option<u64> {
        match self.tab {
            1 if self.timers.iter().any(Timer::runs) && at.local("setup") != "1" => Some(1_000),
            2 if self.stopwatch.runs() => Some(100),
            _ => None,
        }
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        if table != "com.android.deskclock/alarms" || row.int("_id").is_some() {
            return Err(format!("{table} takes new alarms only"));
        }
        let mut alarm = Alarm { id: self.next + 1, ..Alarm::default() };
        alarm.set(row)?;
        self.next = alarm.id;
        self.alarms.push(alarm);
        self.alarms.sort_by_key(|a| (a.hour, a.minute, a.id));
        Ok(self.next)
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        table == "com.android.deskclock/alarms" && parts::remove(&mut self.alarms, |a| a.id == id)
    }
}
