//! The verbs that bring a machine to a task's start, and to the state that is judged
//! (`desktop_env/controllers/setup.py`).

mod command;
mod history;
mod pyautogui;
mod touch;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use waldo_devices::{Deadline, foreign};
use waldo_tasks::TaskError;

use super::cache::Cache;
use super::error::{OsworldError, Result};
use super::machine::{
    Fit, Machine, MachineCommand, MachineInput, WindowMatch, WindowName, browser_profile, on_machine,
    on_own_bus, to_guest, to_machine,
};
use super::metrics::same_url;
use super::py;
use super::task::SetupStep;

use command::on_screen;
use command::switch;
pub use command::{Refused, command, programs, refused};
pub(crate) use command::{SCRIPT, is_command, programs_of, refused_command};
use touch::ScriptPart;

/// The database that `update_browse_history` starts from.
pub(crate) const EMPTY_HISTORY: &str = "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/chrome/44ee5668-ecd5-4366-a6ce-c1c9b8d4e938/history_empty.sqlite?download=true";

/// The name that the original gives it.
pub(crate) const HISTORY_NAME: &str = "history_new.sqlite";

const VERBS: &str = "download upload_file launch execute execute_with_verification command open sleep activate_window \
     close_window change_wallpaper chrome_open_tabs chrome_close_tabs update_browse_history";

/// How long a step may take where the original sets no limit: its server ends commands after two minutes, and says so.
const STEP: Duration = Duration::from_secs(130);
/// How long a file, or a terminal, may take to open.
const OPEN: Duration = Duration::from_secs(90);
/// How long a page may take to load.
const PAGE: Duration = Duration::from_secs(60);
/// How long the browser may take to answer.
const BROWSER: Duration = Duration::from_secs(75);
/// How often `until` is asked again.
const AGAIN: Duration = Duration::from_millis(300);
/// What failed commands an `until` outlives.
const FAILINGS: u32 = 5;

pub fn knows(verb: &str) -> bool {
    VERBS.split(' ').any(|known| known == verb)
}

pub struct SetupRunner<'a> {
    pub machine: &'a mut dyn Machine,
    pub cache: &'a Cache,
    pub task: &'a str,
    /// The episode's folder, where outputs of commands are kept.
    pub scratch: &'a Path,
    pub deadline: Deadline,
}

