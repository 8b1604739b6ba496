//! Members of JSON objects that are there only where there is something to tell.

use serde::Serialize;
use serde_json::{Map, Value, json};

pub trait JsonMembers {
    fn put(&mut self, name: &str, value: Value);

    /// Sets a member, unless its value is null.
    fn put_some(&mut self, name: &str, value: impl Serialize) {
        let value = json!(value);
        if !value.is_null() {
            self.put(name, value);
        }
    }

    /// Sets a member, unless its value is null, false, or an empty text, list or object.
    fn put_filled(&mut self, name: &str, value: impl Serialize) {
        let value = json!(value);
        if ![Value::Null, json!(false), json!(""), json!([]), json!({})].contains(&value) {
            self.put(name, value);
        }
    }
}

impl JsonMembers for Map<String, Value> {
    fn put(&mut self, name: &str, value: Value) {
        self.insert(name.to_owned(), value);
    }
}

impl JsonMembers for Value {
    fn put(&mut self, name: &str, value: Value) {
        self[name] = value;
    }
}
