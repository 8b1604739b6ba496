//! A suite's folder with the drafted task in it: a new one, or one that there is.
//!
//! Invariants: a file that is there is not changed, but for the order of the suite, which gets the task at its end; what
//! was left for the author stands in the task's file as a comment.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waldo_devices::{Platform, foreign};

use super::{DraftEntry, plain, plain_value};
use crate::error::{Result, TaskError};
use crate::suite::{Instance, Parts, Suite, TaskDef, folder_parts};

/// Letters of an id that is made of a goal.
const ID: usize = 40;

/// The id that a goal gives: its words in small letters, joined by hyphens.
pub fn id_of(goal: &str) -> String {
    let mut id = String::new();
    let words = goal.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        if id.len() + word.len() > ID {
            break;
        }
        if !id.is_empty() {
            id.push('-');
        }
        id.push_str(&word.to_ascii_lowercase());
    }
    if id.is_empty() { "demonstrated".to_owned() } else { id }
}

#[derive(Clone, Debug)]
pub enum StartPage {
    /// On a page, in an app or a program, with nothing else prepared.
    Plain {
        start: String,
        apps: Vec<String>,
        /// Lines for a phone's shell.
        setup: Vec<String>,
    },
    /// As another task does, in the instance that was drawn.
    AsTask {
        def: Box<TaskDef>,
        instance: Box<Instance>,
        parts: Parts,
        /// Lines for a phone's shell, before the task's own.
        setup: Vec<String>,
    },
}

/// A drafted task, and the suite that it is for.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// `suite.toml` as it is there.
    there: Option<String>,
    id: String,
    platform: Platform,
    parts: Parts,
    new: Vec<String>,
    task: DraftEntry,
}

fn wrong(path: &Path, field: &str, message: String) -> TaskError {
    TaskError::Definition {
        file: path.display().to_string(),
        line: 0,
        field: if field.is_empty() { String::new() } else { format!("{field}: ") },
        message,
    }
}

impl Folder {
    /// A task of this id and goal for the suite at `path`, which is read where it is there. `pages` is the folder of the
    /// task's pages, where they come from elsewhere.
    pub fn new(
        path: &Path,
        (id, goal): (&str, &str),
        platform: Platform,
        from: &StartPage,
        pages: Option<&Path>,
    ) -> Result<Self> {
        let file = path.join("suite.toml");
        let there = match foreign::read_text(path, &file, foreign::TEXT_BYTES) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(TaskError::io("read", &file)(error)),
        };
        let mut parts = Parts::new();
        if there.is_some() {
            let suite = Suite::open(path)?;
            if suite.platform != platform {
                let message = format!("the suite is played on {}", suite.platform.as_str());
                return Err(wrong(&file, "platform", message));
            }
            if suite.tasks.iter().any(|task| task.id == id) {
                return Err(wrong(&file, "order", format!("there is a task '{id}' already; give --id")));
            }
            parts = suite.parts();
        }
        let mut more = match from {
            StartPage::AsTask { parts, .. } => parts.clone(),
            StartPage::Plain { .. } => Parts::new(),
        };
        if let Some(pages) = pages {
            more.extend(folder_parts(pages, "site/")?);
        }
        let mut new = Vec::new();
        for (name, bytes) in more {
            match parts.get(&name) {
                Some(known) if *known == bytes => {}
                Some(_) => {
                    let message = "the suite has another file of this name".to_owned();
                    return Err(wrong(&path.join(&name), "", message));
                }
                None => {
                    new.push(name.clone());
                    parts.insert(name, bytes);
                }
            }
        }
        let task = head(id, goal, from);
        Ok(Self { path: path.to_owned(), there, id: id.to_owned(), platform, parts, new, task })
    }

    pub fn has_page(&self, path: &str) -> bool {
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
        let index = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
        self.parts.contains_key(&format!("site/{path}{index}"))
    }

    pub fn file(&self) -> PathBuf {
        self.path.join("tasks").join(format!("{}.toml", self.id))
    }

    /// Writes the task alone, with all that it needs, into another folder, to be played there.
    pub fn alone(&self, at: &Path, steps: &[DraftEntry], checks: &[DraftEntry]) -> Result<()> {
        for (name, bytes) in &self.parts {
            foreign::write(at, Path::new(name), bytes).map_err(TaskError::io("write", &at.join(name)))?;
        }
        let text = self.text(steps, checks, &[], &[]);
        let write = |name: &str, text: &str| {
            foreign::write(at, Path::new(name), text.as_bytes())
                .map_err(TaskError::io("write", &at.join(name)))
        };
        write(&format!("tasks/{}.toml", self.id), &text)?;
        write("suite.toml", &self.suite())
    }

    /// Writes the task into its suite. `weaker` checks and what is `left` for the author become comments.
    pub fn write(
        &self,
        steps: &[DraftEntry],
        checks: &[DraftEntry],
        weaker: &[DraftEntry],
        left: &[String],
    ) -> Result<()> {
        let write = |name: &Path, bytes: &[u8]| {
            foreign::write(&self.path, name, bytes).map_err(TaskError::io("write", &self.path.join(name)))
        };
        let suite = match &self.there {
            Some(there) => self.appended(there)?,
            None => self.suite(),
        };
        for name in &self.new {
            if let Some(bytes) = self.parts.get(name) {
                write(Path::new(name), bytes)?;
            }
        }
        let text = self.text(steps, checks, weaker, left);
        write(&Path::new("tasks").join(format!("{}.toml", self.id)), text.as_bytes())?;
        write(Path::new("suite.toml"), suite.as_bytes())
    }

    /// The suite's order with the task at its end; all else as it is.
    fn appended(&self, there: &str) -> Result<String> {
        let order = |text: &str| {
            let table = text.parse::<toml::Table>().ok()?;
            let order = table.get("order")?.as_array()?.clone();
            order.into_iter().map(|id| id.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        };
        let added = || {
            let begin = there.lines().scan(0, |at, line| {
                let begin = *at;
                *at += line.len() + 1;
                Some((begin, line))
            });
            let (begin, _) = begin.into_iter().find(|(_, line)| line.trim_start().starts_with("order"))?;
            let end = begin + there.get(begin..)?.find(']')?;
            let (head, tail) = (there.get(..end)?, there.get(end..)?);
            let trimmed = head.trim_end();
            let comma = if trimmed.ends_with([',', '[']) { "" } else { "," };
            let gap = if head.len() > trimmed.len() && head.contains("\n]") { "" } else { " " };
            let gap = if trimmed.ends_with('[') { "" } else { gap };
            let space = head.get(trimmed.len()..)?;
            let text = format!("{trimmed}{comma}{gap}\"{}\"{space}{tail}", self.id);
            let mut wanted = order(there)?;
            wanted.push(self.id.clone());
            (order(&text)? == wanted).then_some(text)
        };
        added().ok_or_else(|| {
            let message = format!("write '{}' at the end of it by hand, and call this again", self.id);
            wrong(&self.path.join("suite.toml"), "order", message)
        })
    }

    fn suite(&self) -> String {
        let name = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let id = id_of(&name);
        let suite = json!({
            "format": 2,
            "id": id,
            "title": plain_title(&name, "Demonstrated tasks"),
            "level": "L3",
            "platform": self.platform,
            "max_steps": 15,
            "order": [self.id],
        });
        rendered(&suite)
    }

    fn text(
        &self,
        steps: &[DraftEntry],
        checks: &[DraftEntry],
        weaker: &[DraftEntry],
        left: &[String],
    ) -> String {
        let mut out = String::new();
        for line in left {
            out.push_str(&format!("# to do: {}\n", line.replace(['\n', '\r'], " ")));
        }
        let mut task = self.task.clone();
        // The reference's decisions, its last word, and room for a player.
        let most = (steps.len() * 2 + 2).max(15);
        task.insert("max_steps".to_owned(), most.into());
        out.push_str(&rendered(&Value::Object(task)));
        for check in checks {
            out.push('\n');
            out.push_str(&rendered(&json!({ "check": [check] })));
        }
        if !weaker.is_empty() {
            out.push_str("\n# This was seen to change, too:\n");
        }
        for check in weaker {
            let text = rendered(&json!({ "check": [check] }));
            text.lines().for_each(|line| out.push_str(&format!("# {line}\n")));
        }
        for step in steps {
            out.push('\n');
            out.push_str(&rendered(&json!({ "reference": [step] })));
        }
        out
    }
}

