//! Drawing an instance of a task from a seed.
//!
//! Invariant: the same task file and seed give the same instance on every machine and in every later
//! version; the drawing is waldo's own and leans on no library's idea of a random range.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde_json::Value;
use waldo_agents::reference::Step;
use waldo_devices::{Deadline, DesktopSetup, Device, DeviceError, Platform, ShellUse};

use super::app::{AppDef, Seed};
use super::check::Check;
use super::check_file::CheckFile;
use super::condition::glob_regex;
use super::desktop;
use super::digest::first_eight;
use super::event::TaskEvent;
use super::everything_else::MayChange;
use super::file::{SetupFile, TaskFile, ToolFile, UserFile};
use super::params::{self, Draw};
use super::problem::{Problem, read, suggest};
use super::template::Templates;
use super::{EverythingElse, SiteLease, Suite};
use crate::TaskError;
use crate::person_model::PersonModel;
use crate::record::TaskEntry;
use crate::state::{DeviceState, Difference};

/// What templates may name beside the parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceContext {
    pub origin: String,
    /// The second origin of the episode's pages.
    pub other_origin: String,
}

impl InstanceContext {
    /// That of an episode on the pages of `lease`.
    pub fn of(lease: &dyn SiteLease) -> Self {
        Self { origin: lease.origin().to_owned(), other_origin: lease.other_origin().to_owned() }
    }
}

/// The seed of one episode's instance: the first eight bytes (big-endian) of the SHA-256 of
/// `RUN_SEED/TASK/REPEAT`, so that adding a task changes no other's.
pub fn instance_seed(run_seed: u64, task: &str, repeat: u32) -> u64 {
    first_eight(&format!("{run_seed}/{task}/{repeat}"))
}

/// A task as its file defines it. Texts are still templates.
#[derive(Clone, Debug)]
pub struct TaskDef {
    pub id: String,
    pub title: String,
    pub category: String,
    pub goal: String,
    pub platform: Platform,
    /// The template of the path, or on phones of the app, that the episode starts on.
    pub start: String,
    pub max_steps: u32,
    /// Whether the right answer is that it cannot be done.
    pub infeasible: bool,
    /// The file that defines it, for messages.
    pub file: String,
    /// The task on each of its screens, where it has several; the first is in front at the start.
    pub screens: Vec<ScreenDef>,
    /// What a change means that no check explains.
    pub everything_else: EverythingElse,
    /// Whether what changed is recorded though no check asks for it.
    pub(super) records_state: bool,
    pub(super) source: TaskFile,
    /// The file as it is written, of the whole task.
    pub(crate) raw: Arc<Value>,
    /// The files of the suite's folder `files`.
    pub(super) files: desktop::SuiteFolder,
    /// The applications that the task's screens of the web show; templates on each screen name what was drawn for all.
    pub applications: Vec<Arc<AppDef>>,
    /// The model that plays the task's person, once somebody has named one.
    pub person: Option<PersonModel>,
}

#[derive(Clone, Debug)]
pub struct ScreenDef {
    pub name: String,
    /// Its start, its stage and its checks; goal and solution are the whole task's.
    pub def: TaskDef,
}

/// One drawing of a task, with all templates rendered.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    pub task: String,
    pub goal: String,
    pub platform: Platform,
    /// The path that the episode starts on, with its leading slash; on phones the app's package, or
    /// `home`; on desktops a program with its arguments, or `desktop`.
    pub start_path: String,
    /// Packages of the apps that may be touched, on phones, and programs, on desktops; `*` at an end stands
    /// for any end.
    pub apps: Vec<String>,
    /// What the episode finds at its start, on desktops.
    pub desktop: DesktopSetup,
    /// The title of the window that the agent's first look waits for, on desktops; `*` and `?` stand for any.
    pub ready: Option<String>,
    /// Whether the agent may run shell commands, on desktops.
    pub shell: ShellUse,
    /// Lines for the phone's shell that set the stage.
    pub setup: Vec<String>,
    pub params: Value,
    /// The state that the pages start from.
    pub state: Value,
    /// What the data of its application gets before it starts.
    pub seeds: Vec<Seed>,
    pub seed: u64,
    pub page_seed: u32,
    pub events: Vec<TaskEvent>,
    /// The person who may be asked.
    pub user: Option<UserFile>,
    /// Commands of the servers of tools that may be called.
    pub tools: Vec<Vec<String>>,
    /// What must hold in the end; all of it.
    pub checks: Vec<Check>,
    /// What a change means that no check explains.
    pub everything_else: EverythingElse,
    /// Whether what changed is recorded though no check asks for it.
    pub(super) records_state: bool,
    pub(super) may_change: MayChange,
    pub reference: Vec<Step>,
    pub max_steps: u32,
    /// Whether the right answer is that it cannot be done.
    pub infeasible: bool,
}

