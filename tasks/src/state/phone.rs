//! What is stored on a phone.
//!
//! A simulated phone tells all of it in one answer. Of another phone it is put together from what its shell prints: the
//! settings, the packages, the usual providers, and the paths and sizes of the files in shared storage. A provider that
//! does not answer has no store; the clipboard of such a phone cannot be read.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use waldo_devices::{Deadline, Device, DeviceError, Result, StateProbe, StateValue};

use super::{FILES, Store};

const SETTINGS: [&str; 3] = ["system", "secure", "global"];
/// Tables of providers that most phones have, with the columns that are asked for and their types: `i` for a whole
/// number, `s` for text. Columns that count or date what somebody looked at are not asked for.
const TABLES: [(&str, &str); 6] = [
    ("com.android.contacts/contacts", "_id:i display_name:s starred:i"),
    ("com.android.contacts/data", "_id:i display_name:s mimetype:s data1:s data2:s data3:s"),
    ("call_log/calls", "_id:i number:s date:i duration:i type:i name:s"),
    ("sms", "_id:i address:s date:i type:i body:s"),
    (
        "com.android.calendar/events",
        "_id:i calendar_id:i title:s eventLocation:s description:s dtstart:i dtend:i duration:s allDay:i rrule:s",
    ),
    ("com.android.calendar/reminders", "_id:i event_id:i minutes:i method:i"),
];
/// Files of shared storage with their sizes and paths, and folders, whose paths end with a slash.
const LIST_FILES: &str =
    "find /sdcard/ -type f -exec stat -c '%s %n' {} + -o -type d -exec stat -c '- %n/' {} +";

pub(super) async fn read(device: &mut dyn Device, deadline: Deadline) -> Result<BTreeMap<String, Store>> {
    let simulated = shell(device, "simctl stores", deadline).await?;
    let simulated = simulated.and_then(|told| serde_json::from_str::<BTreeMap<String, Store>>(&told).ok());
    if let Some(mut stores) = simulated {
        for (_, table) in stores.iter_mut().filter(|(name, _)| name.starts_with("settings/")) {
            table.values_mut().for_each(|value| *value = setting(value.as_str().unwrap_or_default()));
        }
        return Ok(stores);
    }
    let mut stores = BTreeMap::new();
    for table in SETTINGS {
        if let Some(listed) = shell(device, &format!("settings list {table}"), deadline).await? {
            stores.insert(format!("settings/{table}"), settings(&listed));
        }
    }
    if let Some(listed) = shell(device, "pm list packages", deadline).await? {
        let packages = listed.lines().filter_map(|line| line.trim().strip_prefix("package:"));
        let packages = packages.map(|package| (package.to_owned(), Value::Bool(true)));
        stores.insert("packages".to_owned(), packages.collect());
    }
    for (table, columns) in TABLES {
        let columns: Vec<Column> = columns.split(' ').filter_map(Column::read).collect();
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        let command = format!("content query --uri content://{table} --projection {}", names.join(":"));
        let listed = shell(device, &command, deadline).await?;
        if let Some(store) = listed.and_then(|listed| rows(&listed, &columns)) {
            stores.insert(format!("content://{table}"), store);
        }
    }
    if let Some(listed) = shell(device, LIST_FILES, deadline).await? {
        stores.insert(FILES.to_owned(), files(&listed));
    }
    Ok(stores)
}