impl SetupRunner<'_> {
    pub async fn run(&mut self, steps: &[SetupStep]) -> Result<()> {
        for (i, step) in steps.iter().enumerate() {
            if self.deadline.passed() {
                return Err(OsworldError::Timeout { call: format!("setup step {} ({})", i + 1, step.kind) });
            }
            self.step(step).await?;
        }
        Ok(())
    }

    fn path(&self, path: &str) -> PathBuf {
        on_machine(path, &self.machine.home())
    }

    async fn step(&mut self, step: &SetupStep) -> Result<()> {
        let parameters = &step.parameters;
        let wrong = |message: String| OsworldError::Step { step: step.kind.clone(), message };
        let text = |name: &str| {
            let found = parameters.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            found.ok_or_else(|| wrong(format!("has no '{name}'")))
        };
        match step.kind.as_str() {
            "download" => self.download(parameters).await,
            "upload_file" => {
                for file in list(parameters, "files") {
                    let (from, to) = (file["local_path"].as_str(), file["path"].as_str());
                    let (from, to) = from.zip(to).ok_or_else(|| wrong("a file has no path".into()))?;
                    // A file that the task's author had; the next task may well have its own.
                    // The task may be somebody else's: it names no file of this machine.
                    let bytes = foreign::read(Path::new("."), Path::new(from), foreign::LARGE_BYTES);
                    let bytes = bytes.map_err(|e| {
                        wrong(format!("{from}: {e}; it takes files below the folder where waldo runs"))
                    })?;
                    let to = self.path(to);
                    self.machine.put(&to, &bytes, self.deadline.at_most(STEP)).await?;
                }
                Ok(())
            }
            "launch" => {
                let command = self.filled(command(parameters).map_err(wrong)?);
                let launched = self.machine.launch(&command, self.deadline.at_most(STEP)).await;
                tolerated(launched, "launch")
            }
            "execute" | "command" => {
                let command = self.filled(command(parameters).map_err(wrong)?);
                self.execute(&command, parameters).await
            }
            "execute_with_verification" => {
                let command = self.filled(command(parameters).map_err(wrong)?);
                self.verified(&command, parameters).await
            }
            "open" => {
                let path = self.path(text("path")?);
                self.machine.open(&path, self.deadline.at_most(OPEN)).await
            }
            "sleep" => {
                let seconds = parameters.get("seconds").and_then(number).unwrap_or_default();
                let at_most = Duration::try_from_secs_f64(seconds).map_err(|e| wrong(e.to_string()))?;
                self.machine.settle(at_most, self.deadline.at_most(at_most + STEP)).await
            }
            "activate_window" | "close_window" => {
                let window = WindowMatch {
                    name: text("window_name")?.to_owned(),
                    by: if switch(parameters, "by_class") { WindowName::Class } else { WindowName::Title },
                    fit: if switch(parameters, "strict") { Fit::Exact } else { Fit::Part },
                };
                let deadline = self.deadline.at_most(STEP);
                match step.kind.as_str() {
                    "activate_window" => self.machine.activate(&window, deadline).await,
                    _ => self.machine.close_window(&window, deadline).await,
                }
            }
            "change_wallpaper" => {
                let path = self.path(text("path")?);
                self.machine.set_wallpaper(&path, self.deadline.at_most(STEP)).await
            }
            "chrome_open_tabs" => self.open_tabs(parameters).await,
            "chrome_close_tabs" => self.close_tabs(parameters).await,
            "update_browse_history" => self.history(parameters).await,
            other => Err(OsworldError::Unsupported { what: "setup verb", name: other.to_owned() }),
        }
    }

    async fn download(&mut self, parameters: &Map<String, Value>) -> Result<()> {
        for file in list(parameters, "files") {
            let (url, path) = (file["url"].as_str(), file["path"].as_str());
            let (url, path) = url
                .zip(path)
                .filter(|(url, path)| !url.is_empty() && !path.is_empty())
                .ok_or_else(|| OsworldError::Step {
                    step: "download".into(),
                    message: "a file has no url or path".into(),
                })?;
            let name = path.rsplit('/').next().unwrap_or_default();
            let bytes = self.cache.get(url, self.task, name, self.deadline).await?;
            let to = self.path(path);
            self.machine.put(&to, &bytes, self.deadline.at_most(STEP)).await?;
        }
        Ok(())
    }

    fn filled(&self, command: MachineCommand) -> MachineCommand {
        let home = self.machine.home();
        let size = self.machine.screen_size();
        let password = self.machine.password();
        let whole = self.machine.is_whole();
        let fill = |text: String| {
            let text = on_screen(&text.replace("{CLIENT_PASSWORD}", &password), size);
            to_machine(&if whole { text } else { on_own_bus(&text) }, &home)
        };
        match command {
            MachineCommand::Shell(line) => MachineCommand::Shell(fill(line)),
            MachineCommand::Program(words) => MachineCommand::Program(
                words
                    .into_iter()
                    .map(fill)
                    .map(|word| match word.strip_prefix("~/") {
                        Some(rest) => home.join(rest).to_string_lossy().into_owned(),
                        None => word,
                    })
                    .collect(),
            ),
        }
    }

    async fn execute(&mut self, command: &MachineCommand, parameters: &Map<String, Value>) -> Result<()> {
        let whole = self.machine.is_whole();
        if let Some(inputs) = pyautogui::inputs(command).filter(|_| !whole) {
            return self.touch(&inputs).await;
        }
        if !whole && refused_command(command) == Some(Refused::Script) {
            return Err(OsworldError::Unsupported { what: "script", name: SCRIPT.to_owned() });
        }
        let until = parameters.get("until").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut failings = 0;
        loop {
            // A command that does not end within the server's two minutes is a failed one there, too.
            match self.machine.run(command, self.deadline.at_most(STEP)).await {
                Ok(output) => {
                    for (name, content) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
                        let Some(file) =
                            parameters.get(name).and_then(Value::as_str).filter(|f| !f.is_empty())
                        else {
                            continue;
                        };
                        let file = Path::new(file).file_name().unwrap_or_default();
                        let path = self.scratch.join(file);
                        std::fs::write(&path, to_guest(content, &self.machine.home()))
                            .map_err(TaskError::io("write", &path))?;
                    }
                    let holds = |name: &str, found: &str| {
                        until.get(name).and_then(Value::as_str).is_some_and(|part| found.contains(part))
                    };
                    let code =
                        until.get("returncode").and_then(Value::as_i64) == Some(i64::from(output.code));
                    if until.is_empty()
                        || code
                        || holds("stdout", &output.stdout)
                        || holds("stderr", &output.stderr)
                    {
                        return Ok(());
                    }
                }
                Err(error @ OsworldError::Unsupported { .. }) => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "a setup command failed");
                    failings += 1;
                    if until.is_empty() || failings >= FAILINGS {
                        return Ok(());
                    }
                }
            }
            if self.deadline.passed() {
                return Err(OsworldError::Timeout { call: format!("{command:?} until {until:?}") });
            }
            self.machine.settle(AGAIN, self.deadline).await?;
            tokio::time::sleep(AGAIN.min(self.deadline.left())).await;
        }
    }

    /// Touches; what rests between them is waited for, and a terminal is opened where its chord stands.
    async fn touch(&mut self, inputs: &[MachineInput]) -> Result<()> {
        for part in touch::parts(inputs) {
            match part {
                ScriptPart::Rest(time) => {
                    self.machine.settle(time, self.deadline.at_most(time + STEP)).await?
                }
                ScriptPart::Terminal => self.machine.open_terminal(self.deadline.at_most(OPEN)).await?,
                ScriptPart::Hands(inputs) => self.machine.input(inputs, self.deadline.at_most(STEP)).await?,
            }
        }
        Ok(())
    }

    async fn verified(&mut self, command: &MachineCommand, parameters: &Map<String, Value>) -> Result<()> {
        let wait = parameters.get("max_wait_time").and_then(number).unwrap_or(10.0).clamp(0.0, 600.0);
        let until = self.deadline.at_most(Duration::from_secs_f64(wait) + STEP);
        self.machine.run(command, until).await?;
        let checks = parameters.get("verification").and_then(Value::as_object).cloned().unwrap_or_default();
        let end = self.deadline.at_most(Duration::from_secs_f64(wait));
        loop {
            let mut holds = true;
            if let Some(name) = checks.get("window_exists").and_then(Value::as_str) {
                holds = self.machine.windows(until).await?.iter().any(|window| window.title.contains(name));
            }
            if let Some(words) = checks.get("command_success").filter(|words| py::truthy(words)) {
                let mut inner = Map::new();
                inner.insert("command".into(), words.clone());
                inner.insert("shell".into(), Value::Bool(words.is_string()));
                let step = |message| OsworldError::Step { step: "execute_with_verification".into(), message };
                let inner = self.filled(self::command(&inner).map_err(step)?);
                holds = holds && self.machine.run(&inner, until).await?.code == 0;
            }
            if holds {
                return Ok(());
            }
            if end.passed() {
                return Err(OsworldError::machine("execute_with_verification", "what was to be is not"));
            }
            tokio::time::sleep(AGAIN.min(end.left())).await;
        }
    }

    /// The tabs, once the browser answers.
    async fn tabs(&mut self) -> Result<Vec<super::machine::Tab>> {
        let until = self.deadline.at_most(BROWSER);
        loop {
            if let Some(tabs) = self.machine.tabs(until).await? {
                return Ok(tabs);
            }
            if until.passed() {
                return Err(OsworldError::Timeout { call: "the browser".into() });
            }
            tokio::time::sleep(AGAIN.min(until.left())).await;
        }
    }

    async fn open_tabs(&mut self, parameters: &Map<String, Value>) -> Result<()> {
        let before = self.tabs().await?;
        for (i, url) in list(parameters, "urls_to_open").iter().filter_map(Value::as_str).enumerate() {
            match self.machine.open_tab(url, self.deadline.at_most(PAGE)).await {
                // A page that takes too long stays as it is.
                Err(OsworldError::Timeout { .. }) | Ok(_) => {}
                Err(error) => return Err(error),
            }
            if i == 0
                && let Some(first) = before.first()
            {
                self.machine.close_tab(&first.id, self.deadline.at_most(STEP)).await?;
            }
        }
        Ok(())
    }

    async fn close_tabs(&mut self, parameters: &Map<String, Value>) -> Result<()> {
        let mut tabs = self.tabs().await?;
        for url in list(parameters, "urls_to_close").iter().filter_map(Value::as_str) {
            if let Some(at) = tabs.iter().position(|tab| same_url(&tab.url, url)) {
                let tab = tabs.remove(at);
                self.machine.close_tab(&tab.id, self.deadline.at_most(STEP)).await?;
            }
        }
        Ok(())
    }

    async fn history(&mut self, parameters: &Map<String, Value>) -> Result<()> {
        let empty = self.cache.get(EMPTY_HISTORY, self.task, HISTORY_NAME, self.deadline).await?;
        let path = self.scratch.join("history_empty.sqlite");
        std::fs::write(&path, empty).map_err(TaskError::io("write", &path))?;
        history::fill(&path, list(parameters, "history"))?;
        let filled = std::fs::read(&path).map_err(TaskError::io("read", &path))?;
        let to = browser_profile(self.machine.system()).to_owned() + "/Default/History";
        let to = self.path(&to);
        self.machine.put(&to, &filled, self.deadline.at_most(STEP)).await
    }
}

