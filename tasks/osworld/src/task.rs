//! Task files of OSWorld: `{id, snapshot, instruction, source, config, trajectory, related_apps, evaluator}`.
//!
//! A file is read whatever variant of the format it is: one metric or several, getters that are absent, null
//! or empty, switches written as texts. What cannot be played is kept as a problem with the task and does not
//! keep the others from loading.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use waldo_agents::reference::Step as Move;
use waldo_devices::foreign::{self, PathName};
use waldo_tasks::TaskError;

use super::error::OsworldError;

#[derive(Clone, Debug, PartialEq)]
pub struct SetupStep {
    pub kind: String,
    pub parameters: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Getter {
    pub kind: String,
    pub config: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MetricUse {
    pub func: String,
    pub result: Option<Getter>,
    pub expected: Option<Getter>,
    pub options: Map<String, Value>,
}

/// How the scores of several metrics are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conj {
    /// 0 at the first 0, else the mean.
    And,
    /// 1 at the first 1, else the largest.
    Or,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Evaluator {
    pub postconfig: Vec<SetupStep>,
    /// The right answer is to declare that it cannot be done.
    pub infeasible: bool,
    /// The metrics; one unless `several`.
    pub uses: Vec<MetricUse>,
    /// Whether the file lists metrics, even if only one.
    pub several: bool,
    pub conj: Conj,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OsTask {
    /// Its id; the file's name where the file gives none.
    pub id: String,
    /// The folder of the file, which is the program that the task is about.
    pub domain: String,
    pub path: PathBuf,
    pub snapshot: String,
    pub instruction: String,
    pub config: Vec<SetupStep>,
    pub evaluator: Evaluator,
    /// What keeps it from being played, whatever the machine.
    pub problems: Vec<String>,
    /// The reference solution, of the file `NAME.reference.json` beside the task's `NAME.json`. The benchmark
    /// has none; somebody's own tasks may.
    pub reference: Vec<Move>,
}

/// The end of the name of a reference solution's file.
const REFERENCE: &str = "reference.json";

impl OsTask {
    /// Reads the file at `path`, in the folder `root`.
    pub fn read(root: &Path, path: &Path) -> Result<Self, OsworldError> {
        let text =
            foreign::read_text(root, path, foreign::TEXT_BYTES).map_err(TaskError::io("read", path))?;
        let shape = |message: String| TaskError::record(path, message);
        let value =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| shape(e.to_string()))?;
        let mut task = Self::parse(&value, path).map_err(shape)?;
        PathName::new(&task.id).map_err(|e| shape(format!("id: {e}")))?;
        let beside = Self::reference_of(path);
        if beside.is_file() {
            let wrong = |message: String| TaskError::record(&beside, message);
            let text =
                foreign::read_text(root, &beside, foreign::TEXT_BYTES).map_err(|e| wrong(e.to_string()))?;
            task.reference = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        }
        Ok(task)
    }

    /// What stands for a file that is no task: it cannot be judged, and says why.
    pub(crate) fn unreadable(path: &Path, why: String) -> Self {
        let [domain, id] = names_of(path);
        Self {
            id,
            domain,
            path: path.to_owned(),
            snapshot: String::new(),
            instruction: String::new(),
            config: Vec::new(),
            evaluator: Evaluator {
                postconfig: Vec::new(),
                infeasible: false,
                uses: Vec::new(),
                several: false,
                conj: Conj::And,
            },
            problems: vec![why],
            reference: Vec::new(),
        }
    }

    /// Where the reference solution of the task at `path` lies, if it has one.
    pub(crate) fn reference_of(path: &Path) -> PathBuf {
        path.with_extension(REFERENCE)
    }

    /// Reads a task's object; `path` names it.
    pub fn parse(value: &Value, path: &Path) -> Result<Self, String> {
        let object = value.as_object().ok_or("is not a JSON object")?;
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        if !object.get("instruction").is_some_and(Value::is_string) {
            return Err("has no 'instruction': it is not a task file".into());
        }
        let evaluator = object.get("evaluator").and_then(Value::as_object).ok_or("has no 'evaluator'")?;
        let [domain, stem] = names_of(path);
        let mut problems = Vec::new();
        let config = steps(object.get("config"), "config", &mut problems);
        let evaluator = read_evaluator(evaluator, &mut problems)?;
        Ok(Self {
            id: Some(text("id")).filter(|id| !id.is_empty()).unwrap_or(stem),
            domain,
            path: path.to_owned(),
            snapshot: text("snapshot"),
            instruction: text("instruction"),
            config,
            evaluator,
            problems,
            reference: Vec::new(),
        })
    }
}

/// The domain and the id of a task by the place of its file: the folder's name and the file's, without its ending.
fn names_of(path: &Path) -> [String; 2] {
    [path.parent().and_then(Path::file_name), path.file_stem()]
        .map(|part| part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default())
}

fn steps(value: Option<&Value>, what: &str, problems: &mut Vec<String>) -> Vec<SetupStep> {
    let mut found = Vec::new();
    for (i, step) in value.and_then(Value::as_array).into_iter().flatten().enumerate() {
        let Some(kind) = step.get("type").and_then(Value::as_str) else {
            problems.push(format!("{what} step {} has no type", i + 1));
            continue;
        };
        let parameters = step.get("parameters").and_then(Value::as_object).cloned().unwrap_or_default();
        found.push(SetupStep { kind: kind.to_owned(), parameters });
    }
    found
}

fn member<'a>(
    evaluator: &'a Map<String, Value>,
    name: &str,
    (i, count, several): (usize, usize, bool),
    problems: &mut Vec<String>,
) -> Option<&'a Value> {
    let value = evaluator.get(name).filter(|value| super::py::truthy(value))?;
    let found = match (value, several) {
        (Value::Array(all), true) if all.len() == count => all.get(i),
        (Value::Array(all), false) if all.len() == 1 => all.first(),
        (Value::Array(all), _) => {
            problems.push(format!("evaluator: {count} metrics but {} of '{name}'", all.len()));
            None
        }
        (one, false) => Some(one),
        (one, true) if count == 1 => Some(one),
        _ => {
            problems.push(format!("evaluator: {count} metrics but one '{name}'"));
            None
        }
    };
    found.filter(|value| super::py::truthy(value))
}

