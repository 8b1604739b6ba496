//! Configuration in layers: defaults ◄ user's file ◄ project's file ◄ environment ◄ flags.
//!
//! Duty: find and read the files, refuse what is wrong in them with file, line and field, and make what
//! they and the environment say the defaults of the flags. Commands see flags only. Which fields there are and what they
//! hold is said by the declarations of the flags ([`sections`] says which of them have a place in a file).
//!
//! Invariants: the nearer layer wins, value by value; a value that a flag would not take is refused
//! wherever it stands; keys have no field, and passwords are never shown.

mod claims;
mod content;
mod file;
mod rows;
mod schema;
mod sections;
mod trust;
mod values;

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use clap::Command;
use waldo_devices::foreign;
use waldo_tasks::TaskError;
use waldo_tasks::suite::problem;

pub use content::is_of_the_system;
pub use rows::{Contestants, Definition};
pub use schema::schema;
pub use sections::{ConfigKey, as_switch, keys, with_switches};
pub use trust::trust;
pub use values::ValueMeaning;

pub const PROJECT_FILE: &str = "waldo.toml";
/// Names the one file to read in place of the user's and the project's; empty for none.
const CONFIG_VARIABLE: &str = "WALDO_CONFIG";
const OTHER_VARIABLES: [&str; 2] = [CONFIG_VARIABLE, "WALDO_LOG"];

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error(transparent)]
    File(#[from] TaskError),
    #[error("the environment variable {name}: {message}")]
    Variable { name: String, message: String },
    /// A project's file that directs requests, keys, programs, devices or what is allowed, and that nobody trusted.
    #[error(
        "{path} says where requests or keys go, which program runs, which device is driven or what is allowed there ({claims}): \
         look at it, then run `waldo config trust` \
         once, or set {CONFIG_VARIABLE} to its path to use it anyway, or to nothing to use none"
    )]
    Untrusted { path: PathBuf, claims: String },
    #[error("{message}")]
    Trust { message: String },
    /// A project's file that somebody else put there.
    #[error(
        "{path} belongs to another user; set {CONFIG_VARIABLE} to its path to use it anyway, or to nothing to use none"
    )]
    Foreign { path: PathBuf },
}

#[derive(Clone, Debug, Default)]
pub struct StartEnvironment {
    /// Environment variables; those that are no Unicode are left out.
    pub variables: BTreeMap<String, String>,
    pub folder: PathBuf,
}

