//! What Python does with values, where scores hang on it.
//!
//! The benchmark's metrics are Python; a port that compares with Rust's own notions would score other than
//! they do. Values travel as JSON: `None` is null, a path is a string, as in the original.

pub mod csv;
pub mod difflib;
pub mod fuzz;
pub mod json;
pub mod literal;
pub mod number;
pub mod pattern;
pub mod text;

use serde_json::Value;
use waldo_agents::python;
pub use waldo_agents::python::{as_number, repr_float, truthy};

pub fn eq(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) if x.is_i64() && y.is_i64() => x == y,
        (Value::Number(_) | Value::Bool(_), Value::Number(_) | Value::Bool(_)) => {
            as_number(a) == as_number(b)
        }
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(a, b)| eq(a, b)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| eq(v, w)))
        }
        _ => a == b,
    }
}

/// `needle in haystack`; nothing where Python would raise a `TypeError`.
pub fn contains(haystack: &Value, needle: &Value) -> Option<bool> {
    match (haystack, needle) {
        (Value::String(hay), Value::String(needle)) => Some(hay.contains(needle.as_str())),
        (Value::Array(items), _) => Some(items.iter().any(|item| eq(item, needle))),
        (Value::Object(map), Value::String(key)) => Some(map.contains_key(key)),
        // Lists and objects are not keys.
        (Value::Object(_), Value::Array(_) | Value::Object(_)) => None,
        (Value::Object(_), _) => Some(false),
        _ => None,
    }
}

/// `str(value)`.
pub fn string(value: &Value) -> String {
    python::str_of(value, repr_float)
}

/// `repr(value)`.
pub(crate) fn repr(value: &Value) -> String {
    python::repr_value(value, repr_float)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equality_containment_and_strings_are_pythons() {
        assert!(eq(&json!(1), &json!(1.0)));
        assert!(eq(&json!(true), &json!(1)));
        assert!(!eq(&json!("1"), &json!(1)));
        assert!(eq(&json!([1, { "a": 2.0 }]), &json!([1.0, { "a": 2 }])));
        assert!(!eq(&json!(null), &json!(false)));
        assert_eq!(contains(&json!("abc"), &json!("b")), Some(true));
        assert_eq!(contains(&json!(["b"]), &json!("b")), Some(true));
        assert_eq!(contains(&json!({ "b": 1 }), &json!("b")), Some(true));
        assert_eq!(contains(&json!(null), &json!("b")), None);
        assert_eq!(contains(&json!("abc"), &json!(1)), None);
        assert_eq!(string(&json!(null)), "None");
        assert_eq!(string(&json!(3.0)), "3.0");
        assert_eq!(string(&json!([1, "a", true])), "[1, 'a', True]");
        assert_eq!(string(&json!({ "k": "it's" })), "{'k': \"it's\"}");
        assert_eq!(string(&json!(["\u{200b}\u{7}"])), "['\\u200b\\x07']");
    }
}
