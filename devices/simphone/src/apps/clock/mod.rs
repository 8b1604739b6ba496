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

use serde::{Deserialize, Serialize};

use super::{App, Cx, Entry, Filter, Manifest, Screen, Seed, Sys, parts, pickers};
use crate::{
    ui::{
        icon::Icon,
        node::{Event, UiEventKind},
        theme::Tone,
    },
    world::{
        intent::{Component, Intent},
        providers::Row,
        stack::Activity,
    },
};
use alarm::{Alarm, WEEKDAYS};
use time::{Stopwatch, Timer};

/// The package of this app.
pub const PACKAGE: &str = "com.android.deskclock";

/// The clock.
#[derive(Debug, Clone, Serialize, Deserialize)]
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

    fn alarm_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let (what, rest) = ev.parts();
        let now = sys.now();
        let (id, extra) = rest.split_once('/').unwrap_or((rest, ""));
        let id: i64 = id.parse().unwrap_or(0);
        let overlay = at.overlay.clone().unwrap_or_default();
        let about: i64 = overlay.split_once('/').and_then(|(_, i)| i.parse().ok()).unwrap_or(0);
        match what {
            "add" => {
                let c = crate::clock::Civil::of(now);
                pickers::open_time(at, c.hour, c.minute);
                at.overlay = Some("time/0".to_owned());
            }
            "tp" => {
                if let Some((hour, minute)) = pickers::on_time(at, rest, pickers::twelve(sys.settings())) {
                    let id = if about == 0 { self.id() } else { about };
                    if about == 0 {
                        self.alarms.push(Alarm { id, vibrate: true, ..Alarm::default() });
                    }
                    if let Some(a) = self.alarms.iter_mut().find(|a| a.id == id) {
                        (a.hour, a.minute, a.enabled) = (hour, minute, true);
                        sys.toast(a.announcement(now));
                    }
                    self.open = id;
                    self.alarms.sort_by_key(|a| (a.hour, a.minute, a.id));
                }
            }
            "expand" => self.open = if self.open == id { 0 } else { id },
            "delete" => {
                self.alarms.retain(|a| a.id != id);
                sys.toast("Alarm deleted");
            }
            "label" => {
                let old = self.alarms.iter().find(|a| a.id == id).map(|a| a.label.clone());
                at.set_field("alarm_label_field", old.unwrap_or_default());
                at.overlay = Some(format!("label/{id}"));
            }
            "named" => {
                let label = at.field("alarm_label_field").unwrap_or("").trim().to_owned();
                if let Some(a) = self.alarms.iter_mut().find(|a| a.id == about) {
                    a.label = label;
                }
                at.overlay = None;
                at.editing = None;
            }
            _ => {
                let Some(a) = self.alarms.iter_mut().find(|a| a.id == id) else { return };
                match what {
                    "time" => {
                        pickers::open_time(at, a.hour, a.minute);
                        at.overlay = Some(format!("time/{id}"));
                    }
                    "on" => {
                        a.enabled = !a.enabled;
                        if a.enabled {
                            sys.toast(a.announcement(now));
                        }
                    }
                    "day" => a.days ^= 1 << extra.parse::<u8>().unwrap_or(0).min(6),
                    "vibrate" => a.vibrate = !a.vibrate,
                    _ => {}
                }
            }
        }
    }

    fn timer_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        let now = sys.now();
        let digits = at.local("digits").to_owned();
        match ev.parts() {
            ("digit", d) => {
                let more = format!("{digits}{d}");
                let more = more.trim_start_matches('0');
                if more.len() <= 6 {
                    at.set_local("digits", more);
                }
            }
            ("rub", _) => {
                let mut fewer = digits;
                fewer.pop();
                at.set_local("digits", fewer);
            }
            ("start", _) => {
                let length = time::seconds_of(&digits);
                if length > 0 {
                    let id = self.id();
                    self.timers.push(Timer::begun(id, length, now));
                }
                at.set_local("digits", "");
                at.set_local("setup", "0");
            }
            ("setup", _) => at.set_local("setup", "1"),
            ("timer", rest) => {
                let (id, act) = rest.split_once('/').unwrap_or((rest, ""));
                let id: i64 = id.parse().unwrap_or(0);
                sys.unnotify(u64::try_from(id).unwrap_or(0) + 10_000);
                if act == "delete" {
                    self.timers.retain(|t| t.id != id);
                } else if let Some(t) = self.timers.iter_mut().find(|t| t.id == id) {
                    match act {
                        "go" => t.turn(now),
                        "more" => t.more(now),
                        _ => t.reset(),
                    }
                }
            }
            _ => {}
        }
    }
}

impl App for Clock {
    fn manifest() -> Manifest {
        Manifest {
            package: PACKAGE,
            label: "Clock",
            icon: Icon::Clock,
            colour: Tone::Rgb(0x4a, 0x55, 0x68),
            activities: &[".DeskClock"],
            entry: Entry::System,
            authorities: &["com.android.deskclock"],
            filters: &[
                Filter {
                    action: "android.intent.action.SHOW_ALARMS",
                    data: "",
                    mime: "",
                    activity: ".DeskClock",
                },
                Filter {
                    action: "android.intent.action.SHOW_TIMERS",
                    data: "",
                    mime: "",
                    activity: ".DeskClock",
                },
            ],
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
                enabled: false,
            });
        }
        alarms.sort_by_key(|a| (a.hour, a.minute, a.id));
        Self {
            alarms,
            timers: Vec::new(),
            stopwatch: Stopwatch::default(),
            tab: 0,
            open: 0,
            next: 3,
            rung: seed.start / 60,
        }
    }

    fn view(&self, at: &Activity, cx: &Cx<'_>) -> Screen {
        self.screen(at, cx)
    }

    fn on_event(&mut self, at: &mut Activity, ev: &Event, sys: &mut Sys<'_>) {
        match ev.parts() {
            ("", _) => {
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
            ("tab", n) => self.tab = n.parse().unwrap_or(0),
            ("cancel", _) => {
                at.overlay = None;
                at.editing = None;
            }
            ("digit" | "rub" | "start" | "setup" | "timer", _) => self.timer_event(at, ev, sys),
            ("watch", act) => {
                let now = sys.now_ms();
                match act {
                    "go" => self.stopwatch.turn(now),
                    "lap" => self.stopwatch.lap(now),
                    _ => self.stopwatch = Stopwatch::default(),
                }
            }
            _ => self.alarm_event(at, ev, sys),
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

    fn rows(&self, table: &str) -> Option<Vec<Row>> {
        match table {
            "com.android.deskclock/alarms" => Some(self.alarms.iter().map(Alarm::row).collect()),
            "com.android.deskclock/timers" => Some(self.timers.iter().map(Timer::row).collect()),
            "com.android.deskclock/stopwatch" => Some(vec![self.stopwatch.row()]),
            _ => None,
        }
    }

    fn put_row(&mut self, table: &str, row: &Row) -> Result<i64, String> {
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
