//! What of a folder of tasks can be played and judged here, and what is missing for the rest.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::cache::Cache;
use super::machine::Command;
use super::setup::Refused;
use super::task::{Getter, OsTask, Step};
use super::{getters, guest, metrics, setup};

/// A kind of what may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A setup verb.
    Setup,
    /// A verb of the steps before judging.
    Postconfig,
    /// A getter.
    Getter,
    /// A metric, or a part of one.
    Metric,
    /// The file itself is not consistent.
    File,
    /// A program that is not installed.
    Program,
    /// What a private display does not give.
    Machine,
    /// A document that is not here, while downloads are off.
    Document,
}

impl What {
    /// The name in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Postconfig => "postconfig",
            Self::Getter => "getter",
            Self::Metric => "metric",
            Self::File => "file",
            Self::Program => "program",
            Self::Machine => "machine",
            Self::Document => "document",
        }
    }
}

/// Something that is missing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Missing {
    /// Its kind.
    pub what: What,
    /// Its name.
    pub name: String,
}

/// What is known of one task without playing it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The task.
    pub id: String,
    /// The program that it is about.
    pub domain: String,
    /// Whether it is to be declared impossible.
    pub infeasible: bool,
    /// Whether its end can be judged: metrics, getters and the steps before judging are ported.
    pub judgeable: bool,
    /// Whether, besides, its setup is ported, its programs are installed, and the machine gives what it asks.
    pub runnable: bool,
    /// What is missing.
    pub missing: Vec<Missing>,
    /// Addresses of files that it needs.
    pub files: Vec<String>,
    /// Whether the live web is part of it.
    pub web: bool,
}

impl Row {
    /// What is missing, in words.
    pub fn why(&self) -> String {
        let names = self.missing.iter().map(|m| format!("{} {}", m.what.as_str(), m.name));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// What the machine has.
pub trait Programs {
    /// Whether a program can be started by this name.
    fn has(&self, program: &str) -> bool;
}

/// Every program is taken to be there.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllPrograms;

impl Programs for AllPrograms {
    fn has(&self, _program: &str) -> bool {
        true
    }
}

/// The programs of this host's search path.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostPrograms;

impl Programs for HostPrograms {
    fn has(&self, program: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        guest::stands_in(program, |name| match name.contains('/') {
            true => std::path::Path::new(name).is_file(),
            false => std::env::split_paths(&path).any(|folder| folder.join(name).is_file()),
        })
    }
}

/// The tasks of a folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survey {
    /// By domain and id.
    pub rows: Vec<Row>,
}

/// Counts of some tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All.
    pub tasks: usize,
    /// Those that can be judged.
    pub judgeable: usize,
    /// Those that can be played here.
    pub runnable: usize,
    /// Those that are to be declared impossible.
    pub infeasible: usize,
}

impl Survey {
    /// Looks at every task.
    pub fn of(tasks: &[OsTask], programs: &dyn Programs) -> Self {
        let mut rows: Vec<Row> = tasks.iter().map(|task| row(task, programs)).collect();
        rows.sort_by(|a, b| (&a.domain, &a.id).cmp(&(&b.domain, &b.id)));
        Self { rows }
    }

    /// Takes the tasks that need a document which `cache` does not hold, or the web itself, for those that
    /// cannot be played.
    pub fn offline(&mut self, tasks: &[OsTask], cache: &Cache) {
        for row in &mut self.rows {
            let Some(task) = tasks.iter().find(|task| task.id == row.id && task.domain == row.domain) else {
                continue;
            };
            for file in files(task) {
                if cache.find(&file.url, &task.id, &file.name).is_none() {
                    let place = cache.place(&file.url);
                    let name = format!("{} (put it at {})", file.url, place.display());
                    row.missing.push(Missing { what: What::Document, name });
                }
            }
            if row.web {
                row.missing.push(Missing { what: What::Document, name: "the web itself".to_owned() });
            }
            row.runnable = row.missing.is_empty();
        }
    }

