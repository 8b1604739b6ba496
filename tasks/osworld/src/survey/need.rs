//! What one task needs of the importer, of the machine and of the web, and what of that is not to be had.

use serde::Serialize;
use serde_json::Value;

use super::{Ground, InstalledPrograms};
use crate::machine::MachineCommand;
use crate::setup::Refused;
use crate::task::{Getter, OsTask, SetupStep};
use crate::{getters, guest, metrics, setup};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    Setup,
    /// A verb of the steps before judging.
    Postconfig,
    Getter,
    Metric,
    File,
    Program,
    /// What a private display does not give.
    Machine,
    /// A document that is not here, while downloads are off.
    Document,
}

waldo_devices::named!(NeedKind {
    Setup = "setup", Postconfig = "postconfig", Getter = "getter", Metric = "metric", File = "file",
    Program = "program", Machine = "machine", Document = "document"
});

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Missing {
    pub what: NeedKind,
    pub name: String,
}

/// What is known of one task without playing it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskRow {
    pub id: String,
    pub domain: String,
    pub infeasible: bool,
    /// Whether its end can be judged: metrics, getters and the steps before judging are ported.
    pub judgeable: bool,
    /// Whether, besides, its setup is ported, its programs are installed, and the machine gives what it asks.
    pub runnable: bool,
    pub missing: Vec<Missing>,
    pub files: Vec<String>,
    pub web: bool,
}

