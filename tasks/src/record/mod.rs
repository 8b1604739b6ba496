//! What is kept of a run, and where.
//!
//! ```text
//! RUN/manifest.json                              what was run, enough to run it again
//! RUN/episodes/CONTESTANT/TASK/rN/events.jsonl   every event of the episode, a line each
//! RUN/episodes/CONTESTANT/TASK/rN/step-NN.webp   the labelled picture of each step, as it was sent (or .png, .jpg)
//! RUN/episodes/CONTESTANT/TASK/rN/result.json    written last, by rename: the episode is complete
//! RUN/summary.json report.html results.csv junit.xml summary.md
//! ```
//!
//! Invariants: an episode's folder is its own fault domain; it counts as done exactly when its
//! `result.json` exists, is valid and agrees with its events. A run may come from somebody else: names that become paths are checked when
//! they are read, no link in the folder is followed, and nothing is read past a limit.

mod claim;
mod difference;
mod episode_folder;
mod event_log;
pub mod events;
mod files;
mod folder;
mod seal;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use waldo_agents::model::{Unread, Usage};
use waldo_devices::foreign::PathName;
use waldo_devices::{DeviceInfo, Platform};

use crate::state::Difference;

pub use claim::Claim;
pub use episode_folder::EpisodeFolder;
pub(crate) use event_log::{EVENTS, read_events};
pub use files::{write_json, write_whole};
pub use folder::{FORMAT as RECORD_FORMAT, RunFolder};

/// An agent with its model, as one row of the score table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contestant {
    /// Name in folders and tables: `appagent+gpt-x`, `reference`.
    #[serde(deserialize_with = "PathName::text")]
    pub name: String,
    pub agent: String,
    /// The model's name, where the agent uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The agents that bound a score: from above, then from below.
pub const BOUNDS: [&str; 5] = ["reference", "baseline", "random", "noop", "refuser"];

impl Contestant {
    /// A contestant named after its agent and model, in characters that any file system takes.
    pub fn new(agent: &str, model: Option<&str>) -> Self {
        let raw = model.map_or_else(|| agent.to_owned(), |model| format!("{agent}+{model}"));
        let name = raw
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_') { c } else { '-' })
            .collect();
        Self { name, agent: agent.to_owned(), model: model.map(str::to_owned) }
    }

    /// Whether it is not something under test: one of waldo's own stand-ins (a ceiling or a floor), or answers
    /// that were recorded earlier. Its figures say nothing about accuracy.
    pub fn is_stand_in(&self) -> bool {
        BOUNDS.contains(&self.agent.as_str())
            || self.model.as_deref() == Some("reference")
            || self.is_replay()
    }

    /// Whether it drives the browser itself, past the actions that are counted: what its scripts do is no step.
    pub fn has_own_hands(&self) -> bool {
        self.agent == "cdp"
    }

