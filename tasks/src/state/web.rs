//! What is durable of a web task: the state that its pages keep on their server and in the browser, and what was downloaded.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use waldo_devices::{Deadline, Device, DeviceError, Origin, StateProbe, StateValue, foreign};

use super::{COOKIES, DOWNLOADS, INDEXED_DB, PAGE_STATE, STORAGE, Store, fingerprint};

pub(super) async fn read(
    device: &mut dyn Device,
    pages: Option<&Value>,
    deadline: Deadline,
) -> Result<BTreeMap<String, Store>, DeviceError> {
    let mut state = Store::new();
    if let Some(pages) = pages {
        leaves(pages, &mut String::new(), &mut state);
    }
    let mut downloads = Store::new();
    if let StateValue::Files(files) = device.probe(&StateProbe::Downloads, deadline).await? {
        for (name, path) in files {
            let folder = path.parent().unwrap_or(&path).to_owned();
            let bytes = foreign::read(&folder, &path, foreign::TEXT_BYTES).ok();
            let value = match bytes.map(String::from_utf8) {
                Some(Ok(text)) => text.into(),
                Some(Err(bytes)) => fingerprint(bytes.as_bytes()),
                // Larger than what is looked at.
                None => serde_json::json!({ "unread": true }),
            };
            downloads.insert(name, value);
        }
    }
    let mut stores = BTreeMap::from([(PAGE_STATE.to_owned(), state), (DOWNLOADS.to_owned(), downloads)]);
    if let StateValue::Json(kept) = device.probe(&StateProbe::Storage, deadline).await? {
        let kept: Kept = serde_json::from_value(kept).unwrap_or_default();
        kept.stores(pages.is_some(), &mut stores);
    }
    Ok(stores)
}

/// What pages keep in the browser, of a storage state in Playwright's form.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kept {
    cookies: Vec<KeptItem>,
    origins: Vec<KeptOrigin>,
    databases: BTreeMap<String, Option<BTreeMap<String, Store>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct KeptOrigin {
    origin: String,
    local_storage: Vec<KeptItem>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct KeptItem {
    name: String,
    value: String,
    domain: String,
    http_only: bool,
}

impl Kept {
    /// Adds the stores of local storage and cookies. A suite's `own` pages have another port, and another name, in each
    /// episode: their stores go without.
    fn stores(self, own: bool, to: &mut BTreeMap<String, Store>) {
        let named = |store: &str, host: &str, whole: &str| match own && host.ends_with(".localhost") {
            true => store.to_owned(),
            false => format!("{store}/{whole}"),
        };
        let of_origin = |store: &str, origin: &str| {
            let host = Origin::of(origin).map(|origin| origin.host().to_owned());
            named(store, host.as_deref().unwrap_or_default(), origin)
        };
        for KeptOrigin { origin, local_storage } in self.origins {
            let store = to.entry(of_origin(STORAGE, &origin)).or_default();
            store.extend(local_storage.into_iter().map(|item| (item.name, typed(item.value))));
        }
        for (origin, databases) in self.databases {
            for (name, rows) in databases.into_iter().flatten() {
                let store = to.entry(of_origin(INDEXED_DB, &origin)).or_default();
                store.extend(rows.into_iter().map(|(key, value)| (format!("{name}/{key}"), value)));
            }
        }
        // What scripts cannot read is a session of its server, which may give it another value with each request.
        for cookie in self.cookies.into_iter().filter(|cookie| !cookie.http_only) {
            let store = to.entry(named(COOKIES, &cookie.domain, &cookie.domain)).or_default();
            store.insert(cookie.name, typed(cookie.value));
        }
    }
}

/// A text, or what it holds where that is an object or a list in JSON: the order of its keys says nothing.
fn typed(text: String) -> Value {
    match serde_json::from_str(&text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
        _ => text.into(),
    }
}

/// Every value of a tree that holds no others, by its JSON pointer. An empty list or object is as good as none.
fn leaves(value: &Value, at: &mut String, out: &mut Store) {
    let mut below = |key: &str, value: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        leaves(value, at, out);
        at.truncate(length);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| below(key, value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, value)| below(&n.to_string(), value));
        }
        leaf => drop(out.insert(at.clone(), leaf.clone())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_pages_keep_is_stores_by_origin_and_a_tree_its_leaves() {
        let kept = json!({
            "cookies": [{ "name": "theme", "value": "dark", "domain": "e1.localhost", "httpOnly": false },
                { "name": "sid", "value": "1", "domain": "e1.localhost", "httpOnly": true }],
            "origins": [{ "origin": "http://e1.localhost:4711", "localStorage": [{ "name": "todo", "value": "[1]" }] },
                { "origin": "https://a.example", "localStorage": [{ "name": "n", "value": "1" }] }],
            "databases": { "http://e1.localhost:4711": { "notes/all": { "1": { "title": "T" } } }, "https://a.example": null },
        });
        let mut out = BTreeMap::new();
        serde_json::from_value::<Kept>(kept).unwrap().stores(true, &mut out);
        let all: Vec<(&str, String)> =
            out.iter().map(|(name, store)| (name.as_str(), json!(store).to_string())).collect();
        let wanted = [
            ("cookies", r#"{"theme":"dark"}"#),
            ("indexed-db", r#"{"notes/all/1":{"title":"T"}}"#),
            ("storage", r#"{"todo":[1]}"#),
            ("storage/https://a.example", r#"{"n":"1"}"#),
        ];
        assert_eq!(all, wanted.map(|(name, store)| (name, store.to_owned())));
        let mut out = Store::new();
        leaves(&json!({ "a": [1, { "b/c": null }], "d": {}, "e": [] }), &mut String::new(), &mut out);
        let all: Vec<(&str, &Value)> = out.iter().map(|(key, value)| (key.as_str(), value)).collect();
        assert_eq!(all, [("/a/0", &json!(1)), ("/a/1/b~1c", &Value::Null)]);
    }
}
