//! What is said to the server and what it answers, as values.

use std::fmt::Write as _;
use std::path::PathBuf;

use data_encoding::BASE64;
use serde_json::{Value, json};
use url::Url;
use waldo_http::OperatingSystem;

use crate::error::{OsworldError, Result};
use crate::machine::{DirEntry, MachineCommand, MachineInput, MachineOutput, MachineWindow};

/// The longest home folder, in bytes.
const HOME_MAX: usize = 1024;
/// The most entries of a folder with all below it.
const ENTRIES_MAX: usize = 200_000;
/// The largest side of a screen in pixels.
const SIDE_MAX: u64 = 32_768;

fn bad(call: &str, message: impl ToString) -> OsworldError {
    OsworldError::machine(call, message)
}

fn read(call: &str, bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(|e| bad(call, format!("the answer is not as it should be: {e}")))
}

pub(super) fn system(bytes: &[u8]) -> Result<OperatingSystem> {
    let known = OperatingSystem::of_python(bytes);
    known.ok_or_else(|| bad("platform", "the answer is none of Linux, Windows, Darwin"))
}

pub(super) fn command(command: &MachineCommand) -> Value {
    match command {
        MachineCommand::Program(words) => json!({ "command": words, "shell": false }),
        MachineCommand::Shell(line) => json!({ "command": line, "shell": true }),
    }
}

pub(super) fn output(bytes: &[u8]) -> Result<MachineOutput> {
    let said = read("execute", bytes)?;
    let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
    let code = said["returncode"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(-1);
    Ok(MachineOutput { stdout: text("output"), stderr: text("error"), code })
}

/// The home folder: one plain, absolute path that is not the root of everything.
pub(super) fn home(said: &str, system: OperatingSystem) -> Result<PathBuf> {
    let home = said.trim_end_matches(['\r', '\n']);
    let is_absolute = match system {
        OperatingSystem::Windows => home.as_bytes().get(1..3).is_some_and(|rest| rest == b":\\"),
        OperatingSystem::Linux | OperatingSystem::Mac => home.starts_with('/'),
    };
    let is_plain = home.len() <= HOME_MAX
        && !home.contains(char::is_control)
        && !home.split('/').any(|part| part == "..");
    match is_absolute && is_plain && home.trim_end_matches(['/', '\\']).len() > 2 {
        true => Ok(PathBuf::from(home.trim_end_matches('/'))),
        false => Err(bad("home folder", "the machine tells none that is a plain path")),
    }
}

pub(super) fn size(bytes: &[u8]) -> Result<(u32, u32)> {
    let said = read("screen_size", bytes)?;
    let side = |name: &str| {
        let side = said[name].as_u64().filter(|side| (1..=SIDE_MAX).contains(side));
        side.and_then(|side| u32::try_from(side).ok())
            .ok_or_else(|| bad("screen_size", "the answer is not a size"))
    };
    Ok((side("width")?, side("height")?))
}

/// A text of an answer; nothing where it is null.
pub(super) fn text(bytes: &[u8], name: &str) -> Result<Option<String>> {
    match read(name, bytes)?.get_mut(name).map(Value::take) {
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Null) => Ok(None),
        _ => Err(bad(name, "the answer holds no text")),
    }
}

pub(super) fn folder(bytes: &[u8]) -> Result<DirEntry> {
    let said = read("list_directory", bytes)?;
    let mut left = ENTRIES_MAX;
    entry(&said["directory_tree"], &mut left)
        .ok_or_else(|| bad("list_directory", "the answer is not a folder, or has too many entries"))
}

fn entry(said: &Value, left: &mut usize) -> Option<DirEntry> {
    *left = left.checked_sub(1)?;
    let name = said["name"].as_str()?.to_owned();
    let children = match said["type"].as_str()? {
        "file" => None,
        _ => {
            let all = said["children"].as_array()?.iter();
            // A folder that could not be read is told as an error in its place.
            let known = all.filter(|child| child.get("error").is_none());
            let mut children: Vec<DirEntry> = known.map(|child| entry(child, left)).collect::<Option<_>>()?;
            children.sort_by(|a, b| a.name.cmp(&b.name));
            Some(children)
        }
    };
    Some(DirEntry { name, children })
}

/// The lines of `wmctrl -lGx`: id, desktop, left, top, width, height, class, host, title.
pub(super) fn windows(lines: &str) -> Vec<MachineWindow> {
    let window = |line: &str| {
        let mut rest = line;
        let mut word = || {
            let (word, after) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
            rest = after;
            word.to_owned()
        };
        let words: Vec<String> = (0..8).map(|_| word()).collect();
        let side = |at: usize| words.get(at).and_then(|word| word.parse().ok());
        Some(MachineWindow {
            title: rest.trim_start().to_owned(),
            class: words.get(6)?.clone(),
            size: (side(4)?, side(5)?),
        })
    };
    lines.lines().filter_map(window).collect()
}

/// Where the browser takes connections: the path that it tells; the address is the very one that was asked.
pub(super) fn debugging(bytes: &[u8]) -> Result<String> {
    let told = text(bytes, "webSocketDebuggerUrl")?.unwrap_or_default();
    let path =
        Url::parse(&told).ok().map(|url| url.path().to_owned()).filter(|path| path.starts_with("/devtools/"));
    path.ok_or_else(|| bad("the browser", "it tells no address of its debugging port"))
}