    /// Whether its answers come from a recording: what they prove is that the same happens again.
    pub fn is_replay(&self) -> bool {
        self.agent == "replay" || self.model.as_deref().is_some_and(|model| model.starts_with("replay:"))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EpisodeKey {
    #[serde(deserialize_with = "PathName::text")]
    pub contestant: String,
    #[serde(deserialize_with = "PathName::text")]
    pub task: String,
    /// From 0.
    pub repeat: u32,
}

impl fmt::Display for EpisodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/r{}", self.contestant, self.task, self.repeat)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    Finished,
    /// The agent said that the task cannot be done.
    DeclaredInfeasible,
    /// The agent stopped without having come to an end, and claims nothing.
    GaveUp,
    /// The agent left it to a person: the page asks for one.
    HandedOver,
    /// The agent itself failed, where it is a program: it ended, hung or broke its protocol.
    AgentFailed,
    /// The page itself ended the episode (suites with a reward of their own).
    EndedByPage,
    StepLimit,
    TokenLimit,
    CostLimit,
    TimeLimit,
    /// The harness could not do its job: not scored.
    Invalid {
        reason: String,
    },
}

impl Outcome {
    /// Whether a budget of steps, tokens, money or time ended the episode.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::StepLimit | Self::TokenLimit | Self::CostLimit | Self::TimeLimit => true,
            Self::Finished
            | Self::DeclaredInfeasible
            | Self::GaveUp
            | Self::HandedOver
            | Self::AgentFailed
            | Self::EndedByPage
            | Self::Invalid { .. } => false,
        }
    }

    /// Whether an episode that ended so can be a success at all: who gave up, was stopped by a limit or left the
    /// task to a person has not done it, whatever is on the screen.
    pub fn may_succeed(&self) -> bool {
        match self {
            Self::Finished | Self::DeclaredInfeasible | Self::EndedByPage => true,
            Self::GaveUp
            | Self::HandedOver
            | Self::AgentFailed
            | Self::StepLimit
            | Self::TokenLimit
            | Self::CostLimit
            | Self::TimeLimit
            | Self::Invalid { .. } => false,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::DeclaredInfeasible => "declared_infeasible",
            Self::GaveUp => "gave_up",
            Self::HandedOver => "handed_over",
            Self::AgentFailed => "agent_failed",
            Self::EndedByPage => "ended_by_page",
            Self::StepLimit => "step_limit",
            Self::TokenLimit => "token_limit",
            Self::CostLimit => "cost_limit",
            Self::TimeLimit => "time_limit",
            Self::Invalid { .. } => "invalid",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    pub what: String,
    pub passed: bool,
    /// What was found, cut to 500 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub found: String,
    /// What it is worth of the partial credit, where it is a checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
}

impl CheckResult {
    pub fn new(what: impl Into<String>, passed: bool, found: impl Into<String>) -> Self {
        Self { what: what.into(), passed, found: found.into(), points: None }
    }

    /// The share of the checkpoints' points whose checks hold, 0 to 1; `None` without checkpoints.
    pub fn partial(checks: &[Self]) -> Option<f64> {
        let (mut all, mut held) = (0.0, 0.0);
        for check in checks {
            let points = check.points.unwrap_or(0.0);
            all += points;
            held += if check.passed { points } else { 0.0 };
        }
        (all > 0.0).then(|| held / all)
    }
}

/// How the success of an episode follows from its checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    AllChecks,
    /// It takes one of them, or more: they may be alternatives, and count for a fraction.
    SomeChecks,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeResult {
    #[serde(flatten)]
    pub key: EpisodeKey,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// 0 to 1; none (null) where nothing was checked, as in an invalid episode.
    pub success: Option<f64>,
    /// Partial credit, 0 to 1, of a task that has checkpoints; `success` does not follow from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<f64>,
    /// Questions that the task's person answered.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub questions: u32,
    /// Decisions of the agent, the finishing one included.
    pub steps: u32,
    pub max_steps: u32,
    pub seed: u64,
    pub checks: Vec<CheckResult>,
    /// How `success` follows from them; records of older versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoring: Option<Scoring>,
    /// What became different on the screens between the start and the end, where the task's judging compares them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Difference>,
    /// What the agent claimed: its answer or its reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    pub usage: Usage,
    pub model_calls: u32,
    /// Replies that could not be read at first.
    pub bad_replies: u32,
    #[serde(default, skip_serializing_if = "Unreadable::is_empty")]
    pub unread: Unreadable,
    /// Scripts that were asked for again after an error.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub repairs: u32,
    pub refused: u32,
    /// Whether a person took part in it: then it is shown, and scored for nobody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assisted: bool,
    #[serde(default, skip_serializing_if = "ScreenSteps::is_empty")]
    pub screens: ScreenSteps,
    /// Pages that crashed by their own doing while it ran.
    #[serde(default, skip_serializing_if = "waldo_devices::count::is_zero")]
    pub page_crashes: u32,
    pub wall: Duration,
    /// Of it what decisions took, model calls included.
    #[serde(default, skip_serializing_if = "Duration::is_zero")]
    pub deciding: Duration,
    /// Of it what observing and acting took, settling included.
    #[serde(default, skip_serializing_if = "Duration::is_zero")]
    pub on_device: Duration,
    /// Attempts made, invalid ones included.
    pub attempts: u32,
    pub ended: Timestamp,
}

/// Steps on several screens. Their sum is the number of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScreenSteps {
    /// By the screen in front, those that brought another to the front left out.
    pub on: BTreeMap<String, u64>,
    pub switching: u64,
}

