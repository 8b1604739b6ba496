//! Contestants that a configuration defines: `[contestant.NAME]`.
//!
//! Duty: read the definitions, judge each field by the parser of the flag of `waldo eval` that has its name, and join
//! those of several files. Which flags they stand in for is decided by `waldo eval` alone.
//!
//! Invariants: the nearer file wins, field by field; a definition names the variable of a key, never the key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use serde_json::Value;
use waldo_tasks::suite::problem::{Problem, suggest};

use super::sections::{ConfigKey, keys};
use super::values::{self, ValueMeaning};
use super::{FileRole, without_keys};

pub const SECTION: &str = "contestant";
/// The command whose flags their fields are.
const COMMAND: &str = "eval";
/// The field that every contestant has, beside those of other sections.
const AGENT: &str = "agent";
const NAME_CHARS: usize = 60;

/// The flags that a definition may give a value of its own.
pub(super) fn fields(root: &Command) -> Vec<Arg> {
    let agent =
        root.find_subcommand(COMMAND).and_then(|eval| eval.get_arguments().find(|arg| name(arg) == AGENT));
    let shared = keys(root).into_iter().filter(ConfigKey::is_of_rows).map(|key| key.arg);
    agent.cloned().into_iter().chain(shared).collect()
}

pub(super) fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or_default()
}

/// Whether a definition gives a list of it: a row has one agent.
fn is_list(arg: &Arg) -> bool {
    name(arg) != AGENT && values::is_list(arg)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// Its value, as it would stand on the command line.
    pub value: String,
    pub from: (FileRole, PathBuf),
    meaning: ValueMeaning,
}

impl Field {
    /// The value as it may be shown: an address without what may be a key.
    pub fn shown(&self) -> String {
        let is_address = self.meaning == ValueMeaning::Address;
        if is_address { without_keys(&self.value) } else { self.value.clone() }
    }

    pub fn names_a_key(&self) -> bool {
        self.meaning == ValueMeaning::KeyVariable
    }
}

pub type Definition = Vec<Field>;

pub type Contestants = BTreeMap<String, Definition>;

/// Joins the definitions of a file with those of files before it.
pub(super) fn join(
    all: &mut Contestants,
    (role, path): (FileRole, &Path),
    tables: &serde_json::Map<String, Value>,
    root: &Command,
) -> Result<(), Problem> {
    let flags = fields(root);
    for (row, given) in tables {
        let at = format!("{SECTION}.{row}");
        if !is_name(row) {
            return Err(Problem::new(
                at,
                format!(
                    "'{row}' cannot name a row: use up to {NAME_CHARS} letters, digits, - _ . and +, a letter or digit first"
                ),
            ));
        }
        let given = values::table(&at, given)?;
        let definition = all.entry(row.clone()).or_default();
        for (field, value) in given {
            let wrong = |message: String| Problem::new(format!("{at}.{field}"), message);
            let flag = flags.iter().find(|arg| name(arg) == field);
            let flag = flag.ok_or_else(|| wrong(unknown(row, field, &flags, root)))?;
            let folder = path.parent().unwrap_or(Path::new(""));
            let value = values::read(flag, is_list(flag), value, folder).map_err(wrong)?.join(",");
            definition.retain(|known| known.name != *field);
            let meaning = values::meaning(flag);
            definition.push(Field { name: field.clone(), value, from: (role, path.to_owned()), meaning });
        }
    }
    Ok(())
}

fn unknown(row: &str, field: &str, flags: &[Arg], root: &Command) -> String {
    match keys(root).iter().find(|key| key.name() == field) {
        Some(key) => format!(
            "'{field}' stands in [{SECTION}.{row}], but applies to all rows of a table; move it under [{}]",
            key.section.name
        ),
        None => {
            let known: Vec<&str> = flags.iter().map(name).collect();
            format!("unknown field '{field}'; {}", suggest(field, &known))
        }
    }
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARS
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_a_folder() {
        for good in ["a", "gpt-x", "A.1+b_c", "9"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a b", "-a", "\u{e4}", &"x".repeat(61)] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
