//! The date picker and the time picker, as dialogs that several apps open.
//!
//! What is chosen so far lives in the locals of the activity under `pick_…`, so that turning the phone or
//! leaving the app loses nothing. An app's messages have one for each dialog that it opens (`dp`, `tp`), with the dialog's own
//! message for its field; it hands that to `on_date` or `on_time`, which give the choice once it is confirmed.
//!
//! Dates are counted in days since 1970, months as `year * 12 + month - 1`.

mod time;

use crate::apps::prelude::*;

pub use time::twelve;
pub(crate) use time::{TimeMsg, on_time};
pub(crate) use time::{open_time, time_dialog};

messages! {
    /// What the date picker's widgets send.
    pub(crate) enum DateMsg {
        /// The month before is shown.
        Previous = "prev",
        /// The month after is shown.
        Next = "next",
        Set(day: i64) = "set",
        Ok = "ok",
    }
}

/// A message of the date picker as its app sends it.
fn sent(message: &DateMsg) -> String {
    format!("dp/{message}")
}

/// The day of a moment.
pub(crate) fn day_of(unix: i64) -> i64 {
    unix.div_euclid(86_400)
}

/// The date of a day.
pub(crate) fn date_of(day: i64) -> Civil {
    Civil::of(day * 86_400)
}

/// The month of a day.
pub(crate) fn month_of(day: i64) -> i64 {
    let c = date_of(day);
    c.year * 12 + i64::from(c.month) - 1
}

/// The first day of a month.
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
        let mut week = [None; 7];
        for (i, cell) in (0_i64..).zip(week.iter_mut()) {
            *cell = Some(monday + i).filter(|d| (first..next).contains(d));
        }
        out.push(week);
        monday += 7;
    }
    out
}

/// The letters over a month's columns.
pub(crate) fn weekday_letters() -> Node {
    let cells = ["M", "T", "W", "T", "F", "S", "S"]
        .iter()
        .map(|d| Node::text(*d).sp(13.0).muted().fill().main(Align::Centre));
    Node::row(cells.collect()).pad(0.0, 4.0)
}

// ---- the date

/// Begins to choose a date; the app opens its overlay itself.
pub(crate) fn open_date(at: &mut Activity, day: i64) {
    at.set_local("pick_day", day.to_string());
    at.set_local("pick_month", month_of(day).to_string());
}

fn local(at: &Activity, key: &str) -> i64 {
    at.local(key).parse().unwrap_or(0)
}

pub(crate) fn date_dialog(at: &Activity, cx: &Cx<'_>) -> Node {
    let (chosen, month) = (local(at, "pick_day"), local(at, "pick_month"));
    let today = day_of(cx.now);
    let side = if cx.landscape() { 26.0 } else { 42.0 };
    let rows = weeks(month).into_iter().map(|week| {
        let cells = week.into_iter().map(|day| {
            let Some(day) = day else { return Node::space(1.0, side).fill() };
            let c = date_of(day);
            let mut text = Node::text(c.day.to_string())
                .class("android.view.View")
                .desc(format!("{:02} {} {}", c.day, c.month_name(), c.year))
                .sp(15.0)
                .dp(side, side)
                .radius(side / 2.0)
                .centred()
                .tap(sent(&DateMsg::Set(day)))
                .selected_if(|| day == chosen);
            if day == chosen {
                text = text.bg(Tone::Primary).tone(Tone::OnPrimary).bold();
            } else if day == today {
                text = text.border(Tone::Primary).tone(Tone::Primary);
            }
            Node::row(vec![text]).main(Align::Centre)
        });
        Node::row(cells.collect())
    });
    let mut body = vec![
        Node::label("android:id/date_picker_header_date", date_of(chosen).short(), 28.0),
        Node::row(vec![
            Node::label("android:id/month_title", month_title(month), 15.0).bold().fill(),
            kit::icon_button("android:id/prev", Icon::Left, "Previous month", sent(&DateMsg::Previous)),
            kit::icon_button("android:id/next", Icon::Right, "Next month", sent(&DateMsg::Next)),
        ]),
        weekday_letters(),
    ];
    if cx.landscape() {
        drop(body.remove(0));
    }
    body.extend(rows);
    let title = if cx.landscape() { "" } else { "Select date" };
    kit::dialog(
        title,
        body,
        &[
            ("android:id/button2", "Cancel", Common::Cancel.into()),
            ("android:id/button1", "OK", sent(&DateMsg::Ok)),
        ],
    )
}

/// What a tap on the date picker does; gives the day once it is confirmed.
pub(crate) fn on_date(at: &mut Activity, message: &DateMsg) -> Option<i64> {
    let month = local(at, "pick_month");
    match message {
        DateMsg::Previous => at.set_local("pick_month", (month - 1).to_string()),
        DateMsg::Next => at.set_local("pick_month", (month + 1).to_string()),
        DateMsg::Set(day) => at.set_local("pick_day", day.to_string()),
        DateMsg::Ok => {
            at.overlay = None;
            return Some(local(at, "pick_day"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_its_weeks_from_monday() {
        let march = month_of(day_of(1_772_442_000));
        assert_eq!(month_title(march), "March 2026");
        let weeks = weeks(march);
        assert_eq!(weeks.len(), 6, "the first is a Sunday, the 31st a Tuesday");
        assert_eq!(weeks[0][..6], [None; 6]);
        assert_eq!(date_of(weeks[0][6].unwrap()).iso_date(), "2026-03-01");
        assert_eq!(weeks.iter().flatten().flatten().count(), 31);
        assert_eq!(month_title(month_of(first_of(march) - 1)), "February 2026");
        assert_eq!(month_title(march + 10), "January 2027");
    }
}
