//! What an agent may do, decided before any model has spoken.
//!
//! Invariant: a [`GuardPolicy`] comes from the task or the command line; nothing a model says widens
//! it. Origins are enforced by the driver at its network layer (every frame, redirect, popup, worker,
//! socket and beacon) and fail closed; denied and ask-first actions and the budget are enforced here,
//! around any device.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::action::{Action, ActionReport, Effect, RefusalKind};
use crate::device::{Deadline, Device, Glance, Platform, ResetTo, StateProbe, StateValue};
use crate::effects::{Effects, GuardName, Placed};
use crate::error::{DeviceError, Result};
use crate::hit_test::{HitTest, InputTarget};
use crate::layer::DeviceLayer;
use crate::observation::{Capture, Observation};
pub use crate::policy::{
    AppRule, BadOriginRule, Budget, GuardPolicy, Origin, OriginRule, ShellUse, shown_origin,
};
use crate::proposal::{self, Approver, Proposal};

/// A device with the guard around it: denied and unapproved actions never reach the driver, and no value that it
/// types by name comes back from it.
pub struct Guarded {
    inner: Box<dyn Device>,
    policy: GuardPolicy,
    approver: Option<Arc<dyn Approver>>,
}

impl Guarded {
    /// Wraps `inner`. Without an approver every ask-first action is refused.
    pub fn new(inner: Box<dyn Device>, approver: Option<Arc<dyn Approver>>) -> Self {
        Self { inner, policy: GuardPolicy::default(), approver }
    }

    fn refusal(&self, action: &Action) -> Option<(RefusalKind, String)> {
        let placed = action.placed(self.inner.info().platform);
        if let Some(denied) = first(&self.policy.deny, &placed) {
            return Some((RefusalKind::Denied, denied_by(denied, action)));
        }
        // What is refused anyway is not asked about.
        if let Some(url) = placed.address.filter(|url| !self.policy.allows_url(url)) {
            return Some((RefusalKind::Origin, format!("{} is not an allowed origin", shown_origin(url))));
        }
        let asked = first(&self.policy.ask, &placed)?;
        let proposal = Proposal { action, effects: placed.effects, intent: &proposal::intended() };
        let approved = self.approver.as_ref().is_some_and(|approver| approver.approve(&proposal));
        (!approved)
            .then(|| (RefusalKind::NotApproved, format!("'{}' was not approved", asked_about(asked, action))))
    }
}

/// The name that an action goes by, else the first whose effect it has.
fn first(names: &BTreeSet<GuardName>, placed: &Placed<'_>) -> Option<GuardName> {
    let meets = |name: &&GuardName| placed.effects.contains(name.effect());
    let own = names.iter().filter(meets).find(|name| name.name() == placed.kind.name());
    own.or_else(|| names.iter().find(meets)).copied()
}

fn denied_by(denied: GuardName, action: &Action) -> String {
    if denied.name() == action.name() {
        return format!("the action '{denied}' is denied");
    }
    let what = described(action);
    if action.effects(Platform::Web) == Effects::all() {
        return format!("'{denied}' is denied, and {what} may do that: what it does is not known");
    }
    format!("'{denied}' is denied, and {what} does that: it {}", denied.effect().does())
}

fn asked_about(asked: GuardName, action: &Action) -> String {
    let own = asked.name() == action.name();
    if own { asked.to_string() } else { format!("{asked}: {}", described(action)) }
}

/// An action in a message; a chord by its keys.
fn described(action: &Action) -> String {
    match action {
        Action::Key { chord } => format!("key {}", chord.chars().take(40).collect::<String>()),
        other => other.name().to_owned(),
    }
}

#[async_trait]
impl DeviceLayer for Guarded {
    crate::device_inside!(inner);

    async fn reset(&mut self, to: &ResetTo, deadline: Deadline) -> Result<()> {
        self.policy = to.policy.clone();
        let done = self.inner.reset(to, deadline).await;
        self.inner.secrets().mask_answer(done)
    }

    async fn observe(&mut self, want: Capture, deadline: Deadline) -> Result<Observation> {
        let seen = self.inner.observe(want, deadline).await;
        self.inner.secrets().observed(seen)
    }

    async fn perform(&mut self, action: &Action, deadline: Deadline) -> Result<ActionReport> {
        // The time that a person takes to approve is not the device's.
        let left = deadline.left();
        let refusal = self.refusal(action);
        let deadline = Deadline::after(left);
        if let Some((kind, reason)) = refusal {
            return Ok(ActionReport { effect: Effect::Refused { kind, reason }, took: Duration::ZERO });
        }
        let done = self.inner.perform(action, deadline).await;
        match self.inner.secrets().reported(done) {
            Err(DeviceError::Refused { kind, reason }) => {
                Ok(ActionReport { effect: Effect::Refused { kind, reason }, took: Duration::ZERO })
            }
            other => other,
        }
    }

    async fn probe(&mut self, probe: &StateProbe, deadline: Deadline) -> Result<StateValue> {
        // An answer is for checks, which need it as it is; what they found is masked.
        let answer = self.inner.probe(probe, deadline).await;
        self.inner.secrets().mask_answer(answer)
    }

    async fn hit_test(&mut self, target: &InputTarget, deadline: Deadline) -> Result<HitTest> {
        let aimed = self.inner.hit_test(target, deadline).await;
        self.inner.secrets().mask_answer(aimed)
    }

    async fn glance(&mut self, deadline: Deadline) -> Result<Glance> {
        let glanced = self.inner.glance(deadline).await;
        let secrets = self.inner.secrets();
        let mut glance = secrets.mask_answer(glanced)?;
        secrets.hide(&mut glance.showing);
        Ok(glance)
    }

    async fn close(&mut self, deadline: Deadline) -> Result<()> {
        let closed = self.inner.close(deadline).await;
        self.inner.secrets().mask_answer(closed)
    }
}
