//! Checks of the whole state: what changed between the start and the end, and which rows there are.
//!
//! Invariant: columns and values are compared typed and whole, never as parts of a text.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use super::check_file::{ChangeCheck, RowsCheck};
use super::condition::{Condition, equal, glob_regex, includes, whole};
use super::problem::Problem;
use crate::state::{DeviceState, Difference};

/// Entries of a store that have to have changed in one way.
#[derive(Clone, Debug)]
pub(super) struct Change {
    store: String,
    key: Option<Regex>,
    kind: ChangeKind,
    count: u64,
}

#[derive(Clone, Debug)]
enum ChangeKind {
    Added(Value),
    Removed(Value),
    Altered {
        from: Option<Value>,
        to: Value,
    },
    /// Added, altered or removed, with conditions on the value in the end.
    Became(Vec<Condition>),
}

#[derive(Clone, Debug)]
pub(super) struct Rows {
    store: String,
    filter: Value,
    wanted: WantedRows,
}

#[derive(Clone, Debug)]
enum WantedRows {
    Exactly(Vec<Value>),
    Count(u64),
}

/// Whether a value that was found is what is wanted: a row has the columns that are named, anything else is equal.
fn fits(found: &Value, wanted: &Value) -> bool {
    if wanted.is_object() { found.is_object() && includes(found, wanted) } else { equal(found, wanted) }
}

impl Change {
    pub fn read(file: ChangeCheck, conditions: Vec<Condition>) -> Result<(String, Self), Problem> {
        let ChangeCheck { store, key, added, removed, altered, from, count } = file;
        if from.is_some() && altered.is_none() {
            return Err(Problem::new("from", "goes with 'altered'"));
        }
        let words = |value: &Value| match value {
            Value::Object(columns) if columns.is_empty() => String::new(),
            value => format!(" {value}"),
        };
        let (what, kind) = match (added, removed, altered) {
            (None, None, None) if !conditions.is_empty() => {
                let told: Vec<String> = conditions.iter().map(Condition::describe).collect();
                (format!("changed and {}", told.join(" and ")), ChangeKind::Became(conditions))
            }
            _ if !conditions.is_empty() => {
                return Err(Problem::new("", "conditions go without 'added', 'removed' and 'altered'"));
            }
            (Some(row), None, None) => (format!("added{}", words(&row)), ChangeKind::Added(row)),
            (None, Some(row), None) => (format!("removed{}", words(&row)), ChangeKind::Removed(row)),
            (None, None, Some(to)) => {
                let was = from.as_ref().map(|from| format!(" from{}", words(from))).unwrap_or_default();
                (format!("altered{was} to{}", words(&to)), ChangeKind::Altered { from, to })
            }
            _ => {
                return Err(Problem::new(
                    "",
                    "a change is one of 'added', 'removed' and 'altered', or has a condition",
                ));
            }
        };
        let count = count.as_ref().map_or(Ok(1), |count| whole("count", count))?;
        let entry = key.as_deref().map(|key| format!(" {key}")).unwrap_or_default();
        let key = key.as_deref().map(glob_regex).transpose().map_err(|problem| problem.below("key"))?;
        let times = if count == 1 { String::new() } else { format!(", exactly {count} times") };
        let words = format!("{store}{entry} {what}{times}");
        Ok((words, Self { store, key, kind, count }))
    }

    pub fn explains(&self, difference: &Difference) -> bool {
        let Difference { store, key, before, after } = difference;
        *store == self.store
            && self.key.as_ref().is_none_or(|wanted| wanted.is_match(key))
            && match (&self.kind, before, after) {
                (ChangeKind::Added(row), None, Some(after)) => fits(after, row),
                (ChangeKind::Removed(row), Some(before), None) => fits(before, row),
                (ChangeKind::Altered { from, to }, Some(before), Some(after)) => {
                    from.as_ref().is_none_or(|from| fits(before, from)) && altered(before, after, to)
                }
                (ChangeKind::Became(conditions), _, after) => {
                    conditions.iter().all(|condition| condition.holds(after.as_ref()))
                }
                (ChangeKind::Added(_) | ChangeKind::Removed(_) | ChangeKind::Altered { .. }, _, _) => false,
            }
    }

    pub fn judge(&self, differences: &[Difference]) -> (bool, String) {
        let found: Vec<&Difference> = differences.iter().filter(|one| self.explains(one)).collect();
        let passed = u64::try_from(found.len()).is_ok_and(|n| n == self.count);
        // Where it is not as it should be, whatever else changed in that store says why.
        let near = differences.iter().filter(|one| one.store == self.store);
        let told: Vec<String> = match passed {
            true => found.into_iter().map(ToString::to_string).collect(),
            false => near.map(ToString::to_string).collect(),
        };
        (passed, if told.is_empty() { "no change".to_owned() } else { told.join("; ") })
    }
}

