//! What Python does with texts and values, as far as scores can tell.

use serde_json::Value;
use waldo_agents::python;

/// Whether Python takes it for a blank.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `str.strip()`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `str.lower()`.
pub fn lower(text: &str) -> String {
    text.to_lowercase()
}

/// `str()` of a value that a script gave: Python's words, not JSON's.
pub fn str_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// `repr()` of a value.
pub fn repr(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => float_repr(float),
            None => number.to_string(),
        },
        Value::String(text) => python::repr(text),
        Value::Array(all) => format!("[{}]", all.iter().map(repr).collect::<Vec<_>>().join(", ")),
        Value::Object(all) => {
            let member =
                |(name, value): (&String, &Value)| format!("{}: {}", python::repr(name), repr(value));
            format!("{{{}}}", all.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A number as Python writes it: the shortest digits that are read back as it, with an exponent below -4 and from 16 on.
/// JSON knows no whole number with a point, and neither does what a script gives: 3.0 comes as 3.
fn float_repr(float: f64) -> String {
    if float == 0.0 {
        return if float.is_sign_negative() { "-0.0" } else { "0" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        return format!("{float}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
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

    #[test]
    fn blanks_are_pythons() {
        assert_eq!(strip("\u{1f}\u{a0} a b\u{1c}\n"), "a b");
    }
}
