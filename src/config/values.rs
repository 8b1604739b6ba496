//! Values of flags, as files and variables write them.
//!
//! Invariant: a flag's own parser is the only judge of a value, wherever the value was written.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command, ValueHint};
use serde_json::{Map, Value};
use waldo_devices::child;
use waldo_tasks::suite::problem::Problem;

use crate::numbers::NumberError;
use crate::profiles;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueForm {
    Switch,
    Whole,
    Decimal,
    Table,
    Text,
    Command,
}

/// What a text stands for, as its flag's declaration says by type, hint or name of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueMeaning {
    Plain,
    /// A path: in a file it is relative to the file's folder.
    Path,
    /// A profile: the name of one, or a folder, in a file relative to the file's folder.
    Profile,
    /// An address that may hold a password, which is never shown.
    Address,
    KeyVariable,
}

/// What a value of this flag has to be in a file; each of its values, where it takes a list.
pub fn form(arg: &Arg) -> ValueForm {
    let id = arg.get_value_parser().type_id();
    let is_one_of = |types: &[TypeId]| types.iter().any(|own| id == *own);
    if id == TypeId::of::<bool>() {
        ValueForm::Switch
    } else if is_one_of(&[TypeId::of::<f32>(), TypeId::of::<f64>()]) {
        ValueForm::Decimal
    } else if is_one_of(&[
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
    ]) {
        ValueForm::Whole
    } else if is_named(arg, "JSON") {
        ValueForm::Table
    } else if is_named(arg, "COMMAND") {
        ValueForm::Command
    } else {
        ValueForm::Text
    }
}

pub fn meaning(arg: &Arg) -> ValueMeaning {
    if arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
        return ValueMeaning::Path;
    }
    match arg.get_value_hint() {
        ValueHint::AnyPath => ValueMeaning::Profile,
        ValueHint::Url => ValueMeaning::Address,
        _ if is_named(arg, "VARIABLE") => ValueMeaning::KeyVariable,
        _ => ValueMeaning::Plain,
    }
}

pub fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

fn is_named(arg: &Arg, name: &str) -> bool {
    arg.get_value_names().is_some_and(|names| names.iter().any(|own| own.as_str() == name))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What a file in this folder gives for a flag, as it would stand on the command line.
pub fn read(arg: &Arg, is_list: bool, given: &Value, folder: &Path) -> Result<Vec<String>, String> {
    let mut values: Vec<String> = match given {
        _ if form(arg) == ValueForm::Command => vec![child::line(&command(given, folder))],
        Value::Array(list) if is_list => list.iter().map(plain).collect(),
        other => vec![plain(other)],
    };
    if let Some(message) = objection(arg, &values).or_else(|| misfit(form(arg), is_list, given)) {
        return Err(message);
    }
    for value in &mut values {
        let placed = match meaning(arg) {
            ValueMeaning::Path => Some(folder.join(&*value)),
            ValueMeaning::Profile => profiles::folder_in(folder, value),
            ValueMeaning::Plain | ValueMeaning::Address | ValueMeaning::KeyVariable => None,
        };
        if let Some(path) = placed {
            *value = path.to_string_lossy().into_owned();
        }
    }
    Ok(values)
}

/// The words of a command that a file in this folder gives; those that name files of the folder with their whole paths, since
/// the command runs elsewhere.
pub fn command(given: &Value, folder: &Path) -> Vec<String> {
    let words = match given {
        Value::Array(all) => all.iter().map(plain).collect(),
        other => child::words(&plain(other)),
    };
    let placed = |(at, word): (usize, String)| {
        // A bare name of a program is looked for on the path.
        let named = !word.is_empty() && (at > 0 || word.contains('/'));
        let path = folder.join(&word);
        if named && path.exists() { path.to_string_lossy().into_owned() } else { word }
    };
    words.into_iter().enumerate().map(placed).collect()
}

pub fn table<'v>(path: &str, given: &'v Value) -> Result<&'v Map<String, Value>, Problem> {
    let wrong = || Problem::new(path, format!("it has to be a table, written as [{path}], and is {given}"));
    given.as_object().ok_or_else(wrong)
}

fn misfit(form: ValueForm, is_list: bool, given: &Value) -> Option<String> {
    let (fits, wanted) = match (is_list, form) {
        (true, _) => match given {
            Value::Array(all) => return all.iter().find_map(|one| misfit(form, false, one)),
            _ => (false, "a list"),
        },
        (false, ValueForm::Switch) => (given.is_boolean(), "true or false"),
        (false, ValueForm::Whole) => (given.is_u64(), "a whole number from 0 on"),
        (false, ValueForm::Decimal) => (given.is_number(), "a number"),
        (false, ValueForm::Table) => (given.is_object(), "a table"),
        (false, ValueForm::Command) => {
            let words =
                given.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string));
            (given.is_string() || words, "a text in quotes, or a list of texts")
        }
        (false, ValueForm::Text) => (given.is_string(), "a text in quotes"),
    };
    let is = match given {
        Value::String(text) => format!("string {text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
        other => other.to_string(),
    };
    let is_quoted = given.as_str().is_some_and(|text| text.parse::<f64>().is_ok());
    let is_number = matches!(form, ValueForm::Whole | ValueForm::Decimal);
    let hint = if is_quoted && is_number { ": leave the quotes out" } else { "" };
    (!fits).then(|| format!("it has to be {wanted}, and is {is}{hint}"))
}

