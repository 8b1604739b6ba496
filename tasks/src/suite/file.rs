//! The shapes of `suite.toml` and of a task file, as they are written.

use serde::Deserialize;
use serde_json::{Map, Value};
use waldo_devices::Platform;

/// `suite.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SuiteFile {
    pub format: u32,
    pub id: String,
    pub title: String,
    pub level: String,
    pub platform: Platform,
    pub max_steps: u32,
    #[serde(default)]
    pub budgets: Vec<u32>,
    pub order: Vec<String>,
}

/// A file in `tasks/`. Everything below `params`, `state`, `check` and `reference` may hold templates
/// and is therefore read into its own shape only once it has been rendered.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskFile {
    pub id: String,
    pub title: String,
    pub category: String,
    pub goal: String,
    pub start: String,
    #[serde(default)]
    pub max_steps: Option<u32>,
    #[serde(default)]
    pub infeasible: bool,
    /// Apps that may be touched, on phones; programs, on desktops.
    #[serde(default)]
    pub apps: Vec<String>,
    /// Files that are laid into HOME, on desktops.
    #[serde(default)]
    pub file: Vec<Map<String, Value>>,
    /// Programs that run before the agent's first look, on desktops.
    #[serde(default)]
    pub program: Vec<Map<String, Value>>,
    /// The environment of every program, on desktops.
    #[serde(default)]
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
    pub setup: Vec<Map<String, Value>>,
    #[serde(default)]
    pub params: Map<String, Value>,
    #[serde(default)]
    pub state: Map<String, Value>,
    #[serde(default)]
    pub check: Vec<Map<String, Value>>,
    #[serde(default)]
    pub reference: Vec<Map<String, Value>>,
}

/// A `[[setup]]` after rendering.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetupFile {
    /// A line for the phone's shell.
    pub run: String,
}

/// A `[[file]]` after rendering: a path below HOME, and one source of its content.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HomeFileFile {
    pub path: String,
    pub text: Option<String>,
    /// A file of the suite, in its folder `files`.
    pub from: Option<String>,
    /// Rows of the one sheet of a workbook.
    pub sheet: Option<Vec<Value>>,
    /// Rows of several sheets by name.
    pub sheets: Option<Map<String, Value>>,
    /// Paragraphs of a document.
    pub document: Option<Vec<Value>>,
    pub picture: Option<Value>,
    #[serde(default)]
    pub executable: bool,
}

/// A `[[program]]` after rendering.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramFile {
    /// Program and arguments.
    pub run: Vec<String>,
    #[serde(default)]
    pub wait: WaitFile,
}

/// What a program is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Debug, Deserialize)]
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

/// What a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KindFile {
    State,
    Js,
    Url,
    Text,
    Request,
    File,
    Answer,
    Shell,
    Foreground,
    Sheet,
    Document,
    Setting,
    Window,
    Element,
}

/// A `[[check]]` after rendering: the fields of all kinds; which belong together is ruled elsewhere.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckFile {
    pub kind: KindFile,
    pub pointer: Option<String>,
    pub command: Option<String>,
    pub expr: Option<String>,
    pub method: Option<String>,
    pub path: Option<String>,
    pub count: Option<Value>,
    pub body: Option<Value>,
    pub name: Option<String>,
    pub sheet: Option<String>,
    pub cell: Option<String>,
    pub schema: Option<String>,
    pub key: Option<String>,
    pub program: Option<String>,
    pub role: Option<String>,
    pub equals: Option<Value>,
    pub contains: Option<Value>,
    pub matches: Option<String>,
    pub length: Option<Value>,
    pub absent: Option<bool>,
    pub set_equals: Option<Vec<Value>>,
    pub approx: Option<Value>,
    pub tolerance: Option<Value>,
    pub one_of: Option<Vec<Value>>,
    pub number: Option<Value>,
    pub list: Option<Vec<Value>>,
}

impl CheckFile {
    /// Names of the fields that are given, `kind` left out.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("pointer", self.pointer.is_some()),
            ("command", self.command.is_some()),
            ("expr", self.expr.is_some()),
            ("method", self.method.is_some()),
            ("path", self.path.is_some()),
            ("count", self.count.is_some()),
            ("body", self.body.is_some()),
            ("name", self.name.is_some()),
            ("sheet", self.sheet.is_some()),
            ("cell", self.cell.is_some()),
            ("schema", self.schema.is_some()),
            ("key", self.key.is_some()),
            ("program", self.program.is_some()),
            ("role", self.role.is_some()),
            ("equals", self.equals.is_some()),
            ("contains", self.contains.is_some()),
            ("matches", self.matches.is_some()),
            ("length", self.length.is_some()),
            ("absent", self.absent.is_some()),
            ("set_equals", self.set_equals.is_some()),
            ("approx", self.approx.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("one_of", self.one_of.is_some()),
            ("number", self.number.is_some()),
            ("list", self.list.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}
