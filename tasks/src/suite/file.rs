//! The shapes of `suite.toml` and of a task file, as they are written. What is documented here stands in their JSON
//! schemas, too.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use waldo_agents::reference::StepFile;
use waldo_devices::Platform;

use super::check_file::CheckFile;

/// `suite.toml`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "suite.toml of a waldo suite")]
pub(super) struct SuiteFile {
    /// The version of the suite format. In 2 a change that no check explains fails the task; in 1 it is not looked at.
    pub format: u32,
    /// Small letters and digits, joined by single hyphens.
    pub id: String,
    /// The title, for people.
    pub title: String,
    /// The level, such as `L3`.
    pub level: String,
    /// The kind of screen.
    #[schemars(with = "PlatformName")]
    pub platform: Platform,
    /// The step budget of tasks that have none of their own.
    pub max_steps: u32,
    /// Step budgets that tables are also made for.
    #[serde(default)]
    pub budgets: Vec<u32>,
    /// The ids of all tasks; new ones go to the end.
    pub order: Vec<String>,
}

/// As suites name their platform.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "for the schema alone")]
enum PlatformName {
    Web,
    Android,
    Desktop,
    Devices,
}

/// A file in `tasks/`. Everything below `params`, `state`, `check` and `reference` may hold templates
/// and is therefore read into its own shape only once it has been rendered.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "a task of a waldo suite")]
pub(super) struct TaskFile {
    /// Small letters and digits, joined by single hyphens.
    pub id: String,
    /// The title, for people.
    pub title: String,
    /// What kind of task it is.
    pub category: String,
    /// What the agent is asked for.
    pub goal: String,
    /// Where the episode starts: a path of the site, the package of an app, a program with its arguments. On several
    /// screens each has its own.
    #[serde(default)]
    pub start: String,
    /// The step budget; the suite's when absent.
    #[serde(default)]
    pub max_steps: Option<u32>,
    /// Whether the right answer is that it cannot be done.
    #[serde(default)]
    pub infeasible: bool,
    /// Apps that may be touched, on phones; programs, on desktops; on the web the application of `waldo apps list` that it
    /// is played on, in place of pages of the suite.
    #[serde(default)]
    pub apps: Vec<String>,
    /// Files that are laid into HOME, on desktops.
    #[serde(default)]
    #[schemars(with = "Vec<HomeFileFile>")]
    pub file: Vec<Map<String, Value>>,
    /// Programs that run before the agent's first look, on desktops.
    #[serde(default)]
    #[schemars(with = "Vec<ProgramFile>")]
    pub program: Vec<Map<String, Value>>,
    /// The environment of every program, on desktops.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub env: Map<String, Value>,
    /// The title of the window, `*` and `?` standing for any, that must be there before the agent's first
    /// look, on desktops.
    #[serde(default)]
    pub ready: Option<String>,
    /// Whether the agent may run shell commands, on desktops.
    #[serde(default)]
    pub shell: bool,
    /// Shell lines that set the stage, on phones.
    #[serde(default)]
    #[schemars(with = "Vec<SetupFile>")]
    pub setup: Vec<Map<String, Value>>,
    /// The screens, of a suite whose platform is devices; the first is in front at the start.
    #[serde(default)]
    pub screen: Vec<ScreenFile>,
    /// What is drawn for each instance; templates name it.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, ParamFile>")]
    pub params: Map<String, Value>,
    /// The state that the pages start from, on the web.
    #[serde(default)]
    pub state: Map<String, Value>,
    /// What happens in the middle of the episode.
    #[serde(default)]
    #[schemars(with = "Vec<EventFile>")]
    pub event: Vec<Map<String, Value>>,
    /// The person who set the task, where an agent may ask.
    #[serde(default)]
    #[schemars(with = "Option<UserFile>")]
    pub user: Option<Map<String, Value>>,
    /// Servers of tools that an agent may call beside the screen.
    #[serde(default)]
    #[schemars(with = "Vec<ToolFile>")]
    pub tool: Vec<Map<String, Value>>,
    /// What must hold in the end; all of it.
    #[serde(default)]
    #[schemars(with = "Vec<CheckFile>")]
    pub check: Vec<Map<String, Value>>,
    /// What may change beside what the checks say: for each store the keys, with `*` and `?`. On several screens each has
    /// its own.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub may_change: Map<String, Value>,
    /// What it means that anything else has changed. When absent, that the task has failed, in suites of format 2.
    #[serde(default)]
    pub everything_else: Option<EverythingElseFile>,
    /// A solution, step by step.
    #[serde(default)]
    #[schemars(with = "Vec<StepFile>")]
    pub reference: Vec<Map<String, Value>>,
}

/// What a task says of changes that its checks do not explain.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum EverythingElseFile {
    /// They are not looked at.
    Ignored,
}

/// A `[[screen]]`: what a task of one screen has at its top, for each of several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScreenFile {
    /// What the agent knows it by: small letters and digits, joined by single hyphens.
    pub name: String,
    /// The kind of screen.
    #[schemars(with = "ScreenPlatformName")]
    pub platform: Platform,
    /// Where it starts: a path of the site, the package of an app, a program with its arguments.
    pub start: String,
    /// Apps that may be touched, on phones; programs, on desktops; on the web the application that the screen shows.
    #[serde(default)]
    pub apps: Vec<String>,
    /// Files that are laid into HOME, on desktops.
    #[serde(default)]
    #[schemars(with = "Vec<HomeFileFile>")]
    pub file: Vec<Map<String, Value>>,
    /// Programs that run before the agent's first look, on desktops.
    #[serde(default)]
    #[schemars(with = "Vec<ProgramFile>")]
    pub program: Vec<Map<String, Value>>,
    /// The environment of every program, on desktops.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub env: Map<String, Value>,
    /// The title of the window that must be there before the agent's first look, on desktops.
    #[serde(default)]
    pub ready: Option<String>,
    /// Whether the agent may run shell commands, on desktops.
    #[serde(default)]
    pub shell: bool,
    /// Shell lines that set the stage, on phones.
    #[serde(default)]
    #[schemars(with = "Vec<SetupFile>")]
    pub setup: Vec<Map<String, Value>>,
    /// What must hold of this screen in the end; all of it.
    #[serde(default)]
    #[schemars(with = "Vec<CheckFile>")]
    pub check: Vec<Map<String, Value>>,
    /// What may change beside what the checks say: for each store the keys, with `*` and `?`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub may_change: Map<String, Value>,
}

