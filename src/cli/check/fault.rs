//! What is wrong with a task, told from the record of its reference solution and of doing nothing.

use std::fmt::Write as _;

use serde::Serialize;
use waldo_agents::{Choice, Note};
use waldo_devices::Effect;
use waldo_devices::count::count;
use waldo_tasks::{EpisodeResult, Event, EventKind, Outcome};

use crate::out::plain;

/// Characters of a text that are told.
const TOLD: usize = 500;

#[derive(Debug, Serialize)]
pub struct Checked {
    task: String,
    repeat: u32,
    seed: u64,
    agent: String,
    success: Option<f64>,
    outcome: &'static str,
    /// In a sentence; none when all is as it should be.
    fault: Option<String>,
    step: Option<FailedStep>,
    /// The checks that did not hold; of doing nothing, those that did.
    checks: Vec<CheckFinding>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct FailedStep {
    step: u32,
    action: String,
    report: String,
}

#[derive(Debug, Serialize)]
struct CheckFinding {
    wanted: String,
    found: String,
}

impl Checked {
    pub fn of(result: &EpisodeResult, events: &[Event], infeasible: bool) -> Self {
        let idle = result.key.contestant == "noop";
        let nothing = |credit: Option<f64>| credit.is_none_or(|credit| credit <= 0.0);
        let sound =
            if idle { nothing(result.success) && nothing(result.partial) } else { result.is_solved() };
        let fault = match &result.outcome {
            Outcome::Invalid { reason } => Some(format!("could not be played: {}", plain(reason, TOLD))),
            _ if sound => None,
            _ if idle && nothing(result.success) => {
                Some("gives partial credit for doing nothing: a checkpoint holds from the start".to_owned())
            }
            _ if idle => Some("is solved by doing nothing: its checks hold from the start".to_owned()),
            outcome => Some(format!(
                "is not solved by its reference: success {}, {} after {} of {}",
                result.success.map_or_else(|| "unknown".to_owned(), |success| format!("{success:.2}")),
                outcome.name(),
                result.steps,
                count(result.max_steps, "step")
            )),
        };
        let step = if fault.is_some() && !idle { first_failed(events, infeasible) } else { None };
        let checks = result.checks.iter().filter(|check| fault.is_some() && check.passed == idle);
        let checks =
            checks.map(|check| CheckFinding { wanted: check.what.clone(), found: check.found.clone() });
        let checks = checks.collect();
        Self {
            task: result.key.task.clone(),
            repeat: result.key.repeat,
            seed: result.seed,
            agent: result.key.contestant.clone(),
            success: result.success,
            outcome: result.outcome.name(),
            fault,
            step,
            checks,
        }
    }

    pub fn is_fault(&self) -> bool {
        self.fault.is_some()
    }

    pub fn is_invalid(&self) -> bool {
        self.outcome == "invalid"
    }

    pub fn text(&self) -> String {
        let Some(fault) = &self.fault else { return String::new() };
        let mut text = format!("{} {fault}\n", self.task);
        // Writing to a String cannot fail.
        if let Some(step) = &self.step {
            let _ = writeln!(text, "  step {}: {}: {}", step.step, step.action, step.report);
        }
        for check in &self.checks {
            let kind = if self.agent == "noop" { "holds" } else { "check" };
            let found = if check.found.is_empty() { "nothing" } else { &check.found };
            let _ = writeln!(text, "  {kind}: wanted {}", plain(&check.wanted, TOLD));
            let _ = writeln!(text, "         found {}", plain(found, TOLD));
        }
        text
    }
}

/// The first step of the last attempt that failed; where none did, the first that changed nothing.
fn first_failed(events: &[Event], infeasible: bool) -> Option<FailedStep> {
    let from = events.iter().rposition(|event| matches!(event.kind, EventKind::Started { .. })).unwrap_or(0);
    let mut idle = None;
    for event in events.get(from..).unwrap_or_default() {
        let found = match &event.kind {
            EventKind::Decided { step, decision, .. } => {
                let failed = |action: &str, report: &str| FailedStep {
                    step: *step,
                    action: action.to_owned(),
                    report: plain(report, TOLD),
                };
                let thought = decision.thought.as_deref().filter(|thought| thought.starts_with("gave up"));
                match &decision.choice {
                    Choice::Finish { .. } => thought.map(|thought| failed("finish", thought)),
                    Choice::Pass { reason } => Some(failed("nothing", reason)),
                    Choice::GiveUp { reason } => Some(failed("give up", reason)),
                    Choice::HandOver { reason } => Some(failed("hand over", reason)),
                    Choice::Fail { reason } => Some(failed("fail", reason)),
                    Choice::Infeasible { reason } if !infeasible => Some(failed("infeasible", reason)),
                    Choice::Infeasible { .. } | Choice::Act { .. } => None,
                }
            }
            EventKind::Acted { step, action, report: done, note } => {
                let failed = |report: &str| FailedStep {
                    step: *step,
                    action: plain(&action.describe(), TOLD),
                    report: plain(report, TOLD),
                };
                match (done.as_ref().map(|done| &done.effect), note) {
                    (_, Some(Note::Failed { reason, .. })) => Some(failed(reason)),
                    (Some(Effect::Refused { reason, .. }), _) => Some(failed(&format!("refused: {reason}"))),
                    (Some(Effect::NotAsAsked { found }), _) => {
                        idle.get_or_insert_with(|| failed(&format!("not as asked: '{found}' stands there")));
                        None
                    }
                    (Some(Effect::SuspectedNoop), _) => {
                        idle.get_or_insert_with(|| failed("nothing changed on the screen"));
                        None
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    idle
}
