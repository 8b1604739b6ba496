//! What is durable of a web task: the state that its pages keep on their server, and what was downloaded.

use std::collections::BTreeMap;

use serde_json::Value;
use waldo_devices::foreign;
use waldo_devices::{Deadline, Device, DeviceError, StateProbe, StateValue};

use super::{DOWNLOADS, PAGE_STATE, Store, fingerprint};

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
    Ok([(PAGE_STATE.to_owned(), state), (DOWNLOADS.to_owned(), downloads)].into())
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
    fn a_tree_is_its_leaves_by_pointer() {
        let mut out = Store::new();
        leaves(&json!({ "a": [1, { "b/c": null }], "d": {}, "e": [] }), &mut String::new(), &mut out);
        let all: Vec<(&str, &Value)> = out.iter().map(|(key, value)| (key.as_str(), value)).collect();
        assert_eq!(all, [("/a/0", &json!(1)), ("/a/1/b~1c", &Value::Null)]);
    }
}