/// What a command prints; nothing where the phone has no such command, or it fails.
async fn shell(device: &mut dyn Device, line: &str, deadline: Deadline) -> Result<Option<String>> {
    match device.probe(&StateProbe::Shell(line.to_owned()), deadline).await {
        Ok(StateValue::Text(text)) => Ok(Some(text)),
        Ok(_) | Err(DeviceError::Call { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Settings are stored as text; what spells a whole number is one.
fn setting(text: &str) -> Value {
    let number = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    number.map_or_else(|| text.into(), Value::from)
}

/// What `settings list` prints: `key=value`. A line without an equals sign goes on with the value above it.
fn settings(listed: &str) -> Store {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in listed.lines() {
        match (line.split_once('='), found.last_mut()) {
            (Some((key, value)), _) => found.push((key.to_owned(), value.to_owned())),
            (None, Some((_, value))) => {
                value.push('\n');
                value.push_str(line);
            }
            (None, None) => {}
        }
    }
    found.into_iter().map(|(key, value)| (key, setting(&value))).collect()
}

/// A column of a provider's table.
#[derive(Clone, Copy, Debug)]
struct Column<'a> {
    name: &'a str,
    number: bool,
}

impl<'a> Column<'a> {
    fn read(written: &'a str) -> Option<Self> {
        let (name, kind) = written.split_once(':')?;
        Some(Self { name, number: kind == "i" })
    }

    fn value(self, text: &str) -> Value {
        match text {
            "NULL" => Value::Null,
            text if self.number => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
            text => text.into(),
        }
    }
}

/// What `content query` prints for these columns, as rows by their ids; nothing where it prints an error.
fn rows(listed: &str, columns: &[Column<'_>]) -> Option<Store> {
    if listed.trim() == "No result found." {
        return Some(Store::new());
    }
    // A value may have several lines; a row begins where its number follows that of the row before it.
    let mut found: Vec<String> = Vec::new();
    for line in listed.lines() {
        match (line.strip_prefix(&format!("Row: {} ", found.len())), found.last_mut()) {
            (Some(row), _) => found.push(row.to_owned()),
            (None, Some(row)) => {
                row.push('\n');
                row.push_str(line);
            }
            (None, None) => return None,
        }
    }
    let entry = |(number, row): (usize, &String)| {
        let whole = || Map::from_iter([("row".to_owned(), row.as_str().into())]);
        let row = columns_of(row, columns).unwrap_or_else(whole);
        let id = row.get("_id").map_or_else(|| format!("row {number}"), Value::to_string);
        (id, row.into_iter().filter(|(column, _)| column != "_id").collect())
    };
    Some(found.iter().enumerate().map(entry).collect())
}

/// The columns of one row, which stand in the order in which they were asked for.
fn columns_of(row: &str, columns: &[Column<'_>]) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    let first = columns.first()?;
    let mut rest = row.strip_prefix(first.name)?.strip_prefix('=')?;
    for (column, next) in columns.iter().zip(columns.iter().skip(1).map(Some).chain([None])) {
        let (value, behind) = match next {
            Some(next) => rest.split_once(&format!(", {}=", next.name))?,
            None => (rest, ""),
        };
        found.insert(column.name.to_owned(), column.value(value));
        rest = behind;
    }
    Some(found)
}

/// Files by their paths, with their sizes; folders end with a slash.
fn files(listed: &str) -> Store {
    let entry = |line: &str| {
        let (size, path) = line.split_once(' ')?;
        let path = path.replace("//", "/");
        Some(match size {
            "-" => (path, json!({ "folder": true })),
            size => (path, json!({ "bytes": size.parse::<u64>().ok()? })),
        })
    };
    listed.lines().filter_map(entry).filter(|(path, _)| path != "/sdcard/").collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn columns(written: &str) -> Vec<Column<'_>> {
        written.split(' ').map(|column| Column::read(column).unwrap()).collect()
    }

    #[test]
    fn listings_of_a_phone_become_typed_entries() {
        let told = settings("bright=255\nname=Night Owl\nnote=a=b\nsecond line\nzero=007\nempty=");
        assert_eq!(
            json!(told),
            json!({ "bright": 255, "name": "Night Owl", "note": "a=b\nsecond line", "zero": "007", "empty": "" })
        );
        let listed =
            "Row: 0 _id=4, title=a, b=c, body=one\nRow: 7 is text, n=5\nRow: 1 _id=9, title=NULL, body=, n=x";
        assert_eq!(
            json!(rows(listed, &columns("_id:i title:s body:s n:i"))),
            json!({
                "4": { "title": "a, b=c", "body": "one\nRow: 7 is text", "n": 5 },
                "9": { "title": null, "body": "", "n": "x" },
            })
        );
        assert_eq!(rows("No result found.", &[]), Some(Store::new()));
        assert_eq!(rows("Error while accessing provider:x", &columns("_id:i")), None);
        let other = rows("Row: 0 other=1", &columns("_id:i title:s"));
        assert_eq!(json!(other), json!({ "row 0": { "row": "other=1" } }));
        assert_eq!(
            json!(files("- /sdcard//\n- /sdcard/My trips/\n12 /sdcard/My trips/a.txt\nfind: denied")),
            json!({ "/sdcard/My trips/": { "folder": true }, "/sdcard/My trips/a.txt": { "bytes": 12 } })
        );
    }

    proptest! {
        #[test]
        fn rows_are_read_as_they_were_printed(values in prop::collection::vec((any::<i64>(), "[a-zA-Z0-9 .,=:\n-]{0,20}"), 0..6)) {
            let columns = columns("_id:i number:i text:s");
            let shown = values.iter().enumerate().filter(|(_, (_, text))| {
                !text.contains("Row: ") && !text.ends_with('\n') && text != "NULL"
            });
            let shown: Vec<(usize, i64, &str)> =
                shown.enumerate().map(|(at, (_, (number, text)))| (at, *number, text.as_str())).collect();
            let lines: Vec<String> =
                shown.iter().map(|(at, n, text)| format!("Row: {at} _id={at}, number={n}, text={text}")).collect();
            let listed = if lines.is_empty() { "No result found.".to_owned() } else { lines.join("\n") };
            let expected: Store = shown
                .iter()
                .map(|(at, n, text)| (at.to_string(), json!({ "number": n, "text": text })))
                .collect();
            prop_assert_eq!(rows(&listed, &columns), Some(expected));
        }

        #[test]
        fn any_listing_is_read_without_a_fault(listed in "(Row: [0-9]|_id=|, title=|\\PC|\n){0,30}") {
            let _ = rows(&listed, &columns("_id:i title:s"));
            let _ = (settings(&listed), files(&listed));
        }
    }
}
