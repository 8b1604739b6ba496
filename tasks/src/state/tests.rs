use serde_json::json;

use super::*;

fn state(stores: Value) -> DeviceState {
    DeviceState(serde_json::from_value(stores).unwrap())
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
}
