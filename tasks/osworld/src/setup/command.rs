//! The commands of steps and getters: how they are written, and which are not carried out.

use serde_json::{Map, Value};

use super::super::guest;
use super::super::machine::{MachineCommand, MachineInput};
use super::super::py;
use super::super::task::SetupStep;
use super::{pyautogui, touch, words};

/// What is said of a script that cannot be read as keys and clicks.
pub(crate) const SCRIPT: &str = "pyautogui that is more than keys and clicks";

const SHELLS: [&str; 4] = ["bash", "/bin/bash", "sh", "/bin/sh"];
/// What is asked of the machine with these is the host's and no display's.
const HOST: [&str; 9] =
    ["apt", "apt-get", "dpkg", "hostnamectl", "localectl", "pactl", "snap", "timedatectl", "ufw"];
/// The size of a screen that stands for any.
const ANY: (u32, u32) = (1920, 1080);
const COMMANDS: [&str; 4] = ["launch", "execute", "command", "execute_with_verification"];

pub(crate) fn is_command(verb: &str) -> bool {
    COMMANDS.contains(&verb)
}

/// The programs that a step starts, by the names they are started with; where the device does what it says none
/// but the terminal of its chord.
pub fn programs(step: &SetupStep) -> Vec<String> {
    if !COMMANDS.contains(&step.kind.as_str()) {
        return if step.kind == "open" { openers(step) } else { Vec::new() };
    }
    let Ok(command) = command(&step.parameters) else { return Vec::new() };
    match touches(&command).filter(|_| step.kind != "launch") {
        Some(inputs) if touch::opens_terminal(&inputs) => vec![guest::TERMINAL.to_owned()],
        Some(_) => Vec::new(),
        None => programs_of(&command),
    }
}

/// What opens the file of an `open` step: what finds the program for it, and a program of its kind.
fn openers(step: &SetupStep) -> Vec<String> {
    let path = step.parameters.get("path").and_then(Value::as_str).unwrap_or_default();
    ["xdg-open"].into_iter().chain(guest::opener(path)).map(str::to_owned).collect()
}

pub(crate) fn programs_of(command: &MachineCommand) -> Vec<String> {
    match command {
        MachineCommand::Shell(line) => words::started(line),
        MachineCommand::Program(words) => match words.as_slice() {
            [shell, flag, line, ..] if SHELLS.contains(&shell.as_str()) && flag.ends_with('c') => {
                [shell.clone()].into_iter().chain(words::started(line)).collect()
            }
            words => words.first().cloned().into_iter().collect(),
        },
    }
}

/// What a command types and clicks, on a screen of any size; nothing where it does more than that.
pub fn touches(command: &MachineCommand) -> Option<Vec<MachineInput>> {
    let sized = match command {
        MachineCommand::Shell(line) => MachineCommand::Shell(line.clone()),
        MachineCommand::Program(words) => {
            MachineCommand::Program(words.iter().map(|word| on_screen(word, ANY)).collect())
        }
    };
    pyautogui::inputs(&sized)
}

/// A text with the places for the screen's size filled in; width and height in pixels.
pub fn on_screen(text: &str, (width, height): (u32, u32)) -> String {
    text.replace("{SCREEN_WIDTH_HALF}", &(width / 2).to_string())
        .replace("{SCREEN_HEIGHT_HALF}", &(height / 2).to_string())
        .replace("{SCREEN_WIDTH}", &width.to_string())
        .replace("{SCREEN_HEIGHT}", &height.to_string())
}

