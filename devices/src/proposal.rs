//! What a person is asked about: an action, and what an agent means by it.

use std::future::Future;
use std::path::PathBuf;

use crate::action::Action;
use crate::effect_set::Effects;
use crate::element::Element;
use crate::labels::Tag;

/// What an agent means by an action, as far as who carries it out knows. All texts are untrusted.
#[derive(Clone, Debug, Default)]
pub struct Intent {
    pub tag: Option<Tag>,
    /// The element that carries it, or that lies at the action's place.
    pub element: Option<Element>,
    /// Address of the page in front, or the app.
    pub location: String,
    pub thought: Option<String>,
    /// The file with the labelled picture that the agent decided on.
    pub picture: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    pub action: &'a Action,
    pub effects: Effects,
    /// What the agent means by it; empty where nobody said so.
    pub intent: &'a Intent,
}

pub trait Approver: Send + Sync {
    fn approve(&self, proposal: &Proposal<'_>) -> bool;
}

// It is handed along the task and not through the devices that wrap each other: one of them that forgot to pass
// it on would make every question blind.
tokio::task_local! {
    static INTENT: Intent;
}

/// Carries something out with what is meant by it at hand for the person who is asked.
pub async fn intending<F: Future>(intent: Intent, done: F) -> F::Output {
    INTENT.scope(intent, done).await
}

pub(crate) fn intended() -> Intent {
    INTENT.try_with(Clone::clone).unwrap_or_default()
}
