//! What a kind of suite is: where its tasks come from, and what is its own about playing them.

use std::sync::Arc;

use serde_json::{Map, Value};
use waldo_devices::count::count;
use waldo_devices::{Platform, Traffic};
use waldo_tasks::episode::Timeouts;
use waldo_tasks::record::TaskEntry;
use waldo_tasks::suite::SiteHost;
use waldo_tasks::{PersonModel, RealPhone, Task, TaskError};

use super::args::{PlayArgs, SuiteArgs};
use crate::agents::ModelArgs;
use crate::preflight::PreflightQuestion;
use crate::screens::{DeviceArgs, ScreenError};

/// What a kind of suite may fail with.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Something that a person gave.
    #[error("{0}")]
    Input(String),
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A kind of suite that this build has not.
    #[error(transparent)]
    Absent(#[from] crate::absent::Absent),
}

impl From<ScreenError> for SuiteError {
    fn from(error: ScreenError) -> Self {
        match error {
            ScreenError::Input(message) => Self::Input(message),
            ScreenError::Device(error) => Self::Task(error.into()),
            ScreenError::Absent(absent) => Self::Absent(absent),
        }
    }
}

/// A suite as `waldo tasks` lists it among others.
pub struct SuiteSummary {
    pub id: String,
    /// Its level, such as L3.
    pub level: String,
    pub platform: &'static str,
    /// How many tasks it has, where that is known without further flags.
    pub tasks: Option<usize>,
    /// What else there is to say.
    pub text: String,
}

impl SuiteSummary {
    /// The one suite of a kind whose tasks stand elsewhere: they are not counted.
    pub fn elsewhere(id: &str, platform: Platform, text: &str) -> Vec<Self> {
        let (id, level, text) = (id.to_owned(), "L3".to_owned(), text.to_owned());
        vec![Self { id, level, platform: platform.as_str(), tasks: None, text }]
    }
}

pub enum Listing {
    Tasks {
        id: String,
        title: String,
        /// SHA-256 of all that defines it.
        hash: String,
        /// Its tasks in the declared order.
        entries: Vec<TaskEntry>,
    },
    /// As the suite itself surveys them, for people and for programs.
    #[cfg_attr(
        not(any(feature = "osworld", feature = "webarena")),
        allow(dead_code, reason = "no other suite does")
    )]
    Survey { text: String, json: Value },
}

/// What is asked of a suite that is to be played.
pub struct Request<'a> {
    pub suite: &'a str,
    pub place: &'a SuiteArgs,
    pub play: &'a PlayArgs,
    /// Only these tasks, where there are any.
    pub only: &'a [String],
    pub host: &'a Arc<dyn SiteHost>,
    /// Whether phones are played on that are not simulated.
    pub real: RealPhone,
    #[cfg_attr(not(feature = "bridge"), allow(dead_code, reason = "no other suite asks"))]
    pub device: &'a DeviceArgs,
    /// What of the network is kept, for those whose judges look at it.
    #[cfg_attr(not(feature = "webarena"), allow(dead_code, reason = "no other suite asks"))]
    pub har: Traffic,
    /// How models are asked, for those that judge.
    #[cfg_attr(not(feature = "webarena"), allow(dead_code, reason = "no other suite asks"))]
    pub model: &'a ModelArgs,
    /// The model of a contestant that the configuration defines, for those whose tasks have persons.
    pub person: &'a dyn Fn(&str) -> FoundPerson,
}

/// The model that a name of the configuration stands for, and the question that tests whether it can be asked.
pub type FoundPerson = Result<Option<(PersonModel, Option<PreflightQuestion>)>, SuiteError>;

/// The tasks of a run and what the manifest says of their suite.
pub struct Opened {
    pub id: String,
    pub platform: Platform,
    /// SHA-256 of all that defines it.
    pub hash: String,
    pub tasks: Vec<Arc<dyn Task>>,
    /// Tasks of the suite that cannot be played here.
    pub left_out: Vec<LeftOut>,
    /// Step budgets that the suite's tables are also made for.
    pub budgets: Vec<u32>,
    /// The list that chose them, where there is one.
    pub set: Option<String>,
    /// What of the suite's own the manifest's parameters say; null for nothing.
    pub own: Value,
    /// The questions that test whether what judges the tasks can be asked.
    pub questions: Vec<PreflightQuestion>,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct LeftOut {
    pub task: String,
    /// The suite, or the program that it is about.
    pub domain: String,
    pub why: String,
}

impl Opened {
    /// A suite of which nothing is left out.
    pub fn whole(id: &str, platform: Platform, hash: &str, tasks: Vec<Arc<dyn Task>>) -> Self {
        Self {
            id: id.to_owned(),
            platform,
            hash: hash.to_owned(),
            tasks,
            left_out: Vec::new(),
            budgets: Vec::new(),
            set: None,
            own: Value::Null,
            questions: Vec::new(),
        }
    }

