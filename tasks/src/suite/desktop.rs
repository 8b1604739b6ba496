//! Desktops in suites: the stage that a task sets, and the checks that only a desktop has.
//!
//! Invariant: what an agent left behind, however odd, is found or not found; only a device that does not
//! answer is an error of the harness.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use regex::Regex;
use serde_json::Value;
use waldo_devices::{
    Capture, Deadline, DesktopSetup, Device, DeviceError, HomeFile, Launch, StateProbe, StateValue,
    WindowInfo,
};

use super::Instance;
use super::condition::{Condition, glob_regex, judged};
use super::file::{HomeFileFile, ProgramFile, TaskFile, WaitFile};
use super::problem::{Problem, join, read};
use super::template::Templates;
use crate::state::{setting_value, unexpected, windows};

/// The files of a suite's folder `files`, by path below it.
pub(super) type SuiteFolder = Arc<BTreeMap<String, Arc<[u8]>>>;

/// The start that opens nothing by itself.
pub(super) const BARE: &str = "desktop";
/// Between two looks for a window.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);
/// How long a window that is there may take to show the same twice.
const CALM: std::time::Duration = std::time::Duration::from_secs(20);
/// Elements that a program shows at least once it has come up.
const FEW: usize = 5;
/// The name of a workbook's only sheet.
const SHEET: &str = "Sheet1";

/// A check that only a desktop can be asked.
#[derive(Clone, Debug)]
pub(super) enum OnDesktop {
    File { path: String },
    Sheet { path: String, sheet: Option<String>, cell: Option<String>, pointer: Option<String> },
    Document { path: String, pointer: Option<String> },
    Setting { schema: String, key: String },
    Window { program: Option<String>, title: Option<Regex>, count: Option<u64> },
    Element { role: Option<String>, name: Option<Regex>, pointer: Option<String> },
}

/// What an episode finds at its start.
pub(super) fn stage(
    source: &TaskFile,
    folder: &SuiteFolder,
    templates: &Templates,
) -> Result<DesktopSetup, Problem> {
    let mut files = Vec::with_capacity(source.file.len());
    for (n, file) in source.file.iter().enumerate() {
        let path = format!("file[{n}]");
        let file = Value::Object(templates.map(file, &path)?);
        files.push(read(&file).and_then(|file| lay(file, folder)).map_err(|problem| problem.below(&path))?);
    }
    let mut programs = Vec::with_capacity(source.program.len());
    for (n, program) in source.program.iter().enumerate() {
        let path = format!("program[{n}]");
        let program = Value::Object(templates.map(program, &path)?);
        let program: ProgramFile = read(&program).map_err(|problem| problem.below(&path))?;
        if program.run.first().is_none_or(|name| name.trim().is_empty()) {
            return Err(Problem::new(join(&path, "run"), "names no program"));
        }
        programs.push(match program.wait {
            WaitFile::Window => Launch::Window(program.run),
            WaitFile::End => Launch::Finish(program.run),
            WaitFile::Nothing => Launch::Background(program.run),
        });
    }
    let mut env = BTreeMap::new();
    for (name, value) in &source.env {
        let path = join("env", name);
        let text = value.as_str().ok_or_else(|| Problem::new(&*path, "a variable is a text"))?;
        env.insert(name.clone(), templates.text(text, &path)?);
    }
    Ok(DesktopSetup { files, env, programs, ..DesktopSetup::default() })
}

fn lay(file: HomeFileFile, folder: &SuiteFolder) -> Result<HomeFile, Problem> {
    if !is_below_home(&file.path) {
        let message = format!("'{}' must be below HOME, without a slash at its start and '..'", file.path);
        return Err(Problem::new("path", message));
    }
    let made =
        |field: &'static str| move |bad: waldo_office::BadContent| Problem::new(field, bad.to_string());
    let mut sources: Vec<Result<Vec<u8>, Problem>> = Vec::new();
    if let Some(text) = file.text {
        sources.push(Ok(text.into_bytes()));
    }
    if let Some(from) = file.from {
        let found = folder.get(&from).map(|bytes| bytes.to_vec());
        let known = || folder.keys().cloned().collect::<Vec<_>>().join(", ");
        sources.push(found.ok_or_else(|| {
            Problem::new("from", format!("the suite's folder files has no '{from}'; there are: {}", known()))
        }));
    }
    if let Some(rows) = file.sheet {
        sources
            .push(waldo_office::workbook(&[(SHEET.to_owned(), Value::Array(rows))]).map_err(made("sheet")));
    }
    if let Some(sheets) = file.sheets {
        let sheets: Vec<(String, Value)> = sheets.into_iter().collect();
        sources.push(waldo_office::workbook(&sheets).map_err(made("sheets")));
    }
    if let Some(paragraphs) = file.document {
        sources.push(waldo_office::document(&Value::Array(paragraphs)).map_err(made("document")));
    }
    if let Some(picture) = file.picture {
        sources.push(waldo_office::picture(&picture).map_err(made("picture")));
    }
    let content = match sources.pop() {
        Some(content) if sources.is_empty() => content?,
        _ => {
            let message = "a file needs one of text, from, sheet, sheets, document, picture";
            return Err(Problem::new("", message));
        }
    };
    let mode = if file.executable { 0o755 } else { 0o644 };
    Ok(HomeFile { mode, ..HomeFile::new(PathBuf::from(file.path), content) })
}

