//! What is sent and what comes back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use waldo_devices::device::{Capability, Platform};

pub(crate) const PROTOCOL: u32 = 1;
pub(crate) const TASKS_MAX: usize = 10_000;
const ID_MAX: usize = 120;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub protocol: u32,
    /// What it is called: small letters, digits and hyphens.
    pub name: String,
    #[serde(default)]
    pub version: String,
    pub platform: Platform,
    pub screen: [u32; 2],
    /// Pixels for each logical one.
    #[serde(default = "one")]
    pub scale: f64,
    #[serde(default)]
    pub can: Vec<Capability>,
    #[serde(default = "single")]
    pub sessions: usize,
    #[serde(default)]
    pub tasks: Vec<TaskSpec>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSpec {
    /// What it is known by: letters, digits, `.`, `_` and hyphens.
    pub id: String,
    /// In words; the id where there are none.
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub category: String,
    #[serde(default = "steps")]
    pub max_steps: u32,
}

fn one() -> f64 {
    1.0
}

fn single() -> usize {
    1
}

fn steps() -> u32 {
    15
}

impl Hello {
    pub(crate) fn fault(&self) -> Option<String> {
        let plain = |text: &str, more: &str| {
            (1..=ID_MAX).contains(&text.len())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
                && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        };
        let [width, height] = self.screen;
        if self.protocol != PROTOCOL {
            Some(format!("protocol is {}, and this waldo speaks {PROTOCOL}", self.protocol))
        } else if !plain(&self.name, "-") {
            Some("name is letters, digits and hyphens, up to 120".to_owned())
        } else if !self.platform.is_staged() {
            Some("platform is web, android or desktop".to_owned())
        } else if width == 0 || height == 0 || u64::from(width) * u64::from(height) > waldo_http::PIXELS_MAX {
            Some("screen is [width, height] with 1 to 64,000,000 pixels".to_owned())
        } else if !(self.scale > 0.0 && self.scale <= 16.0) {
            Some("scale is above 0, up to 16".to_owned())
        } else if self.tasks.len() > TASKS_MAX {
            Some(format!("tasks has more than {TASKS_MAX}"))
        } else if let Some(at) = self.tasks.iter().position(|task| !plain(&task.id, "-_.")) {
            Some(format!("tasks[{at}].id is letters, digits, '.', '_' and hyphens, up to 120"))
        } else if let Some(at) = self.tasks.iter().position(|task| !(1..=10_000).contains(&task.max_steps)) {
            Some(format!("tasks[{at}].max_steps is from 1 to 10,000"))
        } else {
            let mut ids: Vec<&str> = self.tasks.iter().map(|task| task.id.as_str()).collect();
            ids.sort_unstable();
            let twice = ids.windows(2).find(|pair| pair[0] == pair[1])?;
            Some(format!("two tasks have the id {}", twice[0]))
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct SessionReply {
    pub(crate) session: String,
    #[serde(default)]
    pub(crate) goal: String,
    #[serde(default)]
    pub(crate) params: Value,
    /// The most questions that the task's person answers; no person without it.
    #[serde(default)]
    pub(crate) questions: Option<u32>,
    #[serde(default)]
    pub(crate) tools: Vec<ToolSpec>,
}

/// A tool that a task offers beside the screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(default)]
    pub schema: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ScreenReply {
    /// Base64 of a PNG, a JPEG or a WebP.
    pub(crate) picture: Option<String>,
    /// The address of the page, or the name of the app or program.
    pub(crate) location: String,
    pub(crate) title: String,
    pub(crate) elements: Vec<ElementReply>,
    pub(crate) texts: Vec<TextReply>,
    pub(crate) notices: Vec<String>,
    pub(crate) busy: bool,
    pub(crate) done: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ElementReply {
    pub(crate) id: String,
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) value: Option<String>,
    /// Left, top, width and height in pixels of the picture.
    #[serde(rename = "box")]
    pub(crate) bounds: [f64; 4],
    /// Where it is hit; the middle of its box otherwise.
    pub(crate) hit: Option<[f64; 2]>,
    /// Of `click`, `edit`, `select`, `scroll`, `drag`, `upload`; `click` where there is nothing.
    pub(crate) can: Vec<waldo_devices::Affordance>,
    pub(crate) options: Vec<String>,
    pub(crate) focused: bool,
    pub(crate) disabled: bool,
    pub(crate) readonly: bool,
    pub(crate) checked: Option<bool>,
    pub(crate) selected: Option<bool>,
    pub(crate) expanded: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TextReply {
    pub(crate) text: String,
    #[serde(rename = "box")]
    pub(crate) bounds: [f64; 4],
}

#[derive(Debug, Deserialize)]
pub(crate) struct ActionReply {
    #[serde(default)]
    pub(crate) effect: ReportedEffect,
    #[serde(default)]
    pub(crate) evidence: String,
    #[serde(default)]
    pub(crate) done: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportedEffect {
    Confirmed,
    #[default]
    Unverifiable,
    SuspectedNoop,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct EpisodeJudgement {
    /// 0 to 1.
    pub success: f64,
    #[serde(default)]
    pub checks: Vec<JudgeCheck>,
    #[serde(default)]
    pub checkpoints: Vec<JudgeCheckpoint>,
    /// The partial credit, 0 to 1, where it is not the weighted share of the checkpoints.
    #[serde(default)]
    pub score: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct JudgeCheckpoint {
    pub name: String,
    pub passed: bool,
    #[serde(default = "one")]
    pub weight: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct JudgeCheck {
    pub what: String,
    pub passed: bool,
    #[serde(default)]
    pub found: String,
}