impl TaskDef {
    /// The contestant whose model plays the task's person, where the file names one.
    pub fn person_played_by(&self) -> Option<&str> {
        self.source.user.as_ref()?.get("model")?.as_str()
    }

    /// The files of the suite's folder `files`.
    pub(crate) fn own_files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), &**bytes))
    }

    /// Programs without which a task cannot even be set up, as far as its file names them plainly: those of its tools, and
    /// on desktops what it starts, what it runs, and what a script of its own shows.
    pub fn programs(&self) -> Vec<String> {
        let first = |table: &serde_json::Map<String, Value>| {
            Some(table.get("run")?.as_array()?.first()?.as_str()?.to_owned())
        };
        let mut tools: Vec<String> = self.source.tool.iter().filter_map(first).collect();
        tools.extend(self.screens.iter().flat_map(|screen| screen.def.programs()));
        if !self.screens.is_empty() || !self.platform.has_programs() {
            return tools;
        }
        let run = self.source.program.iter();
        let run = run.filter_map(|program| program.get("run")?.as_array()?.first()?.as_str());
        let run: Vec<&str> = run.collect();
        let start = self.start.split_whitespace().next().filter(|start| *start != desktop::BARE);
        let shown = self.source.apps.iter().map(String::as_str).filter(|_| run.contains(&"sh"));
        let mut found = tools;
        for name in start.into_iter().chain(run.iter().copied()).chain(shown) {
            // What is drawn for each instance, or lies in its HOME, is not known yet.
            let plain = !name.contains(['{', '/', '*']);
            if plain && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
        found
    }

    pub fn application(&self) -> Option<&Arc<AppDef>> {
        let name = self.source.apps.first().filter(|_| self.platform.has_pages())?;
        self.applications.iter().find(|app| app.name == *name)
    }

    /// The task as manifest and report know it.
    pub fn entry(&self, suite: &Suite) -> TaskEntry {
        TaskEntry {
            id: self.id.clone(),
            title: self.title.clone(),
            category: self.category.clone(),
            level: suite.level.clone(),
            platform: suite.platform,
            infeasible: self.infeasible,
            max_steps: self.max_steps,
            suite: None,
            screens: self.screens.iter().map(|screen| (screen.name.clone(), screen.def.platform)).collect(),
        }
    }

    pub fn instance(&self, seed: u64, ctx: &InstanceContext) -> Result<Instance, TaskError> {
        self.draw(seed, ctx).map_err(|problem| TaskError::Template {
            what: format!("{}: {}", self.file, problem.path),
            message: problem.message,
        })
    }
}

impl TaskDef {
    /// Whether its file lets an entry change besides; what a template stands for in a key may be anything. Where it has
    /// several screens, the store's name begins with its screen's.
    pub fn lets_change(&self, entry: &Difference) -> bool {
        let screen = self.screens.iter().find_map(|screen| {
            let store = entry.store.strip_prefix(&screen.name)?.strip_prefix(": ")?;
            Some((&screen.def, store))
        });
        if let Some((def, store)) = screen {
            return def.lets_change(&Difference { store: store.to_owned(), ..entry.clone() });
        }
        let keys = self.source.may_change.get(&entry.store).and_then(Value::as_array);
        keys.into_iter().flatten().filter_map(Value::as_str).any(|key| {
            let mut glob = key.to_owned();
            while let Some((before, rest)) = glob.split_once("{{") {
                let after = rest.split_once("}}").map_or("", |(_, after)| after);
                glob = format!("{before}*{after}");
            }
            glob_regex(&glob).is_ok_and(|glob| glob.is_match(&entry.key))
        })
    }
}

