//! `--ask`: the person at the page is asked before what flags name.

use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Handle;
use waldo_devices::{Approver, Proposal};

use super::agent::proposed;
use super::hub::Hub;
use super::wheel::ApprovalAnswer;

/// Asks at the live page. What belongs to no episode that is shown there is refused.
pub struct AtPage(pub Arc<Hub>);

impl Approver for AtPage {
    fn approve(&self, proposal: &Proposal<'_>) -> bool {
        let folder = proposal.intent.picture.as_deref().and_then(|picture| picture.parent());
        let Some(wheel) = folder.and_then(|folder| self.0.wheel_of(folder)) else { return false };
        // Who has just said yes to the agent's wish, or does it with their own hand, is not asked again.
        if wheel.is_taken() || wheel.was_approved(proposal.action) {
            return true;
        }
        let mut question = proposed(proposal.action, proposal.effects, proposal.intent.tag);
        question["edit"] = json!(false);
        question["thought"] = json!(proposal.intent.thought);
        if let Some(element) = &proposal.intent.element {
            question["element"] = json!({ "role": element.role, "name": element.name });
        }
        let asked = wheel.ask(question);
        let answer = tokio::task::block_in_place(|| Handle::current().block_on(asked));
        matches!(answer, ApprovalAnswer::Yes)
    }
}