/// What the original only writes into its log when it fails.
fn tolerated(result: Result<()>, what: &str) -> Result<()> {
    match result {
        Err(error @ OsworldError::Machine { .. }) => {
            tracing::warn!(%error, "{what} failed");
            Ok(())
        }
        other => other,
    }
}

fn list<'a>(parameters: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    parameters.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => py::number::parse_float(text),
        other => py::as_number(other),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::machine::Local;
    use super::*;

    fn step(kind: &str, parameters: Value) -> SetupStep {
        SetupStep { kind: kind.into(), parameters: parameters.as_object().unwrap().clone() }
    }

    #[tokio::test]
    async fn steps_prepare_a_machine() {
        let (home, scratch, files) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let cache = Cache::offline(files.path().to_owned());
        std::fs::write(cache.place("https://x.org/in.txt"), "hello").unwrap();
        let mut machine = Local::new(home.path().to_owned());
        let deadline = Deadline::after(Duration::from_secs(30));
        let mut setup = SetupRunner {
            machine: &mut machine,
            cache: &cache,
            task: "t",
            scratch: scratch.path(),
            deadline,
        };
        let steps = [
            step(
                "download",
                json!({ "files": [{ "url": "https://x.org/in.txt", "path": "/home/user/Desktop/in.txt" }] }),
            ),
            step(
                "execute",
                json!({ "command": ["/bin/sh", "-c", "cp /home/user/Desktop/in.txt ~/out.txt; echo /home/user {SCREEN_WIDTH_HALF}; echo no >&2"], "stdout": "said.txt", "stderr": "err.txt" }),
            ),
            step(
                "command",
                json!({ "command": "echo x >> /home/user/count; wc -l < /home/user/count", "shell": "true", "until": { "stdout": "3" } }),
            ),
            step("sleep", json!({ "seconds": 0.01 })),
            step(
                "execute_with_verification",
                json!({ "command": ["true"], "verification": { "command_success": "test -f /home/user/out.txt" } }),
            ),
            step("launch", json!({ "command": ["no-such-program-here"] })),
        ];
        setup.run(&steps).await.unwrap();
        assert_eq!(std::fs::read_to_string(home.path().join("out.txt")).unwrap(), "hello");
        assert_eq!(std::fs::read_to_string(scratch.path().join("said.txt")).unwrap(), "/home/user 960\n");
        assert_eq!(std::fs::read_to_string(scratch.path().join("err.txt")).unwrap(), "no\n");
        assert_eq!(std::fs::read_to_string(home.path().join("count")).unwrap(), "x\nx\nx\n");
        for (kind, parameters) in [
            ("googledrive", json!({})),
            ("activate_window", json!({ "window_name": "x" })),
            ("execute", json!({ "command": ["python", "-c", "import pyautogui; pyautogui.press('a')"] })),
            (
                "execute",
                json!({ "command": ["python", "-c", "import pyautogui; pyautogui.hotkey('ctrl', 'alt', 't')"] }),
            ),
        ] {
            let error = setup.run(&[step(kind, parameters)]).await.unwrap_err();
            assert!(matches!(error, OsworldError::Unsupported { .. }), "{error}");
        }
        // A task uploads what lies below the folder where waldo runs, and no other file of this machine.
        let upload = |from: &str| {
            step("upload_file", json!({ "files": [{ "local_path": from, "path": "/home/user/up" }] }))
        };
        std::fs::write(scratch.path().join("secret"), "of this machine").unwrap();
        let outside = scratch.path().join("secret").display().to_string();
        for from in [outside.as_str(), "../../Cargo.toml", "/dev/zero"] {
            let error = setup.run(&[upload(from)]).await.unwrap_err().to_string();
            assert!(error.contains("leads out of"), "{from}: {error}");
        }
        setup.run(&[upload("Cargo.toml")]).await.unwrap();
        assert!(home.path().join("up").is_file());
    }
}