impl Instance {
    /// The whole state of the screen at the start, where something of its judging compares with it. `pages` is the state
    /// that the task's own pages have on their server.
    pub(crate) async fn start_state(
        &self,
        device: &mut dyn Device,
        pages: Option<&Value>,
        deadline: Deadline,
    ) -> Result<Option<DeviceState>, DeviceError> {
        let compared = self.records_state
            || self.everything_else == EverythingElse::Counts
            || self.checks.iter().any(Check::wants_state);
        if !compared || self.platform.has_several_screens() {
            return Ok(None);
        }
        DeviceState::take(device, pages, deadline).await.map(Some)
    }
}

impl TaskDef {
    pub(super) fn draw(&self, seed: u64, ctx: &InstanceContext) -> Result<Instance, Problem> {
        let mut names = serde_json::Map::new();
        names.insert("origin".to_owned(), ctx.origin.clone().into());
        names.insert("other_origin".to_owned(), ctx.other_origin.clone().into());
        for app in &self.applications {
            names.insert(app.name.replace('-', "_"), app.draw(seed)?);
        }
        let mut templates = Templates::new(names);
        let params = params::draw(&self.source.params, &mut templates, &mut Draw::new(seed))?;
        let state = Value::Object(templates.map(&self.source.state, "state")?);
        let mut seeds = Vec::new();
        if let Some(app) = self.application() {
            // Where there are several, each has its own part of the state.
            templates.define("state", state.get(&app.name).unwrap_or(&state).clone());
            seeds = app.seeds(&templates)?;
        }
        let events = events(&self.source, &templates)?;
        let may_change = MayChange::read(&templates.map(&self.source.may_change, "may_change")?)?
            .with_places(events.iter().filter_map(TaskEvent::sets));
        let goal = templates.text(&self.goal, "goal")?;
        let mut checks = checks(&self.source, &templates)?;
        checks.iter_mut().for_each(|check| check.ask(&goal));
        let apps = self.source.apps.iter().enumerate();
        let apps =
            apps.map(|(n, app)| templates.text(app, &format!("apps[{n}]"))).collect::<Result<_, _>>()?;
        Ok(Instance {
            platform: self.platform,
            apps,
            desktop: desktop::stage(&self.source, &self.files, &templates)?,
            ready: self.source.ready.as_ref().map(|title| templates.text(title, "ready")).transpose()?,
            shell: if self.source.shell { ShellUse::Allowed } else { ShellUse::Refused },
            setup: setup(&self.source, &templates)?,
            task: self.id.clone(),
            goal,
            start_path: templates.text(&self.start, "start")?,
            params,
            seed,
            page_seed: page_seed(seed),
            may_change,
            events,
            user: user(&self.source, &templates)?,
            tools: tools(&self.source, &templates)?,
            checks,
            everything_else: self.everything_else,
            records_state: self.records_state,
            reference: reference(&self.source, &templates)?,
            max_steps: self.max_steps,
            infeasible: self.infeasible,
            state,
            seeds,
        })
    }
}

/// Not a part of the parameters' stream, so that a new parameter leaves the pages as they are.
fn page_seed(seed: u64) -> u32 {
    u32::try_from(first_eight(&format!("waldo/page/{seed}")) >> 32).unwrap_or_default()
}

fn setup(source: &TaskFile, templates: &Templates) -> Result<Vec<String>, Problem> {
    source
        .setup
        .iter()
        .enumerate()
        .map(|(n, step)| {
            let path = format!("setup[{n}]");
            let step = Value::Object(templates.map(step, &path)?);
            read::<SetupFile>(&step).map(|step| step.run).map_err(|problem| problem.below(&path))
        })
        .collect()
}

