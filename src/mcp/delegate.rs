//! A goal that a client hands to one of waldo's agents.
//!
//! The agent's decisions are decisions of the session's episode: guarded, carried out and recorded like the client's.
//!
//! Invariant: steps, time and money are bounded by flags; an agent that fails or is cancelled ends its goal and not the
//! session.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waldo_agents::model::Usage;
use waldo_agents::{Agent, Brief, Choice, Decision, Fence, Note, Turn};
use waldo_devices::{Deadline, DeviceInfo};

/// Makes an agent for each goal, or says why it cannot.
pub type Maker = Box<dyn Fn() -> Result<Box<dyn Agent>, String> + Send + Sync>;

pub struct Delegate {
    pub make: Maker,
    pub fence: Fence,
    pub limits: GoalLimits,
}

#[derive(Clone, Copy, Debug)]
pub struct GoalLimits {
    pub steps: u32,
    pub time: Duration,
    /// Money at the most, in millionths of a US dollar.
    pub micro_usd: Option<u64>,
    /// Time of one decision at the most.
    pub decide: Duration,
}

#[derive(Clone, Debug)]
pub struct DelegateGoal {
    pub words: String,
    /// Hears of every step: its number, and the call.
    pub progress: mpsc::UnboundedSender<(u32, String)>,
    pub cancel: CancellationToken,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegateEnd {
    /// `finished`, `infeasible`, `gave_up`, `handed_over`, `step_limit`, `time_limit`, `cost_limit`, `cancelled` or
    /// `failed`.
    pub outcome: &'static str,
    /// The agent's words, or why it failed: as untrusted as what it read.
    pub said: Option<String>,
    pub steps: u32,
    pub usage: Usage,
}

pub struct DelegatedGoal {
    agent: Box<dyn Agent>,
    goal: DelegateGoal,
    limits: GoalLimits,
    started: Instant,
    steps: u32,
    usage: Usage,
}

/// What a pursuit comes to at a turn.
pub enum DelegateTurn {
    Step(Box<Decision>),
    /// The end, with the decision that led to it where there was one.
    End(DelegateEnd, Option<Box<Decision>>),
}

impl DelegatedGoal {
    pub fn begin(delegate: &Delegate, device: &DeviceInfo, goal: DelegateGoal) -> Result<Self, String> {
        let mut agent = (delegate.make)()?;
        let brief = Brief {
            goal: goal.words.clone(),
            device: device.clone(),
            seed: 0,
            max_steps: delegate.limits.steps,
            reference: Vec::new().into(),
        };
        agent.begin(&brief).map_err(|e| e.to_string())?;
        let (limits, started) = (delegate.limits, Instant::now());
        Ok(Self { agent, goal, limits, started, steps: 0, usage: Usage::default() })
    }

    fn over(&self) -> Option<&'static str> {
        let spent = self.usage.micro_usd.unwrap_or(0);
        if self.goal.cancel.is_cancelled() {
            Some("cancelled")
        } else if self.steps >= self.limits.steps {
            Some("step_limit")
        } else if self.started.elapsed() >= self.limits.time {
            Some("time_limit")
        } else if self.limits.micro_usd.is_some_and(|limit| spent >= limit) {
            Some("cost_limit")
        } else {
            None
        }
    }

    fn end(&self, outcome: &'static str, said: Option<String>) -> DelegateEnd {
        DelegateEnd { outcome, said, steps: self.steps, usage: self.usage }
    }

    /// The next step on what `turn` shows; `note` is about the agent's own last action.
    pub async fn next(&mut self, turn: &Turn<'_>, note: Option<&Note>) -> DelegateTurn {
        if let Some(limit) = self.over() {
            return DelegateTurn::End(self.end(limit, None), None);
        }
        let left = self.limits.time.saturating_sub(self.started.elapsed());
        let deadline = Deadline::after(self.limits.decide.min(left));
        let own =
            Turn { step: self.steps + 1, device: turn.device, view: turn.view, note, deadline, person: None };
        let cancel = self.goal.cancel.clone();
        let decided = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            // A model that is asked meanwhile does not outlive the goal.
            () = tokio::time::sleep(left) => None,
            decided = self.agent.decide(&own) => Some(decided),
        };
        let decision = match decided {
            None => {
                let outcome = self.over().unwrap_or("time_limit");
                return DelegateTurn::End(self.end(outcome, None), None);
            }
            Some(Err(error)) => return DelegateTurn::End(self.end("failed", Some(error.to_string())), None),
            Some(Ok(decision)) => decision,
        };
        self.steps += 1;
        for exchange in &decision.exchanges {
            self.usage += exchange.usage;
        }
        // Nobody may listen.
        let _ = self.goal.progress.send((self.steps, decision.call.clone()));
        let (outcome, said) = match &decision.choice {
            Choice::Act { .. } | Choice::Pass { .. } => return DelegateTurn::Step(Box::new(decision)),
            Choice::Finish { answer } => ("finished", answer.clone()),
            Choice::Infeasible { reason } => ("infeasible", Some(reason.clone())),
            Choice::GiveUp { reason } => ("gave_up", Some(reason.clone())),
            Choice::HandOver { reason } => ("handed_over", Some(reason.clone())),
            Choice::Fail { reason } => ("failed", Some(reason.clone())),
        };
        let end = self.end(outcome, said);
        DelegateTurn::End(end, Some(Box::new(decision)))
    }
}
