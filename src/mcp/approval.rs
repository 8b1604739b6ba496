//! `--ask`: the person at the client is asked before what flags name, by the protocol's elicitation.
//!
//! Up to protocol 2025-11-25 the server asks while the call is under way. From 2026-07-28 on it may not: the call ends
//! with the question, and the client makes it again with the answer.
//!
//! Invariant: only an acceptance of the very question is a yes; a client that cannot ask, an end of the session and a
//! question that is not answered in time are a no.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use data_encoding::HEXLOWER;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::{Peer, RequestContext};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use waldo_devices::{Approver, Proposal};

/// How long a person may think.
const ANSWERS_WITHIN: Duration = Duration::from_secs(300);
/// What the question goes by in a result.
const KEY: &str = "approval";

/// How the person behind a call is asked.
#[derive(Clone, Debug, Default)]
pub enum Person {
    /// There is nobody: the client cannot ask.
    #[default]
    Nobody,
    /// By a request to the client, while the call is under way.
    Asked(Box<Peer<RoleServer>>),
    AskedByResult(ApprovalQuestion),
}

/// A question that a call ends with, and the one that was accepted before.
#[derive(Clone, Debug, Default)]
pub struct ApprovalQuestion {
    accepted: Option<String>,
    open: Arc<Mutex<Option<String>>>,
}

impl Person {
    /// Who can be asked about this call.
    pub fn of(request: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Self {
        let can = context.client_capabilities().and_then(|can| can.elicitation);
        // Who says nothing of forms and addresses has forms.
        if !can.is_some_and(|can| can.form.is_some() || can.url.is_none()) {
            return Self::Nobody;
        }
        let version = context.protocol_version();
        if version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28) {
            return Self::Asked(Box::new(context.peer.clone()));
        }
        let answer = request.input_responses.as_ref().map(|all| all.get(KEY).map(|answer| &answer["action"]));
        match answer {
            None => Self::AskedByResult(ApprovalQuestion::default()),
            Some(Some(action)) if action == "accept" => {
                let accepted = request.request_state.clone();
                Self::AskedByResult(ApprovalQuestion { accepted, ..ApprovalQuestion::default() })
            }
            // It was declined, and is not asked again.
            Some(_) => Self::Nobody,
        }
    }

    /// The result that asks, where the call came upon a question.
    pub fn question(&self) -> Option<InputRequiredResult> {
        let Self::AskedByResult(question) = self else { return None };
        let message = lock(&question.open).take()?;
        let state = digest(&message);
        let requests =
            BTreeMap::from([(KEY.to_owned(), InputRequest::Elicitation(ElicitRequest::new(form(message))))]);
        Some(InputRequiredResult::new(Some(requests), Some(state)))
    }
}

#[derive(Clone, Debug, Default)]
pub struct ApprovalCaller(Arc<Mutex<Person>>);

impl ApprovalCaller {
    /// From now on this person's call is under way.
    pub fn set(&self, person: Person) {
        *lock(&self.0) = person;
    }
}

pub struct AtClient {
    caller: ApprovalCaller,
    ended: CancellationToken,
    question: fn(&Proposal<'_>) -> String,
}

impl AtClient {
    /// Asks by `question`, until `ended`.
    pub fn new(
        caller: ApprovalCaller,
        ended: CancellationToken,
        question: fn(&Proposal<'_>) -> String,
    ) -> Self {
        Self { caller, ended, question }
    }

    async fn asked(&self, peer: &Peer<RoleServer>, message: String) -> bool {
        let answer = tokio::select! {
            answer = peer.create_elicitation_with_timeout(form(message), Some(ANSWERS_WITHIN)) => answer,
            () = self.ended.cancelled() => return false,
        };
        match answer {
            Ok(answer) => answer.action == ElicitationAction::Accept,
            Err(error) => {
                tracing::info!(%error, "asking at the client");
                false
            }
        }
    }
}

impl Approver for AtClient {
    fn approve(&self, proposal: &Proposal<'_>) -> bool {
        let person = lock(&self.caller.0).clone();
        let message = || crate::masking::mask((self.question)(proposal));
        match person {
            Person::Nobody => false,
            Person::Asked(peer) => {
                tokio::task::block_in_place(|| Handle::current().block_on(self.asked(&peer, message())))
            }
            Person::AskedByResult(question) => {
                let message = message();
                if question.accepted.is_some_and(|accepted| accepted == digest(&message)) {
                    return true;
                }
                *lock(&question.open) = Some(message);
                false
            }
        }
    }
}

/// A form without fields: to accept it is to agree.
fn form(message: String) -> ElicitRequestParams {
    let requested_schema = ElicitationSchema::new(BTreeMap::new());
    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
}

/// What tells one question from another: all of it but the picture, which is another one when it is asked again.
fn digest(message: &str) -> String {
    let lasting = message.lines().filter(|line| !line.starts_with("the picture: "));
    let hash = Sha256::digest(lasting.collect::<Vec<_>>().join("\n").as_bytes());
    HEXLOWER.encode(&hash)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_the_same_with_another_picture_only() {
        let ask =
            |picture: &str, what: &str| digest(&format!("the picture: {picture}\nit would: press\n{what}"));
        assert_eq!(ask("step-01.png", "tap [1] \"Pay\""), ask("step-02.png", "tap [1] \"Pay\""));
        assert_ne!(ask("step-01.png", "tap [1] \"Pay\""), ask("step-01.png", "tap [1] \"Pay all\""));
    }

    #[test]
    fn nobody_is_a_no_and_only_what_was_accepted_a_yes() {
        let caller = ApprovalCaller::default();
        let at = AtClient::new(caller.clone(), CancellationToken::new(), |proposal| {
            proposal.action.name().to_owned()
        });
        let intent = waldo_devices::Intent::default();
        let approve = |action: &waldo_devices::Action| {
            let effects = action.effects(waldo_devices::Platform::Web);
            at.approve(&Proposal { action, effects, intent: &intent })
        };
        let (back, reload) = (waldo_devices::Action::Back, waldo_devices::Action::Reload);
        assert!(!approve(&back));
        let first = Person::AskedByResult(ApprovalQuestion::default());
        caller.set(first.clone());
        assert!(!approve(&back));
        let state = first.question().unwrap().request_state;
        assert!(first.question().is_none(), "it is asked once");
        caller
            .set(Person::AskedByResult(ApprovalQuestion { accepted: state, ..ApprovalQuestion::default() }));
        assert!(approve(&back) && !approve(&reload));
    }
}
