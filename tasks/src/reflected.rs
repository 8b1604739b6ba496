//! What an exploration learns of an action, as it is recorded.

use serde::{Deserialize, Serialize};
use waldo_agents::Exchange;
use waldo_agents::appagent::Slot;
use waldo_agents::appagent::learn::ActionVerdict;

/// What looking back on an action came to, as recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reflected {
    pub verdict: ActionVerdict,
    /// Whether no model was asked: nothing had changed, or it was known already.
    pub free: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documented: Option<Documented>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// File name of the picture after the action, where the back key was pressed at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Documented {
    pub key: String,
    pub slot: Slot,
    pub text: String,
    pub refined: bool,
}
