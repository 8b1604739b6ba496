//! A planner's action, from what a model wrote.
//!
//! Invariants: [`bind`] takes what [`Act`] is written as, and other spellings of it; what it refuses it
//! refuses with the reason.

use serde_json::{Map, Value};

use super::act::{Act, DialogWord, NOTCHES, Status, Target};
use super::keys;
use super::params::{Params, kind};
use crate::appagent::Direction;

/// The types of actions and their other names, without case, blanks, `_` and `-`.
const NAMES: [(&str, &[&str]); 35] = [
    ("click", &["leftclick", "singleclick", "tap"]),
    ("right_click", &["rightbuttonclick", "contextclick", "clickright", "righttap"]),
    ("double_click", &["dblclick", "doubleleftclick", "doubletap"]),
    ("triple_click", &["tripletap"]),
    ("long_press", &["longclick", "longtap", "presshold", "pressandhold", "taphold"]),
    ("pinch", &["zoom", "pinchzoom", "pinchtozoom"]),
    ("mouse_move", &["movemouse", "hover", "moveto", "move", "movecursor"]),
    ("type", &["typetext", "typeinto", "inputtext", "entertext", "write"]),
    ("scroll", &[]),
    ("drag", &["draganddrop", "dragto", "leftclickdrag"]),
    ("key_press", &["press", "presskey", "keypress", "key", "keys", "hotkey", "keyboard", "presskeys"]),
    ("clear", &["cleartext", "clearfield"]),
    ("select_option", &["select", "selectdropdownoption", "chooseoption"]),
    ("upload_file", &["upload", "uploadfiles"]),
    ("type_secret", &["secret", "typepassword"]),
    ("open_url", &["navigate", "goto", "open", "visit", "openaddress"]),
    ("go_back", &["back", "navigateback", "pressback"]),
    ("go_forward", &["forward", "navigateforward"]),
    ("reload", &["refresh"]),
    ("open_tab", &["newtab"]),
    ("switch_tab", &["selecttab", "activatetab", "switchtotab"]),
    ("close_tab", &[]),
    ("switch_window", &["focuswindow", "activatewindow", "switchtowindow"]),
    ("close_window", &[]),
    ("answer_dialog", &["dialog", "handledialog"]),
    ("press_home", &["home", "gohome", "homescreen"]),
    ("show_recents", &["recents", "recentapps", "overview"]),
    ("open_app", &["launchapp", "startapp", "launch", "openapplication"]),
    ("paste", &["pastetext", "pasteclipboard", "clipboardpaste", "insertfromclipboard"]),
    (
        "run_command",
        &["shell", "bash", "runshell", "shellcommand", "runshellcommand", "executecommand", "terminal"],
    ),
    ("widget", &["usewidget", "playwidget", "operatewidget", "solvewidget"]),
    ("extract_data", &["extract", "extractinfo"]),
    ("wait", &["sleep", "pause"]),
    ("finish", &["done", "complete", "terminate", "end"]),
    ("fail", &["infeasible", "impossible"]),
];

/// The type of an action, however it is spelt, and the direction that its name may hold.
fn type_of(written: &str) -> Option<(&'static str, Option<Direction>)> {
    let bare: String =
        written.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let known = NAMES
        .iter()
        .find(|(name, others)| name.replace('_', "") == bare || others.contains(&bare.as_str()))
        .map(|(name, _)| *name);
    match known {
        Some(name) => Some((name, None)),
        None if bare.contains("scroll") => Some(("scroll", Direction::parse(&bare.replace("scroll", "")))),
        None if bare.contains("wait") => Some(("wait", None)),
        None => None,
    }
}

