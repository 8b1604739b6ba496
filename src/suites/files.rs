//! Suites of task files: the built-in ones, and folders with a suite.toml.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use waldo_devices::Platform;
use waldo_tasks::suite::{Suite, builtin_ids};

use super::args::SuiteArgs;
use super::provider::{LeftOut, Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};
use crate::screens::is_there;
use crate::serve::apps;

pub struct FileSuites;

impl SuiteProvider for FileSuites {
    /// It takes what is no other's; see the registry.
    fn has(&self, _: &str) -> bool {
        false
    }

    fn summaries(&self) -> Result<Vec<SuiteSummary>, SuiteError> {
        let summary = |id| {
            let suite = Suite::builtin(id)?;
            Ok(SuiteSummary {
                platform: suite.platform.as_str(),
                tasks: Some(suite.tasks.len()),
                id: suite.id,
                level: suite.level,
                text: suite.title,
            })
        };
        builtin_ids().into_iter().map(summary).collect()
    }

    fn lacks(&self, suite: &str, _: &SuiteArgs) -> Option<&'static str> {
        let suite = Suite::find(suite).ok()?;
        let apps = apps().ok();
        let none = suite.tasks.iter().all(|task| {
            let mut all = task.applications.iter();
            all.any(|app| apps.as_ref().is_none_or(|apps| apps.installed(app).is_none()))
        });
        none.then_some("its applications are not installed: `waldo apps install`")
    }

    fn platform(&self, suite: &str) -> Result<(Platform, Vec<(String, Platform)>), SuiteError> {
        let suite = Suite::find(suite)?;
        let screens = suite.entries().into_iter().flat_map(|task| task.screens).collect();
        Ok((suite.platform, screens))
    }

    fn list(&self, suite: &str, _: &SuiteArgs) -> Result<Listing, SuiteError> {
        let suite = Suite::find(suite)?;
        let entries = suite.tasks.iter().map(|task| task.entry(&suite)).collect();
        Ok(Listing::Tasks { id: suite.id, title: suite.title, hash: suite.hash, entries })
    }

    fn open(&self, request: &Request<'_>) -> Result<Opened, SuiteError> {
        let suite = Arc::new(Suite::find(request.suite)?);
        let tasks = suite.tasks(request.host, request.real);
        let whole = Opened::whole(&suite.id, suite.platform, &suite.hash, tasks);
        let apps = suite.tasks.iter().flat_map(|task| &task.applications);
        let versions: Map<String, Value> =
            apps.map(|app| (app.name.clone(), app.file.version.clone().into())).collect();
        let own = if versions.is_empty() { Value::Null } else { json!({ "apps": versions }) };
        let opened = Opened { budgets: suite.budgets.clone(), own, ..whole };
        without_missing(&suite, opened.only(request.only, request.suite)?).playable()
    }
}

/// Leaves out the tasks whose programs or applications are not installed here.
fn without_missing(suite: &Suite, mut opened: Opened) -> Opened {
    let missing = |id: &str| -> Vec<String> {
        let programs = suite.tasks.iter().filter(|task| task.id == id).flat_map(|task| task.programs());
        programs.filter(|program| !is_there(program)).collect()
    };
    let apps = apps();
    let not_installed = |id: &str| {
        let all = suite.tasks.iter().filter(|task| task.id == id).flat_map(|task| &task.applications);
        all.filter_map(|app| apps.as_ref().map_or(None, |apps| apps.need(app).err())).next()
    };
    let (mut played, mut left_out) = (Vec::new(), Vec::new());
    for task in opened.tasks {
        let id = task.entry().id;
        let missing = missing(&id);
        if let Some(error) = not_installed(&id) {
            left_out.push(LeftOut { task: id, domain: suite.id.clone(), why: error.to_string() });
        } else if missing.is_empty() {
            played.push(task);
        } else {
            let why = format!("needs {}, which is not installed here", missing.join(", "));
            left_out.push(LeftOut { task: id, domain: suite.id.clone(), why });
        }
    }
    opened.tasks = played;
    opened.left_out = left_out;
    opened
}
