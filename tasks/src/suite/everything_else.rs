//! That nothing changed but what a task asks for.
//!
//! Invariant: a difference that no check explains, and that the task does not allow beside them, fails.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use super::check::{Check, Test};
use super::condition::glob_regex;
use super::desktop::OnDesktop;
use super::problem::{Problem, join};
use crate::record::CheckResult;
use crate::state::{DCONF, DOCUMENT, DOWNLOADS, Difference, FILES, PAGE_STATE, SHEET, WINDOWS};

/// Differences that are named where something else changed.
const NAMED: usize = 20;

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

    /// Allows places of the pages' state, too: those that the task's own events set.
    pub fn with_places<'a>(mut self, pointers: impl Iterator<Item = &'a str>) -> Self {
        for pointer in pointers {
            let below = Regex::new(&format!("^{}(/.*)?$", regex::escape(pointer)));
            self.0.entry(PAGE_STATE.to_owned()).or_default().extend(below);
        }
        self
    }

    fn allows(&self, difference: &Difference) -> bool {
        let keys = self.0.get(&difference.store);
        keys.is_some_and(|keys| keys.iter().any(|key| key.is_match(&difference.key)))
    }
}

impl Check {
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
            | Test::Url
            | Test::Text
            | Test::Request { .. }
            | Test::Answer(_)
            | Test::Shell { .. }
            | Test::Foreground => false,
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
    CheckResult::new("nothing else changed", left.is_empty(), told.join("; "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::state::tests::differs;
    use crate::suite::check_file::CheckFile;

    fn check(table: Value) -> Check {
        let table = table.as_object().cloned().unwrap();
        CheckFile::read(table).and_then(Check::from_file).unwrap_or_else(|problem| panic!("{problem:?}"))
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
}
