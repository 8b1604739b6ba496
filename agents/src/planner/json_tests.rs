use proptest::prelude::*;
use serde_json::json;

use super::*;

fn value(reply: &str) -> Value {
    Value::Object(object(reply, "action").unwrap_or_else(|e| panic!("{e}: {reply}")).value)
}

fn refused(reply: &str) -> String {
    object(reply, "action").unwrap_err()
}

#[test]
fn json_is_found_wherever_it_stands() {
    let want = json!({"action": {"type": "wait"}});
    for reply in [
        r#"{"action": {"type": "wait"}}"#,
        "Sure!\n```json\n{\"action\": {\"type\": \"wait\"}}\n```\nThat is all.",
        "```\n{\"action\": {\"type\": \"wait\"}}\n```",
        "<think>{\"action\": {\"type\": \"click\"}}</think>{\"action\": {\"type\": \"wait\"}}",
        "The set {a, b} is empty. {\"action\": {\"type\": \"wait\"}}",
        "[{\"action\": {\"type\": \"wait\"}}]",
        r#"{"response": {"action": {"type": "wait"}}}"#,
        // The same answer twice is one answer.
        "{\"action\": {\"type\": \"wait\"}}\n{\"action\": {\"type\": \"wait\"}}",
        // Another object beside it says nothing.
        "{\"plan\": 1} {\"action\": {\"type\": \"wait\"}}",
    ] {
        assert_eq!(value(reply), want, "{reply}");
    }
}

#[test]
fn what_is_not_quite_json_is_mended_and_noted() {
    let good = r#"{"thought": "a \"b\" c", "n": [1, 2.5, null, true], "action": {"type": "wait"}}"#;
    let want: Value = serde_json::from_str(good).unwrap();
    let python = r#"{'thought': 'a "b" c', 'n': [1, 2.5, None, True], 'action': {'type': 'wait'}}"#;
    let bare = r#"{thought: "a \"b\" c", n: [1, 2.5, null, true], action: {type: "wait"}}"#;
    for (reply, mend) in [
        (good.replacen(", ", ", // why\n /* more */ ", 1), "comments"),
        (good.replace(']', ",]").replace('}', ",}"), "commas"),
        (good.replace(", \"", "\n \""), "commas"),
        (python.to_owned(), "other quotation marks"),
        (bare.to_owned(), "keys without quotation marks"),
        (good.replace("\\\"", "\""), "quotation marks within a text"),
        (format!("Here: {good}"), "text around the JSON"),
    ] {
        let found = object(&reply, "action").unwrap_or_else(|e| panic!("{e}: {reply}"));
        assert_eq!(Value::Object(found.value), want, "{reply}");
        assert!(found.repairs.iter().any(|r| r == mend), "{reply}: {:?}", found.repairs);
    }
    assert_eq!(value("{\"action\": \"a\nb\\d\"}"), json!({"action": "a\nb\\d"}));
}

#[test]
fn what_cannot_be_read_is_said() {
    assert_eq!(refused("I am not sure."), "the answer holds no JSON object");
    assert_eq!(refused(""), "the answer holds no JSON object");
    assert!(refused("{\"thought\": \"x\", \"action\": {\"type\": \"cli").contains("cut off within a text"));
    assert!(refused("{\"thought\": yes please}").contains("the word 'yes'"));
    let two = "{\"action\": {\"type\": \"wait\"}} and then {\"action\": {\"type\": \"click\"}}";
    assert_eq!(refused(two), "the answer holds 2 different JSON objects where one is wanted");
    assert!(refused(&"{\"a\":".repeat(500)).contains("no JSON object that can be read"));
    // Nothing of this takes long.
    for hostile in ["{", "{\"", "[{", "{'a':'", "{//"] {
        let _ = object(&hostile.repeat(20_000), "action");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((".{0,6}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn json_reads_back_as_it_was(inner in any_json(), fenced in any::<bool>()) {
        let want = json!({"action": inner});
        let text = serde_json::to_string_pretty(&want).unwrap();
        let reply = if fenced { format!("So:\n```json\n{text}\n```") } else { text };
        prop_assert_eq!(value(&reply), want);
    }

    #[test]
    fn the_lenient_reader_agrees_with_the_strict_one(inner in any_json()) {
        let want = json!({"action": inner});
        let text = want.to_string();
        let mut reader = Reader { text: &text, at: 0, repairs: Vec::new() };
        let read = reader.value(0);
        prop_assert_eq!(read, Ok(want));
        prop_assert_eq!(reader.at, text.len());
    }

    #[test]
    fn nothing_breaks_the_reader(text in "[{}\\[\\]\"':,\\\\/#a-z0-9 \n\u{201c}é-]{0,80}") {
        let _ = object(&text, "action");
    }
}