    /// The tasks that cannot be played here.
    pub fn left_out(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !row.runnable)
    }

    /// Counts of all tasks.
    pub fn counts(&self) -> Counts {
        count(self.rows.iter())
    }

    /// Counts by domain.
    pub fn domains(&self) -> BTreeMap<&str, Counts> {
        let names: BTreeSet<&str> = self.rows.iter().map(|row| row.domain.as_str()).collect();
        let of = |name: &str| count(self.rows.iter().filter(|row| row.domain == name));
        names.into_iter().map(|name| (name, of(name))).collect()
    }

    /// What is missing, with the number of tasks that it keeps from being played, most first.
    pub fn missing(&self) -> Vec<(Missing, usize)> {
        let mut all: BTreeMap<&Missing, usize> = BTreeMap::new();
        for missing in self.rows.iter().flat_map(|row| row.missing.iter().collect::<BTreeSet<_>>()) {
            *all.entry(missing).or_default() += 1;
        }
        let mut all: Vec<_> = all.into_iter().map(|(missing, n)| (missing.clone(), n)).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        all
    }

    /// The whole as JSON.
    pub fn json(&self) -> Value {
        let missing = self.missing().into_iter().map(|(missing, tasks)| {
            serde_json::json!({ "what": missing.what, "name": missing.name, "tasks": tasks })
        });
        serde_json::json!({
            "counts": self.counts(),
            "domains": self.domains(),
            "missing": missing.collect::<Vec<_>>(),
            "tasks": self.rows,
        })
    }

    /// Tables for people, which are Markdown too: counts by domain, what is missing, and for which tasks.
    pub fn text(&self) -> String {
        let cells = |all: &[&str]| all.iter().map(|cell| (*cell).to_owned()).collect::<Vec<String>>();
        let mut rows = vec![cells(&["domain", "tasks", "judgeable", "runnable", "infeasible"])];
        for (name, n) in self.domains().into_iter().chain([("all", self.counts())]) {
            let numbers = [n.tasks, n.judgeable, n.runnable, n.infeasible].map(|n| n.to_string());
            rows.push([name.to_owned()].into_iter().chain(numbers).collect());
        }
        let mut out = table(&rows);
        let missing = self.missing();
        if missing.is_empty() {
            return out;
        }
        rows = vec![cells(&["missing", "name", "tasks"])];
        for (missing, tasks) in missing {
            rows.push(vec![missing.what.as_str().to_owned(), missing.name, tasks.to_string()]);
        }
        out.push_str(&format!("\n{}", table(&rows)));
        rows = vec![cells(&["domain", "task", "judgeable", "missing"])];
        for row in self.rows.iter().filter(|row| !row.missing.is_empty()) {
            let judgeable = if row.judgeable { "yes" } else { "no" };
            rows.push(vec![row.domain.clone(), row.id.clone(), judgeable.to_owned(), row.why()]);
        }
        out.push_str(&format!("\n{}", table(&rows)));
        out
    }
}

/// A Markdown table; the first row is its head.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |i: usize| {
        rows.iter().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        out.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
        if i == 0 {
            let lines = widths.iter().map(|width| "-".repeat(*width));
            out.push_str(&format!("| {} |\n", lines.collect::<Vec<_>>().join(" | ")));
        }
    }
    out
}

fn count<'a>(rows: impl Iterator<Item = &'a Row>) -> Counts {
    let mut counts = Counts::default();
    for row in rows {
        counts.tasks += 1;
        counts.judgeable += usize::from(row.judgeable);
        counts.runnable += usize::from(row.runnable);
        counts.infeasible += usize::from(row.infeasible);
    }
    counts
}

