use serde_json::json;

use super::*;

pub fn state(stores: Value) -> DeviceState {
    DeviceState(serde_json::from_value(stores).unwrap())
}

pub fn differs(before: Value, after: Value) -> Vec<Difference> {
    state(before).difference(&state(after))
}

#[test]
fn entries_are_added_removed_and_altered() {
    let before = state(json!({ "notes": { "1": { "title": "a", "body": "x" }, "2": { "title": "b" } } }));
    let after = state(
        json!({ "notes": { "1": { "title": "a", "body": "y" }, "3": { "title": "c" } }, "settings": { "volume": 3 } }),
    );
    let told: Vec<String> = before.difference(&after).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "notes 1: body was \"x\" and is \"y\"",
            "notes 2: {\"title\":\"b\"} was removed",
            "notes 3: {\"title\":\"c\"} was added",
            "settings volume: 3 was added",
        ]
    );
    assert!(after.difference(&after).is_empty());
    let rows = |rows: Value| state(json!({ "content://notes/notes": rows, "files": { "a": "x" } }));
    let before = rows(json!({ "1": { "title": "a" }, "2": { "title": "a" }, "3": { "title": "b" } }));
    let anew = rows(json!({ "2": { "title": "a" }, "3": { "title": "b" }, "7": { "title": "a" } }));
    assert!(before.difference(&anew).is_empty());
    // One of two was made anew, and one with another title: both are told.
    let other = rows(json!({ "3": { "title": "b" }, "7": { "title": "a" }, "8": { "title": "A" } }));
    let told: Vec<String> = before.difference(&other).iter().map(ToString::to_string).collect();
    let store = "content://notes/notes";
    assert_eq!(
        told,
        [
            format!("{store} 2: {{\"title\":\"a\"}} was removed"),
            format!("{store} 8: {{\"title\":\"A\"}} was added")
        ]
    );
    // A file has a name: moved is not the same.
    let moved =
        state(json!({ "content://notes/notes": before.0["content://notes/notes"], "files": { "b": "x" } }));
    assert_eq!(before.difference(&moved).len(), 2);
    let sms = |read: u8, body: &str| {
        state(
            json!({ "content://sms": { "1": { "read": read, "body": body } }, "clipboard": { "primary": { "text": body } } }),
        )
    };
    assert!(sms(0, "a").difference(&sms(1, "a")).is_empty());
    assert_eq!(sms(0, "a").difference(&sms(1, "b")).len(), 1);
}
