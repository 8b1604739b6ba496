//! The actions that a planner can choose: the catalogue's tools in this policy's words, and what is its own.
//!
//! Invariant: a place is described, never given.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};
use waldo_devices::catalogue::{Arg, CallTarget, Param, bare};
use waldo_devices::{Tool, ToolCall};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishStatus {
    Success,
    Failure,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A tool of the catalogue, its targets described.
    Tool(ToolCall),
    Widget {
        goal: String,
        element_description: Option<String>,
    },
    ExtractData {
        description: String,
        data: Value,
    },
    Finish {
        status: FinishStatus,
        answer: Option<String>,
    },
}

/// This policy's names of tools; the others bear the catalogue's.
const NAMES: [(Tool, &str); 18] = [
    (Tool::Tap, "click"),
    (Tool::RightTap, "right_click"),
    (Tool::DoubleTap, "double_click"),
    (Tool::TripleTap, "triple_click"),
    (Tool::Hover, "mouse_move"),
    (Tool::Key, "key_press"),
    (Tool::Select, "select_option"),
    (Tool::Upload, "upload_file"),
    (Tool::Navigate, "open_url"),
    (Tool::Back, "go_back"),
    (Tool::Forward, "go_forward"),
    (Tool::NewTab, "open_tab"),
    (Tool::FocusWindow, "switch_window"),
    (Tool::Dialog, "answer_dialog"),
    (Tool::Home, "press_home"),
    (Tool::Recents, "show_recents"),
    (Tool::Shell, "run_command"),
    (Tool::TapAt, "click_at"),
];

/// Tools that this policy does not offer: others say the same, or they go by places that nobody sees here.
const HIDDEN: [Tool; 7] =
    [Tool::Enter, Tool::Swipe, Tool::DragPath, Tool::StopApp, Tool::Rotate, Tool::MouseDown, Tool::MouseUp];

pub(super) fn name_of(tool: Tool) -> &'static str {
    NAMES.iter().find(|(own, _)| *own == tool).map_or(tool.name(), |(_, name)| name)
}

pub(super) fn tools() -> impl Iterator<Item = Tool> {
    Tool::ALL.iter().copied().filter(|tool| !HIDDEN.contains(tool))
}

/// The tool that is written like this, however it is spelt.
pub(super) fn tool_meant(written: &str) -> Option<Tool> {
    let word = bare(written);
    if word == "press" {
        return Some(Tool::Key);
    }
    tools()
        .find(|tool| bare(name_of(*tool)) == word)
        .or_else(|| Tool::meant(&word).filter(|tool| !HIDDEN.contains(tool)))
}

pub(super) fn parameter(tool: Tool, param: &Param) -> &'static str {
    if param.kind.is_target() {
        let several = tool.spec().params.iter().filter(|p| p.kind.is_target()).count() > 1;
        return match (several, param.name) {
            (false, _) => "element_description",
            (true, "from") => "start_description",
            (true, _) => "end_description",
        };
    }
    // Its notches are this policy's distance.
    if param.name == "notches" { "distance" } else { param.name }
}

impl Act {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tool(call) => name_of(call.tool),
            Self::Widget { .. } => "widget",
            Self::ExtractData { .. } => "extract_data",
            Self::Finish { .. } => "finish",
        }
    }

    pub fn tool(&self) -> Option<Tool> {
        match self {
            Self::Tool(call) => Some(call.tool),
            _ => None,
        }
    }

    pub fn secret(&self) -> Option<&str> {
        match self {
            Self::Tool(call) if call.tool == Tool::TypeSecret => call.text("name"),
            _ => None,
        }
    }

    /// Its parameters as JSON; empty where it has none.
    pub fn parameters(&self) -> Map<String, Value> {
        let all = match self {
            Self::Tool(call) => {
                let described = |arg: &&Arg| **arg != Arg::Target(CallTarget::Described(None));
                let given = call.args().filter_map(|(param, arg)| Some((param, arg.filter(described)?)));
                return given
                    .map(|(param, arg)| (parameter(call.tool, param).to_owned(), arg.json()))
                    .collect();
            }
            Self::Widget { goal, element_description } => {
                json!({ "goal": goal, "element_description": element_description })
            }
            Self::ExtractData { description, data } => json!({ "description": description, "data": data }),
            Self::Finish { status, answer } => json!({ "status": status, "answer": answer }),
        };
        let Value::Object(all) = all else { return Map::new() };
        all.into_iter().filter(|(name, value)| !value.is_null() || name == "data").collect()
    }
}

impl Serialize for Act {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parameters = self.parameters();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.name())?;
        if !parameters.is_empty() {
            map.serialize_entry("parameters", &parameters)?;
        }
        map.end()
    }
}