fn row(task: &OsTask, programs: &dyn Programs) -> Row {
    let mut missing: Vec<Missing> = Vec::new();
    let mut miss = |what: What, name: &str| {
        let one = Missing { what, name: name.to_owned() };
        if !missing.contains(&one) {
            missing.push(one);
        }
    };
    let evaluator = &task.evaluator;
    for problem in &task.problems {
        miss(What::File, problem);
    }
    let refuse = |miss: &mut dyn FnMut(What, &str), what: What, why: Option<Refused>| match why {
        Some(Refused::Superuser) => miss(What::Machine, "the superuser"),
        Some(Refused::Script) => miss(what, setup::SCRIPT),
        Some(Refused::Host) => miss(What::Machine, "settings and packages of the machine itself"),
        None => {}
    };
    let mut programs_of = Vec::new();
    for (what, steps) in [(What::Setup, &task.config), (What::Postconfig, &evaluator.postconfig)] {
        for step in steps {
            if !setup::knows(&step.kind) {
                miss(what, &step.kind);
            }
            refuse(&mut miss, what, setup::refused(step));
            programs_of.extend(setup::programs(step));
        }
    }
    for one in &evaluator.uses {
        if metrics::find(&one.func).is_none() {
            miss(What::Metric, &one.func);
        }
        for part in metrics::unsupported_parts(&one.func, &one.options) {
            miss(What::Metric, &part);
        }
        for getter in [&one.result, &one.expected].into_iter().flatten() {
            if !getters::knows(&getter.kind) {
                miss(What::Getter, &getter.kind);
            }
            if getter.kind == "vlc_playing_info" {
                miss(What::Machine, "a media player's web interface");
            }
            if getter.kind == "vm_terminal_output" {
                programs_of.push(guest::TELLING_TERMINAL.to_owned());
            }
            if let Some(command) = asked(getter) {
                refuse(&mut miss, What::Getter, setup::refused_command(&command));
                programs_of.extend(setup::programs_of(&command));
            }
        }
    }
    for program in programs_of.iter().filter(|program| !programs.has(program)) {
        miss(What::Program, guest::named(program));
    }
    let judgeable = !missing
        .iter()
        .any(|m| matches!(m.what, What::Postconfig | What::Getter | What::Metric | What::File));
    Row {
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

/// The command that a getter runs.
fn asked(getter: &Getter) -> Option<Command> {
    let runs = matches!(getter.kind.as_str(), "vm_command_line" | "vm_command_error");
    if runs { setup::command(&getter.config).ok() } else { None }
}

/// Whether the live web is part of a task.
fn web(task: &OsTask) -> bool {
    let visits = ["info_from_website", "page_info", "pdf_from_url", "active_tab_info"];
    let getters = task.evaluator.uses.iter().flat_map(|one| [&one.result, &one.expected]).flatten();
    let opens = |step: &Step| {
        let urls = step.parameters.get("urls_to_open").and_then(Value::as_array);
        let own = |url: &Value| {
            url.as_str()
                .is_some_and(|url| ["file:", "chrome:", "about:"].iter().any(|own| url.starts_with(own)))
        };
        step.kind == "chrome_open_tabs" && urls.is_some_and(|urls| !urls.iter().all(own))
    };
    task.config.iter().any(opens) || getters.into_iter().any(|getter| visits.contains(&getter.kind.as_str()))
}

/// A document that a task needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its address.
    pub url: String,
    /// The name that the task gives it.
    pub name: String,
}

/// The documents that setup and judging need.
pub fn files(task: &OsTask) -> Vec<Document> {
    let mut all = Vec::new();
    let mut add = |url: &str, name: &str| all.push(Document { url: url.to_owned(), name: name.to_owned() });
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    struct NoVlc;

    impl Programs for NoVlc {
        fn has(&self, program: &str) -> bool {
            program != "vlc"
        }
    }

    fn task(id: &str, config: Value, evaluator: Value) -> OsTask {
        let task = json!({ "id": id, "instruction": "x", "config": config, "evaluator": evaluator });
        OsTask::parse(&task, Path::new("/x/os/t.json")).unwrap()
    }

    #[test]
    fn what_is_missing_is_named() {
        let exact = |result: &str| json!({ "func": "exact_match", "result": { "type": result }, "expected": { "type": "rule" } });
        let tasks = [
            task("a", json!([]), exact("vm_command_line")),
            task("b", json!([{ "type": "login", "parameters": {} }]), exact("googledrive_file")),
            task(
                "c",
                json!([{ "type": "launch", "parameters": { "command": "vlc" } }]),
                json!({ "func": "infeasible" }),
            ),
            task(
                "d",
                json!([]),
                json!({ "func": "compare_table", "result": { "type": "vm_file" },
                "options": { "rules": [{ "type": "check_cell" }, { "type": "new_rule" }] } }),
            ),
            task(
                "e",
                json!([{ "type": "download", "parameters": { "files": [{ "url": "https://x.org/a", "path": "/a" }] } }]),
                json!({ "func": "compare_videos", "result": { "type": "vm_file" }, "expected": { "type": "cloud_file", "path": "https://x.org/g", "dest": "g" } }),
            ),
        ];
        let survey = Survey::of(&tasks, &NoVlc);
        assert_eq!(survey.counts(), Counts { tasks: 5, judgeable: 2, runnable: 1, infeasible: 1 });
        let names: Vec<String> =
            survey.missing().iter().map(|(m, n)| format!("{} {} {n}", m.what.as_str(), m.name)).collect();
        assert_eq!(
            names,
            [
                "setup login 1",
                "getter googledrive_file 1",
                "metric compare_table: rule new_rule 1",
                "metric compare_videos 1",
                "program vlc 1"
            ]
        );
        assert_eq!(survey.rows[4].files, ["https://x.org/a", "https://x.org/g"]);
        let text = survey.text();
        assert!(
            text.contains("| os     | b    | no        | setup login, getter googledrive_file"),
            "{text}"
        );
        assert_eq!(survey.json()["missing"][0]["name"], "login");
    }

    #[test]
    fn what_a_private_display_does_not_give_is_named() {
        let never = json!({ "func": "infeasible" });
        let run = |command: Value| json!([{ "type": "execute", "parameters": { "command": command, "shell": true } }]);
        let asks = json!({ "func": "exact_match", "expected": { "type": "rule" },
            "result": { "type": "vm_command_line", "command": ["vlc", "--version"] } });
        let clicks = ["python", "-c", "import pyautogui; pyautogui.hotkey('ctrl', 's')"];
        let draws = ["python", "-c", "import pyautogui; pyautogui.click(*pyautogui.position())"];
        let keys = |words: [&str; 3]| json!([{ "type": "execute", "parameters": { "command": words } }]);
        let tasks = [
            task("a", run(json!("echo {CLIENT_PASSWORD} | sudo -S date")), never.clone()),
            task("b", keys(clicks), never.clone()),
            task("c", keys(draws), never.clone()),
            task("d", json!([]), asks),
            task("e", run(json!("echo pseudo visudo-like")), never),
        ];
        let survey = Survey::of(&tasks, &NoVlc);
        let why: Vec<String> = survey.rows.iter().map(Row::why).collect();
        let script = format!("setup {}", setup::SCRIPT);
        assert_eq!(why, ["machine the superuser", "", &script, "program vlc", ""]);
        assert!(survey.rows.iter().all(|row| row.judgeable));
    }

    /// A host whose only terminal is one of these.
    struct Terminals(&'static [&'static str]);

    impl Programs for Terminals {
        fn has(&self, program: &str) -> bool {
            guest::stands_in(program, |name| self.0.contains(&name))
        }
    }

    #[test]
    fn without_a_terminal_it_is_said_what_opens_none() {
        let keys = "import pyautogui; import time; pyautogui.hotkey('ctrl', 'alt', 't'); time.sleep(0.5)";
        let opens = json!([{ "type": "execute", "parameters": { "command": ["python", "-c", keys] } }]);
        let reads = json!({ "func": "exact_match", "result": { "type": "vm_terminal_output" }, "expected": { "type": "rule" } });
        let tasks = [task("a", opens, json!({ "func": "infeasible" })), task("b", json!([]), reads)];
        let why = |all: &'static [&'static str]| {
            Survey::of(&tasks, &Terminals(all)).rows.iter().map(Row::why).collect::<Vec<_>>()
        };
        let none = "program terminal (gnome-terminal or xfce4-terminal or xterm)";
        let mute = "program terminal that tells its text (gnome-terminal or xfce4-terminal)";
        assert_eq!(why(&[]), [none, mute]);
        assert_eq!(why(&["xterm"]), ["", mute]);
        assert_eq!(why(&["xfce4-terminal"]), ["", ""]);
    }

    #[test]
    fn offline_what_is_not_here_is_named_with_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::offline(dir.path().to_owned());
        let get = |url: &str| json!([{ "type": "download", "parameters": { "files": [{ "url": url, "path": "/home/user/x" }] } }]);
        let open =
            |url: &str| json!([{ "type": "chrome_open_tabs", "parameters": { "urls_to_open": [url] } }]);
        let never = || json!({ "func": "infeasible" });
        let tasks = [
            task("a", get("https://x.org/a"), never()),
            task("b", get("https://x.org/b"), never()),
            task("c", open("https://x.org"), never()),
            task("d", open("chrome://settings"), never()),
        ];
        std::fs::write(cache.place("https://x.org/a"), "x").unwrap();
        let mut survey = Survey::of(&tasks, &AllPrograms);
        survey.offline(&tasks, &cache);
        let left: Vec<&str> = survey.left_out().map(|row| row.id.as_str()).collect();
        assert_eq!(left, ["b", "c"]);
        let why = survey.rows[1].why();
        assert!(
            why.contains("https://x.org/b (put it at ") && why.contains(&dir.path().display().to_string())
        );
    }
}