fn plain_title(name: &str, otherwise: &str) -> String {
    let title = name.replace(['-', '_'], " ");
    if title.trim().is_empty() { otherwise.to_owned() } else { title }
}

/// All of a task but its checks and its solution.
fn head(id: &str, goal: &str, from: &StartPage) -> DraftEntry {
    let mut task = DraftEntry::new();
    let mut put = |name: &str, value: Value| {
        task.insert(name.to_owned(), value);
    };
    put("id", id.into());
    let title: String = goal.lines().next().unwrap_or_default().chars().take(80).collect();
    put("title", title.into());
    put("category", "demonstrated".into());
    put("goal", plain(goal).into());
    match from {
        StartPage::Plain { start, apps, .. } => {
            put("start", plain(start).into());
            if !apps.is_empty() {
                put("apps", apps.iter().map(|app| plain(app)).collect());
            }
        }
        StartPage::AsTask { def, instance, .. } => {
            let own = ["id", "title", "goal", "check", "reference", "max_steps", "params"];
            if let Value::Object(source) = &*def.raw {
                for (name, value) in source.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
                    put(name, value.clone());
                }
            }
            // What was drawn when it was demonstrated.
            if let Some(params) = instance.params.as_object().filter(|params| !params.is_empty()) {
                let fixed = params.iter().map(|(name, value)| {
                    let value = plain_value(value);
                    (name.clone(), json!({ "choose": [value] }))
                });
                put("params", Value::Object(fixed.collect()));
            }
        }
    }
    let (StartPage::Plain { setup, .. } | StartPage::AsTask { setup, .. }) = from;
    if !setup.is_empty() {
        let own = task.get("setup").and_then(Value::as_array).cloned().unwrap_or_default();
        let lines = setup.iter().map(|line| json!({ "run": plain(line) }));
        task.insert("setup".to_owned(), lines.chain(own).collect());
    }
    task
}

/// A table as TOML; of what TOML has no form for, nothing.
fn rendered(value: &Value) -> String {
    match toml::to_string(&without_null(value)) {
        Ok(text) => text,
        Err(error) => format!("# to do: this could not be written as TOML ({error}): {value}\n"),
    }
}

fn without_null(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), without_null(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_null).collect(),
        other => other.clone(),
    }
}
