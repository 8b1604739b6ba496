//! OSWorld's task files: which of them can be played here.

use std::sync::Arc;

use waldo_devices::ShellUse;
use waldo_osworld::survey::Row;
use waldo_osworld::{Browser, Cache, HostPrograms, OsTask, PlayedTask, Stage, Survey, load_set};
use waldo_tasks::TaskError;

use super::{DocumentArgs, LeftOut, OSWORLD, OsworldArgs, Play, told};
use crate::cli::CliError;
use crate::osworld::{Downloads, cache_folder};

/// What was found in a folder of task files.
pub struct Found {
    /// Every task.
    pub survey: Survey,
    /// SHA-256 of their files.
    pub hash: String,
    /// The list that chose them.
    pub set: Option<String>,
    tasks: Vec<OsTask>,
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
