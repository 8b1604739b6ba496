//! Reading a suite's files, and refusing what is malformed.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};
use waldo_devices::Platform;
use waldo_devices::foreign::{self, EntryKind};

use super::app::AppDef;
use super::desktop::SuiteFolder;
use super::digest::hash_of;
use super::file::{EverythingElseFile, ScreenFile, SuiteFile, TaskFile};
use super::instance::{InstanceContext, ScreenDef, TaskDef};
use super::problem::{Problem, parse_toml, read, suggest};
use super::site::SiteFiles;
use super::{EverythingElse, Parts, Suite, params, rules};
use crate::TaskError;

/// The versions of the suite format that are read.
const FORMATS: std::ops::RangeInclusive<u32> = 1..=2;
/// Folders within folders; deeper ones are taken for a link to itself.
const MAX_DEPTH: usize = 16;
/// Seeds that every task is drawn from when its suite is loaded from a folder.
pub(super) const TRIALS: u64 = 4;

/// The files of a suite, wherever they come from.
pub(super) struct SuiteFiles {
    /// Shown before the path of a file in messages.
    name: String,
    /// By path below the suite's folder, with forward slashes.
    pub(super) files: Parts,
}

impl SuiteFiles {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), files: Parts::new() }
    }

    /// Adds a file. Hidden files (of editors, of file managers) are not part of a suite.
    pub fn add(&mut self, path: &str, content: &[u8]) {
        if !path.split('/').any(|part| part.starts_with('.')) {
            self.files.insert(path.to_owned(), content.into());
        }
    }

    pub fn folder(path: &Path) -> Result<Self, TaskError> {
        let mut source = Self::new(&path.display().to_string());
        source.walk(path, path, "", 0)?;
        Ok(source)
    }

    fn walk(&mut self, root: &Path, folder: &Path, prefix: &str, depth: usize) -> Result<(), TaskError> {
        let failed = |path: &Path| TaskError::io("read", path);
        if depth > MAX_DEPTH {
            let source = std::io::Error::other("too many folders within folders");
            return Err(failed(folder)(source));
        }
        for entry in foreign::list(root, folder).map_err(failed(folder))? {
            let path = entry.path;
            let name = entry.name.into_string().map_err(|name| {
                let message = format!("the name {} is not UTF-8", name.display());
                failed(folder)(std::io::Error::other(message))
            })?;
            if name.starts_with('.') {
                continue;
            }
            let below = format!("{prefix}{name}");
            if entry.kind == EntryKind::Folder {
                self.walk(root, &path, &format!("{below}/"), depth + 1)?;
            } else {
                let bytes = foreign::read(root, &path, foreign::TEXT_BYTES).map_err(failed(&path))?;
                self.add(&below, &bytes);
            }
        }
        Ok(())
    }

    /// What a file is called in messages.
    fn shown(&self, path: &str) -> String {
        format!("{}/{path}", self.name)
    }

    fn text(&self, path: &str) -> Result<&str, TaskError> {
        let whole = |message: String| TaskError::Definition {
            file: self.shown(path),
            line: 0,
            field: String::new(),
            message,
        };
        let bytes = self.files.get(path).ok_or_else(|| {
            whole("no such file; a suite is a folder with suite.toml, tasks and site".into())
        })?;
        std::str::from_utf8(bytes).map_err(|error| whole(format!("not UTF-8: {error}")))
    }
}

/// A suite of these files; each task is drawn from `trials` seeds, so that what is wrong with it is told now.
pub(super) fn load(source: &SuiteFiles, trials: u64) -> Result<Suite, TaskError> {
    let site =
        SiteFiles::new(source.files.iter().filter_map(|(path, content)| {
            Some((path.strip_prefix("site/")?.to_owned(), Arc::clone(content)))
        }));
    let text = source.text("suite.toml")?;
    let failed = |problem: Problem| problem.of_file(&source.shown("suite.toml"), text);
    let value = parse_toml(&source.shown("suite.toml"), text)?;
    let file: SuiteFile = read(&value).map_err(failed)?;
    rules::suite(&file, FORMATS).map_err(failed)?;

    let files = source
        .files
        .iter()
        .filter_map(|(path, content)| Some((path.strip_prefix("files/")?.to_owned(), Arc::clone(content))));
    let files: SuiteFolder = Arc::new(files.collect());
    let mut found: Vec<TaskDef> = Vec::new();
    for path in source.files.keys() {
        let is_task = path.strip_prefix("tasks/").is_some_and(|name| name.ends_with(".toml"));
        if !is_task {
            continue;
        }
        let task = load_task(source, path, &file, &site, &files, trials)?;
        if let Some(twin) = found.iter().find(|other| other.id == task.id) {
            let problem = Problem::new("id", format!("'{}' is also the id of {}", task.id, twin.file));
            return Err(problem.of_file(&task.file, source.text(path)?));
        }
        found.push(task);
    }
    let tasks = in_order(found, &file.order).map_err(failed)?;
    let apps = tasks.iter().flat_map(|task| &task.applications);
    let apps: BTreeMap<&str, &str> = apps.map(|app| (app.name.as_str(), app.hash.as_str())).collect();
    let hash = apps.iter().fold(hash_of(&source.files), |hash, (name, of_app)| {
        HEXLOWER.encode(&Sha256::digest(format!("{hash}/{name}/{of_app}")))
    });
    Ok(Suite {
        id: file.id,
        title: file.title,
        level: file.level,
        platform: file.platform,
        max_steps: file.max_steps,
        budgets: file.budgets,
        tasks,
        site,
        hash,
    })
}

