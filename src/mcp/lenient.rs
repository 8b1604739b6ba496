//! Arguments as clients give them, brought into the form that a tool's schema asks for.
//!
//! Models write numbers as texts, whole numbers with a fraction of zero, and `null` for what they leave out. None of that
//! is unclear, so none of it is refused; what stays wrong is told by who reads the arguments.

use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// The arguments in the form of `schema`; what is `null` is left out.
pub fn fitted(schema: &JsonObject, arguments: JsonObject) -> JsonObject {
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null());
    given
        .map(|(name, value)| {
            let wanted = schema.get("properties").and_then(|all| all.get(&name));
            let value = wanted.map_or_else(|| value.clone(), |wanted| fit(wanted, value.clone()));
            (name, value)
        })
        .collect()
}

fn fit(schema: &Value, value: Value) -> Value {
    // Of several kinds the first is what a number or a text is meant for.
    let kinds = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
    let first = kinds.iter().find(|kind| value.is_object() == (*kind == "object")).or(kinds.first());
    let kind = first.and_then(Value::as_str).unwrap_or_default();
    match (kind, value) {
        ("object", Value::Object(members)) => {
            schema.as_object().map_or(Value::Null, |schema| Value::Object(fitted(schema, members)))
        }
        ("array", Value::Array(items)) => items.into_iter().map(|item| fit(&schema["items"], item)).collect(),
        ("integer" | "number", Value::String(text)) => number(&text).map_or(Value::String(text), whole),
        ("integer", Value::Number(number)) => whole(number),
        ("boolean", Value::String(text)) => text.trim().parse().map_or(Value::String(text), Value::Bool),
        ("string", value @ (Value::Number(_) | Value::Bool(_))) => Value::String(value.to_string()),
        ("string", Value::String(text)) => Value::String(word(schema, text)),
        (_, value) => value,
    }
}

/// A number that is written as a text, also with the brackets that lists put around it.
fn number(text: &str) -> Option<Number> {
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
    serde_json::from_str(bare).ok()
}

/// Without a fraction of zero.
fn whole(number: Number) -> Value {
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small")]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e9 => {
            Value::from(float as i64)
        }
        _ => Value::Number(number),
    }
}

/// The word of an enumeration that is meant.
fn word(schema: &Value, text: String) -> String {
    let mut words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    words.find(|word| word.eq_ignore_ascii_case(text.trim())).map_or(text, str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_clear_is_taken_and_the_rest_is_left_as_it_is() {
        let schema = json!({ "properties": {
            "element": { "type": "integer" }, "seconds": { "type": "number" }, "picture": { "type": "boolean" },
            "text": { "type": "string" }, "direction": { "type": "string", "enum": ["up", "down"] },
            "place": { "type": "object", "properties": { "element": { "type": "integer" }, "x": { "type": "number" } } },
            "either": { "type": ["integer", "object"] },
            "path": { "type": "array", "items": { "type": "array", "items": { "type": "number" } } },
        } });
        for (name, given, taken) in [
            ("element", json!("3"), json!(3)),
            ("element", json!("[3]"), json!(3)),
            ("element", json!(3.0), json!(3)),
            ("element", json!("the third"), json!("the third")),
            ("element", json!(3.5), json!(3.5)),
            ("seconds", json!("0.5"), json!(0.5)),
            ("picture", json!("true"), json!(true)),
            ("text", json!(42), json!("42")),
            ("direction", json!("DOWN"), json!("down")),
            ("place", json!({ "element": "2", "x": "50", "y": null }), json!({ "element": 2, "x": 50 })),
            ("path", json!([["1", 2]]), json!([[1, 2]])),
            ("either", json!("3"), json!(3)),
            ("either", json!({ "x": 3, "y": 4 }), json!({ "x": 3, "y": 4 })),
            ("unknown", json!("3"), json!("3")),
        ] {
            let arguments = json!({ name: given, "left_out": null });
            let fitted = fitted(schema.as_object().unwrap(), arguments.as_object().unwrap().clone());
            assert_eq!(Value::Object(fitted), json!({ name: taken }), "{arguments}");
        }
    }
}
