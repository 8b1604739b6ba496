//! Applications that tasks of the web are played on: folders with an `app.toml`, built into the binary.
//!
//! Duty: read what an application is, and draw what its instance starts with. Installing and running it is
//! [`crate::apps`]'s.
//!
//! Invariant: what an instance starts with is a function of the application's folder, the task file and the seed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::digest::{first_eight, hash_of};
use super::embedded::{files_of, folders_with};
use super::params::{self, Draw};
use super::problem::{Problem, parse_toml, read, suggest};
use super::template::Templates;
use super::{Parts, folder_parts};
use crate::TaskError;

static APPS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/apps");

/// `app.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppFile {
    /// The name, for people.
    pub title: String,
    /// The version that is played, for people and records; what is installed is pinned under `install`.
    pub version: String,
    /// The licence of the application, as SPDX has it.
    pub licence: String,
    pub install: AppInstall,
    pub start: AppStart,
    /// What is drawn for each instance, as a task's; templates name it below the application's name.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// What an instance's data gets before it starts, in this order.
    #[serde(default)]
    pub seed: Vec<AppSeed>,
    /// What of its data is durable: rows and files by which tasks are judged.
    #[serde(default)]
    pub state: Vec<AppState>,
    /// What may change in every task: for each store the keys, with `*` and `?`.
    #[serde(default)]
    pub may_change: Map<String, Value>,
}

/// Where an application comes from. Its parts lie below `/app`, its data below `/data`, this folder in `/app/def`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppInstall {
    /// A file of requirements for pip, with versions and hashes; they go to `/app/venv`.
    pub pip: Option<String>,
    /// A `package-lock.json` for npm, with a `package.json` beside it; they go to `/app/node_modules`.
    pub npm: Option<String>,
    /// Packages of Debian that are laid out below `/app/root`, without their scripts.
    #[serde(default)]
    pub deb: Vec<DebPackage>,
    /// What the system has to have, and waldo does not install.
    #[serde(default)]
    pub system: Vec<SystemNeed>,
    /// The command that makes `/data`, in the sandbox and without a network.
    #[serde(default)]
    pub make: Vec<String>,
    /// About how much it takes on the disk, in megabytes.
    pub megabytes: u64,
    /// About how long its installation takes, in seconds.
    pub seconds: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebPackage {
    pub name: String,
    pub version: String,
    /// SHA-256 of the package's file.
    pub sha256: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemNeed {
    /// A command that ends well where it is there.
    pub probe: Vec<String>,
    /// The packages of Debian that bring it.
    pub packages: String,
}

/// How an instance runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppStart {
    pub run: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The port that it listens on, in a network of its own.
    pub port: u16,
    /// The path of a page that it serves once it is ready.
    pub ready: String,
}

/// Something that an instance's data gets: a template of this folder, rendered with what was drawn and the task's state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppSeed {
    /// The template.
    pub from: String,
    /// A SQLite database below `/data`, for which the template gives statements.
    pub sqlite: Option<String>,
    /// A folder below `/data`, for which the template gives TOML: texts by their paths.
    pub files: Option<String>,
}

/// A part of the durable state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppState {
    /// A SQLite database below `/data`: a store of each table, `APP/TABLE`, with a row of typed columns for each of its rows.
    pub sqlite: Option<String>,
    /// A folder below `/data`, or a file: the store `APP/FOLDER`, with the text of each file.
    pub files: Option<String>,
    /// Of a file of settings: an expression whose first group is the key, and whose second the value, of each entry.
    pub entry: Option<String>,
    /// What says nothing: tables and `table.column`, or paths with `*` and `?`.
    #[serde(default)]
    pub ignore: Vec<String>,
}

#[derive(Debug)]
pub struct AppDef {
    pub name: String,
    pub file: AppFile,
    /// Every file of its folder, by path.
    pub parts: Parts,
    /// SHA-256 over names and contents of its folder, in lower-case hexadecimal.
    pub hash: String,
}

/// What an instance's data gets, rendered.
#[derive(Clone, Debug, PartialEq)]
pub enum Seed {
    Sqlite { database: String, statements: String },
    Files { folder: String, files: BTreeMap<String, String> },
}

pub fn app_names() -> Vec<&'static str> {
    folders_with(&APPS, "app.toml")
}

impl AppDef {
    /// The built-in application of a name, or the one in the folder of a path (with a slash in it).
    pub fn find(name: &str) -> Result<Arc<Self>, TaskError> {
        if name.contains('/') {
            let path = Path::new(name);
            let own = path.file_name().map(|own| own.to_string_lossy().into_owned()).unwrap_or_default();
            return Self::read(&own, folder_parts(path, "")?).map(Arc::new);
        }
        let Some(files) = files_of(&APPS, name) else {
            let known = suggest(name, &app_names());
            return Err(TaskError::UnknownApp { name: name.to_owned(), known });
        };
        let parts = files.into_iter().map(|(path, content)| (path, content.into())).collect();
        Self::read(name, parts).map(Arc::new)
    }

