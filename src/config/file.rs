//! What one file says: its fields, each judged by its flag.

use std::path::Path;

use clap::Command;
use serde_json::Value;
use waldo_tasks::suite::problem::{Problem, suggest};

use super::rows::{self, Contestants};
use super::sections::{ConfigKey, SECTIONS};
use super::{FileRole, Setting, ValueSource, values};

/// Takes what the file `from` gives into the settings and contestants that files before it gave.
pub(super) fn read(
    (settings, contestants): (&mut [Setting], &mut Contestants),
    from: (FileRole, &Path),
    given: &Value,
    root: &Command,
) -> Result<(), Problem> {
    let folder = from.1.parent().unwrap_or(Path::new(""));
    for (section, fields) in given.as_object().into_iter().flatten() {
        if section == rows::SECTION {
            rows::join(contestants, from, values::table(section, fields)?, root)?;
            continue;
        }
        if !SECTIONS.iter().any(|known| known.name == section) {
            let known: Vec<&str> = SECTIONS.iter().map(|known| known.name).chain([rows::SECTION]).collect();
            let message = elsewhere(settings, section, "in no section");
            return Err(Problem::new(section, message.unwrap_or_else(|| unknown(section, &known))));
        }
        for (name, value) in values::table(section, fields)? {
            let path = format!("{section}.{name}");
            let Some(setting) = settings.iter_mut().find(|setting| setting.key.path() == path) else {
                let known: Vec<String> =
                    of_section(settings, section).map(|key| key.name().to_owned()).collect();
                let stands = format!("in [{section}]");
                let message = elsewhere(settings, name, &stands).unwrap_or_else(|| unknown(name, &known));
                return Err(Problem::new(path, message));
            };
            let values = values::read(&setting.key.arg, setting.key.is_list(), value, folder);
            setting.values = values.map_err(|message| Problem::new(path, message))?;
            setting.source = ValueSource::File(from.0, from.1.to_owned());
        }
    }
    Ok(())
}

fn of_section<'s>(settings: &'s [Setting], section: &'s str) -> impl Iterator<Item = &'s ConfigKey> {
    settings.iter().map(|setting| &setting.key).filter(move |key| key.section.name == section)
}

fn unknown<S: AsRef<str>>(name: &str, known: &[S]) -> String {
    format!("unknown field '{name}'; {}", suggest(name, known))
}

/// What is wrong with a field that stands outside of the section that has it.
fn elsewhere(settings: &[Setting], name: &str, stands: &str) -> Option<String> {
    let right = settings.iter().find(|setting| setting.key.name() == name)?.key.section.name;
    Some(format!("'{name}' stands {stands}; move it under [{right}]"))
}
