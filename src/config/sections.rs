//! The sections of a configuration, and which flags stand in each.
//!
//! Of a flag itself nothing is repeated here: name, help, type, bounds and default are those of its declaration.
//!
//! Invariant: sections that say which device is driven, which browser is started and what is allowed take the flags that are
//! named here and no others, for a file that is only found could set them; any other section takes every flag of
//! its group but those that are named.

use clap::{Arg, ArgAction, Command};
use waldo_devices::word_list;

use super::values::{self, ValueMeaning};

#[derive(Clone, Copy, Debug)]
enum Group {
    Heading(&'static str),
    Command(&'static str),
}

#[derive(Debug)]
enum Taken {
    AllBut(&'static [&'static str]),
    Only(&'static [&'static str]),
}

impl Taken {
    fn has(&self, flag: &str) -> bool {
        match self {
            Self::AllBut(names) => !names.contains(&flag),
            Self::Only(names) => names.contains(&flag),
        }
    }
}

#[derive(Debug)]
pub struct Section {
    pub name: &'static str,
    pub about: &'static str,
    group: Group,
    taken: Taken,
    /// Those of its flags that a contestant has as well.
    of_rows: Taken,
}

/// What is played, where it goes, and what is printed: each call of `waldo eval` says it, and that a phone may be wiped, too.
const SAID_ANEW: [&str; 14] = word_list(
    "agent contestant with-bounds task out partition paper-weights beside dry-run json-events no-report json \
     real-phone-may-be-wiped on",
);

const ALL: Taken = Taken::AllBut(&[]);
const NONE: Taken = Taken::Only(&[]);

/// A section of every flag under a heading, all of which a contestant has as well.
const fn whole(name: &'static str, about: &'static str, heading: &'static str) -> Section {
    Section { name, about, group: Group::Heading(heading), taken: ALL, of_rows: ALL }
}

/// Every section, in the order in which they are shown.
pub static SECTIONS: [Section; 10] = [
    Section {
        taken: Taken::AllBut(&["record-model", "prompts"]),
        ..whole("model", "Which model to ask, and how.", "Model")
    },
    Section {
        taken: Taken::AllBut(&["date"]),
        ..whole("planner", "How the planner finds what it describes, and what it is sent.", "Planner")
    },
    whole("frames", "What scripts of the agent `frames` may use up.", "Frames"),
    whole("native", "The profile of the model of the agent `native`.", "Native"),
    whole("exec", "The program that the agent `exec` is.", "Exec"),
    Section {
        taken: Taken::Only(&["device", "text-recognition"]),
        of_rows: NONE,
        ..whole("device", "Which kind of screen.", "Device")
    },
    Section {
        taken: Taken::Only(&["cdp", "browser", "headed", "viewport", "scale", "settle"]),
        of_rows: NONE,
        ..whole("browser", "Which browser and what screen.", "Browser")
    },
    Section {
        name: "eval",
        about: "How `waldo eval` plays a suite.",
        group: Group::Command("eval"),
        taken: Taken::AllBut(&SAID_ANEW),
        of_rows: Taken::Only(&["max-tokens-total", "max-cost", "max-time"]),
    },
    Section {
        taken: Taken::Only(&["allow", "deny", "ask"]),
        of_rows: NONE,
        ..whole(
            "guard",
            "What agents may do on devices that a person names; tasks of suites have their own guard.",
            "Guard",
        )
    },
    Section { taken: Taken::Only(&["prompts"]), ..whole("prompts", "The prompt templates.", "Model") },
];

impl Section {
    fn takes(&self, command: &str, arg: &Arg) -> bool {
        let is_of_group = match self.group {
            Group::Heading(heading) => arg.get_help_heading() == Some(heading),
            Group::Command(name) => command == name && arg.get_help_heading().is_none(),
        };
        is_of_group && !arg.is_hide_set() && arg.get_long().is_some_and(|flag| self.taken.has(flag))
    }
}

#[derive(Clone, Debug)]
pub struct ConfigKey {
    pub section: &'static Section,
    /// The flag that it stands in for, in the first command that has it.
    pub arg: Arg,
}

impl ConfigKey {
    pub fn flag(&self) -> &str {
        self.arg.get_long().unwrap_or_default()
    }

    pub fn name(&self) -> &str {
        if self.section.name == "prompts" { "dir" } else { self.flag() }
    }

    pub fn path(&self) -> String {
        format!("{}.{}", self.section.name, self.name())
    }

    pub fn variable(&self) -> String {
        format!("WALDO_{}", self.flag().to_uppercase().replace('-', "_"))
    }

    pub fn meaning(&self) -> ValueMeaning {
        values::meaning(&self.arg)
    }

    pub fn is_list(&self) -> bool {
        values::is_list(&self.arg)
    }

    pub fn is_of_rows(&self) -> bool {
        self.section.of_rows.has(self.flag())
    }

    pub fn is(&self, command: &str, arg: &Arg) -> bool {
        arg.get_long() == self.arg.get_long() && self.section.takes(command, arg)
    }
}

pub fn keys(root: &Command) -> Vec<ConfigKey> {
    let mut all: Vec<ConfigKey> = Vec::new();
    for section in &SECTIONS {
        for command in root.get_subcommands() {
            for arg in command.get_arguments().filter(|arg| section.takes(command.get_name(), arg)) {
                if !all.iter().any(|key| key.is(command.get_name(), arg)) {
                    all.push(ConfigKey { section, arg: arg.clone() });
                }
            }
        }
    }
    all
}

/// The command line in which every flag that a configuration can set can be unset: one that is given or not takes `=BOOL`.
#[must_use]
pub fn with_switches(root: Command) -> Command {
    root.mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        with_switches(sub).mut_args(|arg| match SECTIONS.iter().any(|section| section.takes(&name, &arg)) {
            true => as_switch(arg),
            false => arg,
        })
    })
}

/// A flag that is given or not, as one that takes `=BOOL`; any other as it is.
#[must_use]
pub fn as_switch(arg: Arg) -> Arg {
    if !matches!(arg.get_action(), ArgAction::SetTrue) {
        return arg;
    }
    arg.action(ArgAction::Set)
        .value_name("BOOL")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("true")
        .default_value("false")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;

    #[test]
    fn no_two_keys_share_a_variable() {
        let mut names = std::collections::HashSet::new();
        assert!(keys(&cli::command()).iter().all(|key| names.insert(key.variable())));
    }

    #[test]
    fn every_flag_that_a_section_names_is_one_of_its_group() {
        let root = cli::command();
        for section in &SECTIONS {
            let any = Section { taken: ALL, of_rows: NONE, ..*section };
            let of_rows = match &section.of_rows {
                Taken::AllBut(names) | Taken::Only(names) => *names,
            };
            let (Taken::AllBut(names) | Taken::Only(names)) = &section.taken;
            for name in names.iter().chain(of_rows) {
                let has = |command: &Command| {
                    command
                        .get_arguments()
                        .any(|arg| arg.get_long() == Some(name) && any.takes(command.get_name(), arg))
                };
                assert!(root.get_subcommands().any(has), "[{}] has no flag --{name}", section.name);
            }
        }
    }
}