pub(super) fn bytes(said: &str) -> Result<Vec<u8>> {
    BASE64.decode(said.trim().as_bytes()).map_err(|e| bad("the media player", e))
}

/// A script that touches mouse and keyboard; texts and keys are literals of it, never code.
pub(super) fn script(inputs: &[MachineInput]) -> String {
    let mut out = String::from("import pyautogui, time\npyautogui.FAILSAFE = False\n");
    for input in inputs {
        let _ = match input {
            MachineInput::Chord(keys) => {
                let keys: Vec<String> = keys.iter().map(|key| literal(key)).collect();
                writeln!(out, "pyautogui.hotkey({})", keys.join(", "))
            }
            MachineInput::KeyDown(key) => writeln!(out, "pyautogui.keyDown({})", literal(key)),
            MachineInput::KeyUp(key) => writeln!(out, "pyautogui.keyUp({})", literal(key)),
            MachineInput::Text(text) => writeln!(out, "pyautogui.typewrite({})", literal(text)),
            MachineInput::Move(x, y) => writeln!(out, "pyautogui.moveTo({x:.1}, {y:.1})"),
            MachineInput::Click { at, button, times } => {
                let at = at.map(|(x, y)| format!("x={x:.1}, y={y:.1}, ")).unwrap_or_default();
                writeln!(out, "pyautogui.click({at}button={}, clicks={times})", literal(button))
            }
            MachineInput::Scroll(notches) => {
                writeln!(out, "pyautogui.scroll({:.0})", notches.clamp(-1000.0, 1000.0))
            }
            MachineInput::Pause(time) => writeln!(out, "time.sleep({:.3})", time.as_secs_f64()),
        };
    }
    out
}

/// A text as Python writes one, in ASCII.
fn literal(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        let _ = match c {
            '\'' | '\\' => write!(out, "\\{c}"),
            ' '..='~' => write!(out, "{c}"),
            c => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_home_is_one_plain_folder() {
        let of = |said: &str, system| home(said, system).ok().map(|home| home.display().to_string());
        assert_eq!(of("/home/user\n", OperatingSystem::Linux).as_deref(), Some("/home/user"));
        assert_eq!(
            of("C:\\Users\\Docker\r\n", OperatingSystem::Windows).as_deref(),
            Some("C:\\Users\\Docker")
        );
        for bad in ["", "/", "home", "/a/../..", "/a\nb", "C:\\Users\\Docker"] {
            assert_eq!(of(bad, OperatingSystem::Linux), None, "{bad:?}");
        }
        assert_eq!(of(&format!("/{}", "a".repeat(2000)), OperatingSystem::Linux), None);
        assert_eq!(of("C:\\", OperatingSystem::Windows), None);
    }

    #[test]
    fn texts_go_into_scripts_as_literals() {
        let inputs = [
            MachineInput::Chord(vec!["ctrl".into(), "'); import os; ('".into()]),
            MachineInput::Text("a\n\\'ö".into()),
            MachineInput::Click { at: Some((3.0, 4.5)), button: "left".into(), times: 2 },
            MachineInput::Pause(Duration::from_millis(500)),
        ];
        let written = script(&inputs);
        let lines: Vec<&str> = written.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                r"pyautogui.hotkey('ctrl', '\'); import os; (\'')",
                r"pyautogui.typewrite('a\U0000000a\\\'\U000000f6')",
                "pyautogui.click(x=3.0, y=4.5, button='left', clicks=2)",
                "time.sleep(0.500)",
            ]
        );
    }

    #[test]
    fn what_a_machine_says_is_read_within_bounds() {
        let lines = "0x01e00003  0 10   20   640  480  Navigator.firefox     host A page - Mozilla\n\
                     0x02  -1 0 0 1920 27 N/A host \nnonsense\n";
        let found = windows(lines);
        assert_eq!((found.len(), found[0].size), (2, (640, 480)));
        assert_eq!(
            (found[0].class.as_str(), found[0].title.as_str()),
            ("Navigator.firefox", "A page - Mozilla")
        );
        assert_eq!(size(br#"{"width": 1280, "height": 800}"#).unwrap(), (1280, 800));
        assert!(size(br#"{"width": 0, "height": 800}"#).is_err());
        assert!(size(br#"{"width": 1e9, "height": 800}"#).is_err());
        assert_eq!(system(b"Windows").unwrap(), OperatingSystem::Windows);
        assert!(system(b"Plan 9").is_err());
        let said = json!({ "directory_tree": { "type": "directory", "name": "d", "children": [
            { "type": "file", "name": "b" }, { "type": "file", "name": "a" }, { "error": "no" } ] } });
        let found = folder(said.to_string().as_bytes()).unwrap();
        let names: Vec<_> = found.children.unwrap().into_iter().map(|child| child.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(entry(&said["directory_tree"], &mut 2).is_none());
        assert!(folder(b"{}").is_err());
    }

    #[test]
    fn a_browser_is_reached_where_it_was_asked_and_nowhere_else() {
        let of = |url: &str| debugging(json!({ "webSocketDebuggerUrl": url }).to_string().as_bytes()).ok();
        let told = of("ws://evil.example.org:1/devtools/browser/x");
        assert_eq!(told.as_deref(), Some("/devtools/browser/x"));
        assert_eq!(of("ws://10.0.0.2:9222/other"), None);
        assert!(debugging(b"{}").is_err());
    }
}