pub(super) fn is_below_home(path: &str) -> bool {
    use std::path::Component;
    !path.is_empty() && std::path::Path::new(path).components().all(|c| matches!(c, Component::Normal(_)))
}

pub(super) fn rules(instance: &Instance) -> Result<(), Problem> {
    let start = instance.start_path.trim();
    if start.is_empty() {
        return Err(Problem::new("start", format!("name a program with its arguments, or '{BARE}'")));
    }
    let plain = |name: &str| !name.is_empty() && !name.contains(['/', ' ']);
    if let Some(n) = instance.apps.iter().position(|app| app != "*" && !plain(app)) {
        let message = format!("'{}' is not a name of a program, such as mousepad", instance.apps[n]);
        return Err(Problem::new(format!("apps[{n}]"), message));
    }
    if start == BARE && instance.apps.is_empty() {
        let message = "where no program is the start, those that may be touched must be named";
        return Err(Problem::new("apps", message));
    }
    Ok(())
}

/// Waits until the window that the task's `ready` names is there: a program's first one may say only that it
/// is being loaded. Then, for a while, until two looks show the same elements: what is pressed before a program
/// listens is lost.
pub(crate) async fn await_ready(
    title: Option<&str>,
    device: &mut dyn Device,
    deadline: Deadline,
) -> Result<(), DeviceError> {
    let Some(title) = title else { return Ok(()) };
    let bad = |problem: Problem| DeviceError::BadArgument { what: problem.path, message: problem.message };
    let wanted = glob_regex(title).map_err(bad)?;
    let left = deadline.left();
    let mut round = tokio::time::interval(LOOK);
    loop {
        round.tick().await;
        let shown = windows(device, deadline).await?;
        if shown.iter().any(|window| wanted.is_match(&window.title)) {
            break;
        }
        if deadline.left() < LOOK {
            let titles: Vec<String> = shown.into_iter().map(|window| window.title).collect();
            let what = format!("a window '{title}' (there are '{}')", titles.join("', '"));
            return Err(DeviceError::Timeout { what, after: left });
        }
    }
    let end = deadline.at_most(CALM);
    let mut before = None;
    while !end.passed() {
        round.tick().await;
        let seen = device.observe(Capture::Elements, deadline).await?;
        let looked = seen
            .elements
            .iter()
            .map(|e| (e.role.clone(), e.name.clone(), e.bounds.x.round(), e.bounds.y.round()));
        let now: Vec<_> = looked.collect();
        // A program that is still busy shows nothing of itself yet.
        if now.len() >= FEW && before.as_ref() == Some(&now) {
            break;
        }
        before = Some(now);
    }
    Ok(())
}

/// What was found of a check, or in words why nothing was.
type Found = Result<Option<Value>, String>;

