use super::*;
use crate::apps::drive::AppDriver;

const EVENTS: &str = "content://com.android.calendar/events";
/// Thursday, 5 March 2026, 00:00 UTC, in milliseconds.
const THURSDAY: i64 = 1_772_668_800_000;

#[test]
fn an_event_is_created_with_both_pickers_and_stays() {
    let mut h = AppDriver::of(PACKAGE);
    h.tap("floating_action_button").fill("title", "Chess club").tap("start_date");
    h.tap_desc("05 March 2026").tap("android:id/button1");
    h.tap("start_time").tap_desc("15 o'clock").tap_desc("30 minutes").tap("material_timepicker_ok_button");
    h.tap("end_time").tap("material_timepicker_mode_button");
    h.fill("material_hour_text_input", "17").fill("material_minute_text_input", "45");
    h.tap("material_timepicker_ok_button");
    h.fill("location", "Library").tap("calendars_row").tap_text("Family");
    h.tap("reminders_row").tap_text("30 minutes before").tap("action_done").again();
    let row = h.rows(EVENTS, "title='Chess club'").remove(0);
    assert_eq!(row.int("dtstart"), Some(THURSDAY + (15 * 60 + 30) * 60_000));
    assert_eq!(row.int("dtend"), Some(THURSDAY + (17 * 60 + 45) * 60_000));
    assert_eq!((row.text("eventLocation"), row.int("calendar_id")), ("Library".into(), Some(3)));
    let reminder =
        h.rows("content://com.android.calendar/reminders", &format!("event_id={}", row.text("_id")));
    assert_eq!(reminder[0].int("minutes"), Some(30));
}

#[test]
fn a_clash_is_told_and_shown_side_by_side() {
    let mut h = AppDriver::of(PACKAGE);
    let first = h.rows(EVENTS, "title='Project kick-off'").remove(0);
    let (start, end) = (first.int("dtstart").unwrap(), first.int("dtend").unwrap());
    let row = ProviderRow::default()
        .with("title", "Other thing")
        .with("calendar_id", 1)
        .with("dtstart", start + 600_000)
        .with("dtend", end);
    h.w.insert(EVENTS, &row).unwrap();
    h.tap_text("Schedule").scroll_to("Other thing").tap_text("Other thing");
    assert!(h.xml().contains("Conflicts with") && h.xml().contains("Project kick-off"));
    h.tap("info_action_delete").tap_text("Cancel").tap("info_action_delete").tap("android:id/button1");
    assert!(h.rows(EVENTS, "title='Other thing'").is_empty());
}

#[test]
fn months_turn_and_a_day_opens() {
    let mut h = AppDriver::of(PACKAGE);
    assert!(h.shows("March 2026"));
    h.tap("action_next");
    assert!(h.shows("April 2026"));
    h.tap_desc("Today");
    assert!(h.shows("March 2026"));
    let xml = h.xml();
    let cell = xml.split("content-desc=\"").find(|d| d.starts_with("Wednesday 4 March")).unwrap();
    let cell = cell.split('"').next().unwrap().to_owned();
    h.tap_desc(&cell);
    assert!(h.shows("Wed, Mar 4"));
    h.tap("action_previous");
    assert!(h.shows("Tue, Mar 3"));
    h.back();
    assert!(h.shows("March 2026"), "back to the month");
}

#[test]
fn an_event_is_edited_to_whole_days_that_repeat() {
    let mut h = AppDriver::of(PACKAGE);
    let id = h.rows(EVENTS, "title='Lunch with Omar'")[0].int("_id").unwrap();
    h.tap_text("Schedule").scroll_to("Lunch with Omar").tap_text("Lunch with Omar");
    h.tap("info_action_edit").tap("is_all_day").tap("repeat_row").tap_text("Every week");
    h.tap("action_cancel");
    assert!(h.shows("Discard this event?"));
    h.tap_text("Keep editing").fill("title", "Omar week").tap("action_done");
    let row = h.rows(&format!("{EVENTS}/{id}"), "").remove(0);
    assert_eq!((row.int("allDay"), row.text("rrule")), (Some(1), "FREQ=WEEKLY".to_owned()));
    assert_eq!((row.text("title"), row.text("duration")), ("Omar week".into(), "PT1440M".into()));
    assert_eq!(row.int("dtstart").unwrap() % 86_400_000, 0);
}

#[test]
fn occurrences_and_overlaps_follow_the_rule() {
    let mut e =
        CalendarEvent { start: 86_400 * 10 + 3600, end: 86_400 * 10 + 7200, ..CalendarEvent::default() };
    assert_eq!(e.on(10), Some((e.start, e.end)));
    assert_eq!(e.on(11), None);
    e.repeat = events::Recurrence::Weekly;
    assert!(e.on(17).is_some() && e.on(16).is_none() && e.on(3).is_none());
    assert!(e.clashes(17 * 86_400 + 5400, 17 * 86_400 + 9000));
    assert!(!e.clashes(17 * 86_400 + 7200, 17 * 86_400 + 9000), "end to end is not a clash");
    e.repeat = events::Recurrence::Never;
    e.end += 2 * 86_400;
    assert!(e.on(12).is_some() && e.on(13).is_none(), "it goes over three days");
    let row = e.row();
    let mut other = CalendarEvent::default();
    other.set(&row).unwrap();
    assert_eq!((other.start, other.end), (e.start, e.end));
    assert!(other.set(&ProviderRow::default().with("dtstart", 5000).with("dtend", 1000)).is_err());
}
