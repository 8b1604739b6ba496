//! Checks of the whole state: what changed between the start and the end, which rows there are, and that nothing else
//! changed.
//!
//! Invariants: columns and values are compared typed and whole, never as parts of a text. A difference that no check
//! explains, that the task does not allow beside them, fails.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use super::check::{Check, Test};
use super::check_file::{ChangeCheck, RowsCheck};
use super::condition::{Condition, equal, glob_regex, includes, whole};
use super::desktop::OnDesktop;
use super::problem::{Problem, join};
use crate::record::CheckResult;
use crate::state::{DCONF, DOCUMENT, DOWNLOADS, DeviceState, Difference, FILES, PAGE_STATE, SHEET, WINDOWS};

/// Differences that are named where something else changed.
const NAMED: usize = 20;

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

/// Rows that a store has to have in the end.
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

/// What a task may change beside what it asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct MayChange(BTreeMap<String, Vec<Regex>>);

impl PartialEq for MayChange {
    fn eq(&self, other: &Self) -> bool {
        let texts = |all: &Self| -> Vec<(String, Vec<String>)> {
            let keys = |keys: &Vec<Regex>| keys.iter().map(|key| key.as_str().to_owned()).collect();
            all.0.iter().map(|(store, globs)| (store.clone(), keys(globs))).collect()
        };
        texts(self) == texts(other)
    }
}

impl MayChange {
    /// A `[may_change]`: stores, each with globs of keys.
    pub fn read(table: &serde_json::Map<String, Value>) -> Result<Self, Problem> {
        let mut stores = BTreeMap::new();
        for (store, keys) in table {
            let path = join("may_change", store);
            let keys: Vec<String> = super::problem::read(keys).map_err(|problem| problem.below(&path))?;
            let globs = keys.iter().map(|key| glob_regex(key)).collect::<Result<_, _>>();
            stores.insert(store.clone(), globs.map_err(|problem| problem.below(&path))?);
        }
        Ok(Self(stores))
    }

    fn allows(&self, difference: &Difference) -> bool {
        let keys = self.0.get(&difference.store);
        keys.is_some_and(|keys| keys.iter().any(|key| key.is_match(&difference.key)))
    }
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

