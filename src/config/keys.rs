//! Which field of the configuration stands in for which flag.
//!
//! Invariant: a flag's own parser is the only judge of a value, wherever the value was written.

use clap::{Arg, Command};

use crate::numbers::NumberError;

/// Where a flag is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// In every command that has flags under this heading.
    Heading(&'static str),
    Command(&'static str),
}

/// What a value is, beyond what its flag's parser says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    One,
    /// A path: in a file it is relative to the file's folder.
    Path,
    /// A profile: the name of one, or a folder, in a file relative to the file's folder.
    Profile,
    /// A list; commas part it in the environment.
    List,
    /// An address that may hold a password, which is never shown.
    Address,
}

/// One field of the configuration.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigKey {
    pub section: &'static str,
    /// Its name within the section.
    pub name: &'static str,
    /// The flag, without dashes before it.
    pub flag: &'static str,
    pub kind: ValueKind,
    scope: Scope,
}

const fn model(name: &'static str, kind: ValueKind) -> ConfigKey {
    ConfigKey { section: "model", name, flag: name, kind, scope: Scope::Heading("Model") }
}

const fn planner(name: &'static str, kind: ValueKind) -> ConfigKey {
    ConfigKey { section: "planner", name, flag: name, kind, scope: Scope::Heading("Planner") }
}

const fn frames(name: &'static str) -> ConfigKey {
    ConfigKey { section: "frames", name, flag: name, kind: ValueKind::One, scope: Scope::Heading("Frames") }
}

const fn browser(name: &'static str, kind: ValueKind) -> ConfigKey {
    ConfigKey { section: "browser", name, flag: name, kind, scope: Scope::Heading("Browser") }
}

const fn eval(name: &'static str, kind: ValueKind) -> ConfigKey {
    ConfigKey { section: "eval", name, flag: name, kind, scope: Scope::Command("eval") }
}

const fn guard(name: &'static str) -> ConfigKey {
    ConfigKey { section: "guard", name, flag: name, kind: ValueKind::List, scope: Scope::Heading("Guard") }
}

/// Every field, in the order in which they are shown.
pub static KEYS: [ConfigKey; 50] = [
    model("model", ValueKind::One),
    model("wire", ValueKind::One),
    model("base-url", ValueKind::Address),
    model("api-key-env", ValueKind::One),
    model("temperature", ValueKind::One),
    model("max-tokens", ValueKind::One),
    model("image-detail", ValueKind::One),
    model("extra-body", ValueKind::One),
    model("model-concurrency", ValueKind::One),
    model("requests-per-minute", ValueKind::One),
    model("tokens-per-minute", ValueKind::One),
    model("stream", ValueKind::One),
    model("model-timeout", ValueKind::One),
    model("model-retries", ValueKind::One),
    model("prices", ValueKind::Path),
    model("compat", ValueKind::One),
    model("no-summary", ValueKind::One),
    planner("grounder", ValueKind::One),
    planner("grounder-base-url", ValueKind::Address),
    planner("grounder-key-env", ValueKind::One),
    planner("grounder-profile", ValueKind::Profile),
    planner("context-tokens", ValueKind::One),
    planner("screen-text", ValueKind::One),
    planner("no-memory", ValueKind::One),
    frames("script-questions"),
    frames("script-time"),
    frames("script-repairs"),
    ConfigKey {
        section: "native",
        name: "profile",
        flag: "profile",
        kind: ValueKind::Profile,
        scope: Scope::Heading("Native"),
    },
    ConfigKey {
        section: "device",
        name: "device",
        flag: "device",
        kind: ValueKind::One,
        scope: Scope::Heading("Device"),
    },
    ConfigKey {
        section: "device",
        name: "text-recognition",
        flag: "text-recognition",
        kind: ValueKind::One,
        scope: Scope::Heading("Device"),
    },
    browser("cdp", ValueKind::Address),
    browser("browser", ValueKind::Path),
    browser("headed", ValueKind::One),
    browser("viewport", ValueKind::One),
    browser("scale", ValueKind::One),
    browser("settle", ValueKind::One),
    eval("workers", ValueKind::One),
    eval("repeats", ValueKind::One),
    eval("seed", ValueKind::One),
    eval("max-steps", ValueKind::One),
    eval("max-tokens-total", ValueKind::One),
    eval("max-cost", ValueKind::One),
    eval("max-time", ValueKind::One),
    eval("attempts", ValueKind::One),
    eval("budgets", ValueKind::List),
    eval("style", ValueKind::One),
    guard("allow"),
    guard("deny"),
    guard("ask"),
    ConfigKey {
        section: "prompts",
        name: "dir",
        flag: "prompts",
        kind: ValueKind::Path,
        scope: Scope::Heading("Model"),
    },
];

impl ConfigKey {
    /// `section.name`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The environment variable that stands in for it.
    pub fn variable(&self) -> String {
        format!("WALDO_{}", self.flag.to_uppercase().replace('-', "_"))
    }

    /// Whether `arg` of `command` is its flag.
    pub fn is(&self, command: &str, arg: &Arg) -> bool {
        arg.get_long() == Some(self.flag)
            && match self.scope {
                Scope::Heading(heading) => arg.get_help_heading() == Some(heading),
                Scope::Command(name) => command == name,
            }
    }

    /// Its flag, in whichever command has it first.
    pub fn arg<'c>(&self, root: &'c Command) -> Option<&'c Arg> {
        root.get_subcommands().find_map(|sub| sub.get_arguments().find(|arg| self.is(sub.get_name(), arg)))
    }
}

/// What the flag's own parser says against the values; `None` when it takes them.
pub fn objection(arg: &Arg, values: &[String]) -> Option<String> {
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
    let given = values.iter().map(|value| format!("--{long}={value}"));
    let error = command.try_get_matches_from(given).err()?;
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;
    use crate::config::Config;

    #[test]
    fn every_key_has_its_flag_and_every_field_its_key() {
        let root = Cli::command();
        for key in &KEYS {
            assert!(key.arg(&root).is_some(), "{} has no flag --{}", key.path(), key.flag);
        }
        let schema = serde_json::to_value(schemars::schema_for!(Config)).unwrap();
        let mut fields: Vec<String> = Vec::new();
        for (section, shape) in schema["properties"].as_object().unwrap() {
            if section == "contestant" {
                // Named tables, whose fields are judged by a table of their own.
                continue;
            }
            let name = shape["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
            for field in schema["$defs"][name]["properties"].as_object().unwrap().keys() {
                fields.push(format!("{section}.{field}"));
            }
        }
        let mut keys: Vec<String> = KEYS.iter().map(ConfigKey::path).collect();
        keys.sort();
        fields.sort();
        assert_eq!(keys, fields);
    }

    #[test]
    fn no_two_keys_share_a_variable() {
        let mut names: Vec<String> = KEYS.iter().map(ConfigKey::variable).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), KEYS.len());
    }

    #[test]
    fn the_flags_parser_objects() {
        let root = Cli::command();
        let says = |name: &str, value: &str| {
            let key = KEYS.iter().find(|k| k.name == name).unwrap();
            objection(key.arg(&root).unwrap(), &[value.to_owned()])
        };
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
}