/// Whether `after` is as wanted, and of a row nothing differs but what is named.
fn altered(before: &Value, after: &Value, to: &Value) -> bool {
    let (Value::Object(old), Value::Object(new), Value::Object(wanted)) = (before, after, to) else {
        return equal(after, to);
    };
    let named = |column: &String| wanted.contains_key(column);
    includes(after, to)
        && new.iter().all(|(column, value)| named(column) || old.get(column) == Some(value))
        && old.keys().all(|column| named(column) || new.contains_key(column))
}

impl Rows {
    pub fn read(file: RowsCheck) -> Result<(String, Self), Problem> {
        let RowsCheck { store, filter, rows, count } = file;
        let filter = Value::Object(filter);
        let (what, wanted) = match (rows, count) {
            (Some(rows), None) => {
                let listed: Vec<String> = rows.iter().map(Value::to_string).collect();
                (format!("has exactly {}", listed.join(", ")), WantedRows::Exactly(rows))
            }
            (None, Some(count)) => {
                let count = whole("count", &count)?;
                (format!("has {count}"), WantedRows::Count(count))
            }
            _ => return Err(Problem::new("", "a check of rows has one of 'rows' and 'count'")),
        };
        let among = if filter == serde_json::json!({}) { String::new() } else { format!(" where {filter}") };
        Ok((format!("{store}{among} {what}"), Self { store, filter, wanted }))
    }

    pub fn judge(&self, state: &DeviceState) -> (bool, String) {
        let rows = state.0.get(&self.store).into_iter().flat_map(BTreeMap::values);
        let mut found: Vec<&Value> = rows.filter(|row| fits(row, &self.filter)).collect();
        let told: Vec<String> = found.iter().map(|row| row.to_string()).collect();
        let passed = match &self.wanted {
            WantedRows::Count(count) => u64::try_from(found.len()).is_ok_and(|n| n == *count),
            WantedRows::Exactly(rows) => {
                found.len() == rows.len()
                    && rows.iter().all(|wanted| {
                        let at = found.iter().position(|row| fits(row, wanted));
                        at.map(|at| found.swap_remove(at)).is_some()
                    })
            }
        };
        (passed, if told.is_empty() { "no such row".to_owned() } else { told.join("; ") })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::state::tests::{differs, state};

    fn change(table: Value) -> Change {
        Change::read(serde_json::from_value(table).unwrap(), Vec::new())
            .unwrap_or_else(|bad| panic!("{bad:?}"))
            .1
    }

    #[test]
    fn rows_and_columns_are_compared_whole_and_typed() {
        let added = |data: Value| differs(json!({ "rows": {} }), json!({ "rows": { "7": { "n": data } } }));
        let wanted = change(json!({ "in": "rows", "added": { "n": "555-01" } }));
        assert!(wanted.judge(&added(json!("555-01"))).0);
        for wrong in [json!("555-0199"), json!("1555-01"), json!(["555-01"]), Value::Null] {
            assert!(!wanted.judge(&added(wrong.clone())).0, "{wrong}");
        }
        let before = json!({ "rows": { "1": { "a": 1, "b": 2 }, "2": { "a": 1, "b": 2 } } });
        let wanted = change(json!({ "in": "rows", "altered": { "a": 5 }, "from": { "b": 2 } }));
        let after = |one: Value, two: Value| json!({ "rows": { "1": one, "2": two } });
        let same = json!({ "a": 1, "b": 2 });
        for (passed, one, two) in [
            (true, json!({ "a": 5, "b": 2 }), same.clone()),
            (false, json!({ "a": 5, "b": 3 }), same.clone()),
            (false, json!({ "a": 5, "b": 2, "c": 1 }), same.clone()),
            (false, json!({ "a": 5 }), same.clone()),
            (false, json!({ "a": 5, "b": 2 }), json!({ "a": 5, "b": 2 })),
            (false, same.clone(), same),
        ] {
            let found = differs(before.clone(), after(one.clone(), two));
            assert_eq!(wanted.judge(&found).0, passed, "{one}");
        }
        let state = state(
            json!({ "rows": { "1": { "a": 1, "n": "x" }, "2": { "a": 1, "n": "y" }, "3": { "a": 2 } } }),
        );
        let judge = |table: Value| {
            let (_, rows) =
                Rows::read(serde_json::from_value(table).unwrap()).unwrap_or_else(|bad| panic!("{bad:?}"));
            rows.judge(&state).0
        };
        let rows = |wanted: Value| json!({ "in": "rows", "where": { "a": 1 }, "rows": wanted });
        assert!(judge(rows(json!([{ "n": "y" }, { "n": "x" }]))));
        assert!(!judge(rows(json!([{ "n": "y" }]))));
        assert!(!judge(rows(json!([{ "n": "y" }, { "n": "y" }]))));
        assert!(judge(json!({ "in": "rows", "count": 3 })));
        assert!(judge(json!({ "in": "none", "count": 0 })));
    }
}
