use super::*;
use crate::apps::drive::AppDriver;
use crate::world::providers::row;

const ALARMS: &str = "content://com.android.deskclock/alarms";

#[test]
fn an_alarm_is_set_for_weekdays_and_stays() {
    let mut h = AppDriver::of(PACKAGE);
    h.tap("fab").tap_desc("6 o'clock").tap_desc("40 minutes").tap("material_timepicker_ok_button");
    assert_eq!(h.w.state_json()["toast"], "Alarm set for 21 hours, 40 minutes from now.");
    for i in 0..5 {
        h.tap(&format!("day_button_{i}"));
    }
    assert!(h.shows("Weekdays"));
    h.tap("edit_label").fill("alarm_label_field", "Early shift").tap("android:id/button1").again();
    let row = h.rows(ALARMS, "hour=6 AND minutes=40").remove(0);
    assert_eq!((row.int("daysofweek"), row.int("enabled")), (Some(31), Some(1)));
    assert_eq!(row.text("label"), "Early shift");
    h.tap("delete");
    assert!(h.rows(ALARMS, "label='Early shift'").is_empty());
}

#[test]
fn an_alarm_is_changed_by_its_clock_switch_and_twelve_hours() {
    let mut h = AppDriver::of(PACKAGE);
    h.w.put_setting(crate::world::settings::Namespace::System, "time_12_24", "12");
    let first = h.rows(ALARMS, "").remove(0);
    let id = first.text("_id");
    let by_id = |h: &AppDriver| h.rows(&format!("{ALARMS}/{id}"), "").remove(0);
    h.tap("onoff");
    assert_eq!(by_id(&h).int("enabled"), Some(1));
    h.tap("digital_clock").tap("material_timepicker_mode_button");
    h.fill("material_hour_text_input", "13").tap("material_timepicker_ok_button");
    assert!(h.shows("Enter a valid time"));
    h.fill("material_hour_text_input", "11").fill("material_minute_text_input", "7");
    h.tap("material_clock_period_pm_button").tap("material_timepicker_ok_button");
    assert_eq!((by_id(&h).int("hour"), by_id(&h).int("minutes")), (Some(23), Some(7)));
    assert!(h.shows("11:07 PM"));
}

#[test]
fn an_alarm_rings_and_one_for_once_is_off_then() {
    let mut h = AppDriver::of(PACKAGE);
    let row = row! { hour: 9, minutes: 2, label: "Tea" };
    h.w.insert(ALARMS, &row).unwrap();
    assert!(h.w.insert(ALARMS, &row! { hour: 24, minutes: 0 }).is_err());
    h.w.tick(119_000);
    assert!(h.w.notifications().is_empty());
    h.w.tick(121_000);
    assert_eq!(h.w.notifications()[0].text, "Tea");
    assert_eq!(h.rows(ALARMS, "label='Tea'")[0].int("enabled"), Some(0));
}

#[test]
fn a_timer_is_typed_runs_pauses_and_runs_out() {
    let mut h = AppDriver::of(PACKAGE);
    h.tap("tab_menu_timer").tap("timer_setup_digit_1").tap("timer_setup_digit_3").tap("timer_setup_digit_0");
    h.tap("timer_setup_digit_5").tap("timer_setup_delete");
    assert!(h.shows("00h 01m 30s"));
    h.tap("fab");
    let timer = |h: &AppDriver| h.rows("content://com.android.deskclock/timers", "").remove(0);
    assert_eq!((timer(&h).int("length"), timer(&h).text("state")), (Some(90), "running".to_owned()));
    assert_eq!(h.w.quiet_for_ms(), 0, "a running timer is never quiet");
    h.tap("reset_add").tap("play_pause");
    assert_eq!(timer(&h).text("state"), "paused");
    let left = timer(&h).int("remaining").unwrap();
    assert!((140..=150).contains(&left));
    h.again().tap("play_pause");
    h.w.tick(h.w.now_ms() + 151_000);
    assert!(h.shows("00:00") && h.shows("Time's up"));
    assert_eq!(timer(&h).text("state"), "expired");
    h.tap_desc("Delete timer");
    assert!(h.rows("content://com.android.deskclock/timers", "").is_empty());
}

#[test]
fn the_stopwatch_counts_and_laps() {
    let mut h = AppDriver::of(PACKAGE);
    h.tap("tab_menu_stopwatch").tap("fab");
    h.w.tick(h.w.now_ms() + 2_000);
    h.tap("right_button").tap("fab");
    let row = h.rows("content://com.android.deskclock/stopwatch", "").remove(0);
    assert_eq!((row.text("state"), row.int("laps")), ("paused".to_owned(), Some(1)));
    assert!(row.int("accumulated").unwrap() >= 3_000);
    h.w.tick(h.w.now_ms() + 3_000);
    assert!(h.w.quiet_for_ms() > 0);
    h.tap("left_button");
    assert!(h.shows("00:00.00"));
}
