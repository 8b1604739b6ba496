//! Everything durable on a screen at one moment, and what became different between two moments.
//!
//! Duty: read a screen into named stores of entries ([`DeviceState`]), and compare two of them ([`Difference`]). Drafts,
//! checks, verdicts and the record use the same comparison.
//!
//! Invariants: an entry is a row (an object of typed columns) or a plain value, never a printed listing. Nothing that
//! differs is left out but for what `volatile` lists. What a device cannot be asked for is an error.

mod desktop;
mod gsettings;
mod phone;
mod volatile;
mod web;

pub(crate) use desktop::{unexpected, windows};
pub(crate) use gsettings::value as setting_value;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use waldo_devices::{Deadline, Device, Result};

/// Entries by key. An entry is a row, which is a JSON object of typed columns, or a plain value.
pub type Store = BTreeMap<String, Value>;

/// The store of the state that a web task's pages keep on their server, by JSON pointer.
pub const PAGE_STATE: &str = "state";
/// The store of files that a browser has downloaded, by name.
pub const DOWNLOADS: &str = "downloads";
/// The store of what a suite's own pages keep in local storage, by item. That of another origin has a slash and the origin
/// behind it.
pub const STORAGE: &str = "storage";
/// The store of cookies that scripts can read, by name; of other domains as with [`STORAGE`].
pub const COOKIES: &str = "cookies";
/// The store of what a suite's own pages keep in IndexedDB, by database, object store and key; of other origins as with
/// [`STORAGE`].
pub const INDEXED_DB: &str = "indexed-db";
/// The store of files: of a desktop's HOME, or of a phone's shared storage, by path.
pub const FILES: &str = "files";
/// What the name of a spreadsheet's store begins with; its path follows. Keys are such as `Sheet1!B5`.
pub const SHEET: &str = "sheet/";
/// What the name of a text document's store begins with; its path follows. Keys are numbers of paragraphs, from 0.
pub const DOCUMENT: &str = "document/";
/// The store of a desktop's files whose permissions somebody has set, in octal digits, by path.
pub const MODES: &str = "modes";
/// The store of a desktop's settings that are not as by default; keys are schema and key with a blank between.
pub const DCONF: &str = "dconf";
/// The store of files that a desktop's programs have had open, by path.
pub const RECENT: &str = "recent";
/// The store of a desktop's windows, by title.
pub const WINDOWS: &str = "windows";

const RECORDED: usize = 500;
/// The most characters of a text in a recorded difference.
const RECORDED_CHARACTERS: usize = 1000;

/// Everything durable on one screen at one moment: stores by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceState(pub BTreeMap<String, Store>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub store: String,
    pub key: String,
    /// What it was; `None` for an entry that was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What it is now; `None` for an entry that was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

impl DeviceState {
    /// Reads one screen. `pages` is the state that the task's own pages keep on their server.
    pub async fn take(device: &mut dyn Device, pages: Option<&Value>, deadline: Deadline) -> Result<Self> {
        let platform = device.info().platform;
        let mut stores = BTreeMap::new();
        if platform.has_packages() {
            stores.append(&mut phone::read(device, deadline).await?);
        }
        if platform.has_programs() {
            stores.append(&mut desktop::read(device, deadline).await?);
        }
        if platform.has_pages() {
            stores.append(&mut web::read(device, pages, deadline).await?);
        }
        Ok(Self(stores))
    }

    /// What is different in `after`, in the order of stores and keys. Columns that change by themselves are left out of
    /// rows, and entries that do are left out.
    pub fn difference(&self, after: &Self) -> Vec<Difference> {
        let names: BTreeSet<&String> = self.0.keys().chain(after.0.keys()).collect();
        let empty = Store::new();
        let mut all = Vec::new();
        for store in names {
            let (old, new) = (self.0.get(store).unwrap_or(&empty), after.0.get(store).unwrap_or(&empty));
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys.into_iter().filter(|key| !volatile::entry(store, key)) {
                let lasting = |value: &Value| volatile::without_columns(store, value);
                let (before, after) = (old.get(key).map(lasting), new.get(key).map(lasting));
                if before != after {
                    all.push(Difference { store: store.clone(), key: key.clone(), before, after });
                }
            }
        }
        made_anew(&mut all);
        all
    }
}

/// Leaves out rows of a phone's tables that were removed and made anew as they were: their keys are numbers that mean
/// nothing to anybody.
fn made_anew(all: &mut Vec<Difference>) {
    let mut at = 0;
    while let Some(one) = all.get(at) {
        let again = |other: &Difference| {
            other.store == one.store && (&other.before, &other.after) == (&one.after, &one.before)
        };
        let row = one.store.starts_with("content://") && (one.before.is_none() || one.after.is_none());
        match all.iter().skip(at + 1).position(again).filter(|_| row) {
            Some(later) => {
                all.remove(at + 1 + later);
                all.remove(at);
            }
            None => at += 1,
        }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { store, key, before, after } = self;
        write!(f, "{store} {key}: ")?;
        match (before, after) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                // Of a row only the columns that differ.
                let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
                let differing = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
                let shown = |row: &serde_json::Map<String, Value>, name: &str| {
                    row.get(name).map_or_else(|| "nothing".to_owned(), Value::to_string)
                };
                let columns: Vec<String> = differing
                    .map(|name| format!("{name} was {} and is {}", shown(old, name), shown(new, name)))
                    .collect();
                f.write_str(&columns.join(", "))
            }
            (Some(before), Some(after)) => write!(f, "was {before} and is {after}"),
            (None, Some(after)) => write!(f, "{after} was added"),
            (Some(before), None) => write!(f, "{before} was removed"),
            (None, None) => Ok(()),
        }
    }
}

/// Differences as they are recorded: the first of very many, and long texts by their beginning and a fingerprint.
pub fn for_record(mut all: Vec<Difference>) -> Vec<Difference> {
    all.truncate(RECORDED);
    for value in all.iter_mut().flat_map(|one| [&mut one.before, &mut one.after]).flatten() {
        shorten(value);
    }
    all
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.chars().count() > RECORDED_CHARACTERS => {
            let begin: String = text.chars().take(RECORDED_CHARACTERS).collect();
            *value = serde_json::json!({ "begins": begin, "is": fingerprint(text.as_bytes()) });
        }
        Value::Object(row) => row.values_mut().for_each(shorten),
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Stands for content that is not text, or too long.
pub(crate) fn fingerprint(bytes: &[u8]) -> Value {
    let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(bytes));
    serde_json::json!({ "bytes": bytes.len(), "sha256": digest })
}

#[cfg(test)]
pub(crate) mod tests;