/// An action from its written type, description and parameters, with the mends; or what is wrong.
pub(crate) fn bind(
    written: &str,
    description: &str,
    parameters: Map<String, Value>,
) -> Result<(Act, Vec<String>), String> {
    let Some((name, towards)) = type_of(written) else {
        let shown: String = written.chars().take(40).collect();
        return Err(format!("'{shown}' is no type of action"));
    };
    let mut p = Params::new(name, parameters);
    if name != written {
        p.repairs.push(format!("{} for {name}", written.chars().take(40).collect::<String>()));
    }
    const ELEMENT: &[&str] = &["element", "target", "target_description"];
    let target = |p: &mut Params<'_>| -> Result<Target, String> {
        Ok(Target { element_description: p.text_if_any("element_description", ELEMENT)? })
    };
    let act = match name {
        "click" => Act::Click(target(&mut p)?),
        "right_click" => Act::RightClick(target(&mut p)?),
        "double_click" => Act::DoubleClick(target(&mut p)?),
        "triple_click" => Act::TripleClick(target(&mut p)?),
        "long_press" => Act::LongPress(target(&mut p)?),
        "pinch" => {
            let percent = p.whole("percent", &["scale", "zoom", "distance"], 10..=1_000)?;
            let element_description = target(&mut p)?.element_description;
            Act::Pinch { percent: percent.ok_or_else(|| p.missing("percent"))?, element_description }
        }
        "mouse_move" => Act::MouseMove(target(&mut p)?),
        "clear" => Act::Clear(target(&mut p)?),
        "type" => {
            let text = p.text("text", &["value", "content", "input_text", "input", "string"])?;
            if text.is_empty() {
                return Err("text of type is empty".to_owned());
            }
            Act::Type { text }
        }
        "scroll" => {
            let element_description = target(&mut p)?.element_description;
            let direction = direction(&mut p, towards, description)?;
            let distance = p.whole("distance", &["amount", "clicks", "notches", "scroll_amount"], 1..=100)?;
            Act::Scroll { element_description, direction, distance: distance.unwrap_or(NOTCHES) }
        }
        "drag" => Act::Drag {
            start_description: p.words("start_description", &["start", "from", "source"])?,
            end_description: p.words("end_description", &["end", "to", "destination"])?,
        },
        "key_press" => {
            let others = &["keys", "text", "value", "combination", "key_combination"];
            let key = match p.value("key", others) {
                Some(Value::Array(all)) if all.iter().all(Value::is_string) => {
                    p.repairs.push("key as a list".to_owned());
                    all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
                }
                Some(Value::String(key)) => key,
                Some(Value::Number(key)) => key.to_string(),
                Some(value) => return Err(format!("key of key_press must be a text, not {}", kind(&value))),
                None => return Err(p.missing("key")),
            };
            Act::KeyPress { key: keys::chord(&key)? }
        }
        "select_option" => Act::SelectOption {
            option: p.words("option", &["value", "text", "name"])?,
            element_description: target(&mut p)?.element_description,
        },
        "upload_file" => Act::UploadFile {
            file: p.words("file", &["name", "path", "file_name", "filename"])?,
            element_description: target(&mut p)?.element_description,
        },
        "type_secret" => Act::TypeSecret { name: p.words("name", &["secret", "text"])?.trim().to_owned() },
        "open_url" => Act::OpenUrl { url: p.words("url", &["address", "text", "value"])?.trim().to_owned() },
        "go_back" => Act::GoBack,
        "go_forward" => Act::GoForward,
        "reload" => Act::Reload,
        "open_tab" => {
            Act::OpenTab { url: p.text_if_any("url", &["address"])?.filter(|url| !url.trim().is_empty()) }
        }
        "switch_tab" => Act::SwitchTab {
            tab: p
                .whole("tab", &["index", "number"], 1..=10_000)?
                .ok_or_else(|| "switch_tab needs the parameter tab".to_owned())?,
        },
        "close_tab" => Act::CloseTab,
        "switch_window" => Act::SwitchWindow { window: window(&mut p)? },
        "close_window" => Act::CloseWindow { window: window(&mut p)? },
        "answer_dialog" => {
            let reply = p.words("reply", &["action", "answer"])?;
            let reply = match reply.trim().to_ascii_lowercase().as_str() {
                "accept" | "ok" | "yes" | "confirm" | "true" => DialogWord::Accept,
                "dismiss" | "cancel" | "no" | "close" | "false" => DialogWord::Dismiss,
                _ => return Err("reply of answer_dialog must be accept or dismiss".to_owned()),
            };
            Act::AnswerDialog { reply, text: p.text_if_any("text", &["value", "prompt"])? }
        }
        "press_home" => Act::PressHome,
        "show_recents" => Act::ShowRecents,
        "open_app" => {
            Act::OpenApp { app: p.words("app", &["name", "app_name", "package"])?.trim().to_owned() }
        }
        "paste" => {
            let text = p.text("text", &["value", "content", "input_text", "input", "string"])?;
            if text.is_empty() {
                return Err("text of paste is empty".to_owned());
            }
            Act::Paste { text }
        }
        "run_command" => {
            Act::RunCommand { command: p.words("command", &["cmd", "script", "line", "text", "code"])? }
        }
        "widget" => {
            let goal = p.words("goal", &["objective", "instruction", "task", "text"])?;
            Act::Widget { goal, element_description: target(&mut p)?.element_description }
        }
        "extract_data" => Act::ExtractData {
            description: p.text_if_any("description", &[])?.unwrap_or_else(|| description.to_owned()),
            data: p.value("data", &["value", "content"]).ok_or_else(|| p.missing("data"))?,
        },
        "wait" => {
            let seconds = p.number("seconds", &["duration", "time"])?;
            if seconds.is_some_and(|s| !(0.0..=10.0).contains(&s)) {
                return Err("seconds of wait must be a number from 0 to 10".to_owned());
            }
            Act::Wait { seconds }
        }
        "fail" => {
            let answer = p.text_if_any("answer", &["reason", "message"])?;
            Act::Finish { status: Status::Failure, answer }
        }
        _ => finish(&mut p)?,
    };
    p.end().map(|repairs| (act, repairs))
}

