//! Contestants that a configuration defines: `[contestant.NAME]`.
//!
//! Duty: read the definitions, judge each field by the parser of the flag of `waldo eval` that has its name, and join
//! those of several files. Which flags they stand in for is decided by `waldo eval` alone.
//!
//! Invariants: the nearer file wins, field by field; a definition names the variable of a key, never the key.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Command;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waldo_tasks::suite::problem::Problem;

use super::choices::{ImageDetail, ScreenText, WireName};
use super::{FileRole, KEYS, keys, plain, without_keys};
use crate::profiles;

/// The section that they stand in.
pub const SECTION: &str = "contestant";
/// The command whose flags their fields are.
const COMMAND: &str = "eval";
/// Fields that hold a path, which is relative to the file's folder.
const PATHS: [&str; 2] = ["prices", "prompts"];
/// Fields that name a profile, or its folder.
const PROFILES: [&str; 2] = ["grounder-profile", "profile"];
/// Fields that hold an address.
const ADDRESSES: [&str; 2] = ["base-url", "grounder-base-url"];
/// Fields that name the variable of a key.
const KEY_VARIABLES: [&str; 2] = ["api-key-env", "grounder-key-env"];
const NAME_CHARS: usize = 60;

/// A row of a score table: an agent with its model and how both are asked. What it leaves out is as the flags of
/// `waldo eval` say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Contestant {
    /// The agent; every contestant has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// A name that the endpoint knows, `replay:DIR`, or `reference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The wire that it is asked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireName>,
    /// The endpoint, up to the version such as /v1; the vendor's of the wire where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The environment variable that holds the key. An endpoint of a contestant's own gets no key without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Tokens that a reply may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How closely the model looks at pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_detail: Option<ImageDetail>,
    /// Further fields of the request body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_body: Option<serde_json::Map<String, Value>>,
    /// Requests to the model at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_concurrency: Option<u32>,
    /// Requests to the model within any minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u32>,
    /// Tokens of requests and replies within any minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u64>,
    /// Whether replies are asked for as streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Seconds that one request may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_timeout: Option<u64>,
    /// How often a failed request is sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_retries: Option<u32>,
    /// Price table, a JSON file; relative to this file's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<PathBuf>,
    /// AppAgent exactly as upstream parses replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compat: Option<bool>,
    /// AppAgent without its summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_summary: Option<bool>,
    /// Folder of templates that replace the built-in ones; relative to this file's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<PathBuf>,
    /// What turns the planner's descriptions into points: tags, tags=MODEL, text, model=MODEL or http=URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder: Option<String>,
    /// The endpoint of the grounder's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder_base_url: Option<String>,
    /// The environment variable that holds the grounder's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder_key_env: Option<String>,
    /// How a grounding model writes a place: absolute, unit or thousand, then -box, then -yx.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder_profile: Option<String>,
    /// The planner's model's window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// What of the screen's text the planner is sent beside the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_text: Option<ScreenText>,
    /// The planner without its memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_memory: Option<bool>,
    /// Questions on pictures that a solving may ask a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_questions: Option<u32>,
    /// Seconds that one script may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_time: Option<u64>,
    /// Times that the script of a stage is asked for again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_repairs: Option<u32>,
    /// How the model of the agent native is shown screens and read: a profile's name, or its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Tokens per episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens_total: Option<u64>,
    /// US dollars per episode; needs prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
    /// Seconds per episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<u64>,
}

/// One field of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, which is that of its flag.
    pub name: String,
    /// Its value, as it would stand on the command line.
    pub value: String,
    /// The file that it stands in.
    pub from: (FileRole, PathBuf),
}

impl Field {
    /// The value as it may be shown: an address without what may be a key.
    pub fn shown(&self) -> String {
        let address = ADDRESSES.contains(&self.name.as_str());
        if address { without_keys(&self.value) } else { self.value.clone() }
    }

    /// Whether it names the variable of a key.
    pub fn names_a_key(&self) -> bool {
        KEY_VARIABLES.contains(&self.name.as_str())
    }
}

/// What is defined of one contestant.
pub type Definition = Vec<Field>;

/// All that are defined, by name.
pub type Contestants = BTreeMap<String, Definition>;

/// Joins the definitions of a file, whose shape was found right, with those of files before it.
///
/// # Errors
/// A name that cannot be that of a row, or a value that its flag would not take.
pub(super) fn join(
    all: &mut Contestants,
    role: FileRole,
    path: &Path,
    given: &Value,
    root: &Command,
) -> Result<(), Problem> {
    let Some(tables) = given.get(SECTION).and_then(Value::as_object) else { return Ok(()) };
    let flags = root.find_subcommand(COMMAND);
    for (name, fields) in tables {
        let at = format!("{SECTION}.{name}");
        if !is_name(name) {
            return Err(Problem::new(
                at,
                format!(
                    "'{name}' cannot name a row: use up to {NAME_CHARS} letters, digits, - _ . and +, a letter or digit first"
                ),
            ));
        }
        let definition = all.entry(name.clone()).or_default();
        for (field, value) in fields.as_object().into_iter().flatten() {
            let mut value = plain(value);
            let flag = flags.and_then(|command| command.get_arguments().find(|arg| is_flag(arg, field)));
            if let Some(message) = flag.and_then(|arg| keys::objection(arg, std::slice::from_ref(&value))) {
                return Err(Problem::new(format!("{at}.{field}"), message));
            }
            let folder = path.parent().unwrap_or(Path::new(""));
            let placed = match field.as_str() {
                field if PATHS.contains(&field) => Some(folder.join(&value)),
                field if PROFILES.contains(&field) => profiles::folder_in(folder, &value),
                _ => None,
            };
            if let Some(path) = placed {
                value = path.to_string_lossy().into_owned();
            }
            definition.retain(|known| known.name != *field);
            definition.push(Field { name: field.clone(), value, from: (role, path.to_owned()) });
        }
    }
    Ok(())
}

fn is_flag(arg: &clap::Arg, field: &str) -> bool {
    arg.get_long() == Some(field)
}

/// Whether it can be a folder's name and a table's row.
fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARS
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_'))
}

/// A field that a contestant does not have, for another section does.
pub(super) fn elsewhere(value: &Value) -> Option<Problem> {
    let known = serde_json::to_value(schemars::schema_for!(Contestant)).ok()?;
    let known = known.get("properties")?.as_object()?;
    let tables = value.get(SECTION)?.as_object()?;
    let fields = tables.iter().filter_map(|(name, given)| Some((name, given.as_object()?)));
    let mut fields = fields.flat_map(|(name, given)| given.keys().map(move |field| (name, field)));
    fields.find_map(|(name, field)| {
        let right = KEYS.iter().find(|key| key.name == field && !known.contains_key(field))?.section;
        let path = format!("{SECTION}.{name}.{field}");
        let message = format!(
            "'{field}' stands in [{SECTION}.{name}] and is one for all rows of a table; move it under [{right}]"
        );
        Some(Problem::new(path, message))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_field_is_a_flag_of_eval() {
        let root = Cli::command();
        let eval = root.find_subcommand(COMMAND).unwrap();
        let schema = serde_json::to_value(schemars::schema_for!(Contestant)).unwrap();
        let fields = schema["properties"].as_object().unwrap();
        for field in fields.keys() {
            assert!(eval.get_arguments().any(|arg| is_flag(arg, field)), "no flag --{field}");
        }
        for field in PATHS.iter().chain(&PROFILES).chain(&ADDRESSES).chain(&KEY_VARIABLES) {
            assert!(fields.contains_key(*field), "{field}");
        }
    }

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