    pub(super) fn read(name: &str, parts: Parts) -> Result<Self, TaskError> {
        let shown = format!("{name}/app.toml");
        let Some(text) = parts.get("app.toml").map(|bytes| String::from_utf8_lossy(bytes)) else {
            let message = "no such file; an application is a folder with an app.toml".to_owned();
            return Err(TaskError::Definition { file: shown, line: 0, field: String::new(), message });
        };
        let file = read::<AppFile>(&parse_toml(&shown, &text)?)
            .and_then(|file| params::validate(&file.params).and_then(|()| file.rules(&parts)).map(|()| file));
        let file = file.map_err(|problem| problem.of_file(&shown, &text))?;
        Ok(Self { name: name.to_owned(), file, hash: hash_of(&parts), parts })
    }

    pub(crate) fn text(&self, path: &str) -> String {
        self.parts.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    }

    /// Draws what templates may name below its name. The stream is its own, so that tasks' parameters stay as they are.
    pub(super) fn draw(&self, seed: u64) -> Result<Value, Problem> {
        let stream = first_eight(&format!("waldo/app/{}/{seed}", self.name));
        params::draw(&self.file.params, &mut Templates::new(Map::new()), &mut Draw::new(stream))
    }

    /// What an instance's data gets where no task asks for anything.
    pub fn seeds_of(&self, seed: u64) -> Result<Vec<Seed>, TaskError> {
        let drawn = || {
            let names = [
                (self.name.replace('-', "_"), self.draw(seed)?),
                ("state".to_owned(), Value::Object(Map::new())),
            ];
            self.seeds(&Templates::new(Map::from_iter(names)))
        };
        drawn()
            .map_err(|problem: Problem| TaskError::Template { what: problem.path, message: problem.message })
    }

    /// What an instance's data gets, with `templates` that name what was drawn.
    pub(super) fn seeds(&self, templates: &Templates) -> Result<Vec<Seed>, Problem> {
        let seed = |(n, seed): (usize, &AppSeed)| {
            let path = format!("apps: {}: seed[{n}]", self.name);
            let text = templates.text(&self.text(&seed.from), &path)?;
            Ok(match (&seed.sqlite, &seed.files) {
                (Some(database), _) => Seed::Sqlite { database: database.clone(), statements: text },
                (None, folder) => {
                    let files = parse_toml(&seed.from, &text)
                        .map_err(|error| Problem::new(&path, error.to_string()))?;
                    let files = read(&files).map_err(|problem| problem.below(&path))?;
                    Seed::Files { folder: folder.clone().unwrap_or_default(), files }
                }
            })
        };
        self.file.seed.iter().enumerate().map(seed).collect()
    }
}

impl AppFile {
    fn rules(&self, parts: &Parts) -> Result<(), Problem> {
        let one_of = |path: String, sqlite: bool, files: bool| match sqlite != files {
            true => Ok(()),
            false => Err(Problem::new(path, "names one of 'sqlite' and 'files'")),
        };
        for (n, seed) in self.seed.iter().enumerate() {
            one_of(format!("seed[{n}]"), seed.sqlite.is_some(), seed.files.is_some())?;
        }
        for (n, state) in self.state.iter().enumerate() {
            one_of(format!("state[{n}]"), state.sqlite.is_some(), state.files.is_some())?;
        }
        let mut named =
            self.seed.iter().map(|seed| &seed.from).chain(&self.install.pip).chain(&self.install.npm);
        match named.find(|name| !parts.contains_key(*name)) {
            Some(name) => Err(Problem::new("", format!("there is no file '{name}' beside app.toml"))),
            None if self.start.run.is_empty() => Err(Problem::new("start.run", "names the program")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_application_is_well_formed_and_pinned() {
        for name in app_names() {
            let app = AppDef::find(name).unwrap();
            let mut pinned = app.file.install.pip.iter().flat_map(|file| {
                let text = app.text(file);
                text.lines()
                    .filter(|line| line.contains("=="))
                    .map(|line| line.ends_with('\\'))
                    .collect::<Vec<_>>()
            });
            assert!(pinned.all(|hashed| hashed), "{name}: a requirement has no hash");
            app.draw(7).unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
        }
        let error = AppDef::find("trak").unwrap_err().to_string();
        assert!(error.contains("did you mean 'trac'?"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_field() {
        let read = |text: &str| {
            let parts = Parts::from([("app.toml".to_owned(), text.as_bytes().into())]);
            AppDef::read("x", parts).unwrap_err().to_string()
        };
        let whole = "title='X'\nversion='1'\nlicence='MIT'\n[install]\nmegabytes=1\nseconds=1\n\
                     [start]\nrun=['x']\nport=1\nready='/'\n";
        for (more, told) in [
            ("[[state]]\n", "app.toml:11: state[0]: names one of 'sqlite' and 'files'"),
            ("[[seed]]\nfiles='p'\nfrom='p.toml'\n", "there is no file 'p.toml' beside app.toml"),
            ("[[state]]\nsqlit='x'\n", "did you mean 'sqlite'?"),
        ] {
            let said = read(&format!("{whole}{more}"));
            assert!(said.contains(told), "{said}");
        }
        let said = AppDef::read("x", Parts::new()).unwrap_err().to_string();
        assert!(said.contains("no such file"), "{said}");
    }
}