/// As screens name their platform.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "for the schema alone")]
enum ScreenPlatformName {
    Web,
    Android,
    Desktop,
}

impl TaskFile {
    /// This task as it is on one of its screens: with the screen's own start, stage and checks.
    pub fn on_screen(&self, screen: &ScreenFile) -> Self {
        let ScreenFile {
            name: _,
            platform: _,
            start,
            apps,
            file,
            program,
            env,
            ready,
            shell,
            setup,
            check,
            may_change,
        } = screen.clone();
        let state = if screen.platform.has_pages() { self.state.clone() } else { Map::new() };
        Self {
            start,
            apps,
            file,
            program,
            env,
            ready,
            shell,
            setup,
            check,
            may_change,
            state,
            screen: Vec::new(),
            event: Vec::new(),
            user: None,
            tool: Vec::new(),
            reference: Vec::new(),
            ..self.clone()
        }
    }
}

/// `[user]` after rendering.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct UserFile {
    /// The most questions that are answered; 10 when absent.
    #[serde(default = "questions")]
    pub questions: u32,
    /// What is answered to which questions; the first that fits is given.
    #[serde(default)]
    pub answer: Vec<UserAnswerFile>,
    /// The answer to every other question.
    #[serde(default = "otherwise")]
    pub otherwise: String,
    /// What the person knows and wants, for the model that plays it. The agent never sees it.
    pub brief: Option<String>,
    /// The contestant of `waldo.toml` whose model plays the person by `brief`.
    pub model: Option<String>,
}

/// An answer of the person.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct UserAnswerFile {
    /// A regular expression that a question matches somewhere, without regard to case.
    pub when: String,
    /// What the person answers.
    pub say: String,
}

fn questions() -> u32 {
    10
}

fn otherwise() -> String {
    "I cannot tell you more than that.".to_owned()
}

/// A `[[tool]]` after rendering: a server of the Model Context Protocol over its standard streams.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolFile {
    /// Program and arguments. It runs in a sandbox without a network, in a folder of its own, `/data`; the suite's folder
    /// `files` is `/app`.
    pub run: Vec<String>,
}

/// An `[[event]]` after rendering.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EventFile {
    /// It happens after this many decisions of the agent.
    pub after_step: Option<u32>,
    /// It happens once this check holds.
    #[schemars(with = "Option<CheckFile>")]
    pub when: Option<Map<String, Value>>,
    /// The screen where it happens, of a task on several.
    pub screen: Option<String>,
    /// The screen that `when` looks at, where it is another one.
    pub when_screen: Option<String>,
    /// A line for the device's shell, on phones and desktops.
    pub run: Option<String>,
    /// A value of the pages' state that changes, on the web.
    pub state: Option<StateFile>,
    /// An expression that is evaluated in the page in front, on the web.
    pub js: Option<String>,
}

/// A change of the pages' state.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StateFile {
    /// Where, as a JSON pointer such as `/items/0/price`; what it leads to must be there, be a new field of an object, or the end of a list (`-`).
    pub pointer: String,
    /// What stands there then.
    pub value: Value,
}

/// A `[[setup]]` after rendering.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetupFile {
    /// A line for the phone's shell.
    pub run: String,
}

/// A `[[file]]` after rendering: a path below HOME, and one source of its content.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HomeFileFile {
    /// Its path below HOME.
    pub path: String,
    /// Its text.
    pub text: Option<String>,
    /// A file of the suite, in its folder `files`.
    pub from: Option<String>,
    /// Rows of the one sheet of a workbook.
    pub sheet: Option<Vec<Value>>,
    /// Rows of several sheets by name.
    pub sheets: Option<Map<String, Value>>,
    /// Paragraphs of a document.
    pub document: Option<Vec<Value>>,
    /// A picture, as docs/tasks.md describes it.
    pub picture: Option<Value>,
    /// Whether it can be run.
    #[serde(default)]
    pub executable: bool,
}

/// A `[[program]]` after rendering.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramFile {
    /// Program and arguments.
    pub run: Vec<String>,
    /// What is waited for before the next one.
    #[serde(default)]
    pub wait: WaitFile,
}

/// What a program is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum WaitFile {
    /// A window of it.
    #[default]
    Window,
    /// Its end.
    End,
    /// Nothing.
    Nothing,
}

/// How a parameter is drawn.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ParamFile {
    /// One of a list.
    Choose(Vec<Value>),
    /// A whole number; both ends belong to it.
    Int([i64; 2]),
    /// A day as `YYYY-MM-DD`; both ends belong to it.
    Date([String; 2]),
    /// Some of a list, all different, in the order in which they were drawn.
    Sample { from: Vec<Value>, n: usize },
    /// Made of earlier ones.
    Text(String),
    /// One of a list of tables.
    Pick(Vec<Map<String, Value>>),
}