/// What the flag's own parser says against the values; `None` when it takes them.
pub fn objection(arg: &Arg, values: &[String]) -> Option<String> {
    let error = refusal(arg, values)?;
    if let Some(reason) = std::error::Error::source(&error) {
        return Some(match reason.downcast_ref::<NumberError>() {
            Some(reason) => format!("{reason}, not '{}'", values.join(",")),
            None => reason.to_string(),
        });
    }
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.trim().is_empty());
    let text = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    Some(text.trim_start_matches("error: ").to_owned())
}

/// The least and the most that a flag takes, where it takes whole numbers and says so.
pub fn bounds(arg: &Arg) -> Option<(u64, u64)> {
    let error = refusal(arg, &["no number".to_owned()])?;
    match std::error::Error::source(&error)?.downcast_ref::<NumberError>()? {
        NumberError::Whole { least, most } => Some((*least, *most)),
        NumberError::Decimal => None,
    }
}

fn refusal(arg: &Arg, values: &[String]) -> Option<clap::Error> {
    let long = arg.get_long()?;
    // Its values alone: what it needs or excludes of other flags is no matter of a value.
    let mut alone = Arg::new(long.to_owned())
        .long(long.to_owned())
        .value_parser(arg.get_value_parser().clone())
        .action(arg.get_action().clone())
        .value_delimiter(arg.get_value_delimiter());
    if let Some(names) = arg.get_value_names() {
        alone = alone.value_names(names.iter().cloned());
    }
    if let Some(count) = arg.get_num_args() {
        alone = alone.num_args(count);
    }
    let command = Command::new("configuration").no_binary_name(true).disable_help_flag(true).arg(alone);
    command.try_get_matches_from(values.iter().map(|value| format!("--{long}={value}"))).err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;
    use crate::config::sections::keys;

    fn arg(name: &str) -> Arg {
        keys(&cli::command()).into_iter().find(|key| key.name() == name).unwrap().arg
    }

    #[test]
    fn the_flags_parser_objects() {
        let says = |name: &str, value: &str| objection(&arg(name), &[value.to_owned()]);
        assert_eq!(says("viewport", "1280x800"), None);
        assert!(says("viewport", "big").unwrap().contains("1280x800"));
        assert_eq!(says("workers", "0").unwrap(), "takes a whole number from 1 to 256, not '0'");
        assert_eq!(says("workers", "abc").unwrap(), "takes a whole number from 1 to 256, not 'abc'");
        assert_eq!(says("max-tokens", "2.5").unwrap(), "takes a whole number from 1 on, not '2.5'");
        assert_eq!(says("seed", "-1").unwrap(), "takes a whole number from 0 on, not '-1'");
        assert_eq!(says("temperature", "hot").unwrap(), "takes a number, such as 0.5, not 'hot'");
        assert_eq!(says("headed", "true"), None);
        assert!(says("deny", "tapp").unwrap().contains("did you mean 'tap'?"));
    }

    #[test]
    fn a_declaration_says_what_a_value_is() {
        for (name, wanted) in [
            ("prices", ValueMeaning::Path),
            ("browser", ValueMeaning::Path),
            ("dir", ValueMeaning::Path),
            ("profile", ValueMeaning::Profile),
            ("grounder-profile", ValueMeaning::Profile),
            ("base-url", ValueMeaning::Address),
            ("grounder-base-url", ValueMeaning::Address),
            ("cdp", ValueMeaning::Address),
            ("api-key-env", ValueMeaning::KeyVariable),
            ("grounder-key-env", ValueMeaning::KeyVariable),
            ("model", ValueMeaning::Plain),
        ] {
            assert_eq!(meaning(&arg(name)), wanted, "{name}");
        }
        for (name, wanted) in [
            ("headed", ValueForm::Switch),
            ("model-concurrency", ValueForm::Whole),
            ("budgets", ValueForm::Whole),
            ("scale", ValueForm::Decimal),
            ("extra-body", ValueForm::Table),
            ("viewport", ValueForm::Text),
        ] {
            assert_eq!(form(&arg(name)), wanted, "{name}");
        }
        assert_eq!(bounds(&arg("workers")), Some((1, 256)));
        assert_eq!(bounds(&arg("model")), None);
    }
}
