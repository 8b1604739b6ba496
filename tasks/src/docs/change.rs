//! What differs between two stores.

use std::collections::BTreeSet;

use serde::Serialize;
use waldo_agents::appagent::Slot;

use super::DocsStore;

/// A text that differs between two stores, by the merge rule of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    pub key: String,
    pub slot: Slot,
    /// The text in the first; empty when it has none.
    pub before: String,
    pub after: String,
}

/// Every text that differs, by key and slot.
pub fn compare(before: &DocsStore, after: &DocsStore) -> Vec<Changed> {
    let keys: BTreeSet<&str> = before.elements().chain(after.elements()).map(|e| e.key.as_str()).collect();
    let text = |store: &DocsStore, key: &str, slot: Slot| {
        store.element(key).and_then(|e| e.layers.get(slot)).map(|(_, t)| t.to_owned()).unwrap_or_default()
    };
    let mut out = Vec::new();
    for key in keys {
        for slot in Slot::ALL {
            let (a, b) = (text(before, key, slot), text(after, key, slot));
            if a != b {
                out.push(Changed { key: key.to_owned(), slot, before: a, after: b });
            }
        }
    }
    out
}