/// Why the command of a step is not carried out, although its verb is ported.
pub fn refused(step: &SetupStep) -> Option<Refused> {
    if !COMMANDS.contains(&step.kind.as_str()) {
        return None;
    }
    let command = command(&step.parameters).ok()?;
    if step.kind != "launch" && touches(&command).is_some() { None } else { refused_command(&command) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It wants the superuser, who would change the machine and not the display.
    Superuser,
    /// It types and clicks by a script that is more than keys and clicks.
    Script,
    /// It asks or changes the machine itself, which all displays share.
    Host,
}

/// Why a command is not carried out; nothing where it is.
pub(crate) fn refused_command(command: &MachineCommand) -> Option<Refused> {
    let words = match command {
        MachineCommand::Program(words) => words.as_slice(),
        MachineCommand::Shell(line) => std::slice::from_ref(line),
    };
    let part = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-';
    let sudo = |word: &String| word.contains("{CLIENT_PASSWORD}") || word.split(part).any(|w| w == "sudo");
    if words.iter().any(sudo) {
        return Some(Refused::Superuser);
    }
    if words.iter().any(|word| word.contains("pyautogui")) {
        return Some(Refused::Script);
    }
    programs_of(command).iter().any(|program| HOST.contains(&program.as_str())).then_some(Refused::Host)
}

/// A switch; a text is on unless it is empty, as in Python.
pub(super) fn switch(parameters: &Map<String, Value>, name: &str) -> bool {
    parameters.get(name).is_some_and(py::truthy)
}

pub fn command(parameters: &Map<String, Value>) -> Result<MachineCommand, String> {
    let shell = switch(parameters, "shell");
    match parameters.get("command") {
        Some(Value::String(line)) if line.is_empty() => Err("has an empty command".into()),
        Some(Value::String(line)) if shell => Ok(MachineCommand::Shell(line.clone())),
        Some(Value::String(line)) => split(line).map(MachineCommand::Program),
        Some(Value::Array(words)) => {
            let mut words: Vec<String> = words.iter().map(py::string).collect();
            if words.is_empty() {
                return Err("has an empty command".into());
            }
            // Of a list, the shell takes the first word as its line.
            Ok(if shell {
                MachineCommand::Shell(words.swap_remove(0))
            } else {
                MachineCommand::Program(words)
            })
        }
        _ => Err("has no command".into()),
    }
}

/// `shlex.split`.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err("has a quote that is open".into()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return Err("has a quote that is open".into()),
                        },
                        Some(c) => word.push(c),
                        None => return Err("has a quote that is open".into()),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if words.is_empty() { Err("has an empty command".into()) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(kind: &str, parameters: Value) -> SetupStep {
        SetupStep { kind: kind.into(), parameters: parameters.as_object().unwrap().clone() }
    }

    #[test]
    fn commands_are_read_and_what_is_not_carried_out_is_known_before() {
        let of = |value: Value| command(value.as_object().unwrap()).unwrap();
        assert_eq!(
            of(json!({ "command": "vlc 'a b' \"c\\\"d\" e\\ f" })),
            MachineCommand::Program(["vlc", "a b", "c\"d", "e f"].map(String::from).to_vec())
        );
        assert_eq!(of(json!({ "command": "a | b", "shell": "true" })), MachineCommand::Shell("a | b".into()));
        assert_eq!(of(json!({ "command": ["a | b"], "shell": true })), MachineCommand::Shell("a | b".into()));
        assert!(command(json!({ "command": [] }).as_object().unwrap()).is_err());
        let launch = |command: Value| programs(&step("launch", json!({ "command": command })));
        assert_eq!(launch(json!(["/usr/bin/thunderbird"])), ["/usr/bin/thunderbird"]);
        assert_eq!(launch(json!(["/bin/bash", "-c", "A=1 vlc a"])), ["/bin/bash", "vlc"]);
        let shell = |line: &str| step("execute", json!({ "command": line, "shell": true }));
        assert_eq!(refused(&shell("cd /; sudo -S ls")), Some(Refused::Superuser));
        assert_eq!(refused(&shell("echo sudoku pseudo")), None);
        let python = |script: &str| step("execute", json!({ "command": ["python3", "-c", script] }));
        assert_eq!(refused(&python("import pyautogui; pyautogui.press('a')")), None);
        assert!(programs(&python("import pyautogui; pyautogui.press('a')")).is_empty());
        let sized = python("import pyautogui; pyautogui.click({SCREEN_WIDTH_HALF}, {SCREEN_HEIGHT_HALF})");
        assert_eq!((refused(&sized), programs(&sized)), (None, Vec::new()));
        let keys = python("import pyautogui; pyautogui.hotkey('ctrl', 'alt', 't')");
        assert_eq!((refused(&keys), programs(&keys)), (None, vec!["gnome-terminal".to_owned()]));
        assert_eq!(refused(&shell("timedatectl status | grep UTC")), Some(Refused::Host));
        assert_eq!(refused(&python("import pyautogui; print(pyautogui.size())")), Some(Refused::Script));
        assert_eq!(programs(&python("print(1)")), ["python3"]);
        assert_eq!(programs(&step("open", json!({ "path": "/a.d/b" }))), ["xdg-open"]);
        let opened = |path: &str| programs(&step("open", json!({ "path": path }))).pop();
        assert_eq!(opened("/home/user/a.XLSX").as_deref(), Some(guest::OFFICE_SUITE));
        assert_eq!(opened("~/a.b/c.pdf").as_deref(), Some(guest::PDF_VIEWER));
        assert!(programs(&step("sleep", json!({ "seconds": 1 }))).is_empty());
    }
}