fn getter(value: &Value, what: &str, problems: &mut Vec<String>) -> Option<Getter> {
    let config = value.as_object().cloned();
    let kind = config.as_ref().and_then(|c| c.get("type")).and_then(Value::as_str).map(str::to_owned);
    match (config, kind) {
        (Some(config), Some(kind)) => Some(Getter { kind, config }),
        _ => {
            problems.push(format!("evaluator: a '{what}' has no type"));
            None
        }
    }
}

fn read_evaluator(evaluator: &Map<String, Value>, problems: &mut Vec<String>) -> Result<Evaluator, String> {
    let postconfig = steps(evaluator.get("postconfig"), "postconfig", problems);
    let (names, several): (Vec<&str>, bool) = match evaluator.get("func") {
        Some(Value::String(one)) => (vec![one], false),
        Some(Value::Array(all)) => (all.iter().filter_map(Value::as_str).collect(), true),
        _ => return Err("its evaluator has no 'func'".into()),
    };
    if names.is_empty() {
        return Err("its evaluator has an empty 'func'".into());
    }
    let conj = match evaluator.get("conj").and_then(Value::as_str) {
        None | Some("and") => Conj::And,
        // The original takes the largest for any other word.
        Some(_) => Conj::Or,
    };
    let infeasible = !several && names == ["infeasible"];
    let mut uses = Vec::new();
    if !infeasible {
        for (i, name) in names.iter().enumerate() {
            let at = (i, names.len(), several);
            let result =
                member(evaluator, "result", at, problems).and_then(|v| getter(v, "result", problems));
            let expected =
                member(evaluator, "expected", at, problems).and_then(|v| getter(v, "expected", problems));
            let options = member(evaluator, "options", at, problems).and_then(Value::as_object).cloned();
            if result.is_none() {
                problems.push(format!("evaluator: '{name}' has no result"));
            }
            uses.push(MetricUse {
                func: (*name).to_owned(),
                result,
                expected,
                options: options.unwrap_or_default(),
            });
        }
    }
    problems.dedup();
    Ok(Evaluator { postconfig, infeasible, uses, several, conj })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(evaluator: Value) -> OsTask {
        let task = json!({ "id": "t", "instruction": "do", "evaluator": evaluator });
        OsTask::parse(&task, Path::new("/x/os/t.json")).unwrap()
    }

    #[test]
    fn one_metric_or_several() {
        let one =
            parse(json!({ "func": "exact_match", "result": { "type": "vm_command_line", "command": "x" },
            "expected": { "type": "rule", "rules": {} } }));
        assert_eq!((one.evaluator.uses.len(), one.evaluator.several, one.domain.as_str()), (1, false, "os"));
        assert!(one.problems.is_empty(), "{:?}", one.problems);
        let two = parse(
            json!({ "func": ["a", "b"], "conj": "or", "result": [{ "type": "vm_file" }, { "type": "vm_file" }],
            "expected": [{ "type": "rule" }, null], "options": [{}, { "x": 1 }] }),
        );
        assert_eq!(two.evaluator.conj, Conj::Or);
        assert!(two.evaluator.uses[1].expected.is_none());
        assert_eq!(two.evaluator.uses[1].options["x"], json!(1));
        assert!(two.problems.is_empty(), "{:?}", two.problems);
    }

    #[test]
    fn infeasible_tasks_need_nothing_and_what_does_not_fit_is_no_error() {
        let task = parse(json!({ "func": "infeasible", "result": {}, "expected": {} }));
        assert!(task.evaluator.infeasible && task.problems.is_empty());
        let task = parse(json!({ "func": ["a", "b"], "result": [{ "type": "vm_file" }] }));
        assert!(task.problems[0].contains("2 metrics but 1 of 'result'"), "{:?}", task.problems);
        let bad = OsTask::parse(&json!({ "instruction": "x", "evaluator": {} }), Path::new("a.json"));
        assert!(bad.unwrap_err().contains("func"));
    }
}
