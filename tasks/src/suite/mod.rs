//! Suites: folders of task files and the pages that they are played on.
//!
//! Duty: read a suite (built in or from a folder), refuse what is malformed with file, line and field,
//! draw an [`Instance`] of a task from a seed, and [`judge`] how an episode ended.
//!
//! Invariants: an instance is a function of the task file and the seed; a task's seed does not depend
//! on any other task; the declared order is the order of `suite.toml`; every task of a loaded suite
//! has been drawn once, so a template that names nothing is found before any run.

mod answer;
mod app;
mod builtin;
mod change;
mod check;
mod check_file;
mod check_line;
mod condition;
mod desktop;
mod digest;
mod embedded;
mod event;
mod everything_else;
mod file;
mod instance;
mod judge;
mod load;
mod params;
pub mod problem;
mod rules;
pub mod schema;
mod site;
mod template;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waldo_devices::{Deadline, Platform};

use crate::TaskError;
use crate::record::TaskEntry;
use crate::state::Store;

pub use answer::number_in;
pub use app::{AppDef, AppFile, AppState, DebPackage, Seed, SystemNeed, app_names};
pub use builtin::builtin_ids;
pub use check::Check;
pub(crate) use condition::glob_regex;
pub(crate) use desktop::await_ready;
pub use event::{PendingEvents, TaskEvent};
pub use file::UserFile;
pub(crate) use instance::answer_pattern;
pub use instance::{Instance, InstanceContext, ScreenDef, TaskDef, instance_seed};
pub use judge::{Evidence, Judgement, judge, judge_all};
pub(crate) use judge::{Looks, feasibility, judge_checks};
pub use site::{SiteFile, SiteFiles};

/// What it means that something has changed which no check explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EverythingElse {
    Counts,
    /// Nothing: it is not looked at.
    #[default]
    Ignored,
}

/// Files by their paths below a suite.
pub type Parts = BTreeMap<String, Arc<[u8]>>;

/// All files in a folder, their paths behind `prefix`. Hidden ones are left out.
pub(crate) fn folder_parts(path: &Path, prefix: &str) -> Result<Parts, TaskError> {
    let files = load::SuiteFiles::folder(path)?.files;
    Ok(files.into_iter().map(|(name, bytes)| (format!("{prefix}{name}"), bytes)).collect())
}

/// A suite: its tasks in the declared order and its pages.
#[derive(Clone, Debug)]
pub struct Suite {
    pub id: String,
    pub title: String,
    /// Its level, such as `L3`.
    pub level: String,
    pub platform: Platform,
    /// The step budget of tasks that name none.
    pub max_steps: u32,
    /// Step budgets that its tables are also made for, where nobody asks for others.
    pub budgets: Vec<u32>,
    pub tasks: Vec<TaskDef>,
    pub site: SiteFiles,
    /// SHA-256 over names and contents of all files, in lower-case hexadecimal.
    pub hash: String,
}

impl Suite {
    pub fn builtin(id: &str) -> Result<Self, TaskError> {
        // A test draws the tasks of all of them, which would take longer here than all else.
        load::load(&builtin::source(id)?, 0)
    }

    pub fn open(path: &Path) -> Result<Self, TaskError> {
        load::load(&load::SuiteFiles::folder(path)?, load::TRIALS)
    }

    /// The built-in suite of that name, or else the suite in the folder of that name. A folder whose
    /// name is that of a built-in suite is reached as `./NAME`.
    pub fn find(name_or_path: &str) -> Result<Self, TaskError> {
        if builtin_ids().contains(&name_or_path) {
            return Self::builtin(name_or_path);
        }
        let path = Path::new(name_or_path);
        if path.is_dir() {
            return Self::open(path);
        }
        Err(builtin::unknown(name_or_path))
    }

    /// Has the record of each episode say what changed on the screens, whatever the checks ask for.
    pub fn record_states(&mut self) {
        for task in &mut self.tasks {
            task.records_state = true;
            task.screens.iter_mut().for_each(|screen| screen.def.records_state = true);
        }
    }