impl StartEnvironment {
    pub fn here() -> Self {
        Self { variables: crate::environment::all(), folder: std::env::current_dir().unwrap_or_default() }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Where the user's file is looked for; `None` without a home.
    pub fn user_file(&self) -> Option<PathBuf> {
        let base = match self.get("XDG_CONFIG_HOME").map(PathBuf::from).filter(|p| p.is_absolute()) {
            Some(base) => base,
            None => Path::new(self.get("HOME")?).join(".config"),
        };
        Some(base.join("waldo").join("config.toml"))
    }

    /// The project's file: in the working folder, or in the nearest one above it.
    pub fn project_file(&self) -> Option<PathBuf> {
        self.folder.ancestors().map(|folder| folder.join(PROJECT_FILE)).find(|path| path.is_file())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    User,
    Project,
    /// The one that `WALDO_CONFIG` names.
    Named,
}

impl FileRole {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Named => "WALDO_CONFIG",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// waldo's own default, or nothing at all.
    Default,
    File(FileRole, PathBuf),
    Variable(String),
}

#[derive(Clone, Debug)]
pub struct Setting {
    pub key: ConfigKey,
    /// Its values; none when nothing is set, more than one for lists only.
    pub values: Vec<String>,
    pub source: ValueSource,
}

#[derive(Clone, Debug)]
pub struct Settings {
    /// One for every field, in order.
    pub all: Vec<Setting>,
    pub contestants: Contestants,
    /// The files that were read, far to near.
    pub files: Vec<(FileRole, PathBuf)>,
    /// Variables that look like settings and are none, with advice.
    pub unknown_variables: Vec<String>,
}

impl Settings {
    /// Reads files and environment. `root` is waldo's command line, whose flags judge the values.
    pub fn load(here: &StartEnvironment, root: &Command) -> Result<Self, ConfigError> {
        let mut all: Vec<Setting> = keys(root)
            .into_iter()
            .map(|key| {
                let defaults = key.arg.get_default_values().iter();
                let values = defaults.map(|v| v.to_string_lossy().into_owned()).collect();
                Setting { key, values, source: ValueSource::Default }
            })
            .collect();
        let (mut files, mut contestants) = (Vec::new(), Contestants::new());
        for (role, path) in found(here)? {
            let io = |source| TaskError::Io { what: "read", path: path.clone(), source };
            // A person's own may well be a link to where they keep such files.
            let bytes = foreign::read_named(&path, foreign::TEXT_BYTES).map_err(io)?;
            let text = String::from_utf8(bytes).map_err(|e| io(std::io::Error::other(e)))?;
            let shown = path.display().to_string();
            let value = problem::parse_toml(&shown, &text)?;
            file::read((&mut all, &mut contestants), (role, &path), &value, root)
                .map_err(|problem| problem.of_file(&shown, &text))?;
            if role == FileRole::Project {
                trust::check(here, &path, &value)?;
            }
            files.push((role, path));
        }
        for setting in &mut all {
            let name = setting.key.variable();
            let Some(value) = here.get(&name) else { continue };
            let values: Vec<String> = if setting.key.is_list() {
                value.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
            } else {
                vec![value.to_owned()]
            };
            if let Some(message) = values::objection(&setting.key.arg, &values) {
                return Err(ConfigError::Variable { name, message });
            }
            (setting.values, setting.source) = (values, ValueSource::Variable(name));
        }
        let unknown_variables = unknown_variables(here, &all);
        Ok(Self { all, contestants, files, unknown_variables })
    }

    /// The value of a field that takes one, such as `prompts.dir`.
    pub fn value(&self, path: &str) -> Option<&str> {
        self.all.iter().find(|s| s.key.path() == path).and_then(|s| s.values.first()).map(String::as_str)
    }

    pub fn key_variables(&self) -> impl Iterator<Item = &str> {
        let keys = self.contestants.values().flatten().filter(|field| field.names_a_key());
        keys.flat_map(|field| field.value.split(','))
    }

    /// The command line with these settings for defaults.
    #[must_use]
    pub fn apply(&self, root: Command) -> Command {
        root.mut_subcommands(|sub| {
            let name = sub.get_name().to_owned();
            self.apply(sub).mut_args(|arg| {
                let set = self.all.iter().find(|s| s.source != ValueSource::Default && s.key.is(&name, &arg));
                match set {
                    None => arg,
                    Some(setting) => {
                        let hidden = setting.values != setting.shown();
                        arg.default_values(&setting.values).hide_default_value(hidden)
                    }
                }
            })
        })
    }
}

impl Setting {
    /// The values as they may be shown: an address without what may be a key.
    pub fn shown(&self) -> Vec<String> {
        let address = self.key.meaning() == ValueMeaning::Address;
        self.values.iter().map(|value| if address { without_keys(value) } else { value.clone() }).collect()
    }
}

/// An address without password, query and, where there is no password, user: each may be a key.
pub fn without_keys(address: &str) -> String {
    const HIDDEN: &str = "...";
    let Ok(mut url) = url::Url::parse(address) else { return address.to_owned() };
    let (user, password) = (!url.username().is_empty(), url.password().is_some());
    if !user && !password && url.query().is_none() {
        return address.to_owned();
    }
    if url.query().is_some() {
        url.set_query(Some(HIDDEN));
    }
    let hidden = match (password, user) {
        (true, _) => url.set_password(Some(HIDDEN)),
        (false, true) => url.set_username(HIDDEN),
        (false, false) => Ok(()),
    };
    // An address that has a user can have another one; were it not so, nothing of it is shown.
    if hidden.is_ok() { url.to_string() } else { HIDDEN.to_owned() }
}

fn found(here: &StartEnvironment) -> Result<Vec<(FileRole, PathBuf)>, ConfigError> {
    if let Some(path) = here.variables.get(CONFIG_VARIABLE) {
        return Ok(if path.is_empty() {
            Vec::new()
        } else {
            vec![(FileRole::Named, here.folder.join(path))]
        });
    }
    let user = here.user_file().filter(|path| path.is_file());
    let project = here.project_file();
    if let Some(path) = &project {
        own(path)?;
    }
    let (user, project) =
        (user.map(|path| (FileRole::User, path)), project.map(|path| (FileRole::Project, path)));
    Ok(user.into_iter().chain(project).collect())
}

/// A project's file is found, not named: one that another user put there is refused, since it could
/// send keys to an endpoint of theirs.
fn own(path: &Path) -> Result<(), ConfigError> {
    let io = |source| TaskError::Io { what: "read", path: path.to_owned(), source };
    let owner = std::fs::metadata(path).map_err(io)?.uid();
    if owner == 0 || owner == rustix::process::getuid().as_raw() {
        return Ok(());
    }
    Err(ConfigError::Foreign { path: path.to_owned() })
}

fn unknown_variables(here: &StartEnvironment, all: &[Setting]) -> Vec<String> {
    let known: Vec<String> = all.iter().map(|setting| setting.key.variable()).collect();
    let ours = here.variables.keys().filter(|name| name.starts_with("WALDO_"));
    let strange = ours.filter(|name| !known.contains(name) && !OTHER_VARIABLES.contains(&name.as_str()));
    strange.map(|name| format!("{name} is not a setting; {}", problem::suggest(name, &known))).collect()
}

#[cfg(test)]
mod tests;
