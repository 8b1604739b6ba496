//! All that is stored on the phone, as stores of entries by key: what `simctl stores` tells, in one call.
//!
//! Invariant: what is in here outlives the screens; where a screen is and unsaved text of fields are not in here.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    World,
    providers::{ProviderRow, ProviderValue},
    settings::Namespace,
};
use crate::files::Kind;

/// The largest file whose text is told; of a larger one, and of one that is no text, only size and hash are.
const TEXT_BYTES: usize = 64 * 1024;
/// Shared storage, and how it is called.
const SHARED: (&str, &str) = ("/storage/emulated/0", "/sdcard");

type Entries = Map<String, Value>;

fn cell(value: &ProviderValue) -> Value {
    match value {
        ProviderValue::Null => Value::Null,
        ProviderValue::Int(number) => (*number).into(),
        ProviderValue::Real(number) => (*number).into(),
        ProviderValue::Text(text) => text.as_str().into(),
    }
}

fn entry(row: &ProviderRow) -> (String, Value) {
    let columns = row.0.iter().filter(|(column, _)| column != "_id");
    (row.text("_id"), columns.map(|(column, value)| (column.clone(), cell(value))).collect())
}

fn content(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.len() <= TEXT_BYTES && !text.contains('\0') => text.into(),
        _ => {
            let sha256 = HEXLOWER.encode(&Sha256::digest(bytes));
            json!({ "bytes": bytes.len(), "sha256": sha256 })
        }
    }
}

impl World {
    /// Stores by name: each table of the providers as `content://AUTHORITY/TABLE` with rows by their ids, the three
    /// tables of settings, `packages`, `files` of the shared storage (a folder's path ends with `/`), `clipboard`, and
    /// `apps`, which is what apps store outside of their tables.
    pub(crate) fn stores_json(&self) -> Value {
        let mut stores: BTreeMap<String, Entries> = BTreeMap::new();
        let mut apps = Entries::new();
        for manifest in &self.installed.manifests {
            let Some(app) = self.installed.apps.get(manifest.package) else { continue };
            for table in &manifest.tables {
                let rows = app.rows(table).unwrap_or_default();
                stores.insert(format!("content://{table}"), rows.iter().map(entry).collect());
            }
            apps.extend(
                app.stored().into_iter().map(|(name, v)| (format!("{} {name}", manifest.package), v)),
            );
        }
        stores.insert("apps".to_owned(), apps);
        for ns in Namespace::ALL {
            let all = self.settings.list(ns).map(|(key, value)| (key.to_owned(), value.into()));
            stores.insert(format!("settings/{ns}"), all.collect());
        }
        let packages = self.packages().into_iter().map(|p| (p.package, true.into()));
        stores.insert("packages".to_owned(), packages.collect());
        let files = self.files.below(SHARED.0).map(|(path, node)| {
            let path = format!("{}{}", SHARED.1, path.get(SHARED.0.len()..).unwrap_or_default());
            match &node.kind {
                Kind::Dir => (format!("{path}/"), json!({ "folder": true })),
                Kind::File(bytes) => (path, content(bytes)),
                Kind::Link(to) => (path, json!({ "link": to })),
                Kind::Device => (path, json!({ "device": true })),
            }
        });
        stores.insert("files".to_owned(), files.collect());
        let clipboard = Entries::from_iter([("primary".to_owned(), json!({ "text": self.clipboard }))]);
        stores.insert("clipboard".to_owned(), clipboard);
        json!(stores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        apps::{PHONE, drive::AppDriver},
        options::PhoneOptions,
    };

    #[test]
    fn each_table_that_an_app_names_answers_with_rows_that_have_ids() {
        let w = World::new(&PhoneOptions::default(), PHONE);
        let mut seen = 0;
        for manifest in &w.installed.manifests {
            for table in &manifest.tables {
                let rows = w.installed.apps[manifest.package].rows(table);
                let rows = rows.unwrap_or_else(|| panic!("{} has no {table}", manifest.package));
                let authority = table.split('/').next().unwrap();
                assert!(manifest.authorities.contains(&authority), "{table}");
                assert!(rows.iter().all(|row| row.int("_id").is_some()), "{table}");
                seen += 1;
            }
            let reaches =
                |authority: &&str| manifest.tables.iter().any(|t| t.split('/').next() == Some(authority));
            // Settings are told by their own stores, and conversations show messages once more.
            let known = ["settings", "mms-sms"];
            let missing = manifest.authorities.iter().find(|a| !reaches(a) && !known.contains(a));
            assert_eq!(missing, None, "{}", manifest.package);
        }
        assert!(seen > 20, "{seen}");
    }

    #[test]
    fn what_is_stored_is_told_by_type_and_what_a_screen_shows_is_not() {
        let mut d = AppDriver::of("com.android.contacts");
        let before = d.w.stores_json();
        d.w.files.write("/sdcard/Download/a.txt", *b"one\n").unwrap();
        d.w.files.write("/sdcard/Download/b.bin", [0, 255]).unwrap();
        d.w.files.mkdir("/sdcard/Trips").unwrap();
        let row = ProviderRow::default().with("product_id", 2).with("quantity", 3);
        d.w.insert("content://shop/cart", &row).unwrap();
        let after = d.w.stores_json();
        assert_eq!(after["files"]["/sdcard/Download/a.txt"], "one\n");
        assert_eq!(after["files"]["/sdcard/Download/b.bin"]["bytes"], 2);
        assert_eq!(after["files"]["/sdcard/Trips/"], json!({ "folder": true }));
        let cart = after["content://shop/cart"].as_object().unwrap();
        let line = cart.values().next().unwrap();
        assert_eq!((&line["quantity"], &line["product_id"]), (&json!(3), &json!(2)));
        assert!(line.get("_id").is_none() && before["content://shop/cart"] == json!({}));
        assert_eq!(after["apps"]["com.android.contacts sort by"], "first name");
        assert_eq!(after["clipboard"]["primary"]["text"], "");

        // Another screen, and a text that was typed and not saved.
        d.tap_desc("Create new contact");
        d.fill("first_name", "Ada");
        assert_eq!(d.w.stores_json(), after);
    }
}
