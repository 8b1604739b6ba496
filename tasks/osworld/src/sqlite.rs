use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, params};
use serde_json::Value;

use super::fault::{OsworldFault, Result};
use super::ooxml::budget::{self, Cost};
use super::py::text;

fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> OsworldFault {
    let name = text::name(path);
    move |e| OsworldFault::raised(format!("{name}: {e}"))
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(path, flags).map_err(failed(path))?;
    connection.busy_timeout(Duration::from_secs(2)).map_err(failed(path))?;
    Ok(connection)
}

/// The rows that a question gives; bytes that are not text are null.
pub fn query(path: &Path, question: &str) -> Result<Vec<Vec<Value>>> {
    // A copy of the database is asked, which may be written to: its log is with the program.
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // A question can go on for ever without giving a row.
    connection.progress_handler(10_000, Some(|| !budget::goes_on())).map_err(failed(path))?;
    let mut statement = connection.prepare(question).map_err(failed(path))?;
    let width = statement.column_count();
    let mut rows = statement.query([]).map_err(failed(path))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(failed(path))? {
        budget::spend(Cost::Cells, width as u64)?;
        let mut values = Vec::with_capacity(width);
        for i in 0..width {
            values.push(match row.get_ref(i).map_err(failed(path))? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(n) => Value::from(n),
                ValueRef::Real(n) => Value::from(n),
                ValueRef::Text(bytes) => {
                    budget::spend(Cost::Bytes, bytes.len() as u64)?;
                    Value::from(String::from_utf8_lossy(bytes).into_owned())
                }
                ValueRef::Blob(bytes) => std::str::from_utf8(bytes).map_or(Value::Null, Value::from),
            });
        }
        found.push(values);
    }
    Ok(found)
}

/// Adds a visit to a browser's history; `at` counts microseconds from 1601-01-01.
pub(crate) fn add_visit(path: &Path, url: &str, title: &str, at: i64) -> Result<()> {
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let change = connection.transaction().map_err(failed(path))?;
    change
        .execute(
            "INSERT INTO urls (url, title, visit_count, typed_count, last_visit_time, hidden) VALUES (?, ?, 1, 0, ?, 0)",
            params![url, title, at],
        )
        .map_err(failed(path))?;
    change
        .execute(
            "INSERT INTO visits (url, visit_time, from_visit, transition, segment_id, visit_duration) VALUES (?, ?, 0, 805306368, 0, 0)",
            params![change.last_insert_rowid(), at],
        )
        .map_err(failed(path))?;
    change.commit().map_err(failed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_written_and_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("History");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE urls (id INTEGER PRIMARY KEY, url, title, visit_count, typed_count, last_visit_time, hidden);
                 CREATE TABLE visits (id INTEGER PRIMARY KEY, url, visit_time, from_visit, transition, segment_id, visit_duration);",
            )
            .unwrap();
        drop(connection);
        add_visit(&path, "https://x.org", "X", 5).unwrap();
        let rows = query(&path, "SELECT url, title, last_visit_time FROM urls").unwrap();
        assert_eq!(rows, [vec![Value::from("https://x.org"), Value::from("X"), Value::from(5)]]);
        assert!(matches!(query(&path, "SELECT nothing"), Err(OsworldFault::Raised(_))));
        assert!(query(&dir.path().join("none"), "SELECT 1").is_err());
    }
}
