//! Calls of a vendor's own tool for computers: what a model is offered, what it calls, and what came of it.
//!
//! Invariant: a call keeps the form of its wire, so that what is given back is what came; what it wants done is said
//! as the vendor's profile reads it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ModelReply;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScreenKind {
    Browser,
    Desktop,
    Phone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputerTool {
    /// Width of the pictures that are sent, in their pixels.
    pub width: u32,
    pub height: u32,
    pub screen: ScreenKind,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolUse {
    /// What its answer is given under; empty where the wire has no such thing.
    pub id: String,
    pub name: String,
    /// The set that the tool is of, where its wire has sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// What it wants done, in order: objects in the form of the vendor's profile.
    pub does: Vec<Value>,
    /// Why the vendor wants a person to confirm it; empty where it does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    pub call: Arc<ToolUse>,
    pub words: String,
    pub failed: bool,
    pub picture: Option<Arc<[u8]>>,
    pub address: Option<String>,
}

impl ModelReply {
    /// The reply as a record shows it: its text, then its calls, a line each.
    pub fn shown(&self) -> String {
        let mut shown = self.text.clone();
        for done in self.calls.iter().flat_map(|call| &call.does) {
            if !shown.is_empty() && !shown.ends_with('\n') {
                shown.push('\n');
            }
            shown.push_str(&done.to_string());
        }
        shown
    }
}
