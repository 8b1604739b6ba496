//! The parts of an action, and what was seen to come of it. The actions themselves are the
//! [catalogue](crate::catalogue)'s.

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use crate::action_parts::{
    Button, Clicks, DialogReply, Modifiers, Orientation, RefusalKind, ScrollNotches, TabIndex,
};
pub use crate::catalogue::Action;

/// What was seen to come of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum Effect {
    /// Something that proves it was seen.
    Confirmed { evidence: String },
    /// It was carried out, and nothing tells whether it took.
    Unverifiable,
    /// It was carried out and nothing changed.
    SuspectedNoop,
    /// It was carried out, and what stands there afterwards is not what was asked: a mask, a limit or the screen's own
    /// rules made something else of it, or turned it back.
    NotAsAsked {
        /// What stands there: untrusted text.
        found: String,
    },
    /// It was not carried out.
    Refused {
        /// Which kind of rule said no.
        kind: RefusalKind,
        /// The rule and what broke it.
        reason: String,
    },
}

/// The report on one action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionReport {
    #[serde(flatten)]
    pub effect: Effect,
    /// How long carrying it out took, settling excluded.
    pub took: Duration,
}
