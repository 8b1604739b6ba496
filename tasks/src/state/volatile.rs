//! What changes on a screen by itself, and says nothing about what the agent did. Each line has its reason.

use serde_json::Value;

/// A column that changes by itself, in stores whose name begins like this.
const COLUMNS: &[(&str, &str)] = &[];
/// Entries that change by themselves: the beginning of the store's name, and of the key.
const ENTRIES: &[(&str, &str)] = &[];

/// Whether an entry changes by itself.
pub(super) fn entry(store: &str, key: &str) -> bool {
    ENTRIES.iter().any(|(name, begin)| store.starts_with(name) && key.starts_with(begin))
}

/// A row without the columns that change by themselves; a plain value as it is.
pub(super) fn without_columns(store: &str, value: &Value) -> Value {
    let mut value = value.clone();
    if let Value::Object(row) = &mut value {
        row.retain(|column, _| !COLUMNS.iter().any(|(name, gone)| store.starts_with(name) && column == gone));
    }
    value
}