impl fmt::Display for ScreenSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.on.iter().try_for_each(|(name, steps)| write!(f, "{name} {steps}, "))?;
        write!(f, "switching {}", self.switching)
    }
}

impl ScreenSteps {
    pub fn is_empty(&self) -> bool {
        self.on.is_empty() && self.switching == 0
    }

    pub fn add(&mut self, other: &Self) {
        for (name, steps) in &other.on {
            *self.on.entry(name.clone()).or_default() += steps;
        }
        self.switching += other.switching;
    }
}

/// Replies that could not be read, by what they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unreadable {
    pub empty: u32,
    pub cut_off: u32,
    pub tool_calls: u32,
    pub refusal: u32,
    #[serde(skip_serializing_if = "waldo_devices::count::is_zero")]
    pub thinking: u32,
    /// A number, an area or a place that the screen does not have.
    #[serde(skip_serializing_if = "waldo_devices::count::is_zero")]
    pub absent: u32,
    pub other: u32,
}

impl Unreadable {
    /// One more: what the wire says of it, else what `why` it could not be used comes to.
    pub fn add(&mut self, kind: Option<Unread>, why: &str) {
        *match kind.unwrap_or_else(|| Unread::of_rejection(why)) {
            Unread::Empty => &mut self.empty,
            Unread::CutOff => &mut self.cut_off,
            Unread::ToolCalls => &mut self.tool_calls,
            Unread::Refusal => &mut self.refusal,
            Unread::Thinking => &mut self.thinking,
            Unread::Absent => &mut self.absent,
            Unread::Other => &mut self.other,
        } += 1;
    }

    /// How many of each kind there are, in words, the most first.
    pub fn kinds(&self) -> Vec<(u32, &'static str)> {
        let all = [
            (self.empty, "without text"),
            (self.cut_off, "cut off"),
            (self.tool_calls, "tool calls"),
            (self.refusal, "refused"),
            (self.thinking, "thinking not ended"),
            (self.absent, "named what is not there"),
            (self.other, "another form"),
        ];
        let mut told: Vec<_> = all.into_iter().filter(|(count, _)| *count > 0).collect();
        told.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        told
    }

    pub fn sum_of(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }

    pub fn sum(&self) -> u32 {
        self.empty + self.cut_off + self.tool_calls + self.refusal + self.thinking + self.absent + self.other
    }

    pub fn is_empty(&self) -> bool {
        self.sum() == 0
    }
}

impl std::ops::AddAssign for Unreadable {
    fn add_assign(&mut self, other: Self) {
        self.empty += other.empty;
        self.cut_off += other.cut_off;
        self.tool_calls += other.tool_calls;
        self.refusal += other.refusal;
        self.thinking += other.thinking;
        self.absent += other.absent;
        self.other += other.other;
    }
}

impl EpisodeResult {
    /// The result of an episode that ended so just now at its first attempt, of which nothing else is known yet.
    pub fn of(key: EpisodeKey, outcome: Outcome, seed: u64, max_steps: u32) -> Self {
        Self {
            key,
            outcome,
            success: None,
            partial: None,
            questions: 0,
            steps: 0,
            max_steps,
            seed,
            checks: Vec::new(),
            scoring: None,
            changes: Vec::new(),
            claim: None,
            usage: Usage::default(),
            model_calls: 0,
            bad_replies: 0,
            unread: Unreadable::default(),
            repairs: 0,
            refused: 0,
            assisted: false,
            screens: ScreenSteps::default(),
            page_crashes: 0,
            wall: Duration::ZERO,
            deciding: Duration::ZERO,
            on_device: Duration::ZERO,
            attempts: 1,
            ended: Timestamp::now(),
        }
    }

