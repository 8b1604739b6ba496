//! What an application keeps: tables of a database, files, entries of files of settings.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use regex::Regex;
use waldo_devices::{Deadline, foreign};

use super::failed;
use super::room::Room;
use crate::error::Result;
use crate::state::{Store, fingerprint};
use crate::suite::{AppDef, AppState, glob_regex};

const ROWS: &str = include_str!("rows.py");
/// The most files of a folder that are read, and bytes of one.
const FILES: usize = 5_000;
const FILE_BYTES: u64 = 1024 * 1024;

pub(super) async fn apply(
    room: &Room,
    database: &str,
    statements: &str,
    deadline: Deadline,
) -> Result<(), String> {
    room.run(&rows(room, "apply", database, &[]), statements, deadline).await.map(drop)
}

/// The command that reads or writes a database: by the application's own Python, or the system's.
fn rows(room: &Room, what: &str, database: &str, ignored: &[String]) -> Vec<String> {
    let own = room.app.join("venv").is_dir();
    let python = if own { "/app/venv/bin/python" } else { "python3" };
    let mut line = [python, "-c", ROWS, what, &format!("/data/{database}")].map(str::to_owned).to_vec();
    line.extend_from_slice(ignored);
    line
}

pub(super) async fn read(app: &AppDef, room: &Room, deadline: Deadline) -> Result<BTreeMap<String, Store>> {
    let mut stores = BTreeMap::new();
    for part in &app.file.state {
        one(&app.name, part, room, deadline, &mut stores).await.map_err(|message| {
            failed(app, "read what it keeps", message, "free memory and disk, and play the episode again")
        })?;
    }
    Ok(stores)
}

async fn one(
    app: &str,
    part: &AppState,
    room: &Room,
    deadline: Deadline,
    stores: &mut BTreeMap<String, Store>,
) -> Result<(), String> {
    if let Some(database) = &part.sqlite {
        let told = room.run(&rows(room, "dump", database, &part.ignore), "", deadline).await?;
        let tables: BTreeMap<String, Store> =
            serde_json::from_slice(&told).map_err(|error| error.to_string())?;
        stores.extend(tables.into_iter().map(|(table, rows)| (format!("{app}/{table}"), rows)));
    }
    let Some(files) = &part.files else { return Ok(()) };
    let globs = part.ignore.iter().map(|glob| glob_regex(glob));
    let ignored: Vec<Regex> = globs.collect::<Result<_, _>>().map_err(|problem| problem.message)?;
    let mut store = Store::new();
    let at = room.data.join(files);
    if let Some(entry) = &part.entry {
        let entry = Regex::new(entry).map_err(|error| error.to_string())?;
        let text = match foreign::read_text(&room.data, &at, FILE_BYTES) {
            // Before the first setting is made, there may be no file.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| format!("{}: {error}", at.display()))?,
        };
        for found in entry.captures_iter(&text) {
            let group = |n| found.get(n).map_or("", |group| group.as_str());
            if !ignored.iter().any(|glob| glob.is_match(group(1))) {
                store.insert(group(1).to_owned(), group(2).into());
            }
        }
    } else {
        walk(&at, "", &ignored, &mut store).map_err(|error| format!("{}: {error}", at.display()))?;
    }
    stores.insert(format!("{app}/{files}"), store);
    Ok(())
}

/// The files below a folder by their paths, at the most 5,000.
pub(crate) fn files_below(folder: &Path) -> std::io::Result<Store> {
    let mut store = Store::new();
    walk(folder, "", &[], &mut store)?;
    Ok(store)
}

/// The files below a folder by their paths; what is no plain file is told as such.
fn walk(folder: &Path, prefix: &str, ignored: &[Regex], to: &mut Store) -> std::io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if ignored.iter().any(|glob| glob.is_match(&path)) {
            continue;
        }
        if to.len() >= FILES {
            return Err(std::io::Error::other("holds too many files"));
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), ignored, to)?;
        } else {
            let value = match (kind.is_file(), entry.metadata()?.len()) {
                (true, bytes) if bytes <= FILE_BYTES => {
                    match String::from_utf8(foreign::read_in_its_folder(&entry.path(), FILE_BYTES)?) {
                        Ok(text) => text.into(),
                        Err(other) => fingerprint(other.as_bytes()),
                    }
                }
                (_, bytes) => serde_json::json!({ "bytes": bytes }),
            };
            to.insert(path, value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn files_are_told_by_path_and_text_without_what_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("a/b.txt"), "text").unwrap();
        fs::write(dir.path().join("c.lock"), "1").unwrap();
        fs::write(dir.path().join("d"), [0xff, 0]).unwrap();
        let mut store = Store::new();
        walk(dir.path(), "", &[Regex::new("lock$").unwrap()], &mut store).unwrap();
        assert_eq!(store.keys().collect::<Vec<_>>(), ["a/b.txt", "d"]);
        assert_eq!((&store["a/b.txt"], &store["d"]["bytes"]), (&Value::from("text"), &Value::from(2)));
    }
}