impl TaskRow {
    pub fn why(&self) -> String {
        let names = self.missing.iter().map(|m| format!("{} {}", m.what, m.name));
        names.collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn programs(task: &OsTask) -> Vec<String> {
    let steps = task.config.iter().chain(&task.evaluator.postconfig);
    let getters = task.evaluator.uses.iter().flat_map(|one| [&one.result, &one.expected]).flatten();
    let asked = getters.filter_map(|getter| match getter.kind.as_str() {
        "vm_terminal_output" => Some(vec![guest::TELLING_TERMINAL.to_owned()]),
        _ => command_of(getter).map(|command| setup::programs_of(&command)),
    });
    steps.flat_map(setup::programs).chain(asked.flatten()).collect()
}

fn commands(task: &OsTask) -> bool {
    let runs = |step: &SetupStep| setup::is_command(&step.kind);
    let asks = |getter: &Getter| command_of(getter).is_some() || getter.kind == "default_video_player";
    let getters = task.evaluator.uses.iter().flat_map(|one| [&one.result, &one.expected]).flatten();
    task.config.iter().chain(&task.evaluator.postconfig).any(runs) || getters.into_iter().any(asks)
}

pub(super) fn row(task: &OsTask, programs: &dyn InstalledPrograms) -> TaskRow {
    let mut missing: Vec<Missing> = Vec::new();
    let mut miss = |what: NeedKind, name: &str| {
        let one = Missing { what, name: name.to_owned() };
        if !missing.contains(&one) {
            missing.push(one);
        }
    };
    let evaluator = &task.evaluator;
    for problem in &task.problems {
        miss(NeedKind::File, problem);
    }
    let ground = programs.ground();
    if ground == Ground::MachineWithoutCommands && commands(task) {
        miss(NeedKind::Machine, "commands of the task's own (--allow-shell)");
    }
    let refuse = |miss: &mut dyn FnMut(NeedKind, &str), what: NeedKind, why: Option<Refused>| match why {
        _ if ground != Ground::Display => {}
        Some(Refused::Superuser) => miss(NeedKind::Machine, "the superuser"),
        Some(Refused::Script) => miss(what, setup::SCRIPT),
        Some(Refused::Host) => miss(NeedKind::Machine, "settings and packages of the machine itself"),
        None => {}
    };
    for (what, steps) in [(NeedKind::Setup, &task.config), (NeedKind::Postconfig, &evaluator.postconfig)] {
        for step in steps {
            if !setup::knows(&step.kind) {
                miss(what, &step.kind);
            }
            refuse(&mut miss, what, setup::refused(step));
        }
    }
    for one in &evaluator.uses {
        if metrics::find(&one.func).is_none() {
            miss(NeedKind::Metric, &one.func);
        } else if one.expected.is_none() && metrics::takes_expected(&one.func) == Some(true) {
            miss(NeedKind::File, &format!("evaluator: '{}' has no expected value", one.func));
        }
        for part in metrics::unsupported_parts(&one.func, &one.options) {
            miss(NeedKind::Metric, &part);
        }
        for getter in [&one.result, &one.expected].into_iter().flatten() {
            if !getters::knows(&getter.kind) {
                miss(NeedKind::Getter, &getter.kind);
            }
            if getter.kind == "vlc_playing_info" && ground == Ground::Display {
                miss(NeedKind::Machine, "a media player's web interface");
            }
            if let Some(command) = command_of(getter) {
                refuse(&mut miss, NeedKind::Getter, setup::refused_command(&command));
            }
        }
    }
    for program in self::programs(task).iter().filter(|program| !programs.has(program)) {
        miss(NeedKind::Program, guest::named(program));
    }
    let judgeable = !missing.iter().any(|m| {
        matches!(m.what, NeedKind::Postconfig | NeedKind::Getter | NeedKind::Metric | NeedKind::File)
    });
    TaskRow {
        id: task.id.clone(),
        domain: task.domain.clone(),
        infeasible: evaluator.infeasible,
        judgeable,
        runnable: missing.is_empty(),
        files: files(task).into_iter().map(|file| file.url).collect(),
        web: web(task),
        missing,
    }
}

fn command_of(getter: &Getter) -> Option<MachineCommand> {
    let runs = matches!(getter.kind.as_str(), "vm_command_line" | "vm_command_error");
    if runs { setup::command(&getter.config).ok() } else { None }
}

fn web(task: &OsTask) -> bool {
    let visits = ["info_from_website", "page_info", "pdf_from_url", "active_tab_info"];
    let getters = task.evaluator.uses.iter().flat_map(|one| [&one.result, &one.expected]).flatten();
    let opens = |step: &SetupStep| {
        let urls = step.parameters.get("urls_to_open").and_then(Value::as_array);
        let own = |url: &Value| {
            url.as_str()
                .is_some_and(|url| ["file:", "chrome:", "about:"].iter().any(|own| url.starts_with(own)))
        };
        step.kind == "chrome_open_tabs" && urls.is_some_and(|urls| !urls.iter().all(own))
    };
    task.config.iter().any(opens) || getters.into_iter().any(|getter| visits.contains(&getter.kind.as_str()))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDocument {
    pub url: String,
    pub name: String,
}

pub fn files(task: &OsTask) -> Vec<TaskDocument> {
    let mut all = Vec::new();
    let mut add =
        |url: &str, name: &str| all.push(TaskDocument { url: url.to_owned(), name: name.to_owned() });
    let steps = task.config.iter().chain(&task.evaluator.postconfig);
    for step in steps.filter(|step| step.kind == "download") {
        for file in step.parameters.get("files").and_then(Value::as_array).into_iter().flatten() {
            if let (Some(url), Some(path)) = (file["url"].as_str(), file["path"].as_str()) {
                add(url, path.rsplit('/').next().unwrap_or_default());
            }
        }
    }
    let getters = task.evaluator.uses.iter().flat_map(|one| [&one.result, &one.expected]).flatten();
    for getter in getters.filter(|getter: &&Getter| getter.kind == "cloud_file") {
        let several = |name: &str| match getter.config.get(name) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(many)) => many.iter().filter_map(|p| p.as_str().map(str::to_owned)).collect(),
            _ => Vec::new(),
        };
        for (url, name) in several("path").iter().zip(several("dest")) {
            add(url, &name);
        }
    }
    if task.config.iter().any(|step| step.kind == "update_browse_history") {
        add(setup::EMPTY_HISTORY, setup::HISTORY_NAME);
    }
    all
}