fn in_order(mut found: Vec<TaskDef>, order: &[String]) -> Result<Vec<TaskDef>, Problem> {
    let mut seen = HashSet::new();
    let mut tasks = Vec::with_capacity(order.len());
    for (n, id) in order.iter().enumerate() {
        let path = format!("order[{n}]");
        if !seen.insert(id) {
            return Err(Problem::new(path, format!("'{id}' is named twice")));
        }
        let Some(at) = found.iter().position(|task| task.id == *id) else {
            let known: Vec<&str> = found.iter().map(|task| task.id.as_str()).collect();
            let message = format!("no file in tasks/ has the id '{id}'; {}", suggest(id, &known));
            return Err(Problem::new(path, message));
        };
        tasks.push(found.swap_remove(at));
    }
    match found.first() {
        None => Ok(tasks),
        Some(task) => {
            let message =
                format!("'{}' ({}) is not in the order; new tasks go to its end", task.id, task.file);
            Err(Problem::new("order", message))
        }
    }
}

/// The applications that the screens of the web of a task show, of the suite's own folder `apps` or built in; what may
/// change in each of their tasks, may in this.
fn applications(
    file: &mut TaskFile,
    platform: Platform,
    source: &SuiteFiles,
) -> Result<Vec<Arc<AppDef>>, Problem> {
    if platform.has_pages() {
        return Ok(application(&file.apps, &mut file.may_change, source)?.into_iter().collect());
    }
    let mut found: Vec<Arc<AppDef>> = Vec::new();
    let of_web = file.screen.iter_mut().enumerate().filter(|(_, screen)| screen.platform.has_pages());
    for (n, screen) in of_web {
        let app = application(&screen.apps, &mut screen.may_change, source)
            .map_err(|problem| problem.below(&format!("screen[{n}]")))?;
        match app {
            Some(app) if found.iter().any(|other| other.name == app.name) => {
                let message = format!("'{}' is on another screen already", app.name);
                return Err(Problem::new(format!("screen[{n}].apps"), message));
            }
            app => found.extend(app),
        }
    }
    Ok(found)
}

fn application(
    names: &[String],
    may_change: &mut serde_json::Map<String, Value>,
    source: &SuiteFiles,
) -> Result<Option<Arc<AppDef>>, Problem> {
    let name = match names {
        [] => return Ok(None),
        [name] => name,
        _ => return Err(Problem::new("apps", "a screen of the web shows one application")),
    };
    let prefix = format!("apps/{name}/");
    let own = source.files.iter();
    let own =
        own.filter_map(|(path, content)| Some((path.strip_prefix(&prefix)?.to_owned(), content.clone())));
    let own: Parts = own.collect();
    let app = if own.is_empty() { AppDef::find(name) } else { AppDef::read(name, own).map(Arc::new) };
    let app = app.map_err(|error| Problem::new("apps[0]", error.to_string()))?;
    for (store, keys) in &app.file.may_change {
        let of_task = may_change.entry(store).or_insert_with(|| Value::Array(Vec::new()));
        if let (Value::Array(all), Value::Array(more)) = (of_task, keys) {
            all.extend(more.iter().cloned());
        }
    }
    Ok(Some(app))
}

fn load_task(
    source: &SuiteFiles,
    path: &str,
    suite: &SuiteFile,
    site: &SiteFiles,
    files: &SuiteFolder,
    trials: u64,
) -> Result<TaskDef, TaskError> {
    let text = source.text(path)?;
    let shown = source.shown(path);
    let value = parse_toml(&shown, text)?;
    let raw = Arc::new(value.clone());
    let checked = read::<TaskFile>(&value).and_then(|mut file| {
        rules::task(&file, suite.platform)?;
        let applications = applications(&mut file, suite.platform, source)?;
        params::validate(&file.params)?;
        // Suites of the first format were written before changes were compared.
        let everything_else = match (suite.format, file.everything_else) {
            (1, _) | (_, Some(EverythingElseFile::Ignored)) => EverythingElse::Ignored,
            (_, None) => EverythingElse::Counts,
        };
        let mut task = TaskDef {
            screens: Vec::new(),
            id: file.id.clone(),
            title: file.title.clone(),
            category: file.category.clone(),
            goal: file.goal.clone(),
            platform: suite.platform,
            start: file.start.clone(),
            max_steps: file.max_steps.unwrap_or(suite.max_steps),
            infeasible: file.infeasible,
            file: shown.clone(),
            everything_else,
            records_state: false,
            source: file,
            raw: raw.clone(),
            files: files.clone(),
            applications,
            person: None,
        };
        let on_screen = |screen: &ScreenFile| ScreenDef {
            name: screen.name.clone(),
            def: TaskDef {
                platform: screen.platform,
                start: screen.start.clone(),
                source: task.source.on_screen(screen),
                ..task.clone()
            },
        };
        task.screens = task.source.screen.iter().map(on_screen).collect();
        let ctx = InstanceContext {
            origin: "http://e0.localhost:1".to_owned(),
            other_origin: "http://o0.localhost:1".to_owned(),
        };
        for seed in 0..trials {
            let drawn = task.draw(seed, &ctx)?;
            rules::instance(&drawn, site)?;
            if !task.screens.is_empty() {
                rules::events_on(&drawn, &task.screens)?;
            }
            for (n, screen) in task.screens.iter().enumerate() {
                let drawn = screen.def.draw(seed, &ctx).and_then(|drawn| rules::stage(&drawn, site));
                drawn.map_err(|problem| problem.below(&format!("screen[{n}]")))?;
            }
        }
        Ok(task)
    });
    checked.map_err(|problem| problem.of_file(&shown, text))
}
