//! Reading a suite's files, and refusing what is malformed.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use waldo_devices::foreign::{self, EntryKind};

use super::desktop::SuiteFolder;
use super::file::{EverythingElseFile, ScreenFile, SuiteFile, TaskFile};
use super::instance::{InstanceContext, ScreenDef, TaskDef};
use super::problem::{Problem, parse_toml, read, suggest};
use super::site::SiteFiles;
use super::{EverythingElse, Suite, params, rules};
use crate::TaskError;

/// The versions of the suite format that are read.
const FORMATS: std::ops::RangeInclusive<u32> = 1..=2;
/// Folders within folders; deeper ones are taken for a link to itself.
const MAX_DEPTH: usize = 16;
/// Seeds that every task is drawn from when its suite is loaded.
const TRIALS: u64 = 4;

/// The files of a suite, wherever they come from.
pub(super) struct SuiteFiles {
    /// Shown before the path of a file in messages.
    name: String,
    /// By path below the suite's folder, with forward slashes.
    pub(super) files: BTreeMap<String, Arc<[u8]>>,
}

impl SuiteFiles {
    /// None yet.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), files: BTreeMap::new() }
    }

    /// Adds a file. Hidden files (of editors, of file managers) are not part of a suite.
    pub fn add(&mut self, path: &str, content: &[u8]) {
        if !path.split('/').any(|part| part.starts_with('.')) {
            self.files.insert(path.to_owned(), content.into());
        }
    }

    /// All files in the folder `path`.
    pub fn folder(path: &Path) -> Result<Self, TaskError> {
        let mut source = Self::new(&path.display().to_string());
        source.walk(path, path, "", 0)?;
        Ok(source)
    }

    fn walk(&mut self, root: &Path, folder: &Path, prefix: &str, depth: usize) -> Result<(), TaskError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| TaskError::Io { what: "read", path, source }
        };
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

    /// SHA-256 over names and contents, each behind its length so that no two suites run together.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for (path, content) in &self.files {
            for part in [path.as_bytes(), content] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
        }
        HEXLOWER.encode(&hash.finalize())
    }
}

pub(super) fn load(source: &SuiteFiles) -> Result<Suite, TaskError> {
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
        let task = load_task(source, path, &file, &site, &files)?;
        if let Some(twin) = found.iter().find(|other| other.id == task.id) {
            let problem = Problem::new("id", format!("'{}' is also the id of {}", task.id, twin.file));
            return Err(problem.of_file(&task.file, source.text(path)?));
        }
        found.push(task);
    }
    let tasks = in_order(found, &file.order).map_err(failed)?;
    Ok(Suite {
        id: file.id,
        title: file.title,
        level: file.level,
        platform: file.platform,
        max_steps: file.max_steps,
        budgets: file.budgets,
        tasks,
        site,
        hash: source.hash(),
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

fn load_task(
    source: &SuiteFiles,
    path: &str,
    suite: &SuiteFile,
    site: &SiteFiles,
    files: &SuiteFolder,
) -> Result<TaskDef, TaskError> {
    let text = source.text(path)?;
    let shown = source.shown(path);
    let value = parse_toml(&shown, text)?;
    let raw = Arc::new(value.clone());
    let checked = read::<TaskFile>(&value).and_then(|file| {
        rules::task(&file, suite.platform)?;
        params::validate(&file.params)?;
        // Suites of the first format were written before changes were compared.
        let everything_else = match (suite.format, file.everything_else) {
            (1, _) | (_, Some(EverythingElseFile::Ignored)) => EverythingElse::Ignored,
            (_, None) => EverythingElse::Counts,
        };
        let on_screen = |screen: &ScreenFile| ScreenDef {
            name: screen.name.clone(),
            def: TaskDef {
                id: file.id.clone(),
                title: file.title.clone(),
                category: file.category.clone(),
                goal: file.goal.clone(),
                platform: screen.platform,
                start: screen.start.clone(),
                max_steps: file.max_steps.unwrap_or(suite.max_steps),
                infeasible: file.infeasible,
                file: shown.clone(),
                screens: Vec::new(),
                everything_else,
                records_state: false,
                source: file.on_screen(screen),
                raw: raw.clone(),
                files: files.clone(),
            },
        };
        let task = TaskDef {
            screens: file.screen.iter().map(on_screen).collect(),
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
        };
        let ctx = InstanceContext {
            origin: "http://e0.localhost:1".to_owned(),
            other_origin: "http://o0.localhost:1".to_owned(),
        };
        for seed in 0..TRIALS {
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
