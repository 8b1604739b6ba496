//! The parts of an action, and what was seen to come of it. The actions themselves are the
//! [catalogue](crate::catalogue)'s.

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use crate::action_parts::{
    Button, Clicks, DialogReply, Modifiers, Orientation, RefusalKind, ScrollNotches, TabIndex,
};
pub use crate::catalogue::Action;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    Confirmed {
        evidence: String,
    },
    /// It was carried out, and nothing tells whether it took.
    Unverifiable,
    SuspectedNoop,
    /// It was carried out, and what stands there afterwards is not what was asked: a mask, a limit or the screen's own
    /// rules made something else of it, or turned it back.
    NotAsAsked {
        /// What stands there: untrusted text.
        found: String,
    },
    Refused {
        kind: RefusalKind,
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionReport {
    #[serde(flatten)]
    pub effect: Effect,
    /// How long carrying it out took, settling excluded.
    pub took: Duration,
}
