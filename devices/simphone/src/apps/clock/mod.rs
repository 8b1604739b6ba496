//! The clock: alarms with their weekdays, timers, and a stopwatch whose screen is never quiet while it runs.
//!
//! What `content` shows; the first table is the one of Android's own clock, the others are this phone's:
//! - `content://com.android.deskclock/alarms`: `hour minutes daysofweek enabled vibrate label ringtone
//!   delete_after_use`; `daysofweek` adds 1 for Monday, 2 for Tuesday … 64 for Sunday, so weekdays are 31;
//!   takes inserts, updates, deletes
//! - `content://com.android.deskclock/timers`: `length remaining state label`, in seconds; `remaining` is that of
//!   the last start or pause, `state` one of `running paused expired reset`; takes deletes
//! - `content://com.android.deskclock/stopwatch`: `state accumulated laps`, in milliseconds up to the last pause

mod alarm;
mod screens;
#[cfg(test)]
mod tests;
mod time;

use super::pickers;
use crate::apps::prelude::*;
use alarm::{Alarm, WEEKDAYS};
use time::{Stopwatch, Timer};

messages! {
    /// What its widgets send.
    enum Msg {
        Tab(tab: usize) = "tab",
        /// The label's dialog is left, its keyboard too.
        Unnamed = "unnamed",
        /// A new alarm is asked for.
        Add = "add",
        /// A widget of the time picker.
        Time(pick: pickers::TimeMsg) = "tp",
        /// An alarm's card is opened or closed.
        Expand(id: i64) = "expand",
        Delete(id: i64) = "delete",
        /// An alarm's label is asked for.
        Label(id: i64) = "label",
        Named = "named",
        /// An alarm's time is asked for.
        Change(id: i64) = "time",
        /// An alarm is turned on or off.
        On(id: i64) = "on",
        /// A weekday of an alarm is turned on or off.
        Day(id: i64, day: usize) = "day",
        /// An alarm's vibration is turned on or off.
        Vibrate(id: i64) = "vibrate",
        /// A digit of a new timer, or two.
        Digit(digit: String) = "digit",
        /// The last digit is taken back.
        Erase = "erase",
        Start = "start",
        /// Another timer is asked for.
        Setup = "setup",
        /// A timer starts or pauses.
        TurnTimer(id: i64) = "timer_turn",
        /// A timer gets a minute more.
        AddMinute(id: i64) = "timer_more",
        ResetTimer(id: i64) = "timer_reset",
        DeleteTimer(id: i64) = "timer_delete",
        /// The stopwatch starts or pauses.
        TurnWatch = "watch_turn",
        Lap = "watch_lap",
        ResetWatch = "watch_reset",
    }
}

messages! {
    /// What lies over a tab: the dialog about an alarm.
    enum Over {
        Label(alarm: i64) = "label",
        /// Its time; 0 makes a new alarm.
        Time(alarm: i64) = "time",
    }
}

/// The package of this app.
pub const PACKAGE: &str = "com.android.deskclock";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Clock {
    alarms: Vec<Alarm>,
    timers: Vec<Timer>,
    stopwatch: Stopwatch,
    /// The tab shown: 0 alarms, 1 timers, 2 stopwatch.
    tab: usize,
    /// The alarm whose card is open.
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

    fn alarm_event(&mut self, at: &mut Activity, message: Msg, sys: &mut Sys<'_>) {
        let now = sys.now();
        let about = at.over().map_or(0, |(Over::Label(id) | Over::Time(id))| id);
        match message {
            Msg::Add => {
                let c = Civil::of(now);
                pickers::open_time(at, c.hour, c.minute);
                at.overlay = Some(Over::Time(0).into());
            }
            Msg::Time(pick) => {
                if let Some(time) = pickers::on_time(at, &pick, pickers::twelve(sys.settings())) {
                    self.set_time(about, time, sys);
                }
            }
            Msg::Expand(id) => self.open = if self.open == id { 0 } else { id },
            Msg::Delete(id) => {
                self.alarms.retain(|a| a.id != id);
                sys.toast("Alarm deleted");
            }
            Msg::Label(id) => {
                let old = self.alarm_mut(id).map(|a| a.label.clone());
                at.set_field("alarm_label_field", old.unwrap_or_default());
                at.overlay = Some(Over::Label(id).into());
            }
            Msg::Named => {
                let label = at.typed("alarm_label_field");
                if let Some(a) = self.alarm_mut(about) {
                    a.label = label;
                }
                at.overlay = None;
                at.editing = None;
            }
            Msg::Change(id) => {
                if let Some(a) = self.alarm_mut(id) {
                    pickers::open_time(at, a.hour, a.minute);
                    at.overlay = Some(Over::Time(id).into());
                }
            }
            Msg::On(id) => {
                if let Some(a) = self.alarm_mut(id) {
                    a.enabled = !a.enabled;
                    if a.enabled {
                        sys.toast(a.announcement(now));
                    }
                }
            }
            Msg::Day(id, day) => {
                if let Some(a) = self.alarm_mut(id) {
                    a.days ^= 1 << day.min(6);
                }
            }
            Msg::Vibrate(id) => {
                if let Some(a) = self.alarm_mut(id) {
                    a.vibrate = !a.vibrate;
                }
            }
            _ => {}
        }
    }

    fn timer_event(&mut self, at: &mut Activity, message: &Msg, sys: &mut Sys<'_>) {
        let now = sys.now();
        let digits = at.local("digits").to_owned();
        match message {
            Msg::Digit(d) => {
                let more = format!("{digits}{d}");
                let more = more.trim_start_matches('0');
                if more.len() <= 6 {
                    at.set_local("digits", more);
                }
            }
            Msg::Erase => {
                let mut fewer = digits;
                fewer.pop();
                at.set_local("digits", fewer);
            }
            Msg::Start => {
                let length = time::seconds_of(&digits);
                if length > 0 {
                    let id = self.id();
                    self.timers.push(Timer::begun(id, length, now));
                }
                at.set_local("digits", "");
                at.set_local("setup", "0");
            }
            Msg::Setup => at.set_local("setup", "1"),
            Msg::TurnTimer(id) | Msg::AddMinute(id) | Msg::ResetTimer(id) | Msg::DeleteTimer(id) => {
                sys.unnotify(u64::try_from(*id).unwrap_or(0) + 10_000);
                let timer = self.timers.iter_mut().find(|t| t.id == *id);
                match (message, timer) {
                    (Msg::DeleteTimer(id), _) => self.timers.retain(|t| t.id != *id),
                    (Msg::TurnTimer(_), Some(t)) => t.turn(now),
                    (Msg::AddMinute(_), Some(t)) => t.more(now),
                    (_, Some(t)) => t.reset(),
                    (_, None) => {}
                }
            }
            _ => {}
        }
    }
}

