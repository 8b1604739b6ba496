//! OSWorld's task files: which of them can be played here.

use std::sync::Arc;

use waldo_devices::{Platform, ShellUse};
use waldo_osworld::survey::TaskRow;
use waldo_osworld::{Cache, HostPrograms, OsTask, OsworldStage, PlayedTask, Survey, load_set};
use waldo_tasks::TaskError;

use super::super::osworld_args::{DocumentArgs, OsworldArgs};
use super::super::provider::{LeftOut, Opened, Request, SuiteError};
use super::OSWORLD;
use super::elsewhere;
use super::world::{Downloads, browser, cache_folder};

/// What was found in a folder of task files.
pub struct FoundTasks {
    pub survey: Survey,
    /// SHA-256 of their files.
    pub hash: String,
    pub set: Option<String>,
    tasks: Vec<OsTask>,
}

impl From<&TaskRow> for LeftOut {
    fn from(row: &TaskRow) -> Self {
        Self { task: row.id.clone(), domain: row.domain.clone(), why: row.why() }
    }
}

/// Reads the task files and looks at what they need of this machine.
///
/// # Errors
/// When the folder is not named, or its files cannot be read.
pub fn read(place: &OsworldArgs) -> Result<FoundTasks, SuiteError> {
    let found = load(place)?;
    Ok(FoundTasks { survey: Survey::of(&found.tasks, &HostPrograms), ..found })
}

fn load(place: &OsworldArgs) -> Result<FoundTasks, SuiteError> {
    let dir = place.osworld_dir.as_deref().ok_or_else(|| {
        SuiteError::Input(
            "osworld needs --osworld-dir DIR, a copy of the benchmark or a folder of its task files".into(),
        )
    })?;
    let loaded = load_set(dir, place.osworld_set.as_deref()).map_err(TaskError::from)?;
    let survey = Survey { rows: Vec::new() };
    Ok(FoundTasks { survey, hash: loaded.hash, set: loaded.set, tasks: loaded.tasks })
}

/// The tasks that can be played here.
///
/// # Errors
/// As [`read`]; when an id is not known, or names two tasks.
pub fn open(request: &Request<'_>) -> Result<Opened, SuiteError> {
    let (only, documents) = (request.only, &request.play.documents);
    let mut found = load(&request.place.osworld)?;
    if let Some(name) = only.iter().find(|name| !found.tasks.iter().any(|task| task.id == **name)) {
        return Err(TaskError::UnknownTask { name: name.clone(), suite: OSWORLD.into() }.into());
    }
    let wanted = |id: &String| only.is_empty() || only.contains(id);
    found.tasks.retain(|task| wanted(&task.id));
    let elsewhere = elsewhere::of(request, &found.tasks)?;
    found.survey = match &elsewhere {
        Some((_, programs)) => Survey::of(&found.tasks, programs),
        None => Survey::of(&found.tasks, &HostPrograms),
    };
    let cache = documents.cache()?;
    if documents.offline {
        found.survey.offline(&found.tasks, &cache);
    }
    let left_out: Vec<LeftOut> = found.survey.left_out().map(LeftOut::from).collect();
    let mut tasks = found.tasks;
    tasks.retain(|task| !left_out.iter().any(|left| left.task == task.id && left.domain == task.domain));
    let mut files = std::collections::HashMap::new();
    for task in &tasks {
        if let Some(other) = files.insert(&task.id, &task.path) {
            return Err(SuiteError::Input(format!(
                "two tasks have the id '{}': {} and {}",
                task.id,
                other.display(),
                task.path.display()
            )));
        }
    }
    let stage = OsworldStage {
        cache,
        browser: browser(),
        path: crate::environment::var("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned()),
        // Elsewhere it says that tasks may run commands; agents are offered none.
        shell: if documents.allow_shell && elsewhere.is_none() {
            ShellUse::Allowed
        } else {
            ShellUse::Refused
        },
        elsewhere: elsewhere.map(|(place, _)| place),
    };
    let tasks = PlayedTask::all(tasks, &stage);
    let opened = Opened::whole(OSWORLD, Platform::Desktop, &found.hash, tasks);
    Ok(Opened { left_out, set: found.set, ..opened })
}

impl DocumentArgs {
    fn cache(&self) -> Result<Cache, SuiteError> {
        let folder = self.osworld_cache.clone().or_else(cache_folder).ok_or_else(|| {
            SuiteError::Input("there is no cache folder here: name one with --osworld-cache DIR".into())
        })?;
        if self.offline {
            return Ok(Cache::offline(folder));
        }
        let downloads = Downloads::new().map_err(|e| SuiteError::Input(format!("cannot download: {e}")))?;
        Ok(Cache::online(folder, Arc::new(downloads)))
    }
}