    /// Keeps `only` the named tasks, where some are named.
    ///
    /// # Errors
    /// When the suite has no task of a name.
    pub fn only(mut self, only: &[String], suite: &str) -> Result<Self, SuiteError> {
        if let Some(name) = only.iter().find(|name| !self.tasks.iter().any(|task| task.entry().id == **name))
        {
            return Err(TaskError::UnknownTask { name: name.clone(), suite: suite.to_owned() }.into());
        }
        if !only.is_empty() {
            self.tasks.retain(|task| only.contains(&task.entry().id));
        }
        Ok(self)
    }

    /// Refuses a suite of which nothing is left.
    ///
    /// # Errors
    /// With the reasons.
    pub fn playable(self) -> Result<Self, SuiteError> {
        if !self.tasks.is_empty() {
            return Ok(self);
        }
        let message = format!("nothing can be played here\n{}", left_out_text(&self.left_out));
        Err(SuiteError::Input(message.trim_end().to_owned()))
    }
}

/// The tasks that are not played, for people.
pub fn left_out_text(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let mut text =
        format!("\nnot played, not scored: {} that cannot be played here\n", count(left_out.len(), "task"));
    text.extend(left_out.iter().map(|left| format!("  {}/{}: {}\n", left.domain, left.task, left.why)));
    text
}

pub trait SuiteProvider: Sync {
    /// Whether it is this kind that `suite` names.
    fn has(&self, suite: &str) -> bool;

    /// Its suites, as `waldo tasks` lists them.
    ///
    /// # Errors
    /// When a built-in suite is damaged.
    fn summaries(&self) -> Result<Vec<SuiteSummary>, SuiteError>;

    /// What a suite lacks that somebody has to name or install; none where all is built in.
    fn lacks(&self, _suite: &str, _place: &SuiteArgs) -> Option<&'static str> {
        None
    }

    /// What one of its suites is played on: its platform, and the screens of its tasks where they have several; the web,
    /// where a kind of suite does not say otherwise.
    ///
    /// # Errors
    /// When the suite is not there, or cannot be read.
    fn platform(&self, _suite: &str) -> Result<(Platform, Vec<(String, Platform)>), SuiteError> {
        Ok((Platform::Web, Vec::new()))
    }

    /// The `--device` that one of its suites is played on and no other, where it is itself one.
    fn device(&self, _suite: &str) -> Option<String> {
        None
    }

    /// The tasks of one of its suites.
    ///
    /// # Errors
    /// When it is not there, or cannot be read.
    fn list(&self, suite: &str, place: &SuiteArgs) -> Result<Listing, SuiteError>;

    /// The tasks that can be played here.
    ///
    /// # Errors
    /// When the suite is not there, cannot be read, has no such task, or nothing of it can be played here.
    fn open(&self, request: &Request<'_>) -> Result<Opened, SuiteError>;

    /// Whether it is played on such a device, too, where files and settings cannot be laid into a HOME of its own.
    fn is_played_on(&self, _device: &str) -> bool {
        false
    }

    /// The size of the private display that its tasks are written for, in pixels.
    fn screen(&self) -> Option<(u32, u32)> {
        None
    }

    fn timeouts(&self, usual: Timeouts) -> Timeouts {
        usual
    }

    /// Steps per episode for these agents, where they are not each task's own.
    fn max_steps(&self, _agents: &[&str]) -> Option<u32> {
        None
    }

    /// Refuses ways to play that an agent does not heed: they would stand in the manifest for nothing.
    ///
    /// # Errors
    /// With the agent.
    fn check(&self, _play: &PlayArgs, _agents: &[&str]) -> Result<(), SuiteError> {
        Ok(())
    }

    /// Adds what changes results to a manifest's parameters.
    fn add_parameters(&self, _play: &PlayArgs, opened: &Opened, to: &mut Map<String, Value>) {
        if let Value::Object(own) = &opened.own {
            to.extend(own.clone());
        }
        if !opened.left_out.is_empty() {
            to.insert("left_out".to_owned(), serde_json::json!(opened.left_out));
        }
    }
}