impl App for Clock {
    fn manifest() -> Manifest {
        Manifest {
            activities: &[".DeskClock"],
            authorities: &["com.android.deskclock"],
            tables: &[
                "com.android.deskclock/alarms",
                "com.android.deskclock/timers",
                "com.android.deskclock/stopwatch",
            ],
            filters: const {
                &[
                    IntentFilter::new("android.intent.action.SHOW_ALARMS", "", ".DeskClock"),
                    IntentFilter::new("android.intent.action.SHOW_TIMERS", "", ".DeskClock"),
                ]
            },
            ..Manifest::system(PACKAGE, "Clock", Icon::Clock, Tone::Rgb(0x4a, 0x55, 0x68))
        }
    }

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

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> AppScreen {
        self.screen(at, cx)
    }

    fn on_event(&mut self, at: &mut Activity, ev: &UiEvent, sys: &mut Sys<'_>) {
        let now = sys.now_ms();
        match ev.message() {
            None => {
                let action = at.intent.action.clone().unwrap_or_default();
                if matches!(ev.kind, UiEventKind::Shown | UiEventKind::NewIntent)
                    && at.local("begun").is_empty()
                {
                    at.set_local("begun", "1");
                    if action.ends_with("SHOW_ALARMS") {
                        self.tab = 0;
                    } else if action.ends_with("SHOW_TIMERS") {
                        self.tab = 1;
                    }
                }
            }
            Some(Msg::Tab(tab)) => self.tab = tab,
            Some(Msg::Unnamed) => {
                at.overlay = None;
                at.editing = None;
            }
            Some(Msg::TurnWatch) => self.stopwatch.turn(now),
            Some(Msg::Lap) => self.stopwatch.lap(now),
            Some(Msg::ResetWatch) => self.stopwatch = Stopwatch::default(),
            Some(message) => {
                self.timer_event(at, &message, sys);
                self.alarm_event(at, message, sys);
            }
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

    fn rows(&self, table: &str) -> Option<Vec<ProviderRow>> {
        match table {
            "com.android.deskclock/alarms" => Some(self.alarms.iter().map(Alarm::row).collect()),
            "com.android.deskclock/timers" => Some(self.timers.iter().map(Timer::row).collect()),
            "com.android.deskclock/stopwatch" => Some(vec![self.stopwatch.row()]),
            _ => None,
        }
    }

    fn put_row(&mut self, table: &str, row: &ProviderRow) -> Result<i64, String> {
        if table != "com.android.deskclock/alarms" {
            return Err(format!("{table} is read-only"));
        }
        let id = row.int("_id");
        let mut alarm = match id {
            Some(id) => {
                self.alarms.iter().find(|a| a.id == id).cloned().ok_or_else(|| format!("no alarm {id}"))?
            }
            None => Alarm { id: self.next + 1, ..Alarm::default() },
        };
        alarm.set(row)?;
        let id = alarm.id;
        self.next = self.next.max(id);
        self.alarms.retain(|a| a.id != id);
        self.alarms.push(alarm);
        self.alarms.sort_by_key(|a| (a.hour, a.minute, a.id));
        Ok(id)
    }

    fn delete_row(&mut self, table: &str, id: i64) -> bool {
        match table {
            "com.android.deskclock/alarms" => parts::remove(&mut self.alarms, |a| a.id == id),
            "com.android.deskclock/timers" => parts::remove(&mut self.timers, |t| t.id == id),
            _ => false,
        }
    }
}
