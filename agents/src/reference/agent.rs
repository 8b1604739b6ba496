//! The `reference` agent: carries out a task's solution on the real device, without a model.

use async_trait::async_trait;
use waldo_devices::{Action, DeviceInfo, Tag};

use super::{Cursor, ListedElement, Move, Step, Verb};
use crate::agent::{Agent, Brief, Choice, Decision, Turn, View};
use crate::appagent::{FunctionCall, ground};
use crate::error::{AgentError, Result};

/// Plays the reference solution: the upper bound of a suite, and the proof that each task can be solved.
#[derive(Debug, Default)]
pub struct ReferenceAgent {
    steps: std::sync::Arc<[Step]>,
    begun: bool,
    cursor: Cursor,
    missing: u32,
}

/// How often a missing element is looked for again before the agent gives up.
pub(crate) const LOOKS: u32 = 3;

/// Milliseconds of the wait after this many looks in vain: a busy machine gets more time, not more steps.
pub(crate) fn patience(looks: u32) -> u64 {
    300 * 3_u64.saturating_pow(looks.min(LOOKS))
}

#[async_trait]
impl Agent for ReferenceAgent {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn looks(&self) -> bool {
        false
    }

    fn begin(&mut self, brief: &Brief) -> Result<()> {
        *self = Self { steps: brief.reference.clone(), begun: true, ..Self::default() };
        Ok(())
    }

    async fn decide(&mut self, turn: &Turn<'_>) -> Result<Decision> {
        let device = self.begun.then_some(turn.device).ok_or_else(|| AgentError::not_begun("reference"))?;
        let items: Vec<ListedElement> = items(turn.view);
        let (next, after) = self.cursor.next(&self.steps, &items);
        let (choice, tag) = match next {
            Move::Done => (Choice::Finish { answer: None }, None),
            Move::Missing { what } => {
                self.missing += 1;
                if self.missing > LOOKS {
                    let answer = None;
                    return Ok(Decision {
                        thought: Some(format!("gave up looking for {what}")),
                        ..Decision::of(Choice::Finish { answer })
                    });
                }
                return Ok(Decision::of(Choice::Act {
                    action: Action::Wait { ms: patience(self.missing - 1) },
                }));
            }
            Move::Free(step) => {
                self.cursor = after;
                (choice(&step, None, None, turn.view, device), None)
            }
            Move::On { step, tag, to } => {
                self.cursor = after;
                (choice(&step, Some(tag), to, turn.view, device), Some(tag))
            }
        };
        self.missing = 0;
        Ok(Decision { tag, ..Decision::of(choice) })
    }
}

pub(crate) fn items(view: &View) -> Vec<ListedElement> {
    view.tagged
        .iter()
        .filter_map(|t| {
            view.observation.elements.get(t.element).map(|e| ListedElement {
                tag: t.tag,
                role: e.role.as_str().to_owned(),
                name: e.name.clone(),
                value: e.value.clone(),
            })
        })
        .collect()
}

pub(super) fn choice(
    step: &Step,
    tag: Option<Tag>,
    to: Option<Tag>,
    view: &View,
    device: &DeviceInfo,
) -> Choice {
    let text = || step.text.clone().unwrap_or_default();
    match step.verb {
        Verb::Answer => Choice::Finish { answer: Some(text()) },
        Verb::Infeasible => Choice::Infeasible { reason: text() },
        Verb::Do(_) => {
            let call = step.call(tag, to).map(FunctionCall::Tool);
            let done = call
                .ok_or_else(|| "nothing is to be done".to_owned())
                .and_then(|call| ground(&call, view, device, None).map(|grounded| grounded.choice));
            done.unwrap_or_else(|reason| Choice::Pass { reason })
        }
    }
}
