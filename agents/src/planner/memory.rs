//! What a planner keeps for later.
//!
//! The memory is a function of the episode's accepted steps: it begins empty and is changed by their
//! operations alone. It is capped: at most [`MAX_ENTRIES`] entries and [`MAX_CHARS`] characters as the
//! planner is shown them, a key at most [`MAX_KEY_CHARS`], a value at most [`MAX_VALUE_CHARS`]. What is longer
//! is cut; where an entry does not fit, those that were not stored again for longest are dropped. The planner
//! is told which keys were cut and which were dropped.

use serde_json::{Map, Value, json};

use super::params::{Params, kind};
use crate::plan_record::{InfoType, MemoryOp};

pub(crate) const MAX_ENTRIES: usize = 40;
/// Characters of all entries as indented JSON, at the most.
pub(crate) const MAX_CHARS: usize = 12_000;
/// Characters of one value as indented JSON, at the most.
pub(crate) const MAX_VALUE_CHARS: usize = 4_000;
pub(crate) const MAX_KEY_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 300;

/// How a value ends that was cut.
const CUT: &str = "… (cut)";

#[derive(Clone, Debug, PartialEq)]
struct MemoryEntry {
    key: String,
    info_type: InfoType,
    value: Value,
    description: String,
}

impl MemoryEntry {
    fn json(&self) -> Value {
        json!({ "value": self.value, "description": self.description, "info_type": self.info_type })
    }
}

/// Characters of a value as indented JSON, `depth` levels within another.
fn shown(value: &Value, depth: usize) -> usize {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.chars().count() + text.lines().count() * 2 * depth
}

/// What came of operations beside what they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    pub dropped: Vec<String>,
    /// Keys that were too long, as they are now.
    pub cut: Vec<String>,
}

/// A memory, the entry stored longest ago first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory(Vec<MemoryEntry>);

impl Memory {
    /// Carries out operations in order, and says which keys were cut, and dropped to make room.
    pub fn apply(&mut self, ops: &[MemoryOp]) -> Applied {
        let mut applied = Applied::default();
        for op in ops {
            match op {
                MemoryOp::NoOp => {}
                MemoryOp::DeleteInfo { key, .. } => {
                    let key = begin(key, MAX_KEY_CHARS);
                    self.0.retain(|entry| entry.key != key);
                }
                MemoryOp::StoreInfo { key, info_type, value, description } => {
                    let kept = begin(key, MAX_KEY_CHARS);
                    if kept != *key {
                        applied.cut.push(kept.clone());
                    }
                    self.0.retain(|entry| entry.key != kept);
                    self.0.push(MemoryEntry {
                        key: kept,
                        info_type: *info_type,
                        value: cut(value),
                        description: begin(description, MAX_DESCRIPTION_CHARS),
                    });
                    while self.0.len() > 1 && (self.0.len() > MAX_ENTRIES || self.chars() > MAX_CHARS) {
                        applied.dropped.push(self.0.remove(0).key);
                    }
                }
            }
        }
        applied
    }

