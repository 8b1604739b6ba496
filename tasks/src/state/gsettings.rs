//! The settings of GTK's programs, as a private display keeps them: a key file in HOME, which holds what was ever set.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Store;

/// Where the key file lies below HOME.
pub(super) const KEY_FILE: &str = ".config/glib-2.0/settings/keyfile";
/// Prints the schemas with their paths, an empty line, and every setting with its default.
pub(super) const SCHEMAS: &str =
    "gsettings list-schemas --print-paths; echo; GSETTINGS_BACKEND=memory gsettings list-recursively";

/// The settings that are not as they are by default, as `schema key`. `schemas` is what [`SCHEMAS`] printed; where a schema
/// has no fixed path, its path stands for it.
pub(super) fn settings(key_file: &str, schemas: &str) -> Store {
    let (names, defaults) = schemas.split_once("\n\n").unwrap_or((schemas, ""));
    let named = names.lines().filter_map(|line| line.split_once(' '));
    let by_path: BTreeMap<&str, &str> =
        named.map(|(schema, path)| (path.trim().trim_matches('/'), schema)).collect();
    let known = |line: &'_ str| -> Option<(String, Value)> {
        let (schema, rest) = line.split_once(' ')?;
        let (key, text) = rest.split_once(' ')?;
        Some((format!("{schema} {key}"), value(text)))
    };
    let defaults: BTreeMap<String, Value> = defaults.lines().filter_map(known).collect();
    let mut all = Store::new();
    let mut schema = String::new();
    for line in key_file.lines() {
        if let Some(path) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            schema = by_path.get(path).map_or_else(|| path.to_owned(), |schema| (*schema).to_owned());
        } else if let Some((key, text)) = line.split_once('=') {
            let (key, value) = (format!("{schema} {key}"), value(text.trim()));
            if defaults.get(&key) != Some(&value) {
                all.insert(key, value);
            }
        }
    }
    all
}

/// A setting as it is printed: texts in quotes, numbers perhaps with the name of their type, which lists may have, too.
pub(crate) fn value(text: &str) -> Value {
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(inner) = quoted('\'') {
        return inner.replace("\\'", "'").replace("\\\\", "\\").into();
    }
    if let Some(inner) = quoted('"') {
        return inner.replace("\\\"", "\"").replace("\\\\", "\\").into();
    }
    let kinds = ["uint32", "uint64", "int64", "int16", "uint16", "byte"];
    let typed = text.starts_with('@') || kinds.iter().any(|kind| text.starts_with(kind));
    let bare = text.split_once(' ').filter(|_| typed).map_or(text, |(_, bare)| bare);
    serde_json::from_str(bare).unwrap_or_else(|_| Value::from(bare))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read_as_they_are_printed_but_defaults() {
        for (text, expected) in [
            ("'Sans 12'", json!("Sans 12")),
            ("\"it's\"", json!("it's")),
            ("true", json!(true)),
            ("uint32 4", json!(4)),
            ("-2.5", json!(-2.5)),
            ("[1, 2]", json!([1, 2])),
            ("@as []", json!([])),
            ("(1, 2)", json!("(1, 2)")),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        let printed = "org.x.View /org/x/view/\norg.x.Window /org/x/window/\n\norg.x.View lines false\norg.x.View tab uint32 8\n";
        let kept =
            "[org/x/view]\nlines=true\ntab=8\n\n[org/y/profile:/a]\nname='b=c'\n[org/x/window]\nwidth=640\n";
        let told =
            json!({ "org.x.View lines": true, "org/y/profile:/a name": "b=c", "org.x.Window width": 640 });
        assert_eq!(json!(settings(kept, printed)), told);
        assert!(settings("", printed).is_empty());
    }
}
