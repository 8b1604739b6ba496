//! The actions that a planner can choose, with their types.
//!
//! Invariant: a place is described, never given.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::appagent::Direction;

/// Notches of a scroll that does not say how many.
pub(crate) const NOTCHES: u32 = 5;

/// What an action is aimed at, where the action's description is not enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The element, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_description: Option<String>,
}

/// How a task ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is done.
    Success,
    /// It cannot be done.
    Failure,
}

/// How a dialog is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DialogWord {
    /// By its OK.
    Accept,
    /// By its Cancel.
    Dismiss,
}

/// An action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "parameters", rename_all = "snake_case")]
pub enum Act {
    /// Press once.
    Click(Target),
    /// Press with the other button.
    RightClick(Target),
    /// Press twice.
    DoubleClick(Target),
    /// Press three times.
    TripleClick(Target),
    /// Press and hold.
    LongPress(Target),
    /// Move two fingers apart or together.
    Pinch {
        /// Their last distance over their first.
        #[schemars(range(min = 10, max = 1000))]
        percent: u32,
        /// What lies under them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_description: Option<String>,
    },
    /// Move the pointer there.
    MouseMove(Target),
    /// Type into what has the focus.
    Type {
        /// What to type.
        text: String,
    },
    /// Turn the wheel.
    Scroll {
        /// What to scroll.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_description: Option<String>,
        /// Where to: down shows what lies below.
        #[schemars(with = "DirectionWord")]
        direction: Direction,
        /// How many notches.
        #[serde(default = "notches")]
        #[schemars(range(min = 1, max = 100))]
        distance: u32,
    },
    /// Press in one place and let go in another.
    Drag {
        /// The first place.
        start_description: String,
        /// The second place.
        end_description: String,
    },
    /// Press keys.
    KeyPress {
        /// One key, or several held together.
        key: String,
    },
    /// Empty a text field.
    Clear(Target),
    /// Choose an option of a list.
    SelectOption {
        /// Its name.
        option: String,
        /// The list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_description: Option<String>,
    },
    /// Give a file to a file field.
    UploadFile {
        /// Its name.
        file: String,
        /// The field.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_description: Option<String>,
    },
    /// Type a secret by its name.
    TypeSecret {
        /// The name.
        name: String,
    },
    /// Open an address.
    OpenUrl {
        /// The address.
        url: String,
    },
    /// Go back.
    GoBack,
    /// Undo going back.
    GoForward,
    /// Load again.
    Reload,
    /// Open a tab.
    OpenTab {
        /// What to open in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
    },
    /// Bring a tab to the front.
    SwitchTab {
        /// Its place, from 1.
        #[schemars(range(min = 1))]
        tab: u32,
    },
    /// Close the tab in front.
    CloseTab,
    /// Bring a window to the front.
    SwitchWindow {
        /// Its place in the list of windows, from 1.
        #[schemars(range(min = 1))]
        window: u32,
    },
    /// Close a window.
    CloseWindow {
        /// Its place in the list of windows, from 1.
        #[schemars(range(min = 1))]
        window: u32,
    },
    /// Answer a dialog.
    AnswerDialog {
        /// How.
        reply: DialogWord,
        /// The text that it asks for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Go to the home screen.
    PressHome,
    /// List the apps used last.
    ShowRecents,
    /// Start an app.
    OpenApp {
        /// Its name.
        app: String,
    },
    /// Paste text into what has the focus.
    Paste {
        /// What to paste.
        text: String,
    },
    /// Run a command of the shell.
    RunCommand {
        /// The command line.
        command: String,
    },
    /// Hand a widget to scripts that explore it.
    Widget {
        /// What is to be reached.
        goal: String,
        /// The widget.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_description: Option<String>,
    },
    /// Note something that the screen shows.
    ExtractData {
        /// What it is.
        description: String,
        /// The data.
        data: Value,
    },
    /// Let time pass.
    Wait {
        /// How long.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 10))]
        seconds: Option<f64>,
    },
    /// End.
    Finish {
        /// How.
        status: Status,
        /// The answer, where the task asks for one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
}

fn notches() -> u32 {
    NOTCHES
}

/// The words of a direction, for the schema.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "it only stands in the schema")]
enum DirectionWord {
    Up,
    Down,
    Left,
    Right,
}

impl Act {
    /// Its type as it is written.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Click(_) => "click",
            Self::RightClick(_) => "right_click",
            Self::DoubleClick(_) => "double_click",
            Self::TripleClick(_) => "triple_click",
            Self::LongPress(_) => "long_press",
            Self::Pinch { .. } => "pinch",
            Self::MouseMove(_) => "mouse_move",
            Self::Type { .. } => "type",
            Self::Scroll { .. } => "scroll",
            Self::Drag { .. } => "drag",
            Self::KeyPress { .. } => "key_press",
            Self::Clear(_) => "clear",
            Self::SelectOption { .. } => "select_option",
            Self::UploadFile { .. } => "upload_file",
            Self::TypeSecret { .. } => "type_secret",
            Self::OpenUrl { .. } => "open_url",
            Self::GoBack => "go_back",
            Self::GoForward => "go_forward",
            Self::Reload => "reload",
            Self::OpenTab { .. } => "open_tab",
            Self::SwitchTab { .. } => "switch_tab",
            Self::CloseTab => "close_tab",
            Self::SwitchWindow { .. } => "switch_window",
            Self::CloseWindow { .. } => "close_window",
            Self::AnswerDialog { .. } => "answer_dialog",
            Self::PressHome => "press_home",
            Self::ShowRecents => "show_recents",
            Self::OpenApp { .. } => "open_app",
            Self::Paste { .. } => "paste",
            Self::RunCommand { .. } => "run_command",
            Self::Widget { .. } => "widget",
            Self::ExtractData { .. } => "extract_data",
            Self::Wait { .. } => "wait",
            Self::Finish { .. } => "finish",
        }
    }

    /// The element's own description, where the action gives one.
    pub fn element_description(&self) -> Option<&str> {
        match self {
            Self::Click(t)
            | Self::RightClick(t)
            | Self::DoubleClick(t)
            | Self::TripleClick(t)
            | Self::LongPress(t)
            | Self::MouseMove(t)
            | Self::Clear(t) => t.element_description.as_deref(),
            Self::Pinch { element_description, .. }
            | Self::Scroll { element_description, .. }
            | Self::SelectOption { element_description, .. }
            | Self::UploadFile { element_description, .. }
            | Self::Widget { element_description, .. } => element_description.as_deref(),
            _ => None,
        }
    }

    /// Its parameters as JSON; empty where it has none.
    pub fn parameters(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut all)) => match all.shift_remove("parameters") {
                Some(Value::Object(parameters)) => parameters,
                _ => Map::new(),
            },
            _ => Map::new(),
        }
    }
}