    fn explains(&self, difference: &Difference) -> bool {
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

impl Check {
    /// Whether it looks at the whole state, which has to be read for it.
    pub(super) fn wants_state(&self) -> bool {
        matches!(self.test, Test::Change(_) | Test::Rows(_))
    }

    /// Whether it says what this difference should be, so that nobody else has to.
    fn explains(&self, difference: &Difference) -> bool {
        let Difference { store, key, .. } = difference;
        match &self.test {
            Test::Change(change) => change.explains(difference),
            Test::State { pointer, .. } => store == PAGE_STATE && touches(key, pointer),
            Test::File { name, .. } => store == DOWNLOADS && name.is_match(key),
            Test::Desktop(OnDesktop::File { path, .. }) => store == FILES && key == path,
            Test::Desktop(OnDesktop::Setting { schema, key: name, .. }) => {
                store == DCONF && key.split_once(' ') == Some((schema, name))
            }
            Test::Desktop(OnDesktop::Sheet { path, sheet, cell, .. }) => {
                let (on, at) = key.split_once('!').unwrap_or_default();
                store.strip_prefix(SHEET) == Some(path)
                    && sheet.as_ref().is_none_or(|sheet| sheet == on)
                    && cell.as_ref().is_none_or(|cell| cell == at)
            }
            Test::Desktop(OnDesktop::Document { path, pointer, .. }) => {
                let paragraph = pointer.as_deref().and_then(|pointer| pointer.split('/').nth(1));
                store.strip_prefix(DOCUMENT) == Some(path) && paragraph.is_none_or(|number| number == key)
            }
            Test::Desktop(OnDesktop::Window { title, .. }) => {
                store == WINDOWS && title.as_ref().is_none_or(|title| title.is_match(key))
            }
            Test::Desktop(OnDesktop::Element { .. })
            | Test::Rows(_)
            | Test::Js { .. }
            | Test::Url(_)
            | Test::Text(_)
            | Test::Request { .. }
            | Test::Answer(_)
            | Test::Shell { .. }
            | Test::Foreground(_) => false,
        }
    }
}

/// Whether a leaf of the pages' state lies below a pointer, or the pointer below the leaf (an empty list that grew).
fn touches(leaf: &str, pointer: &str) -> bool {
    let below = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(leaf, pointer) || below(pointer, leaf)
}

/// The check that nothing changed but what the checks explain and what the task allows.
pub(super) fn nothing_else(checks: &[Check], may: &MayChange, differences: &[Difference]) -> CheckResult {
    let unexplained = |one: &&Difference| !may.allows(one) && !checks.iter().any(|check| check.explains(one));
    let left: Vec<&Difference> = differences.iter().filter(unexplained).collect();
    let mut told: Vec<String> = left.iter().take(NAMED).map(|one| one.to_string()).collect();
    if left.len() > NAMED {
        told.push(format!("and {} more", left.len() - NAMED));
    }
    CheckResult { what: "nothing else changed".to_owned(), passed: left.is_empty(), found: told.join("; ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::suite::check_file::CheckFile;

    fn check(table: Value) -> Check {
        let table = table.as_object().cloned().unwrap();
        CheckFile::read(table).and_then(Check::from_file).unwrap_or_else(|problem| panic!("{problem:?}"))
    }

    fn differs(before: Value, after: Value) -> Vec<Difference> {
        let state = |stores| DeviceState(serde_json::from_value(stores).unwrap());
        state(before).difference(&state(after))
    }

    fn passes(test: &Check, differences: &[Difference]) -> bool {
        match &test.test {
            Test::Change(change) => change.judge(differences).0,
            _ => panic!("not a change"),
        }
    }

    #[test]
    fn a_column_is_compared_whole_and_typed() {
        let added = |data: Value| differs(json!({ "rows": {} }), json!({ "rows": { "7": { "n": data } } }));
        let wanted = check(json!({ "kind": "change", "in": "rows", "added": { "n": "555-01" } }));
        assert!(passes(&wanted, &added(json!("555-01"))));
        for wrong in [json!("555-0199"), json!("1555-01"), json!(["555-01"]), Value::Null] {
            assert!(!passes(&wanted, &added(wrong.clone())), "{wrong}");
        }
    }

    #[test]
    fn an_altered_row_differs_in_what_is_named_alone() {
        let before = json!({ "rows": { "1": { "a": 1, "b": 2 }, "2": { "a": 1, "b": 2 } } });
        let wanted =
            check(json!({ "kind": "change", "in": "rows", "altered": { "a": 5 }, "from": { "b": 2 } }));
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
            assert_eq!(passes(&wanted, &found), passed, "{one}");
        }
    }

    #[test]
    fn what_no_check_explains_fails() {
        let found = differs(
            json!({ "state": { "/a": 1, "/list": [], "/z": 1 }, "files": { "x": "1" } }),
            json!({ "state": { "/a": 2, "/list/0": "n", "/z": 1 }, "files": { "x": "2" } }),
        );
        let state = |pointer: &str| check(json!({ "kind": "state", "pointer": pointer, "absent": false }));
        let may = |table: Value| MayChange::read(table.as_object().unwrap()).unwrap();
        let all = [state("/a"), state("/list")];
        let left = nothing_else(&all, &MayChange::default(), &found);
        assert!(!left.passed);
        assert_eq!(left.found, "files x: was \"1\" and is \"2\"");
        assert!(nothing_else(&all, &may(json!({ "files": ["x*"] })), &found).passed);
        assert!(!nothing_else(&all, &may(json!({ "files": ["y"] })), &found).passed);
        assert!(!nothing_else(&[state("/a")], &may(json!({ "files": ["*"] })), &found).passed);
        assert!(nothing_else(&[state("")], &may(json!({ "files": ["*"] })), &found).passed);
    }

    #[test]
    fn rows_are_exactly_those() {
        let state = DeviceState(
            serde_json::from_value(
                json!({ "rows": { "1": { "a": 1, "n": "x" }, "2": { "a": 1, "n": "y" }, "3": { "a": 2 } } }),
            )
            .unwrap(),
        );
        let judge = |table: Value| match &check(table).test {
            Test::Rows(rows) => rows.judge(&state).0,
            _ => panic!("not rows"),
        };
        let rows =
            |wanted: Value| json!({ "kind": "rows", "in": "rows", "where": { "a": 1 }, "rows": wanted });
        assert!(judge(rows(json!([{ "n": "y" }, { "n": "x" }]))));
        assert!(!judge(rows(json!([{ "n": "y" }]))));
        assert!(!judge(rows(json!([{ "n": "y" }, { "n": "y" }]))));
        assert!(judge(json!({ "kind": "rows", "in": "rows", "count": 3 })));
        assert!(judge(json!({ "kind": "rows", "in": "none", "count": 0 })));
    }
}