fn events(source: &TaskFile, templates: &Templates) -> Result<Vec<TaskEvent>, Problem> {
    let event = |(n, event): (usize, &serde_json::Map<String, Value>)| {
        let path = format!("event[{n}]");
        TaskEvent::read(templates.map(event, &path)?).map_err(|problem| problem.below(&path))
    };
    source.event.iter().enumerate().map(event).collect()
}

fn user(source: &TaskFile, templates: &Templates) -> Result<Option<UserFile>, Problem> {
    let Some(user) = &source.user else { return Ok(None) };
    let user: UserFile =
        read(&Value::Object(templates.map(user, "user")?)).map_err(|problem| problem.below("user"))?;
    let wrong = |field: String, message: String| Err(Problem::new(field, message).below("user"));
    if user.questions == 0 {
        return wrong("questions".to_owned(), "is at least 1: without a person leave [user] out".to_owned());
    }
    if user.model.is_some() != user.brief.is_some() {
        return wrong("model".to_owned(), "goes with brief, by which the model plays the person".to_owned());
    }
    for (n, answer) in user.answer.iter().enumerate() {
        if let Err(error) = answer_pattern(&answer.when) {
            return wrong(format!("answer[{n}].when"), error.to_string());
        }
    }
    Ok(Some(user))
}

/// What questions are held against.
pub(crate) fn answer_pattern(when: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(when).case_insensitive(true).build()
}

fn tools(source: &TaskFile, templates: &Templates) -> Result<Vec<Vec<String>>, Problem> {
    let tool = |(n, tool): (usize, &serde_json::Map<String, Value>)| {
        let path = format!("tool[{n}]");
        let ToolFile { run } =
            read(&Value::Object(templates.map(tool, &path)?)).map_err(|problem| problem.below(&path))?;
        match run.first() {
            Some(program) if !program.is_empty() => Ok(run),
            _ => Err(Problem::new(format!("{path}.run"), "names a program and its arguments")),
        }
    };
    source.tool.iter().enumerate().map(tool).collect()
}

fn checks(source: &TaskFile, templates: &Templates) -> Result<Vec<Check>, Problem> {
    source
        .check
        .iter()
        .enumerate()
        .map(|(n, check)| {
            let path = format!("check[{n}]");
            let check = templates.map(check, &path)?;
            CheckFile::read(check).and_then(Check::from_file).map_err(|problem| problem.below(&path))
        })
        .collect()
}

/// Fields of a step that hold numbers; what a template in them renders to is read back.
const NUMBERS: [&str; 7] = ["nth", "down", "right", "tab", "at", "path", "to"];

fn reference(source: &TaskFile, templates: &Templates) -> Result<Vec<Step>, Problem> {
    source
        .reference
        .iter()
        .enumerate()
        .map(|(n, step)| {
            let path = format!("reference[{n}]");
            let mut step = templates.map(step, &path)?;
            numbers(&mut step);
            read_step(step).map_err(|problem| problem.below(&path))
        })
        .collect()
}

/// A step has the fields that its verb takes, and no other.
fn read_step(given: serde_json::Map<String, Value>) -> Result<Step, Problem> {
    let given = Value::Object(given);
    let step: Step = read(&given)?;
    let known = step.verb.fields();
    let mut names = given.as_object().into_iter().flat_map(|given| given.keys());
    match names.find(|name| !known.contains(&name.as_str())) {
        None => Ok(step),
        Some(name) => {
            let message = format!("'{}' takes no '{name}'; {}", step.verb.name(), suggest(name, &known));
            Err(Problem::new(name, message))
        }
    }
}

fn numbers(step: &mut serde_json::Map<String, Value>) {
    for (_, value) in step.iter_mut().filter(|(name, _)| NUMBERS.contains(&name.as_str())) {
        match value {
            Value::Object(target) => numbers(target),
            other => to_numbers(other),
        }
    }
}

fn to_numbers(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(to_numbers),
        Value::String(text) => {
            if let Ok(Value::Number(number)) = serde_json::from_str(text.trim()) {
                *value = Value::Number(number);
            }
        }
        _ => {}
    }
}
