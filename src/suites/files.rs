//! Suites of task files: the built-in ones, and folders with a suite.toml.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use waldo_devices::Platform;
use waldo_tasks::PersonModel;
use waldo_tasks::suite::{Suite, TaskDef, builtin_ids};

use super::args::SuiteArgs;
use super::provider::{LeftOut, Listing, Opened, Request, SuiteError, SuiteProvider, SuiteSummary};
use crate::preflight::PreflightQuestion;
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
        let mut suite = Suite::find(request.suite)?;
        let (people, questions) = with_people(&mut suite, request)?;
        let suite = Arc::new(suite);
        let tasks = suite.tasks(request.host, request.real);
        let whole = Opened::whole(&suite.id, suite.platform, &suite.hash, tasks);
        let apps = suite.tasks.iter().flat_map(|task| &task.applications);
        let versions: Map<String, Value> =
            apps.map(|app| (app.name.clone(), app.file.version.clone().into())).collect();
        let parts = [("apps", versions), ("people", people)].into_iter().filter(|(_, all)| !all.is_empty());
        let own = Value::Object(parts.map(|(name, all)| (name.to_owned(), all.into())).collect());
        let opened = Opened { budgets: suite.budgets.clone(), own, questions, ..whole };
        without_missing(&suite, opened.only(request.only, request.suite)?).playable()
    }
}

/// Names the models that play the persons of tasks, as far as the configuration defines them: each by its contestant, and the
/// questions that test whether they can be asked.
fn with_people(
    suite: &mut Suite,
    request: &Request<'_>,
) -> Result<(Map<String, Value>, Vec<PreflightQuestion>), SuiteError> {
    let (mut people, mut questions) = (Map::new(), Vec::new());
    let mut found: BTreeMap<String, Option<PersonModel>> = BTreeMap::new();
    let played = |task: &&mut TaskDef| request.only.is_empty() || request.only.contains(&task.id);
    for task in suite.tasks.iter_mut().filter(played) {
        let Some(name) = task.person_played_by().map(str::to_owned) else { continue };
        if let Some(known) = found.get(&name) {
            task.person.clone_from(known);
            continue;
        }
        let (model, question) = (request.person)(&name)?.unzip();
        if let Some(PersonModel(client)) = &model {
            people.insert(name.clone(), client.model().into());
        }
        questions.extend(question.flatten());
        task.person.clone_from(&model);
        found.insert(name, model);
    }
    Ok((people, questions))
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
    let unplayed = |id: &str| {
        let task = suite.tasks.iter().find(|task| task.id == id && task.person.is_none())?;
        let name = task.person_played_by()?;
        Some(format!(
            "its person is played by the model of [contestant.{name}], which waldo.toml does not define"
        ))
    };
    let lacks = |id: &str| {
        let missing = missing(id);
        let why = || format!("needs {}, which is not installed here", missing.join(", "));
        (!missing.is_empty()).then(why)
    };
    let (mut played, mut left_out) = (Vec::new(), Vec::new());
    for task in opened.tasks {
        let id = task.entry().id;
        let installed = || not_installed(&id).map(|error| error.to_string());
        match unplayed(&id).or_else(installed).or_else(|| lacks(&id)) {
            Some(why) => left_out.push(LeftOut { task: id, domain: suite.id.clone(), why }),
            None => played.push(task),
        }
    }
    opened.tasks = played;
    opened.left_out = left_out;
    opened
}