fn window(p: &mut Params<'_>) -> Result<u32, String> {
    p.whole("window", &["index", "number"], 1..=10_000)?.ok_or_else(|| p.missing("window"))
}

fn finish(p: &mut Params<'_>) -> Result<Act, String> {
    let status = p.words("status", &["result", "outcome"])?;
    let status = match status.trim().to_ascii_lowercase().as_str() {
        "success" | "succeeded" | "successful" | "done" | "completed" => Status::Success,
        "failure" | "fail" | "failed" | "infeasible" | "impossible" => Status::Failure,
        _ => {
            let shown: String = status.chars().take(40).collect();
            return Err(format!("status of finish must be success or failure, not '{shown}'"));
        }
    };
    Ok(Act::Finish { status, answer: p.text_if_any("answer", &["text", "message", "value", "reason"])? })
}

/// The direction of a scroll; where the parameter is missing, that of the type or of the description.
fn direction(p: &mut Params<'_>, towards: Option<Direction>, description: &str) -> Result<Direction, String> {
    if let Some(word) = p.text_if_any("direction", &["dir"])? {
        return Direction::parse(&word).ok_or_else(|| {
            let shown: String = word.chars().take(40).collect();
            format!("direction of scroll must be up, down, left or right, not '{shown}'")
        });
    }
    if let Some(towards) = towards {
        return Ok(towards);
    }
    let words: Vec<Direction> =
        description.split(|c: char| !c.is_alphabetic()).filter_map(Direction::parse).collect();
    match words.as_slice() {
        [one] => {
            p.repairs.push("direction from the description".to_owned());
            Ok(*one)
        }
        _ => Err(p.missing("direction")),
    }
}

#[cfg(test)]
#[path = "bind_tests.rs"]
mod tests;
