//! What of a folder of tasks can be played and judged here, and what is missing for the rest.

mod need;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::cache::Cache;
use super::guest;
use super::task::OsTask;

use need::row;
pub use need::{Missing, NeedKind, TaskDocument, TaskRow, files};

pub trait InstalledPrograms {
    fn has(&self, program: &str) -> bool;

    fn ground(&self) -> Ground {
        Ground::Display
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Display,
    /// A machine of its own: the superuser, its settings, whatever scripts type.
    Machine,
    /// The same, where nobody allowed that tasks run commands there.
    MachineWithoutCommands,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct HostPrograms;

impl InstalledPrograms for HostPrograms {
    fn has(&self, program: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        guest::stands_in(program, |name| match name.contains('/') {
            true => std::path::Path::new(name).is_file(),
            false => std::env::split_paths(&path).any(|folder| folder.join(name).is_file()),
        })
    }
}

#[derive(Clone, Debug)]
pub struct MachinePrograms {
    /// What is there of all that tasks start; nothing where the machine cannot tell, and all is taken to be there.
    pub there: Option<Vec<String>>,
    pub ground: Ground,
}

impl InstalledPrograms for MachinePrograms {
    fn has(&self, program: &str) -> bool {
        let has = |name: &str| self.there.as_ref().is_none_or(|all| all.iter().any(|one| one == name));
        guest::is_there(program, has)
    }

    fn ground(&self) -> Ground {
        self.ground
    }
}

/// Every program that these tasks start, and what may stand for one of a kind, by name, each once.
pub fn programs(tasks: &[OsTask]) -> Vec<String> {
    let named = tasks.iter().flat_map(need::programs);
    let all: BTreeSet<String> = named.flat_map(|program| guest::names_of(&program)).collect();
    all.into_iter().collect()
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Survey {
    pub rows: Vec<TaskRow>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TaskCounts {
    pub tasks: usize,
    pub judgeable: usize,
    pub runnable: usize,
    pub infeasible: usize,
}

impl Survey {
    pub fn of(tasks: &[OsTask], programs: &dyn InstalledPrograms) -> Self {
        let mut rows: Vec<TaskRow> = tasks.iter().map(|task| row(task, programs)).collect();
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
                let found = cache.find(&file.url, &task.id, &file.name);
                if !matches!(found, Ok(Some(_))) {
                    let why = match found {
                        Err(error) => error.to_string(),
                        Ok(_) => format!("put it at {}", cache.place(&file.url).display()),
                    };
                    let name = format!("{} ({why})", file.url);
                    row.missing.push(Missing { what: NeedKind::Document, name });
                }
            }
            if row.web {
                row.missing.push(Missing { what: NeedKind::Document, name: "the web itself".to_owned() });
            }
            row.runnable = row.missing.is_empty();
        }
    }

    pub fn left_out(&self) -> impl Iterator<Item = &TaskRow> {
        self.rows.iter().filter(|row| !row.runnable)
    }

    pub fn counts(&self) -> TaskCounts {
        count(self.rows.iter())
    }

    pub(crate) fn domains(&self) -> BTreeMap<&str, TaskCounts> {
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
}

fn count<'a>(rows: impl Iterator<Item = &'a TaskRow>) -> TaskCounts {
    let mut counts = TaskCounts::default();
    for row in rows {
        counts.tasks += 1;
        counts.judgeable += usize::from(row.judgeable);
        counts.runnable += usize::from(row.runnable);
        counts.infeasible += usize::from(row.infeasible);
    }
    counts
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::setup;

    struct Host(&'static [&'static str]);

    impl InstalledPrograms for Host {
        fn has(&self, program: &str) -> bool {
            guest::stands_in(program, |name| self.0.contains(&name))
        }
    }

    struct NoVlc;

    impl InstalledPrograms for NoVlc {
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
        let asks = |func: &str, kind: &str| json!({ "func": func, "result": { "type": kind }, "expected": { "type": "rule" } });
        let step = |kind: &str, parameters: Value| json!([{ "type": kind, "parameters": parameters }]);
        let download = json!({ "files": [{ "url": "https://x.org/a", "path": "/a" }] });
        let mut table = asks("compare_table", "vm_file");
        table["options"] = json!({ "rules": [{ "type": "check_cell" }, { "type": "new_rule" }] });
        let mut videos = asks("compare_videos", "vm_file");
        videos["expected"] = json!({ "type": "cloud_file", "path": "https://x.org/g", "dest": "g" });
        let tasks = [
            task("a", json!([]), asks("exact_match", "vm_command_line")),
            task("b", step("login", json!({})), asks("exact_match", "googledrive_file")),
            task("c", step("launch", json!({ "command": "vlc" })), json!({ "func": "infeasible" })),
            task("d", json!([]), table),
            task("e", step("download", download), videos),
        ];
        let survey = Survey::of(&tasks, &NoVlc);
        assert_eq!(survey.counts(), TaskCounts { tasks: 5, judgeable: 2, runnable: 1, infeasible: 1 });
        let names = survey.missing().into_iter().map(|(m, n)| format!("{} {} {n}", m.what, m.name));
        assert_eq!(
            names.collect::<Vec<_>>().join(", "),
            "setup login 1, getter googledrive_file 1, metric compare_table: rule new_rule 1, \
             metric compare_videos 1, program vlc 1"
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
    fn what_a_task_lacks_depends_on_where_it_is_played() {
        let check = |config: &Value, evaluator: &Value, programs: &dyn InstalledPrograms, lacks: &str| {
            let survey = Survey::of(&[task("a", config.clone(), evaluator.clone())], programs);
            assert_eq!(survey.rows[0].why(), lacks, "{config} {evaluator}");
            assert!(survey.rows[0].judgeable || lacks.contains("interface"), "{config} {evaluator}");
        };
        let asks = |result: Value| json!({ "func": "exact_match", "result": result, "expected": { "type": "rule" } });
        let run = |command: Value, shell: bool| json!([{ "type": "execute", "parameters": { "command": command, "shell": shell } }]);
        let python =
            |script: &str| run(json!(["python", "-c", format!("import pyautogui; {script}")]), false);
        let open = |path: &str| json!([{ "type": "open", "parameters": { "path": path } }]);
        let (none, never) = (json!([]), json!({ "func": "infeasible" }));
        let root = run(json!("sudo -S true; timedatectl status"), true);
        let playing = asks(json!({ "type": "vlc_playing_info" }));
        let machine = |ground, there: Option<&[&str]>| {
            let there = there.map(|all| all.iter().map(|name| (*name).to_owned()).collect());
            MachinePrograms { there, ground }
        };
        check(&root, &never, &machine(Ground::Machine, None), "");
        check(&root, &never, &machine(Ground::Machine, Some(&["timedatectl"])), "");
        check(&root, &never, &machine(Ground::Machine, Some(&[])), "program timedatectl");
        let why = "machine commands of the task's own (--allow-shell)";
        check(&root, &never, &machine(Ground::MachineWithoutCommands, None), why);
        check(&root, &never, &machine(Ground::Display, None), "machine the superuser");
        check(&none, &playing, &machine(Ground::MachineWithoutCommands, None), "");
        check(&none, &playing, &machine(Ground::Display, None), "machine a media player's web interface");
        assert_eq!(programs(&[task("a", root, playing)]), ["timedatectl"]);
        check(
            &run(json!("echo {CLIENT_PASSWORD} | sudo -S date"), true),
            &never,
            &NoVlc,
            "machine the superuser",
        );
        check(&run(json!("echo pseudo visudo-like"), true), &never, &NoVlc, "");
        check(&python("pyautogui.hotkey('ctrl', 's')"), &never, &NoVlc, "");
        let script = format!("setup {}", setup::SCRIPT);
        check(&python("pyautogui.click(*pyautogui.position())"), &never, &NoVlc, &script);
        let version = asks(json!({ "type": "vm_command_line", "command": ["vlc", "--version"] }));
        check(&none, &version, &NoVlc, "program vlc");
        // What opens a document is a program, too.
        let (office, gio) = (format!("program {}", guest::OFFICE_SUITE), Host(&["gio"]));
        let save = json!({ "func": "infeasible", "postconfig": open("/home/user/b.odt") });
        check(&open("/home/user/a.xlsx"), &never, &gio, &office);
        check(&open("/home/user/a.txt"), &never, &gio, "");
        check(&none, &save, &gio, &office);
        check(&none, &save, &Host(&["gio", "soffice"]), "");
        // Not every terminal tells its text.
        let (terminal, shown) =
            (python("pyautogui.hotkey('ctrl', 'alt', 't')"), asks(json!({ "type": "vm_terminal_output" })));
        let mute = "program terminal that tells its text (gnome-terminal or xfce4-terminal)";
        check(&terminal, &never, &Host(&[]), "program terminal (gnome-terminal or xfce4-terminal or xterm)");
        check(&terminal, &never, &Host(&["xterm"]), "");
        check(&none, &shown, &Host(&["xterm"]), mute);
        check(&none, &shown, &Host(&["xfce4-terminal"]), "");
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
        let mut survey = Survey::of(&tasks, &MachinePrograms { there: None, ground: Ground::Display });
        survey.offline(&tasks, &cache);
        let left: Vec<&str> = survey.left_out().map(|row| row.id.as_str()).collect();
        assert_eq!(left, ["b", "c"]);
        let why = survey.rows[1].why();
        assert!(
            why.contains("https://x.org/b (put it at ") && why.contains(&dir.path().display().to_string())
        );
    }
}
