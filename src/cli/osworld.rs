//! OSWorld's tasks on the command line: where they are, which can be played here, and what of the others.

use std::path::PathBuf;
use std::sync::Arc;

use waldo_devices::ShellUse;
use waldo_tasks::osworld::survey::Row;
use waldo_tasks::osworld::{Browser, Cache, HostPrograms, PlayedTask, Stage, Survey, load_set};
use waldo_tasks::{Task, TaskError};

use super::CliError;
use crate::osworld::{Downloads, cache_folder};

/// The name that OSWorld's tasks go by.
pub const OSWORLD: &str = "osworld";

/// Which of OSWorld's tasks, and their documents.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "OSWorld")]
pub struct OsworldArgs {
    /// The folder of OSWorld's task files, for osworld: a copy of the benchmark, or any folder of such files.
    #[arg(long, value_name = "DIR")]
    pub osworld_dir: Option<PathBuf>,
    /// A list of OSWorld's tasks, such as test_small, in place of test_all.
    #[arg(long, value_name = "LIST", requires = "osworld_dir")]
    pub osworld_set: Option<String>,
}

/// Where the documents of tasks that are played come from.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "OSWorld")]
pub struct DocumentArgs {
    /// The folder of OSWorld's documents; what is not there is fetched into it [default: waldo/osworld in the
    /// user's cache folder].
    #[arg(long, value_name = "DIR", requires = "osworld_dir")]
    pub osworld_cache: Option<PathBuf>,
    /// Fetch nothing: tasks whose documents are not in the folder are named with the places for them, and
    /// not played.
    #[arg(long, requires = "osworld_dir")]
    pub offline: bool,
    /// Let agents run shell commands in OSWorld's tasks by an action of their own; those of the benchmark open
    /// a terminal for it.
    #[arg(long, requires = "osworld_dir")]
    pub allow_shell: bool,
}

/// What was found in a folder of task files.
pub struct Found {
    /// Every task.
    pub survey: Survey,
    /// SHA-256 of their files.
    pub hash: String,
    /// The list that chose them.
    pub set: Option<String>,
    tasks: Vec<waldo_tasks::osworld::OsTask>,
}

/// The tasks to play, and those that are not.
pub struct Play {
    /// SHA-256 of the files of all.
    pub hash: String,
    /// The list that chose them.
    pub set: Option<String>,
    /// Those that can be played here.
    pub tasks: Vec<Arc<dyn Task>>,
    /// Those that cannot, with the reasons.
    pub left_out: Vec<LeftOut>,
}

/// A task that is not played.
#[derive(Clone, Debug, serde::Serialize)]
pub struct LeftOut {
    /// Its id.
    pub task: String,
    /// The program that it is about.
    pub domain: String,
    /// What is missing.
    pub why: String,
}

impl From<&Row> for LeftOut {
    fn from(row: &Row) -> Self {
        Self { task: row.id.clone(), domain: row.domain.clone(), why: row.why() }
    }
}

impl OsworldArgs {
    /// Reads the task files and looks at what they need.
    ///
    /// # Errors
    /// When the folder is not named, or its files cannot be read.
    pub fn read(&self) -> Result<Found, CliError> {
        let dir = self.osworld_dir.as_deref().ok_or_else(|| {
            CliError::Input(
                "osworld needs --osworld-dir DIR, a copy of the benchmark or a folder of its task files"
                    .into(),
            )
        })?;
        let loaded = load_set(dir, self.osworld_set.as_deref()).map_err(TaskError::from)?;
        let survey = Survey::of(&loaded.tasks, &HostPrograms);
        Ok(Found { survey, hash: loaded.hash, set: loaded.set, tasks: loaded.tasks })
    }

    /// The tasks that can be played here, `only` those of these ids where there are any.
    ///
    /// # Errors
    /// As [`OsworldArgs::read`]; when an id is not known, names two tasks, or nothing is left to play.
    pub fn play(&self, documents: &DocumentArgs, only: &[String]) -> Result<Play, CliError> {
        let mut found = self.read()?;
        if let Some(name) = only.iter().find(|name| !found.tasks.iter().any(|task| task.id == **name)) {
            return Err(TaskError::UnknownTask { name: name.clone(), suite: OSWORLD.into() }.into());
        }
        let wanted = |id: &String| only.is_empty() || only.contains(id);
        found.tasks.retain(|task| wanted(&task.id));
        found.survey.rows.retain(|row| wanted(&row.id));
        let cache = documents.cache()?;
        if documents.offline {
            found.survey.offline(&found.tasks, &cache);
        }
        let left_out: Vec<LeftOut> = found.survey.left_out().map(LeftOut::from).collect();
        let mut tasks = found.tasks;
        tasks.retain(|task| !left_out.iter().any(|left| left.task == task.id && left.domain == task.domain));
        if tasks.is_empty() {
            let message = format!("nothing can be played here\n{}", told(&left_out));
            return Err(CliError::Input(message.trim_end().to_owned()));
        }
        let mut files = std::collections::HashMap::new();
        for task in &tasks {
            if let Some(other) = files.insert(&task.id, &task.path) {
                return Err(CliError::Input(format!(
                    "two tasks have the id '{}': {} and {}",
                    task.id,
                    other.display(),
                    task.path.display()
                )));
            }
        }
        let stage = Stage {
            cache,
            browser: browser(),
            path: crate::environment::var("PATH")
                .unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned()),
            shell: if documents.allow_shell { ShellUse::Allowed } else { ShellUse::Refused },
        };
        Ok(Play { hash: found.hash, set: found.set, tasks: PlayedTask::all(tasks, &stage), left_out })
    }
}

#[cfg(feature = "web")]
fn browser() -> Option<Arc<dyn Browser>> {
    Some(Arc::new(crate::osworld::Browsers))
}

#[cfg(not(feature = "web"))]
fn browser() -> Option<Arc<dyn Browser>> {
    None
}

impl DocumentArgs {
    fn cache(&self) -> Result<Cache, CliError> {
        let folder = self.osworld_cache.clone().or_else(cache_folder).ok_or_else(|| {
            CliError::Input("there is no cache folder here: name one with --osworld-cache DIR".into())
        })?;
        if self.offline {
            return Ok(Cache::offline(folder));
        }
        let downloads = Downloads::new().map_err(|e| CliError::Input(format!("cannot download: {e}")))?;
        Ok(Cache::online(folder, Arc::new(downloads)))
    }
}

/// The tasks that are not played, for people.
pub fn told(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let mut text = format!("\nnot played, not scored: {} tasks that cannot be played here\n", left_out.len());
    for left in left_out {
        text.push_str(&format!("  {}/{}: {}\n", left.domain, left.task, left.why));
    }
    text
}