    /// Its pages, and the files of its folder `files`.
    pub fn parts(&self) -> Parts {
        let pages = self.site.all().map(|(path, bytes)| (format!("site/{path}"), bytes));
        let files = self.tasks.first().map(|task| task.files.clone()).unwrap_or_default();
        let files = files.iter().map(|(path, bytes)| (format!("files/{path}"), bytes.clone()));
        pages.chain(files.collect::<Vec<_>>()).collect()
    }

    pub fn task(&self, id: &str) -> Result<&TaskDef, TaskError> {
        self.tasks
            .iter()
            .find(|task| task.id == id)
            .ok_or_else(|| TaskError::UnknownTask { name: id.to_owned(), suite: self.id.clone() })
    }

    /// All tasks as manifest and report know them, in the declared order.
    pub fn entries(&self) -> Vec<TaskEntry> {
        self.tasks.iter().map(|task| task.entry(self)).collect()
    }
}

/// One request that a page made of its server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestLog {
    pub method: String,
    /// The path, percent-encoded as it was sent.
    pub path: String,
    /// The query without its question mark; empty when there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// The body: JSON as it is, a form as an object of strings, any other text as a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    pub status: u16,
}

/// Serves the pages of suites.
#[async_trait]
pub trait SiteHost: Send + Sync {
    /// An origin of its own for one episode; forgotten when the lease is dropped.
    ///
    /// # Errors
    /// [`TaskError::Io`] when the server is gone.
    async fn lease(&self, files: SiteFiles) -> Result<Arc<dyn SiteLease>, TaskError>;

    /// An origin for an instance of an application, which [`SiteLease::open`] starts.
    ///
    /// # Errors
    /// [`TaskError::App`] when it is not installed, [`TaskError::Io`] when no port can be had.
    async fn app(&self, app: &Arc<AppDef>) -> Result<Arc<dyn SiteLease>, TaskError>;
}

/// The origin of one episode and the state behind it.
#[async_trait]
pub trait SiteLease: Send + Sync {
    /// Starts the application behind it with what an instance's data gets, and waits until it is ready.
    ///
    /// # Errors
    /// [`TaskError::App`] with the step that failed.
    async fn open(&self, _seeds: &[Seed], _deadline: Deadline) -> Result<(), TaskError> {
        Ok(())
    }

    /// What the application behind it keeps: stores by name.
    ///
    /// # Errors
    /// [`TaskError::App`] when it cannot be read.
    async fn stores(&self) -> Result<BTreeMap<String, Store>, TaskError> {
        Ok(BTreeMap::new())
    }

    /// Whether the application behind it still runs.
    ///
    /// # Errors
    /// [`TaskError::App`] when it does not: the attempt is invalid.
    async fn health(&self) -> Result<(), TaskError> {
        Ok(())
    }

    /// Whether the application behind it answers; asked at the end of what was not solved.
    ///
    /// # Errors
    /// [`TaskError::App`] when it does not within ten seconds: the attempt is invalid.
    async fn answers(&self) -> Result<(), TaskError> {
        Ok(())
    }

    /// How long one of its pages may take to come before the attempt is invalid. When absent a late page is something
    /// that the agent sees.
    fn answers_within(&self) -> Option<Duration> {
        None
    }

    /// The origin, such as `http://e3-9f2c.localhost:40123`; no slash at its end.
    fn origin(&self) -> &str;

    /// A second origin with the same pages and the same state, for frames of another origin.
    fn other_origin(&self) -> &str;

    /// Begins an attempt: sets seed, parameters and state, and forgets all requests so far.
    fn start(&self, page_seed: u32, params: &Value, state: &Value);

    /// Sets a value of the pages' state at a JSON pointer; whether there is such a place.
    fn set(&self, pointer: &str, value: Value) -> bool;

    fn state(&self) -> Value;

    /// The requests since [`SiteLease::start`], in the order in which they were answered.
    fn requests(&self) -> Vec<RequestLog>;

    fn overflowed(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
