use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use waldo_devices::catalogue::DeviceNeed;
use waldo_devices::{Capability, DeviceInfo, Platform, Tool};

/// What an action of a model does: something that needs more than the catalogue's parameters, an ending, or a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Press: `at`, `clicks`, `button`, `modifiers`.
    Tap,
    /// Press in one place and let go in another: `from` (where the pointer is, if left out), `to`; or a `path`; `button`,
    /// `modifiers`.
    Drag,
    /// Turn the wheel: `at`, and `direction` with `amount`, or `up`, `down`, `right` as signed amounts; `per-notch`,
    /// `modifiers`.
    Scroll,
    /// Move a finger, or the content as far: `from` and `to`, or `at`, `direction` and `amount` (a share of the screen).
    Swipe,
    /// Type: `text`; `at` is pressed first; `submit` presses Enter after it.
    Type,
    /// Press keys at once: `keys`.
    Key,
    /// Press keys one after the other: `keys`, `times`.
    Press,
    /// Hold a key for what follows in the reply: `keys`.
    Hold,
    /// Let a key go: `keys`.
    Release,
    /// Press a key of the system by its name: `button` (back, home, menu, enter).
    System,
    /// Let time pass: `seconds`.
    Wait,
    /// Nothing: a look at the screen, which every step has.
    Look,
    Answer,
    Finish,
    /// The task cannot be done: `reason`.
    Fail,
    /// Done or not, as `status` says; `answer`.
    Terminate,
    /// A person has to go on: `reason`.
    HandOver,
    Tool(Tool),
}

const OPERATIONS: [(&str, Operation, &[&str]); 17] = [
    ("tap", Operation::Tap, &["at", "clicks", "button", "modifiers"]),
    ("drag", Operation::Drag, &["from", "to", "path", "button", "modifiers"]),
    (
        "scroll",
        Operation::Scroll,
        &["at", "direction", "amount", "up", "down", "right", "per-notch", "modifiers"],
    ),
    ("swipe", Operation::Swipe, &["from", "to", "at", "direction", "amount"]),
    ("type", Operation::Type, &["text", "at", "submit"]),
    ("key", Operation::Key, &["keys"]),
    ("press", Operation::Press, &["keys", "times"]),
    ("hold", Operation::Hold, &["keys"]),
    ("release", Operation::Release, &["keys"]),
    ("system", Operation::System, &["button"]),
    ("wait", Operation::Wait, &["seconds"]),
    ("look", Operation::Look, &[]),
    ("answer", Operation::Answer, &["answer"]),
    ("finish", Operation::Finish, &["answer"]),
    ("fail", Operation::Fail, &["reason"]),
    ("terminate", Operation::Terminate, &["status", "answer"]),
    ("hand-over", Operation::HandOver, &["reason"]),
];

impl Operation {
    fn named(name: &str) -> Option<Self> {
        let own = OPERATIONS.iter().find(|(known, ..)| *known == name).map(|(_, it, _)| *it);
        own.or_else(|| Tool::named(name).map(Self::Tool))
    }

    fn parameters(self) -> Vec<&'static str> {
        match self {
            Self::Tool(tool) => tool.spec().params.iter().map(|param| param.name).collect(),
            own => OPERATIONS
                .iter()
                .find(|(_, it, _)| *it == own)
                .map(|(.., all)| all.to_vec())
                .unwrap_or_default(),
        }
    }

    fn offered(self, device: &DeviceInfo) -> bool {
        let need = match self {
            Self::Tool(tool) => tool.spec().need,
            Self::Key | Self::Press | Self::Hold | Self::Release => DeviceNeed::Can(Capability::Keyboard),
            Self::System => DeviceNeed::Can(Capability::SystemKeys),
            _ => DeviceNeed::Nothing,
        };
        need.met_by(device)
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum ArgumentSource {
    /// An argument, or the first that is there of several (`a|b`).
    One(String),
    Pair([String; 2]),
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ActionRule {
    /// What it comes to: an operation, or a tool of the catalogue.
    does: String,
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// The kinds of devices that have it; all where it is left out.
    #[serde(default)]
    on: Option<Vec<Platform>>,
    /// Names of arguments that are given without one, in order. The last takes all that are left where it ends in `*`.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// Parameters and the arguments that they come from. What is left out comes from an argument of the same name.
    #[serde(default)]
    pub(crate) with: BTreeMap<String, ArgumentSource>,
    #[serde(default)]
    pub(crate) set: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) default: BTreeMap<String, Value>,
}

impl ActionRule {
    /// A tool of the catalogue by its own names.
    pub(crate) fn of(tool: Tool) -> Self {
        Self {
            does: tool.name().to_owned(),
            also: Vec::new(),
            on: None,
            args: tool.spec().params.iter().map(|param| param.name.to_owned()).collect(),
            with: BTreeMap::new(),
            set: BTreeMap::new(),
            default: BTreeMap::new(),
        }
    }

    pub(crate) fn operation(&self) -> Option<Operation> {
        Operation::named(&self.does)
    }

    pub(crate) fn offered(&self, device: &DeviceInfo) -> bool {
        let here = self.on.as_ref().is_none_or(|on| on.contains(&device.platform));
        here && self.operation().is_some_and(|operation| operation.offered(device))
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let Some(operation) = self.operation() else {
            let own: Vec<&str> = OPERATIONS.iter().map(|(name, ..)| *name).collect();
            return Err(format!(
                "does '{}', which is neither a tool of the catalogue nor {}",
                self.does,
                own.join(", ")
            ));
        };
        let known = operation.parameters();
        let named = self.with.keys().chain(self.set.keys()).chain(self.default.keys());
        match named.into_iter().find(|name| !known.contains(&name.as_str())) {
            Some(name) if known.is_empty() => {
                Err(format!("gives '{name}' to {}, which has no parameters", self.does))
            }
            Some(name) => Err(format!("gives '{name}' to {}, which has {}", self.does, known.join(", "))),
            None => Ok(()),
        }
    }
}