    /// The result of an episode that could not be carried out, after so many attempts.
    pub fn invalid(key: EpisodeKey, seed: u64, max_steps: u32, attempts: u32, reason: String) -> Self {
        Self { attempts, ..Self::of(key, Outcome::Invalid { reason }, seed, max_steps) }
    }

    pub fn is_invalid(&self) -> bool {
        matches!(self.outcome, Outcome::Invalid { .. })
    }

    /// Whether it counts for its contestant: it was carried out, and by the agent alone.
    pub fn is_scored(&self) -> bool {
        !self.is_invalid() && !self.assisted
    }

    /// Partial credit of any task: that of its checkpoints, else the share of its checks that hold.
    pub fn credit(&self) -> Option<f64> {
        let passed = self.checks.iter().filter(|check| check.passed).count();
        self.partial.or_else(|| (!self.checks.is_empty()).then(|| passed as f64 / self.checks.len() as f64))
    }

    /// Whether it was checked, and is a whole success.
    pub fn is_solved(&self) -> bool {
        self.success.is_some_and(|success| success >= 1.0)
    }

    /// Whether it was checked, and is no whole success.
    pub fn falls_short(&self) -> bool {
        self.success.is_some_and(|success| success < 1.0)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskEntry {
    /// Its id, and the name of its folder.
    #[serde(deserialize_with = "PathName::text")]
    pub id: String,
    pub title: String,
    pub category: String,
    /// Its level, such as `L3`.
    pub level: String,
    pub platform: Platform,
    /// Whether the right answer is that it cannot be done.
    pub infeasible: bool,
    pub max_steps: u32,
    /// Its suite, in a run of several; its id begins with it then, and a dot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
    /// Its screens by name and kind, where it has several; the first is in front at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub screens: Vec<(String, Platform)>,
}

impl TaskEntry {
    pub fn single(id: &str, title: &str, category: &str, platform: Platform, max_steps: u32) -> Self {
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            category: category.to_owned(),
            level: "L3".to_owned(),
            platform,
            infeasible: false,
            max_steps,
            suite: None,
            screens: Vec::new(),
        }
    }

    /// Its id in its own suite, which its instances are drawn by.
    pub fn own_id(&self) -> &str {
        let own =
            self.suite.as_ref().and_then(|suite| self.id.strip_prefix(suite.as_str())?.strip_prefix('.'));
        own.unwrap_or(&self.id)
    }
}

/// What was run, enough to run it again and to score it in the declared order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub waldo: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub suite: String,
    /// SHA-256 of all that defines the suite.
    pub suite_hash: String,
    /// All tasks in the declared order, whatever part of them this run holds.
    pub tasks: Vec<TaskEntry>,
    /// The part of the episodes that this run holds, such as `slice:1/3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    pub contestants: Vec<Contestant>,
    pub seed: u64,
    pub repeats: u32,
    /// Whether all repeats of a task are of one instance, as training by groups wants; else each has its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_instance: bool,
    /// Budget given on the command line, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    pub prompts: BTreeMap<String, String>,
    /// Parameters of the model: temperature, detail and the like.
    pub parameters: serde_json::Value,
    /// The device; in every manifest on the disk. None while the run's first has not been started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceInfo>,
    pub started: Timestamp,
}

impl Manifest {
    /// Whether anything but the agent's own word says what came of an episode: tasks of suites have checks;
    /// a goal by hand and an exploration, which come from none, have not.
    pub fn is_judged(&self) -> bool {
        !self.suite_hash.is_empty()
    }
}
