use super::*;

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
    let state = serde_json::json!({ "events": [e] });
    let row = tables::rows(&state, "com.android.calendar/events").unwrap().remove(0);
    let mut other = CalendarEvent::default();
    other.set(&row).unwrap();
    assert_eq!((other.start, other.end), (e.start, e.end));
    assert!(other.set(&ProviderRow::default().with("dtstart", 5000).with("dtend", 1000)).is_err());
}