    fn chars(&self) -> usize {
        self.text().chars().count()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// All of it: `{"data": {key: {value, description, info_type}}}`.
    pub fn json(&self) -> Value {
        let data: Map<String, Value> = self.0.iter().map(|e| (e.key.clone(), e.json())).collect();
        json!({ "data": data })
    }

    /// The same as indented text; empty when nothing is stored.
    pub fn text(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        serde_json::to_string_pretty(&self.json()).unwrap_or_default()
    }
}

/// As much of the beginning of a text as is no longer than `most` characters as JSON.
fn begin(text: &str, most: usize) -> String {
    let mut left = most;
    let fits = |c: &char| {
        let wide = serde_json::to_string(c).map_or(1, |c| c.chars().count().saturating_sub(2));
        left.checked_sub(wide).map(|now| left = now).is_some()
    };
    text.chars().take_while(fits).collect()
}

/// A value that is not too long: a longer one becomes the beginning of its text.
fn cut(value: &Value) -> Value {
    // It stands three levels deep.
    if shown(value, 3) <= MAX_VALUE_CHARS {
        return value.clone();
    }
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    Value::String(begin(&text, MAX_VALUE_CHARS - CUT.chars().count() - 2) + CUT)
}

/// Reads the operations of a reply: a list, a text that holds one, a single operation, or null for none.
pub(crate) fn ops(value: &Value, repairs: &mut Vec<String>) -> Result<Vec<MemoryOp>, String> {
    let mut mended = |mend: &str| repairs.push(mend.to_owned());
    match value {
        Value::Null => {
            mended("update_memory is null");
            Ok(Vec::new())
        }
        Value::String(text) if text.trim().is_empty() || text.trim().eq_ignore_ascii_case("none") => {
            mended("update_memory as a text");
            Ok(Vec::new())
        }
        Value::String(text) => {
            let inner: Value = serde_json::from_str(text)
                .map_err(|_| format!("update_memory must be a list of operations, not {}", kind(value)))?;
            mended("update_memory as a text");
            if inner.is_string() {
                return Err("update_memory must be a list of operations, not a text".to_owned());
            }
            ops(&inner, repairs)
        }
        Value::Object(one) if one.is_empty() => {
            mended("update_memory as an object");
            Ok(Vec::new())
        }
        Value::Object(_) => {
            mended("update_memory as an object");
            op(value, 0).map(|op| vec![op])
        }
        Value::Array(all) => all.iter().enumerate().map(|(i, one)| op(one, i)).collect(),
        other => Err(format!("update_memory must be a list of operations, not {}", kind(other))),
    }
}

fn op(value: &Value, at: usize) -> Result<MemoryOp, String> {
    let place = format!("update_memory[{at}]");
    let Value::Object(map) = value else {
        return Err(format!("{place} must be an object, not {}", kind(value)));
    };
    let mut map = map.clone();
    let written = match map.shift_remove("type") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(word)) => word,
        Some(other) => return Err(format!("type of {place} must be a text, not {}", kind(&other))),
    };
    // What has a value is stored, whatever it is called.
    let stores = map.contains_key("value") || map.contains_key("info_type");
    let bare: String =
        written.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let mut p = Params::new(&place, map);
    match bare.as_str() {
        _ if stores => {}
        "storeinfo" | "store" => {}
        "deleteinfo" | "delete" | "remove" => {
            let key = p.words("key", &["name"])?;
            return Ok(MemoryOp::DeleteInfo {
                key,
                description: p.text_if_any("description", &["reason"])?.unwrap_or_default(),
            });
        }
        "noop" | "none" => return Ok(MemoryOp::NoOp),
        _ => {
            let shown: String = written.chars().take(40).collect();
            return Err(format!("{place} has the type '{shown}': use store_info or delete_info"));
        }
    }
    let key = p.words("key", &["name"])?;
    let info_type = match p.text_if_any("info_type", &[])?.as_deref() {
        None | Some("data_update" | "") => InfoType::DataUpdate,
        Some("queue_elements") => InfoType::QueueElements,
        Some(other) => {
            let shown: String = other.chars().take(40).collect();
            return Err(format!("info_type of {place} is '{shown}': use data_update or queue_elements"));
        }
    };
    let value = p.value("value", &["data"]).ok_or_else(|| p.missing("value"))?;
    let description = p.text_if_any("description", &[])?.unwrap_or_default();
    Ok(MemoryOp::StoreInfo { key, info_type, value, description })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(value: Value) -> Result<Vec<MemoryOp>, String> {
        ops(&value, &mut Vec::new())
    }

    fn store(key: &str, value: &str) -> MemoryOp {
        MemoryOp::StoreInfo {
            key: key.into(),
            info_type: InfoType::DataUpdate,
            value: value.into(),
            description: String::new(),
        }
    }

    #[test]
    fn operations_on_keys_are_read_as_upstream_reads_them() {
        assert_eq!(read(Value::Null).unwrap(), []);
        assert_eq!(read(json!([])).unwrap(), []);
        assert_eq!(read(json!("[{\"key\": \"a\", \"value\": \"b\"}]")).unwrap(), [store("a", "b")]);
        // Whatever has a value is stored.
        assert_eq!(read(json!([{"type": "note", "key": "a", "value": "b"}])).unwrap(), [store("a", "b")]);
        assert_eq!(read(json!({"type": "no_op"})).unwrap(), [MemoryOp::NoOp]);
        let gone = MemoryOp::DeleteInfo { key: "a".into(), description: String::new() };
        assert_eq!(read(json!([{"type": "delete_info", "key": "a"}])).unwrap(), [gone]);
        let mut memory = Memory::default();
        memory.apply(&[store("a", "1"), store("a", "2")]);
        assert_eq!(memory.get("a"), Some(&json!("2")));
        memory.apply(&[MemoryOp::DeleteInfo { key: "b".into(), description: String::new() }]);
        assert_eq!(
            memory.json(),
            json!({"data": {"a": {"value": "2", "description": "", "info_type": "data_update"}}})
        );
        let (mut memory, key) = (Memory::default(), "k".repeat(20_000));
        let applied = memory.apply(&[store(&key, "1"), store(&key, "2")]);
        assert_eq!(applied.cut, ["k".repeat(MAX_KEY_CHARS), "k".repeat(MAX_KEY_CHARS)]);
        assert_eq!(memory.get(&applied.cut[0]), Some(&json!("2")));
        memory.apply(&[MemoryOp::DeleteInfo { key, description: String::new() }]);
        assert!(memory.is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (value, want) in [
            (json!(5), "must be a list"),
            (json!([1]), "update_memory[0] must be an object"),
            (json!([{"type": "store_info", "value": 1}]), "update_memory[0] needs the parameter key"),
            (json!([{"type": "store_info", "key": "a", "info_type": "data_update"}]), "parameter value"),
            (json!([{"type": "forget_all"}]), "'forget_all'"),
            (json!([{"key": "a", "value": 1, "info_type": "x"}]), "data_update or queue_elements"),
            (json!("remember the milk"), "must be a list"),
        ] {
            let error = read(value.clone()).unwrap_err();
            assert!(error.contains(want), "{value}: {error}");
        }
    }

    #[test]
    fn fifty_items_leave_the_latest_forty_and_a_long_value_is_cut() {
        let ops: Vec<MemoryOp> = (0..50).map(|n| store(&format!("k{n}"), "v")).collect();
        let mut memory = Memory::default();
        let dropped = memory.apply(&ops);
        assert_eq!(dropped.dropped.len(), 10);
        assert_eq!((memory.get("k9"), memory.get("k10").is_some()), (None, true));
        memory.apply(&[store("long", &"x".repeat(100_000))]);
        let long = memory.get("long").and_then(Value::as_str).unwrap();
        assert!(long.chars().count() < MAX_VALUE_CHARS + 20 && long.ends_with("(cut)"));
        for n in 0..5 {
            memory.apply(&[store(&format!("long{n}"), &"é".repeat(MAX_VALUE_CHARS))]);
        }
        assert!(memory.text().chars().count() <= MAX_CHARS);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![".{0,40}", "[\"\\\\\u{0}-\u{1f}é]{0,3000}", "x{0,9000}"];
        let leaf =
            prop_oneof![Just(Value::Null), any::<i64>().prop_map(Value::from), text.prop_map(Value::from)];
        leaf.prop_recursive(5, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::hash_map(".{0,8}", inner, 0..8)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn the_cap_holds_whatever_is_stored(
            all in proptest::collection::vec(
                ("[a-c\"\u{1}é]{1,3}|k{0,3000}", any_value(), "[\"\u{2}z]{0,900}"),
                1..50,
            )
        ) {
            let mut memory = Memory::default();
            for (key, value, description) in all {
                let op = MemoryOp::StoreInfo { key, info_type: InfoType::QueueElements, value, description };
                memory.apply(std::slice::from_ref(&op));
                prop_assert!(!memory.is_empty());
                prop_assert!(memory.0.len() <= MAX_ENTRIES);
                prop_assert!(memory.text().chars().count() <= MAX_CHARS, "{}", memory.text().chars().count());
            }
        }
    }
}
