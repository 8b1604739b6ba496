//! What Python does with texts and values, as far as scores can tell.

use serde_json::Value;
use waldo_agents::python;
pub use waldo_agents::python::{is_space, parse_float, strip};

/// `str.lower()`.
pub fn lower(text: &str) -> String {
    text.to_lowercase()
}

/// `str()` of a value that a script gave: Python's words, not JSON's.
pub(crate) fn str_of(value: &Value) -> String {
    python::str_of(value, float)
}

/// A number as Python writes it. JSON knows no whole number with a point, and neither does what a script gives: 3.0 comes
/// as 3.
fn float(number: f64) -> String {
    let text = python::repr_float(number);
    match text.strip_suffix(".0").filter(|whole| *whole != "-0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_told_in_pythons_words() {
        for (value, said) in [
            (json!(true), "True"),
            (json!(null), "None"),
            (json!(3), "3"),
            (json!(2.5), "2.5"),
            (json!(1e21), "1e+21"),
            (json!(1e-7), "1e-07"),
            (json!("plain"), "plain"),
            (json!(["a", "it's", null, 1]), "['a', \"it's\", None, 1]"),
            (json!({ "k": [true] }), "{'k': [True]}"),
            (json!(["a\n\u{a0}"]), "['a\\n\\xa0']"),
        ] {
            assert_eq!(str_of(&value), said);
        }
    }
}