pub(super) async fn judge(
    test: &OnDesktop,
    conditions: &[Condition],
    device: &mut dyn Device,
    deadline: Deadline,
) -> Result<(bool, String), DeviceError> {
    let found: Found = match test {
        OnDesktop::File { path } => {
            let found = bytes(device, path, deadline).await?;
            let text = found.map(|bytes| bytes.map(|b| String::from_utf8_lossy(&b).into_owned().into()));
            if conditions.is_empty() {
                let there = matches!(text, Ok(Some(_)));
                return Ok((there, if there { "is there" } else { "nothing" }.to_owned()));
            }
            text
        }
        OnDesktop::Sheet { path, sheet, cell, pointer } => {
            let found = bytes(device, path, deadline).await?.and_then(|bytes| {
                match (bytes, cell) {
                    (None, _) => Ok(None),
                    (Some(bytes), None) => waldo_office::rows(&bytes, sheet.as_deref()).map(Some),
                    (Some(bytes), Some(cell)) => waldo_office::cell(&bytes, sheet.as_deref(), cell).map(Some),
                }
                .map_err(|error| error.to_string())
            });
            // A cell by itself is its value.
            let at = pointer.as_deref().or(cell.as_ref().map(|_| "/value"));
            found.map(|found| found.and_then(|found| pointed(found, at)))
        }
        OnDesktop::Document { path, pointer } => {
            let found = bytes(device, path, deadline).await?;
            let found = found.and_then(|bytes| {
                bytes.map(|b| waldo_office::paragraphs(&b)).transpose().map_err(|error| error.to_string())
            });
            found.map(|found| {
                found.and_then(|all| match pointer {
                    Some(pointer) => pointed(all, Some(pointer)),
                    None => Some(texts(&all)),
                })
            })
        }
        OnDesktop::Setting { schema, key } => {
            let probe = StateProbe::Shell(format!("gsettings get {schema} {key}"));
            match device.probe(&probe, deadline).await {
                Ok(StateValue::Text(text)) => Ok(Some(setting_value(text.trim()))),
                Ok(other) => return Err(unexpected(&probe, &other)),
                Err(DeviceError::Call { message, .. }) => Err(message),
                Err(error) => return Err(error),
            }
        }
        OnDesktop::Window { program, title, count } => {
            let windows = windows(device, deadline).await?;
            let fits = |window: &&WindowInfo| {
                program.as_ref().is_none_or(|program| *program == window.program)
                    && title.as_ref().is_none_or(|title| title.is_match(&window.title))
            };
            let all: Vec<&str> = windows.iter().filter(fits).map(|window| window.title.as_str()).collect();
            if let Some(count) = count {
                let enough = u64::try_from(all.len()).is_ok_and(|n| n == *count);
                return Ok((enough, format!("{}: {}", all.len(), all.join(", "))));
            }
            let shown: Vec<String> =
                windows.iter().map(|window| format!("{} ({})", window.title, window.program)).collect();
            if conditions.is_empty() {
                return Ok((!all.is_empty(), shown.join(", ")));
            }
            // The topmost one counts.
            Ok(all.last().map(|title| Value::from(*title)))
        }
        OnDesktop::Element { role, name, pointer } => {
            let seen = device.observe(Capture::Elements, deadline).await?;
            let found = seen.elements.iter().find(|element| {
                role.as_ref().is_none_or(|role| role == element.role.as_str())
                    && name.as_ref().is_none_or(|name| name.is_match(&element.name))
            });
            if conditions.is_empty() {
                let there = found.is_some();
                return Ok((there, if there { "is there" } else { "nothing" }.to_owned()));
            }
            let found = found.and_then(|element| serde_json::to_value(element).ok());
            Ok(found.and_then(|found| pointed(found, pointer.as_deref())))
        }
    };
    Ok(match found {
        Ok(found) => judged(conditions, found.as_ref()),
        Err(why) => (judged(conditions, None).0, why),
    })
}

/// A part of a value; what is null is nothing.
fn pointed(value: Value, pointer: Option<&str>) -> Option<Value> {
    let found = match pointer {
        None => Some(value),
        Some(pointer) => value.pointer(pointer).cloned(),
    };
    found.filter(|found| !found.is_null())
}

fn texts(paragraphs: &Value) -> Value {
    let all = paragraphs.as_array().into_iter().flatten().filter_map(|p| p.get("text"));
    all.filter(|text| text.as_str().is_some_and(|text| !text.trim().is_empty())).cloned().collect()
}

/// The content of a file; in words why it has none although it is there.
async fn bytes(
    device: &mut dyn Device,
    path: &str,
    deadline: Deadline,
) -> Result<Result<Option<Vec<u8>>, String>, DeviceError> {
    let probe = StateProbe::File(path.into());
    match device.probe(&probe, deadline).await {
        Ok(StateValue::Bytes(bytes)) => Ok(Ok(bytes)),
        Ok(other) => Err(unexpected(&probe, &other)),
        // A folder in its place, or a file too big to be it.
        Err(DeviceError::BadArgument { message, .. }) => Ok(Err(message)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_paragraphs_and_null_are_nothing() {
        let all = json!([{ "text": "a" }, { "text": " " }, { "text": "b", "style": null }]);
        assert_eq!(texts(&all), json!(["a", "b"]));
        assert_eq!(pointed(all.clone(), Some("/2/style")), None);
        assert_eq!(pointed(all, Some("/0/text")), Some(json!("a")));
    }
}
